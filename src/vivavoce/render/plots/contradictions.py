"""How a search for contradictions came along: distinct ones over calls, beside drawing at random."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.consistency.search.config import Method
from vivavoce.consistency.search.report import NAMES, Courses
from vivavoce.formats.wording import count
from vivavoce.render.drawing import HALO, Drawing, drawing_of
from vivavoce.render.plots import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES: dict[Method, tuple[str, str | tuple[int, tuple[float, float]]]] = {
    "random": (canvas.ORANGE, (0, (2.5, 1.2))),
    "search": (canvas.BLUE, "-"),
}
"""Colour and dashes; random drawing is the reference."""


@drawing_of.register
def _(data: Courses) -> Drawing:
    """A line a method, which rises where a contradiction was confirmed."""
    ends = "; ".join(f"{NAMES[run.method]} {count(run.distinct)} with {count(run.calls)} calls" for run in data.runs)
    return Drawing(partial(_draw, data=data), f"Distinct confirmed contradictions as calls are spent: {ends}.", 2.9)


def _draw(figure: Figure, *, data: Courses) -> None:
    axes = figure.add_axes((0.115, 0.18, 0.70, 0.72))
    for run in data.runs:
        colour, dashes = LINES[run.method]
        calls, found = zip(*run.course, strict=True)
        axes.step(calls, found, where="post", color=colour, linestyle=dashes)
        axes.plot([calls[-1]], [found[-1]], "o", color=colour, markersize=5, clip_on=False)
        axes.annotate(
            NAMES[run.method], (calls[-1], found[-1]), (7, 4 if run.method == "search" else -6), textcoords="offset points",
            va="center", size=10, color=canvas.INK, bbox=HALO, annotation_clip=False,
        )  # fmt: skip
    axes.set_xlim(0, max(run.course[-1][0] for run in data.runs))
    axes.set_ylim(0, max(run.distinct for run in data.runs) * 1.08)
    axes.set_xlabel("Calls")
    axes.set_title("Distinct confirmed contradictions", loc="left", size=11)
