"""Decides whether an unaccepted free answer is wrong: only if its possible values are closed, and a careful reader would agree.

A reply that asserts an accepted answer is right. Any other is wrong if it gives a value of the same kind (another number, the
other of yes and no, a listed wrong answer), or is a short name in the form that was asked for and resembles no accepted answer;
the latter is marked as assumed, and a verdict that rests on it says so. Everything else can't be graded by rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from vivavoce.formats.numbers import DIGITS, as_number, is_rounded
from vivavoce.interview.forms.dates_and_times import DATE_IN_DIGITS, is_month, written_times
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.number_context import is_approximate
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.same_amount import OF_TWO, may_be_same_amount
from vivavoce.interview.forms.text import stated_otherwise
from vivavoce.interview.forms.yes_no import is_yes_or_no, same_side

LONGEST_NAME: Final = 4
"""Words of a short answer that may be assumed wrong."""
_LONGEST_TERM: Final = 5
"""Words of an accepted answer that is a name or a term, not a sentence."""
_RELATED: Final = 0.7
_COMMON_LETTERS: Final = 4
_FILLER_WORDS: Final = "the a an of and in on at for to de la le el der die das von van du des di da y et und il"
_FILLERS: Final = frozenset(_FILLER_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(rf"(?<![\w.,])(?:(?<![%€$£¥] )(?<![%€$£¥])[-–−])?{DIGITS}(?!\w)")
_NOT_A_NAME = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|anything|everything|any|all|both|or|and|but|maybe|perhaps|possibly|unknown|unsure|sure"
    r"|depends?|other|another|except|unlike|opposite|various|several|many|it|this|that|they|you|we|i|see|above|below|error|sorry"
    r"|can't|cannot|don't|n/a|null|yes|certainly|correct|ok|okay|answer|here|there|same|placeholder|your|my|name|text)\b|[?/|=<>{}\[\]…]",
    re.IGNORECASE,
)
_COMMON_WORDS: Final = """
the a an of and in on at for to is are was were be been it its this that these those i you he she we they me him her
us them my your his our their not no yes or but if so as by with from about into than then there here what which who
when where why how can could will would shall should may might must do does did has have had all any some more most
very just also only one two three first last new good best please sorry thank thanks answer question know think mean
get go make der die das den dem des ein eine einen und oder aber nicht kein ist sind war hat haben wird werden ich du
er sie es wir ihr mit von zu im am auf für bei nach aus als auch nur wie wer wo ja nein bitte le les un une et ou mais
ne pas est sont été dans sur pour par avec que qui où je tu il elle nous vous ils ce cette oui non el los las una y o
pero son fue está en con por para quien como yo su sus se lo al del sí gli uno e è sono di da per che chi più os um
uma em na não é são com het een van dat niet met voor op zijn och att det som på är inte og ikke nej ei w z nie jest
się co jak v že s и в не на я что он с это как а по
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())
"""Words that occur in almost every sentence, in some languages of Latin and Cyrillic script."""
_FEWEST_WORDS: Final = 5


