"""The part of questions that repeat those of a benchmark."""

from __future__ import annotations

from typing import Final

from vivavoce.eqt.overlap import Overlap
from vivavoce.eqt.report.parts import Part, called, not_shown, numbered, share_cell, share_in_words
from vivavoce.formats.wording import clipped, count, name_of, score
from vivavoce.report.blocks import Column, InFull, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import notes

SHOWN: Final = 10
LONGEST: Final = 300
"""Characters of a question that are shown."""
MOST_CATEGORIES: Final = 60


def overlap_part(found: Overlap) -> Part:
    """The part of one candidate's questions."""
    same = round((found.share.value or 0.0) * found.share.n)
    headline = (
        f"{count(same)} of {numbered(found.share.n, 'question')} by {name_of(found.candidate)} "
        f"({share_in_words(found.share)}) {'is a near-duplicate' if same == 1 else 'are near-duplicates'} of one of the "
        f"{count(found.originals)} in {name_of(found.benchmark)}."
    )
    others = ""
    if found.closed_same.n and found.closed_same.value is not None and found.closed_other.value is not None:
        others = (
            f"Answers to these are right in {share_in_words(found.closed_same)} of all wordings, to the others in "
            f"{share_in_words(found.closed_other)}."
        )
    withheld = "One answer is given more often than the keys explain: accuracies on near-duplicates and others are withheld."
    return Part(
        f"Questions of {called(found.candidate)} that repeat {called(found.benchmark)}",
        f"Questions of {called(found.candidate)} that repeat {called(found.benchmark)}",
        headline,
        others,
        "Questions that a candidate writes on its own explanations should be new. Each is compared with the benchmark's "
        "questions of its category.",
        (_categories(found), InFull((Section("Most similar questions", (_nearest(found),)),))),
        (
            "Words are compared, not meanings: a question that asks the same in other words is not found.",
            "A question that repeats the benchmark may have been memorised; one that doesn't may have been, too.",
            *((withheld,) if found.prevails else ()),
        ),
        (
            "Two questions are near-duplicates if they share at least 70% of their word triples, in their stems or with their "
            "options.",
        ),
    )


def _categories(found: Overlap) -> InFull | Table:
    columns = (Column("Category", short="category"), Column("Near-duplicates", short="near-duplicates"))
    shown = list(found.categories.items())[:MOST_CATEGORIES]
    table = Table(columns, tuple(Row(Cell(called(name)), (share_cell(share),)) for name, share in shown))
    left = notes(not_shown(len(shown), len(found.categories), "categories"))
    return InFull((table, *left)) if left else table


def _nearest(found: Overlap) -> Table:
    columns = (
        Column("Written", short="written", percent=42),
        Column("Most similar", short="original", percent=42),
        Column("Alike"),
    )
    rows = tuple(
        Row(
            Cell(clipped(one.stem, LONGEST), below=(f"{called(one.concept.name)}, question {one.number}",)),
            (
                Cell(clipped(one.original_stem, LONGEST) or "none", below=(called(one.original),)),
                Cell(score(one.alike), one.alike),
            ),
        )
        for one in found.nearest[:SHOWN]
    )
    return Table(columns, rows)
