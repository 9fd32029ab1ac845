"""What a search for contradictions finds, and what that does not show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.reply_counts import copies_of, unread_caveats_of
from vivavoce.consistency.search.config import ContradictionSearchConfig, Method
from vivavoce.consistency.search.genome import Gene
from vivavoce.consistency.search.report import courses, examples, method, runs_table
from vivavoce.consistency.search.summary import Contradiction, Run
from vivavoce.formats.wording import clipped, count, counted
from vivavoce.interview.budget import Limit
from vivavoce.interview.candidate import Usage
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs, replies
from vivavoce.report.reported import Reported

LONGEST_NAME: Final = 120
LONGEST_LAW: Final = 600


@dataclass(frozen=True, slots=True, repr=False)
class ContradictionSearch(Reported):
    """What `examine.search` returns."""

    candidate: str
    title: str
    """What was varied."""
    law: str
    """What counts as a contradiction, in a sentence."""
    cases: int
    """Questions, tuples or defendants that were varied."""
    genes: tuple[Gene, ...]
    config: ContradictionSearchConfig
    runs: tuple[Run, ...]
    contradictions: tuple[Contradiction, ...]
    """All that were confirmed, by whichever method, in the order in which they were found."""
    ended: Limit
    """Which limit of the interview's own budget ended it; empty where none did."""
    spending: Usage
    asked_so: tuple[str, ...]
    """What a reader must know of what was varied, and of how it was asked."""
    signature: Signature

    @property
    def measured(self) -> bool:
        """Whether any attempt could be read."""
        return any(run.attempts > run.unread for run in self.runs)

    @property
    def name(self) -> str:
        """The candidate's, fit to begin a sentence."""
        return clipped(self.candidate, LONGEST_NAME)

    @property
    def replies(self) -> dict[str, int]:
        """What became of single replies; those that both methods had count for each."""
        total: Counter[str] = Counter()
        for run in self.runs:
            total.update(run.replies)
        return dict(total)

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        calls = f"with {count(self.config.calls)} calls{' each' if len(self.runs) > 1 else ''}"
        if not self.measured:
            return f"Nothing is known of contradictions of {self.name}: no attempt could be read."
        if not self.contradictions:
            return f"No contradiction of {self.name} was found and confirmed {calls}, which does not show that there is none."
        first, *others = self.runs
        found = (
            f"{_WHO[first.method]} found {count(first.distinct)} confirmed contradiction{'' if first.distinct == 1 else 's'}"
        )
        beside = "".join(f", {_WHO[run.method]} {count(run.distinct)}" for run in others)
        return f"{self.name} contradicts itself: {found}{beside}, {calls}."

    @property
    def copies(self) -> str:
        """How many replies only repeat the prompt, in one sentence; empty where few do."""
        return copies_of(self.replies)

    @property
    def basis(self) -> str:
        """What is counted, in one sentence; empty where nothing was found."""
        return (
            "Each was shrunk until no change can go, confirmed on fresh answers, and counts once."
            if self.contradictions
            else ""
        )

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, self.copies, self.basis)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        outcomes = self.replies
        heard = unread_caveats_of(outcomes)
        return (*_caveats(self), *heard, *self.asked_so)

    def report(self) -> Report:
        """All of it as blocks."""
        about = f"Varied, in {counted(self.cases, 'case')}: {self.title}. {clipped(self.law, LONGEST_LAW)}"
        return self.reported(
            "Search for contradictions",
            f"Search for contradictions of {self.name}",
            InFull(paragraphs(self.basis, about)),
            runs_table(self.runs),
            *courses(self.runs),
            *examples(self.contradictions),
            *replies(self.replies),
            Caveats(self.caveats),
            method(self.genes, self.config),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "varied": self.title,
            "law": self.law,
            "cases": self.cases,
            "genes": [{"name": gene.name, "values": list(gene.values)} for gene in self.genes],
            "calls": self.config.calls,
            "confirm": self.config.confirm,
            "runs": [run.as_json() for run in self.runs],
            "contradictions": [one.as_json() for one in self.contradictions],
            **({"budget_ended": self.ended} if self.ended else {}),
            "tokens": self.spending.tokens,
            "money": self.spending.money,
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


_WHO: Final[dict[Method, str]] = {"search": "the search", "random": "random drawing"}
NO_RATE: Final = (
    "A search is no rate: what was found says nothing about how frequent contradictions are, only that they occur. Nor does "
    "finding none show that there are none."
)
CHANCE: Final = (
    "A candidate that answers at random is confirmed now and then: one that says either of two things as often, on at most 2 "
    "of {number} pairs that are tried."
)
ONE_SEED: Final = "One course of each method is compared: with another seed either may find more."


def _caveats(finding: ContradictionSearch) -> tuple[str, ...]:
    """In the order of their weight."""
    refuted, unsettled = (sum(getattr(run, name) for run in finding.runs) for name in ("refuted", "unsettled"))
    unread, tried = sum(run.unread for run in finding.runs), sum(run.attempts for run in finding.runs)
    told = {
        NO_RATE: True,
        CHANCE.format(number=count(4**finding.config.confirm)): bool(finding.contradictions),
        f"{_were(refuted, 'contradiction')} not confirmed by fresh answers, and count as none.": bool(refuted),
        f"{_were(unsettled, 'attempt')} left that contradicted when calls ran out, and count as none.": bool(unsettled),
        f"{count(unread)} of {count(tried)} attempts could not be read, and contradict nothing.": bool(unread),
        ONE_SEED: len(finding.runs) > 1,
        f"The budget of {finding.ended} ran out, so that methods did not have the same number of calls: do not compare them.":
            bool(finding.ended),
    }  # fmt: skip
    return tuple(sentence for sentence, applies in told.items() if applies)


def _were(number: int, noun: str) -> str:
    return f"1 {noun} was" if number == 1 else f"{count(number)} {noun}s were"
