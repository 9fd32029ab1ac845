"""What a chat server sent, read as a reply. Nothing about its shape is taken for granted."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from vivavoce.candidates.first_token import alternatives
from vivavoce.candidates.text import as_unicode, quoted, without_key
from vivavoce.interview.candidate import Reply, Usage
from vivavoce.interview.thoughts import split_thoughts

_MOST_TOKENS = 10**12
"""No reply has cost more; a larger number is not a number of tokens."""


class NotAReply(ValueError):
    """The body does not follow the protocol; the text says how."""


def read_reply(body: bytes, *keys: str, price_in: float, price_out: float) -> Reply:
    """The reply in the body of a successful response, without the keys.

    Thoughts come in `reasoning_content` (DeepSeek, llama.cpp, older vLLM), in `reasoning` (vLLM, Ollama, routers), in parts of
    the content (Mistral), or marked within it; they go to `thoughts`, and the text is what follows them. Of a thought within
    the content that has no end, the whole content is a thought, word for word, and the text is empty.

    A reply that the model has finished is an outcome, even if it is empty or a refusal. Raises `NotAReply` for broken JSON,
    invalid UTF-8, and a body without a choice or with a choice that is neither content, nor a refusal, nor finished.
    """
    try:
        document = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotAReply("the reply is not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise NotAReply(f"the reply is not JSON, it begins: {quoted(body.decode('utf-8', 'replace'), *keys)}") from None
    choice = _first_choice(document)
    message = _mapping(choice.get("message"))
    finish = choice.get("finish_reason")
    finish = finish if isinstance(finish, str) else ""
    text = _text(message.get("content"))
    if text is None and isinstance(message.get("refusal"), str):
        text = message["refusal"]
    if text is None and not finish:
        raise NotAReply("the reply has a choice without content")
    content = split_thoughts(as_unicode(without_key(text or "", *keys)))
    apart = (as_unicode(without_key(thought, *keys)).strip() for thought in _thoughts(message))
    return Reply(
        content.words,
        usage=_usage(_mapping(document.get("usage")), price_in, price_out),
        model=quoted(model, *keys) if isinstance(model := document.get("model"), str) else "",
        finish=quoted(finish, *keys),
        first_token=_first_token(choice, *keys),
        thoughts="\n\n".join(filter(None, (*apart, content.thoughts))),
    )


class ServerError(NamedTuple):
    """What a server says went wrong."""

    message: str
    codes: tuple[str, ...] = ()
    """What it calls that, for programs: code and type, as far as they are told."""
    param: str = ""
    """The field of the request that it is about, where that is told."""


def read_error(body: bytes) -> ServerError:
    """The server's own words in the body of an error, as the protocol has them; else the body as it is."""
    text = body.decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ServerError(text)
    if isinstance(document, list) and document:  # Gemini's
        document = document[0]
    error = _mapping(document).get("error", document)
    message = _mapping(error).get("message", error)
    codes = (_mapping(error).get(name) for name in ("code", "type"))
    param = _mapping(error).get("param")
    return ServerError(
        message if isinstance(message, str) else text,
        tuple(code for code in codes if isinstance(code, str)),
        param if isinstance(param, str) else "",
    )


def _first_choice(document: Any) -> dict[str, Any]:
    """The first choice; some gateways report an error with status 200, which has none."""
    if not isinstance(document, dict):
        raise NotAReply("the reply is JSON, but not an object")
    choices = document.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    if "error" in document:
        raise NotAReply(f"the server reports an error: {read_error(json.dumps(document).encode()).message}")
    raise NotAReply("the reply has no choices")


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: Any) -> str | None:
    """Content as text: a string, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [_mapping(part).get("text") for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return None


def _thoughts(message: dict[str, Any]) -> list[str]:
    """What the server tells about thoughts apart from the reply's text; once, where two fields say the same."""
    told = [message.get("reasoning_content"), message.get("reasoning")]
    content = message.get("content")
    for part in map(_mapping, content if isinstance(content, list) else ()):
        if part.get("type") == "thinking":
            told.append(_text(part.get("thinking")))
    return list(dict.fromkeys(thought for thought in told if isinstance(thought, str)))


def _first_token(choice: dict[str, Any], *keys: str) -> tuple[tuple[str, float], ...]:
    """Alternatives of the first token with their log-probabilities, where the server tells them."""
    told = _mapping(choice.get("logprobs")).get("content")
    first = _mapping(told[0]) if isinstance(told, list) and told else {}
    listed = first.get("top_logprobs")
    each = map(_mapping, listed if isinstance(listed, list) else ())
    return alternatives(((one.get("token"), one.get("logprob")) for one in each), *keys)


def _usage(usage: dict[str, Any], price_in: float, price_out: float) -> Usage:
    tokens_in, tokens_out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    return Usage(tokens_in, tokens_out, (tokens_in * price_in + tokens_out * price_out) / 1e6)


def _count(value: Any) -> int:
    """A number of tokens; 0 where the server does not say, or says nonsense."""
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else 0
