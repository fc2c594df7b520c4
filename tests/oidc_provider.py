"""A small OpenID Connect provider for tests: it lets everybody in, as whom it is told, and signs.

with OidcProvider() as provider:
    provider.secrets(redirect_uri)  # the text of Streamlit's secrets.toml
"""

from __future__ import annotations

import secrets
import time
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.http_server import Exchange, HttpServer


class OidcProvider(HttpServer):
    """Answers discovery, authorization, token and keys. ``tokens`` counts the logins.

    ``subject`` and ``email`` are those of whoever logs in next.
    """

    address = "http://localhost:{port}"

    def __init__(self, subject: str = "1", email: str = "ada@example.org") -> None:
        super().__init__()
        self.subject = subject
        self.email = email
        self.tokens = 0
        self._key = RSAKey.generate_key(2048, {"kid": "test", "use": "sig"})
        self._nonces: dict[str, str] = {}

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

    def answer(self, exchange: Exchange) -> None:
        parts = urlsplit(exchange.path)
        said = parse_qs(exchange.body.decode() or parts.query)
        if parts.path == "/authorize":
            code = secrets.token_hex(8)
            self._nonces[code] = said["nonce"][0]
            query = urlencode({"code": code, "state": said["state"][0]})
            exchange.send(302, b"", {"Location": f"{said['redirect_uri'][0]}?{query}"})
            return
        answers = {
            "/.well-known/openid-configuration": self._metadata,
            "/jwks": lambda _: {"keys": [self._key.as_dict(private=False)]},
            "/token": self._token,
        }
        exchange.send(200, answers[parts.path](said))

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
