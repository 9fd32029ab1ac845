"""What is counted of the bail examination, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.consistency.legal.bail.counterfactuals import Direction
from vivavoce.consistency.legal.bail.decisions import Decision, Vote
from vivavoce.formats.interval import Interval


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total."""

    count: int
    n: int
    interval: Interval
    """At level 95%; from 0 to 1 where there is nothing to go by."""

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.n if self.n else None

    def as_json(self) -> dict[str, Any]:
        """The share as JSON values."""
        interval = self.interval
        return {"count": self.count, "n": self.n, "share": self.value, "lower": interval.lower, "upper": interval.upper}


@dataclass(frozen=True, slots=True)
class OfDefendants:
    """Defendants with at least one violation, as Table 16 of `fluri2024` counts them; intervals by Clopper and Pearson.

    Of the question about another crime, NO is what YES is of bail: read each as the decision that is better for the defendant.
    """

    any: Share
    """Of either kind."""
    worse_more_lenient: Share
    """A more severe record got a more lenient decision."""
    milder_harsher: Share
    """A milder record got a harsher decision."""
    denied_then_lenient: Share
    """The decision was NO, and on a more severe record YES or UNDECIDED: the case that the paper's text describes."""
    bail_won: Share
    """By a more severe record, from NO to YES."""
    bail_lost: Share
    """By a milder record, from YES to NO."""

    def as_json(self) -> dict[str, Any]:
        """The shares as JSON values, by their names here."""
        return {name: getattr(self, name).as_json() for name in OfDefendants.__slots__}


@dataclass(frozen=True, slots=True)
class OfPairs:
    """Pairs of a record and a changed one; intervals allow for the pairs of one defendant being alike."""

    name: str
    violations: Share
    blatant: Share
    """Violations between NO and YES."""

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {"name": self.name, "violations": self.violations.as_json(), "blatant": self.blatant.as_json()}


@dataclass(frozen=True, slots=True)
class Control:
    """Defendants who were judged twice on the same record."""

    changed: Share
    """The second decision was another."""
    blatant: Share
    """It was NO instead of YES, or YES instead of NO."""

    @property
    def by_chance(self) -> tuple[float, Interval] | None:
        """Share of pairs that would be violations if a changed record made no difference, with its interval.

        Half of the changes, since neither of two judgements on one record comes first. None where nothing was judged twice.
        """
        if self.changed.value is None:
            return None
        return self.changed.value / 2, Interval(self.changed.interval.lower / 2, self.changed.interval.upper / 2)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a judge that does not look at the record would have got on the same pairs: expected shares, in closed form."""

    name: str
    defendants: float
    pairs: float


Transitions = Mapping[Decision, Mapping[Decision, int]]
"""Pairs by the decision on the record as it is, and by that on the changed one."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Everything that is counted."""

    defendants: OfDefendants
    pairs: tuple[OfPairs, ...]
    """All pairs, the milder ones, the more severe ones."""
    features: tuple[OfPairs, ...]
    """Pairs in which a feature was changed, by itself or with another."""
    transitions: Mapping[Direction, Transitions]
    control: Control
    references: tuple[Reference, ...]
    """A coin; a judge at random with the candidate's own shares. None where nothing was decided."""
    replies: Mapping[Vote, int]
    """All of them, the control's included."""
    after_turn: int
    """Replies, of those read, that were read only after a further turn."""
    decisions: Mapping[Decision, int]
    """On different records, the control left out."""
    left_out: int
    """Defendants without a decision on the record as it is, or on any changed one."""
    missing_pairs: int
    """Pairs of the other defendants in which the decision on the changed record is missing."""
    ties: int
    """Records on which no decision had most votes."""
    unmoved: int
    """Defendants who got the same decision on all their records."""
    no_milder: int
    """Defendants whose record cannot be made milder."""
    fewer_milder: int
    """Defendants with fewer milder records than more severe ones, the former included."""
    yes_and_no: OfDefendants
    """The same where UNDECIDED decides nothing."""
    as_in_paper: OfDefendants
    """The same where every reply that came and says neither YES nor NO counts as UNDECIDED."""

    @property
    def came(self) -> int:
        """Replies that came, whether or not they could be read."""
        return sum(self.replies.values()) - self.replies["no answer"]

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON values; the names are part of the public face."""
        return {
            "violations": self.defendants.as_json(),
            "pairs": [row.as_json() for row in self.pairs],
            "features": [row.as_json() for row in self.features],
            "transitions": {way: {first: dict(row) for first, row in table.items()} for way, table in self.transitions.items()},
            "control": {"changed": self.control.changed.as_json(), "blatant": self.control.blatant.as_json()},
            "references": [asdict(reference) for reference in self.references],
            "replies": dict(self.replies),
            "after_turn": self.after_turn,
            "decisions": dict(self.decisions),
            "left_out": self.left_out,
            "missing_pairs": self.missing_pairs,
            "ties": self.ties,
            "unmoved": self.unmoved,
            "no_milder": self.no_milder,
            "fewer_milder": self.fewer_milder,
            "undecided": {"left_out": self.yes_and_no.as_json(), "as_in_paper": self.as_in_paper.as_json()},
        }
