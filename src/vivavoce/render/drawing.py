"""Drawings of figures with descriptions in words: as SVG for pages, or for matplotlib."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Final

from vivavoce.errors import BadInput
from vivavoce.render import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from vivavoce.report.blocks import FigureData

RIGHT: Final = 0.22
"""Inches on the right of axes."""
HALO = {"facecolor": canvas.PAPER, "edgecolor": "none", "pad": 1, "alpha": 0.8}
"""Background of words on a plot."""
PIXELS_PER_INCH: Final = 144
"""Pixels per inch of a plot in a notebook."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing, with a description for readers who can't see it."""

    draw: Callable[[Figure], None]
    alt: str
    height_inches: float
    width_inches: float = canvas.WIDTH_INCHES


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is already SVG, such as a chessboard, with a description."""

    svg: Callable[[str, set[str]], str]
    """Draws it, given the prefix of its ids and the page's known ids, to which it adds its own."""
    alt: str


def drawing_of(data: FigureData) -> Drawing | Picture | None:
    """The drawing of a figure's data; None where there is too little to draw."""
    module, _, function = data.plot.partition(":")
    drawing: Drawing | Picture | None = getattr(import_module(module), function)(data)
    return drawing


def plot(drawing: Drawing | Picture) -> Figure:
    """The drawing as a matplotlib figure, to view, change or save; a notebook shows it. Raises `BadInput` for a picture, which
    is for pages only.
    """
    if isinstance(drawing, Picture):
        raise BadInput("this figure is a picture for pages only: save the finding as a page (*.html)")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """A figure that a notebook shows although no window was opened for it."""

        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            with mpl.rc_context(canvas.settings("plot")):
                self.savefig(file, format="png", dpi=PIXELS_PER_INCH, bbox_inches="tight", facecolor=canvas.PAPER)
            return file.getvalue()

    return _drawn(drawing, ShownFigure, salt="plot")


def svg(drawing: Drawing, name: str) -> str:
    """The drawing as SVG for a page: no prologue, ids that begin with `name`, the page's colours and fonts."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    file = io.StringIO()
    with mpl.rc_context(canvas.settings(name)), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # the page's own fonts show what ours lack
        _drawn(drawing, Figure, salt=name).savefig(
            file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
        )
    image = file.getvalue()
    body = re.sub(
        r"<defs>\s*<style.*?</style>\s*</defs>",
        "",
        image[image.index(">", image.index("<svg")) + 1 :],
        count=1,
        flags=re.DOTALL,
    )
    body = _compact(re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", body))
    for colour, variable in canvas.VARIABLES.items():
        body = body.replace(colour.lower(), f"var({variable})")
    body = body.replace(f"'{canvas.MEASURED_FONT}'", canvas.SHOWN_FONT)
    body = body.replace(GRID_LINE, 'class="line"').replace(TICK, "")
    body = re.sub(r'(<text style="[^"]*?);?fill:var\(--ink\)', r"\1", body)
    width, height = drawing.width_inches * 72, drawing.height_inches * 72
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" font-size="{canvas.SIZE:g}px" fill="var(--ink)" '
        f'xmlns="http://www.w3.org/2000/svg" aria-label="{escape(drawing.alt)}">{body}'
    )


GRID_LINE: Final = 'style="fill:none;stroke:var(--hairline);stroke-width:0.7;stroke-linecap:square"'
"""The most frequent style, which pages have as a class."""
TICK: Final = ' style="fill:var(--hairline);stroke:var(--hairline);stroke-width:0.8"'
"""Style of a tick; its shape has the same."""


def _compact(body: str) -> str:
    """The same picture in fewer bytes: short ids, no blanks, coordinates to a tenth of a point, one size of letters."""
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    numbers: dict[str, int] = {}
    body = re.sub(
        r'(\bid="|url\(#|href="#)([^")]+-)[^")]+',
        lambda match: f"{match[1]}{match[2]}{numbers.setdefault(match[0].removeprefix(match[1]), len(numbers))}",
        body,
    ).replace("xlink:href", "href")
    body = re.sub(r' transform="rotate\(-?0 [^)]*\)"', "", body)
    body = re.sub(r"(?<=[\" MLCQ])-?\d+\.\d{2,}(?=[\" \n])", lambda match: f"{round(float(match[0]), 1):g}", body)
    body = re.sub(r"\s*\n\s*(?=[<MLCQz\"])", "", body)
    body = re.sub(r' style="[^"]*"', lambda match: match[0].replace("; ", ";").replace(": ", ":"), body)
    body = re.sub(r' d="[^"]*"', lambda match: _without_repeats(re.sub("(?<=[MLCQ]) ", "", match[0])), body)
    body = re.sub(r'<path d="[^"]*"( clip-path="[^"]*")? style="fill:none"/>', "", body)
    body = body.replace(f"font-size:{canvas.SIZE:g}px;font-family:'{canvas.MEASURED_FONT}';", "")
    body = re.sub(r"<g( clip-path=\"[^\"]*\")?>((?:<use [^>]*/>){2,})</g>", _with_one_style, body)
    body = re.sub(r"<g>\s*</g>|<g/>", "", body)
    while (unwrapped := re.sub(r"<g>(<(?:path|use) [^>]*/>|<text [^>]*>[^<]*</text>)</g>", r"\1", body)) != body:
        body = unwrapped
    return body


def _without_repeats(path: str) -> str:
    """The path without points that repeat the one before."""
    return re.sub(r"(?<=[ML])(-?[\d.]+ -?[\d.]+)(?:L\1(?=[LCQz\"]))+", r"\1", path)


def _with_one_style(group: re.Match[str]) -> str:
    """Marks that all look the same, with their style on the group."""
    styles = set(re.findall(r' style="[^"]*"', group[2]))
    if len(styles) > 1:
        return group[0]
    style = "".join(styles)
    return f"<g{group[1] or ''}{style}>{group[2].replace(style, '')}</g>"


def across(axes: Axes, x: float) -> float:
    """The position of x between the left edge of the axes, 0, and the right edge, 1."""
    return float(axes.transLimits.transform(axes.transScale.transform((x, 0)))[0])


def make_room_for_numbers(axes: Axes, figure: Figure) -> None:
    """Moves the axes to the right until the numbers on their left have room; half a number has room on their right."""
    width, box = figure.get_figwidth(), axes.get_position()
    low, high = axes.get_ylim()
    shown = [float(tick) for tick in axes.yaxis.get_majorticklocs() if low <= tick <= high]
    words = axes.yaxis.get_major_formatter().format_ticks(shown)
    left = max(0.3, 0.12 + max(map(canvas.inches_of, words), default=0.0))
    axes.set_position((left / width, box.y0, 1 - (left + RIGHT) / width, box.height))


def _drawn(drawing: Drawing, kind: type[Figure], *, salt: str) -> Figure:
    import matplotlib as mpl

    with mpl.rc_context(canvas.settings(salt)):
        figure = kind(figsize=(drawing.width_inches, drawing.height_inches))
        drawing.draw(figure)
    return figure
