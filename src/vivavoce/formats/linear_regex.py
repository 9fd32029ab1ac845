r"""Runs regular expressions from other tools in linear time, in their own dialect (RE2; extra `task-files`).

It refuses what RE2 lacks: lookaround and backreferences. Remaining differences: `\b`, and `\W` and `\S` in brackets, know ASCII
characters only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.yaml_file import EXTRA

Dialect = Literal["python", "javascript"]
LONGEST: Final = 2_000
"""Characters of a pattern."""
_PIECE: Final = re.compile(r"\\.|\[\^?\]?|\{,\d*\}|.", re.DOTALL)
_SPACES: Final = r"\s\x0b\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_JS_SPACES: Final = r"\s\x0b\x{a0}\x{feff}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_CLASSES: Final = {
    "python": {"\\d": r"\p{Nd}", "\\w": r"\p{L}\p{N}_", "\\s": _SPACES},
    "javascript": {"\\s": _JS_SPACES},
}
"""Contents of character classes, for brackets, if they contain more than in RE2."""
_OTHERS: Final = {
    "python": {"\\Z": r"\z", "$": r"(?:\n?\z)"},
    "javascript": {".": r"[^\n\r\x{2028}\x{2029}]", "\\/": "/", "\\-": "-"},
}


@lru_cache(maxsize=1024)
def linear(pattern: str, dialect: Dialect, *, ignore_case: bool = False) -> Any:
    r"""The pattern, with `search`, `findall` and `sub` as in `re`.

    Raises `BadInput` for one that is none, or that cannot be run in linear time, and `MissingExtra`.

    >>> linear(r"(?:is|are) (\d+)\s*$", "python").findall("They are 12 \n")
    ['12']
    >>> linear(r"(a)\1", "python")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the pattern '(a)\\1' cannot be run in linear time (invalid escape sequence: \1): ...
    """
    if find_spec("re2") is None:
        raise MissingExtra("re2", extra=EXTRA)
    shown = f"the pattern {pattern[:80]!r}"
    if len(pattern) > LONGEST:
        raise BadInput(f"{shown} has {len(pattern):,} characters: at most {LONGEST:,}")
    if dialect == "python":
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise BadInput(f"{shown} is not valid: {error}") from None
    re2: Any = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(_translated(pattern, dialect).encode(errors="replace").decode(), options)
    except re2.error as error:
        text = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error.args[0])
        raise BadInput(
            f"{shown} cannot be run in linear time ({text[:80]}): write it without lookaround and backreferences"
        ) from None


def _translated(pattern: str, dialect: Dialect) -> str:
    """The pattern in RE2's syntax."""
    classes, others = _CLASSES[dialect], _OTHERS[dialect]
    inside, texts = False, []
    for piece in _PIECE.findall(pattern):
        if inside:
            inside = piece != "]"
            texts.append(classes.get(piece, "\\[" if piece.startswith("[") else piece))
        elif piece.startswith("["):
            inside = True
            texts.append(piece.replace("]", "\\]"))
        elif piece.startswith("{,") and dialect == "python":
            texts.append("{0" + piece[1:])
        elif piece.lower() in classes:
            negated = "^" if piece.isupper() else ""
            texts.append(f"[{negated}{classes[piece.lower()]}]")
        else:
            texts.append(others.get(piece, piece))
    return "".join(texts)
