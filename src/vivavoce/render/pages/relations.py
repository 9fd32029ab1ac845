"""What a check of rules says on its page: everything the template needs, already in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from vivavoce.consistency.relations import RelationFinding
from vivavoce.consistency.relations.describe import plain, rough
from vivavoce.consistency.relations.finding import Case, Row
from vivavoce.consistency.relations.rules import NOISE
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.relations import distances
from vivavoce.render.replies import replies

SIDE_BY_SIDE = 3
"""Rules in one table."""
SHOWN_WORST = 5
"""Of each rule."""
SHOWN_RULE = 120

Cell = tuple[str, str]
"""A number and its interval, or what belongs to it."""


def relations_title(finding: RelationFinding) -> str:
    """What the page is."""
    return f"Rules and {finding.name}"


def relations_body(finding: RelationFinding, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plots = [distances(row, f"{name}d{number}") for number, row in enumerate(finding.rows)]
    return {
        "finding": finding,
        "source": clipped(finding.source, 120) or "not named",
        "tables": [
            ([rule_name(row) for row in rows], numbers(rows))
            for start in range(0, len(finding.rows), SIDE_BY_SIDE)
            if (rows := finding.rows[start : start + SIDE_BY_SIDE])
        ],
        "reasons": reasons(finding.rows),
        "plots": [figure(plot) for plot in plots if plot],
        "worst": [(rule_name(row), [_shown(case) for case in row.worst[:SHOWN_WORST]]) for row in finding.rows if row.n],
        "replies": replies(finding.replies),
        "method": method(finding),
    }


def rule_name(row: Row) -> str:
    """The rule in its author's words."""
    return clipped(row.rule, SHOWN_RULE)


def numbers(rows: Sequence[Row]) -> list[tuple[str, tuple[Cell, ...]]]:
    """The table: what is counted, and a number with its interval for each rule."""
    return [
        ("Broken", tuple(_share(row) for row in rows)),
        ("Cases", tuple((count(row.n), "") for row in rows)),
        ("Mean violation", tuple(_mean(row.mean) for row in rows)),
        ("Largest", tuple(("unknown" if row.largest is None else rough(row.largest), "") for row in rows)),
        ("Tolerated", tuple((" or ".join(map(_tolerance, row.tolerances[:3])), "") for row in rows)),
        ("Broken at random", tuple(("unknown" if row.shuffled is None else percent(row.shuffled.share), "") for row in rows)),
        ("Broken by a constant", tuple(("unknown" if row.constant is None else percent(row.constant), "") for row in rows)),
        ("Different outputs", tuple((count(row.distinct), f"of {count(row.outputs)}") for row in rows)),
        ("Rule does not apply", tuple((count(row.skipped), "") for row in rows)),
        ("No answer", tuple((count(row.unanswered), "") for row in rows)),
    ]


def reasons(rows: Sequence[Row]) -> list[str]:
    """Why answers are missing, one sentence a rule."""
    return [
        f"No answer, {rule_name(row)}: {', '.join(f'{clipped(why, 160)} ({count(n)})' for why, n in row.no_answers.items())}."
        for row in rows
        if row.no_answers
    ]


def method(finding: RelationFinding) -> list[str]:
    """How the numbers were found, in sentences."""
    shared = any(row.shared for row in finding.rows)
    return [
        "Each tuple holds inputs that stand in a relation. If the rule applies to them, their outputs must stand in another. "
        "How far they are from it is the violation, in the unit of the output; what is within the tolerance is none.",
        "At random: the same outputs, assigned to the inputs of all tuples at random, up to 20 times over. That is what a "
        "candidate gets that does not look at its input. By a constant: every input is given the output of the first.",
        "Intervals are at level 95%: those of Clopper and Pearson for shares, Student's for means. "
        + (
            "Some tuples share what they were made from; both allow for it." if shared else "Tuples are treated as independent."
        ),
    ]


def _share(row: Row) -> Cell:
    return (
        "unknown" if row.share.value is None else percent(row.share.value),
        percent_interval(row.share.interval) if row.n else "",
    )


def _mean(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return ("unknown", "")
    ends = estimate.interval
    return (rough(estimate.value), f"[{rough(ends.lower, -1)}, {rough(ends.upper, 1)}]" if math.isfinite(ends.upper) else "")


def _tolerance(tolerance: float) -> str:
    return "rounding" if 0 < tolerance <= NOISE else plain(tolerance)


def _shown(case: Case) -> dict[str, str]:
    name = ", ".join(part for part in (clipped(case.id, 80), clipped(", ".join(case.base), 80)) if part)
    return {
        "change": case.change,
        "came_out": case.came_out,
        "place": f"{count(case.number)}{f' ({name})' if name else ''}",
    }
