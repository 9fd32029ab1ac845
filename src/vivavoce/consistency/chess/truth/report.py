"""What is reported of an engine against the truth: shares by ending, by distance to mate, and the worst positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.truth.checked import Checked, EndingRow
from vivavoce.formats.wording import signed
from vivavoce.report.blocks import Block, Column, Figure, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, share_cell
from vivavoce.report.parts import notes, paragraphs

_RESULT = {1: "won", 0: "drawn", -1: "lost"}


@dataclass(frozen=True, slots=True)
class TruthByDistance:
    """How mates are announced, and results mistaken, by the moves to mate, to be drawn."""

    rows: tuple[EndingRow, ...]


def counted(rows: Sequence[EndingRow]) -> tuple[Block, ...]:
    """What is counted, and a number with its interval for each ending."""

    def line(what: str, *cells: Cell) -> Row:
        return Row(Cell(what), cells)

    of_evaluations = (
        *(line(f"Over {limit:g}", *(share_cell(row.over[i]) for row in rows)) for i, limit in enumerate(THRESHOLDS)),
        line("Wrong result", *(share_cell(row.wrong) for row in rows)),
    )
    of_moves = (
        line("Move throws a result away", *(share_cell(row.thrown) for row in rows)),
        line("where it could", *(count_cell(row.thrown.n) for row in rows)),
        line("Mate announced", *(share_cell(row.announced) for row in rows)),
        line("the shortest", *(share_cell(row.shortest) for row in rows)),
        line("Impossible mate", *(share_cell(row.impossible) for row in rows)),
    )
    of_positions = (
        line("Positions", *(count_cell(row.n) for row in rows)),
        line("won, drawn, lost", *(Cell(f"{row.won}, {row.drawn}, {row.lost}") for row in rows)),
        line("No answer", *(count_cell(row.no_answers) for row in rows)),
    )
    heads = tuple(Column(row.ending) for row in rows)
    return (
        Table((Column("Error of the evaluation"), *heads), of_evaluations),
        Table((Column("Moves and mates"), *heads), of_moves),
        Table((Column("Positions"), *heads), of_positions),
        *notes(
            "The error is the distance of the evaluation from 1 (won), 0 (drawn) or −1 (lost). Mates are counted of positions "
            "whose distance to mate is known, the shortest of those announced."
        ),
    )


def by_distance(rows: Sequence[EndingRow]) -> tuple[Block, ...]:
    """Mates and wrong results by the moves to mate; nothing where no distance is known."""
    known = tuple(row for row in rows if row.distances)
    return (Section("By the distance to mate", (Figure(TruthByDistance(known)),)),) if known else ()


def worst(rows: Sequence[EndingRow]) -> Section:
    """Thrown results and the largest errors of each ending."""
    found = [checked for row in rows for checked in row.worst]
    if not found:
        return Section("The worst positions", paragraphs("No result was mistaken, and none thrown away."))
    heads = (
        Column("Position"),
        Column("Ending", detail=True),
        Column("Truth"),
        Column("Engine"),
        Column("Plays"),
        Column("Leaves"),
    )
    return Section("The worst positions", (Table(heads, tuple(map(_row, found)), name="The worst positions"),))


def how_known() -> tuple[str, ...]:
    """Where the truth comes from, in sentences."""
    return (
        "Endings of three men were solved here by retrograde analysis: from all mates backwards, every legal position is "
        "given its result and the least number of moves to mate. The longest wins take 10 moves with a queen, 16 with a rook, "
        "and 28 with a pawn. Endings of more men are read off Syzygy tables, which do not tell the distance to mate; a win "
        "that the fifty-move rule spoils counts as drawn.",
        "Each position is evaluated by itself, for the side to move. A move throws a result away if what it leaves is worth "
        "less under best play than what there was; this is counted only where some legal move does so.",
        "Intervals are those of Clopper and Pearson at level 95%: positions are drawn independently.",
    )


def _row(checked: Checked) -> Row:
    truth = _RESULT[checked.value]
    if checked.moves_to_mate is not None:
        truth += f" in {checked.moves_to_mate}"
    said = signed(checked.evaluation.q)
    if checked.evaluation.mate is not None:
        said += f", mate in {abs(checked.evaluation.mate)}"
    left = "unknown" if checked.after is None else _RESULT[checked.after]
    cells = (Cell(checked.ending), Cell(truth), Cell(said), Cell(checked.evaluation.best_move), Cell(left))
    return Row(Cell(checked.fen), cells)
