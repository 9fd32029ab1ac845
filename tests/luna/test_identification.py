"""Who is taken for a person: shares and intervals against closed forms and other programs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.luna.test_site_statistics import site_game, site_seat
from vivavoce.errors import BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.luna.identification import Identification, called_human, identifications, identified
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.site_statistics import statistics


def said(judge: str, target: str, human: bool, says: bool) -> Identification:
    return Identification(judge, target, human, says)


@each_case("sure", [49.9, 100.1, 0.0, -70.0, float("nan"), float("inf")])
def test_nobody_is_less_sure_than_a_coin_or_more_than_certain(sure: float) -> None:
    with pytest.raises(BadInput, match="from 50 to 100"):
        PersonOrMachine(True, sure)


@given(st.floats(0, 1), st.floats(50, 100))
def test_no_sureness_is_worth_more_than_the_one_that_is_meant(belief: float, other: float) -> None:
    """Expected points of whoever believes with probability p, by hand: of what is said, the honest answer is the best."""

    def worth(says: PersonOrMachine) -> float:
        return belief * says.points(True) + (1 - belief) * says.points(False)

    honest = worth(PersonOrMachine(belief >= 0.5, 100 * max(belief, 1 - belief)))
    assert honest >= max(worth(PersonOrMachine(True, other)), worth(PersonOrMachine(False, other))) - 1e-9
    brier = (1 - other / 100) ** 2
    assert PersonOrMachine(True, other).points(True) == pytest.approx(100 - 400 * brier)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_judges_who_judge_once_have_clopper_and_pearsons_interval(hits: list[bool]) -> None:
    estimate = called_human([said(f"j{number}", "bot", False, hit) for number, hit in enumerate(hits)])
    other = scipy.stats.binomtest(sum(hits), len(hits)).proportion_ci(0.95, method="exact")
    assert estimate.value == pytest.approx(sum(hits) / len(hits))
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((other.low, other.high), abs=1e-6)


def test_a_judge_of_many_counts_as_one() -> None:
    """One judge who says the same of the same machine 100 times tells as much as one judgement: [0, .975] by hand."""
    estimate = called_human([said("ann", "bot", False, False)] * 100)
    assert (estimate.value, estimate.n) == (0.0, 100)
    assert (estimate.interval.lower, round(estimate.interval.upper, 3)) == (0.0, 0.975)
    mixed = called_human([said("ann", "bot", False, number < 50) for number in range(100)])
    assert (mixed.value, mixed.interval.lower, mixed.interval.upper) == (0.5, 0.0, 1.0)  # too little, and said


def test_nothing_is_never_0() -> None:
    figures = identified([])
    assert figures.machines_taken_for_people.value is None
    assert figures.people_taken_for_machines.value is None
    assert figures.sentences == ()
    values = json.loads(json.dumps(to_json(figures), allow_nan=False))
    assert values["machines_taken_for_people"]["value"] is None


def test_what_counts_and_what_does_not() -> None:
    """Of seven judgements two count: machines', voided ones, those without a right answer and the unsaid do not."""
    bot, ann = site_seat("bot", kind="machine", answers=("12345",) * 5), site_seat("ann")
    judged: dict[str, Any] = {"judged_human": True, "confidence": 70.0}
    games = [
        (site_seat("a", right=False, **judged, seconds=(1.0, 2.0, 3.0)), bot),
        (site_seat("b", right=True, **judged), ann),
        (site_seat("c", right=False, voided=True, **judged), bot),
        (site_seat("d", right=None, **judged), bot),  # a seat was taken over
        (site_seat("e", kind="machine", right=True, **judged), ann),
        (site_seat("f"), bot),
        (site_seat("g", judged_human=None, confidence=None, right=None), ann),
    ]
    result = identifications([pair for first, second in games for pair in ((first, second), (second, first))])
    assert result == [said("a", "bot", False, True), said("b", "ann", True, True)]
    figures = statistics([site_game(*game) for game in games], [])
    assert (figures.identified.machines_taken_for_people.value, figures.identified.machines_taken_for_people.n) == (1.0, 1)
    assert (figures.identified.people_taken_for_machines.value, figures.identified.people_taken_for_machines.n) == (0.0, 1)
    assert "Machines passed for people in 100% [2.5, 100] of 1 judgement." in figures.statement
    assert figures.as_json()["figures"]["identification"]["by_machine"][0]["taken_for_a_person"]["n"] == 1
    headings = [heading for heading, _ in figures.tables]
    assert "Person or machine?" in headings


def test_the_interval_covers_where_judges_judge_several_times() -> None:
    """100 sites of 30 judges who judge a machine six times, each with a bias of their own; the usual one covers less."""
    rng = np.random.default_rng(11)
    covered = usual = 0
    for _ in range(100):
        chances = rng.beta(0.6, 1.4, 30)  # mean .3
        made = [said(f"j{j}", "bot", False, bool(rng.random() < chances[j])) for j in range(30) for _ in range(6)]
        covered += int(0.3 in called_human(made).interval)
        ends = scipy.stats.binomtest(sum(identification.says_human for identification in made), 180).proportion_ci(
            0.95, method="exact"
        )
        usual += int(ends.low <= 0.3 <= ends.high)
    assert covered >= 90  # of 100 at 95%: fewer than 90 happens in 1.2% of cases
    assert usual < 85
