"""Questions as they are shown to respondents: plain text, whatever marks stand in them."""

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = re.compile(r"[ \t]*<\s*br\s*/?\s*>", re.IGNORECASE)
_MARK: Final = re.compile(r"<\s*/?\s*(?:b|i|u|em|strong)\s*>", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_GAP: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def plain(text: str) -> str:
    r"""A question or an answer without the marks of its data set: `<br>` ends a line, `<b>` and its like are left out.

    What is left is text, and is escaped as such where it is shown. Other marks stay as they are written, for a question may be
    about them.

    >>> plain("<b>Which tag makes a link?<br></b>(A) <a><br/>(B) <link>")
    'Which tag makes a link?\n(A) <a>\n(B) <link>'
    >>> plain("Is 1 <b and c> 2?"), plain("<script>alert(1)</script>")
    ('Is 1 <b and c> 2?', '<script>alert(1)</script>')
    """
    lines = _BREAK.sub("\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _GAP.sub("\n\n", visible(_MARK.sub("", lines))).strip()


def visible(text: str) -> str:
    r"""A text as it stands, with a space for what cannot be shown.

    >>> visible("<b>1\x00</b>\r\n2")
    '<b>1 </b>\n2'
    """
    return _UNSEEN.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
