"""Which rating withstands what: dishonest, biased, colluding and drifting players, beyond the thesis.

Intelligence is here the mean of what all find of a player (Definition 4), and guesses have a deviation of 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.formats.interval import Estimate
from vivavoce.luna.chapter3 import STEPS, over_trials
from vivavoce.luna.config import SimulationConfig
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.simulation import simulate
from vivavoce.luna.strategies import Mixture, Strategy

VARIANCE: Final = 25.0
MIXED: Final = tuple((strategy, 1 / 3) for strategy in (Strategy.RANDOM, Strategy.MINIMUM, Strategy.MEAN))
"""Quantile guessers are left out: they do next to no harm."""


@dataclass(frozen=True, slots=True)
class Attack:
    """What goes wrong, and how much of it."""

    words: str
    mixture: Mixture
    severity: float = 0.0
    drift: float = 0.0
    about_one: bool = False
    """Whether it is about the rating of one player."""


def _by(strategy: Strategy, share: float, *, delay: int = 0) -> Mixture:
    return Mixture(((strategy, share),), delay=delay, times=(STEPS,))


ATTACKS: Final[Sequence[Attack]] = (
    Attack("All are honest", Mixture(times=(STEPS,))),
    Attack("10% guess at random, 0, or the mean", Mixture(MIXED, together=0.1, times=(STEPS,))),
    Attack("30% do", Mixture(MIXED, together=0.3, times=(STEPS,))),
    Attack("50% do", Mixture(MIXED, together=0.5, times=(STEPS,))),
    Attack("30% begin honest, and do in the second half", Mixture(MIXED, together=0.3, delay=STEPS // 2, times=(STEPS,))),
    Attack("30% begin honest, and guess 0 in the second half", _by(Strategy.MINIMUM, 0.3, delay=STEPS // 2)),
    Attack("All are honest, each with a severity of deviation 15", Mixture(times=(STEPS,)), severity=15.0),
    Attack("A bloc of 10% guesses 100 for its own, 0 for others", _by(Strategy.BLOC, 0.1)),
    Attack("A bloc of 30% does", _by(Strategy.BLOC, 0.3)),
    Attack("A bloc of 30% guesses 0", _by(Strategy.MINIMUM, 0.3)),
    Attack("A bloc of 50% guesses 0", _by(Strategy.MINIMUM, 0.5)),
    Attack("10% of guesses come from throwaway accounts, all 0", _by(Strategy.THROWAWAY, 0.1)),
    Attack("30% of guesses do", _by(Strategy.THROWAWAY, 0.3)),
    Attack("10% guess 0 for one player, honestly for others", _by(Strategy.DETRACTOR, 0.1), about_one=True),
    Attack("30% guess 100 for one player, honestly for others", _by(Strategy.BOOSTER, 0.3), about_one=True),
    Attack("Players change, by a deviation of 10 over all games", Mixture(times=(STEPS,)), drift=10.0),
)
"""The rows of the table."""


@dataclass(frozen=True, slots=True)
class Withstood:
    """One row of the table."""

    attack: Attack
    mean: Mapping[str, Estimate]
    """By way of rating: the mean distance of ratings from intelligence; for an attack on one player, of that one's rating,
    with its sign."""
    largest: Mapping[str, Estimate]
    """The largest distance of any player."""


def withstand(
    config: SimulationConfig, *, executor: Executor | None = None, on_attack: Callable[[Attack], None] | None = None
) -> list[Withstood]:
    """The table; `config` gives players, trials and seed.

    >>> rows = withstand(SimulationConfig(players=20, trials=2))
    >>> rows[2].mean["mean"].value > 3 * rows[2].mean["robust"].value
    True
    """
    found = []
    for attack in ATTACKS:
        if on_attack is not None:
            on_attack(attack)
        one = replace(config, steps=STEPS, variance=VARIANCE, truth="judged", severity=attack.severity, drift=attack.drift)
        (errors,) = simulate(one, [attack.mixture], methods=tuple(METHODS), executor=executor)
        if attack.about_one:
            means = {name: over_trials(got.of_last[-1], lowest=-100.0) for name, got in errors.items()}
        else:
            means = {name: over_trials(got.mean[-1]) for name, got in errors.items()}
        largest = {name: over_trials(got.largest[-1]) for name, got in errors.items()}
        found.append(Withstood(attack, means, largest))
    return found
