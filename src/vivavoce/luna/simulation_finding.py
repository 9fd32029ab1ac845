"""The finding of simulated games: figures of chapter 3 by number, and the table of attacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count
from vivavoce.interview.scope import Signature
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation import StrategyMixture, simulate
from vivavoce.luna.simulation_tables import (
    STEPS,
    AttackOutcome,
    FigureReadings,
    SimulatedFigure,
    attack_outcomes,
    draw_figures,
    over_trials,
)
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

SLIPS: Final = (
    "The percentile function gets a share instead of a percentage, so quantile guessers guess about the lowest rating.",
    "The first guess that a player receives is overwritten by the second.",
    "5 is the standard deviation of guesses; in the text it is their variance.",
    "A player's place is computed among actual guesses about all players; in the text, among opponents met before.",
)
"""Slips of an early program that explain the printed figures."""
PRINTED: Final[Mapping[str, str]] = {
    "3.2": "ratings quickly approach intelligence",
    "3.3": "from 0 to half of the range",
    "3.5": "a collapse",
    "3.7": "better after a delay, but far off",
    "3.8": "3.5 more for each tenth",
}
"""The thesis' text on each figure."""


@dataclass(frozen=True, slots=True, repr=False)
class LunaSimulation(ReportedFinding):
    """Figures of chapter 3 in both readings, and the table of attacks; either may be empty."""

    charts: tuple[FigureReadings, ...]
    attacks: tuple[AttackOutcome, ...]
    honest: Estimate | None
    """The mean distance with honest players and intelligence by Definition 4; None without Figure 3.2."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in a few plain sentences."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result of each part; the most informative comes first."""
        by_number = {drawn.figure.number: drawn for drawn in self.charts}
        sentences = []
        if "3.8" in by_number:
            ways = by_number["3.8"].corrected.slope_per_tenth, by_number["3.8"].as_published.slope_per_tenth
            sentences.append(
                f"Each tenth of players who follow a rule moves ratings {ways[0]:.1f} points; the thesis has 3.5, "
                f"and its program's slips give {ways[1]:.1f}."
            )
        if "3.5" in by_number:
            ends = [_value(curve.last.mean) for curve in (by_number["3.5"].corrected, by_number["3.5"].as_published)]
            sentences.append(
                f"Ratings do not collapse if all guess by quantiles: they end {ends[0]} points off, or {ends[1]} "
                "with the slips."
            )
        if not sentences and self.charts:
            drawn = self.charts[-1]
            sentences.append(
                f"{drawn.figure.title}: ratings end {_value(drawn.corrected.last.mean)} points from intelligence on average, "
                f"at most {_value(drawn.corrected.last.largest)}."
            )
        if self.attacks:
            sentences.append(_withstood(self.attacks))
        return tuple(sentences)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result, one sentence each."""
        caveats = [
            "These players are simulated: they meet at random, and honest guesses have the same spread for all. "
            "Real players choose when to play, learn, and share errors.",
            f"Numbers are means over {count(self.signature.settings['trials'])} trials; configurations of one "
            "figure use the same players.",
        ]
        if self.charts:
            caveats.append(
                "“As published” is a reconstruction; it reproduces the thesis' slope and collapse, by these slips. "
                + " ".join(SLIPS)
            )
            caveats.append(
                "Distances are from each player's value, which the thesis equates with intelligence. A constant "
                "guess of 50 ends 25 points off, not the 50 of the thesis' text; a guess of 0 does."
            )
        if self.honest is not None:
            caveats.append(
                "With intelligence as the mean of all players' opinions (the exact Definition 4), honest ratings "
                f"end {_value(self.honest, 2)} points off."
            )
        if self.attacks:
            caveats.append(
                "Guesses alone do not distinguish a bloc of half of all guesses from honest players, so it defeats "
                "every rating. No rating follows players who change."
            )
        return tuple(caveats)

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        return self.reported(
            "The Luna game, simulated",
            "Luna's rating in simulated games",
            blocks.InFull(blocks.paragraphs(*self.sentences[1:])),
            *self._ends()[:2],
            blocks.Caveats(self.caveats),
            *self._ends()[2:],
            *(
                blocks.ReportSection(f"Figure {drawn.figure.number}. {drawn.figure.title}", (blocks.ReportFigure(drawn.lines),))
                for drawn in self.charts
            ),
            blocks.ReportSection("Ratings under attack", self._attacks()),
            headline=self.sentences[0],
        )

    def _ends(self) -> tuple[blocks.Block, ...]:
        """The end of each figure in both readings, and why they differ."""
        if not self.charts:
            return ()
        heads = ("Figure", "As the text reads", "As published", "The thesis says")
        rows = tuple(
            blocks.ReportRow(
                TableCell(number := drawn.figure.number, below=(drawn.figure.title,), short=f"{number} {drawn.figure.title}"),
                (_end(drawn.corrected), _end(drawn.as_published), TableCell(PRINTED.get(number, ""))),
            )
            for drawn in self.charts
        )
        why = "The thesis' printed figures do not follow from its text. They do follow from an early program of its author"
        return (
            blocks.Paragraph("Distance of ratings from intelligence at the right end of each figure: mean / largest."),
            blocks.ReportTable(tuple(map(blocks.Column, heads)), rows),
            blocks.InFull(
                (blocks.ReportSection("Two readings", (blocks.Paragraph(f"{why}, with four slips:"), blocks.Items(SLIPS))),)
            ),
        )

    def _attacks(self) -> tuple[blocks.Block, ...]:
        if not self.attacks:
            return ()
        rows = tuple(
            blocks.ReportRow(
                TableCell(row.attack.words, below=("that player's rating",) if row.attack.targets_one_player else ()),
                tuple(_mean_distance(estimate) for estimate in row.mean.values()),
            )
            for row in self.attacks
        )
        return (
            blocks.Paragraph(
                "Mean distance of ratings from intelligence, with 95% intervals over trials. For an attack on one "
                "player, how far that player's rating moves."
            ),
            blocks.ReportTable((blocks.Column("What goes wrong"), *map(blocks.Column, METHODS)), rows),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown ones."""
        return {
            "curves": self.charts,
            "slips": SLIPS,
            "honest_by_definition_4": self.honest,
            "attacks": self.attacks,
            "methods": {name: method.words for name, method in METHODS.items()},
        }


