"""Two versions of a machine: planted differences come out, who guessed is adjusted for, and too little is said."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import ttest_ind

from vivavoce.luna.config import VersionsConfig
from vivavoce.luna.machine_compare import OnSite, compare_versions
from vivavoce.luna.machine_compare_finding import MachineComparison
from vivavoce.luna.ratings import Guesses

TRUE = 5.0
OTHERS = 12


@dataclass(frozen=True)
class Guess:
    guesser: str
    version: str
    guess: float


def played(rng: np.random.Generator, people: int, *, both: float, later: float = 0.0) -> tuple[list[Guess], OnSite]:
    """People of a severity of their own guess one version or both, and four others each.

    later: how much higher who came later guesses everybody.
    """
    values = rng.uniform(30, 90, OTHERS)
    guesses, rows = [], []
    for person in range(people):
        late = person >= people / 2
        level = rng.normal(0, 12) + later * late
        for version in (0, 1) if rng.random() < both else (int(late),):
            guess = 50 + TRUE * version + level + rng.normal(0, 12)
            guesses.append(Guess(str(person), str(version), guess))
            rows.append((person, people + OTHERS + version, guess))
        for other in rng.choice(OTHERS, 4, replace=False):
            rows.append((person, people + other, values[other] + level + rng.normal(0, 12)))
    guessers, targets, values_of = zip(*rows, strict=True)
    site = Guesses(guessers, targets, values_of, range(len(rows)), players=people + OTHERS + 2)
    return guesses, OnSite(site, (people + OTHERS, people + OTHERS + 1))


def compared(rng: np.random.Generator, people: int, *, both: float, later: float = 0.0) -> MachineComparison:
    guesses, site = played(rng, people, both=both, later=later)
    return compare_versions("My model", ("0", "1"), guesses, site, VersionsConfig(rounds=200))


@pytest.mark.long
@pytest.mark.parametrize("both", [0.0, 0.5])
def test_both_intervals_cover(both: float) -> None:
    rng = np.random.default_rng(11)
    hits, trials = np.zeros(2), 100
    for _ in range(trials):
        found = compared(rng, 20, both=both)
        assert found.difference is not None
        for place, one in enumerate((found.difference[0], found.adjusted)):
            assert one is not None
            hits[place] += one.interval.lower <= TRUE <= one.interval.upper
    assert hits.min() >= 88  # of 95, less three standard deviations of 2.2


@pytest.mark.long
def test_adjusting_removes_what_later_guessers_give_everybody() -> None:
    rng = np.random.default_rng(5)
    raw, adjusted = [], []
    for _ in range(20):
        found = compared(rng, 60, both=0.0, later=10.0)
        assert found.difference is not None
        assert found.adjusted is not None
        raw.append((found.difference[0].value or 0.0) - TRUE)
        adjusted.append((found.adjusted.value or 0.0) - TRUE)
    assert np.mean(raw) == pytest.approx(10, abs=3)
    assert abs(np.mean(adjusted)) < 0.5 * np.mean(raw)


def test_guesses_of_strangers_are_welchs() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.normal(40, 10, 15), rng.normal(60, 10, 20)
    guesses = [Guess(f"a{n}", "1", value) for n, value in enumerate(one)] + [
        Guess(f"b{n}", "2", v) for n, v in enumerate(other)
    ]
    found = compare_versions("My model", ("1", "2"), [*guesses, Guess("x", "3", 0.0)])
    assert found.difference is not None
    estimate, p = found.difference
    theirs = ttest_ind(other, one, equal_var=False)
    assert estimate.value == pytest.approx(other.mean() - one.mean())
    bounds = theirs.confidence_interval()
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((bounds.low, bounds.high), abs=0.3)
    assert p < 0.001
    assert "People find version 2 of My model smarter than version 1" in found.statement
    assert [one.mean.n for one in found.versions] == [15, 20]
    assert found.adjusted is None
    values = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert values["difference"]["n"] == 35
    assert values["adjusted"] is None
    turned = compare_versions("My model", ("2", "1"), guesses)
    assert "less smart" in turned.statement
    assert turned.difference is not None
    assert turned.difference[0].value == pytest.approx(-(estimate.value or 0))
    assert "Mean of people's guesses" in str(found.report())


@pytest.mark.parametrize(
    "guesses",
    [
        [],
        [Guess("a", "1", 50.0)],
        [Guess("a", "1", 50.0), Guess("b", "2", 60.0)],
        [Guess("a", v, 50.0) for v in ("1", "2")] * 5,
    ],
)
def test_too_little_is_said_and_is_not_0(guesses: list[Guess]) -> None:
    found = compare_versions("My model", ("1", "2"), guesses)
    assert found.difference is None
    assert found.statement.startswith("Too little to compare versions of My model")
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["difference"] is None
    assert "too little to say" in str(found.report())
