"""What a training reports: decisions by label beside the paper's, attention, errors to read, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vivavoce.consistency.legal.published import published
from vivavoce.consistency.legal.training.fit import Search
from vivavoce.consistency.legal.training.score import Decided, Measures
from vivavoce.formats.wording import clipped, count, percent, score
from vivavoce.report.blocks import (
    Block,
    Card,
    Column,
    Figure,
    Fold,
    InFull,
    InShort,
    Pairs,
    Panels,
    Paragraph,
    Row,
    Section,
    Table,
)
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell
from vivavoce.report.figures import Histogram
from vivavoce.report.parts import method_of, notes, paragraphs

LABELS: Final = {True: "A violation was found", False: "None was found"}
BINS: Final = 20
MOST_ERRORS: Final = 8
MOST_IN_SHORT: Final = 3
"""Errors in a terminal."""
LONGEST_FACT: Final = 2_000
"""Characters of a fact on a page."""
_NONE: Final = Cell("", known=False)


def probabilities(decided: Sequence[Decided], threshold: float) -> tuple[Block, ...]:
    """How many held-out cases get which probability of a violation, a histogram for each label."""
    by_label = {label: [case.probability for case in decided if case.violation is label] for label in LABELS}
    heights = {label: np.histogram(values, BINS, (0.0, 1.0))[0] for label, values in by_label.items() if values}
    top = float(max((counts.max() for counts in heights.values()), default=0))
    figures = tuple(
        Figure(_histogram(label, by_label[label], tuple(map(float, counts)), threshold, top), title=LABELS[label])
        for label, counts in heights.items()
    )
    return (Panels(figures),) if figures else ()


def _histogram(label: bool, values: Sequence[float], counts: tuple[float, ...], threshold: float, top: float) -> Histogram:
    wrong = sum((value >= threshold) is not label for value in values)
    alt = (
        f"How many held-out cases get which probability of a violation. {LABELS[label]}: {count(wrong)} of "
        f"{count(len(values))} are decided wrongly."
    )
    axis = "Probability of a violation"
    mark = (threshold, "threshold")
    return Histogram(0.0, 1 / BINS, counts, alt, axis, limit=None, mark=mark, top=top)


def by_label(found: Measures) -> Table:
    """How cases are decided, beside a constant and Table 15 of `fluri2024`."""
    always = found.violations / found.cases
    constant = 2 * always / (1 + always)

    def row(what: str, ours: Cell, others: float | None = None, printed: float | None = None) -> Row:
        return Row(Cell(what), (ours, *(_NONE if one is None else _number(one) for one in (others, printed))))

    violation, none, paper = found.violation, found.no_violation, published("measures")
    defined = always > 0
    return Table(
        (
            Column(""),
            Column("This classifier", short="this classifier"),
            Column("Always “violation”", short="always violation", control=True),
            Column("The paper", short="paper"),
        ),
        (
            row("Accuracy", score_cell(found.accuracy), always, paper["accuracy"]),
            row("Violation: precision", score_cell(violation.precision), always, paper["precision"]),
            row("… recall", score_cell(violation.recall), 1.0 if defined else None, paper["recall"]),
            row("… F1", score_cell(violation.f1), constant if defined else None, paper["f1"]),
            row("No violation: precision", score_cell(none.precision)),
            row("… recall", score_cell(none.recall), 0.0 if always < 1 else None),
            row("… F1", score_cell(none.f1), 0.0 if always < 1 else None),
            row("Mean F1 of both labels", score_cell(found.macro_f1), constant / 2 if 0 < always < 1 else None),
            Row(Cell("Cases"), (count_cell(found.cases), _NONE, _NONE)),
            Row(Cell("… with a violation"), (count_cell(found.violations), _NONE, _NONE)),
        ),
    )


def attention(found: Measures) -> tuple[Block, ...]:
    """Where attention falls in cases whose decisive facts are known; nothing where there are none."""
    where = found.attention
    if where is None:
        return ()
    chance = Cell(percent(where.chance), where.chance)
    table = Table(
        (Column("Cases whose decisive facts are known"), Column("This classifier"), Column("By chance", control=True)),
        (
            Row(Cell("A decisive fact has the most attention"), (share_cell(where.top), chance)),
            Row(Cell("… in cases with a violation"), (share_cell(where.top_violation), _NONE)),
            Row(Cell("… in the others"), (share_cell(where.top_none), _NONE)),
            Row(Cell("Attention to decisive facts"), (share_cell(where.weight), chance)),
            Row(Cell("Cases"), (count_cell(where.top.n), _NONE)),
        ),
    )
    return (Section("Where attention falls", (table,)),)


def errors_to_read(errors: Sequence[Decided]) -> Section:
    """The wrong decisions that are surest."""
    if not errors:
        return Section("Errors to read first", (Paragraph("No held-out case was decided wrongly."),))
    shown = errors[:MOST_ERRORS]
    more = (
        f"{count(len(errors))} held-out cases were decided wrongly; these are the surest." if len(errors) > len(shown) else ""
    )
    cards = tuple(
        Card((Pairs(((f"fact {one.top + 1}, which has the most attention", one.top_fact[:LONGEST_FACT]),)),), _step(one))
        for one in shown
    )
    lines = paragraphs(*map(_step, shown[:MOST_IN_SHORT]))
    return Section("Errors to read first", (*notes(more), InFull(cards), InShort(lines)))


def _step(one: Decided) -> str:
    """What was found, and what the classifier says."""
    found = "a violation" if one.violation else "no violation"
    return f"Case {clipped(one.case, 80)}: {found} was found, the classifier says {one.probability:.2f}"


def method(searches: Sequence[Search], chosen: Search, threshold: float) -> Fold:
    """How the numbers were found, with every search."""
    paper = published("training")
    return method_of(
        (
            "The encoder is frozen: it turns each fact into a vector by itself. The head gives each fact a weight (attention), "
            "takes the weighted mean of the vectors, and decides by a logistic line. The order of facts plays no part.",
            "The head minimizes the mean log loss with a penalty on its weights, by L-BFGS with exact gradients over all cases "
            "at once. Of all searches the one with the smallest loss on the validation cases is kept (penalty "
            f"{chosen.penalty:g}). The paper’s head was trained for {paper['epochs']} epochs in batches of {paper['batch']} "
            f"at a learning rate of {paper['rate']} with {paper['warm_up']} warm-up steps (Table 14); a search that ends "
            "where the gradient vanishes needs none of these.",
            f"The decision is a violation where the probability is at least {threshold:g}. Precision: share of the cases "
            "decided so that are so. Recall: share of the cases that are so that are decided so. F1: their harmonic mean. With "
            "two labels, micro averages are the accuracy.",
            "Intervals are at level 95%, those of Clopper and Pearson for shares. F1 grows with the share of right decisions "
            "among cases that have the label or were given it, and has the interval of that share; the mean of two F1 has "
            "the mean of their intervals at 97.5%.",
        ),
        _searched(searches, chosen),
    )


def _searched(searches: Sequence[Search], chosen: Search) -> Table:
    columns = ("Search from", "Penalty", "Steps", "Loss in training", "Loss in validation")
    rows = tuple(
        Row(
            Cell(f"place {one.start + 1}{', kept' if one is chosen else ''}"),
            (
                Cell(f"{one.penalty:g}", one.penalty),
                Cell(f"{count(one.steps)}{'' if one.converged else ' (limit)'}", one.steps),
                Cell(f"{one.training_loss:.4f}", one.training_loss),
                Cell(f"{one.validation_loss:.4f}", one.validation_loss),
            ),
        )
        for one in searches
    )
    return Table(tuple(map(Column, columns)), rows, name="Searches")


def _number(value: float) -> Cell:
    return Cell(score(value), value)
