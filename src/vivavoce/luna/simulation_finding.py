"""Simulated games put together to a finding: figures of chapter 3 by number, and the table of attacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count
from vivavoce.interview.scope import Signature
from vivavoce.luna.attacks import Withstood, withstand
from vivavoce.luna.chapter3 import STEPS, Curve, Drawn, draw_figures, over_trials
from vivavoce.luna.config import SimulationConfig
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.simulation import simulate
from vivavoce.luna.strategies import Mixture
from vivavoce.report.blocks import Block, Caveats, Column, Figure, InFull, Items, Paragraph, Report, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported
from vivavoce.version import __version__

SLIPS: Final = (
    "the percentile function is given a share where it wants percents, so that quantile guessers guess about the lowest rating",
    "the first guess that a player receives is overwritten by the second",
    "5 is the standard deviation of guesses, where the text has it as their variance",
    "a player's place is taken among actual guesses of everybody, met or not, where the text has opponents met before",
)
"""Of an early program, which lead to the figures that the thesis prints."""
PRINTED: Final[Mapping[str, str]] = {
    "3.2": "ratings quickly come to intelligence",
    "3.3": "from 0 to half of the range",
    "3.5": "a collapse",
    "3.7": "better after a delay, yet far off",
    "3.8": "3.5 more for each tenth",
}
"""What the thesis' text says about its figures."""


@dataclass(frozen=True, slots=True, repr=False)
class LunaSimulation(Reported):
    """Figures of chapter 3 in both readings, and the table of attacks; either may be empty."""

    figures: tuple[Drawn, ...]
    attacks: tuple[Withstood, ...]
    honest: Estimate | None
    """The mean distance with honest players where intelligence is Definition 4 to the letter; None without Figure 3.2."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in a few plain sentences."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each part says; the first is the most telling."""
        by_number = {drawn.figure.number: drawn for drawn in self.figures}
        told = []
        if "3.8" in by_number:
            ways = by_number["3.8"].corrected.slope, by_number["3.8"].as_published.slope
            told.append(
                f"Each tenth of players who guess by a rule in place of the answers moves ratings {ways[0]:.1f} points off; "
                f"the thesis has 3.5, and with its program's slips it is {ways[1]:.1f}."
            )
        if "3.5" in by_number:
            ends = [_value(way.last.mean) for way in (by_number["3.5"].corrected, by_number["3.5"].as_published)]
            told.append(
                f"Ratings do not collapse if all guess by quantiles: they end {ends[0]} points off; with the slips {ends[1]}."
            )
        if not told and self.figures:
            drawn = self.figures[-1]
            told.append(
                f"{drawn.figure.title}: ratings end {_value(drawn.corrected.last.mean)} points from intelligence on average, "
                f"at most {_value(drawn.corrected.last.largest)}."
            )
        if self.attacks:
            told.append(_withstood(self.attacks))
        return tuple(told)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            "These players are simulated: anybody meets anybody equally often, and honest guesses scatter alike for all. "
            "Real ones choose when to play, learn, and err together.",
            f"Numbers are means over {count(self.signature.settings['trials'])} trials; configurations of one figure meet the "
            "same players.",
        ]
        if self.figures:
            told.append(
                f"“As published” is a reconstruction; the thesis' slope and collapse come out of it. In it {'; '.join(SLIPS)}."
            )
            told.append(
                "Distances are from each player's value, which the thesis takes for intelligence. A constant guess of 50 ends "
                "25 points off, not the 50 of the thesis' text; 0 does."
            )
        if self.honest is not None:
            told.append(
                f"With intelligence as the mean of what all find of a player (Definition 4 to the letter) honest ratings end "
                f"{_value(self.honest, 2)} points off."
            )
        if self.attacks:
            told.append(
                "Nothing in guesses alone distinguishes a bloc of half of all guesses from honest players: no rating "
                "withstands it. Nor does one follow players who change."
            )
        return tuple(told)

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "The Luna game, simulated",
            "Luna's rating in simulated games",
            InFull(paragraphs(*self.sentences[1:])),
            *self._ends(),
            *(Section(f"Figure {drawn.figure.number}. {drawn.figure.title}", (Figure(drawn.lines),)) for drawn in self.figures),
            Section("Which rating withstands what", self._attacks()),
            Caveats(self.caveats),
            headline=self.sentences[0],
        )

    def _ends(self) -> tuple[Block, ...]:
        """Where each figure ends in both readings, and why these differ."""
        if not self.figures:
            return ()
        heads = ("Figure", "As the text reads", "As published", "The thesis says")
        rows = tuple(
            Row(
                Cell(number := drawn.figure.number, below=(drawn.figure.title,), short=f"{number} {drawn.figure.title}"),
                (_end(drawn.corrected), _end(drawn.as_published), Cell(PRINTED.get(number, ""))),
            )
            for drawn in self.figures
        )
        why = (
            "The figures that the thesis prints do not follow from its text. They do follow from an early program of its author"
        )
        return (
            Paragraph("How far ratings are from intelligence at the right end of each figure: on average / at most."),
            Table(tuple(map(Column, heads)), rows),
            InFull(
                (Section("Two readings", (Paragraph(f"{why}, with four slips:"), Items(tuple(f"{slip}." for slip in SLIPS)))),)
            ),
        )

    def _attacks(self) -> tuple[Block, ...]:
        if not self.attacks:
            return ()
        rows = tuple(
            Row(
                Cell(row.attack.words, below=("that player's rating",) if row.attack.about_one else ()),
                tuple(_mean_distance(found) for found in row.mean.values()),
            )
            for row in self.attacks
        )
        return (
            Paragraph(
                "Mean distance of ratings from intelligence, with 95% intervals over trials. Where an attack is on one player: "
                "how far that player's rating is moved."
            ),
            Table((Column("What goes wrong"), *map(Column, METHODS)), rows),
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "curves": [
                {
                    "figure": drawn.figure.number,
                    "title": drawn.figure.title,
                    "across": drawn.figure.across,
                    "corrected": _curve(drawn.corrected),
                    "as_published": _curve(drawn.as_published),
                }
                for drawn in self.figures
            ],
            "slips": list(SLIPS),
            "honest_by_definition_4": None if self.honest is None else self.honest.as_json(),
            "attacks": [
                {
                    "attack": row.attack.words,
                    "about_one": row.attack.about_one,
                    "mean": {name: found.as_json() for name, found in row.mean.items()},
                    "largest": {name: found.as_json() for name, found in row.largest.items()},
                }
                for row in self.attacks
            ],
            "methods": {name: method.words for name, method in METHODS.items()},
        }