_SENTENCE_END = re.compile(r"[.!;?\n]+(?:\s|$)|,\s(?=so\b|but\b|and\b)")
_LONGEST_ADMISSION: Final = 400
"""Most characters of a reply that is read as an admission."""
_DENIAL = re.compile(
    r"\b(?:not|no|never|cannot|unable|unknown|unspecified|unstated|silent|nothing|none|nowhere)\b|n't\b|n/a", re.IGNORECASE
)
_NOT: Final = r"(?:n't|\b(?:not|no|never|cannot|unable to|nowhere|nothing|none))"
_NOT_STATED = re.compile(
    rf"{_NOT}(?:\s[\w']+){{0,3}}?\s(?:sa(?:y|ys|id)|stated?|mention(?:ed|s)?|specif(?:y|ied)|know|known|inform\w*|details?|find|found"
    r"|answer(?:ed)?|tell|sure)\b|\b(?:unknown|unspecified|unstated|is silent)\b|n/a"
    rf"|{_NOT}(?:\s[\w']+){{0,3}}?\s(?:include|contain|cover|available|given|described|listed)\b.*\b(?:documents?|passages?|texts?|manual)\b"
    rf"|\b(?:documents?|passages?|texts?|manual)\b.*{_NOT}(?:\s[\w']+){{0,3}}?\s(?:include|contain|cover|give|describe|list)\b",
    re.IGNORECASE,
)
"""Words on a source, or on what one knows, that are denied themselves: "don't say", but not "say that it is not"."""
_NO_ANSWER = re.compile(
    rf"{re.escape(fold(DONT_KNOW))}|unknown|unanswerable"
    r"|(?:(?:it|this) is )?(?:unspecified|not (?:stated|specified|mentioned|given|provided))"
    r"(?: (?:in|by) the (?:document|passage|text|context|source)s?)?"
)
"""An answer, as `fold` gives it, that says that there is none."""
_POLITE = re.compile(
    r"\W*(?:so |but |and )?(?:please|sorry|i'm sorry|i am sorry|unfortunately|apologies|contact|ask|check with|let me know"
    r"|thank\w*|you (?:may|might|could|can) (?:want to )?(?:ask|contact|check)|i(?:'d| would)? (?:suggest|recommend)"
    r"|i can(?:'t|not) say)\b[^:\d]*$",
    re.IGNORECASE,
)
"""A sentence that only apologises, or names someone to ask."""


class Wrong(NamedTuple):
    """Why an answer counts as wrong."""

    why: str
    assumed: bool = False
    """Whether it is wrong only because it is short and resembles no accepted answer."""


def why_wrong(reply: str, accepted: Sequence[str], *, in_form: bool, question: str = "") -> Wrong | None:
    """Why an answer that is not an accepted one is wrong; None if a rule can't tell.

    Parameters
    ----------
    reply: the parsed answer.
    in_form: whether the reply ends in the requested line.

    >>> why_wrong("30 days", ["14 days"], in_form=True)
    Wrong(why='another number', assumed=False)
    >>> why_wrong("Lyon", ["Paris"], in_form=True).assumed, why_wrong("Holland", ["Netherlands"], in_form=True)
    (True, None)
    """
    if is_unanswerable(accepted):
        answered = in_form and not _DENIAL.search(reply)
        return Wrong("an answer, and the right one is that none is known", assumed=True) if answered else None
    if any(is_yes_or_no(answer) for answer in accepted):
        is_opposite = is_yes_or_no(reply) and not any(same_side(reply, answer) for answer in accepted)
        return Wrong("the opposite answer") if is_opposite else _gibberish(reply, [*accepted, question])
    if any(may_be_same_amount(reply, answer, question) for answer in accepted):
        return None
    if _another_number(reply, accepted):
        return Wrong("another number")
    if kind := stated_otherwise(reply, accepted, question):
        return Wrong(f"another {kind}")
    if in_form and _is_other_name(reply, accepted):
        return Wrong("a short answer that resembles no accepted one", assumed=True)
    return _gibberish(reply, [*accepted, question])


def is_unanswerable(accepted: Sequence[str]) -> bool:
    """Whether the right answer is that none is known or stated.

    >>> is_unanswerable(["I don't know"]), is_unanswerable(["Not stated in the document."]), is_unanswerable(["Not found"])
    (True, True, False)
    """
    return bool(accepted) and all(_NO_ANSWER.fullmatch(fold(answer)) for answer in accepted)


