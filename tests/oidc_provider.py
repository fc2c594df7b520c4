"""A small OpenID Connect provider for tests: it lets everybody in, as whom it is told, and signs.

with OidcProvider() as provider:
    provider.secrets(redirect_uri)  # the text of Streamlit's secrets.toml
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey


class OidcProvider:
    """Answers discovery, authorization, token and keys. ``tokens`` counts the logins.

    ``subject`` and ``email`` are those of whoever logs in next.
    """

    def __init__(self, subject: str = "1", email: str = "ada@example.org") -> None:
        self.subject = subject
        self.email = email
        self.tokens = 0
        self._key = RSAKey.generate_key(2048, {"kid": "test", "use": "sig"})
        self._nonces: dict[str, str] = {}

    @property
    def url(self) -> str:
        """The issuer."""
        return f"http://localhost:{self._server.server_port}"

    def secrets(self, redirect_uri: str) -> str:
        """What asks for the login in ``secrets.toml``."""
        return f"""
[auth]
redirect_uri = "{redirect_uri}"
cookie_secret = "{secrets.token_hex(32)}"
client_id = "page"
client_secret = "secret"
server_metadata_url = "{self.url}/.well-known/openid-configuration"
"""

    def __enter__(self) -> Self:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner._answer(self, parse_qs(urlsplit(self.path).query))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                owner._answer(self, parse_qs(body))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: BaseHTTPRequestHandler, said: dict[str, list[str]]) -> None:
        path = urlsplit(request.path).path
        if path == "/authorize":
            code = secrets.token_hex(8)
            self._nonces[code] = said["nonce"][0]
            query = urlencode({"code": code, "state": said["state"][0]})
            request.send_response(302)
            request.send_header("Location", f"{said['redirect_uri'][0]}?{query}")
            request.end_headers()
            return
        answers = {
            "/.well-known/openid-configuration": self._metadata,
            "/jwks": lambda _: {"keys": [self._key.as_dict(private=False)]},
            "/token": self._token,
        }
        payload = json.dumps(answers[path](said)).encode()
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(payload)))
        request.end_headers()
        request.wfile.write(payload)

    def _metadata(self, _: object) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def _token(self, said: dict[str, list[str]]) -> dict[str, Any]:
        self.tokens += 1
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": "page", "sub": self.subject, "email": self.email, "iat": now,
            "exp": now + 600, "nonce": self._nonces.pop(said["code"][0]),
        }  # fmt: skip
        signed = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self._key)
        return {"access_token": "x", "token_type": "Bearer", "expires_in": 600, "id_token": signed}
