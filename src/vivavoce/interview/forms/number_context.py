"""Words around a number that show it is not an answer: bounds, negations, names, dates, sums left undone."""

from __future__ import annotations

import re
from typing import Final

from vivavoce.interview.forms.spelled_numbers import A_SIZE, SPELLED

BOUND: Final = "states a bound, a range or what it is not"
PART: Final = "the number is part of something else"
UNDONE: Final = "states a sum that is left undone"
UNCLEAR: Final = "leaves open how much the number is"

_NEAR: Final = 100
"""How many characters on either side of a number are looked at for what belongs to it."""
_CLAUSE: Final = 400
"""How many characters before it are looked at for a negation."""
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:at (?:the )?(?:very )?(?:least|most|minimum|maximum|best|worst)"
    r"|(?:more|less|fewer|greater|larger|higher|lower|smaller|bigger|longer|shorter|older|younger|better|worse) than"
    r"(?: or equal to)?|(?<!left )over|under|above|below|beyond|exceed(?:s|ed|ing)?|within|upwards? of|down to"
    r"|(?<!add )(?<!adds )(?<!added )(?<!adding )(?<!sum )(?<!sums )(?<!comes )up to|as (?:many|much|few|little|low|high) as"
    r"|(?:a )?(?:minimum|maximum|max|min)(?: of)?|almost|nearly|approaching|between|from|anything but|all but|plus or minus"
    r"|mindestens|höchstens|(?:mehr|weniger) als|über|unter|fast|bis(?: zu)?|zwischen|au (?:moins|plus)|(?:plus|moins) de"
    r"|jusqu'à"
    r"|entre|al menos|(?:más|menos) de|hasta|almeno|(?:più|meno) di|fino a|pelo menos|mais de|até|minstens|(?:meer|minder) dan"
    r"|hoogstens|tot)|[<>≤≥≠±∓~≲≳]\s?[<>=]?|\+/-)\s?(?:(?:the|a|an|about|around|some|only)\s)?[(\s]*$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"^\s?\+(?!\s?[\d(])|^\s?(?:plus\b|(?:\w+\s)?(?:minimum|maximum|max|tops)\b\W*$)"
    r"|\b(?:or (?:more|less|fewer|higher|lower|greater|above|below|over|under|later|earlier|so|thereabouts)"
    r"|and (?:more|up|upwards?|above|over|below)|at (?:least|most)|oder mehr|ou plus|o más)\b|[<>≤≥≠±∓]",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"\b(?:not|never|neither|nor|cannot|no longer|other than|except|without|rather than|instead of|wrong|incorrect|nicht"
    r"|kein\w{0,2}"
    r"|pas|non|nunca|jamais|nie|niet|geen)\b|n't\b",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(
    r"^\W*(?:\w+\W+){0,2}?(?:(?:is|are|was|were|seems) (?:not|never)|(?:is|are|was|were)n't)\W*"
    r"(?:$|(?:the|an?|my|it|right|correct|true|possible|enough|valid)\b)|\b(?:is|are|was|were|be|seems) (?:too|wrong"
    r"|incorrect|false)\b"
    r"|^\W*(?:wrong|incorrect)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|may|could|either|or|whether|if|unless|depending|vielleicht|peut-être|quizás|forse)\b",
    re.I,
)
_LABEL = re.compile(
    r"\b(?:sections?|chapters?|steps?|pages?|pp?\.|eqs?\.?|equations?|questions?|problems?|exercises?|fig\.?|figures?"
    r"|tables?|rules?"
    r"|articles?|lines?|items?|no\.?|nr\.?|nos\.?|(?<!the )number|versions?|ver|v|routes?|highway|interstate|rooms?|floor"
    r"|gate|flight"
    r"|platform|bus|codes?|errors?|status|https?|options?|choice|parts?|volume|vol\.?|verse|appendix|notes?|footnote"
    r"|clause|paragraph"
    r"|law|act|class|grade|level|phase|stage|season|episode|day|week|group|team|player|agent|user|id|reference|ref\.?"
    r"|cases?|call"
    r"|dial|text|phone|press|channel|area|zone|block|lot|unit|apartment|apt\.?|box|row|column|slide|lesson|module|task"
    r"|test|attempt"
    r"|round|theorem|lemma|definition|proposition|corollary|examples?|sample|port|formula|point|layer|model|sin|cos|tan"
    r"|log|ln|exp"
    r"|sqrt|mod|root|confidence|certainty)\s?[:(#]?\s?$",
    re.IGNORECASE,
)
"""A word by which things are numbered or a function is named, right before a number."""
_OF = re.compile(
    r"\b(?:roots?|log(?:arithm)?s?|sine|cosine|tangent|factorial|squares?|cubes?|percent|hal(?:f|ves)|thirds?|quarters?"
    r"|double|triple|reciprocal|opposite|inverse|negative|multiples?|factors?|powers?|product|sum|difference"
    r"|%) of\s$|\b(?:twice|half|thrice)\s$",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:until|till|since|as of|prior to|before|after) (?:the year |year |early |late )?$", re.IGNORECASE)
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-zä]{0,7}\.?"
_MONTH_BEFORE = re.compile(rf"\b{_MONTH}\s$", re.IGNORECASE)
_TIME_OR_DATE_AFTER = re.compile(
    rf"^\s?(?:(?:st|nd|rd|th)\b|[ap]\.?m\b|o'clock|uhr\b|(?:of )?{_MONTH}(?![a-z]))", re.IGNORECASE
)
_LAST_WORD = re.compile(r"([^\s(\[\"']{1,40})\s$")
_SUM_BEFORE = re.compile(r"[-+*/×·÷^√∛–—\\{]\s?[({]?$|\w\($|(?:^|\s)[-–—]\s$")
_SUM_AFTER = re.compile(
    r"^\s?(?:[-–—+*×·÷^√\\]\s?[\d(.\w√π\\]|/\s?[\d(]|x\s?[\d(]|(?:π|√|pi\b|e\^|mod\b)|(?:times|divided by|plus|minus)\s[\d(])"
    r"|^[(\[]"
)
_PART_OF_ONE: Final = (
    r"(?:hal(?:f|ves)|thirds?|quarters?|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand|million)ths?)\b(?!-)"
)
_AND_A_PART = re.compile(rf"^\s(?:and (?:an?|one|two|three|\d) )?{_PART_OF_ONE}", re.IGNORECASE)
_ANOTHER_AFTER = re.compile(
    rf"^\s?(?:out of|of|in|and|to|or|-|point)\s?(?:{SPELLED.pattern})|^\s(?:{SPELLED.pattern})", re.IGNORECASE
)
_LEADING_WORDS: Final = (
    "a about all also altogether and approx approximately are around at be but by circa costs equal equals exactly "
    "finally for gets gives has have hence i'd i'm in is it's just leaves makes me of on only once overall result say "
    "so still sum that that's the then there there's these they're therefore this those thus total was we were will "
    "yes you'll ca answer correct ok okay to with euro euros"
)
_FUNCTION_WORDS: Final = frozenset(_LEADING_WORDS.split())
"""Words that may stand right before a number that they do not name."""


