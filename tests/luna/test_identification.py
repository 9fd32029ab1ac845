"""Who is taken for a person: shares, intervals, calibration and ladders against closed forms and other programs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.luna.test_site_statistics import SiteGame, SiteSeat
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.json_values import to_json
from vivavoce.luna.identification import (
    STRONGEST,
    UNIFORM,
    Identification,
    SharePrior,
    calibration,
    called_human,
    called_machine,
    expected_share,
    fit_prior,
    humanity,
    identifications,
    judge_skills,
    mean_points,
    shrunk,
    thirds,
)
from vivavoce.luna.identification_finding import identified
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.site_statistics import statistics


def said(judge: str, target: str, human: bool, says: bool, sure: float = 80.0, **more: float) -> Identification:
    return Identification(judge, target, human, PersonOrMachine(says, sure), **more)  # type: ignore[arg-type]


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
    assert figures.points.value is None
    assert figures.sentences == ()
    assert all(
        confidence_bin.right.value is None and confidence_bin.confidence is None for confidence_bin in figures.calibration
    )
    values = json.loads(json.dumps(to_json(figures), allow_nan=False))
    assert values["machines_taken_for_people"]["value"] is None


def test_what_counts_and_what_does_not() -> None:
    """Of seven judgements two count: machines', voided ones, those without a right answer and the unsaid do not."""
    bot, ann = SiteSeat("bot", kind="machine", answers=("12345",) * 5), SiteSeat("ann")
    judged: dict[str, Any] = {"judged_human": True, "confidence": 70.0}
    games = [
        (SiteSeat("a", right=False, **judged, seconds=(1.0, 2.0, 3.0)), bot),
        (SiteSeat("b", right=True, **judged), ann),
        (SiteSeat("c", right=False, voided=True, **judged), bot),
        (SiteSeat("d", right=None, **judged), bot),  # a seat was taken over
        (SiteSeat("e", kind="machine", right=True, **judged), ann),
        (SiteSeat("f"), bot),
        (SiteSeat("g", judged_human=None, confidence=None, right=None), ann),
    ]
    result = identifications([pair for first, second in games for pair in ((first, second), (second, first))])
    assert [
        (identification.judge, identification.human, identification.right, identification.characters, identification.seconds)
        for identification in result
    ] == [("a", False, False, 25, 3.0), ("b", True, True, 15, 60.0)]
    figures = statistics([SiteGame(game) for game in games], [])
    assert (figures.identified.machines_taken_for_people.value, figures.identified.machines_taken_for_people.n) == (1.0, 1)
    assert (figures.identified.people_taken_for_machines.value, figures.identified.people_taken_for_machines.n) == (0.0, 1)
    assert "Machines passed for people in 100% [2.5, 100] of 1 judgement." in figures.statement
    assert figures.as_json()["figures"]["identification"]["by_machine"][0]["taken_for_a_person"]["n"] == 1
    headings = [heading for heading, _ in figures.tables]
    assert "Person or machine?" in headings
    assert "Machines taken for people, by characters of their answers" not in headings  # too few to split


def test_thirds_by_length() -> None:
    """Machines that write 10, 20 ... 90 characters pass in none, one and all of three judgements."""
    passes = [False] * 3 + [True, False, False] + [True] * 3
    made = [said(f"j{n}", "bot", False, hit, characters=10 * n) for n, hit in enumerate(passes, 1)]
    groups = thirds(made, lambda identification: identification.characters)
    assert [(group.lower, group.upper, group.taken_for_a_person.value, group.taken_for_a_person.n) for group in groups] == [
        (10, 30, 0.0, 3), (40, 60, pytest.approx(1 / 3), 3), (70, 90, 1.0, 3),
    ]  # fmt: skip
    assert thirds(made[:5], lambda identification: identification.characters) == ()
    assert (
        thirds(
            [said(f"j{n}", "bot", False, True, characters=7) for n in range(9)],
            lambda identification: identification.characters,
        )
        == ()
    )
    assert thirds(made, lambda identification: identification.seconds) == ()


def test_calibration() -> None:
    made = [said(f"j{n}", f"p{n}", True, n % 4 > 0, sure) for n, sure in enumerate([50, 59.9, 60, 75, 90, 95, 100, 100])]
    bins = calibration(made)
    assert [confidence_bin.right.n for confidence_bin in bins] == [2, 1, 1, 0, 4]
    assert sum(confidence_bin.right.n for confidence_bin in bins) == len(made)
    # numbers 4 to 7: right but for 4
    assert bins[-1].confidence == pytest.approx(385 / 4)
    assert bins[-1].right.value == 0.75
    assert bins[3].right.value is None


def test_mean_points_of_a_judge_by_hand() -> None:
    estimate = mean_points([said("a", "p", True, True, 80), said("b", "q", True, False, 80)])
    assert estimate.value == pytest.approx((84 - 156) / 2)
    assert called_machine([said("a", "p", True, True), said("b", "q", True, False)]).value == 0.5


