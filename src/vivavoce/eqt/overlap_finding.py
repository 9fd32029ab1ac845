"""How many written questions are near-duplicates of a benchmark's, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.eqt.questions import Concept
from vivavoce.eqt.report.cells import called, share_cell
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval, score
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Column, InFull, Report, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported

SHOWN: Final = 10
LONGEST: Final = 300
"""Characters of a question that are shown."""
MOST_CATEGORIES: Final = 60


@dataclass(frozen=True, slots=True)
class Nearest:
    """A written question, and the original that is most alike."""

    concept: Concept
    number: int
    stem: str
    alike: float
    """Share of word triples that both have, from 0 to 1."""
    original: str
    """Its id; empty where not even three words in a row are the same."""
    original_stem: str


@dataclass(frozen=True, slots=True, repr=False)
class EqtOverlap(Reported):
    """What `overlap` returns."""

    candidate: str
    """Who wrote the questions."""
    benchmark: str
    originals: int
    """Questions of the benchmark."""
    share: Estimate
    """Near-duplicates of written questions; the interval by concept."""
    categories: Mapping[str, Estimate]
    nearest: tuple[Nearest, ...]
    """One a written question, the most alike first."""
    closed_same: Estimate
    """Closed-book accuracy on near-duplicates."""
    closed_other: Estimate
    """And on the others."""
    signature: Signature
    prevails: bool = False
    """Whether one answer is given whatever is asked: then both accuracies are withheld."""

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        same = round((self.share.value or 0.0) * self.share.n)
        return (
            f"{count(same)} of {count(self.share.n)} questions by {name_of(self.candidate)} "
            f"({percent(self.share.value or 0.0)} {percent_interval(self.share.interval)}) are near-duplicates of one of the "
            f"{count(self.originals)} of {name_of(self.benchmark)}."
        )

    @property
    def statement(self) -> str:
        """The result in plain words."""
        if not self.closed_same.n or self.closed_same.value is None or self.closed_other.value is None:
            return self.headline
        same, other = (
            f"{percent(share.value or 0.0)} {percent_interval(share.interval)}"
            for share in (self.closed_same, self.closed_other)
        )
        return f"{self.headline} Answers to these are right in {same} of all wordings, to the others in {other}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What it does not show."""
        one_answer = ("One answer is given more often than the keys explain: closed-book accuracies are withheld.",)
        return (
            "Words are compared, not meanings: a question that asks the same in other words is not found.",
            "A question that repeats a benchmark's may have been learnt by heart; one that does not may have been, too.",
            *(one_answer if self.prevails else ()),
        )

    def report(self) -> Report:
        """All of it as blocks."""
        by_category = Table(
            (Column("Category", short="category"), Column("Near-duplicates", short="near-duplicates")),
            tuple(
                Row(Cell(called(name)), (share_cell(share),)) for name, share in list(self.categories.items())[:MOST_CATEGORIES]
            ),
        )
        pairs = Table(
            (
                Column("Written", short="written", percent=42),
                Column("Most alike", short="original", percent=42),
                Column("Alike"),
            ),
            tuple(
                Row(
                    Cell(clipped(one.stem, LONGEST), below=(f"{called(one.concept.name)}, question {one.number}",)),
                    (
                        Cell(clipped(one.original_stem, LONGEST) or "none", below=(called(one.original),)),
                        Cell(score(one.alike), one.alike),
                    ),
                )
                for one in self.nearest[:SHOWN]
            ),
        )
        return self.reported(
            "Explain, query, test: overlap with a benchmark",
            f"Which of {called(self.candidate)}’s questions stand in {called(self.benchmark)}",
            InFull(paragraphs(_LEAD)),
            by_category,
            InFull((Section("The most alike", (pairs,)),)),
            Caveats(self.caveats),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "benchmark": self.benchmark,
            "originals": self.originals,
            "share": self.share.as_json(),
            "categories": {name: share.as_json() for name, share in self.categories.items()},
            "nearest": [
                {"concept": one.concept.name, "category": one.concept.category, "number": one.number, "stem": one.stem}
                | {"alike": one.alike, "original": one.original, "original_stem": one.original_stem}
                for one in self.nearest
            ],
            "closed_same": self.closed_same.as_json(),
            "closed_other": self.closed_other.as_json(),
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


_LEAD: Final = (
    "Questions that a candidate writes on its own explanations should be new. Each is compared with the benchmark’s questions "
    "of its category by the word triples that both have; from .7 on two questions ask the same."
)
