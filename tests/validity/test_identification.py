"""Simulated judges of who is a machine: how far estimated humanity is off, whether intervals cover, and what dishonesty does.

Signal detection (`green1966`): what a judge sees of a player is normal with deviation 1 around that player's place plus the
judge's bias, and the judge says person where it is above 0. Machines lie where the chance to pass, on average over judges, is
`passes`; people lie `sensitivity` higher. Sureness is what the seen evidence is worth between the two, half each, and 50 where
the bias says otherwise. Each judgement is by a judge drawn anew.

Run it with `python -m tests.validity.test_identification`; the table is in docs/appendix/luna.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, Literal

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna.identification import Identification, called_human, humanity, judge_skills
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.simulation_tables import over_trials
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.clustered import share_interval

JUDGED: Final = 20
"""Players who are judged, half of them machines."""
Dishonest = Literal["", "machine", "person", "random"]
"""What dishonest judges say: nothing, for there are none; always the same, and certain; or one of both by lot, 75% sure."""


@dataclass(frozen=True, slots=True)
class World:
    """Who is judged, by how many judges, and how often."""

    players: int = 100
    """Judges."""
    trials: int = 100
    seed: int = 0
    passes: float = 0.3
    """Chance that a machine passes for a person with an honest judge, on average over judges."""
    sensitivity: float = 1.5
    """How far people lie from machines in a judge's eyes (d'), in deviations of what a judge sees of one player."""
    bias: float = 0.5
    """Deviation of how much more readily a judge says person than others do, on the same scale."""


@dataclass(frozen=True, slots=True)
class Judges:
    """Who judges, and how often each player is judged."""

    judgements: int
    """A player."""
    dishonest: Dishonest = ""
    share: float = 0.0
    """Of judges who are dishonest."""

    @property
    def words(self) -> str:
        """For a table."""
        if not self.share:
            return f"All are honest, {self.judgements} judgements a player"
        document = {"machine": "always say machine", "person": "always say person", "random": "say one or the other at random"}
        return f"{self.share:.0%} {document[self.dishonest or 'random']}, {self.judgements} judgements a player"


ROWS: Final[Sequence[Judges]] = (
    *(Judges(number) for number in (5, 10, 20, 50, 100)),
    *(Judges(20, "machine", share) for share in (0.1, 0.3, 0.5)),
    Judges(20, "person", 0.3),
    Judges(20, "random", 0.3),
)
"""Of the table."""


@dataclass(frozen=True, slots=True)
class IdentificationRow:
    """What came of it."""

    judges: Judges
    error: Estimate
    """Root of the mean squared error, over players and trials, of the share of judgements that say person, from 0 to 1."""
    expected_error: Estimate
    """The same of the share by which players are ordered."""
    coverage: Estimate
    """How often the 95% interval of a player holds the chance that an honest judge says person; n players."""
    machines_coverage: Estimate
    """The same of the share of all machines together; n trials."""
    honest_points: Estimate
    """Mean points of honest judges on the ladder."""
    dishonest_points: Estimate
    """Of the others; without value where there are none."""


@dataclass(frozen=True, slots=True)
class _Trial:
    squared: float
    expected_squared: float
    covered: tuple[bool, ...]
    machines_covered: bool
    honest_points: float
    dishonest_points: float


def simulate_identification(world: World, rows: Sequence[Judges] = ROWS) -> list[IdentificationRow]:
    """The table."""
    identification_rows = []
    for row in rows:
        made = [_trial(world, row, trial) for trial in range(world.trials)]
        covered = [hit for entry in made for hit in entry.covered]
        by_trial = [(number,) for number, entry in enumerate(made) for _ in entry.covered]
        identification_rows.append(
            IdentificationRow(
                row,
                _root(over_trials(np.array([entry.squared for entry in made]))),
                _root(over_trials(np.array([entry.expected_squared for entry in made]))),
                Estimate(float(np.mean(covered)), Interval(*share_interval(covered, by_trial)), len(covered)),
                _covered([entry.machines_covered for entry in made]),
                over_trials(np.array([entry.honest_points for entry in made]), lowest=-300.0),
                over_trials(np.array([entry.dishonest_points for entry in made]), lowest=-300.0),
            )
        )
    return identification_rows


def draw_judgements(world: World, judges: Judges, rng: np.random.Generator) -> tuple[list[Identification], Floats]:
    """Judgements, and for each player the chance that an honest judge says person; people are the second half."""
    truth = ndtr(ndtri(world.passes) + world.sensitivity * (np.arange(JUDGED) >= JUDGED // 2))
    # a normal bias leaves the mean over judges where it is if places are stretched by as much as it adds to what is seen
    position = ndtri(truth) * np.sqrt(1 + world.bias**2)
    bias = world.bias * rng.standard_normal(world.players)
    number = round(judges.share * world.players)
    target = np.repeat(np.arange(JUDGED), judges.judgements)
    judge = rng.integers(0, world.players, target.size)
    seen = position[target] + bias[judge] + rng.standard_normal(target.size)
    middle = (position[0] + position[-1]) / 2
    worth = expit((position[-1] - position[0]) * (seen - middle))  # that it is a person
    values = seen > 0
    sure = np.maximum(50.0, 100 * np.where(values, worth, 1 - worth))
    lying = judge < number
    values, sure = _dishonest(judges.dishonest, values, sure, lying, rng)
    made = [
        Identification(f"judge {by}", f"player {of}", of >= JUDGED // 2, PersonOrMachine(bool(human), float(confidence)))
        for by, of, human, confidence in zip(judge.tolist(), target.tolist(), values, sure, strict=True)
    ]
    return made, np.asarray(truth)


def _dishonest(
    how: Dishonest, values: NDArray[np.bool_], sure: Floats, lying: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Floats]:
    if how in ("machine", "person"):
        return np.where(lying, how == "person", values), np.where(lying, 100.0, sure)
    return np.where(lying, rng.random(values.size) < 0.5, values), np.where(lying, 75.0, sure)


def _trial(world: World, judges: Judges, trial: int) -> _Trial:
    rng = np.random.default_rng((world.seed, trial, judges.judgements))
    made, truth = draw_judgements(world, judges, rng)
    values = {int(entry.player.split()[1]): entry for entry in humanity(made)}
    shares, expected = (
        np.array([getattr(values[player], name).value for player in range(JUDGED)]) for name in ("share", "expected")
    )
    machines = called_human([identification for identification in made if not identification.human])
    ladder = judge_skills(made) or []
    liars = {f"judge {number}" for number in range(round(judges.share * world.players))}
    points: dict[bool, list[float]] = {True: [], False: []}
    for skill in ladder:
        points[skill.player not in liars].append(skill.points.value or 0.0)
    return _Trial(
        float(np.mean((shares - truth) ** 2)),
        float(np.mean((expected - truth) ** 2)),
        tuple(float(truth[player]) in values[player].share.interval for player in range(JUDGED)),
        world.passes in machines.interval,
        float(np.mean(points[True])) if points[True] else float("nan"),
        float(np.mean(points[False])) if points[False] else float("nan"),
    )


def _root(squared: Estimate) -> Estimate:
    ends = (sqrt(max(0.0, end)) for end in (squared.interval.lower, squared.interval.upper))
    return Estimate(None if squared.value is None else sqrt(squared.value), Interval(*ends), squared.n)


def _covered(hits: Sequence[bool]) -> Estimate:
    return Estimate(float(np.mean(hits)), Interval(*share_interval(hits, [()] * len(hits))), len(hits))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    world = World(trials=parser.parse_args().trials)
    heads = ("judges", "error of the share", "of what is expected", "a player's interval covers", "that of all machines")
    print(f"| {' | '.join((*heads, 'points of honest judges', 'of the others'))} |\n|{' --- |' * 7}")
    for judges in ROWS:
        (row,) = simulate_identification(world, [judges])
        errors = [f"{100 * (estimate.value or 0.0):.1f}" for estimate in (row.error, row.expected_error)]
        covered = [f"{estimate.value:.0%}" for estimate in (row.coverage, row.machines_coverage)]
        points = [
            "" if estimate.value is None else f"{estimate.value:.0f}" for estimate in (row.honest_points, row.dishonest_points)
        ]
        print(f"| {' | '.join((judges.words, *errors, *covered, *points))} |", flush=True)


UNBIASED = World(players=500, trials=40, bias=1e-9, passes=0.3, sensitivity=1.5)
PERSON = float(ndtr(ndtri(0.3) + 1.5))
"""How often an honest judge takes a person for one."""


def covered_by_hand(number: int) -> float:
    """How often Clopper and Pearson's interval holds a machine's chance, or a person's, with so many judgements."""
    held = 0.0
    for chance in (0.3, PERSON):
        for hits in range(number + 1):
            ends = scipy.stats.binomtest(hits, number).proportion_ci(0.95, method="exact")
            held += float(scipy.stats.binom.pmf(hits, number, chance)) * (ends.low <= chance <= ends.high) / 2
    return held


