"""What was counted of invariances, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from vivavoce.formats.interval import Interval

RobustnessVerdict = Literal["robust", "not robust", "no conclusion"]


class Ranged(Protocol):
    """A share from its least to its most, as replies that cannot be read leave some open."""

    @property
    def n(self) -> int:
        """Questions."""
        ...

    @property
    def least(self) -> float | None:
        """None where there are no questions."""
        ...

    @property
    def most(self) -> float | None:
        """As `least`."""
        ...

    @property
    def interval(self) -> Interval:
        """At level 95%."""
        ...


@dataclass(frozen=True, slots=True)
class FlipRate:
    """On which share of questions the answer flips: from its least to its most, as unreadable replies leave some open."""

    n: int
    """Questions."""
    flipped: int
    """Two answers to the same question differ."""
    unknown: int
    """An answer could not be read, or did not come, and the others agree: it may have flipped or not."""
    interval: Interval
    """At level 95%: below it lies what even the least does not allow, above it what even the most does not."""

    @property
    def least(self) -> float | None:
        """The share if nothing that is open flipped; None where there are no questions."""
        return self.flipped / self.n if self.n else None

    @property
    def most(self) -> float | None:
        """The share if all that is open flipped."""
        return (self.flipped + self.unknown) / self.n if self.n else None

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        counts = {"n": self.n, "flipped": self.flipped, "unknown": self.unknown, "least": self.least, "most": self.most}
        return {**counts, "lower": self.interval.lower, "upper": self.interval.upper}


@dataclass(frozen=True, slots=True)
class Excess:
    """By how much the flip rate of a variation lies above that of the identical question, on the same questions."""

    least: float | None
    """None where there are no questions."""
    most: float | None
    interval: Interval

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"least": self.least, "most": self.most, "lower": self.interval.lower, "upper": self.interval.upper}


@dataclass(frozen=True, slots=True)
class KindSummary:
    """What one kind of variation shows."""

    name: str
    about: str
    source: str
    rate: FlipRate
    control: FlipRate
    """Of the identical question asked again, on the same questions and as often."""
    excess: Excess
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Questions without variants of this kind, by reason."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "kind": self.name,
            "source": self.source,
            "rate": self.rate.as_json(),
            "control": self.control.as_json(),
            "excess": self.excess.as_json(),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class Flip:
    """One question on which the answer flipped."""

    id: str
    kind: str
    question: str
    answer: str
    """To the question as it is; empty where none could be read."""
    varied: str
    """The variant."""
    other: str
    """The answer to it."""

    def as_json(self) -> dict[str, str]:
        """As JSON values."""
        return {name: getattr(self, name) for name in ("id", "kind", "question", "answer", "varied", "other")}


@dataclass(frozen=True, slots=True)
class Judgements:
    """What a judge decided of open answers that differ as texts."""

    pairs: int
    """Two answers to the same question, each pair shown in both orders."""
    same: int
    different: int
    torn: int
    """Pairs that the judge decided one way in one order, and the other way in the other."""
    not_asked: int
    """Pairs that the budget left no room for, in one order at least."""

    @property
    def undecided(self) -> int:
        """Pairs of which nobody can tell."""
        return self.pairs - self.same - self.different

    def as_json(self) -> dict[str, int]:
        """As JSON values."""
        counts = {name: getattr(self, name) for name in ("pairs", "same", "different", "torn", "not_asked")}
        return {**counts, "undecided": self.undecided}


@dataclass(frozen=True, slots=True)
class Robustness:
    """Whether the answer flips, under any of the variations, on at most a given share of the questions."""

    limit: float
    delta: float
    verdict: RobustnessVerdict
    rate: FlipRate
    """Of questions on which the answer flips under at least one variation."""
    log_e_robust: float
    """Evidence against "flips are more frequent than the limit", as a logarithm; what is open counts as flipped."""
    log_e_not_robust: float
    """Evidence against "flips are at most as frequent"; what is open counts as not flipped."""
    population: int | None = None
    """Units in all, where each is drawn once and it is known how many can be varied."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values; evidence that has no bound, as of a scope that was asked whole, is null."""
        return {
            "verdict": self.verdict,
            "flip_limit": self.limit,
            "delta": self.delta,
            "rate": self.rate.as_json(),
            "log_e_robust": _finite(self.log_e_robust),
            "log_e_not_robust": _finite(self.log_e_not_robust),
            "population": self.population,
        }


def _finite(number: float) -> float | None:
    return number if abs(number) < float("inf") else None
