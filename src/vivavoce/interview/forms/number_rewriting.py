"""Numbers in one spelling: signs as a hyphen, fractions of LaTeX with a slash, decimal points, labels as "Answer:"."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from vivavoce.formats.numbers import CURRENCY, without_separators

_CALCULATION = re.compile(r"<<[^<>\n]{0,200}>>")
_LABEL = re.compile(r"^[ \t]*(?:####|A:)[ \t]*(?=[-–—+.\d])", re.MULTILINE)
_OPTIONS = re.compile(r"^[ \t]*B:", re.MULTILINE)
_BRACED = re.compile(r"\^\{\s?([-+]?\d{1,3})\s?\}")
_FRACTION = re.compile(r"(?:(\d)[ ]?)?\\[dtc]?frac\s?(?:\{\s?(-?)\s?(\d{1,100})\s?\}\s?\{\s?(\d{1,100})\s?\}|()(\d)\s?(\d))")
_ARROW = re.compile(r"[-=]{1,2}>|→|⇒|⟹|⟶")
_LEADING_DASH = re.compile(rf"(?:^|(?<=[\s(\[:=\"']))[–—](?=[.(]?\d|{CURRENCY}\s?\d)", re.MULTILINE)
_SIGN_WORD = re.compile(
    r"(?<![\w)%])(?<!\d )(?:minus|negative|neg\.|(?:(?<!\w )|(?<=\bis )|(?<=\best )|(?<=\bes )|(?<=\b[éè] ))(?:moins"
    r"|menos|meno)|mínus|мінус|минус|eksi|negativ|負の|负|マイナス|마이너스)\s?"
    rf"(?=(?:{CURRENCY}\s?)?\.?\d)",
    re.IGNORECASE,
)
_NEGATED_BRACKETS = re.compile(r"-\s?\(\s?(-?)\s?([\d.,/ ]{1,100})\s?\)")
_CONTINENTAL = re.compile(r"(?<![\w.,])(\d{1,3}(?:(?:\.\d{3}){1,30}|(?:[ ']\d{3}){1,30})),(\d{1,100})(?![\w,]|\.\d)")
_ASIDE = re.compile(
    r"(?:^|(?<=\s))[-–—]{1,3} [a-z]{2,20}(?: [a-z]{1,20}){1,6} [-–—]{1,3} (?=[\d-])", re.IGNORECASE | re.MULTILINE
)
"""What stands between dashes before a number."""
_MINUS = re.compile(r"(?<!\w)(?:\{[-–]\}|[➖˗─⁃ー−][\ufe0e\ufe0f]?)\s?(?=\.?\d)")
_LOWERED = re.compile(r"(?<=\d)([₀-₉]{1,5})")
_AFTER_COPULA = re.compile(r"(?<=[是为為])(?=\d)")
_HIGHLIGHT = re.compile(r"==([^=\n]{1,100})==|<\s?([-+]?\d[\d.,/]{0,100}%?)\s?>")
_LIMIT = re.compile(r"\b(m[aá]x|m[ií]n|mind|höchst)\.\s?(?=\d)", re.IGNORECASE)
_ABOUT = re.compile(r"\b(?:approx|appr|ca|circa|abt)\.\s?(?=\d|[-+$€£]\d)|[~≈](?=\s?\d)", re.IGNORECASE)
_RUPEES: Final = re.compile(r"\bRs\.?\s?(?=\d)")
_NUMBERED = re.compile(r"\b(?:No|Nr|Nos|Fig|Figs|Eq|Eqs|Sec|Ch|Vol|Art|pp?|v|ver)\.\s?(?=\d)", re.IGNORECASE)


def rewritten(text: str) -> str:
    """A plain text with its numbers in one spelling.

    >>> [rewritten(said) for said in ("–5", "minus 5", "\\\\dfrac{1}{2}", "1.234,5", "10^{3}", "#### 7", "-(-1/2)", "3 – 4")]
    ['-5', '-5', '1/2', '1234.5', '10^3', 'Answer: 7', '1/2', '3 – 4']
    """
    text = _CALCULATION.sub("", unescape(text) if "&" in text else text)
    if not _OPTIONS.search(text):
        text = _LABEL.sub("Answer: ", text)
    if "\\" in text or "^" in text:
        text = _FRACTION.sub(_with_slash, _BRACED.sub(r"^\1", text)).replace("^°", "°")
    text = _LIMIT.sub(r"\1 ", _HIGHLIGHT.sub(lambda found: found[1] or found[2], text))
    text = _MINUS.sub("-", _ASIDE.sub("", _AFTER_COPULA.sub(" ", text)))
    text = _ABOUT.sub("about ", _NUMBERED.sub("no ", _RUPEES.sub("", _ARROW.sub("=", text))))
    text = _SIGN_WORD.sub("-", _LEADING_DASH.sub("-", text))
    text = _CONTINENTAL.sub(lambda found: f"{without_separators(found[1].replace('.', ''))}.{found[2]}", text)
    return _NEGATED_BRACKETS.sub(lambda found: f"{'' if found[1] else '-'}{found[2].strip()}", text)


def lowered(text: str) -> str:
    """A text whose lowered digits are no digits of the number before them.

    >>> lowered("101₂")
    '101_₂'
    """
    return _LOWERED.sub(lambda found: f"_{found[1]}", text)


def _with_slash(found: re.Match[str]) -> str:
    over, under = (found[3], found[4]) if found[3] else (found[6], found[7])
    units = f"{found[1]} " if found[1] else ""
    return f"{units}{found[2] or ''}{over}/{under}"
