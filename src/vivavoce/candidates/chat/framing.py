"""Extracts the JSON document from a body, also with a byte order mark or as a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vivavoce.candidates.text import quoted

_END: Final = "[DONE]"
_FIELDS: Final = ("event:", "id:", "retry:", ":")
"""Prefixes of lines in an event stream without data."""
_PARTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
"""Fields whose pieces in a stream are joined."""
_CHARSET: Final = re.compile(
    r"\bcharset\s*=\s*[\"']?(iso-8859-\d+|latin-?1|us-ascii|(?:windows-|cp)125\d|koi8-[ru]|gbk|gb2312|gb18030|big5"
    r"|shift_jis|euc-(?:jp|kr))\b",
    re.IGNORECASE,
)
"""Encodings other than Unicode that a server may declare."""
_decoder = json.JSONDecoder(strict=False)  # some servers leave line breaks in strings as they are


class NotAReply(ValueError):
    """The body does not follow the protocol; the message says how."""


def in_unicode(body: bytes, content_type: str) -> bytes:
    """The body in Unicode; one in another encoding is read as the server declares it.

    >>> in_unicode("Voilà".encode("latin-1"), "application/json; charset=iso-8859-1").decode()
    'Voilà'
    """
    declared = _CHARSET.search(content_type)
    if declared is None:
        return body
    try:
        body.decode(json.detect_encoding(body))
    except UnicodeDecodeError:
        try:
            return body.decode(declared[1]).encode()
        except UnicodeDecodeError:
            pass
    return body


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
        results = list(_documents(text))
    except (ValueError, RecursionError):
        results = []
    documents = [document for document in results if document != _END]
    if not documents:
        if not text.strip():
            raise NotAReply("the reply is empty")
        raise NotAReply(f"the reply is not JSON, it begins: {quoted(text, *keys)}")
    if len(documents) == 1 and not _is_piece(documents[0]):
        return documents[0]
    return _joined(documents, ended=_END in results)


def _documents(text: str) -> Iterator[Any]:
    """The documents of an event stream, or of consecutive JSON texts; the end mark is kept. Raises `ValueError`."""
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
    choice = first_choice(document) or {}
    return "delta" in choice and "message" not in choice


def first_choice(document: Any) -> dict[str, Any] | None:
    """The choice with the lowest index, at any position in the list; None without any.

    >>> first_choice({"choices": [{"index": 1, "text": "b"}, {"index": 0, "text": "a"}]})
    {'index': 0, 'text': 'a'}
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    values = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
    return min(values, key=_index, default=None)


def _index(choice: dict[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def error_in(holder: dict[str, Any]) -> Any:
    """The content of a document's or a choice's error fields; None if they are empty.

    >>> error_in({"errors": []}), error_in({"errors": [{"message": "broken"}]}), error_in({"base_resp": {"status_code": 0}})
    (None, {'message': 'broken'}, None)
    """
    error = holder.get("error") or holder.get("errors")
    if isinstance(error, list) and error:
        error = error[0]
    base = holder.get("base_resp")  # MiniMax
    return error or (base if isinstance(base, dict) and base.get("status_code") else None)


def _joined(documents: Sequence[Any], *, ended: bool) -> Any:
    """Join a stream's pieces into one document, or return the error among them. Raises `NotAReply` for a stream that was
    cut off.
    """
    message: dict[str, str] = {}
    whole: dict[str, Any] = {}
    finish = native = None
    lowest = min((_index(choice) for choice in map(first_choice, documents) if choice), default=0)
    for document in documents:
        if not isinstance(document, dict):
            raise NotAReply("the reply is a stream of values that are not objects")
        choice = first_choice(document) or {}
        if error_in(document) or error_in(choice):
            return document
        if "message" in choice:
            raise NotAReply("the reply holds several documents")
        if _index(choice) != lowest:
            choice = {}
        delta = choice.get("delta")
        for name in _PARTS:
            if isinstance(delta, dict) and isinstance(piece := delta.get(name), str):
                message[name] = message.get(name, "") + piece
        finish = choice.get("finish_reason") or finish
        native = choice.get("native_finish_reason") or native
        whole |= {name: document[name] for name in ("model", "usage") if document.get(name)}
    if not ended and finish is None:
        raise NotAReply("the stream of the reply was cut off")
    ending = {"finish_reason": finish} | ({"native_finish_reason": native} if native else {})
    return whole | {"choices": [{"message": message, **ending}]}