@pytest.mark.long
@pytest.mark.parametrize("number", [5, 40])
def test_the_error_is_the_binomial_one(number: int) -> None:
    """Of n judgements a share has the variance p (1 - p) / n: half of the players at .3, half at .835."""
    (row,) = simulate_identification(UNBIASED, [Judges(number)])
    expected = sqrt((0.3 * 0.7 + PERSON * (1 - PERSON)) / 2 / number)
    assert row.error.value == pytest.approx(expected, rel=0.1)  # 800 shares: 2.5% is one standard error, nearly
    assert row.expected_error.value is not None
    assert row.expected_error.value < expected
    assert row.coverage.value is not None
    assert row.coverage.value == pytest.approx(covered_by_hand(number), abs=0.02)
    assert row.dishonest_points.value is None


@pytest.mark.parametrize(("bias", "sensitivity"), [(0.5, 1.5), (1.5, 0.5)])
def test_players_pass_as_often_as_is_told_whatever_the_bias_of_judges(bias: float, sensitivity: float) -> None:
    config = World(players=2_000, bias=bias, sensitivity=sensitivity, passes=0.2)
    made, truth = draw_judgements(config, Judges(4_000), np.random.default_rng(5))
    for human, chance in ((False, 0.2), (True, float(ndtr(ndtri(0.2) + sensitivity)))):
        says = [identification.said.human for identification in made if identification.human is human]
        assert truth[-1 if human else 0] == pytest.approx(chance)
        assert np.mean(says) == pytest.approx(chance, abs=0.03)  # judges differ: 2,000 of them, .3 each, make .01


