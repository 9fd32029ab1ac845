"""Arithmetic with decimals and quotients: right by `decimal`, within the tolerance that is said and no farther."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.generated import decimal_question, plausible_between
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

SCOPE = "arithmetic?digits=2&decimals=2&operations=+-*/&places=3"


def drawn(name: str, n: int = 400) -> list[Question]:
    return [unit[0] for unit in islice(open_scope(name).draw(np.random.default_rng(0)), n)]


def earned(question: Question, answer: object) -> float:
    return open_scope(SCOPE).grade(question, Reply(f"Answer: {answer}")).score


def test_it_is_right_by_decimal() -> None:
    for question in drawn(SCOPE):
        match = re.fullmatch(r"What is (\d+\.\d\d) ([-+*/]) (\d+\.\d\d)(, rounded to 3 decimal places)?\?", question.text)
        assert match
        a, b = Decimal(match[1]), Decimal(match[3])
        with localcontext(prec=60):
            right = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if match[2] == "/" else a}[match[2]]
        if match[4]:
            right = right.quantize(Decimal("0.001"), ROUND_HALF_UP)
        assert Decimal(question.accepted[0]) == right
        assert (match[4] is None) == (match[2] != "/") == (question.tolerance == "")


NUMBERS = st.integers(0, 10**5).map(lambda n: Fraction(n, 100))


@given(NUMBERS, NUMBERS.filter(bool), st.integers(1, 8))
def test_every_correct_rounding_is_right_and_nothing_beyond(a: Fraction, b: Fraction, places: int) -> None:
    question, exact, unit = decimal_question(a, "/", b, decimals=2, places=places), a / b, Decimal(1).scaleb(-places)
    with localcontext(prec=60):
        quotient = Decimal(exact.numerator) / Decimal(exact.denominator)
        for rule in (ROUND_HALF_UP, ROUND_HALF_EVEN):
            rounded = quotient.quantize(unit, rule)
            assert earned(question, f"{rounded:f}") == 1
            assert earned(question, f"{rounded + unit:f}") == float(abs(Fraction(rounded + unit) - exact) <= Fraction(unit) / 2)
        assert earned(question, f"{quotient.quantize(unit.scaleb(-3)):f}") == 1, "more places than were asked for"
        assert earned(question, f"{quotient.quantize(unit) + 2 * unit:f}") == 0


@given(NUMBERS, NUMBERS, st.sampled_from("+-*"))
def test_what_is_not_rounded_is_exact(a: Fraction, b: Fraction, operation: str) -> None:
    question = decimal_question(a, operation, b, decimals=2, places=2)
    right = {"+": a + b, "-": a - b, "*": a * b}[operation]
    assert Fraction(question.accepted[0]) == right
    assert earned(question, question.accepted[0]) == 1
    assert earned(question, f"{Decimal(question.accepted[0]) + Decimal('0.00001'):f}") == 0


@given(st.fractions(-(10**6), 10**6))
def test_what_is_right_is_plausible(right: Fraction) -> None:
    low, high = plausible_between(right, can_be_negative=True)
    assert low <= right <= high


async def test_the_calculator_gets_them_right() -> None:
    scope, bot = open_scope(SCOPE), open_candidate("bot:calculator")
    for question in drawn(SCOPE, 200):
        assert scope.grade(question, await bot.answer(scope.prompt(question))).score == 1, question.text


def test_options_and_digests() -> None:
    assert drawn("arithmetic?places=2&operations=/", 5)[0].text.endswith("rounded to 2 decimal places?")
    digests = {open_scope(name).digest for name in ("arithmetic", SCOPE, "arithmetic?decimals=1", "arithmetic?decimals=2")}
    assert len(digests) == 4
    assert open_scope("arithmetic?decimals=0").digest == open_scope("arithmetic").digest
    assert open_scope("arithmetic").digest == "3c14e1d3ae81c1ccdd12eee2a0cbcd03fb95d6f50c537e36667998a71281dfe6", "as ever"
    listed = list(open_scope("arithmetic?digits=1&decimals=1&operations=/").listing())  # type: ignore[union-attr,misc]
    assert len(listed) == 100 * 99
    assert sum(weight for _, weight in listed) == pytest.approx(1)


@each_case("options", ["decimals=7", "places=0&operations=/", "places=2", "decimals=1&laws=commute", "decimals=x"])
def test_what_cannot_be_meant_is_refused(options: str) -> None:
    with pytest.raises(BadInput):
        open_scope(f"arithmetic?{options}")


@each_case(
    ("accepted", "answer", "score", "upper"),
    [
        ("1/3", "0.333", 0, 1),
        ("3.14159", "3.14", 0, 1),
        ("3.14", "3.14159", 0, 1),
        ("12.35 km", "12.4 km", 0, 1),
        ("12.35", "12.2", 0, 0),
        ("1/3", "0.3", 0, 0),
        ("1/3", "0.34", 0, 0),
        ("3.14", "3", 0, 0),
        ("42", "42.3", 0, 0),
        ("0.50", "0.5", 1, 1),
        ("8848.86", "8849", 0, 1),
        ("12.5", "13", 0, 0),
        ("391", "about 400", 0, 1),
        ("391", "400", 0, 0),
        ("4.43012E+11", "443012345678", 0, 1),
        ("4.43012E+11", "443112345678", 0, 0),
        ("1.234", "1,234", 0, 1),
    ],
)
def test_a_rounded_answer_is_not_counted_as_wrong(accepted: str, answer: str, score: float, upper: float) -> None:
    scope = open_scope([{"question": "How long is it?", "answer": accepted}])
    assert isinstance(scope, ListedScope)
    grade = scope.grade(scope.questions[0], Reply(f"Answer: {answer}"))
    assert (grade.score, grade.upper_score) == (score, upper)
