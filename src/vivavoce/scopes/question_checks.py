"""Checks questions from files and from Python; a problem raises `BadInput` with the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.formats.numbers import CURRENCY, DIGITS, EXCEL_ERRORS, as_number, is_no_value
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.text import checked
from vivavoce.scopes.questions import MAX_OPTIONS, Question
from vivavoce.scopes.rules import rule_of

EMPTY: Final = frozenset({"nan", "NaN", "NAN", "<NA>", "NaT", "pd.NA", "pd.NaT", "np.nan"})
"""pandas's text for an empty cell."""
_NOTHING: Final = re.compile(r"n/a|n\.a\.|null|[(<\[](?:blank|null|none|empty|missing|n/?a)[)>\]]", re.IGNORECASE)
"""Texts of databases and spreadsheets for an empty cell."""
_NO_TEXTS: Final = EMPTY | EXCEL_ERRORS
_FORMULA: Final = re.compile(r"=\s*(?:[A-Z]{1,3}\$?\d|[A-Z]+\(|\d+\s*[-+*/^])")
_MONTH: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_EXCEL_DATE: Final = re.compile(rf"\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{2}}|\d{{4}}-\d\d-\d\d[ T]00:00:00(?:\.0+)?(?:Z|\+00:?00)?")
"""Dates as Excel and pandas show values, such as 3/4, that they mistook for dates."""
_ACCOUNTANTS: Final = re.compile(
    rf"\(\s*(?:{CURRENCY}\s?)?(?P<bracketed>{DIGITS})\s?(?:{CURRENCY}|%)?\s*\)|(?:{CURRENCY}\s?)?(?P<trailed>{DIGITS})\s?[-\u2212\u2013]"
)
"""A number below 0 as accountants write it."""
_DECIMAL_COMMA: Final = re.compile(rf"(?:{CURRENCY}\s?)?([-+\u2212]?\d{{1,100}}(?:\.\d{{3}})*,\d{{1,100}})(?:\s?{CURRENCY})?")


_ASKS_FOR_ALL: Final = re.compile(
    r"\ball (?:of the |the )?(?:\w+ )?(?:options |answers |statements )?(?:that|which) (?:apply|are (?:true|correct|right))\b"
    r"|\b(?:select|choose|pick|mark|check|tick|name) (?:all|two|three|four|[2-4])\b"
    r"|\balle (?:zutreffenden|richtigen)\b|\btoutes les (?:bonnes )?réponses\b|\btodas las (?:respuestas|opciones)\b",
    re.IGNORECASE,
)
"""Words of a question that asks for several options at once."""


def check_questions(questions: Iterable[Question]) -> None:
    """Check each question (`check_question`), and all together: ids differ, and no text occurs with two right answers.

    >>> check_questions([Question("a", "1 + 1?", accepted=("2",)), Question("a", "1 + 2?", accepted=("3",))])
    Traceback (most recent call last):
    vivavoce.errors.BadInput: two questions have the id 'a': make it unique
    """
    listed = tuple(questions)
    seen: set[str] = set()
    for question in listed:
        try:
            check_question(question)
        except BadInput as error:
            raise BadInput(f"question {question.id!r:.80}: {error}") from None
        if question.id in seen:
            raise BadInput(f"two questions have the id {question.id!r:.80}: make it unique")
        seen.add(question.id)
    pair = next(contradictions(listed), None)
    if pair:
        raise BadInput(f"question '{pair[1].id[:80]}' {contradiction(*pair)} 'accepted' of question '{pair[0].id[:80]}'")


def check_question(question: Question) -> None:
    """Raises `BadInput` for a question that cannot be asked or scored.

    >>> check_question(Question("a", "2 * 6?", accepted="12"))
    Traceback (most recent call last):
    vivavoce.errors.BadInput: 'accepted' is '12': give a tuple of texts, such as ('12',)
    """
    _check_types(question)
    if not (question.accepted or question.rubric or question.law or question.rule):
        raise BadInput("no 'accepted' answer, 'rubric', 'rule' or 'law': give one")
    if not _NO_TEXTS.isdisjoint([question.text, question.category, question.cluster, question.rubric, question.law]):
        for name in ("text", "category", "cluster", "rubric", "law"):
            check_not_empty(name, getattr(question, name))
    check_scoring(question)


