"""Plots of sweeps: every candidate on every scope, and in which tier it is there."""

from __future__ import annotations

from collections import Counter
from functools import partial
from math import cos, radians, sin
from typing import TYPE_CHECKING, Final

from vivavoce.certificate.comparison.figures import TiersFigure
from vivavoce.certificate.report.figures import CandidateOnScope, VerdictsFigure
from vivavoce.certificate.report.plots import VERDICT_COLOUR, VERDICT_MARKER
from vivavoce.certificate.verdict import Verdict
from vivavoce.formats.wording import score
from vivavoce.render import canvas
from vivavoce.render.colours import TIERS
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW: Final = 0.34
"""Inches of a scope."""
MOST: Final = 40
"""Candidates, or scopes, in a plot; the table has more."""
SIDE: Final = 0.27
"""Of the width, what scopes' names take."""
EDGE: Final = 0.05
TURNED_EDGE: Final = 0.1
"""Of the width, what stays free on the right; turned names of the last candidates reach into it."""
TURN: Final = 50
"""Degrees."""
HEAD: Final = 1.15
"""Inches above the rows, for candidates' names where they are turned."""
LEVEL: Final = 3
"""Candidates whose names stand side by side; with more they are turned."""
HALF: Final = 0.44
"""Of a cell, from its middle to its edge."""


def verdicts_drawing(data: VerdictsFigure) -> Drawing | None:
    if not data.scopes or max(len(data.scopes), len(data.candidates)) > MOST:
        return None
    verdicts = Counter(cell.verdict for row in data.cells for cell in row)
    words = "; ".join(f"{kind.value} {verdicts[kind]}" for kind in Verdict if verdicts[kind])
    missing = f"; not examined {verdicts[None]}" if verdicts[None] else ""
    alt = (
        f"Each of {len(data.candidates)} candidates on each of {len(data.scopes)} scopes: {words}{missing}. In each cell the "
        "mean score with its interval, from 0 at the left to 1 at the right, beside the passing grade as a dashed line."
    )
    height = _head(data.candidates) + 0.1 + ROW * len(data.scopes)
    return Drawing(partial(_draw_cells, data=data, height=height), alt, height)


def tiers_drawing(data: TiersFigure) -> Drawing | None:
    if not data.scopes or max(len(data.tiers), len(data.candidates)) > MOST:
        return None
    first = [data.candidates[place] for place, tier in enumerate(data.tiers[-1]) if tier == 1]
    what = data.last or data.scopes[-1]
    alt = (
        f"The tier of each of {len(data.candidates)} candidates on each of {len(data.scopes)} scopes, 1 the best; "
        f"{what}: in the first tier {', '.join(first) or 'nobody'}."
    )
    height = _head(data.candidates) + 0.1 + ROW * len(data.tiers)
    return Drawing(partial(_draw_tiers, data=data, height=height), alt, height)


def _grid(figure: Figure, candidates: tuple[str, ...], rows: list[str], height: float) -> Axes:
    """Axes with a cell for each candidate in each row."""
    edge = _edge(candidates)
    axes = figure.add_axes((SIDE, 0.05 / height, 1 - SIDE - edge, 1 - (_head(candidates) + 0.05) / height))
    axes.set_xlim(-0.5, len(candidates) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.xaxis.tick_top()
    size = 9 if len(candidates) <= 14 else 7
    names = [canvas.shortened(name, inches=_room(place, candidates), size=size) for place, name in enumerate(candidates)]
    if len(candidates) > LEVEL:
        axes.set_xticks(range(len(candidates)), names, rotation=TURN, ha="left", size=size)
    else:
        axes.set_xticks(range(len(candidates)), names, size=size)
    beside = [canvas.shortened(name, inches=canvas.WIDTH_INCHES * SIDE, size=9) for name in rows]
    axes.set_yticks(range(len(rows)), beside, size=9)
    axes.tick_params(length=0, pad=2)
    axes.grid(visible=False)
    return axes


def _draw_cells(figure: Figure, *, data: VerdictsFigure, height: float) -> None:
    axes = _grid(figure, data.candidates, list(data.scopes), height)
    for row, cells in enumerate(data.cells):
        for column, cell in enumerate(cells):
            _draw_cell(axes, column, row, cell, data.grades[row])


def _draw_cell(axes: Axes, column: int, row: int, cell: CandidateOnScope, grade: float) -> None:
    from matplotlib.patches import Rectangle

    if cell.verdict is None or cell.score is None:
        axes.text(column, row, "–", ha="center", va="center", color=canvas.INK, size=9)
        return
    colour = VERDICT_COLOUR[cell.verdict]
    axes.add_patch(
        Rectangle((column - HALF - 0.03, row - 0.46), 2 * HALF + 0.06, 0.92, facecolor=colour, alpha=0.14, linewidth=0)
    )

    def at(value: float) -> float:
        return column - HALF + 2 * HALF * min(1.0, max(0.0, value))

    axes.plot([at(grade)] * 2, [row + 0.02, row + 0.42], color=canvas.INK, linewidth=0.7, linestyle=(0, (2, 1.5)))
    if cell.score.value is None:
        return
    ends = cell.score.interval
    axes.plot([at(ends.lower), at(ends.upper)], [row + 0.22] * 2, color=colour, linewidth=2.2, solid_capstyle="butt")
    axes.plot([at(cell.score.value)], [row + 0.22], VERDICT_MARKER[cell.verdict], markersize=4, color=colour)
    axes.text(column, row - 0.2, score(cell.score.value), ha="center", va="center", color=canvas.INK, size=7)


def _draw_tiers(figure: Figure, *, data: TiersFigure, height: float) -> None:
    from matplotlib.patches import Rectangle

    axes = _grid(figure, data.candidates, [*data.scopes, *([data.last] if data.last else [])], height)
    for row, tiers in enumerate(data.tiers):
        for column, tier in enumerate(tiers):
            if tier is None:
                axes.text(column, row, "–", ha="center", va="center", color=canvas.INK, size=9)
                continue
            colour = TIERS[min(tier, len(TIERS)) - 1]
            axes.add_patch(Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, facecolor=colour, alpha=0.35, linewidth=0))
            axes.text(column, row, f"{tier}", ha="center", va="center", color=canvas.INK, size=9)
    if data.last:
        axes.axhline(len(data.scopes) - 0.5, color=canvas.INK, linewidth=0.8)


def _head(candidates: tuple[str, ...]) -> float:
    """Inches above the rows."""
    return HEAD if len(candidates) > LEVEL else 0.3


def _edge(candidates: tuple[str, ...]) -> float:
    return TURNED_EDGE if len(candidates) > LEVEL else EDGE


def _room(place: int, candidates: tuple[str, ...]) -> float:
    """Inches for the name of a candidate: its column, or turned as far as the upper and the right edge of the plot."""
    edge = _edge(candidates)
    column = canvas.WIDTH_INCHES * (1 - SIDE - edge) / len(candidates)
    if len(candidates) <= LEVEL:
        return column
    right = canvas.WIDTH_INCHES * edge + column * (len(candidates) - place - 0.5)
    turn = radians(TURN)
    return min((HEAD - 0.15) / sin(turn), (right - 0.1) / cos(turn))
