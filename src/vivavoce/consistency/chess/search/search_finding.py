"""The finding of a search for contradictions: its runs, its report and its JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final, Literal, NamedTuple, get_args

from vivavoce.consistency.chess.comparison import ChessComparison, board_pair, engine
from vivavoce.consistency.config import THRESHOLDS, SearchConfig, SearchMethod
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks, figures
from vivavoce.report.cells import TableCell
from vivavoce.report.figures import Axis, Line, Lines
from vivavoce.report.reported import ReportedFinding

Counted = Literal["raw", "distinct", "families"]
COUNTED: Final[tuple[Counted, ...]] = get_args(Counted)
"""The fields of `Count`, which count boards."""


@dataclass(frozen=True, slots=True)
class Count:
    """The number of boards on which the engine contradicts itself by more than a threshold."""

    threshold: float
    raw: int
    """All assessed boards; near-copies count separately."""
    distinct: int
    """Boards up to the eight symmetries and a swap of colours, ignoring counters."""
    families: int
    """Families of boards: sets of pieces and king squares, up to symmetry."""


class SearchPoint(NamedTuple):
    """The progress of a search at one time."""

    evaluations: int
    largest: float
    """The largest difference so far."""
    distinct: int
    """Violations so far, up to symmetry."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A count over several seeds: its mean and range, as a description and not as an interval."""

    least: float
    mean: float
    most: float


def spread(values: Sequence[float]) -> Spread:
    """The spread of one or more values.

    >>> spread([3, 1, 5])
    Spread(least=1, mean=3.0, most=5)
    """
    return Spread(min(values), fsum(values) / len(values), max(values))


@dataclass(frozen=True, slots=True)
class SearchRun:
    """One search by one method with one seed."""

    method: SearchMethod
    seed: int
    evaluations: int
    """Evaluations spent, within the budget."""
    boards: int
    """Boards compared with their images; the images are not counted again."""
    no_answers: int
    """Boards left out because an evaluation is missing."""
    redrawn: int
    """Mutations and crossovers that gave an illegal or unwanted board and were redrawn."""
    given_up: int
    """Mutations and crossovers that failed every time and were replaced by a fresh board, or by the parents."""
    counts: tuple[Count, ...]
    """One per element of `THRESHOLDS`."""
    largest: float | None
    """The largest difference; None if no board could be compared."""
    course: tuple[SearchPoint, ...]
    """The progress at the same numbers of evaluations in all runs."""


def methods_of(runs: Sequence[SearchRun]) -> tuple[SearchMethod, ...]:
    """The methods in order of first occurrence."""
    return tuple(dict.fromkeys(run.method for run in runs))


def spread_of(runs: Sequence[SearchRun], method: SearchMethod, what: Counted, threshold: float) -> Spread:
    """The spread of one count over the seeds of a method."""
    index = THRESHOLDS.index(threshold)
    return spread([getattr(run.counts[index], what) for run in runs if run.method == method])


MOST_IN_SHORT: Final = 3
"""Number of boards shown in a terminal."""
_HEADINGS: Final[dict[Counted, str]] = {
    "raw": "Boards as they were asked",
    "distinct": "Boards up to symmetry and the swap of colours",
    "families": "Families: boards with the same pieces and kings",
}
_HOW: Final[dict[SearchMethod, str]] = {
    "random": "Random search draws every board independently.",
    "genetic": "Genetic search selects the fittest of a random tenth of the population as parents. Two parents exchange a "
    "pair of pieces, and every child is mutated in one of seven ways.",
    "archive": "Archive search keeps the fittest board for each set of pieces, distance of the kings and distance from "
    "the edge of the king to move. It mutates boards drawn from all of these with equal probability. A mutant that is an "
    "image of an earlier board is redrawn.",
}


def tables(runs: Sequence[SearchRun]) -> tuple[blocks.ReportSection, ...]:
    """One table for each way of counting: boards above each threshold by method, as mean, minimum and maximum over seeds."""
    return tuple(blocks.ReportSection(heading, (_table(runs, what),)) for what, heading in _HEADINGS.items())


def courses(runs: Sequence[SearchRun], config: SearchConfig) -> tuple[blocks.ReportFigure, ...]:
    """Distinct finds and the largest difference by number of evaluations: mean, minimum and maximum over seeds."""
    after = f"After {count(config.evaluations)} evaluations, on average"
    distinct = f"Distinct boards with a difference above {config.threshold:g}"
    return (
        _course(runs, distinct, after, lambda point: point.distinct, lambda value: count(round(value))),
        _course(runs, "Largest difference so far", after, lambda point: point.largest, "{:.2f}".format),
    )