def _withstood(rows: Sequence[AttackOutcome]) -> str:
    mixed = next(row for row in rows if row.attack.mixture.together == 0.3)
    bloc = next(row for row in rows if row.attack.words.startswith("A bloc of 50%"))
    mean, robust = (_value(mixed.mean[name]) for name in ("mean", "robust"))
    return (
        f"With 30% of players dishonest, the mean is {mean} points off and the robust rating {robust}. With a bloc "
        f"of half of the players they are {_value(bloc.mean['mean'])} and {_value(bloc.mean['robust'])} points off."
    )


def _value(estimate: Estimate, decimals: int = 1) -> str:
    return "–" if estimate.value is None else f"{estimate.value:.{decimals}f}"


def _end(curve: SimulatedFigure) -> TableCell:
    """Mean and largest distance at the end, and the slope."""
    slope = "" if curve.slope_per_tenth is None else f"; {curve.slope_per_tenth:.2f} a tenth"
    mean = curve.last.mean
    return TableCell(f"{_short(mean)} / {_value(curve.last.largest)}{slope}", mean.value, mean.interval)


def _mean_distance(estimate: Estimate) -> TableCell:
    ends = f"[{estimate.interval.lower:.2f}, {estimate.interval.upper:.2f}]".replace("-", "−")
    return TableCell(_short(estimate), estimate.value, estimate.interval, ends, known=estimate.value is not None)


def _short(estimate: Estimate) -> str:
    """A distance to two decimals, or to one above ten."""
    return _value(estimate, 2 if abs(estimate.value or 0.0) < 10 else 1).replace("-", "−")


def examine_simulation(
    numbers: Sequence[str],
    config: SimulationConfig,
    *,
    attacks: bool = False,
    executor: Executor | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> LunaSimulation:
    """Figures by number, each in both readings, and optionally the table of attacks.

    Raises `UnknownName` for a number that the chapter does not have, or an unknown method.

    >>> examine_simulation(["3.2"], SimulationConfig(trials=2)).charts[0].figure.title
    'All guess honestly'
    """

    def report_progress(words: str) -> None:
        if on_progress is not None:
            on_progress(words)

    figures = draw_figures(
        numbers,
        config,
        executor=executor,
        on_figure=lambda figure: report_progress(f"Figure {figure.number}: {figure.title}"),
    )
    honest = None
    if "3.2" in numbers:
        judged = replace(config, steps=STEPS, truth="judged")
        (values,) = simulate(judged, [StrategyMixture(times=(STEPS,))], executor=executor)
        honest = over_trials(values["mean"].mean[-1])
    rows = attack_outcomes(config, executor=executor, on_attack=lambda attack: report_progress(attack.words)) if attacks else []
    scope = ", ".join([*(f"Figure {number}" for number in numbers), *(["attacks"] if attacks else [])])
    settings = {name: getattr(config, name) for name in ("players", "trials", "variance", "rating")}
    return LunaSimulation(
        charts=tuple(figures),
        attacks=tuple(rows),
        honest=honest,
        signature=Signature(__version__, "luna simulate", "simulated players", scope, "", config.seed, settings),
    )
