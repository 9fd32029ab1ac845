"""Reads a chat server's response as a reply, without trusting its structure."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, Final, NamedTuple

from vivavoce.candidates.chat.http import NotAReply, error_in, first_choice
from vivavoce.candidates.text import alternatives, as_unicode, quoted, without_key
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.reading import is_complete, split_thoughts

_COMPLETIONS: Final = 500
"""How many are remembered."""
_MOST_TOKENS = 10**12
"""The most tokens of a reply; a larger number is an error."""
_THOUGHTS: Final = frozenset(
    ("thinking", "reasoning", "reasoning_content", "reasoning_text", "redacted_thinking", "summary_text")
)
"""Types of parts of the content that hold thoughts."""


def read_reply(document: Any, *keys: str, price_in: float, price_out: float) -> Reply:
    """The reply in the document of a successful response, without the keys.

    Thoughts come in `reasoning_content` (DeepSeek, llama.cpp, older vLLM), in `reasoning` (vLLM, Ollama, routers), in parts of
    the content (Mistral), or marked within it; they go to `thoughts`, and the text is what follows them. If a thought within
    the content has no end, the whole unchanged content is a thought, and the text is empty.

    A reply that the model has finished is an outcome, even if it is empty or a refusal. Raises `NotAReply` for a document
    without a choice or with a choice that is neither content, nor a refusal, nor finished; and `ErrorInReply` where it tells
    of an error.
    """
    if (error := _error_in(document)) is not None:
        raise ErrorInReply(error)
    choice = _first_choice(document)
    message = _mapping(choice.get("message"))
    finish = _finish_of(choice)
    text = _said(choice)
    if text is None and not (finish and _is_in_words(choice.get("finish_reason"))):
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


class Completions:
    """The latest completions of a server, to notice one that is sent again for another question.

    An identifier names one completion. If a server uses several identifiers, and then sends one with the same time and text for
    two questions, a cache answered the second one, not the model. An identifier that never changes means nothing.
    """

    def __init__(self) -> None:
        self._identifiers: set[str] = set()
        self._questions: OrderedDict[tuple[str, str, str], int] = OrderedDict()

    def is_sent_again(self, document: dict[str, Any], text: str, question: Prompt) -> bool:
        """Whether this completion has been sent before, for another question."""
        identifier, created = document.get("id"), document.get("created")
        completion = (str(identifier or ""), str(created), text)
        if len(self._identifiers) < 2:
            self._identifiers.add(completion[0])
        if not completion[0]:
            return False
        asked = hash(question.conversation)
        earlier = self._questions.setdefault(completion, asked)
        if len(self._questions) > _COMPLETIONS:
            self._questions.popitem(last=False)
        return len(self._identifiers) > 1 and earlier != asked


class ServerError(NamedTuple):
    message: str
    codes: tuple[str, ...] = ()
    """The server's code and type of the error, if it sends them."""
    param: str = ""
    """The request field that the error is about, if the server names it."""


class ErrorInReply(Exception):
    """A body that came as a reply reports an error."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.message)
        self.error = error


def read_error(body: bytes) -> ServerError:
    """The server's own message in the body of an error, if it follows the protocol; otherwise the whole body."""
    text = body.decode("utf-8", "replace")
    try:
        document = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return ServerError(text)
    return _server_error(document) or ServerError(text)


def _server_error(document: Any) -> ServerError | None:
    """The error in a document; None for an unknown structure."""
    if isinstance(document, list) and document:  # Gemini's
        document = document[0]
    error = error_in(_mapping(document)) or document
    fields = _mapping(error)
    outer = _mapping(document)
    message = _words_of(error) or _words_of(outer.get("message")) or (json.dumps(error) if error_in(outer) else "")
    if not message:
        return None
    cause = _words_of(_mapping(fields.get("metadata")).get("raw"))  # a router's error, whose own text is "returned error"
    codes = (holder.get(name) for holder in (fields, outer) for name in ("code", "type", "status", "status_code", "error"))
    param = fields.get("param")
    return ServerError(
        f"{message}: {cause}" if cause and cause not in message else message,
        tuple(dict.fromkeys(str(code) for code in codes if isinstance(code, str | int) and not isinstance(code, bool))),
        param if isinstance(param, str) else "",
    )


_WORDS: Final = (
    "message",
    "detail",
    "error",
    "errors",
    "msg",
    "error_msg",
    "error_message",
    "error_description",
    "status_msg",
    "title",
)
"""Fields in which servers put errors, the most specific first."""


