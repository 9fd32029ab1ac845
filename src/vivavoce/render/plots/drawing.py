"""Drawing with matplotlib, and making the SVG fit to stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.render.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HALO = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1, "alpha": 0.8}
"""Behind words that lie on a plot."""


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
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(style.settings(name)):
        figure = Figure(figsize=(width_inches, height_inches))
        draw(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    svg = file.getvalue()
    body = re.sub(
        r"<defs>\s*<style.*?</style>\s*</defs>", "", svg[svg.index(">", svg.index("<svg")) + 1 :], count=1, flags=re.DOTALL
    )
    body = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", body)
    for colour, variable in style.VARIABLES.items():
        body = body.replace(colour.lower(), f"var({variable})")
    body = body.replace(f"'{style.MEASURED_FONT}'", style.SHOWN_FONT)
    width, height = width_inches * 72, height_inches * 72
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'xmlns="http://www.w3.org/2000/svg" aria-label="{escape(alt)}">{body}'
    )


def across(axes: Axes, x: float) -> float:
    """Where x lies between the left edge of the axes, 0, and the right, 1."""
    return float(axes.transLimits.transform(axes.transScale.transform((x, 0)))[0])
