"""What the tuples of each rule show, and what became of each of them, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from vivavoce.consistency.relations.describe import ARROW, plain, rough
from vivavoce.formats.interval import Estimate


class Outcome(StrEnum):
    """What became of a tuple."""

    KEPT = "kept"
    BROKEN = "broken"
    SKIPPED = "skipped"
    """The rule does not apply to its inputs."""
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Case:
    """One tuple and what became of it."""

    number: int
    """Its place among all tuples, counted from 1."""
    id: str
    base: tuple[str, ...]
    rule: str
    outcome: Outcome
    change: str
    """How the inputs differ, in words."""
    inputs: tuple[str, ...]
    """In words, cut where they are long."""
    outputs: tuple[float | str | None, ...]
    """None for what is no answer; empty where the rule does not apply."""
    gap: float | None
    """How far the outputs are from what must hold: above 0, they are; None where that is not known."""
    reason: str = ""
    """Why there is no answer."""

    @property
    def came_out(self) -> str:
        """The outputs, and how far they are from what must hold."""
        said = ARROW.join("no answer" if output is None else plain(output) for output in self.outputs)
        return said if self.gap is None else f"{said}, off by {rough(self.gap)}"

    @property
    def in_words(self) -> str:
        """How the inputs differ, and what came out."""
        return f"{self.change}: {self.came_out}"

    def as_json(self) -> dict[str, Any]:
        """The case as JSON values."""
        return {**asdict(self), "outcome": self.outcome.value, "base": list(self.base)}


@dataclass(frozen=True, slots=True)
class Reference:
    """The same figures for a candidate that does not look at its inputs."""

    share: float
    """Of tuples that break the rule."""
    mean: float
    """Violation."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Tuples by how far beyond the tolerance their gap is, in bins of equal width; 0 is the edge of a bin."""

    begin: float
    width: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the tuples of one rule show."""

    rule: str
    tolerances: tuple[float, ...]
    """A gap of no more is no violation; usually all tuples have the same."""
    n: int
    """Tuples with all outputs; all figures but the last are of these."""
    violated: int
    """Tuples that break the rule."""
    share: Estimate
    """Of tuples that break the rule."""
    mean: Estimate
    """Violation: the gap where the rule is broken, else 0."""
    largest: float | None
    """Violation; None where there is no tuple."""
    shuffled: Reference | None
    """The same outputs assigned to the inputs at random; None for fewer than two tuples."""
    constant: float | None
    """Share of tuples whose rule is broken by giving all inputs the output of the first."""
    distinct: int
    """Different outputs."""
    outputs: int
    """Outputs in all."""
    shared: bool
    """Whether some tuples share what they were made from; the intervals then allow for it."""
    skipped: int
    """Tuples that the rule does not apply to."""
    no_answers: Mapping[str, int]
    """Tuples for which an output is missing, by reason."""
    histogram: Histogram | None
    worst: tuple[Case, ...]
    """The largest violations, the largest first."""

    @property
    def unanswered(self) -> int:
        """Tuples for which an output is missing."""
        return sum(self.no_answers.values())

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values; the names are part of the public face."""
        return {
            "rule": self.rule,
            "tolerances": list(self.tolerances),
            "n": self.n,
            "violated": self.violated,
            "share": self.share.as_json(),
            "mean": self.mean.as_json(),
            "largest": self.largest,
            "shuffled": None if self.shuffled is None else asdict(self.shuffled),
            "constant": self.constant,
            "distinct": self.distinct,
            "outputs": self.outputs,
            "shared": self.shared,
            "skipped": self.skipped,
            "no_answers": dict(self.no_answers),
            "worst": [case.as_json() for case in self.worst],
        }
