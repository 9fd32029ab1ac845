"""The evidence of several scopes side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from vivavoce.certificate.report.figures import EvidenceByScope, ScopeEvidence
from vivavoce.certificate.report.plots import VERDICT_COLOUR, VERDICT_MARKER
from vivavoce.certificate.verdict import Verdict
from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LN10 = math.log(10)
_ROW = 0.24
"""Inches for one scope."""
_SIDE = 0.31
"""Of the width, what scopes' names take."""


def evidence_by_scope_drawing(data: EvidenceByScope) -> Drawing:
    kinds = (Verdict.UNDERSTANDS, Verdict.DOES_NOT_UNDERSTAND, Verdict.NO_CONCLUSION)
    verdicts = [scope.verdict for scope in data.scopes]
    words = "; ".join(f"{kind.word} {verdicts.count(kind)}" for kind in kinds if kind in verdicts)
    alt = f"The evidence on each of {len(data.scopes)} scopes at its end: {words}."
    height = 1.0 + _ROW * len(data.scopes)
    return Drawing(lambda figure: _draw(figure, data, height), alt, height)


def _draw(figure: Figure, data: EvidenceByScope, height: float) -> None:
    axes = figure.add_axes((_SIDE, 0.55 / height, 0.97 - _SIDE, 1 - 0.9 / height))
    enough = [threshold / _LN10 for threshold in data.thresholds]
    reach = 1.6 * max(enough)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(data.scopes) - 0.4, -0.6)
    axes.axvline(0, color=canvas.INK, linewidth=0.8)
    for position in (enough[0], -enough[1]):
        axes.axvline(position, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{count(round(10 ** abs(position)))} is enough", (position, 1), (0, 4), xycoords=("data", "axes fraction"),
            textcoords="offset points", size=9, ha="center", bbox=HALO,
        )  # fmt: skip
    for row, scope in enumerate(data.scopes):
        x = max(-reach, min(reach, _evidence(scope)))
        axes.plot([0, x], [row, row], color=VERDICT_COLOUR[scope.verdict], linewidth=1.4)
        axes.plot(
            [x], [row], marker=VERDICT_MARKER[scope.verdict], markersize=7, color=VERDICT_COLOUR[scope.verdict],
            markeredgecolor=canvas.PAPER, clip_on=False, zorder=5,
        )  # fmt: skip
    names = [canvas.shortened(scope.name, inches=canvas.WIDTH_INCHES * _SIDE, size=10) for scope in data.scopes]
    axes.set_yticks(range(len(data.scopes)), names, size=10)
    axes.grid(visible=False, axis="y")
    _ticks(axes, reach)
    axes.set_xlabel("← for a fail   e-value   for a pass →")


def _evidence(scope: ScopeEvidence) -> float:
    """The larger of the two, as a decimal logarithm: to the right for understanding, to the left against it; 0 at least."""
    if scope.log_e_understands > scope.log_e_fails:
        return max(0.0, scope.log_e_understands / _LN10)
    return -max(0.0, scope.log_e_fails / _LN10)


def _ticks(axes: Axes, reach: float) -> None:
    step = max(1, round(reach / 3))
    powers = range(-int(reach // step) * step, int(reach) + 1, step)
    axes.set_xticks(list(powers), [count(10 ** abs(power)) if abs(power) < 5 else f"1e{abs(power)}" for power in powers])