def check_scoring(question: Question) -> None:
    """Raises `BadInput` for options and answers by which a reply cannot be scored; their types must be right."""
    if question.options:
        _check_options(question)
    elif question.match in (None, "number"):
        _check_answers(question)
    if question.unacceptable:
        _check_unacceptable(question)
    if question.match is not None:
        _check_match(question)
    if question.scores:
        _check_scores(question)
    if question.rule:
        _check_rule(question)


def check_not_empty(name: str, value: str) -> None:
    """Raises `BadInput` for pandas's empty cells, and for a spreadsheet's errors."""
    if value in EMPTY:
        raise BadInput(f"'{name}' is '{value}', as pandas writes an empty cell: leave it empty")
    if is_no_value(value):
        raise BadInput(f"'{name}' is '{value}', as a spreadsheet writes a value that it cannot work out: write the value there")


def contradictions(questions: Iterable[Question]) -> Iterator[tuple[Question, Question]]:
    """Pairs of questions with the same text and different right answers.

    >>> list(contradictions([Question("a", "Capital?", accepted=("Rome",)), Question("b", "capital? ", accepted=("Rome",))]))
    []
    """
    before: dict[object, Question] = {}
    for question in questions:
        if not question.accepted:
            continue
        asked: object = " ".join(question.text.split()).casefold()
        if question.options:
            asked = asked, frozenset(_folded(question.options))
        other = before.setdefault(asked, question)
        if other is not question and _right(other) != _right(question):
            yield other, question


def _right(question: Question) -> frozenset[object]:
    """The right answer in comparable form; for an option, its text."""
    of = dict(zip(question.letters, _folded(question.options), strict=True))
    return frozenset([of[answer] if answer in of else _value(answer) for answer in question.accepted])


def contradiction(first: Question, second: Question) -> str:
    """The reason why two questions can't both be asked, up to the place of the first one's right answers."""
    there, here = (", ".join(map(repr, question.accepted))[:80] for question in (first, second))
    return f"asks the same with another right answer ({here}, there {there}): put all that are right into"


def _check_types(question: Question) -> None:
    lists: tuple[tuple[str, Any], ...] = (
        ("options", question.options), ("accepted", question.accepted), ("unacceptable", question.unacceptable),
    )  # fmt: skip
    for name, values in lists:
        if values != () and not (isinstance(values, tuple) and all(isinstance(text, str) and text.strip() for text in values)):
            example = values if isinstance(values, str) else "12"
            raise BadInput(f"'{name}' is {values!r:.80}: give a tuple of texts, such as ({example!r:.40},)")
    texts: tuple[tuple[str, Any], ...] = (("id", question.id), ("text", question.text))
    for name, value in texts:
        if not isinstance(value, str) or not value.strip():
            raise BadInput(f"'{name}' is {value!r:.80}: give a text")
    if not (math.isfinite(question.weight) and question.weight > 0):
        raise BadInput(f"'weight' is {question.weight}: give a number above 0")
    if not 0 <= question.dont_know_score <= 1:
        raise BadInput(f"'dont_know_score' is {question.dont_know_score}: give a number from 0 to 1")


def _check_options(question: Question) -> None:
    options = question.options
    if len(options) > MAX_OPTIONS:
        raise BadInput(f"{len(options)} options: give at most {MAX_OPTIONS}")
    if len(set(_folded(options))) < len(options):
        raise BadInput("two options are the same")
    if len(options) == 1:
        raise BadInput("one option alone: give at least two, or none for a free answer")
    wrong = next((option for option in options if option in EXCEL_ERRORS), None)
    if wrong and not all(option.startswith("#") for option in options):
        check_not_empty("options", wrong)
    if len(question.accepted) > 1 and _ASKS_FOR_ALL.search(question.text):
        raise BadInput(
            "the question asks for several options, but a reply with one of the right ones would count as right: ask about "
            "each option in a question of its own"
        )
    letters = question.letters
    for name in ("accepted", "unacceptable"):
        for answer in getattr(question, name):
            if answer not in letters and not (name == "unacceptable" and fold(answer) == fold(DONT_KNOW)):
                raise BadInput(f"'{name}' is '{answer[:80]}', which is not an option: give a letter from A to {letters[-1]}")


