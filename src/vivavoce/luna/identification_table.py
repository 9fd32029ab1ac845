"""The table of simulated judges of who is a machine, in words, blocks and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import percent, percent_interval
from vivavoce.luna.cells import number_cell
from vivavoce.luna.identification_simulation import IdentificationRow
from vivavoce.report.blocks import Block, Column, Paragraph, Row, Table
from vivavoce.report.cells import Cell

IDENTIFICATION_CAVEAT: Final = (
    "Simulated judges see every player alike but for chance, and dishonest ones are a share of all who judge. Nothing in the "
    "judgements of one player says which of them are dishonest; the ladder of judges puts those who do so last."
)
_HEADS: Final = (
    "Judges", "Error of the share", "Error of what is expected", "Intervals of players cover", "Of all machines cover",
    "Points of honest judges", "Of dishonest ones",
)  # fmt: skip


def identification_sentences(rows: Sequence[IdentificationRow]) -> list[str]:
    """What the table says first; nothing for no table."""
    found = []
    honest = next((row for row in rows if not row.judges.share and row.judges.judgements == 20), None)
    if honest is not None and honest.error.value is not None:
        found.append(
            f"With 20 judgements of honest judges the share that take a player for a person is {percent(honest.error.value)} "
            "off."
        )
    lying = next((row for row in rows if row.judges.dishonest == "machine" and row.judges.share == 0.3), None)
    if lying is not None and lying.error.value is not None and lying.dishonest_points.value is not None:
        found.append(
            f"With 30% of judges who always say machine it is {percent(lying.error.value)} off; such judges get "
            f"{_points(lying.dishonest_points)} points."
        )
    return found


def identification_blocks(rows: Sequence[IdentificationRow]) -> tuple[Block, ...]:
    """The table; nothing for no row."""
    if not rows:
        return ()
    cells = tuple(
        Row(
            Cell(row.judges.words),
            (
                *(_share(found) for found in (row.error, row.expected_error, row.coverage, row.machines_coverage)),
                *(number_cell(found, 0, unknown="none") for found in (row.honest_points, row.dishonest_points)),
            ),
        )
        for row in rows
    )
    about = (
        "How far the share of judgements that say person is from the chance that an honest judge says it, and how often 95% "
        "intervals hold that chance; then the points of judges. In brackets 95% intervals over trials."
    )
    return (Paragraph(about), Table(tuple(map(Column, _HEADS)), cells))


def identification_json(row: IdentificationRow) -> dict[str, Any]:
    """As JSON values."""
    return {
        "judges": row.judges.words,
        "judgements": row.judges.judgements,
        "dishonest": row.judges.dishonest or None,
        "share": row.judges.share,
        "error": row.error.as_json(),
        "expected_error": row.expected_error.as_json(),
        "coverage": row.coverage.as_json(),
        "machines_coverage": row.machines_coverage.as_json(),
        "honest_points": row.honest_points.as_json(),
        "dishonest_points": row.dishonest_points.as_json(),
    }


def _share(found: Estimate) -> Cell:
    return Cell.of(found, percent, percent_interval)


def _points(found: Estimate) -> str:
    return f"{found.value or 0.0:.0f}".replace("-", "\N{MINUS SIGN}")
