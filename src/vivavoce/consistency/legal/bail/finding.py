"""What the bail examination finds: how often decisions go against the order of the records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from vivavoce.consistency.legal.bail.caveats import SHOWN_NAME, caveats
from vivavoce.consistency.legal.bail.counterfactuals import Variation
from vivavoce.consistency.legal.bail.counts import Counts
from vivavoce.consistency.legal.bail.decisions import Decision
from vivavoce.consistency.legal.bail.hearing import Pair
from vivavoce.interview.candidate import Usage
from vivavoce.interview.finding import Signature
from vivavoce.interview.unread import copies_in_words
from vivavoce.interview.wording import clipped, count, percent, percent_interval

WORST = 10


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the examination came."""

    in_file: int
    chosen: int
    heard: int
    """To the end."""
    exhausted: str
    """Which limit of the budget ended it; empty where none did."""


@dataclass(frozen=True, slots=True)
class BailConsistency:
    """What `judge_bail` returns."""

    candidate: str
    source: str
    counts: Counts
    reach: Reach
    temperature: float | None
    repeats: int
    variation: Variation
    pairs: tuple[Pair, ...] = field(repr=False)
    """Every pair, in the order in which they were asked."""
    spending: Usage
    signature: Signature
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the examination does not show."""
        return (*caveats(self), *self.asked_so)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(part for part in (self.headline, self.copies, self.basis, self.beside) if part)

    @property
    def judge(self) -> str:
        """The candidate, as it is shown."""
        return clipped(self.candidate, SHOWN_NAME)

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        found = self.counts.defendants.any
        if found.value is None:
            return f"Nothing was compared: {self.judge} gave no two decisions on one defendant that could be read."
        of = f"{count(found.n)} defendant{'' if found.n == 1 else 's'}"
        if self.always:
            return f"{self.judge} gave every record of {of} the same decision, {self.always}: consistent, but no judgement."
        if not found.count:
            return (
                f"{self.judge} did not contradict itself on any of {of} (at most {percent(found.interval.upper)} is likely): "
                "no worse record fared better, no milder one worse."
            )
        return (
            f"{self.judge} contradicts itself on {count(found.count)} of {of}, {percent(found.value)} "
            f"{percent_interval(found.interval)}: a worse record fared better, or a milder one worse."
        )

    @property
    def copies(self) -> str:
        """How many replies only repeat the prompt, in one sentence; empty where few do."""
        return copies_in_words(self.counts.replies["copied"], self.counts.came)

    @property
    def basis(self) -> str:
        """The blatant ones, in one sentence; empty where there is nothing to tell."""
        found = self.counts.defendants
        if not found.any.count:
            return ""
        return (
            f"{count(found.bail_won.count)} would be refused bail and get it with a worse record; "
            f"{count(found.bail_lost.count)} would get bail and be refused it with a milder one."
        )

    @property
    def beside(self) -> str:
        """What it is to be held against, in one sentence; empty where there is no violation, or nothing was asked again."""
        control, pairs, chance = self.counts.control, self.counts.pairs[0].violations, self.counts.control.by_chance
        if chance is None or not pairs.value:
            return ""
        rate, interval = chance
        return (
            "Asked again on the same record it decided otherwise in "
            f"{count(control.changed.count)} of {count(control.changed.n)} cases: chance alone would make {percent(rate)} "
            f"{percent_interval(interval)} of the pairs contradict each other; {percent(pairs.value)} "
            f"{percent_interval(pairs.interval)} did."
        )

    @property
    def always(self) -> Decision | None:
        """The decision on every record, if there is only one."""
        given = [decision for decision, number in self.counts.decisions.items() if number]
        return given[0] if len(given) == 1 else None

    @property
    def worst(self) -> tuple[Pair, ...]:
        """Up to ten violations, one a defendant: blatant ones first, and of these the largest changes of the record."""
        by_defendant: dict[str, Pair] = {}
        for pair in sorted(filter(lambda pair: pair.violation, self.pairs), key=gravity, reverse=True):
            by_defendant.setdefault(pair.defendant.id, pair)
        return tuple(by_defendant.values())[:WORST]

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "source": self.source,
            "reach": asdict(self.reach),
            **self.counts.as_json(),
            "worst": [pair.as_json() for pair in self.worst],
            "tokens": self.spending.tokens,
            "money": self.spending.money,
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def gravity(pair: Pair) -> tuple[bool, int]:
    """How bad a violation is: a blatant one, and by how much the record was changed (a replaced charge weighs as much as 3)."""
    before, after = pair.defendant.record.severity, pair.other.record.severity
    degree, *numbers = (abs(x - y) for x, y in zip(before, after, strict=True))
    return pair.blatant, 3 * degree + sum(numbers)