def _check_answers(question: Question) -> None:
    """Check for free answers whose comparison would differ from the writer's intention."""
    for answer in (*question.accepted, *question.unacceptable):
        if answer.isdecimal():
            continue
        if reason := _not_meant(answer):
            raise BadInput(f"an answer is '{answer[:80]}', {reason}, or give 'match' exact if it is meant")
        if "," in answer and as_number(answer) is None and (match := _DECIMAL_COMMA.fullmatch(answer.strip())):
            point = match[1].replace(".", "").replace(",", ".")
            raise BadInput(
                f"the answer '{answer[:80]}' has a decimal comma, so {point[:80]} would be wrong: write {point[:80]}, or give "
                "'match' exact if it is a text"
            )


def _not_meant(answer: str) -> str:
    """How another program changed an answer, and the remedy; empty if it did not."""
    if answer in EMPTY:
        return "as pandas writes an empty cell: leave it empty"
    if is_no_value(answer):
        return "as a spreadsheet writes a value that it cannot work out: write the value there"
    if _NOTHING.fullmatch(answer):
        return "as programs write an empty cell: leave it empty"
    if (answer.startswith("(") or answer.endswith(("-", "\u2212", "\u2013"))) and (match := _ACCOUNTANTS.fullmatch(answer)):
        number = match["bracketed"] or match["trailed"]
        return f"which accountants write for -{number}: write -{number}, or {number}"
    if answer.startswith("=") and _FORMULA.match(answer):
        return "a formula that was not worked out: write its value"
    if "-" in answer and _EXCEL_DATE.fullmatch(answer):
        return "a date that a spreadsheet may have made of a fraction or a range: write what was meant"
    return ""


def _check_unacceptable(question: Question) -> None:
    """Check that no right answer is unacceptable, and no "I don't know" that earns a score."""
    right = set(map(_value, question.accepted))
    for answer in question.unacceptable:
        if _value(answer) in right:
            raise BadInput(f"'{answer[:80]}' is both right and unacceptable")
        if fold(answer) == fold(DONT_KNOW) and question.dont_know_score > 0:
            raise BadInput(f'"{DONT_KNOW}" is unacceptable, but idk_score is {question.dont_know_score}')


def _check_match(question: Question) -> None:
    """Check that a rule for free answers has listed free answers, and that its patterns and numbers are valid."""
    if question.options or not question.accepted:
        raise BadInput(f"'match' is {question.match}, but there is no free 'answer' to match")
    for answer in (*question.accepted, *(r for r in question.unacceptable if fold(r) != fold(DONT_KNOW))):
        if question.match == "number" and as_number(answer) is None:
            raise BadInput(f"'match' is number, but '{answer[:80]}' is not a number")
        if question.match == "regex":
            checked(answer)


def _check_scores(question: Question) -> None:
    """Check that scores are for possible answers, and agree with the other lists."""
    if not question.accepted:
        raise BadInput("'scores' without a right answer: give 'accepted', the best of them")
    given: dict[object, float] = {}
    absurd = set(map(_value, question.unacceptable))
    for answer, score in question.scores:
        value = _value(answer)
        if not 0 <= score <= 1:
            raise BadInput(f"'scores' gives '{answer[:80]}' {score}: give a number from 0 to 1")
        if question.options and answer not in question.letters:
            raise BadInput(f"'scores' is of '{answer[:80]}', which is not an option: give letters, or options' texts")
        if value == fold(DONT_KNOW):
            raise BadInput(f"what \"{DONT_KNOW}\" earns is its own column: give 'idk_score'")
        if given.setdefault(value, score) != score:
            raise BadInput(f"'scores' gives '{answer[:80]}' two scores")
        if score > 0 and value in absurd:
            raise BadInput(f"'{answer[:80]}' is unacceptable, but 'scores' gives it {score:g}")
    best = max(given.values(), default=0.0)
    low = next((answer for answer in question.accepted if given.get(_value(answer), 1.0) < best), None)
    if low is not None:
        raise BadInput(f"'{low[:80]}' is right, but 'scores' gives another answer more")


def _check_rule(question: Question) -> None:
    """A rule for whole replies excludes all other rules."""
    rule_of(question.rule)
    others = (question.options, question.accepted, question.rubric, question.law, question.unacceptable, question.scores)
    if any(others) or question.dont_know_score:
        raise BadInput("'rule' scores the whole reply: leave out options, answers, 'rubric', 'law' and the like")


@lru_cache(maxsize=1024)
def _folded(options: tuple[str, ...]) -> tuple[str, ...]:
    """Options in comparable form; many questions have the same options."""
    return tuple(map(fold, options))


def _value(answer: str) -> object:
    number = as_number(answer)
    return fold(answer) if number is None else number
