"""The JSON document in a body, however the server framed it: with a byte order mark, or as a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vivavoce.candidates.text import quoted

_END: Final = "[DONE]"
_FIELDS: Final = ("event:", "id:", "retry:", ":")
"""How lines of an event stream begin that hold no data."""
_PARTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
"""What the pieces of a streamed message are joined to."""
_decoder = json.JSONDecoder(strict=False)  # some servers leave line breaks in strings as they are


class NotAReply(ValueError):
    """The body does not follow the protocol; the text says how."""


def document_in(body: bytes, *keys: str) -> Any:
    """The document; the pieces of a stream are joined into one. Raises `NotAReply`, without the keys.

    >>> document_in(b'\\xef\\xbb\\xbf{"choices": []}')
    {'choices': []}
    >>> document_in(b'data: {"choices": [{"delta": {"content": "4"}}]}\\n\\ndata: [DONE]\\n')["choices"]
    [{'message': {'content': '4'}, 'finish_reason': None}]
    """
    try:
        text = body.decode(json.detect_encoding(body))
    except UnicodeDecodeError:
        raise NotAReply("the reply is not valid UTF-8") from None
    try:
        return _decoder.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        found = list(_documents(text))
    except (ValueError, RecursionError):
        found = []
    documents = [document for document in found if document != _END]
    if not documents:
        raise NotAReply(f"the reply is not JSON, it begins: {quoted(text, *keys)}")
    if len(documents) == 1 and not _is_piece(documents[0]):
        return documents[0]
    return _joined(documents, ended=_END in found)


def _documents(text: str) -> Iterator[Any]:
    """The documents of an event stream, or one after the other; the end mark as it is. Raises `ValueError`."""
    plain: list[str] = []
    for line in text.splitlines():
        if line.startswith("data:"):
            yield from _one_by_one("\n".join(plain))
            plain = []
            yield from _one_by_one(line.removeprefix("data:"))
        elif not line.startswith(_FIELDS):
            plain.append(line)
    yield from _one_by_one("\n".join(plain))


def _one_by_one(text: str) -> Iterator[Any]:
    while text := text.strip():
        if text.startswith(_END):
            yield _END
            text = text.removeprefix(_END)
        else:
            document, end = _decoder.raw_decode(text)
            yield document
            text = text[end:]


def _is_piece(document: Any) -> bool:
    choice = _first_choice(document)
    return "delta" in choice and "message" not in choice


def _first_choice(document: Any) -> dict[str, Any]:
    choices = document.get("choices") if isinstance(document, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _joined(documents: Sequence[Any], *, ended: bool) -> Any:
    """One document of a stream's pieces, or the error among them. Raises `NotAReply` for a stream that was cut off."""
    message: dict[str, str] = {}
    whole: dict[str, Any] = {}
    finish = None
    for document in documents:
        if not isinstance(document, dict):
            raise NotAReply("the reply is a stream of something else than objects")
        if document.get("error") or (choice := _first_choice(document)).get("error"):
            return document
        if "message" in choice:
            raise NotAReply("the reply holds several documents")
        delta = choice.get("delta")
        for name in _PARTS:
            if isinstance(delta, dict) and isinstance(piece := delta.get(name), str):
                message[name] = message.get(name, "") + piece
        finish = choice.get("finish_reason") or finish
        whole |= {name: document[name] for name in ("model", "usage") if document.get(name)}
    if not ended and finish is None:
        raise NotAReply("the stream of the reply was cut off")
    return whole | {"choices": [{"message": message, "finish_reason": finish}]}
