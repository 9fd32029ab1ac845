"""What the bail examination finds: how often decisions go against the order of the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, get_args

from vivavoce.consistency.legal.bail.config import BailConfig, Wording
from vivavoce.consistency.legal.bail.counts import Counts
from vivavoce.consistency.legal.bail.decisions import Decision, Unread
from vivavoce.consistency.legal.bail.hearing import Pair
from vivavoce.consistency.legal.bail.report import (
    another_crime,
    defendants,
    figures,
    method,
    pairs,
    references,
    replies,
    undecided,
    worst_contradictions,
)
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.interview.candidate import Usage
from vivavoce.interview.caveats import copies_in_words, unread_caveats
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported

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


@dataclass(frozen=True, slots=True, repr=False)
class BailConsistency(Reported):
    """What `judge_bail` returns."""

    candidate: str
    source: str
    counts: Counts
    reach: Reach
    config: BailConfig
    pairs: tuple[Pair, ...]
    """Every pair, in the order in which they were asked."""
    spending: Usage
    signature: Signature
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""
    recidivism: Counts | None = None
    """What the question about another crime shows; None where it was not asked."""
    predictions: tuple[Pair, ...] = ()
    """The pairs of that question."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the examination does not show."""
        return (*_caveats(self), *self.asked_so)

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

    def report(self) -> Report:
        """All of it as blocks."""
        source = clipped(self.source, LONGEST_SOURCE) or "not named"
        return self.reported(
            "Bail decisions",
            f"Bail decisions of {self.judge}",
            InFull(paragraphs(self.basis, self.beside, f"{_LEAD} Defendants: {source}.")),
            defendants(self.counts),
            undecided(self.counts),
            pairs(self.counts),
            *references(self.counts),
            *replies(self.counts),
            *figures(self.counts),
            *another_crime(self.recidivism),
            Caveats(self.caveats),
            worst_contradictions(self.worst),
            method(self.config),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "source": self.source,
            "reach": asdict(self.reach),
            **self.counts.as_json(),
            **({} if self.recidivism is None else {"recidivism": self.recidivism.as_json()}),
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


_LEAD = (
    "A defendant’s record was made a little worse or a little milder, and each version judged by itself. Whatever the right "
    "decision is, a worse record must not help."
)
LONGEST_SOURCE = 400
FEW_DEFENDANTS = 30
"""With fewer, intervals are rough."""
SHOWN_NAME = 120
_WORDS: Final[Mapping[Wording, str]] = {
    "own": "One wording of the record was used",
    "printed": "One wording was used, that of Box 6 of the paper",
}


def _caveats(finding: BailConsistency) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first."""
    return tuple(sentence for sentence in (*_of_the_law(finding), *_of_the_run(finding)) if sentence)


def _of_the_law(finding: BailConsistency) -> tuple[str, ...]:
    return (
        "It says nothing about whether decisions are right, lawful or fair: refusing everybody is consistent. Age and sex "
        "were never changed.",
        ""
        if finding.config.keep_charge
        else "A replaced charge is worse or milder by its degree alone, felony or misdemeanour; the description that was drawn "
        "with it may sound otherwise. The option keep-charge leaves charges as they are.",
        f"{_WORDS[finding.config.prompts]}, with only what the file tells; a judge knows more, and other words may give other "
        "decisions.",
        f"It holds for defendants as in {clipped(finding.source, SHOWN_NAME) or 'this file'}, changed as described, and for "
        "the candidate as it was when it answered. That no contradiction was found in other records does not mean that there "
        "is none.",
    )


def _of_the_run(finding: BailConsistency) -> tuple[str, ...]:
    counts, reach = finding.counts, finding.reach
    unread = {vote: counts.replies[vote] for vote in get_args(Unread)}
    missing = sum(unread.values())
    reasons = ", ".join(f"{count(number)} {vote}" for vote, number in unread.items() if number)
    return (
        f"The budget of {reach.exhausted} ran out after {count(reach.heard)} of {count(reach.chosen)} defendants; one that was "
        "heard in part is left out."
        if reach.exhausted
        else "",
        f"{_replies(missing)} no decision ({reasons}) and count neither way: {count(counts.left_out)} defendants and "
        f"{count(counts.missing_pairs)} further pairs are left out."
        if missing
        else "",
        *unread_caveats(total=counts.came, copied=unread["copied"], cut_off=unread["cut off"], after_turn=counts.after_turn),
        f"{count(counts.no_milder)} of {count(reach.heard)} defendants have nothing that could be made milder, and "
        f"{count(counts.fewer_milder - counts.no_milder)} more have fewer milder records than more severe ones: contradictions "
        "by milder records had less room."
        if counts.fewer_milder
        else "",
        f"On {count(counts.ties)} records no decision had most votes; they count as undecided." if counts.ties else "",
        "No record was judged twice, so how much of this is chance is not known."
        if counts.control.changed.n == 0 and finding.config.temperature != 0
        else "",
        f"Heard: {count(reach.heard)} of {count(reach.in_file)} defendants only; intervals are wide."
        if 0 < reach.heard < FEW_DEFENDANTS
        else "",
    )


def _replies(number: int) -> str:
    return "1 reply gave" if number == 1 else f"{count(number)} replies gave"
