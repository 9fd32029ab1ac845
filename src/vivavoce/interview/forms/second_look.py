"""A second look at a reply that states an accepted value: it may also state another one, or say what the value is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms.asked_unit import ANOTHER_UNIT, asked_units, asks_for_percent, quantity_of, rates_in, units_of
from vivavoce.interview.forms.dates_and_times import bound_of_span
from vivavoce.interview.forms.same_subject import ValuePlace, is_at_another_time, is_of_another_thing
from vivavoce.interview.forms.spelled_numbers import in_digits, rewritten, spelled_out
from vivavoce.interview.forms.text import other_values
from vivavoce.interview.forms.written_number import PERCENT, UNIT, Units, WrittenNumber, units_named, written_numbers

RIVAL: Final = "gives another value of the same kind as well"
JOINED: Final = "has a sign at the accepted answer"
NOT_SO: Final = "says of the accepted answer that it is not, or no longer, so"
OF_ANOTHER_THING: Final = "gives the accepted answer for another thing than the question names"
OTHER_CASE: Final = "has capital letters elsewhere than the accepted answer, which may mean something else"
_LONGEST: Final = 400
"""Most characters of a reply that is looked at twice: a longer one has many values."""
_LABEL = re.compile(r"^[*_\s]{0,4}(?:final )?answer[*_\s]{0,4}:[*_\s]{0,4}", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many\b|\bwie ?viele\b|\bcombien d|\bcu[aá]nt[oa]s\b|\bquant[ie]\b", re.IGNORECASE)
_QUALIFIERS = (re.compile(r"\sB\.?C\.?(?:E\.?)?(?!\w)"), re.compile(r"\s(?:business|working|werk|arbeits)", re.IGNORECASE))
"""Words behind a number that change what it means."""
_RATE = re.compile(
    r"[^\w.,;:!?\n]{0,3}(?:\w{1,10}[^\w.,;:!?\n]{1,3})?(?P<rate>(?:pro|par|por|per|an?|each|every|/)\s?\w+)", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\b(?:pro|par|por|per)\s(?:(?P<hour>stunde|heure|hora|ora)|(?P<day>tag|jour|día|giorno)|(?P<week>woche|semaine|semana"
    r"|settimana)|(?P<month>monat|mois|mes|mese)|(?P<year>jahr|année|an|año|anno))\b",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"\b(?:(?P<hour>stunden)|(?P<day>tages)|(?P<week>wochen)|(?P<month>monats)|(?P<year>jahres))(?=[a-zäöüß]{4})", re.IGNORECASE
)
"""A German compound such as Monatskarte."""
_CONCLUDES = re.compile(
    r";\s$|\b(?:so|thus|hence|therefore|effectively|leav(?:es|ing)|net|making)\W{1,3}(?:[a-z]+\W{1,2}){0,2}$", re.IGNORECASE
)
_NOT_SO_BEFORE = re.compile(
    r"\b(?P<word>nowhere near|nothing like|no way|no chance|refuses? to|stopped|fail(?:s|ed)? to|falls? short of|hardly|half of"
    r"|twice|lose|used to|no longer|previous(?:ly)?|former(?:ly)?|in the past|last (?:year|month|week)|old|nobody|no one"
    r"|rumou?red|(?:i|you|we) wish (?:it|they|there|that|for)|additional|extra|soon|plan(?:s|ned|ning)? to|intends? to"
    r"|other (?:shops?|stores?|companies|firms|providers?|banks?|hotels?)|competitors?'?s?|only (?:in|on|for)"
    r"|(?:dropped|abolished|scrapped|ended) (?:the|our|this)|(?:raised|reduced|increased|lowered|up|down) from(?=\W*$))\b",
    re.IGNORECASE,
)
_NOT_SO_AFTER = re.compile(
    r"^.{0,30}?\b(?P<word>in the past|any ?more|more than|less than|extra|no longer|times (?:that|as|more|less|two|three)"
    r"|too (?:much|many|long)|out of the question|(?:is|do|does|are)(?:n't| not) (?:what|apply|included|enough|realistic)"
    r"|(?:ago|(?<!at )once|more|less|fewer)(?=\W*$))\b",
    re.IGNORECASE,
)
_BUT_FOR = re.compile(
    r"\b(?:all|every\w*|any\w*|each|daily)\b(?:\s\w+){0,3},?\s(?:but|except(?:ing)?|besides|excluding|other than|apart from)"
    r"(?:\s(?:for|on|the))*\s$",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.IGNORECASE)
_ON_ANOTHER_DAY = re.compile(
    rf"(?:day[,;]?\s(?:(?:and|but|the|our)\s){{0,2}}(?!it|that|this|not|only)[a-z]+\s(?:(?:is|are)\s)?on"
    rf"|days?\s(?:in|for|at)\s[^.;\d]{{1,30}}?[,;]?(?:\sand|\sbut|\son){{0,2}})\s(?P<day>{_DAY.pattern})\b",
    re.IGNORECASE,
)
"""Another thing on another day: "paper on Friday", "Fridays in the south"."""
_WAS_UNTIL = re.compile(r"\b(?:was|were|had|did)\b[^\d]*\d[\d.,]*.{0,30}\suntil\b", re.IGNORECASE)
_UNLESS = re.compile(r"\W*unless\b", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.,;:!?(](?!\d)|\b(?:but|now|today|currently|instead|while)\b", re.IGNORECASE)
_OPERATORS: Final = frozenset("!=<>:&|+*/-")
_SIGN_AFTER = re.compile(r"[♭♯#′″²³]|\+\+|['!](?!\w)")
_SYMBOL: Final = 3
"""Most letters of a symbol."""
_FORMULA = re.compile(r"[\d√π∞^+=*/]|\b(?:pi|infinity|sin|cos|tan|ln|log|exp)\b", re.IGNORECASE)
_SIGN_BEFORE = re.compile(
    r"(?:^|[\s\"'({\[$:=*_`])[-−–∓±~≥≤<>≠!√¬]$|(?:\b(?:is|are|be|get)|[=:])\s[-−–]\s$", re.IGNORECASE | re.MULTILINE
)
_CLOCK = re.compile(r"\d{1,2}[:.]\d{2}")
_HALF = re.compile(r"\s?(?P<half>[ap])\.?\s?m\b", re.IGNORECASE)
_TOKEN = re.compile(r"-?[^\W\d_]+")
_SHORT: Final = 2
"""Letters of a unit, a symbol or a flag whose capitals matter: MW and mW, Co and CO."""
_IN_CAPITALS: Final = 4
"""Letters from which on a text in capitals is only loud."""


def why_doubtful(reply: str, accepted: Sequence[str], question: str, *, numeric: bool = False) -> str:
    """Why a reply that states an accepted answer may not give it; empty if nothing speaks against it.

    Parameters
    ----------
    numeric: whether the reply was read as a number, so that another number in it was taken into account.

    >>> why_doubtful("28 weeks", ["28 days"], "How many vacation days are there?") == ANOTHER_UNIT
    True
    >>> why_doubtful("Introduced in 2.4.1, and fixed in 2.5.0.", ["2.4.1"], "Which version fixed the bug?") == RIVAL
    True
    >>> why_doubtful("5 mW", ["5 MW"], "") == OTHER_CASE, why_doubtful("It is 8 kg, not 10 kg.", ["8 kg"], "How heavy is it?")
    (True, '')
    """
    if len(reply) > _LONGEST or _LABEL.sub("", reply).strip(" .*_`") in accepted:
        return ""
    reply = bound_of_span(reply, question)
    if _differs_in_case(reply, accepted):
        return OTHER_CASE
    if _is_joined(reply, accepted) or _is_at_another_time(reply, accepted):
        return JOINED
    if _is_excepted(reply, accepted):
        return NOT_SO
    if _names_another_day(reply, accepted):
        return RIVAL
    places = [ValuePlace(reply, *match.span()) for answer in accepted for match in _places(reply, answer)]
    if any(map(str.isdigit, in_digits("".join(accepted)))):
        return _why_doubtful_number(reply, accepted, question, places, numeric=numeric)
    is_other = places and all(is_of_another_thing(place, question, bare=False) for place in places)
    return OF_ANOTHER_THING if is_other else ""


def _why_doubtful_number(
    reply: str, accepted: Sequence[str], question: str, places: Sequence[ValuePlace], *, numeric: bool
) -> str:
    text = rewritten(spelled_out(in_digits(reply)))
    numbers = {number for answer in accepted for number in _numbers(answer)}
    signed = set(_numbers(reply))
    if any(number not in signed and -number in signed for number in numbers):
        return JOINED
    given = [number for number in written_numbers(text) if number.value and as_number(number.value) in numbers]
    places = places or [ValuePlace(text, number.start, number.end) for number in given]
    if given and all(_is_of_something_else(number, text, accepted, question) for number in given):
        return ANOTHER_UNIT
    if given and all(_is_not_so(number, text, question) for number in given):
        return NOT_SO
    last = [number for number in written_numbers(text) if not text[number.end :].strip(" .!*_")]
    if given and any(as_number(number.value) not in numbers and _CONCLUDES.search(text[: number.start]) for number in last):
        return RIVAL
    if not numeric and other_values(text, [in_digits(answer) for answer in accepted], question):
        return RIVAL
    bare = all(as_number(answer) is not None for answer in accepted)
    is_other = places and all(is_of_another_thing(place, question, bare=bare) for place in places)
    return OF_ANOTHER_THING if is_other else ""


def _is_excepted(reply: str, accepted: Sequence[str]) -> bool:
    """Whether a reply gives everything but an accepted answer."""
    befores = [reply[: match.start()] for answer in accepted for match in _places(reply, answer)]
    return bool(befores) and all(map(_BUT_FOR.search, befores))


def _names_another_day(reply: str, accepted: Sequence[str]) -> bool:
    """Whether a reply names another day of the week behind the accepted one, for another thing."""
    if not all(map(_DAY.fullmatch, accepted)):
        return False
    known = {match[0].lower().removesuffix("s") for match in map(_DAY.search, accepted) if match}
    return any(match["day"].lower().removesuffix("s") not in known for match in _ON_ANOTHER_DAY.finditer(reply))


def _numbers(text: str) -> Iterator[Fraction]:
    if (whole := as_number(text)) is not None:
        yield whole
        return
    for written in written_numbers(rewritten(spelled_out(in_digits(text)))):
        if written.value and (number := as_number(written.value)) is not None:
            yield number


def _is_of_something_else(number: WrittenNumber, text: str, accepted: Sequence[str], question: str) -> bool:
    """Whether a number counts a unit, or is per a period, that neither the question nor an accepted answer names."""
    named = f"{question}\n{' '.join(accepted)}"
    units = frozenset({PERCENT}) if number.value.endswith("%") else units_of(text, number)
    known = [_units_of_answer(answer) for answer in accepted]
    has_unit = all(known) or _HOW_MANY.search(question) or asked_units(question) or asks_for_percent(question)
    if has_unit and units and not units & _named_units(named).union(*known):
        return True
    if any(words.match(text, number.end) and not words.search(f" {named}") for words in _QUALIFIERS):
        return True
    rate = _RATE.match(text, number.end)
    periods, asked = set(_periods(rate["rate"]) if rate else ()), {*_periods(named), *_names(_COMPOUND, named)}
    return bool(periods and asked and not periods & asked)


def _is_not_so(number: WrittenNumber, text: str, question: str) -> bool:
    """Whether the clause of a number says that it was so once, will be, or is so for somebody else."""
    if is_at_another_time(ValuePlace(text, number.start, number.end), question):
        return True
    before = _CLAUSE_ENDS.split(text[: number.start])[-1]
    after = _CLAUSE_ENDS.split(text[number.end :])[0]
    if _UNLESS.match(text) or _WAS_UNTIL.search(before + text[number.start : number.end] + after):
        return True
    words = [match["word"] for match in (*_NOT_SO_BEFORE.finditer(before), *_NOT_SO_AFTER.finditer(after))]
    asked = re.sub(r"\b(?:extra|additional)\b", "extra additional", question, flags=re.IGNORECASE).lower().split()
    return any(word.lower().split()[0] not in asked for word in words)


def _units_of_answer(answer: str) -> Units:
    if answer.isdecimal():
        return frozenset()
    quantity = quantity_of(answer)
    return frozenset({PERCENT}) if answer.strip().endswith("%") else quantity.units if quantity else frozenset()


def _named_units(text: str) -> Units:
    units = {unit for word in re.findall(rf"(?<!\w){UNIT}", text, re.IGNORECASE) for unit in units_named(word)}
    units |= units_named("dollars") if "dollar" in text.lower() else frozenset()
    return frozenset(units | ({PERCENT} if re.search(r"%|percent|per cent", text, re.IGNORECASE) else set()))


def _periods(text: str) -> Iterator[str]:
    yield from rates_in(text)
    yield from _names(_ELSEWHERE, text)


def _names(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    return (str(match.lastgroup) for match in pattern.finditer(text))


def _is_joined(reply: str, accepted: Sequence[str]) -> bool:
    """Whether a sign stands right at each place of an answer that is a formula, a symbol or an amount: -2x, F♭, != for =."""
    rows = [(answer, match) for answer in accepted for match in _places(reply, answer)]
    if not rows and not any(map(str.isalnum, "".join(accepted))):
        return True
    return bool(rows) and all(_has_sign(answer, reply[: match.start()], reply[match.end() :]) for answer, match in rows)


def _has_sign(answer: str, before: str, after: str) -> bool:
    if not any(map(str.isalnum, answer)):
        return before[-1:] in _OPERATORS or after[:1] in _OPERATORS
    if len(answer) <= _SYMBOL and _SIGN_AFTER.match(after) and (len(answer) == 1 or after[0] not in "'!"):
        return True
    is_formula = _FORMULA.search(answer) is not None or len(answer) <= _SHORT
    return is_formula and _SIGN_BEFORE.search(before) is not None


def _places(reply: str, answer: str) -> Iterator[re.Match[str]]:
    edges = (r"(?<!\w)", r"(?!\w)") if any(map(str.isalnum, answer)) else ("", "")
    plural = "s?" if _DAY.fullmatch(answer) else ""
    return re.finditer(rf"{edges[0]}{re.escape(answer)}{plural}{edges[1]}", reply, re.IGNORECASE)


def _is_at_another_time(reply: str, accepted: Sequence[str]) -> bool:
    """Whether a time is followed by "am" or "pm" that the accepted one does not have."""
    rows = [(answer, match) for answer in accepted if _CLOCK.fullmatch(answer) for match in _places(reply, answer)]
    return bool(rows) and all(
        (half := _HALF.match(reply, match.end())) and (half["half"].lower() == "p" or answer.startswith("12"))
        for answer, match in rows
    )


def _differs_in_case(reply: str, accepted: Sequence[str]) -> bool:
    """Whether a reply has an accepted answer with other capitals alone, in a word so short that they matter."""
    rows = [(answer, match[0]) for answer in accepted for match in _places(reply, answer)]
    return bool(rows) and all(_has_other_capitals(written, answer) for answer, written in rows)


def _has_other_capitals(written: str, answer: str) -> bool:
    if written.isupper() and sum(map(str.isalpha, written)) > _IN_CAPITALS:
        return False
    return any(
        own != other
        and len(own.lstrip("-")) <= _SHORT
        and own != own.lower()
        and (other != other.lower() or other.startswith("-"))
        for own, other in zip(_TOKEN.findall(written), _TOKEN.findall(answer), strict=False)
    )