@pytest.mark.long
@pytest.mark.parametrize(
    ("dishonest", "bias_of_share", "points"),
    [
        ("machine", -0.5, -100.0),  # half right and certain: (100 - 300) / 2
        ("person", 0.5, -100.0),
        ("random", 0.0, -25.0),  # half right at 75%: (75 - 125) / 2
    ],
)
def test_dishonest_judges_by_hand(dishonest: str, bias_of_share: float, points: float) -> None:
    """Half of the judges: shares are the mean of honest ones and 0, 1 or a half."""
    judges = Judges(40, dishonest, 0.5)  # type: ignore[arg-type]
    (row,) = simulate_identification(UNBIASED, [judges])
    assert row.dishonest_points.value == pytest.approx(points, abs=6)
    assert row.honest_points.value is not None
    assert row.honest_points.value > 20
    value = 0.5 + bias_of_share
    off = sqrt(((0.3 - value) ** 2 + (PERSON - value) ** 2) / 2) / 2
    chance = sqrt(0.25 / 40)
    assert row.coverage.value is not None
    assert row.coverage.value < 0.8
    assert off - 0.02 < (row.error.value or 0) < sqrt(off**2 + chance**2) + 0.02


def test_the_same_numbers_come_again() -> None:
    config = World(players=10, trials=3, seed=4)
    first, second = (simulate_identification(config, [Judges(5), Judges(5, "machine", 0.3)]) for _ in range(2))
    assert first == second
    assert first[0].coverage.n == 3 * JUDGED


if __name__ == "__main__":
    main()
