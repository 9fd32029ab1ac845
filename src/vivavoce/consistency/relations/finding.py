"""What a check of rules finds: how often and how far outputs break them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vivavoce.consistency.relations.describe import rough
from vivavoce.consistency.relations.report import distances, method, shares, why_no_answer, worst_cases
from vivavoce.consistency.relations.summary import Case, Summary
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.interview.reply_counts import copies_of, unread_caveats_of
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs, replies
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class RelationFinding(Reported):
    """What `check` and `ask` return."""

    candidate: str
    source: str
    """Where the tuples come from; empty where that was not said."""
    summaries: tuple[Summary, ...]
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
        return sum(row.n for row in self.summaries)

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
        rule = f"“{clipped(row.rule, LONGEST_NAME)}”"
        if not row.violated:
            likely = f"more than {percent(row.share.interval.upper)} is not likely"
            return f"{self.name} keeps the rule {rule} in all {count(row.n)} cases ({likely})."
        furthest = rough(row.largest or 0.0)
        return f"{self.name} breaks the rule {rule} in {_share(row)} of {count(row.n)} cases, by up to {furthest}."

    @property
    def copies(self) -> str:
        """How many replies only repeat the prompt, in one sentence; empty where few do."""
        return copies_of(self.replies)

    @property
    def others(self) -> tuple[str, ...]:
        """The other rules, in a sentence each."""
        return tuple(
            f"“{clipped(row.rule, LONGEST_NAME)}” is broken in {_share(row) if row.violated else 'none'} of {count(row.n)}."
            for row in self._by_share()[1:]
        )

    @property
    def name(self) -> str:
        """The candidate's, fit to begin a sentence."""
        return clipped(self.candidate, LONGEST_NAME)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (*_caveats(self), *self.asked_so)

    def report(self) -> Report:
        """All of it as blocks."""
        about = f"{_LEAD} Inputs: {clipped(self.source, LONGEST_NAME) or 'not named'}."
        return self.reported(
            "Rules of consistency",
            f"Rules and {self.name}",
            InFull(paragraphs(" ".join(self.others), about)),
            *shares(self.summaries),
            *why_no_answer(self.summaries),
            *distances(self.summaries),
            worst_cases(self.summaries),
            *replies(self.replies),
            Caveats(self.caveats),
            method(self.summaries),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "source": self.source,
            "rows": [row.as_json() for row in self.summaries],
            "replies": dict(self.replies),
            **({} if self.each is None else {"each": [case.as_json() for case in self.each]}),
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }

    def _by_share(self) -> list[Summary]:
        return sorted((row for row in self.summaries if row.n), key=lambda row: row.share.value or 0.0, reverse=True)


def _share(row: Summary) -> str:
    return f"{percent(row.share.value or 0.0)} {percent_interval(row.share.interval)}"


LONGEST_NAME = 120
_LEAD = "Inputs that stand in a relation must have outputs that stand in another; the right output itself need not be known."
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
    rows = [row for row in finding.summaries if row.n]
    unanswered = sum(row.unanswered for row in finding.summaries)
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
    heard = unread_caveats_of(finding.replies)
    return (*(sentence for sentence, applies in told.items() if applies), *heard)


def _like_chance(row: Summary) -> bool:
    return bool(row.violated) and row.shuffled is not None and row.shuffled.share in row.share.interval


def _without_answer(unanswered: int) -> str:
    tuples = "1 tuple has" if unanswered == 1 else f"{count(unanswered)} tuples have"
    return f"{tuples} no answer and no part in any share: a candidate that fails where it is difficult looks better than it is."
