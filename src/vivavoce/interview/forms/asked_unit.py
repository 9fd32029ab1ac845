"""The number that a question asks for: its unit, its scale, and the thing that it numbers ("which page?").

Replies to questions about a limit or an end, with the bound as a plain value: "up to 50" is 50 there, "until 9 pm" is 9 pm.

Elsewhere a bound is no answer. A reply with a word that may turn the bound into something else stays as it is, and so is not
graded: a denial, a condition, a past or future, another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Final

from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms.spelled_numbers import SIZE, SPELLED, in_ranks, size_of, spelled_out
from vivavoce.interview.forms.written_number import UNIT, Units, WrittenNumber, units_named, written_numbers

ANOTHER_UNIT: Final = "gives its number in another unit or scale than was asked for"
_ASKED = re.compile(
    rf"(?:\bhow (?:many|much) (?:whole |full |calendar |business |working )?(?:degrees )?|\b(?:in|to) (?:degrees? |°\s?|°)?"
    rf"|\((?:in )?(?:degrees? |°\s?)?)(?P<unit>{UNIT})",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"\s?-?(?:(?:business|working|calendar|full|whole|metric|us) )?(?:degrees?\s|°\s?)?(?P<unit>{UNIT})", re.IGNORECASE
)
_SIGNS: Final = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen", "₹": "rupees"}
_DOLLARS: Final = {
    "C": "cad", "CA": "cad", "A": "aud", "AU": "aud", "NZ": "nzd", "HK": "hkd", "S": "sgd", "SG": "sgd", "US": "usd",
}  # fmt: skip
"""Letters before the sign of a dollar."""
_CURRENCY_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?P<country>[A-Z]{1,3}|[A-Z]{3}\s))?(?P<sign>[$€£¥₹])\s?$|(?<![A-Za-z])(?P<code>[A-Z]{3})\s?$"
)
_LONGEST_CURRENCY: Final = 8
"""Most characters of a sign or a code before a number."""
_SCALE = re.compile(
    r"\bin (?:[$€£¥]\s?|(?:usd|eur|gbp|us dollars|dollars|euros)(?: in)? )?(?P<size>thousand|million|billion|trillion)s?\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"\bin (?:percent|per cent|%)|\b(?:what|which) percent(?:age)?\b|\bhow many percent\b|\(%\)", re.IGNORECASE
)
_LARGEST_IN_A_SCALE: Final = 10**6
"""From this number on, a number is not meant in thousands."""
_PERIOD: Final = r"(?:second|minute|hour|day|week|month|quarter|year)"
_RATE = re.compile(
    rf"(?:\b(?:per|an?|each|every)\s|/\s?)(?P<one>{_PERIOD}|mo|yr)\b|\b(?P<each>hourly|daily|weekly|monthly|yearly|annual(?:ly)?)\b",
    re.IGNORECASE,
)
_RATE_NAMES: Final = {"mo": "month", "yr": "year", "daily": "day", "annual": "year", "annually": "year"}
_RATE_BEHIND: Final = 40
"""Characters behind a number within which a rate belongs to it."""
_WHICH = re.compile(r"(?:\b(?P<lead>[a-z]{2,6})\s)?\b(?:which|what)\s(?P<thing>[a-z]{3,20})\b", re.IGNORECASE)
_DENIES = re.compile(r"n't\b|\b(?:not|no(?!\.)|never|neither|nor|without|except|wrong)\b", re.IGNORECASE)
_LEADS: Final = "on|in|at|is|was|be|it's|that's|the"
"""Words before "page 12" with which it is an answer; not, for instance, before or after."""
_MOST_LABELS: Final = 8
_MOST_NUMBERS: Final = 20
_POINTER = re.compile(
    r"(?P<pointer>\b(?:section|chapter|clause|paragraph|article|page|table|figure|appendix|item)|§)"
    r"\s?\d{1,4}(?:\.\d{1,3}){0,4}\b",
    re.IGNORECASE,
)
_DATED = re.compile(r"\b(?P<pointer>as of|in|since|by|during)\s(?:(?:early|late|the end of)\s)?(?:19|20)\d{2}\b", re.IGNORECASE)
_IN_ANOTHER_WAY = re.compile(
    r"\b(?:later|earlier|before|after|until|unless|instead|formerly|previously|once|used to|older|younger|or)\b", re.IGNORECASE
)
_WITHIN = re.compile(r"\bwithin\s(?=\d)", re.IGNORECASE)
_OF_TIME = re.compile(r"\b(?:years?|when|dates?|old)\b", re.IGNORECASE)
_YEAR_ASKED = re.compile(r"\b(?:which|what)\s(?:calendar\s)?year\b", re.IGNORECASE)
_YEAR = re.compile(r"[12]\d{3}")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}|{_MONTH}(?:\s\d{{1,2}}(?:st|nd|rd|th)?)?),?\s(?:of\s)?(?P<year>[12]\d{{3}})\b",
    re.IGNORECASE,
)
_NOUN = re.compile(r"\s(?P<noun>[a-z]{3,20})\b", re.IGNORECASE)
_NO_NOUNS = re.compile(
    r"and|or|to|of|in|for|at|on|by|from|out|per|the|as|if|but|with|is|was|are|were|has|had|total|altogether|more|less|fewer|each"
    r"|times|plus|minus|than|when|while|percent|about|only|not|off|which|where|because|since|until|after|before",
    re.IGNORECASE,
)
"""Words behind a number that say nothing about what it counts."""


def without_asked_label(text: str, question: str) -> str:
    """A reply without the word that the question has behind "which" or "what", where it labels a number.

    >>> [without_asked_label(reply, "On which page is it?") for reply in ("On page 12.", "On the 3rd page.", "After page 9.")]
    ['12.', 'On 3.', 'After page 9.']
    """
    if _DENIES.search(text):
        return text
    for asked in islice(_WHICH.finditer(question), _MOST_LABELS):
        leads, thing = "|".join(filter(None, (_LEADS, asked["lead"]))), asked["thing"]
        text = re.sub(
            rf"\A(\W{{0,3}})(?:(?:{leads})\s)*{thing}\s(?:number\s|no\.\s|#)?(?=\d)", r"\1", text, flags=re.IGNORECASE
        )
        text = re.sub(rf"\b({leads})\s{thing}\s(?:number\s|no\.\s|#)?(?=\d)", r"\1 ", text, flags=re.IGNORECASE)
        text = re.sub(
            rf"\b(?:the\s)?(\d{{1,6}})(?:st|nd|rd|th)\s{thing}\b(?!\s(?:from|to|of)\b)",
            r"\1",
            in_ranks(text, thing),
            flags=re.IGNORECASE,
        )
    return text


def of_asked_kind(text: str, question: str) -> str:
    """A reply whose numbers of another kind than the question asks for, and pointers such as "section 4", are in words.

    >>> of_asked_kind("Within 2 days, 85% of orders arrive.", "What percentage arrives within 2 days?")
    'Within some days, 85% of orders arrive.'
    >>> of_asked_kind("It began on 3 May 1998, with 2 shops.", "In which year did it begin?")
    'It began on 1998, with some shops.'
    """
    if _DENIES.search(text) or _IN_ANOTHER_WAY.search(text):
        return text
    bare = _POINTER.sub(r"\g<pointer> so-and-so", text)
    if not _OF_TIME.search(question):
        bare = _DATED.sub(r"\g<pointer> so-and-so", bare)
    if _YEAR_ASKED.search(question):
        bare = _DATE.sub(r"\g<year>", bare)
    if any(dimension == "time" for dimension, _ in asked_units(question)):
        bare = _WITHIN.sub("", bare)
    kinds = [(number, _kind_of(number, bare, question)) for number in islice(written_numbers(bare), _MOST_NUMBERS)]
    others = [number for number, kind in kinds if kind is False]
    if not kinds or any(_differs_from(number, bare, question) for number in others):
        return text
    if any(kind for _, kind in kinds):
        for number in reversed(others):
            bare = f"{bare[: number.start]}some{bare[number.end :]}"
    return bare


def is_no_year(value: str, text: str, question: str) -> bool:
    """Whether a question asks for a year, and a reply gives its last two digits alone, or a number of years.

    >>> [is_no_year(reply[1:3], reply, "In which year?") for reply in ("'98", "(28 years ago)", "(79 AD)")]
    [True, True, False]
    """
    given = re.escape(value)
    return bool(_YEAR_ASKED.search(question)) and bool(re.search(rf"['’‘]{given}\b|\b{given}\syears?\b", text, re.IGNORECASE))


def _kind_of(number: WrittenNumber, text: str, question: str) -> bool | None:
    """Whether a number is of the kind that a question asks for; None if it may be."""
    if _YEAR_ASKED.search(question):
        return bool(_YEAR.fullmatch(number.value))
    asked, units = asked_units(question), units_of(text, number)
    if asks_for_percent(question):
        return True if number.value.endswith("%") else None if not _has_noun(text, number) else False
    if not asked:
        return None
    if units & asked:
        return True
    same = {dimension for dimension, _ in units} & {dimension for dimension, _ in asked}
    return False if (units and not same) or (not units and _has_noun(text, number)) else None


def _differs_from(number: WrittenNumber, text: str, question: str) -> bool:
    """Whether the question has other numbers before the noun of this one: "4 days" where it says "within 2 days"."""
    noun = _NOUN.match(text, number.end)
    same = noun and [other.value for other in written_numbers(question) if question.startswith(noun[0], other.end)]
    return bool(same) and number.value not in (same or ())


def _has_noun(text: str, number: WrittenNumber) -> bool:
    """Whether a word that can be counted stands behind a number."""
    behind = _NOUN.match(text, number.end)
    return behind is not None and not _NO_NOUNS.fullmatch(behind["noun"])


def asks_for_percent(question: str) -> bool:
    """Whether a question asks for a number in percent.

    >>> asks_for_percent("What percentage is late?"), asks_for_percent("How many are late?")
    (True, False)
    """
    return _PERCENT.search(question) is not None


def in_asked_scale(value: str, text: str, question: str) -> str:
    """A number that a reply gives, in the scale and unit that the question asks for; empty if they are others.

    >>> in_asked_scale("250000", "It was 250 thousand.", "What was the profit, in thousands?")
    '250'
    >>> in_asked_scale("250000", "It was 250,000.", "What was the profit, in thousands?")
    ''
    >>> [in_asked_scale("2", f"It takes 2 {unit}.", "How many days does it take?") for unit in ("weeks", "days", "of them")]
    ['', '2', '2']
    >>> [in_asked_scale("0.4", reply, "What is the margin, in percent?") for reply in ("It is 0.4, i.e. 40%.", "It is 0.4.")]
    ['40', '']
    """
    number = as_number(value)
    if not question or number is None:
        return value
    units, rates, scale = asked_units(question), set(rates_in(question)), _SCALE.search(question)
    in_percent = asks_for_percent(question)
    if not (units or rates or scale or in_percent):
        return value
    given = list(_occurrences(text, number))
    if given and (_is_measured_otherwise(given, text, units) or _all_of_another_rate(given, text, rates)):
        return ""
    if in_percent and not value.endswith("%") and given and all(_has_noun(text, number) for number in given):
        return ""
    if in_percent:
        return _in_percent(value, number, text)
    written = [text[number_at.start : number_at.end] for number_at in given]
    return value if scale is None else _scaled(value, number, written, scale)


_BARE = re.compile(r"[-+\d.,\s]*")
"""A number without a unit."""


@lru_cache(maxsize=256)
def asked_units(question: str) -> Units:
    """The units that a question asks for, each with its dimension; none if it asks for two of one dimension.

    >>> asked_units("How many days are in two weeks?"), asked_units("How heavy is it, in kg?"), asked_units("How heavy is it?")
    (frozenset({('time', 'days?')}), frozenset({('mass', 'kg|kgs|kilos?|kilograms?|kilogrammes?')}), frozenset())
    """
    rows = [units_named(match["unit"]) for match in _ASKED.finditer(question)]
    return rows[0] if rows and all(units == rows[0] for units in rows) else frozenset()


def with_currency(question: str, answers: Sequence[str]) -> str:
    """A question that names no unit, with the currency in which all of its right answers are given.

    >>> [with_currency(question, ["€5", "€ 5.00"]) for question in ("What is the fee?", "What is the fee, in dollars?")]
    ['What is the fee? (in euros)', 'What is the fee, in dollars?']
    """
    if all(map(_BARE.fullmatch, answers)) or asked_units(question):
        return question
    numbers = ((answer, number) for answer in answers if (number := next(written_numbers(answer), None)))
    names = {unit.split("|")[0].replace("?", "") for name in numbers for kind, unit in units_of(*name) if kind == "money"}
    return f"{question} (in {names.pop()})" if len(names) == 1 else question


def units_of(text: str, number: WrittenNumber) -> Units:
    """The units after a number, or of the currency before it; a dollar of an unknown country is a unit of its own.

    >>> number = next(written_numbers("It weighs 5 kg."))
    >>> units_of("It weighs 5 kg.", number) == units_named("kilo")
    True
    >>> [units_of(text, next(written_numbers(text))) == units_named("dollars") for text in ("$5", "USD 5", "HK$5", "R$5")]
    [True, True, False, False]
    """
    digits = re.search(r"\d", text[number.start : number.end])
    end = number.start + digits.start() if digits else number.start
    if currency := _CURRENCY_BEFORE.search(text[max(0, end - _LONGEST_CURRENCY) : end]):
        country, sign, code = (currency["country"] or "").strip(), currency["sign"], currency["code"]
        if units := units_named(_DOLLARS.get(country, country) if country else code or _SIGNS[sign]):
            return units
        if country and sign == "$":
            return frozenset({("money", f"{country}$")})
    behind = _unit_behind(text, number)
    return units_named(behind["unit"]) if behind else frozenset()


def with_quantities_as(text: str, spellings: Iterable[str]) -> str:
    """A text with each quantity spelled as in the first of these spellings that is the same number of the same unit.

    >>> with_quantities_as("At most 8kg, or 8.0 kilos, but not 8 lb.", ["8 kg"])
    'At most 8 kg, or 8 kg, but not 8 lb.'
    >>> with_quantities_as("1,5 m, $2.5M", ["1.5 m"]), with_quantities_as("$2.5M", ["2.5 million dollars"])
    ('1.5 m, $2.5 million', '2.5 million dollars')
    """
    known = [(quantity, spelling) for spelling in spellings if (quantity := quantity_of(spelling))]
    for _, spelling in known:  # with the unit right behind the number: 1.5m may be 1.5 million elsewhere
        text = re.sub(rf"(?<![\w.,]){re.escape(spelling.replace(' ', ''))}(?!\w)", spelling, text)
    if known:
        text = spelled_out(text)
    for quantity in reversed(quantities(text) if known else []):
        same = next((spelling for own, spelling in known if own.units & quantity.units and own.value == quantity.value), None)
        text = f"{text[: quantity.start]}{same}{text[quantity.end :]}" if same else text
    return text


@dataclass(frozen=True, slots=True)
class WrittenQuantity:
    """A number with a unit or a currency, and its place in a text."""

    start: int
    end: int
    digits: str
    """Its number, as `as_number` reads it."""
    units: Units
    """The units that its sign or word can mean."""

    @property
    def value(self) -> Fraction | None:
        """Its number."""
        return as_number(self.digits)


def quantities(text: str) -> list[WrittenQuantity]:
    """The quantities in a text whose numbers are written as `spelled_out` writes them, in order."""
    result = []
    for number in islice(written_numbers(text), _MOST_NUMBERS):
        unit = _unit_behind(text, number)
        is_near = unit and not re.search("[a-z]{4}", text[number.end : unit.start("unit")].removesuffix("degrees "))
        if number.value and (units := units_of(text, number)):
            end = unit.end() if unit and is_near and units_named(unit["unit"]) == units else number.end
            if end > number.end or not re.match(r"[-+.\d]", text[number.start : number.end]):
                result.append(WrittenQuantity(number.start, end, number.value, units))
    return result


def quantity_of(spelling: str) -> WrittenQuantity | None:
    """The quantity that an answer is; None if it is more, or something else.

    >>> [quantity_of(answer) is not None for answer in ("8 kg", "1,5 m", "$2.5M", "8 kg a day", "8")]
    [True, True, True, False, False]
    """
    text = spelled_out(spelling.strip())
    whole = [quantity for quantity in quantities(text) if (quantity.start, quantity.end) == (0, len(text))]
    return whole[0] if whole else None


def _unit_behind(text: str, number: WrittenNumber) -> re.Match[str] | None:
    written = text[number.start : number.end]
    digits = re.match(r".*\d", written)
    return _BEHIND.match(text, number.start + digits.end() if digits and not SIZE.search(written) else number.end)


def _occurrences(text: str, value: Fraction) -> Iterator[WrittenNumber]:
    for line in re.finditer(r"[^\n]+", text):
        for clause in re.finditer(r"(?:[^.!?]|[.!?](?!\s))+", line[0]):
            start = line.start() + clause.start()
            for number in written_numbers(clause[0]):
                if number.value and as_number(number.value) == value:
                    yield WrittenNumber(start + number.start, start + number.end, number.value)


def _is_measured_otherwise(given: list[WrittenNumber], text: str, asked: Units) -> bool:
    """Whether a number has another unit of the same kind as those asked for somewhere."""
    dimensions = {dimension for dimension, _ in asked}
    named = [units_of(text, number) for number in given] if asked else []
    if any("dollars" in unit for _, unit in asked):
        asked |= units_named("dollars")  # a question about dollars of a country need not be answered with its name
    return any(not units & asked and any(dimension in dimensions for dimension, _ in units) for units in named)


def _all_of_another_rate(given: list[WrittenNumber], text: str, asked: set[str]) -> bool:
    """Whether a number is given per another period than any that the question names, at every place."""
    if not asked:
        return False
    texts = [set(rates_in(re.split(r"[.;:!?,(\n]|\d", text[number.end :][:_RATE_BEHIND])[0])) for number in given]
    return all(rates and not rates & asked for rates in texts)


def rates_in(text: str) -> Iterator[str]:
    """The periods that a text names in a rate: hour, day, week and the like.

    >>> list(rates_in("What is the monthly fee, and what does it cost per year?"))
    ['month', 'year']
    """
    for match in _RATE.finditer(text):
        name = (match["one"] or match["each"]).lower()
        yield _RATE_NAMES.get(name, name.removesuffix("ly"))


def _in_percent(value: str, number: Fraction, text: str) -> str:
    """A fraction as the percentage that the text gives; empty if it gives none."""
    if not 0 < number < 1 or value.endswith("%"):
        return value
    percentages = (written.value for written in written_numbers(text) if (written.value or "").endswith("%"))
    return next(
        (percentage.removesuffix("%") for percentage in percentages if percentage and as_number(percentage) == 100 * number), ""
    )


def _scaled(value: str, number: Fraction, written: list[str], scale: re.Match[str]) -> str:
    size = size_of(scale["size"])
    if any(SIZE.search(digits) for digits in written):
        return str(number / size)
    is_whole = number % size == 0 or abs(number) >= _LARGEST_IN_A_SCALE
    return "" if abs(number) >= size and is_whole else value


_QUESTION = re.compile(r"(?<![^.!?\n])[^.!?\n]+\?")
_ASKS_LIMIT = re.compile(
    r"\bmax(?:im\w+|\.)?\b|\b(?:at most|up to|limit(?:ed)?|capacity|ceiling|cap|most|höchst\w*|bis zu|jusqu'à|hasta)\b"
    r"|\b(?:how (?:many|much|long|far|large|big|heavy|high|old|late)|wie ?(?:viele?|lange|weit|groß|schwer|hoch))\b[^?]{0,100}"
    r"\b(?:can|may|could|allowed|permitted|fits?|holds?|seats?|supports?|accommodates?|kann|können|darf|dürfen|passen)\b",
    re.IGNORECASE,
)
"""Questions to which "up to 50" answers 50."""
_ASKS_LEAST = re.compile(
    r"\b(?:min(?:im\w+|\.)?|least|lowest|fewest|smallest|shortest|earliest|mindest\w*|wenigst\w*)\b", re.IGNORECASE
)
_UP_TO = re.compile(
    r"\b(?:(?:for )?up to(?: a max(?:imum)? of)?|(?:at|a) max(?:imum)?(?: of)?|max(?:imal)?|at most|(?:no|not) more than"
    r"|as (?:many|much|long|far) as|(?:limited|capped|restricted) (?:to|at)|bis zu|höchstens|jusqu'à|au maximum|hasta"
    rf"|como máximo)[:\s]\s{{0,2}}(?=(?:[$€£]\s?)?\d|{SPELLED.pattern})",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|(?:no|not) (?:less|fewer|younger) than|a min(?:imum)? of|mindestens)\s(?=(?:[$€£]\s?)?\d)", re.IGNORECASE
)
_OR_MORE = re.compile(
    r"\b(?:(?:you|they|guests|customers|users)\s(?:must|have to|need to) be\s(?:aged?\s)?|from\s)?"
    r"(?<![\d.,])(?P<number>\d[\d.,]*)(?:\+|(?:\syears?)?(?:\sold)?\s(?:or|and|years or)\s(?:older|over|above|more|up)\b)",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?P<number>(?<![\d.,])\d[\d.,]*(?:\s?[^\W\d_]{1,15}){0,2}?)\s?(?:max(?:imum|imal)?|tops|at (?:the )?most)\b\.?",
    re.IGNORECASE,
)
_OTHER_THING = re.compile(
    rf"(?:\d|\b{SPELLED.pattern})\s(?!(?:max|maximum|tops|at|per|each|in|on|for|and|total|with)\b)([a-z]{{3,}})", re.IGNORECASE
)
"""The thing that a number counts."""
_ASKS_END = re.compile(
    r"\b(?:clos(?:es?|ing)|ends?|ending|finish(?:es)?|latest|until|till|expires?|deadline|check-?out|schließt|endet)\b",
    re.IGNORECASE,
)
"""Questions to which "until 9 pm" answers 9 pm."""
_UNTIL = re.compile(
    r"(?:^\W*|(?<=open )|(?<=runs )|(?<=valid )|(?<=have )|(?<= on ))(?:until|till|bis) (?=(?:um )?\d|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_NO_LIMIT = re.compile(
    r"n't\b|\bnot\b(?! more than)|\b(?:cannot|never|no longer|unless|except|but|however|though|usually|normally|typically"
    r"|depend\w*|closed|previous\w*|former\w*|old|used to|was|were|had|will|soon|if|least|min(?:imum)?|beyond|maybe|perhaps"
    r"|possibly|from|between|double|twice|half|times|per ?cent|nicht|kein\w*|pas|ne|aber|sonst)\b|%",
    re.IGNORECASE,
)
"""Words with which a bound may not be the limit that is asked for."""


def limit_as_value(text: str, question: str) -> str:
    """A reply to a question about a limit, with the limit as a plain value; any other reply unchanged.

    >>> [limit_as_value(text, "How many users can it have?") for text in ("Up to 50.", "50 users max.", "Not up to 50.")]
    ['it is 50.', 'it is 50 users', 'Not up to 50.']
    >>> limit_as_value("Up to 50.", "How many users are there?"), limit_as_value("Open until 9 pm.", "When does it close?")
    ('Up to 50.', 'Open , it is 9 pm.')
    """
    question = last_question(question)
    if _ASKS_LEAST.search(question):
        if _NO_LIMIT.search(_OR_MORE.sub("", _AT_LEAST.sub("", text))):
            return text
        return _OR_MORE.sub(r"it is \g<number>", _AT_LEAST.sub("it is ", text))
    if _NO_LIMIT.search(text):
        return text
    if _ASKS_END.search(question):
        return _UNTIL.sub(", it is ", text)
    if not _ASKS_LIMIT.search(question) or _counts_another_thing(text, question):
        return text
    return _AT_MOST.sub(r"it is \g<number>", text) if _AT_MOST.search(text) else _UP_TO.sub("it is ", text)


def last_question(text: str) -> str:
    """The last sentence that asks, without what is told before it; the whole text without such a sentence.

    >>> last_question("You must be at least 18. How many can join?")
    'How many can join?'
    """
    asked = _QUESTION.findall(text)
    return asked[-1].strip() if asked else text


def _counts_another_thing(text: str, question: str) -> bool:
    """Whether a number is of a thing that a question of how many does not name: 50 projects, not users."""
    asked = question.lower()
    return "how many" in asked and any(thing[1].lower() not in asked for thing in _OTHER_THING.finditer(text))
