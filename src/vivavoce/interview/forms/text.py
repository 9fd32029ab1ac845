"""Reads a short text as the answer, and matches it with patterns that users write.

Values of certain kinds that a text states: times, dates, quantities, ordinal numbers, long codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from vivavoce.errors import BadInput
from vivavoce.formats.numbers import as_number, is_rounded
from vivavoce.interview.forms import ending
from vivavoce.interview.forms.asked_unit import last_question, limit_as_value, quantities, quantity_of, with_quantities_as
from vivavoce.interview.forms.assertion import DENIED, SpellingMatch, as_said, claims, find, is_contained
from vivavoce.interview.forms.dates_and_times import bound_of_span, with_dates_as, with_times_as, written_dates, written_times
from vivavoce.interview.forms.ending import read_last_line
from vivavoce.interview.forms.form import (
    ANSWER_IS,
    DONT_KNOW,
    IGNORANCE,
    NOTHING_STATED,
    SEVERAL,
    TAKEN_BACK,
    ParsedReply,
    ReplyFormat,
    admits_ignorance,
    answered,
    last_said,
    retracted,
    statements,
    unreadable,
)
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.plain import fold, lines, unwrapped
from vivavoce.interview.forms.spelled_numbers import (
    in_digits,
    ranks,
    rewritten,
    spelled_out,
    with_numbers_in_words,
    with_ranks_as,
)
from vivavoce.interview.forms.spellings import (
    alphanumeric,
    codes,
    same_but_for_article,
    same_list,
    says_opposite,
    with_codes_as,
    with_spacing_as,
    words_of,
)
from vivavoce.interview.forms.written_number import written_numbers
from vivavoce.interview.forms.yes_no import is_yes_or_no, read_yes_no, same_side

_LONGEST: Final = 200
"""Most characters of a reply that may state another value."""
_NOUN = re.compile(r"\s(\w+)")
_ROUGHLY = re.compile(r"\b(?:about|around|approximately|roughly|approx\.?|circa|ca\.)\s(?=\d)|[~≈]\s?(?=\d)", re.IGNORECASE)
"""Words of an approximate number: a reply that rounds an accepted value to itself gives it."""


class Value(NamedTuple):
    """A value with its place in a text."""

    start: int
    end: int
    value: Any


class ValueKind(NamedTuple):
    """A kind of value that people write in different ways."""

    name: str
    values: Callable[[str], list[Value]]
    differ: Callable[[Any, Any], bool]
    """Whether the value of an answer and the value of a reply are certainly not the same."""


def with_values_as(text: str, spellings: Sequence[str]) -> str:
    """A text with its values spelled as in the first of these answers that gives the same.

    >>> with_values_as("On the third floor, from half past six in the evening.", ["3rd floor", "6:30 pm"])
    'On the 3rd floor, from 6:30 pm.'
    """
    text = with_ranks_as(with_times_as(_with_days_as(text, spellings), spellings), spellings)
    if not any(map(str.isdigit, "".join(spellings))):
        return with_numbers_in_words(text, spellings)
    text = _ROUGHLY.sub("", in_digits(with_codes_as(with_dates_as(text, spellings), spellings)))
    return with_quantities_as(with_spacing_as(text, spellings), spellings)


_DAYS = re.compile(r"\b(?:(?<!\w\s)every\s)?(?P<day>(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b", re.IGNORECASE)


def _with_days_as(text: str, spellings: Sequence[str]) -> str:
    """A text with "Tuesdays" and "every Tuesday" as an answer that is this day has it."""
    known = {match["day"].lower(): spelling for spelling in spellings if (match := _DAYS.fullmatch(spelling))}
    return _DAYS.sub(lambda match: known.get(match["day"].lower(), match[0]), text) if known else text


def stated_otherwise(text: str, accepted: Sequence[str], question: str) -> str:
    """The kind of value of which a text plainly states another one than all accepted answers are, and no other; else empty.

    >>> replies = ("It closes at 8 pm.", "At 6:30.", "Not at 8 pm")
    >>> [stated_otherwise(reply, ["6:30 pm"], "When does it close?") for reply in replies]
    ['time', '', '']
    >>> stated_otherwise("It weighs 10 kg.", ["8 kg"], "How heavy is it?"), stated_otherwise("It weighs 8 lb.", ["8 kg"], "")
    ('quantity', '')
    """
    text = rewritten(spelled_out(text))
    if len(text) > _LONGEST:
        return ""
    for kind in _KINDS:
        own = [value for answer in accepted if (value := _only_value(rewritten(spelled_out(answer)), kind))]
        if not own or len(own) < len(accepted):
            continue
        stated = kind.values(text)
        if len(stated) != 1 or not all(kind.differ(value.value, stated[0].value) for value in own):
            return ""
        words = [text[stated[0].start : stated[0].end]]
        rest = text[: stated[0].start] + text[stated[0].end :]
        if any(map(str.isdigit, rest)) or says_opposite(text, words, question):
            return ""
        return kind.name if find(text, words, question=question) is SpellingMatch.ASSERTED else ""
    return ""


def other_values(text: str, accepted: Sequence[str], question: str) -> bool:
    """Whether a text has another value of the kind that all accepted answers are, which it does not deny.

    >>> [other_values(text, ["4 years"], "") for text in ("2 years (oral: 4 years)", "4 years, not 2 years")]
    [True, False]
    >>> other_values("For a soft yolk 10 minutes, for a hard yolk 14.", ["10 minutes"], "")
    True
    """
    for kind in (*_KINDS, _VERSION):
        own = [value for answer in accepted if (value := _only_value(rewritten(spelled_out(answer)), kind))]
        if not own or len(own) < len(accepted):
            continue
        others = [
            value
            for value in kind.values(text)
            if all(kind.differ(right.value, value.value) for right in own)
            and text[value.start : value.end].lower() not in question.lower()
        ]
        if any(not _DENIED_BEFORE.search(text[: value.start]) for value in others):
            return True
        return bool(_BARE_RIVAL.search(text)) and kind.name in ("quantity", "time")
    return False


def _only_value(answer: str, kind: ValueKind) -> Value | None:
    """The value that a whole answer is."""
    values = kind.values(answer.strip())
    return values[0] if len(values) == 1 and (values[0].start, values[0].end) == (0, len(answer.strip())) else None


def _ranks_with_nouns(text: str) -> list[Value]:
    """The ordinal numbers of a text, each with the noun behind it."""
    ordinals = ((rank, start, _NOUN.match(text, end)) for rank, start, end in ranks(text))
    return [Value(start, noun.end(), (noun[1].lower(), rank)) for rank, start, noun in ordinals if noun]


_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't|\bno longer|instead of|rather than"
    r"|\b(?:than|unlike|nor|nicht|statt|pas|non?|formerly|previously|until|before|from|was))\b"
    r"\W{0,3}(?:(?:in|at|on|by|for|the|an?|to|um|version)\s){0,2}\W{0,3}$",
    re.IGNORECASE,
)
_BARE_RIVAL = re.compile(
    r"[,;(]\s?(?:and |but )?(?:for|on|in|during|after|bei|für|pour|para)\s[^,.;:\d]{2,40}?\s"
    r"(?:\d{1,3}(?:\.\d+)?|none|nothing|at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
    r"(?=[.,;!)]?(?:\s|$))",
    re.IGNORECASE,
)
"""A further clause with a number of its own, as in "for a soft yolk 10 minutes, for a hard yolk 14"."""
_A_VERSION = re.compile(r"(?<![\w.])v?(\d{1,6}(?:\.\d{1,6}){2,4})(?![\w]|\.\d)")
_VERSION: Final = ValueKind(
    "version",
    lambda text: [Value(*match.span(), match[1]) for match in _A_VERSION.finditer(text)],
    lambda own, other: own != other,
)
_KINDS: Final = (
    ValueKind(
        "time",
        lambda text: [Value(time.start, time.end, time) for time in written_times(text)],
        lambda own, other: own.differs_from(other),
    ),
    ValueKind(
        "date",
        lambda text: [Value(day.start, day.end, day.date) for day in written_dates(text)],
        lambda own, other: own != other,
    ),
    ValueKind(
        "quantity",
        lambda text: [Value(quantity.start, quantity.end, quantity) for quantity in quantities(text)],
        lambda own, other: (
            bool(own.units & other.units)
            and as_number(own.digits) != as_number(other.digits)
            and not is_rounded(own.digits, other.digits)
        ),
    ),
    ValueKind(
        "place in order",
        _ranks_with_nouns,
        lambda own, other: own[0] == other[0] and own[1] != other[1],
    ),
    ValueKind(
        "code",
        lambda text: [Value(start, end, alphanumeric(text[start:end])) for start, end in codes(text)],
        lambda own, other: len(own) == len(other) and own != other,
    ),
)


LONGEST_PATTERN: Final = 200
LONGEST_TEXT: Final = 200
"""Most characters of an answer; a longer one matches no pattern."""
MOST_STEPS: Final = 10_000_000
"""Most steps for matching a pattern with a text of that length."""

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|[()|]|(?:[*+?]|\{\d{0,4},?\d{0,4}\})[?+]?|.", re.DOTALL)

_REPEAT = re.compile(r"(?:[*+]|\{\d*,\d*\}|\{\d+\})[?+]?")
_BACK = re.compile(r"\\[1-9]")


@lru_cache(maxsize=1024)
def checked(pattern: str) -> re.Pattern[str]:
    """The pattern, ignoring case. Raises `BadInput` for an invalid one, or one that may take too long.

    >>> checked("[0-9]+ (?:apples?|pears?)").pattern
    '[0-9]+ (?:apples?|pears?)'
    >>> checked("(a+)+b")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the pattern '(a+)+b' repeats a group, which may take forever: repeat single characters alone
    """
    shown = f"the pattern '{pattern[:80]}'"
    if len(pattern) > LONGEST_PATTERN:
        raise BadInput(f"{shown} has {len(pattern)} characters: at most {LONGEST_PATTERN}")
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(f"{shown} is not valid: {error}") from None
    steps, before = 1, ""
    for token in _TOKEN.findall(pattern):
        if before == "(" and token.startswith("?"):
            raise BadInput(f"{shown} has a lookaround, a flag or a named group: write (...) or (?:...)")
        if _BACK.fullmatch(token):
            raise BadInput(f"{shown} refers back to a group: write the text itself")
        if _REPEAT.fullmatch(token) and before == ")":
            raise BadInput(f"{shown} repeats a group, which may take forever: repeat single characters alone")
        steps *= LONGEST_TEXT if _REPEAT.fullmatch(token) else 2 if token in ("|", "?", "??", "?+") else 1
        before = token
    if steps > MOST_STEPS:
        raise BadInput(f"{shown} may take too long: use at most three of * + {{}}, and few of ? and |")
    return compiled


def fits(pattern: str, text: str) -> bool:
    """Whether a text as a whole fits a pattern.

    >>> fits("colou?r", "Color"), fits("colou?r", "a color")
    (True, False)
    """
    return len(text) <= LONGEST_TEXT and bool(checked(pattern).fullmatch(text))


NOT_PLAIN: Final = "mentions an answer without stating it plainly"

_WHAT: Final = "your answer"
_TAG: Final = re.compile(
    r"</?\s?(?:question|prompt|input|output|text|instructions?|user|assistant|system|name|your|the)\b[^<>]*>",
    re.IGNORECASE,
)
"""A tag or placeholder of a prompt."""
_EXAMPLE: Final = re.compile(
    r"[^.\n!?]{0,200}\b(?:for (?:example|instance)|e\.g\.|such as|like (?:this|so)|(?:in|follow(?:ing)?) (?:this"
    r"|the) (?:following )?"
    r"(?:form|format|pattern)|should (?:end|look|read|be (?:written|given|formatted)))\b[^.\n!?]{0,60}?[,:]?\s{0,3}[\"']{0,2}"
    r"(?:(?:the )?(?:final )?answer\s?(?::|is\b)[^\n.!?]{0,200}|(?<=[:\"'\s])\S[^\n.!?]{0,200})|\S{1,60}\s\((?:an )?example\)",
    re.IGNORECASE,
)
"""Words of an instruction about the form of a reply."""
_SUPPOSED: Final = re.compile(
    r"(?:^|[.!?\n])\s{0,3}(?:(?:suppose|supposing|pretend|imagine|i wish)\b|if\b[^.!?\n]{1,120}\b(?:were"
    r"|had)\b[^.!?\n]{1,120}\bwould\b)"
    r"[^.!?\n]{0,300}",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:please )?(?:write|send (?:it|them|this|that)|e-?mail|contact|reach|get in touch)(?: us)?"
    r"(?: (?:at|to|via|with|on))?\s<?(?P<address>[^\s@<>]{1,60}@[\w.-]{1,80}\w)>?",
    re.IGNORECASE,
)
_ODD_WORDS = re.compile(
    r"(n['’]t|\b(?:not|nor?|never|none|nothing|nowhere|nobody|hardly|barely|if|unless|but|however|(?:al)?though|depend\w*|usually"
    r"|normally|often|sometimes|some|others?|except|apart|besides|without|ago|next|last|soon|once|was|were|had|will|would|could"
    r"|might|may|should|until|before|half|twice|double|times|than|more|less|fewer|too|refuse\w*|stop\w*|fail\w*|short|lies?|lose"
    r"|only|free|extra|additional|old|new|wish|plan|just|members?|children|students|left|remaining|later|past|hope\w*|buy"
    r"|us(?:ed|ing)|pause)\b)",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\bwithin\s(?=\d)", re.IGNORECASE)
_OF_TIME = re.compile(r"\b(?:window|period|deadline|term|how long|within)\b", re.IGNORECASE)
"""Questions to which "within 30 days" answers 30 days."""
_OTHER_SUBJECT = re.compile(
    r"(?:^|[.!?]\s)\W*(?:(?:the|our|your|my|an?|each|every)\s(?:\w+\s)?(?=\w+\s\w+s\b)|(?=\w+\s(?:takes|lasts|costs|weighs|ended)\b))"
    r"(?!(?:it|that|this|everyone)\b)(\w+)",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\n|;|[,&/]\s*(?=\d)|\d[^.!?]{0,30}(?:[&/]|,\s(?:and|or)\b|\b(?:and|or)\s(?!(?:it|you|we|they)\b))|\b(?:and|or)\s(?=\d)"
    r"|(?<!\bit)(?<!\bthat)(?<!\bthere)(?<!\bhere)['’]s\s(?=\d)"
    r"|\bthe (?!period|maximum|minimum|total|window|limit|term)\w+ of\s(?=\d)",
    re.IGNORECASE,
)
"""Signs and words that tie a quantity to something else."""
_TO_DO = re.compile(r"\d\b[^.!?]{0,200}?\bto\s(?!(?:send|return|bring|give|get|do|change|cancel|decide)\b)(\w+)", re.IGNORECASE)
_ORDERED: Final = re.compile(r"\b(?:orders?|rank\w*|sequence|steps?|first|second|last|respectively|alphabetical\w*)\b", re.I)
"""Words of a question whose answer is a list in a certain order."""
_SIGNS: Final = "!¬≠×✗✘❌"
_LIST_MARK: Final = re.compile(r"\s{0,3}(?:1[.)]|[-•*])\s{1,3}(?=\S)")


@dataclass(frozen=True, slots=True)
class ShortText(ending.LastLineForm):
    """A short text.

    >>> form = ShortText(known=(("Paris",), ("Lyon",)))
    >>> [form.read(r).value for r in ("**Answer: Marie Curie.**", "Paris, of course.", "It is Lyon, not Paris", "Paris? No.")]
    ['Marie Curie', 'Paris', 'Lyon', None]
    """

    known: tuple[tuple[str, ...], ...] = ()
    """Answers that are looked for, each with the spellings that mean the same; any other can be given, too.

    The value is the reply's own spelling; `named` says which answer it is.
    """
    anywhere: bool = False
    """Whether a known answer counts anywhere in the reply; otherwise it must be asserted (`assertion`)."""
    dont_know: bool = False
    """Whether the instruction allows an admission of ignorance; it is read in any case."""
    question: str = ""
    """The question, if its words help to read the reply; it is not part of the instruction."""

    @property
    def what(self) -> str:
        return _WHAT

    @property
    def way(self) -> ReplyFormat:
        """The user's choice: free text gets no follow-up by default."""
        return "text"

    @property
    def schema(self) -> Mapping[str, Any]:
        """A text, which may be "I don't know"."""
        return ending.answer_schema({"type": "string"})

    def read(self, text: str, /) -> ParsedReply[str]:
        """The text that is stated last, that is known, or that is the only line."""
        return read_last_line(self, text, self._read)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        """The text in the field; a number is one, too."""
        value = fields.get("answer")
        if isinstance(value, str):
            return self.read(value)
        number = isinstance(value, float) or (
            isinstance(value, int) and not isinstance(value, bool) and abs(value) < ending.LARGEST
        )
        return self.read(repr(value)) if number else unreadable(NOTHING_STATED)

    def named(self, value: str) -> str:
        """A known answer in the first of its spellings; any other unchanged.

        >>> ShortText(known=(("Rome", "Roma"),)).named("roma")
        'Rome'
        """
        return next((alike[0] for alike in self.known if fold(value) in map(fold, alike)), value)

    def _read(self, text: str) -> ParsedReply[str]:
        if not self.anywhere:
            text = bound_of_span(limit_as_value(_SUPPOSED.sub("", _EXAMPLE.sub("", text)), self.question), self.question)
        spellings = [spelling for alike in self.known for spelling in alike]
        text = with_values_as(text, spellings)
        if "@" in "".join(spellings):
            text = _ADDRESSED.sub(r"It is \g<address>", text)
        if len(lines(text)) == 1 and (mark := _LIST_MARK.match(text)):
            text = text[mark.end() :]
        stated = last_said(statements(text), self._in_statement)
        reading = stated or self._in_words(text)
        if not self.anywhere and reading.value is not None and (taken := retracted(text, ANSWER_IS)) and stated:
            return reading if find(taken, (reading.value,)) is SpellingMatch.ASSERTED else unreadable(TAKEN_BACK)
        return reading

    def _in_statement(self, statement: str) -> ParsedReply[str] | None:
        if IGNORANCE.match(statement):
            return DONT_KNOW
        return self._known_in(statement) or _whole(statement)

    def _in_words(self, text: str) -> ParsedReply[str]:
        if known := self._known_in(text):
            return known
        if admits_ignorance(text):
            return DONT_KNOW
        texts = lines(text)
        return (_whole(texts[0]) if len(texts) == 1 else None) or unreadable(NOTHING_STATED)

    def _known_in(self, text: str) -> ParsedReply[str] | None:
        """The known answer that a text asserts; unreadable where it mentions one, or asserts several; None without any."""
        if self.anywhere:
            there = [as_said(text, alike[0]) for alike in self.known if is_contained(text, alike)]
            return unreadable(SEVERAL) if len(there) > 1 else answered(there[0]) if there else None
        if self.known and all(map(is_yes_or_no, self.known[0])):
            return self._yes_or_no(text)
        values = {alike: find(text, alike, question=self.question) for alike in self.known}
        in_order = _ORDERED.search(self.question)
        same = [
            spelling
            for alike in self.known
            for spelling in alike
            if same_but_for_article(text, spelling) or (not in_order and same_list(text, spelling))
        ]
        if same and not any(fold(text) == fold(name) for name in same) and text.strip()[:1] not in _SIGNS:
            return answered(same[0])
        asserted = [alike for alike, match in values.items() if match is SpellingMatch.ASSERTED]
        if len(asserted) == 1 and says_opposite(text, asserted[0], self.question):
            return unreadable(NOT_PLAIN)
        rivals = [alike for alike, match in values.items() if match is SpellingMatch.MENTIONED and claims(text, alike)]
        if len(asserted) == 1 and not rivals:
            longest = max(
                asserted[0], key=lambda spelling: (find(text, (spelling,)) is not SpellingMatch.ABSENT, len(spelling))
            )
            return answered(as_said(text, longest))
        if asserted:
            return unreadable(SEVERAL)
        if SpellingMatch.MENTIONED in values.values():
            return self._quantity_in(text) or unreadable(NOT_PLAIN)
        return None

    def _quantity_in(self, text: str) -> ParsedReply[str] | None:
        """A known quantity that is the only number of a text, where a number that is asked for would be read."""
        text = _WITHIN.sub("", spelled_out(text)) if _OF_TIME.search(last_question(self.question)) else spelled_out(text)
        stated = quantities(text)
        if len(stated) != 1 or len(list(written_numbers(text))) != 1 or _may_be_otherwise(text, self.question):
            return None
        for spelling in (spelling for alike in self.known for spelling in alike):
            own = quantity_of(spelling)
            if own and own.units & stated[0].units and own.value == stated[0].value:
                number = Number(question=self.question).read(text).value
                return answered(spelling) if number and as_number(number) == own.value else None
        return None

    def _yes_or_no(self, text: str) -> ParsedReply[str] | None:
        reading = read_yes_no(text, self.question)
        if (value := reading.value) is None:
            return reading if any(map(is_yes_or_no, words_of(text))) else None
        spellings = [spelling for alike in self.known for spelling in alike if same_side(spelling, value)]
        other = spellings[0] if spellings else value
        return answered(
            as_said(text, next((words for words in spellings if find(text, (words,)) is not SpellingMatch.ABSENT), other))
        )


def _may_be_otherwise(text: str, question: str) -> bool:
    """Whether a text has a word, not in the question, that may turn a quantity round, or make it that of another thing."""
    asked = words_of(question)
    odd = (*DENIED.finditer(text), *_ODD_WORDS.finditer(text), *_OTHER_SUBJECT.finditer(text), *_TO_DO.finditer(text))
    return any(match[match.lastindex or 0].lower() not in asked for match in odd) or _JOINED.search(text) is not None


def _whole(words: str) -> ParsedReply[str] | None:
    """The whole statement without marks around it; None if it is empty, or only introduces an answer."""
    if words.rstrip(" *_`\"'").endswith(":") or _TAG.fullmatch(words.strip()):
        return None
    text = unwrapped(words) or words.strip()
    return answered(text) if text else None
