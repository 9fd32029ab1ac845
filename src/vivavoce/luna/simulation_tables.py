"""The simulations behind each figure of silver2016's chapter 3, in both readings, and behind our table of attacks on ratings.

Attacks go beyond the thesis: dishonest, biased, colluding and drifting players. There, intelligence is the mean of all players'
opinions (Definition 4), and guesses have a deviation of 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, Literal

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import UnknownName
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation import Strategy, StrategyMixture, simulate
from vivavoce.report import figures
from vivavoce.report.figures import Axis, Line, Lines, Unit
from vivavoce.statistics.betting import Floats

Across = Literal["games", "share", "delay"]
"""The quantity on the x axis of a figure."""
ACROSS: Final[Mapping[Across, tuple[str, Unit]]] = {
    "games": ("Games played", "number"),
    "share": ("Share of such players (%)", "percent"),
    "delay": ("Honest games before 500 more", "number"),
}
"""The name of the axis, and its unit."""
STEPS: Final = 1_000
AFTER_DELAY: Final = 500
"""Games with quantile guessing after a delay (Figure 3.7)."""
SHARES: Final = tuple(tenths / 10 for tenths in range(11))
DELAYS: Final = tuple(range(0, 1_001, 100))
MOMENTS: Final = (10, *range(25, STEPS + 1, 25))
COMBINED: Final = (Strategy.RANDOM, Strategy.MINIMUM, Strategy.MEAN, Strategy.QUANTILE)


@dataclass(frozen=True, slots=True)
class ChapterFigure:
    """The content of one figure."""

    number: str
    title: str
    across: Across
    strategies: tuple[Strategy, ...]


FIGURES: Final[Mapping[str, ChapterFigure]] = {
    figure.number: figure
    for figure in (
        ChapterFigure("3.1", "All guess at random", "games", (Strategy.RANDOM,)),
        ChapterFigure("3.2", "All guess honestly", "games", ()),
        ChapterFigure("3.3", "Some always guess 0", "share", (Strategy.MINIMUM,)),
        ChapterFigure("3.4", "Some guess the mean of all ratings", "share", (Strategy.MEAN,)),
        ChapterFigure("3.5", "All guess by quantiles", "games", (Strategy.QUANTILE,)),
        ChapterFigure("3.6", "Some guess by quantiles", "share", (Strategy.QUANTILE,)),
        ChapterFigure("3.7", "All guess by quantiles after a delay", "delay", (Strategy.QUANTILE,)),
        ChapterFigure("3.8", "Some guess at random, 0, the mean, or by quantiles", "share", COMBINED),
    )
}
"""Figures by number."""


@dataclass(frozen=True, slots=True)
class SimulationPoint:
    """One point of a figure; intervals are over trials."""

    x: float
    """Games, share of players, or delay in games."""
    mean: Estimate
    """The mean distance of ratings from intelligence."""
    largest: Estimate


@dataclass(frozen=True, slots=True)
class SimulatedFigure:
    """A figure in one reading."""

    points: tuple[SimulationPoint, ...]
    slope_per_tenth: float | None
    """Points that each tenth of players adds to the mean distance, by least squares; None if the figure is not about shares."""

    @property
    def last(self) -> SimulationPoint:
        """The point after all games, with all players, or after the longest delay."""
        return self.points[-1]

    def lines(self, words: str) -> tuple[Line, Line]:
        """The mean with its interval, and the largest distance; `words` names the reading."""
        places = [point.x for point in self.points]
        mean = figures.LinePoint.all_of(places, (point.mean for point in self.points))
        largest = tuple(
            figures.LinePoint(point.x, point.largest.value) for point in self.points if point.largest.value is not None
        )
        return Line(f"mean, {words}", mean, marked=False, band=True), Line(f"largest, {words}", largest, marked=False)


@dataclass(frozen=True, slots=True)
class FigureReadings:
    """A figure in both readings."""

    figure: ChapterFigure
    corrected: SimulatedFigure
    """The text as written."""
    as_published: SimulatedFigure
    """The result with the slips behind the printed figures."""

    json_keys = "figure=figure.number title=figure.title across=figure.across corrected as_published"

    @property
    def lines(self) -> Lines:
        """Mean and largest distance of ratings from intelligence, in both readings."""
        ways = (("as the text reads", self.corrected), ("as published", self.as_published))
        ends = [
            f"{words} {drawn.last.mean.value or 0.0:.1f} on average and {drawn.last.largest.value or 0.0:.1f} at most"
            for words, drawn in ways
        ]
        alt = (
            f"{self.figure.title}: distance of ratings from intelligence at the right end, {'; '.join(ends)}. Bands are 95% "
            "intervals over trials."
        )
        top = max(point.largest.value or 0.0 for _, drawn in ways for point in drawn.points)
        right = max(point.x for point in self.corrected.points)
        label, unit = ACROSS[self.figure.across]
        upwards = Axis("Distance from intelligence, points", span=(0.0, 1.05 * top or 1.0))
        lines = tuple(line for words, drawn in ways for line in drawn.lines(words))
        return Lines(Axis(label, unit, span=(0.0, right)), upwards, lines, alt)


def draw_figures(
    numbers: Sequence[str],
    config: SimulationConfig,
    *,
    executor: Executor | None = None,
    on_figure: Callable[[ChapterFigure], None] | None = None,
) -> list[FigureReadings]:
    """Figures by their numbers, each in both readings.

    Raises `UnknownName` for a number that the chapter does not have, or an unknown method.

    >>> (found,) = draw_figures(["3.3"], SimulationConfig(trials=2))
    >>> 4.5 < found.corrected.slope_per_tenth < 5.5
    True
    """
    readings = []
    for number in numbers:
        if number not in FIGURES:
            raise UnknownName("figure", number, FIGURES)
        figure = FIGURES[number]
        if on_figure is not None:
            on_figure(figure)
        corrected = curve(figure, config, executor=executor)
        readings.append(FigureReadings(figure, corrected, curve(figure, config, as_published=True, executor=executor)))
    return readings


def curve(
    figure: ChapterFigure,
    config: SimulationConfig,
    *,
    as_published: bool = False,
    executor: Executor | None = None,
) -> SimulatedFigure:
    """One figure in one reading; the published reading has the mean only."""
    mixtures = _mixtures(figure)
    steps = max(max(mixture.times) for mixture in mixtures)
    method = "mean" if as_published else config.rating
    longer = replace(config, steps=steps)
    by_mixture = simulate(longer, mixtures, methods=(method,), as_published=as_published, executor=executor)
    errors = [by_method[method] for by_method in by_mixture]
    if figure.across == "games":
        places: Sequence[float] = mixtures[0].times
        rows = [(errors[0].mean[index], errors[0].largest[index]) for index in range(len(places))]
    else:
        places = DELAYS if figure.across == "delay" else SHARES
        rows = [(error.mean[-1], error.largest[-1]) for error in errors]
    points = tuple(
        SimulationPoint(x, over_trials(mean), over_trials(largest)) for x, (mean, largest) in zip(places, rows, strict=True)
    )
    slope = None
    if figure.across == "share":
        slope = float(np.polyfit([10 * x for x in places], [mean.mean() for mean, _ in rows], 1)[0])
    return SimulatedFigure(points, slope)


def over_trials(values: Floats, *, lowest: float = 0.0) -> Estimate:
    """The mean over trials with a 95% interval by Student's t; trials without ratings are left out.

    Parameters
    ----------
    lowest: the smallest possible value; distances are 0 or more.
    """
    known = values[~np.isnan(values)]
    mean = float(known.mean()) if known.size else None
    if mean is None or known.size < 2:
        return Estimate(mean, Interval(lowest, 100.0), int(known.size))
    half = float(stdtrit(known.size - 1, 0.975)) * float(known.std(ddof=1)) / sqrt(known.size)
    return Estimate(mean, Interval(mean - half, mean + half), int(known.size))


def _mixtures(figure: ChapterFigure) -> list[StrategyMixture]:
    evenly = tuple((strategy, 1.0 / len(figure.strategies)) for strategy in figure.strategies)
    if figure.across == "games":
        return [StrategyMixture(evenly, times=MOMENTS)]
    if figure.across == "delay":
        return [StrategyMixture(evenly, delay=delay, times=(delay + AFTER_DELAY,)) for delay in DELAYS]
    return [StrategyMixture(evenly, together=share, times=(STEPS,)) for share in SHARES]


VARIANCE: Final = 25.0
MIXED: Final = tuple((strategy, 1 / 3) for strategy in (Strategy.RANDOM, Strategy.MINIMUM, Strategy.MEAN))
"""Quantile guessers are left out: they do almost no harm."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A kind of attack, and its size."""

    words: str
    mixture: StrategyMixture
    severity: float = 0.0
    drift: float = 0.0
    targets_one_player: bool = False
    """Whether it targets the rating of one player."""


