"""Blocks that several reports share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from vivavoce.formats.wording import clipped, count, percent
from vivavoce.report.blocks import Block, Column, Fold, InFull, InShort, Paragraph, Row, Section, Table, Tile, Tiles
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows, Span

MOST_OUTCOMES: Final = 12
"""In a table."""
_NAMED: Final = 8
"""In a sentence."""


def method_of(sentences: Sequence[str], *before: Block) -> Fold:
    """The method, in a fold; `before`: blocks before the sentences."""
    return Fold("How this was found", (*before, *map(Paragraph, sentences)))


def paragraphs(*sentences: str) -> tuple[Paragraph, ...]:
    """One paragraph per non-empty sentence."""
    return tuple(Paragraph(sentence) for sentence in sentences if sentence)


def notes(*sentences: str) -> tuple[Paragraph, ...]:
    """One quiet paragraph per non-empty sentence."""
    return tuple(Paragraph(sentence, quiet=True) for sentence in sentences if sentence)


def tile_of(label: str, cell: Cell, span: Span | None = None) -> Tile:
    """A cell in large figures, with its interval and number of observations; `span`: of the scale of its bar, if it has one."""
    bar = None
    interval = f"interval {cell.interval}" if cell.interval else ""
    if span is not None and isinstance(cell.value, float) and cell.bounds is not None:
        row = IntervalRow("", "", cell.value, cell.value, cell.bounds)
        bar = IntervalRows("", (row,), alt=f"{label}: {cell.text}, {interval}.", span=span)
    return Tile(label, cell.text, tuple(filter(None, (interval, cell.n))), bar)


def tiles_of(table: Table, rows: Sequence[int], span: Span | None = None) -> Tiles:
    """The first numbers of some rows of a table in large figures, without rows that it lacks."""
    shown = [table.rows[number] for number in rows if number < len(table.rows)]
    return Tiles(tuple(tile_of(row.head.text, row.cells[0], span) for row in shown))


def two_columns(rows: Sequence[tuple[str, str]], heads: tuple[str, str] = ("", "")) -> Table:
    """A table of names and their values in words."""
    return Table(tuple(map(Column, heads)), tuple(Row(Cell(what), (Cell(words),)) for what, words in rows))


def replies(outcomes: Mapping[str, int]) -> tuple[Block, ...]:
    """How replies were read: a table on a page, a sentence in a terminal."""
    if not any(outcomes.values()):
        return ()
    rows = tuple(Row(Cell(why), (count_cell(number), Cell(percent(share), share))) for why, number, share in ordered(outcomes))
    table = Table((Column("Reply"), Column("How many"), Column("Share")), rows)
    return (
        InFull((Section("What became of the replies", (table,)),)),
        InShort(notes(unused(outcomes))),
    )


def ordered(outcomes: Mapping[str, int]) -> list[tuple[str, int, float]]:
    """Outcomes with their numbers and shares of replies; parsed ones first.

    >>> ordered({"cut off": 1, "read": 3})
    [('read', 3, 0.75), ('cut off', 1, 0.25)]
    """
    total = sum(outcomes.values())
    rows = sorted(
        ((number, why) for why, number in outcomes.items() if number),
        key=lambda outcome: (not outcome[1].startswith("read"), -outcome[0]),
    )
    rest = sum(number for number, _ in rows[MOST_OUTCOMES:])
    shown = [(clipped(why, 60), number) for number, why in rows[:MOST_OUTCOMES]] + ([("other", rest)] if rest else [])
    return [(why, number, number / total) for why, number in shown]


def unused(outcomes: Mapping[str, int]) -> str:
    """The outcomes of unparsed replies in a sentence; empty if there are none.

    >>> unused({"read": 3, "cut off": 1})
    'Replies that could not be used: cut off 1.'
    """
    left = [(why, number) for why, number in outcomes.items() if number and not why.startswith("read")]
    listed = ", ".join(f"{clipped(why, 40)} {count(number)}" for why, number in left[:_NAMED])
    return f"Replies that could not be used: {listed}." if listed else ""
