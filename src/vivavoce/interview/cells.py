"""Texts as cells of a spreadsheet, safe from being run as formulas."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
"""What a spreadsheet program may run instead of showing it, perhaps behind apostrophes of ours."""


def guarded(text: str) -> str:
    """The text with an apostrophe before what would be a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("Will it rain?")
    ("'=1+1", "''=1+1", 'Will it rain?')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """The text that a cell stands for; undoes `guarded`, and leaves other apostrophes alone.

    >>> unguarded("'=1+1"), unguarded("'Tis so?")
    ('=1+1', "'Tis so?")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