def _curve(curve: Curve) -> Mapping[str, Any]:
    return {
        "slope_per_tenth": curve.slope,
        "points": [{"x": one.x, "mean": one.mean.as_json(), "largest": one.largest.as_json()} for one in curve.points],
    }


def _withstood(rows: Sequence[Withstood]) -> str:
    mixed = next(row for row in rows if row.attack.mixture.together == 0.3)
    bloc = next(row for row in rows if row.attack.words.startswith("A bloc of 50%"))
    mean, robust = (_value(mixed.mean[name]) for name in ("mean", "robust"))
    return (
        f"With 30% of players dishonest the mean is {mean} points off and the robust rating {robust}; a bloc of half of the "
        f"players beats both ({_value(bloc.mean['mean'])} and {_value(bloc.mean['robust'])})."
    )


def _value(found: Estimate, decimals: int = 1) -> str:
    return "–" if found.value is None else f"{found.value:.{decimals}f}"


def _end(curve: Curve) -> Cell:
    """Mean and largest distance at the end, and the slope."""
    slope = "" if curve.slope is None else f"; {curve.slope:.2f} a tenth"
    mean = curve.last.mean
    return Cell(f"{_short(mean)} / {_value(curve.last.largest)}{slope}", mean.value, mean.interval)


def _mean_distance(found: Estimate) -> Cell:
    ends = f"[{found.interval.lower:.2f}, {found.interval.upper:.2f}]".replace("-", "−")
    return Cell(_short(found), found.value, found.interval, ends, known=found.value is not None)


def _short(found: Estimate) -> str:
    """A distance to two decimals, above ten to one."""
    return _value(found, 2 if abs(found.value or 0.0) < 10 else 1).replace("-", "−")


def examine_simulation(
    numbers: Sequence[str],
    config: SimulationConfig,
    *,
    attacks: bool = False,
    executor: Executor | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> LunaSimulation:
    """Figures by number, each in both readings, and if wished which rating withstands what.

    Raises `UnknownName` for a number that the chapter has not, or an unknown way of rating.

    >>> examine_simulation(["3.2"], SimulationConfig(trials=2)).figures[0].figure.title
    'All guess honestly'
    """

    def told(words: str) -> None:
        if on_progress is not None:
            on_progress(words)

    figures = draw_figures(
        numbers,
        config,
        executor=executor,
        on_figure=lambda figure: told(f"Figure {figure.number}: {figure.title}"),
    )
    honest = None
    if "3.2" in numbers:
        judged = replace(config, steps=STEPS, truth="judged")
        (found,) = simulate(judged, [Mixture(times=(STEPS,))], executor=executor)
        honest = over_trials(found["mean"].mean[-1])
    rows = withstand(config, executor=executor, on_attack=lambda attack: told(attack.words)) if attacks else []
    return LunaSimulation(
        figures=tuple(figures),
        attacks=tuple(rows),
        honest=honest,
        signature=Signature(
            version=__version__,
            examination="luna simulate",
            candidate="simulated players",
            scope=", ".join([*(f"Figure {number}" for number in numbers), *(["attacks"] if attacks else [])]),
            scope_digest="",
            seed=config.seed,
            settings={
                "players": config.players,
                "trials": config.trials,
                "variance": config.variance,
                "rating": config.rating,
            },
        ),
    )
