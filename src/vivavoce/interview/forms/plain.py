"""A reply without its dress: markdown, LaTeX, the many shapes of one mark."""

from __future__ import annotations

import re
from typing import Final

from vivavoce.interview.forms.form import READ

AROUND: Final = " \t\r\n.,:;!?*_`\"'"
"""What may stand around an answer and is no part of it."""
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|rm|bf)\s{0,2}\{([^{}]{0,300})\}")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,2}\{([^{}]{0,300})\}")
_NOISE = re.compile(r"\*\*|`|\$|\\[()\[\],!;]|^[ \t]{0,4}\"", re.MULTILINE)
_SPACED_THOUSANDS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3})")


def fold(text: str) -> str:
    """A text as it is compared: case, white space, marks around it and the shape of apostrophes do not matter.

    >>> fold(' **Marie  Curie.** ') == fold("marie curie")
    True
    """
    flat = " ".join(text.casefold().replace("’", "'").split())
    return flat.strip(AROUND) or flat


def plain(reply: str) -> str:
    """The end of a reply without markdown and LaTeX; a boxed answer becomes a statement on a line of its own."""
    text = reply[-READ:].replace("’", "'").replace("：", ":").replace("−", "-").replace("{,}", ",")
    text = _BOXED.sub(r"\nAnswer: \1\n", _LATEX_TEXT.sub(r"\1", text))
    return _SPACED_THOUSANDS.sub(",", _NOISE.sub("", text))


def lines(text: str) -> list[str]:
    """The lines that are not empty, without white space and emphasis around them."""
    stripped = (line.strip().strip("*_").strip() for line in text.splitlines())
    return [line for line in stripped if line]
