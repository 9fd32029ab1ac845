"""What is reported of the most influential pairs: mean chances, the pairs themselves, and the method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.embeddings.embedding import plain_text
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent
from vivavoce.generalization.evaluation.report import clipped_notes
from vivavoce.generalization.pairs import Pair
from vivavoce.report.blocks import Block, Card, Column, Fold, InFull, InShort, Pairs, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, share_cell, signed_cell
from vivavoce.report.parts import method_of

SHOWN_QUESTION: Final = 600
"""Characters."""
SHOWN_TASK: Final = 60
MOST_IN_SHORT: Final = 3
"""Pairs of each kind in a terminal."""
SHOWN_IN_SHORT: Final = 160


@dataclass(frozen=True, slots=True)
class PredictedPair:
    """A pair, and the chance that the belief changes."""

    pair: Pair
    change: float

    def as_json(self) -> dict[str, Any]:
        """The pair as JSON values."""
        pair = self.pair
        return {"q1": pair.q1, "q2": pair.q2, "source1": pair.source1, "source2": pair.source2, "pred": self.change}


def means_table(after_wrong: Estimate, after_right: Estimate, difference: Estimate) -> Table:
    """Mean chances of a change, and their difference."""
    rows = (
        ("After a wrong answer", share_cell(after_wrong)),
        ("After a right answer", share_cell(after_right)),
        ("Difference", signed_cell(difference)),
    )
    columns = (Column("Mean chance of a change"), Column("PredictedPair"))
    return Table(columns, tuple(Row(Cell(what), (cell,)) for what, cell in rows))


def pairs_section(title: str, predicted: Sequence[PredictedPair]) -> tuple[Block, ...]:
    """The pairs of one kind; a few of them, in a few words, in a terminal."""
    lines = tuple(line for each in predicted[:MOST_IN_SHORT] for line in _lines(each))
    return (
        InFull((Section(title, tuple(map(_card, predicted))),)),
        InShort((Section(title, lines),)),
    )


def influential_method(n: int, questions: int, notes: Sequence[str]) -> Fold:
    """How the chances were found."""
    return method_of(
        (
            f"{count(n)} pairs of {count(questions)} questions, each after a right and after a wrong answer. Means have "
            "Student's intervals at level 95%, which allow for pairs that share a question.",
            *clipped_notes(notes),
        )
    )


def _card(predicted: PredictedPair) -> Card:
    pair = predicted.pair
    tasks = " → ".join(clipped(task.replace("_", " "), SHOWN_TASK) for task in (pair.source1, pair.source2) if task)
    words = (
        ("Chance", " ".join(filter(None, (percent(predicted.change), tasks)))),
        ("Shown", clipped(plain_text(pair.q1), SHOWN_QUESTION)),
        ("Believed", clipped(plain_text(pair.q2), SHOWN_QUESTION)),
    )
    return Card((Pairs(words),))


def _lines(predicted: PredictedPair) -> tuple[Paragraph, ...]:
    first, second = (clipped(plain_text(text), SHOWN_IN_SHORT) for text in (predicted.pair.q1, predicted.pair.q2))
    return (Paragraph(f"{percent(predicted.change)}  {first}"), Paragraph(f" →  {second}"))
