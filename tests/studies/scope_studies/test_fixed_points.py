"""Planted fixed points and cycles are found; models without them are not accused; unparsed replies count as no event."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from tests.studies.contract import Finding, Rows, StudyContract, examined, shares
from tests.studies.vary.favourites import uniform
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.studies.scope_studies.fixed_points import FixedPointsConfig


@dataclass(frozen=True)
class Forecaster:
    """First says 90%; after that a function of what was published; rubbish in a given round; noise in each round."""

    after: Callable[[Fraction], Fraction] = lambda p: p
    share: float = 1.0
    rubbish_in: int = -1
    noisy: bool = False
    name: str = "test:planted"

    async def answer(self, question: Prompt, /) -> Reply:
        thing, turn = re.findall(r"thing (\d+)", question.text)[0], int(question.id.rpartition("/")[2].lstrip("q"))
        fraction, published = Fraction(9, 10), re.search(r"exactly ([\d.]+)%", question.text)
        if published and uniform("moves", thing) < self.share:
            fraction = self.after(Fraction(published[1]) / 100)
        if self.noisy:
            fraction = Fraction(round(100 * uniform("noise", question.id)), 100)
        rubbish = turn == self.rubbish_in if "/" in question.id else self.rubbish_in == 0
        return Reply("Well, well." if rubbish else f"Answer: {float(100 * fraction):.10g}%")


HALVING, CYCLE = Forecaster(lambda p: Fraction(1, 5) + p / 2), Forecaster(lambda p: 1 - p)


def questions(things: int, others: int = 0) -> Rows:
    forecasts: Rows = [{"id": f"q{n}", "question": f"Will thing {n} happen?", "law": "P: P"} for n in range(things)]
    return [*forecasts, *({"id": f"p{n}", "question": f"How heavy is thing {n}?", "answer": 1} for n in range(others))]


CONTRACT = StudyContract(
    questions(60, others=10),
    FixedPointsConfig(questions=60),
    faulty=replace(CYCLE, share=0.5),
    sound=Forecaster(),
    fails="keeps changing {} of {} forecasts after publication",
)


def published(
    who: Forecaster, config: FixedPointsConfig, things: int = 40, most: int | None = None, others: int = 0
) -> Finding:
    return examined("fixed-points", who, questions(things, others), config, most)


def distances(finding: Finding) -> list[float | None]:
    return [effect.estimates["distance"].value for effect in (*finding.effects, *finding.control)]


@pytest.mark.long
def test_a_contraction_converges_in_the_round_and_at_the_number_computed_by_hand() -> None:
    """0.9, 0.65, 0.525, 0.4625, 0.43125, 0.415625: the steps halve from 0.25, and the fifth is the first within 0.02."""
    finding = published(HALVING, FixedPointsConfig())
    assert (shares(finding, "converged"), distances(finding), finding.replies) == (
        [(40, 0, 40)] * 2,
        [0.484375, 0.0],
        {"read": 40 * 7},
    )
    assert shares(published(HALVING, FixedPointsConfig(rounds=4)), "keeps_changing") == [(40, 0, 40), (0, 0, 40)]
    assert distances(published(HALVING, FixedPointsConfig(20, 1e-5)))[0] == pytest.approx(0.5, abs=1e-5)
    assert distances(published(HALVING, FixedPointsConfig(tolerance=0.015625)))[0] == 0.484375


def test_cycles_are_found_at_the_planted_rate() -> None:
    planted = sum(uniform("moves", str(n)) < 0.4 for n in range(80))
    finding = published(replace(CYCLE, share=0.4), FixedPointsConfig(flip_limit=0.1), 80)
    assert shares(finding, "keeps_changing") == [(planted, 0, 80), (0, 0, 80)]
    assert (distances(finding), finding.effects[0].estimates["distance"].n) == ([0.0, 0.0], 80 - planted)
    assert finding.verdict_word == "fail"
    assert finding.examples[0].line[1:] == ("90%", "10%", "90%", "10%", "90%", "10%")
    assert distances(published(CYCLE, FixedPointsConfig())) == [None, 0.0]


@pytest.mark.parametrize("noisy", [False, True])
def test_models_that_ignore_the_publication_are_not_accused(noisy: bool) -> None:
    finding = published(Forecaster(noisy=noisy), FixedPointsConfig(), 80)
    assert "not significantly more often" in finding.headline
    assert finding.effects[0].rates["converged"].events < 40 if noisy else shares(finding, "converged") == [(80, 0, 80)] * 2


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_unparsed_replies_are_no_event(turn: int) -> None:
    finding = published(replace(CYCLE, rubbish_in=turn), FixedPointsConfig(flip_limit=0.1), 40)
    assert shares(finding, "converged") == [(0, 40, 40), (40, 0, 40) if turn == 3 else (0, 40, 40)]
    assert shares(finding, "keeps_changing")[0] == (0, 40, 40)
    assert (finding.effects[0].estimates["distance"].value, finding.measured, finding.verdict_word) == (
        None,
        False,
        "undecided",
    )


def test_other_questions_and_unfinished_blocks_are_left_out() -> None:
    finding = published(Forecaster(), FixedPointsConfig(), 20, others=7)
    assert (shares(finding, "converged")[0], finding.effects[0].left_out) == (
        (20, 0, 20),
        {"it does not ask for a probability": 7},
    )
    assert published(Forecaster(), FixedPointsConfig(), 25, 40).not_reached == 15  # ten questions take 30 calls
    assert not published(Forecaster(), FixedPointsConfig(), 0, others=3).measured