def problem_before(before: str, number: str = "") -> str:
    """Why a number behind these words of its clause is no answer; empty if it may be one.

    >>> [problem_before(words) for words in ("x is at least ", "Boeing ", "The least number is ", "Exactly ")]
    ['states a bound, a range or what it is not', 'the number is part of something else', '', '']
    """
    before = before[-_CLAUSE:]
    near = before[-_NEAR:]
    if _BOUND_BEFORE.search(near) or _NOT_BEFORE.search(before) or _OPEN.search(before):
        return BOUND
    if "\\" in before or _SUM_BEFORE.search(near) or _OF.search(near):
        return UNDONE
    if _LABEL.search(near) or _MONTH_BEFORE.search(near) or (_YEAR.fullmatch(number) and _SINCE.search(near)):
        return PART
    word = _LAST_WORD.search(near)
    return PART if word and _is_name(word[1]) else ""


def problem_after(after: str, number: str = "") -> str:
    """Why a number before these words of its clause is no answer; empty if it may be one.

    >>> [problem_after(words) for words in (" or more", " and a half", " km")]
    ['states a bound, a range or what it is not', 'leaves open how much the number is', '']
    """
    near = after[:_NEAR]
    if _BOUND_AFTER.search(near) or _NOT_AFTER.search(near) or _OPEN.search(near):
        return BOUND
    if _SUM_AFTER.search(near):
        return UNDONE
    of_coins = near.startswith(" quarters") and number[-2:].isdecimal()
    if (
        (_AND_A_PART.search(near) and not of_coins)
        or A_SIZE.search(near)
        or _ANOTHER_AFTER.search(near)
        or "below zero" in near
    ):
        return UNCLEAR
    return PART if _TIME_OR_DATE_AFTER.search(near) or near.startswith("-") else ""


def _is_name(word: str) -> bool:
    """Whether a number behind this word numbers it: Boeing 747, Q3 2024; not: Exactly 42, Total: 42."""
    bare = word.lower()
    if re.search(r"\d", word):
        return True
    return any(map(str.isupper, word)) and word[-1].isalnum() and bare not in _FUNCTION_WORDS and not bare.endswith("ly")
