"""The tables of forecasts measured against laws."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.references import CONSTANT, Reference
from vivavoce.consistency.forecasts.report.view import MOST_NAMES, View, law_label
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count, name_of, percent, score
from vivavoce.laws.metrics import FORMULA
from vivavoce.report.blocks import Block, Column, Fold, InFull, InShort, Paragraph, Row, Table
from vivavoce.report.cells import Cell, Tint, count_cell, observations, score_cell, share_cell

TINTS: Final = (0.02, 0.1, 0.25, 0.5)
"""Shares of strong contradictions from which a cell is tinted more."""
AT_RANDOM: Final = "At random"
THE_SAME: Final = "Always the same"
ABOUT_REFERENCES: Final = {
    AT_RANDOM: "Every forecast drawn from 0 to 1, every series in random order.",
    THE_SAME: f"{percent(CONSTANT)} to every question, the same quantity every year.",
}
NOT_ASKED: Final = Cell("not asked", quiet=True, known=False)


def tables(view: View) -> tuple[Block, ...]:
    """How often and how far forecasts contradict themselves: laws down for one forecaster, across for several."""
    blocks = _of_one(view) if view.alone else _of_several(view)
    return (*blocks, *((Paragraph(view.left_out, quiet=True),) if view.left_out else ()))


def _of_one(view: View) -> tuple[Block, ...]:
    rows = [row for law in view.laws for row in view.of_law(law)]
    at_least = " (0.2 or more on laws of your own)" if any(law not in FORMULA for law in view.laws) else ""
    return (
        Table(
            (
                Column("Law", short="law", percent=30),
                Column("Strong", short="strong"),
                Column("Mean metric", short="mean"),
                Column(AT_RANDOM, short="random"),
                Column(THE_SAME, short="constant"),
            ),
            tuple(_row(row, (share_cell(row.strong), score_cell(row.mean), *references([row]).values())) for row in rows),
        ),
        InFull(
            (
                Paragraph(
                    "With 95% intervals. At random and always the same: what forecasters that know nothing get, the strong "
                    "share above the mean metric.",
                    quiet=True,
                ),
                Table(
                    (
                        Column("Law", percent=30),
                        Column("Distance in nats"),
                        Column(AT_RANDOM),
                        Column("Different forecasts"),
                        Column("Unreadable tuples"),
                    ),
                    tuple(_row(row, _distances(row), counted=False) for row in rows),
                ),
                Paragraph("Distance: how far the forecasts are from the nearest coherent ones, on average.", quiet=True),
            )
        ),
        InShort(
            (
                Paragraph(
                    f"strong: share with a metric above 0.2{at_least}; random and constant: that of forecasters who know "
                    "nothing",
                    quiet=True,
                ),
            )
        ),
    )


def _of_several(view: View) -> tuple[Block, ...]:
    shown, told = list(view.forecasters), ""
    if len(shown) > MOST_NAMES:
        half = MOST_NAMES // 2
        told = f" The {half} least and the {half} most contradictory of {count(len(shown))}; the page and the JSON have all."
        shown = [*view.ranked[:half], *view.ranked[-half:]]
    tinted = "; a stronger tint means more strong ones" if not view.few else ""
    return (
        InShort((Paragraph(f"Share of strong contradictions by law.{told}", quiet=True), _shares(view, shown, in_short=True))),
        InFull(
            (
                _shares(view, view.forecasters),
                Paragraph(
                    "In each cell the share of strong contradictions, below it the mean metric, both with 95% intervals"
                    f"{tinted}. The last two rows: what forecasters that know nothing get.",
                    quiet=True,
                ),
            )
        ),
        Fold(
            "Distances, different forecasts, unreadable tuples",
            (
                _distances_of_all(view),
                Paragraph(
                    "In each cell how far the forecasts are from the nearest coherent ones, on average and in nats; below it "
                    "how many of all forecasts are different from one another.",
                    quiet=True,
                ),
            ),
            is_open=view.few,
            main=True,
        ),
    )


def _shares(view: View, names: Sequence[str], *, in_short: bool = False) -> Table:
    """In short the heads alone say how many tuples there are."""
    by_law = {law: view.of_law(law) for law in view.laws}
    same = {law: len({row.n for row in rows}) == 1 for law, rows in by_law.items()}
    beneath = [references(rows) for rows in by_law.values()]
    return Table(
        _columns(view, ranges=in_short),
        tuple(
            Row(
                Cell(name_of(name)),
                tuple(_share(view.rows.get((name, law)), counted=not same[law], tinted=not view.few) for law in view.laws),
            )
            for name in names
        ),
        tuple(
            Row(Cell(who, about=about, short=who.lower()), tuple(of_law[who] for of_law in beneath), "quiet")
            for who, about in ABOUT_REFERENCES.items()
        ),
        "Strong contradictions and mean metric, by forecaster and law",
    )


def _distances_of_all(view: View) -> Table:
    by_law = {law: view.of_law(law) for law in view.laws}
    return Table(
        _columns(view),
        tuple(
            Row(Cell(name_of(name)), tuple(_distance(view.rows.get((name, law))) for law in view.laws))
            for name in view.forecasters
        ),
        tuple(
            Row(Cell(who), tuple(Cell(reference_nats(rows)[who], quiet=True) for rows in by_law.values()), "quiet")
            for who in ABOUT_REFERENCES
        ),
        "Distances in nats and different forecasts, by forecaster and law",
    )


def _columns(view: View, *, ranges: bool = False) -> tuple[Column, ...]:
    """A column a law, with its number of tuples; where forecasters differ in it, with both ends if `ranges` are wanted."""
    columns = [Column(view.who, short=view.who.lower())]
    for law in view.laws:
        rows = view.of_law(law)
        same = len({row.n for row in rows}) == 1
        columns.append(
            Column(
                law_name(law),
                tuples(rows) if same or ranges else "",
                law_label(law),
                rows[0].metric if rows else "",
                control=law == CONTROL,
            )
        )
    return tuple(columns)


def _row(row: Summary, cells: tuple[Cell, ...], *, counted: bool = True) -> Row:
    head = Cell(law_name(row.law), short=law_label(row.law), about=row.metric, n=tuples([row]) if counted else "")
    return Row(head, cells, "control" if row.law == CONTROL else "plain")


def _share(row: Summary | None, *, counted: bool, tinted: bool) -> Cell:
    if row is None:
        return NOT_ASKED
    mean = score_cell(row.mean)
    below = (f"{mean.text} {mean.interval}".rstrip(), *((tuples([row]),) if counted else ()))
    level = bisect_right(TINTS, row.strong.value or 0.0)
    return replace(share_cell(row.strong), below=below, tint=Tint(level) if tinted else None)


def _distances(row: Summary) -> tuple[Cell, ...]:
    at_random = Cell(reference_nats([row])[AT_RANDOM], quiet=True)
    return (nats(row), at_random, distinct(row), count_cell(row.unreadable))


def _distance(row: Summary | None) -> Cell:
    if row is None:
        return NOT_ASKED
    unreadable = (f"{count(row.unreadable)} unreadable",) if row.unreadable else ()
    return replace(nats(row), below=(distinct(row).text, *unreadable))


def nats(row: Summary) -> Cell:
    """Mean distance to the nearest coherent forecasts."""
    return Cell("none", known=False) if row.violation is None else Cell.of(row.violation, in_nats, _nats_interval)


def in_nats(value: float, rounded: Callable[[float], int] = round) -> str:
    """A distance to two significant digits, if it is not too small to matter.

    >>> in_nats(0.00672), in_nats(0.05), in_nats(1.234, math.ceil), in_nats(1e-9), in_nats(1e-9, math.floor), in_nats(12.7)
    ('0.0067', '0.050', '1.3', '0', '0', '13')
    """
    if value < 0.0001:
        return "0.0001" if rounded is math.ceil and value > 0 else "0"
    digits = 1 - math.floor(math.log10(value))
    return f"{rounded(round(value * 10**digits, 9)) / 10**digits:.{max(0, digits)}f}"


def distinct(row: Summary) -> Cell:
    """Different values among the forecasts."""
    return Cell(f"{count(row.distinct)} of {count(row.forecasts)}", row.distinct)


def tuples(rows: Sequence[Summary]) -> str:
    """How many tuples stand behind each of these.

    >>> tuples([])
    'n = 0'
    """
    numbers = sorted({row.n for row in rows}) or [0]
    return observations(numbers[0]) if len(numbers) == 1 else f"n = {count(numbers[0])} to {count(numbers[-1])}"


def references(rows: Sequence[Summary]) -> dict[str, Cell]:
    """The share of strong contradictions and the mean metric of forecasters that know nothing, by what they are called.

    They depend on how many questions a tuple has, which may differ between forecasters: then both ends are told.
    """
    return {who: _reference(of) for who, of in _by_reference(rows).items()}


def reference_nats(rows: Sequence[Summary]) -> dict[str, str]:
    """The mean distance in nats of forecasters that know nothing."""
    return {
        who: _ends((one.violation for one in of if one.violation is not None), in_nats)
        for who, of in _by_reference(rows).items()
    }


def _by_reference(rows: Sequence[Summary]) -> dict[str, list[Reference]]:
    return {AT_RANDOM: [row.random for row in rows], THE_SAME: [row.constant for row in rows]}


def _reference(of: Sequence[Reference]) -> Cell:
    strong = {one.strong for one in of}
    value = strong.pop() if len(strong) == 1 else None
    return Cell(_ends((one.strong for one in of), percent), value, below=(_ends((one.mean for one in of), score),), quiet=True)


def _nats_interval(interval: Interval) -> str:
    return f"[{in_nats(interval.lower, math.floor)}, {in_nats(interval.upper, math.ceil)}]"


def _ends(values: Iterable[float], write: Callable[[float], str]) -> str:
    ordered = [write(value) for value in sorted(values)]
    if not ordered:
        return "none"
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"