def _course(
    runs: Sequence[SearchRun], what: str, after: str, height: Callable[[SearchPoint], float], write: Callable[[float], str]
) -> blocks.ReportFigure:
    lines, ends = [], []
    for method in methods_of(runs):
        by_look = zip(*(run.course for run in runs if run.method == method), strict=True)
        points = tuple(_mean(look, height) for look in by_look)
        lines.append(Line(f"{method} search", points, marked=False, band=True))
        ends.append(f"{method} search {write(points[-1].y)}")
    most = max(point.x for line in lines for point in line.points)
    top = max(point.interval.upper for line in lines for point in line.points if point.interval)
    alt = f"{what}. {after}: {', '.join(ends)}. Bands show the range of the runs."
    upwards = Axis(what, span=(0.0, max(1.05 * top, 0.1)))
    return blocks.ReportFigure(
        Lines(Axis("Evaluations", span=(0.0, most), whole=True), upwards, tuple(lines), alt, height_inches=2.6)
    )


def _mean(look: Sequence[SearchPoint], height: Callable[[SearchPoint], float]) -> figures.LinePoint:
    over_runs = spread([height(point) for point in look])
    return figures.LinePoint(look[0].evaluations, over_runs.mean, Interval(over_runs.least, over_runs.most))


def largest_difference(examples: Sequence[ChessComparison], threshold: float) -> blocks.InFull:
    """The largest difference, as diagrams."""
    boards: tuple[blocks.Block, ...] = tuple(map(board_pair, examples[:1])) or blocks.paragraphs(
        f"No difference was above {threshold}."
    )
    return blocks.InFull((blocks.ReportSection("The largest difference", boards),))


def largest_differences(examples: Sequence[ChessComparison]) -> blocks.ReportSection:
    """The next largest differences, as diagrams; in a terminal, all of them as positions."""
    boards = tuple(map(board_pair, examples[1:]))
    lines = blocks.paragraphs(*map(_line, examples[:MOST_IN_SHORT]))
    about = "One board of each family. Arrows show the engine’s best moves, bars its evaluations from −1 (lost) to 1 (won)."
    return blocks.ReportSection(
        "The largest differences", (blocks.InFull((*blocks.notes(about), *boards)), blocks.InShort(lines))
    )


def method(runs: Sequence[SearchRun], config: SearchConfig) -> blocks.Fold:
    """The description of the search method."""
    images = "its rotation by 180°" if config.half_turn_only else "its seven other orientations"
    return blocks.method_of(
        (
            "Each side has its king and the same three pieces, drawn from one set of chessmen; there are no pawns and no "
            f"castling, so turning a board does not change its value. A board costs {config.cost} evaluations: itself and "
            f"{images}. A question that a run repeats costs nothing.",
            *(_HOW[name] for name in methods_of(runs)),
            f"Each mean has the least and the greatest of {config.seeds} runs."
            if config.seeds > 1
            else "Each method had one run.",
            f"Rejected children, mostly illegal boards, were redrawn {count(sum(run.redrawn for run in runs))} times. If that "
            f"failed every time, as in {count(sum(run.given_up for run in runs))} cases, a fresh board or the parents "
            "replaced them.",
        )
    )


def _table(runs: Sequence[SearchRun], what: Counted) -> blocks.ReportTable:
    return blocks.ReportTable(
        (blocks.Column("Difference"), *(blocks.Column(f"> {threshold:g}") for threshold in THRESHOLDS)),
        tuple(
            blocks.ReportRow(TableCell(name), tuple(_cell(spread_of(runs, name, what, threshold)) for threshold in THRESHOLDS))
            for name in methods_of(runs)
        ),
    )


def _cell(spread: Spread) -> TableCell:
    mean = count(round(spread.mean)) if spread.mean >= 10 or spread.mean == round(spread.mean) else f"{spread.mean:.1f}"
    if spread.least == spread.most:
        return TableCell(mean, spread.mean)
    ends = f"{count(round(spread.least))}–{count(round(spread.most))}"
    return TableCell(mean, spread.mean, below=(ends,), short=f"{mean} ({ends})")


def _line(comparison: ChessComparison) -> str:
    first, second = comparison.first, comparison.second
    return f"{first.evaluation.q:+.3f} and {second.evaluation.q:+.3f}: {first.fen} · {comparison.label}"


