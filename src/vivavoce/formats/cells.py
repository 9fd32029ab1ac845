"""Texts as cells of a spreadsheet, safe from being run as formulas and from steering a terminal."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
"""Text that a spreadsheet program may run as a formula, also after our apostrophes."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2400-\u2426]")
"""Control characters except tabs and line ends, and pictures of them, which would be ambiguous."""
_PICTURE = re.compile("\u2426([@-_\u2400-\u2426])|[\u2400-\u241f\u2421]")


def pictured(text: str) -> str:
    """Replace control characters, except tabs and line ends, by pictures; `unpictured` reverses this.

    Those beyond ASCII have no picture: each becomes U+2426 and the letter of its escape sequence in ASCII.

    >>> pictured("a\\x1b[2J\\x9bb"), pictured("two\\r\\nlines")
    ('a\N{SYMBOL FOR ESCAPE}[2J\N{SYMBOL FOR SUBSTITUTE FORM TWO}[b', 'two\\r\\nlines')
    """
    return _CONTROL.sub(lambda match: _picture(ord(match[0])), text)


def unpictured(text: str) -> str:
    """Replace pictures by the control characters that they show.

    >>> unpictured(pictured("a\\x1b[2J\\x9bb"))
    'a\\x1b[2J\\x9bb'
    """
    return _PICTURE.sub(lambda match: _control(match[0], match[1]), text)


def _picture(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"\u2426{chr(code - 0x40) if code < 0xA0 else chr(code)}"


def _control(picture: str, marked: str | None) -> str:
    if marked is not None:
        return marked if marked >= "\u2400" else chr(ord(marked) + 0x40)
    return "\x7f" if picture == "\u2421" else chr(ord(picture) - 0x2400)


def guarded(text: str) -> str:
    """The text, `pictured`, with an apostrophe before a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("Will it rain?")
    ("'=1+1", "''=1+1", 'Will it rain?')
    """
    text = pictured(text)
    return f"'{text}" if _FORMULA.match(text) else text


def guarded_text(text: str) -> str:
    """Like `guarded`, but plain numbers stay as they are.

    >>> guarded_text("-0.5"), guarded_text("+1e3"), guarded_text("-2+3"), guarded_text("@SUM(A1)")
    ('-0.5', '+1e3', "'-2+3", "'@SUM(A1)")
    """
    return text if _NUMBER.fullmatch(text) else guarded(text)


def unguarded(cell: str) -> str:
    """The original text of a cell: reverses `guarded`, and keeps other apostrophes.

    >>> unguarded("'=1+1"), unguarded("'Tis so?")
    ('=1+1', "'Tis so?")
    """
    return unpictured(cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell)
