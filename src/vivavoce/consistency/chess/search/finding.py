"""What the searches have found, side by side, and what that does not show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.config import THRESHOLDS, Method, SearchConfig
from vivavoce.consistency.chess.describe import engine
from vivavoce.consistency.chess.search.report import courses, largest_differences, method, tables
from vivavoce.consistency.chess.search.runs import Counted, Run, Spread, methods_of, spread_of
from vivavoce.formats.wording import count
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class ChessSearch(Reported):
    """What `search_boards` returns."""

    candidate: str
    config: SearchConfig
    runs: tuple[Run, ...]
    """By method, then by seed."""
    examples: tuple[Comparison, ...]
    """The largest differences above the threshold, each of another family; `Comparison.game` names the search."""
    signature: Signature

    @property
    def methods(self) -> tuple[Method, ...]:
        """In the order in which they are shown."""
        return methods_of(self.runs)

    @property
    def largest(self) -> float | None:
        """The largest difference that any search has found."""
        return max((run.largest for run in self.runs if run.largest is not None), default=None)

    def of(self, method: Method) -> tuple[Run, ...]:
        """The runs of one method."""
        return tuple(run for run in self.runs if run.method == method)

    def spread(self, method: Method, what: Counted, threshold: float) -> Spread:
        """One count over the seeds of a method."""
        return spread_of(self.runs, method, what, threshold)

    @property
    def turned(self) -> str:
        """What was done to the boards."""
        return "when it is turned by 180°" if self.config.half_turn_only else "when it is turned or flipped"

    @property
    def statement(self) -> str:
        """The result in plain words, and what each search has found."""
        return f"{self.headline} {self.basis}".rstrip()

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        name = engine(self.candidate)
        if self.largest is None:
            return f"Nothing is known about {name}: no board could be compared."
        if not self.violated:
            return (
                f"No search found a board that {name} values differently by more than {self.config.threshold:g} {self.turned}."
            )
        return f"{name} contradicts itself by up to {self.largest:.2f} on a board {self.turned}."

    @property
    def basis(self) -> str:
        """What each search has found, in one sentence."""
        runs = "1 run" if self.config.seeds == 1 else f"{self.config.seeds} runs"
        budget = f"{count(self.config.evaluations)} evaluations a run, {runs} a method"
        if self.largest is None:
            return ""
        if not self.violated:
            return f"With {budget}; the largest difference was {self.largest:.2g}."
        found = "; ".join(f"{method} search {self._found(method)}" for method in self.methods)
        return f"Differences above {self.config.threshold:g} found on average, with {budget}: {found}."

    @property
    def violated(self) -> bool:
        """Whether any search has found a difference above the threshold."""
        return any(run.counts[THRESHOLDS.index(self.config.threshold)].raw for run in self.runs)

    def _found(self, method: Method) -> str:
        raw, distinct, families = (
            count(round(self.spread(method, what, self.config.threshold).mean)) for what in ("raw", "distinct", "families")
        )
        return f"{raw} boards ({distinct} up to symmetry, {families} families)"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show."""
        evolved = [method for method in self.methods if method != "random"]
        absent = sum(run.no_answers for run in self.runs)
        return tuple(
            sentence
            for sentence in (
                "A search may miss contradictions: these numbers count what was found, not what there is.",
                f"Boards from {' and '.join(evolved)} search descend from each other: their number is not a rate, and raw "
                "counts include near-copies. Compare methods by families."
                if evolved
                else "",
                "A difference shows that at least one of the two evaluations is wrong, not which.",
                "It holds for this engine with these settings on eight men without pawns, which hardly occur in games.",
                "Least and most over the seeds describe these runs; they are not intervals.",
                f"{count(absent)} boards were left out because an evaluation is missing." if absent else "",
            )
            if sentence
        )

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "Search for contradictions in chess",
            f"Search for contradictions of {engine(self.candidate)} in chess",
            InFull(paragraphs(self.basis)),
            *tables(self.runs),
            *courses(self.runs, self.config),
            largest_differences(self.examples, self.config.threshold),
            Caveats(self.caveats),
            method(self.runs, self.config),
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.candidate,)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "half_turn_only": self.config.half_turn_only,
            "evaluations": self.config.evaluations,
            "threshold": self.config.threshold,
            "thresholds": list(THRESHOLDS),
            "largest": self.largest,
            "methods": [{"method": method, "found": self._spreads(method)} for method in self.methods],
            "runs": [run.as_json() for run in self.runs],
            "examples": self.examples,
        }

    def _spreads(self, method: Method) -> list[dict[str, Any]]:
        return [
            {"threshold": threshold}
            | {what: asdict(self.spread(method, what, threshold)) for what in ("raw", "distinct", "families")}
            for threshold in THRESHOLDS
        ]
