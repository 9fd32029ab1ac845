"""What the audit finds in procedures whose failures are known."""

from dataclasses import replace

import numpy as np
import pytest

from tests.certificate.candidates import scope
from vivavoce.candidates.bots import Calculator, Errors
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.explanations.audit import Auditor
from vivavoce.certificate.explanations.procedures import AnswerTable, ProgramProcedure, RuledDraws, programs, request, rulings
from vivavoce.certificate.explanations.sandbox.sandbox import Program, Sandbox
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.requests import full_prompt
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

DIGITS = [(a, b) for a in range(10) for b in range(10)]
PRODUCTS = AnswerTable("products", {f"What is {a} * {b}?": str(a * b) for a, b in DIGITS})
SUMS = AnswerTable("sums", {f"What is {a} + {b}?": str(a + b) for a, b in DIGITS})
SMALL = open_scope("arithmetic?digits=1&operations=+*")


def auditor(checks: int = 4_000, limit: float | None = 0.01) -> Auditor:
    return Auditor(SMALL, Criterion(0.7, limit), delta=0.05, seed=[3], checks=checks)


def test_a_right_table_covers_its_half_and_never_fails() -> None:
    explanation = auditor().audit(PRODUCTS)
    assert explanation.accepted
    assert 0.5 in explanation.mass.interval
    assert (explanation.wrong, explanation.unacceptable, explanation.score, explanation.exact) == (0, 0, 1.0, False)
    # none of about 2,000: 1 - .025^(1/n), by hand .0018
    assert explanation.failing.interval.upper == pytest.approx(1 - 0.025 ** (1 / explanation.covered))


async def carelessly() -> ProgramProcedure:
    prompt = request("arithmetic", [], most=1)
    reply = await Calculator(Errors(explains="carelessly")).answer(full_prompt(prompt))
    return ProgramProcedure("a bot", programs(prompt, reply)[0][0], Sandbox())


@pytest.mark.long
async def test_a_lost_carry_in_three_of_a_hundred_is_caught() -> None:
    explanation = Auditor(
        open_scope("arithmetic?operations=*"), Criterion(0.7, 0.001), delta=0.05, seed=[0], checks=2_000
    ).audit(await carelessly())
    assert explanation.why_dropped == "it fails too often"
    assert 0.03 in explanation.failing.interval
    assert explanation.mass.value == 1.0


async def test_asked_for_anything_else_the_bot_does_its_sums() -> None:
    assert (await Calculator(Errors(explains="carelessly")).answer(Prompt("What is 8 * 9?"))).text == "Answer: 72"


def test_what_an_earlier_one_covers_belongs_to_it() -> None:
    desk = auditor()
    both = AnswerTable("both", dict(PRODUCTS.answers) | dict(SUMS.answers))
    first, second = desk.audit(PRODUCTS), desk.audit(both)
    assert first.accepted
    assert second.accepted
    assert first.covered / first.checks + second.covered / second.checks == pytest.approx(1.0, abs=0.05)
    assert desk.audit(SUMS).why_dropped == "it covers none of its test questions that no other procedure covers"


def test_failures_count_against_what_it_covers() -> None:
    """f / limit against p / P: of the sums 1 of 100 wrong is .005 of all draws."""
    wrong = AnswerTable("wrong", dict(SUMS.answers) | {"What is 0 + 1?": "7"})
    assert not auditor(limit=0.01).audit(wrong).accepted  # .005 / .01 = .5, no less than p = .5
    assert auditor(limit=0.02).audit(wrong).accepted  # .25
    assert auditor(limit=None).audit(wrong).accepted  # .005 / .3


def test_a_program_with_a_memory_is_none() -> None:
    code = "n = 0\ndef covers(q): return True\ndef answer(q):\n    global n\n    n += 1\n    return n"
    explanation = auditor(checks=50, limit=None).audit(ProgramProcedure("a test", Program(code), Sandbox()))
    assert "depends on the other questions" in explanation.why_dropped


def test_a_program_that_is_ended_is_set_aside() -> None:
    code = "def covers(q): return True\ndef answer(q): return 'x' * 10**10"
    explanation = auditor(checks=50).audit(ProgramProcedure("a test", Program(code), Sandbox()))
    assert "was ended by its memory" in explanation.why_dropped or explanation.wrong == explanation.covered
    assert not explanation.accepted


def weighted(size: int) -> ListedScope:
    plain = scope(size, unacceptable=True)
    return replace(plain, questions=tuple(replace(q, weight=1.0 + 2 * (i % 2)) for i, q in enumerate(plain.questions)))


def test_a_listed_scope_is_put_to_it_as_a_whole() -> None:
    listed = weighted(40)
    # questions 0 to 9: weights 5 * 1 + 5 * 3 of 20 * 1 + 20 * 3; number 1 is wrong, 3 of 20
    table = AnswerTable("ten", {f"Question {i}, version 0?": "B" if i == 1 else "A" for i in range(10)})
    checking = Auditor(listed, Criterion(0.3, None), delta=0.05, seed=[0])
    explanation = checking.audit(table)
    assert (explanation.exact, explanation.checks, explanation.covered, explanation.wrong) == (True, 40, 10, 1)
    assert explanation.mass.value == explanation.mass.interval.lower == pytest.approx(0.25)
    assert explanation.failing.value == pytest.approx(0.15)
    assert explanation.score == pytest.approx(0.85)
    assert explanation.accepted  # .0375 / .7 < .25
    (part,) = checking.parts
    assert (part.mass, part.score, part.unacceptable) == pytest.approx((0.25, 0.85, 0.15))  # by weight, too


def test_draws_hand_each_question_to_the_earliest_that_covers_it() -> None:
    units = [unit for unit, _ in zip(SMALL.draw(np.random.default_rng(0)), range(30), strict=False)]
    both = AnswerTable("both", dict(PRODUCTS.answers) | dict(SUMS.answers))
    for pair in rulings(units, [PRODUCTS, both]):
        answer = pair.answers[0]
        assert answer is not None
        assert answer.owner == (0 if pair.unit[0].category == "*" else 1)
        assert answer.reply.text == f"Answer: {pair.unit[0].accepted[0]}"
        assert (pair.known(1)[0] is None) == (pair.unit[0].category == "+")


def test_one_that_is_added_rules_on_what_has_not_been_handed_out() -> None:
    draws = RuledDraws(iter([unit for unit, _ in zip(SMALL.draw(np.random.default_rng(0)), range(30), strict=False)]), ())
    drawn = iter(draws)
    first = next(drawn)
    draws.add(PRODUCTS)
    rest = list(drawn)
    assert first.answers == (None,)
    assert len(rest) == 29
    assert all((pair.answers[0] is not None) == (pair.unit[0].category == "*") for pair in rest)
