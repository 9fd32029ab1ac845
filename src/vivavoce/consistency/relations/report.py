"""What a check of rules reports: shares by rule, why answers are missing, distances, the worst cases, the method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.relations.describe import plain, rough
from vivavoce.consistency.relations.rules import NOISE
from vivavoce.consistency.relations.summary import Case, Summary
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent
from vivavoce.report.blocks import Block, Card, Column, Figure, Fold, InFull, InShort, Pairs, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, share_cell
from vivavoce.report.parts import method_of, notes, paragraphs

SIDE_BY_SIDE: Final = 3
"""Rules in one table."""
SHOWN_WORST: Final = 5
"""Cases of each rule."""
MOST_IN_SHORT: Final = 3
"""The same in a terminal."""
SHOWN_RULE: Final = 120
LONGEST_HEAD: Final = 40
"""Characters of a rule above a column of a terminal."""


@dataclass(frozen=True, slots=True)
class RuleDistances:
    """How far the tuples of a rule are from its limit, to be drawn."""

    plot: ClassVar[str] = "vivavoce.consistency.relations.plots:rule_distances_drawing"
    summary: Summary


def shares(summaries: Sequence[Summary]) -> tuple[Table, ...]:
    """What is counted, and a number with its interval for each rule."""
    starts = range(0, len(summaries), SIDE_BY_SIDE)
    return tuple(_shares(summaries[start : start + SIDE_BY_SIDE]) for start in starts)


def why_no_answer(summaries: Sequence[Summary]) -> tuple[Paragraph, ...]:
    """Why answers are missing, one sentence a rule."""
    return notes(
        *(
            f"No answer, {_name(of)}: {', '.join(f'{clipped(why, 160)} ({count(n)})' for why, n in of.no_answers.items())}."
            for of in summaries
            if of.no_answers
        )
    )


def distances(summaries: Sequence[Summary]) -> tuple[Figure, ...]:
    """How far the outputs of each tuple are from breaking its rule, or beyond."""
    return tuple(Figure(RuleDistances(of)) for of in summaries)


def worst_cases(summaries: Sequence[Summary]) -> Section:
    """The largest violations of each rule."""
    compared = [of for of in summaries if of.n]
    sections = tuple(Section(_name(of) if len(compared) > 1 else "", _cards(of)) for of in compared)
    lines = (case.in_words for of in summaries for case in of.worst[:MOST_IN_SHORT])
    in_full: tuple[Block, ...] = sections or paragraphs("Nothing was compared.")
    return Section("The worst cases", (InFull(in_full), InShort(paragraphs(*lines))))


def method(summaries: Sequence[Summary]) -> Fold:
    """How the numbers were found."""
    shared = any(of.shared for of in summaries)
    alike = "Some tuples share what they were made from; both allow for it." if shared else "Tuples are treated as independent."
    return method_of(
        (
            "Each tuple holds inputs that stand in a relation. If the rule applies to them, their outputs must stand in "
            "another. How far they are from it is the violation, in the unit of the output; what is within the tolerance is "
            "none.",
            "At random: the same outputs, assigned to the inputs of all tuples at random, up to 20 times over. That is what a "
            "candidate gets that does not look at its input. By a constant: every input is given the output of the first.",
            f"Intervals are at level 95%: those of Clopper and Pearson for shares, Student's for means. {alike}",
        )
    )


def _shares(summaries: Sequence[Summary]) -> Table:
    def row(what: str, *cells: Cell) -> Row:
        return Row(Cell(what), cells)

    return Table(
        (Column("Rule"), *map(_column, summaries)),
        (
            row("Broken", *(share_cell(of.share) for of in summaries)),
            row("Cases", *(count_cell(of.n) for of in summaries)),
            row("Mean violation", *(_mean(of.mean) for of in summaries)),
            row("Largest", *(_number(of.largest) for of in summaries)),
            row("Tolerated", *(Cell(" or ".join(map(_tolerance, of.tolerances[:3]))) for of in summaries)),
            row("Broken at random", *(_reference(None if of.shuffled is None else of.shuffled.share) for of in summaries)),
            row("Broken by a constant", *(_reference(of.constant) for of in summaries)),
            row("Different outputs", *(Cell(f"{count(of.distinct)} of {count(of.outputs)}", of.distinct) for of in summaries)),
            row("Rule does not apply", *(count_cell(of.skipped) for of in summaries)),
            row("No answer", *(count_cell(of.unanswered) for of in summaries)),
        ),
    )


def _column(summary: Summary) -> Column:
    name = _name(summary)
    return Column(name, short=f"{name[: LONGEST_HEAD - 1]}…" if len(name) > LONGEST_HEAD else "")


def _name(summary: Summary) -> str:
    """The rule in its author's words."""
    return clipped(summary.rule, SHOWN_RULE)


def _mean(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return Cell("unknown", known=False)
    ends = estimate.interval
    interval = f"[{rough(ends.lower, -1)}, {rough(ends.upper, 1)}]" if math.isfinite(ends.upper) else ""
    return Cell(rough(estimate.value), estimate.value, ends, interval)


def _number(value: float | None) -> Cell:
    return Cell("unknown", known=False) if value is None else Cell(rough(value), value)


def _reference(share: float | None) -> Cell:
    return Cell("unknown", known=False) if share is None else Cell(percent(share), share)


def _tolerance(tolerance: float) -> str:
    return "rounding" if 0 < tolerance <= NOISE else plain(tolerance)


def _cards(summary: Summary) -> tuple[Block, ...]:
    return tuple(map(_card, summary.worst[:SHOWN_WORST])) or paragraphs("No case breaks the rule.")


def _card(case: Case) -> Card:
    name = ", ".join(part for part in (clipped(case.id, 80), clipped(", ".join(case.base), 80)) if part)
    place = f"{count(case.number)}{f' ({name})' if name else ''}"
    return Card((Pairs((("Inputs", case.change), ("Outputs", case.came_out), ("Tuple", place))),))