def says_that_nothing_is_stated(reply: str) -> bool:
    """Whether a reply says that its documents do not answer, and nothing else: "The policy doesn't mention trucks. Ask HR."

    >>> says_that_nothing_is_stated("There is no mention of it."), says_that_nothing_is_stated("No, you may not park there.")
    (True, False)
    """
    parts = _SENTENCE_END.split(reply[:_LONGEST_ADMISSION])
    sentences = [sentence for sentence in parts if sentence.strip()]
    admissions = [bool(_NOT_STATED.search(sentence)) for sentence in sentences]
    rest = [sentence for sentence, admits in zip(sentences, admissions, strict=True) if not admits]
    return any(admissions) and len(reply) <= _LONGEST_ADMISSION and all(map(_POLITE.match, rest))


def texts_differ(text: str, other: str, accepted: Sequence[str] = ()) -> bool | None:
    """Whether two free texts give different answers; None if a rule can't tell, since different words may mean the same.

    Parameters
    ----------
    accepted: the right answers, each of which says the same.

    >>> texts_differ("Paris", "paris."), texts_differ("30 days", "14 days"), texts_differ("Lyon", "Paris")
    (False, True, True)
    >>> texts_differ("You may return it.", "Of course you can send it back.")
    """
    first, second = fold(text), fold(other)
    right = set(map(fold, accepted))
    if first == second or (first in right and second in right):
        return False
    if is_yes_or_no(text) and is_yes_or_no(other):
        return not same_side(text, other)
    here = [text] if first not in right else list(accepted)
    there = [other] if second not in right else list(accepted)
    closed = why_wrong(text, there, in_form=True) and why_wrong(other, here, in_form=True)
    return True if closed else None


def _another_number(text: str, accepted: Sequence[str]) -> bool:
    """Whether all accepted answers are numbers with the same words, such as a unit or a month, and this one has other numbers.

    The words may be missing where there is one number. A telephone number with the code of a country may be the same one.
    """
    own = None if any("+" in words for words in (text, *accepted)) else _quantity(text)
    others = [_quantity(answer) for answer in accepted]
    if own is None or None in others or not others:
        return False
    return all(
        other is not None
        and len(own[0]) == len(other[0])
        and not all(_same(number, right, text) for number, right in zip(own[0], other[0], strict=True))
        and not (_OF_SEVERAL.search(text) and _shape(own[0]) == _shape(other[0]))
        and (own[1] == other[1] or (not own[1] and len(own[0]) == 1 and not any(map(is_month, other[1]))))
        for other in others
    )


def _same(number: str, other: str, words: str) -> bool:
    value, right = as_number(number), as_number(other)
    if value is not None and right is not None and value != right and _is_shortened(value, right, words):
        return True
    return value == right or is_rounded(number, other, roughly=is_approximate(words))


def _is_shortened(value: Fraction, right: Fraction, words: str) -> bool:
    """Whether two numbers of a span may be one: 18 in 1914-18, or 5 and 17 in opening hours."""
    low, high = sorted((value, right))
    span = re.search(r"\d\s?(?:[-–—]|to|bis)\s?\d", words) is not None
    is_year, is_hour = low < _CENTURY <= high, high <= _LAST_HOUR
    return span and ((is_year and (high - low) % _CENTURY == 0) or (is_hour and high - low == _HALF_DAY))


_CENTURY: Final = 100
_LAST_HOUR: Final = 24
_HALF_DAY: Final = 12


_OF_SEVERAL = re.compile(rf"{OF_TWO.pattern}|\d\D{{0,3}}(?:[,;\n]|\band\b).{{0,30}}\d", re.IGNORECASE | re.DOTALL)
"""Two sides, or the items of a list, in either order."""


def _shape(numbers: Sequence[str]) -> tuple[Fraction, ...]:
    """Numbers that are the same for both orders of two sides."""
    return tuple(sorted(number for text in numbers if (number := as_number(text)) is not None))


def _quantity(text: str) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """The numbers of a text and its words; None if it has none that can be compared, or is longer than a quantity or a
    date."""
    is_moment = DATE_IN_DIGITS.search(text) or written_times(text)
    numbers = [] if is_moment else [match[0] for match in _NUMBER.finditer(text)]
    words = [_stem(word) for word in _WORD.findall(_NUMBER.sub(" ", fold(text))) if word not in _FILLERS]
    if not 1 <= len(numbers) <= _MOST_NUMBERS or len(words) > _LONGEST_UNIT or _NOT_A_NAME.search(text):
        return None
    return None if None in map(as_number, numbers) else (tuple(numbers), frozenset(words))


