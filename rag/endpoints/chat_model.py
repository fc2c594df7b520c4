"""``ChatOpenAI``, made to fit any OpenAI-compatible endpoint: messages → a stream's deltas.

The one module that imports langchain_openai for chat; importing it takes seconds, so whoever needs
it imports it when a model is asked. It sends what is set and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from rag.endpoints.endpoint import NO_KEY, OPENAI, Endpoint, certificates
from rag.settings import Settings
from rag.types import Usage

if TYPE_CHECKING:
    from rag.prompt import Message


@dataclass(frozen=True, slots=True)
class Delta:
    """What one chunk of a stream brought. ``finish`` is the server's reason for ending."""

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    usage: Usage | None = None


def stream_deltas(
    endpoint: Endpoint, client: httpx.Client, messages: Sequence[Message]
) -> Iterator[Delta]:
    """Send ``messages`` once and yield what comes. Raises what openai and httpx raise.

    Lone surrogates, which a terminal may make of bytes that are no text, become question marks.
    """
    sent = [(m.role, m.content.encode("utf-8", "replace").decode()) for m in messages]
    for chunk in _model(endpoint, client).stream(sent):
        delta = _delta(chunk)
        if delta != Delta():
            yield delta


def list_models(endpoint: Endpoint, client: httpx.Client) -> list[str]:
    """Return the names of the models that the endpoint lists. Raises as openai and httpx do."""
    listed = _model(endpoint, client).root_client.models.list().data
    return sorted(str(model.id) for model in listed or [])


def warm_up() -> None:
    """Do what the first question would have to wait for: imports, certificates, a first client."""
    endpoint = Endpoint("warm-up", OPENAI, NO_KEY, Settings())
    with endpoint.client() as client:
        _model(endpoint, client)


class _Chat(ChatOpenAI):
    """ChatOpenAI that sends what is set alone, and drops nothing of what comes.

    Its own request has a temperature for models named o1…, none for gpt-5…, another role for system
    prompts, and a new name for max_tokens that only OpenAI and Azure know. Its own reading leaves
    out reasoning, and fails on a stream without chunks or with one that is no object.
    """

    set_temperature: float | None = None
    """The temperature to send; ChatOpenAI changes its own by the model's name."""

    def _get_request_payload(
        self,
        input_: Any,
        *,
        stop: list[str] | None = None,  # noqa: ARG002  ChatOpenAI's signature
        **_: Any,
    ) -> dict[str, Any]:
        host = urlsplit(self.openai_api_base or "").hostname or ""
        renamed = host.endswith((".openai.com", ".azure.com"))
        optional = {
            "temperature": self.set_temperature,
            "max_completion_tokens" if renamed else "max_tokens": self.max_tokens,
            "stream_options": {"include_usage": True} if self.stream_usage else None,
        }
        return {
            "model": self.model_name,
            "messages": [{"role": _ROLES[m.type], "content": m.content} for m in input_],
            "stream": True,
            **{name: value for name, value in optional.items() if value is not None},
        }

    def _stream(self, messages: Any, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        with self.client.create(**self._get_request_payload(messages)) as chunks:
            for chunk in chunks:
                known = hasattr(chunk, "model_dump")
                yield _generation(chunk.model_dump(warnings=False) if known else {})
        yield _generation({})  # so that there is one


_OWN_CLIENT: Any = {"http_socket_options": ()}
"""Not sent: keeps ChatOpenAI from warning of what it would do to a client that is not given."""
if "http_socket_options" not in ChatOpenAI.model_fields:  # before langchain-openai 1.2
    _OWN_CLIENT = {}

_ROLES = {"system": "system", "human": "user", "ai": "assistant"}


def _generation(chunk: Mapping[str, Any]) -> ChatGenerationChunk:
    """Read a chunk of the protocol, whatever is missing or null in it."""
    choice = _mapping(_first(chunk.get("choices")))
    delta = _mapping(choice.get("delta") or choice.get("message"))
    text, thought = _texts(delta.get("content"))
    thought += _string(delta.get("reasoning_content") or delta.get("reasoning"))
    finish = _string(choice.get("finish_reason"))
    message = AIMessageChunk(
        content=text,
        additional_kwargs={"reasoning": thought} if thought else {},
        response_metadata={"finish_reason": finish} if finish else {},
        usage_metadata=_usage(_mapping(chunk.get("usage"))),
    )
    return ChatGenerationChunk(message=message)


def _model(endpoint: Endpoint, client: httpx.Client) -> _Chat:
    settings = endpoint.settings
    return _Chat(
        model=endpoint.model,
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.url,
        http_client=client,
        # Never used; without one ChatOpenAI makes its own, which takes 50 ms each time.
        http_async_client=httpx.AsyncClient(verify=certificates(), trust_env=False),
        default_headers=dict(settings.openai_headers),
        timeout=endpoint.timeout(),
        set_temperature=settings.temperature,
        max_completion_tokens=settings.max_answer_tokens,
        stream_usage=settings.stream_usage,
        max_retries=0,  # ChatConnection tries again: it knows whether anything has come
        use_responses_api=False,
        output_version="v0",  # text as text, whatever LC_OUTPUT_VERSION says
        openai_proxy=None,  # proxies are the client's business
        **_OWN_CLIENT,
    )


def _delta(chunk: AIMessageChunk) -> Delta:
    usage = chunk.usage_metadata
    return Delta(
        text=str(chunk.content),
        reasoning=str(chunk.additional_kwargs.get("reasoning", "")),
        finish=str(chunk.response_metadata.get("finish_reason", "")),
        usage=Usage(usage["input_tokens"], usage["output_tokens"]) if usage else None,
    )


def _texts(content: object) -> tuple[str, str]:
    """Return text and reasoning of a delta's content: a string, or Mistral's list of parts."""
    if not isinstance(content, list):
        return _string(content), ""
    parts = [_mapping(part) for part in content]
    thoughts = [_texts(part["thinking"])[0] for part in parts if part.get("thinking")]
    return "".join(_string(part.get("text")) for part in parts), "".join(thoughts)


def _usage(usage: Mapping[str, Any]) -> UsageMetadata | None:
    sent, made = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(made, int):
        return None
    return UsageMetadata(input_tokens=sent, output_tokens=made, total_tokens=sent + made)


def _first(values: object) -> object:
    return values[0] if isinstance(values, list) and values else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