def _by(strategy: Strategy, share: float, *, delay: int = 0) -> StrategyMixture:
    return StrategyMixture(((strategy, share),), delay=delay, times=(STEPS,))


ATTACKS: Final[Sequence[Attack]] = (
    Attack("All are honest", StrategyMixture(times=(STEPS,))),
    Attack("10% guess at random, 0, or the mean", StrategyMixture(MIXED, together=0.1, times=(STEPS,))),
    Attack("30% do", StrategyMixture(MIXED, together=0.3, times=(STEPS,))),
    Attack("50% do", StrategyMixture(MIXED, together=0.5, times=(STEPS,))),
    Attack(
        "30% begin honest, and do so in the second half", StrategyMixture(MIXED, together=0.3, delay=STEPS // 2, times=(STEPS,))
    ),
    Attack("30% begin honest, and guess 0 in the second half", _by(Strategy.MINIMUM, 0.3, delay=STEPS // 2)),
    Attack("All are honest, each with a severity of deviation 15", StrategyMixture(times=(STEPS,)), severity=15.0),
    Attack("A bloc of 10% guesses 100 for its own, 0 for others", _by(Strategy.BLOC, 0.1)),
    Attack("A bloc of 30% does", _by(Strategy.BLOC, 0.3)),
    Attack("A bloc of 30% guesses 0", _by(Strategy.MINIMUM, 0.3)),
    Attack("A bloc of 50% guesses 0", _by(Strategy.MINIMUM, 0.5)),
    Attack("10% of guesses come from throwaway accounts, all 0", _by(Strategy.THROWAWAY, 0.1)),
    Attack("30% of guesses", _by(Strategy.THROWAWAY, 0.3)),
    Attack("10% guess 0 for one player, honestly for others", _by(Strategy.DETRACTOR, 0.1), targets_one_player=True),
    Attack("30% guess 100 for one player, honestly for others", _by(Strategy.BOOSTER, 0.3), targets_one_player=True),
    Attack("Players change, by a deviation of 10 over all games", StrategyMixture(times=(STEPS,)), drift=10.0),
)
"""The rows of the table."""


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """The errors of each rating under one attack, a row of the table."""

    attack: Attack
    mean: Mapping[str, Estimate]
    """By method: the mean distance of ratings from intelligence; for an attack on one player, the signed distance of that
    player's rating."""
    largest: Mapping[str, Estimate]
    """The largest distance of any player."""

    json_keys = "attack=attack.words targets_one_player=attack.targets_one_player mean largest"


def attack_outcomes(
    config: SimulationConfig, *, executor: Executor | None = None, on_attack: Callable[[Attack], None] | None = None
) -> list[AttackOutcome]:
    """The table; `config` gives players, trials and seed.

    >>> rows = attack_outcomes(SimulationConfig(players=20, trials=2))
    >>> rows[2].mean["mean"].value > 3 * rows[2].mean["robust"].value
    True
    """
    outcomes = []
    for attack in ATTACKS:
        if on_attack is not None:
            on_attack(attack)
        settings = replace(config, steps=STEPS, variance=VARIANCE, truth="judged", severity=attack.severity, drift=attack.drift)
        (errors,) = simulate(settings, [attack.mixture], methods=tuple(METHODS), executor=executor)
        if attack.targets_one_player:
            means = {name: over_trials(got.of_last[-1], lowest=-100.0) for name, got in errors.items()}
        else:
            means = {name: over_trials(got.mean[-1]) for name, got in errors.items()}
        largest = {name: over_trials(got.largest[-1]) for name, got in errors.items()}
        outcomes.append(AttackOutcome(attack, means, largest))
    return outcomes
