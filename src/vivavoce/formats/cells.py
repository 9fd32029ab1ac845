"""Texts as cells of a spreadsheet, safe from being run as formulas."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
"""What a spreadsheet program may run instead of showing it, perhaps behind apostrophes of ours."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def guarded(text: str) -> str:
    """The text with an apostrophe before what would be a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("Will it rain?")
    ("'=1+1", "''=1+1", 'Will it rain?')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def guarded_text(text: str) -> str:
    """The same, but what is a number as it stands stays one.

    >>> guarded_text("-0.5"), guarded_text("+1e3"), guarded_text("-2+3"), guarded_text("@SUM(A1)")
    ('-0.5', '+1e3', "'-2+3", "'@SUM(A1)")
    """
    return text if _NUMBER.fullmatch(text) else guarded(text)


def unguarded(cell: str) -> str:
    """The text that a cell stands for; undoes `guarded`, and leaves other apostrophes alone.

    >>> unguarded("'=1+1"), unguarded("'Tis so?")
    ('=1+1', "'Tis so?")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
