"""The paper's tables beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.consistency.chess.comparison import Check
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.published import TABLE_6, PublishedRow, tables_beside
from vivavoce.consistency.chess.report.checks import NAME
from vivavoce.consistency.chess.summary import Summary
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent_interval
from vivavoce.report.blocks import Block, Column, InFull, Row, Section, Table
from vivavoce.report.cells import Cell, share_cell
from vivavoce.report.parts import notes

_PAPER = "The paper is Fluri, Paleka and Tramèr, “Evaluating Superhuman Models with Consistency Checks” (2024)."
_CAUTION = (
    "Its positions are middle games of another collection, and its search may be longer or shorter than this one: the tables "
    "stand side by side, and no test compares them. Its intervals take positions for independent, and allow for the rounding "
    "of the printed shares."
)


def beside_the_paper(candidate: str, summaries: Sequence[Summary]) -> tuple[Block, ...]:
    """Each check of ours with the paper's row of the same engine; nothing for an engine that the paper has not."""
    tables = tables_beside(candidate)
    rows: list[Row] = []
    for of in (of for of in summaries if of.n):
        rows.append(Row(Cell(f"{NAME[of.check]}: here"), (Cell(count(of.n), of.n), *map(share_cell, of.over))))
        for table in tables:
            row = table.of(of.check)
            if row is not None:
                rows.append(_published(f"Table {table.number}", row))
    if not tables or not rows:
        return ()
    said = " ".join((*(f"Table {table.number}: {table.engine}." for table in tables), _PAPER, _CAUTION))
    return (InFull((Section("Beside the paper", (_table("Check", rows, "Beside the paper"), *notes(said))),)),)


def over_nodes_beside_the_paper(check: Check) -> tuple[Block, ...]:
    """Table 6, the data of Figure 7; nothing for another check than recommended moves."""
    if check is not Check.RECOMMENDED:
        return ()
    rows = [_published(f"{count(row.nodes)} node{'' if row.nodes == 1 else 's'}", row) for row in TABLE_6.rows]
    said = (
        f"Table 6 and Figure 7 of the paper: {TABLE_6.engine}. {_PAPER} It does not say how many positions there were; in "
        "brackets what the rounding leaves open. Nodes of its tree search are no nodes of an alpha-beta search."
    )
    return (InFull((Section("Beside the paper", (_table("Leela", rows, "Table 6 of the paper"), *notes(said))),)),)


def _table(first: str, rows: Sequence[Row], name: str) -> Table:
    heads = (Column(first), Column("Positions"), *(Column(f"over {threshold:g}") for threshold in THRESHOLDS))
    return Table(heads, tuple(rows), name=name)


def _published(what: str, row: PublishedRow) -> Row:
    n = Cell("not said", known=False) if row.n is None else Cell(count(row.n), row.n)
    cells = (_share(printed, share) for printed, share in zip(row.printed, row.shares, strict=True))
    return Row(Cell(what), (n, *cells), kind="quiet")


def _share(printed: str, share: Estimate) -> Cell:
    """As printed, with the interval."""
    if share.value is None:
        return Cell(f"< {printed[1:]}%", share.interval.upper, share.interval, percent_interval(share.interval))
    return Cell(f"{printed}%", share.value, share.interval, percent_interval(share.interval))