def test_a_prior_is_the_likeliest() -> None:
    """Counts drawn from a beta-binomial: the fitted prior is at least as likely as the true one, and near it."""
    rng = np.random.default_rng(3)
    k = scipy.stats.betabinom.rvs(20, 6.0, 4.0, size=400, random_state=rng)
    prior = fit_prior(k, np.full(400, 20))
    assert prior.person / sum(prior) == pytest.approx(0.6, abs=0.03)
    assert sum(prior) == pytest.approx(10, rel=0.35)
    likely = [float(np.sum(scipy.stats.betabinom.logpmf(k, 20, *pair))) for pair in (prior, (6.0, 4.0))]
    assert likely[0] >= likely[1]
    assert fit_prior([3], [4]) == UNIFORM
    with pytest.raises(NotEnoughEvidence):
        fit_prior([], [])


def test_players_who_do_not_differ_stand_together() -> None:
    prior = fit_prior([5] * 30, [10] * 30)
    assert sum(prior) == pytest.approx(STRONGEST, rel=0.01)
    assert expected_share(0, 4, SharePrior(500.0, 500.0)).value == pytest.approx(500 / 1004)


def test_one_lucky_judgement_does_not_lead() -> None:
    """Eve was called a person once of once; Ann 18 times of 20. The share of Eve is higher, what is expected is not."""
    made = [said(f"j{n}", "ann", True, n < 18) for n in range(20)] + [said("j0", "eve", True, True)]
    made += [said(f"j{n}", "bot", False, n < 4) for n in range(20)]
    humanities = humanity(made)
    assert [(entry.player, entry.human) for entry in humanities] == [("ann", True), ("eve", True), ("bot", False)]
    by_name = {entry.player: entry for entry in humanities}
    assert (by_name["eve"].share.value, by_name["ann"].share.value) == (1.0, 0.9)
    assert all((entry.expected.value or 0) in entry.expected.interval for entry in humanities)
    other = scipy.stats.binomtest(18, 20).proportion_ci(0.95, method="exact")  # nobody judged Ann twice
    ends = by_name["ann"].share.interval
    assert (ends.lower, ends.upper) == pytest.approx((other.low, other.high), abs=1e-6)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12))
def test_expectations_lie_between_share_and_prior(counts: list[tuple[int, int]]) -> None:
    k, n = [number for number, _ in counts], [number + other for number, other in counts]
    prior = fit_prior(k, n)
    middle = prior.person / sum(prior)
    for persons, judgements in zip(k, n, strict=True):
        estimate = expected_share(persons, judgements, prior)
        ends = sorted((middle, persons / judgements if judgements else middle))
        assert estimate.value is not None
        assert ends[0] - 1e-9 <= estimate.value <= ends[1] + 1e-9


@each_case("share", [0.1, 0.5, 0.9])
@each_case(("says", "sure"), [(True, 100.0), (False, 100.0), (False, 75.0), (True, 50.0)])
def test_the_same_answer_to_everybody_gets_nothing(share: float, says: bool, sure: float) -> None:
    """Of 100 judgements each by one who always says the same and one who is always right; by hand 1 - 2(q2 + (1 - q)2)."""
    machines = round(100 * share)
    made = [said("same", f"p{n}", n >= machines, says, sure) for n in range(100)]
    made += [said("right", f"p{n}", n >= machines, n >= machines, 100) for n in range(100)]
    values = {skill.player: skill for skill in judge_skills(made) or []}
    q = sure / 100
    assert values["same"].points.value == pytest.approx(100 * (1 - 2 * (q**2 + (1 - q) ** 2)))
    assert values["right"].points.value == pytest.approx(100)
    assert (values["same"].points.value or 0.0) <= 1e-9
    assert values["right"].expected > values["same"].expected


def test_there_is_no_ladder_of_too_little() -> None:
    assert judge_skills([]) is None
    assert judge_skills([said("a", "p", True, True)] * 9) is None  # of people alone
    assert judge_skills([said("a", "p", True, True), said("b", "bot", False, True)]) is None  # one each


def test_judges_who_do_not_differ_stand_together() -> None:
    same = shrunk([np.array([0.0, 10.0]), np.array([10.0, 0.0]), np.array([5.0])])
    assert same is not None
    assert same.tolist() == [5.0, 5.0, 5.0]


def test_the_interval_covers_where_judges_judge_several_times() -> None:
    """100 sites of 30 judges who judge a machine six times, each with a bias of their own; the usual one covers less."""
    rng = np.random.default_rng(11)
    covered = usual = 0
    for _ in range(100):
        chances = rng.beta(0.6, 1.4, 30)  # mean .3
        made = [said(f"j{j}", "bot", False, bool(rng.random() < chances[j])) for j in range(30) for _ in range(6)]
        covered += int(0.3 in called_human(made).interval)
        ends = scipy.stats.binomtest(sum(identification.said.human for identification in made), 180).proportion_ci(
            0.95, method="exact"
        )
        usual += int(ends.low <= 0.3 <= ends.high)
    assert covered >= 90  # of 100 at 95%: fewer than 90 happens in 1.2% of cases
    assert usual < 85
