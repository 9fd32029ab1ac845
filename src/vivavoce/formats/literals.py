"""Parses lists and dictionaries as Python, NumPy and JSON write them, without running code."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from vivavoce.errors import BadInput

DEEPEST: Final = 8
"""Depth of nested lists."""
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<string>[bru]?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))"
    r"|(?P<kind>,\s*dtype=[\w.'<>|]+(?=\)))"
    r"|(?P<sign>[\[\](){},:])"
    r"|(?P<open>(?:np\.|numpy\.)?array\()"
    r"|(?P<cut>\.\.\.|…)"
    r"|(?P<word>[^\s\[\](){},:'\"]+))",
    re.DOTALL,
)
_CLOSES: Final = {"[": "]", "(": ")", "{": "}"}
_WORDS: Final = {
    "True": True, "true": True, "False": False, "false": False,
    "None": None, "null": None, "nan": None, "NaN": None, "<NA>": None,
}  # fmt: skip
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def literal_of(text: str) -> Any:
    r"""Parse a list, a tuple, a set or a dictionary. Commas may be missing, as in NumPy's output.

    Raises `BadInput` for anything else, and for a text that is cut short or too deep.

    >>> literal_of("['Rome', 'Roma']"), literal_of("['Rome' 'Roma']"), literal_of("[0.5 1. ]")
    (['Rome', 'Roma'], ['Rome', 'Roma'], [0.5, 1.0])
    >>> literal_of("{'text': array(['Milan', 'Rome'], dtype=object), 'label': ['A', 'B']}")
    {'text': ['Milan', 'Rome'], 'label': ['A', 'B']}
    """
    reader = _LiteralReader(text)
    value = reader.value(0)
    if reader.peek() is not None:
        raise reader.wrong()
    return value


class _LiteralReader:
    """Parses one value after another."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text.rstrip(), 0

    def wrong(self) -> BadInput:
        shown = self._text[self._place : self._place + 40].strip()
        return BadInput(f"not a readable list, at {shown!r}" if shown else "a list that is never closed")

    def peek(self) -> re.Match[str] | None:
        """The next token; None at the end."""
        if self._place >= len(self._text):
            return None
        token = _TOKEN.match(self._text, self._place)
        if token is None:
            raise self.wrong()
        if token["cut"]:
            raise BadInput("cut off ('...'): write all of it")
        return token

    def value(self, depth: int) -> Any:
        token = self.peek()
        if token is None or depth > DEEPEST:
            raise self.wrong()
        self._place = token.end()
        if token["string"]:
            return _string(token["string"])
        if token["open"]:
            inside = self.value(depth + 1)
            self._skip("kind")
            self._expect(")")
            return inside
        if token["sign"] in _CLOSES:
            return self._inside(_CLOSES[token["sign"]], depth + 1)
        if token["word"] in _WORDS:
            return _WORDS[token["word"]]
        if token["word"] and _NUMBER.fullmatch(token["word"]) and len(token["word"]) < 400:
            return int(token["word"]) if token["word"].lstrip("+-").isdecimal() else float(token["word"])
        self._place = token.start()
        raise self.wrong()

    def _inside(self, closing: str, depth: int) -> Any:
        items: list[Any] = []
        pairs: dict[str, Any] = {}
        while (token := self.peek()) is not None and token["sign"] != closing:
            item = self.value(depth)
            if closing == "}" and self._skip(":"):
                pairs[str(item)] = self.value(depth)
            else:
                items.append(item)
            self._skip(",")
        self._expect(closing)
        if items and pairs:
            raise self.wrong()
        return pairs if pairs or (closing == "}" and not items) else items

    def _skip(self, what: str) -> bool:
        token = self.peek()
        if token is not None and (token["sign"] == what or (what == "kind" and token["kind"])):
            self._place = token.end()
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._skip(sign):
            raise self.wrong()


def _string(written: str) -> str:
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError):
        value = written[1:-1]  # a line break within quotation marks, as in NumPy's output
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