_LONGEST_UNIT: Final = 2
_MOST_NUMBERS: Final = 3
"""Most numbers of a date: day, month and year."""


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > _COMMON_LETTERS else word


def _is_other_name(text: str, accepted: Sequence[str]) -> bool:
    """Whether a short answer has the shape of a name or term, and resembles none of the accepted ones."""
    words = _WORD.findall(text)
    if not 1 <= len(words) <= LONGEST_NAME or _NOT_A_NAME.search(text) or any(map(str.isdigit, text)):
        return False
    terms = [answer for answer in accepted if 1 <= len(_WORD.findall(answer)) <= _LONGEST_TERM]
    if len(terms) < len(accepted) or any(any(map(str.isdigit, answer)) for answer in accepted):
        return False
    return not any(_resemble(text, answer) for answer in accepted)


@lru_cache(maxsize=4096)
def _resemble(name: str, other: str) -> bool:
    """Whether two names may mean the same: a common word, initials, an abbreviation, or a near spelling.

    >>> [_resemble(*pair) for pair in (("USA", "United States of America"), ("W. A. Mozart", "Mozart"), ("Lyon", "Paris"))]
    [True, True, False]
    """
    if _script(name) != _script(other):
        return True  # a name in another script
    mine, theirs = _tokens(name), _tokens(other)
    if set(mine) & set(theirs) or _abbreviates(mine, theirs) or _abbreviates(theirs, mine):
        return True
    return any(_near(a, b) for a in (*mine, "".join(mine)) for b in (*theirs, "".join(theirs)))


def _near(name: str, other: str) -> bool:
    matcher = SequenceMatcher(None, name, other, autojunk=False)
    if matcher.find_longest_match().size >= min(_COMMON_LETTERS, len(name), len(other)) > 1:
        return True
    return matcher.ratio() >= _RELATED


def _abbreviates(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether a word consists of the initials of the others, or abbreviates one of them, like "NYC" and "Corp"."""
    joined = "".join(short)
    initials = "".join(word[0] for word in long)
    without = "".join(word[0] for word in long if word not in _FILLERS)
    if len(long) > 1 and joined in (initials, without):
        return True
    if len(joined) <= _COMMON_LETTERS and long and joined[0] == long[0][0]:
        letters = iter("".join(long))
        return all(letter in letters for letter in joined)
    return False


def _tokens(text: str) -> list[str]:
    """The words of a text without accents and articles."""
    bare = "".join(c for c in unicodedata.normalize("NFD", fold(text)) if unicodedata.category(c) != "Mn")
    return [word for word in _WORD.findall(bare) if word not in _FILLERS] or _WORD.findall(bare)


def _script(text: str) -> str:
    """The script of the first letter, as Unicode names it: LATIN, GREEK, CJK and the like."""
    letter = next((c for c in text if c.isalpha()), "")
    return unicodedata.name(letter, "").split(" ")[0] if letter else ""


def _gibberish(output: str, about: Sequence[str]) -> Wrong | None:
    """Whether a text is a series of words without a sentence: no word is common in any of many languages, in the question
    or in an accepted answer, none is a name, and it is not a list.
    """
    words = _WORD.findall(output)
    if len(words) < _FEWEST_WORDS or re.search(r"[,;:/()\d\"]|[^\x00-\x7f]", output):
        return None
    if any(word != word.lower() for word in re.sub(r"(?:^|[.!?]\s+)\w", "", output).split()):
        return None
    known = {word for text in about for word in _WORD.findall(fold(text))}
    return None if {word.lower() for word in words} & (_COMMON | known) else Wrong("words without a sentence")
