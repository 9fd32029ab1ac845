"""What a scaling study says on its page: everything the template needs, already in words."""

from __future__ import annotations

from typing import Any

from vivavoce.consistency.chess.comparison import THRESHOLDS
from vivavoce.consistency.chess.finding import engine
from vivavoce.consistency.chess.scaling import ChessScaling
from vivavoce.formats.wording import count, percent, percent_interval, signed, signed_interval
from vivavoce.render.pages.chess.page import Cell, method
from vivavoce.render.plots.chess import over_nodes
from vivavoce.render.plots.drawing import figure


def scaling_title(finding: ChessScaling) -> str:
    """What the page is."""
    return f"Contradictions of {engine(finding.candidate)} in chess, over nodes"


def scaling_body(finding: ChessScaling, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    return {
        "finding": finding,
        "columns": [f"over {threshold:g}" for threshold in THRESHOLDS],
        "numbers": shares(finding),
        "fits": slopes(finding),
        "plots": [figure(over_nodes(finding, f"{name}n"))],
        "method": [
            *method([finding.rows[0][1]]),
            "The lines are laid through the logarithms of nodes and shares by least squares, for each difference that was "
            "found at three or more numbers of nodes. The intervals of their slopes are quantiles over the same worlds, in "
            "which a game occurs equally often at every number of nodes.",
        ],
    }


def shares(finding: ChessScaling) -> list[tuple[str, tuple[Cell, ...]]]:
    """The table: nodes, and the share above each threshold with its interval."""
    return [
        (
            count(nodes),
            tuple(("unknown" if e.value is None else percent(e.value), percent_interval(e.interval)) for e in row.over),
        )
        for nodes, row in finding.rows
    ]


def slopes(finding: ChessScaling) -> list[tuple[str, Cell, Cell, str]]:
    """For each fitted line: the threshold, its slope, what ten times as many nodes leave, and its number of points."""
    rows = []
    for fit in finding.fits:
        left, ends = fit.tenfold.value or 0.0, fit.tenfold.interval
        rows.append(
            (
                f"over {fit.threshold:g}",
                (signed(fit.slope.value or 0.0), signed_interval(fit.slope.interval)),
                (f"{left:.2f}", f"[{ends.lower:.2f}, {ends.upper:.2f}]"),
                count(fit.slope.n),
            )
        )
    return rows
