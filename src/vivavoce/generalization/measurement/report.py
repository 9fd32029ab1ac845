"""What is reported of measured models besides their alignment: misplaced trust, the trend by size, and their replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval
from vivavoce.generalization.alignment.report.cells import fit_cell, model_cell, right_cell, signed_thousandths
from vivavoce.generalization.answers import plain
from vivavoce.generalization.measurement.candidates import size_in_words
from vivavoce.generalization.measurement.replies import ModelReplies
from vivavoce.generalization.measurement.trend import SizeSlope, SizeTrend
from vivavoce.generalization.measurement.trust import MisplacedPair, MisplacedTrust
from vivavoce.report.blocks import Block, Card, Column, Figure, Fold, InFull, InShort, Pairs, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.report.parts import notes

SHOWN_QUESTION: Final = 600
"""Characters."""
SHOWN_TASK: Final = 60
MOST_IN_SHORT: Final = 3
"""Pairs in a terminal."""
MOST_OPEN: Final = 3
"""Pairs on a page that a reader need not open."""
SHOWN_IN_SHORT: Final = 160
MOST_MODELS: Final = 24
"""In a table."""
_MEASURES: Final = {"right": "Right answers", "accuracy": "Weighted accuracy", "loss": "Cost per question"}


def misplaced_section(trust: MisplacedTrust) -> Section:
    """How often trust is misplaced, by model, and the costliest pairs with their texts."""
    columns = (
        Column("Model"),
        Column("Wrong where trusted more", short="Wrong, trusted"),
        Column("Of all pairs"),
        Column("Cost", below=f"at {percent(trust.threshold)}"),
    )
    rows = tuple(
        Row(model_cell(one.model), (right_cell(one.of_trusted), right_cell(one.of_pairs), fit_cell(one.cost)))
        for one in trust.models[:MOST_MODELS]
    )
    about = (
        "Somebody saw a right answer and believed more in the next, which was wrong. Cost is the threshold times the belief "
        f"in such a mistake, on average over all pairs. {count(trust.found)} such pairs in all; the costliest are listed."
    )
    table = (Table(columns, rows, name="Misplaced trust by model"),) if rows else ()
    lines = tuple(line for one in trust.pairs[:MOST_IN_SHORT] for line in _lines(one))
    first, others = (tuple(map(_card, some)) for some in (trust.pairs[:MOST_OPEN], trust.pairs[MOST_OPEN:]))
    more = (Fold(f"{count(len(others))} more pairs", others, main=True),) if others else ()
    listed: tuple[Block, ...] = (InFull((*first, *more)), InShort(lines))
    return Section("Where trust is misplaced", (*table, *notes(about), *(listed if trust.pairs else ())))


def trend_section(trend: SizeTrend | None) -> tuple[Block, ...]:
    """The slopes over size; nothing where there are none."""
    if trend is None:
        return ()
    rows = tuple(
        Row(Cell(_named(slope)), (Cell(signed_thousandths(slope.change.value or 0.0), slope.change.value, slope.change.interval,
             f"[{signed_thousandths(slope.change.interval.lower)}, {signed_thousandths(slope.change.interval.upper)}]"),))
        for slope in trend.slopes
    )  # fmt: skip
    sizes = ", ".join(f"{name_of(model)} {size_in_words(size)}" for model, size in list(trend.sizes.items())[:MOST_MODELS])
    about = f"Least-squares slope over the logarithm of size, on {count(trend.pairs)} pairs that all answered. Sizes: {sizes}."
    table = Table((Column("Measure"), Column("Change a tenfold size")), rows, name="Change of each measure with size")
    return (Section("Do beliefs fit larger models better?", (Figure(trend_rows(trend.slopes)), table, *notes(about))),)


def trend_rows(slopes: Sequence[SizeSlope]) -> IntervalRows:
    """How weighted accuracy changes with a tenfold size, by threshold."""
    shown = [one for one in slopes if one.measure == "accuracy" and one.change.value is not None]
    told = "; ".join(
        f"at a threshold of {percent(one.threshold or 0.0)} {signed_thousandths(one.change.value or 0.0)}" for one in shown
    )
    rows = [
        IntervalRow.of(f"Threshold {percent(one.threshold or 0.0)}", signed_thousandths(one.change.value or 0.0), one.change)
        for one in shown
    ]
    what = "change of weighted accuracy with a tenfold size"
    alt = f"{what.capitalize()}: {told}."
    return IntervalRows(what, rows, 0.0, "no change", alt, "number", span=None)


def replies_table(replies: Sequence[ModelReplies]) -> tuple[Block, ...]:
    """What became of the questions put to each model."""
    if not replies:
        return ()
    columns = (Column("Model"), Column("Asked"), Column("Unreadable"), Column("Without answer"), Column("Not asked"))
    rows = tuple(
        Row(
            model_cell(one.model),
            (count_cell(one.asked), count_cell(one.unread), count_cell(one.absent), count_cell(one.questions - one.asked)),
        )
        for one in replies[:MOST_MODELS]
    )
    about = "Unreadable replies count as not right; questions without an answer are left out, with their pairs."
    return (Section("What became of the questions", (Table(columns, rows, name="Replies by model"), *notes(about))),)


def _named(slope: SizeSlope) -> str:
    at = "" if slope.threshold is None else f" at {percent(slope.threshold)}"
    return f"{_MEASURES[slope.measure]}{at}"


def _card(one: MisplacedPair) -> Card:
    pair = one.pair
    tasks = " → ".join(clipped(task.replace("_", " "), SHOWN_TASK) for task in (pair.source1, pair.source2) if task)
    words = (
        ("Right", clipped(plain(pair.q1), SHOWN_QUESTION)),
        ("Wrong", clipped(plain(pair.q2), SHOWN_QUESTION)),
        ("Belief", _belief(one)),
    )
    return Card((Pairs(words),), name_of(one.model), tasks)


def _lines(one: MisplacedPair) -> tuple[Paragraph, ...]:
    first, second = (clipped(" ".join(plain(text).split()), SHOWN_IN_SHORT) for text in (one.pair.q1, one.pair.q2))
    return (
        Paragraph(f"{name_of(one.model)}: belief {_belief(one)}"),
        Paragraph(f"  right:  {first}"),
        Paragraph(f"  wrong:  {second}"),
    )


def _belief(one: MisplacedPair) -> str:
    """The belief before and after, and whose it is."""
    moved = f"from {percent(one.before)} to {percent(one.after.value or 0.0)}"
    if one.people > 1:
        return f"{moved} {percent_interval(one.after.interval)}, {count(one.people)} people"
    return f"{moved}, {'one person: no interval' if one.people else 'predicted: no interval'}"
