"""What a check of rules finds: how often and how far outputs break them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from vivavoce.consistency.forecasts.outcomes import AFTER_TURN, COPIED, CUT_OFF, came
from vivavoce.consistency.relations.describe import ARROW, plain, rough
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.interview.finding import Signature, short
from vivavoce.interview.unread import copies_in_words, unread_caveats


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
class Row:
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


@dataclass(frozen=True, slots=True)
class RelationFinding:
    """What `check` and `ask` return."""

    candidate: str
    source: str
    """Where the tuples come from; empty where that was not said."""
    rows: tuple[Row, ...]
    """One a rule, in the order in which they first occur."""
    each: tuple[Case, ...] | None
    """All tuples in their order, where they were asked for."""
    signature: Signature
    replies: Mapping[str, int] = field(default_factory=dict)
    """What became of single replies: `read`, or why not -> how many; empty for a function."""
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""

    @property
    def compared(self) -> int:
        """Tuples with all outputs, over all rules."""
        return sum(row.n for row in self.rows)

    @property
    def statement(self) -> str:
        """The result in plain words: the rule that is broken most often, and then the others."""
        return " ".join(filter(None, (self.headline, self.copies, *self.others)))

    @property
    def headline(self) -> str:
        """The rule that is broken most often, in one sentence."""
        rows = self._by_share()
        if not rows:
            return f"Nothing was compared: no tuple has an answer of {self.name} to each of its inputs."
        row = rows[0]
        rule = f"“{clipped(row.rule, 120)}”"
        if not row.violated:
            likely = f"more than {percent(row.share.interval.upper)} is not likely"
            return f"{self.name} keeps the rule {rule} in all {count(row.n)} cases ({likely})."
        furthest = rough(row.largest or 0.0)
        return f"{self.name} breaks the rule {rule} in {_share(row)} of {count(row.n)} cases, by up to {furthest}."

    @property
    def copies(self) -> str:
        """How many replies only repeat the prompt, in one sentence; empty where few do."""
        return copies_in_words(self.replies.get(COPIED, 0), came(self.replies))

    @property
    def others(self) -> tuple[str, ...]:
        """The other rules, in a sentence each."""
        return tuple(
            f"“{clipped(row.rule, 120)}” is broken in {_share(row) if row.violated else 'none'} of {count(row.n)}."
            for row in self._by_share()[1:]
        )

    @property
    def name(self) -> str:
        """The candidate's, fit to begin a sentence."""
        return clipped(self.candidate, 120)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (*_caveats(self), *self.asked_so)

    def __repr__(self) -> str:
        return short(self)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "source": self.source,
            "rows": [row.as_json() for row in self.rows],
            "replies": dict(self.replies),
            **({} if self.each is None else {"each": [case.as_json() for case in self.each]}),
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }

    def _by_share(self) -> list[Row]:
        return sorted((row for row in self.rows if row.n), key=lambda row: row.share.value or 0.0, reverse=True)


def _share(row: Row) -> str:
    return f"{percent(row.share.value or 0.0)} {percent_interval(row.share.interval)}"


FEW = 30
"""Tuples, below which that is said."""

CLAIM = (
    "That a rule must hold is its author's claim; only if it must is a violation an error. Which of the outputs is wrong is "
    "not known."
)
NO_PROOF = "A rule that is kept is no proof of right answers: a candidate that always says the same may keep it, too."
ALL_ALIKE = "All outputs were the same: nothing was tested."
LIKE_CHANCE = "A rule is broken about as often as if the same outputs had been assigned to the inputs at random."
OTHERS = "Other inputs, or inputs chosen in another way, may show more or fewer violations."
ROUGH = f"Fewer than {FEW} tuples of a rule were compared: its intervals are rough."
SHARED = "Tuples that share what they were made from are alike; the intervals allow for it."
ONCE = "Each input was given once: a candidate that answers differently each time breaks rules by chance alone."


def _caveats(finding: RelationFinding) -> tuple[str, ...]:
    """In the order of their weight."""
    rows = [row for row in finding.rows if row.n]
    unanswered = sum(row.unanswered for row in finding.rows)
    told = {
        CLAIM: True,
        NO_PROOF: any(row.constant == 0 for row in rows),
        ALL_ALIKE: any(row.distinct == 1 and row.outputs > 1 for row in rows),
        LIKE_CHANCE: any(map(_like_chance, rows)),
        OTHERS: True,
        _without_answer(unanswered): bool(unanswered),
        ROUGH: any(row.n < FEW for row in rows),
        SHARED: any(row.shared for row in rows),
        ONCE: True,
    }
    heard = unread_caveats(
        total=came(finding.replies),
        copied=finding.replies.get(COPIED, 0),
        cut_off=finding.replies.get(CUT_OFF, 0),
        after_turn=finding.replies.get(AFTER_TURN, 0),
    )
    return (*(sentence for sentence, applies in told.items() if applies), *heard)


def _like_chance(row: Row) -> bool:
    return bool(row.violated) and row.shuffled is not None and row.shuffled.share in row.share.interval


def _without_answer(unanswered: int) -> str:
    tuples = "1 tuple has" if unanswered == 1 else f"{count(unanswered)} tuples have"
    return f"{tuples} no answer and no part in any share: a candidate that fails where it is difficult looks better than it is."
