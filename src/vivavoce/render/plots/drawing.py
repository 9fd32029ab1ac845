"""Plots as templates take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.render.drawing import Drawing, svg
from vivavoce.render.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture and what it shows in words, for those who cannot see it."""

    svg: str
    alt: str


def figure(plot: Plot) -> dict[str, str]:
    """A plot as a template takes it."""
    return {"svg": Markup(plot.svg), "alt": plot.alt}  # noqa: S704 - made by this program, strangers' words in it escaped


def drawn(
    draw: Callable[[Figure], None], name: str, alt: str, *, height_inches: float, width_inches: float = style.WIDTH_INCHES
) -> str:
    """The SVG of what `draw` draws: no prologue, ids that begin with `name`, the page's colours and fonts."""
    return svg(Drawing(draw, alt, height_inches, width_inches), name)
