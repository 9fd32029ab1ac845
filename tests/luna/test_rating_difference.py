"""How far the ratings of two players lie apart: beside scipy's t tests, in simulated sites, and what is said of it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.interval import Estimate
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.rate import LunaRating, rate
from vivavoce.luna.ratings import Guesses, difference_of
from vivavoce.luna.settings import RateConfig

TRUE = 5.0
OTHERS = 12


def by_mean(guesses: Guesses, rounds: int = 20_000) -> Estimate:
    return difference_of(guesses, 0, 1, rng=np.random.default_rng(0), rounds=rounds)


def test_the_same_people_for_both_are_students_paired_interval() -> None:
    rng = np.random.default_rng(3)
    level = rng.normal(50, 15, 12)
    first, second = level + rng.normal(0, 4, 12), level + 6 + rng.normal(0, 4, 12)
    guessers = [*range(2, 14)] * 2
    found = by_mean(Guesses(guessers, [0] * 12 + [1] * 12, [*first, *second], range(24), players=14))
    paired = ttest_rel(second, first).confidence_interval()
    assert found.value == pytest.approx(np.mean(second - first))
    assert (found.interval.lower, found.interval.upper) == pytest.approx((paired.low, paired.high), abs=0.3)
    assert found.n == 24


def test_other_people_for_each_are_welchs_interval_and_a_little_wider() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(40, 10, 15), rng.normal(60, 10, 20)
    found = by_mean(Guesses(range(2, 37), [0] * 15 + [1] * 20, [*first, *second], range(35), players=37))
    welch = ttest_ind(second, first, equal_var=False).confidence_interval()
    assert found.value == pytest.approx(second.mean() - first.mean())
    width = (found.interval.upper - found.interval.lower) / (welch.high - welch.low)
    assert 0.98 < width < 1.1  # 14 degrees of freedom where Welch's has 30 make 5%


def site(rng: np.random.Generator, people: int, *, both: float, later: float = 0.0) -> Guesses:
    """People of a severity of their own guess player 0 or 1 or both, and four others each.

    later: how much higher the second half of the people, who meet player 1, guess everybody.
    """
    values = rng.uniform(30, 90, OTHERS)
    rows = []
    for person in range(people):
        late = person >= people / 2
        level = rng.normal(0, 12) + later * late
        guesser = 2 + OTHERS + person
        for version in (0, 1) if rng.random() < both else (int(late),):
            rows.append((guesser, version, 50 + TRUE * version + level + rng.normal(0, 12)))
        for other in rng.choice(OTHERS, 4, replace=False):
            rows.append((guesser, 2 + int(other), values[other] + level + rng.normal(0, 12)))
    guessers, targets, guesses = zip(*rows, strict=True)
    return Guesses(guessers, targets, guesses, range(len(rows)), players=2 + OTHERS + people)


@pytest.mark.long
@pytest.mark.parametrize("method", ["mean", "severity"])
@pytest.mark.parametrize("both", [0.0, 0.5])
def test_intervals_cover(both: float, method: str) -> None:
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(100):
        found = difference_of(site(rng, 20, both=both), 0, 1, method, rng=rng, rounds=200)
        held += found.interval.lower <= TRUE <= found.interval.upper
    assert held >= 88  # of 95, less three standard deviations of 2.2


@pytest.mark.long
def test_severity_removes_what_later_guessers_give_everybody() -> None:
    rng = np.random.default_rng(5)
    off: dict[str, list[float]] = {"mean": [], "severity": []}
    for _ in range(20):
        guesses = site(rng, 60, both=0.0, later=10.0)
        for method, found in off.items():
            found.append((difference_of(guesses, 0, 1, method, rng=rng, rounds=100).value or 0.0) - TRUE)
    assert np.mean(off["mean"]) == pytest.approx(10, abs=3)
    assert abs(np.mean(off["severity"])) < 0.5 * np.mean(off["mean"])


def test_too_little_is_said_and_is_not_0() -> None:
    nobody = by_mean(Guesses([1, 2], [0, 0], [40.0, 60.0], [0, 1], players=3), 100)
    assert (nobody.value, nobody.n) == (None, 2)
    single = by_mean(Guesses([2, 3, 2], [0, 0, 1], [40.0, 60.0, 70.0], range(3), players=4), 100)
    assert (single.value, single.interval.lower, single.interval.upper) == (20.0, -100.0, 100.0)


def compared(first: str, second: str) -> LunaRating:
    guessers, targets = [2, 3, 4, 5] * 2, [0] * 4 + [1] * 4
    values = [40.0, 50.0, 45.0, 55.0, 61.0, 70.0, 64.0, 76.0]
    guesses = Guesses(guessers, targets, values, range(8), players=6)
    games = LunaGames(("ann", "bob", "c", "d", "e", "f"), guesses, np.ones(8, dtype=bool), frozenset())
    return rate(games, RateConfig(rounds=200), difference=(first, second))


def test_the_finding_says_it_both_ways() -> None:
    found, turned = compared("ann", "bob"), compared("bob", "ann")
    assert found.difference is not None
    assert turned.difference is not None
    assert "People find bob smarter than ann: by 20.2" in found.difference.statement("mean")
    assert "People find ann less smart than bob: the difference is -20.2" in turned.difference.statement("mean")
    assert "Difference of two players" in str(found.report())
    values = json.loads(json.dumps(found.as_json(), allow_nan=False))["figures"]["difference"]
    assert values["players"] == ["ann", "bob"]
    assert {name: one["n"] for name, one in values["ratings"].items()} == {"mean": 8, "robust": 8, "severity": 8}
    unknown = compared("ann", "c").difference
    assert unknown is not None
    assert unknown.statement("mean") == "c and ann cannot be compared: people must have guessed both."


def test_who_is_not_there_and_a_player_against_itself() -> None:
    with pytest.raises(UnknownName, match="there is no player 'zoe'"):
        compared("ann", "zoe")
    with pytest.raises(BadInput, match="'ann' is compared with itself"):
        compared("ann", "ann")