@dataclass(frozen=True, slots=True, repr=False)
class ChessSearch(ReportedFinding):
    """The result of `search_boards`."""

    candidate: str
    config: SearchConfig
    runs: tuple[SearchRun, ...]
    """Sorted by method, then by seed."""
    examples: tuple[ChessComparison, ...]
    """The largest differences above the threshold, one per family; `ChessComparison.game` is the name of the search."""
    signature: Signature

    @property
    def largest(self) -> float | None:
        """The largest difference over all searches."""
        return max((run.largest for run in self.runs if run.largest is not None), default=None)

    def of(self, method: SearchMethod) -> tuple[SearchRun, ...]:
        """The runs of one method."""
        return tuple(run for run in self.runs if run.method == method)

    @property
    def turned(self) -> str:
        """The transformation of the boards, for a sentence."""
        return "when it is turned by 180°" if self.config.half_turn_only else "when it is turned or flipped"

    @property
    def statement(self) -> str:
        """The result in words, with the finds of each search."""
        return f"{self.headline} {self.basis}".rstrip()

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        name = engine(self.candidate)
        if self.largest is None:
            return f"No result for {name}: no board could be compared."
        if not self.violated:
            return (
                f"No search found a board that {name} values differently by more than {self.config.threshold:g} {self.turned}."
            )
        return f"{name} contradicts itself by up to {self.largest:.2f} on a board {self.turned}."

    @property
    def basis(self) -> str:
        """The finds of each search, in one sentence."""
        runs = "1 run" if self.config.seeds == 1 else f"{self.config.seeds} runs"
        budget = f"{count(self.config.evaluations)} evaluations a run, {runs} a method"
        if self.largest is None:
            return ""
        if not self.violated:
            return f"With {budget}; the largest difference was {self.largest:.2g}."
        by_method = "; ".join(f"{method} search {self._found(method)}" for method in methods_of(self.runs))
        return f"Differences above {self.config.threshold:g} found on average, with {budget}: {by_method}."

    @property
    def violated(self) -> bool:
        """Whether any search has found a difference above the threshold."""
        return any(run.counts[THRESHOLDS.index(self.config.threshold)].raw for run in self.runs)

    def _found(self, method: SearchMethod) -> str:
        raw, distinct, families = (
            count(round(spread_of(self.runs, method, what, self.config.threshold).mean)) for what in COUNTED
        )
        return f"{raw} boards ({distinct} up to symmetry, {families} families)"

    @property
    def caveats(self) -> tuple[str, ...]:
        """The limits of the result."""
        evolved = [method for method in methods_of(self.runs) if method != "random"]
        absent = sum(run.no_answers for run in self.runs)
        sentences = (
            "A search may miss contradictions: these numbers count the boards it found, not all that exist.",
            f"Boards from {' and '.join(evolved)} search descend from each other: their number is not a rate, and raw "
            "counts include near-copies. Compare methods by families."
            if evolved
            else "",
            "A difference shows that at least one of the two evaluations is wrong, not which.",
            "It holds for this engine with these settings on eight men without pawns, which hardly occur in games.",
            "The least and greatest values over the seeds describe these runs; they are not intervals.",
            f"{count(absent)} boards were left out because an evaluation is missing." if absent else "",
        )
        return tuple(filter(None, sentences))

    def report(self) -> blocks.Report:
        """The whole report as blocks."""
        return self.reported(
            "Search for contradictions in chess",
            f"Search for contradictions of {engine(self.candidate)} in chess",
            blocks.InFull(blocks.paragraphs(self.basis)),
            largest_difference(self.examples, self.config.threshold),
            blocks.Caveats(self.caveats),
            *tables(self.runs),
            *courses(self.runs, self.config),
            largest_differences(self.examples),
            method(self.runs, self.config),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null if unknown."""
        return {
            "half_turn_only": self.config.half_turn_only,
            "evaluations": self.config.evaluations,
            "threshold": self.config.threshold,
            "thresholds": list(THRESHOLDS),
            "largest": self.largest,
            "methods": [{"method": method, "found": self._spreads(method)} for method in methods_of(self.runs)],
            "runs": self.runs,
            "examples": self.examples,
        }

    def _spreads(self, method: SearchMethod) -> list[dict[str, Any]]:
        return [
            {"threshold": threshold} | {what: spread_of(self.runs, method, what, threshold) for what in COUNTED}
            for threshold in THRESHOLDS
        ]