def _words_of(error: Any, *, depth: int = 3) -> str:
    """The message of an error: a text, or one of the usual fields; of several errors, the first."""
    if isinstance(error, str):
        return error.strip()
    if isinstance(error, list) and error and depth:
        return _words_of(error[0], depth=depth - 1)
    if isinstance(error, dict) and isinstance(results := error.get("loc"), list):  # FastAPI's
        return f"{error.get('msg')} ({error.get('type')} at {'.'.join(map(str, results))})"
    if isinstance(error, dict) and depth:
        return next(filter(None, (_words_of(error.get(name), depth=depth - 1) for name in _WORDS)), "")
    return ""


def _error_in(document: Any) -> ServerError | None:
    """The error that a body with status 200 reports, with a reply or without one."""
    if not isinstance(document, dict):
        return None
    first = first_choice(document) or {}
    for holder in (document, first):
        if error_in(holder):
            return _server_error(holder)
    message = _mapping(first.get("message"))
    if message.get("role") == "error":
        return ServerError(_text(message.get("content")) or "the role of the message is 'error'")
    return None if document.get("choices") else _server_error(document)


def _first_choice(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise NotAReply("the reply is JSON, but not an object")
    if (choice := first_choice(document)) is not None:
        return choice
    raise NotAReply("the reply has no choices")


def _said(choice: dict[str, Any]) -> str | None:
    """The text of a choice: of its message, or from fields of older or careless servers; None if there is none."""
    message = choice.get("message")
    delta = _mapping(choice.get("delta"))
    alone = message if isinstance(message, str) else None
    places = (_mapping(message).get("content"), alone, choice.get("text"), delta.get("content"), choice.get("content"))
    text = next((name for name in map(_text, places) if name is not None), None)
    refusal = _mapping(message).get("refusal")
    return refusal if text is None and isinstance(refusal, str) else text


def _finish_of(choice: dict[str, Any]) -> str:
    """The reason why the reply ended: the model's own, if a router reports completion and the model does not."""
    finish, native = _finish(choice.get("finish_reason")), choice.get("native_finish_reason")
    if isinstance(native, str) and is_complete(finish) and not is_complete(native):
        return native
    return finish


def _finish(reason: Any) -> str:
    """Why the reply ended, in a word; SGLang sends an object. Other values than texts are kept unchanged."""
    reason = _mapping(reason).get("type", reason)
    return reason if isinstance(reason, str) else "" if reason is None else json.dumps(reason)


def _is_in_words(reason: Any) -> bool:
    return isinstance(_mapping(reason).get("type", reason), str)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: Any) -> str | None:
    """Content as text: a string, a part with a text, or a list of these; parts that hold thoughts have none."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(filter(None, map(_part, content)))
    return _part(content)


def _part(part: Any) -> str | None:
    text = part if isinstance(part, str) else _mapping(part).get("text")
    return text if isinstance(text, str) and _mapping(part).get("type") not in _THOUGHTS else None


def _thoughts(message: dict[str, Any]) -> list[str]:
    """The thoughts that the server sends in separate fields; once if two fields are equal."""
    results = [message.get("reasoning_content"), message.get("reasoning")]
    content = message.get("content")
    for part in map(_mapping, content if isinstance(content, list) else ()):
        if part.get("type") in _THOUGHTS:
            results += [_text(part.get(name)) for name in ("thinking", "reasoning", "text")]
    return list(dict.fromkeys(thought for thought in results if isinstance(thought, str)))


def _first_token(choice: dict[str, Any], *keys: str) -> tuple[tuple[str, float], ...]:
    """Alternatives of the first token with their log-probabilities, if the server sends them."""
    results = _mapping(choice.get("logprobs")).get("content")
    first = _mapping(results[0]) if isinstance(results, list) and results else {}
    listed = first.get("top_logprobs")
    each = map(_mapping, listed if isinstance(listed, list) else ())
    return alternatives(((entry.get("token"), entry.get("logprob")) for entry in each), *keys)


def _usage(usage: dict[str, Any], price_in: float, price_out: float) -> Usage:
    tokens_in, tokens_out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    return Usage(tokens_in, tokens_out, (tokens_in * price_in + tokens_out * price_out) / 1e6)


def _count(value: Any) -> int:
    """A number of tokens; 0 if it is missing or impossible."""
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else 0
