"""Numbers as people write them: sign, thousands' commas, decimals, exponent."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

NUMBER: Final = re.compile(
    r"(?<![\w.,)])(?:[-+]\s?)?(?:(?:\d{1,3}(?:,\d{3}){1,30}|\d{1,100})(?:\.\d{1,100})?|\.\d{1,100})(?:[eE][-+]?\d{1,3})?"
    r"(?!\w|[.,]\d)"
)
"""One number, with nothing of a word or of another number on either side."""


def as_number(text: str) -> Decimal | None:
    """The exact value of a number as people write it; None if it is none.

    >>> as_number("-1,234.50") == Decimal("-1234.5"), as_number("a dozen")
    (True, None)
    """
    text = text.strip().replace("−", "-")
    return Decimal(re.sub(r"[,\s]", "", text)) if text.isascii() and NUMBER.fullmatch(text) else None
