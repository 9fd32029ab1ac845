"""The tables of `fluri2024` next to those of a run."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.consistency.chess.comparison import Check
from vivavoce.consistency.chess.published import PublishedRow, published_table, tables_beside
from vivavoce.consistency.config import THRESHOLDS
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent_interval
from vivavoce.report.blocks import Block, Column, InFull, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import notes
from vivavoce.studies.effects import Effect
from vivavoce.studies.engine_checks.counting import OVER
from vivavoce.studies.presentation import rate_of

HEADING = "Compared with the paper"
PAPER = "The paper is Fluri, Paleka and Tramèr, “Evaluating Superhuman Models with Consistency Checks” (2024)."
CAUTION = (
    "Its positions are middle games of another collection, and its search may be longer or shorter. No test compares the "
    "tables. Its intervals take positions for independent, and allow for the rounding of the printed shares."
)


def compared_with_paper(candidate: str, effects: Sequence[Effect]) -> tuple[Block, ...]:
    """Each check with the paper's row of the same engine; nothing for an engine that the paper does not have."""
    tables = tables_beside(candidate)
    rows: list[Row] = []
    for effect in (effect for effect in effects if effect.n):
        shares = (rate_of(event)(effect) for event in OVER.values())
        rows.append(Row(Cell(f"{effect.label}: here"), (Cell(count(effect.n), effect.n), *shares)))
        for table in tables:
            row = table.of(effect.treatment.name)
            if row is not None:
                rows.append(_published(f"Table {table.number}", row))
    if not tables or not rows:
        return ()
    text = " ".join((*(f"Table {table.number}: {table.engine}." for table in tables), PAPER, CAUTION))
    return (InFull((Section(HEADING, (_table("Check", rows, HEADING), *notes(text))),)),)


def nodes_in_paper(check: str) -> tuple[Block, ...]:
    """Table 6, the data of Figure 7; nothing for another check than recommended moves."""
    if check != Check.RECOMMENDED:
        return ()
    table = published_table(6)
    rows = [_published(f"{count(row.nodes)} node{'' if row.nodes == 1 else 's'}", row) for row in table.rows]
    text = (
        f"Table 6 and Figure 7 of the paper: {table.engine}. {PAPER} It does not say how many positions there were; "
        "brackets hold what the rounding leaves open. Nodes of its tree search are not nodes of an alpha-beta search."
    )
    return (InFull((Section(HEADING, (_table("Leela", rows, "Table 6 of the paper"), *notes(text))),)),)


def _table(first: str, rows: Sequence[Row], name: str) -> Table:
    heads = (Column(first), Column("Positions"), *(Column(f"Over {threshold:g}") for threshold in THRESHOLDS))
    return Table(heads, tuple(rows), name=name)


def _published(name: str, row: PublishedRow) -> Row:
    n = Cell("not given", known=False) if row.n is None else Cell(count(row.n), row.n)
    cells = (_share(printed, share) for printed, share in zip(row.printed, row.shares, strict=True))
    return Row(Cell(name), (n, *cells), kind="quiet")


def _share(printed: str, share: Estimate) -> Cell:
    """As printed, with the interval."""
    if share.value is None:
        return Cell(f"< {printed[1:]}%", share.interval.upper, share.interval, percent_interval(share.interval))
    return Cell(f"{printed}%", share.value, share.interval, percent_interval(share.interval))
