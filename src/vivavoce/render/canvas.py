"""Drawings of figures with descriptions in words: as SVG for pages, or for matplotlib."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final
from unicodedata import combining, east_asian_width

from vivavoce.errors import BadInput
from vivavoce.render.colours import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from vivavoce.report.blocks import FigureData


BLUE, ORANGE, VERMILION, GREEN, GREY = LIGHT.blue, LIGHT.orange, LIGHT.vermilion, LIGHT.green, LIGHT.grey
INK, HAIRLINE, PAPER = LIGHT.ink, LIGHT.hairline, LIGHT.paper

VARIABLES: Mapping[str, str] = {
    LIGHT.variables[name]: name
    for name in ("--blue", "--orange", "--vermilion", "--green", "--grey", "--ink", "--hairline", "--paper")
}
"""The page's CSS variable for each colour, so that a plot follows the page from light to dark."""

MEASURED_FONT = "DejaVu Sans"
"""Font for the layout of plots: it comes with matplotlib and is wider than system fonts."""
SHOWN_FONT = "var(--font)"
"""The page's own."""

WIDTH_INCHES: Final = 4.9
"""Width of a picture: 353 points, shown at 358 pixels on a phone, with slightly larger letters."""
PANEL_INCHES: Final = 2.3
"""Width of one of two pictures side by side on a phone."""
SIZE: Final = 12
"""Size of all letters, in points."""
LINE: Final = 0.22
"""Inches from one line of text to the next."""
_LEFT_OUT: Final = "…"
_LONGEST: Final = 1_000
"""Characters of a label that are used."""
_MOST_LINES: Final = 3
"""Most lines of one name."""
_BREAKS: Final = re.compile(r"[ _/:?&=,-]")
_NARROWEST: Final = 0.2
"""The narrowest letter, as a share of the width that counts as 1; it bounds how much of a name is examined."""


def settings(salt: str) -> Any:
    """matplotlib's settings for one plot; the salt makes its ids the same in every run.

    The type is left open: matplotlib's own is a literal list of some 300 names that grows with its versions.
    """
    return {
        "font.family": MEASURED_FONT,
        "font.size": SIZE,
        "text.color": INK,
        "text.parse_math": False,
        "axes.labelcolor": INK,
        "axes.edgecolor": HAIRLINE,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "axes.labelsize": SIZE,
        "axes.titlesize": SIZE,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.spines.bottom": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": HAIRLINE,
        "grid.linewidth": 0.7,
        "xtick.color": HAIRLINE,
        "ytick.color": HAIRLINE,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.labelsize": SIZE,
        "ytick.labelsize": SIZE,
        "xtick.minor.size": 0,
        "ytick.major.size": 0,
        "lines.linewidth": 1.8,
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
    }


def inches_of(text: str) -> float:
    """The width of a line of text, without the space around it."""
    # letters are set on whole points of a screen, which takes a little more
    return 1.02 * (SIZE * sum(map(_advance, text))) / 72


def shortened(name: str, *, inches: float) -> str:
    """The name, with as much of its middle left out as has no room: names of one family end differently.

    >>> shortened("sums", inches=1.0), shortened("arithmetic?operations=*", inches=1.2)
    ('sums', 'arith…ons=*')
    """
    name = " ".join(name.split())
    if inches_of(name) <= inches:
        return name
    kept = min(len(name), int(72 * inches / SIZE / _NARROWEST)) - 1
    while kept > 0 and inches_of(cut := _without_middle(name, kept)) > inches:
        kept -= 1
    return cut if kept > 0 else _LEFT_OUT


def wrapped(text: str, *, inches: float) -> tuple[str, ...]:
    """The text in at most three lines, broken where words or the parts of a name meet; the last one is shortened.

    >>> wrapped("Mean score of first minus second", inches=2.5)
    ('Mean score of first minus', 'second')
    """
    lines: list[str] = []
    rest = " ".join(text[:_LONGEST].split())
    while inches_of(rest) > inches and len(lines) < _MOST_LINES - 1:
        fits = next(end for end in range(len(rest), 0, -1) if end == 1 or inches_of(rest[:end].rstrip()) <= inches)
        ends = [
            match.end() for match in _BREAKS.finditer(rest) if fits / 3 < match.end() <= fits + (rest[match.start()] == " ")
        ]
        end = ends[-1] if ends else fits
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return (*lines, shortened(rest, inches=inches))


def _without_middle(name: str, kept: int) -> str:
    end = kept // 2
    return name[: kept - end] + _LEFT_OUT + (name[-end:] if end else "")


@lru_cache(maxsize=4096)
def _advance(letter: str) -> float:
    """The width of a letter at a size of 1; letters that the measured font lacks count as square."""
    if combining(letter):
        return 0.0
    if east_asian_width(letter) in "WF":
        return 1.0
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family=MEASURED_FONT)))
    if not font.get_char_index(ord(letter)):
        return 1.0
    font.set_size(100, 72)
    advance: float = font.load_char(ord(letter)).linearHoriAdvance
    return advance / 65536 / 100


RIGHT: Final = 0.22
"""Inches on the right of axes."""
HALO = {"facecolor": PAPER, "edgecolor": "none", "pad": 1, "alpha": 0.8}
"""Background of words on a plot."""
PIXELS_PER_INCH: Final = 144
"""Pixels per inch of a plot in a notebook."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing, with a description for readers who can't see it."""

    draw: Callable[[Figure], None]
    alt: str
    height_inches: float
    width_inches: float = WIDTH_INCHES


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
            with mpl.rc_context(settings("plot")):
                self.savefig(file, format="png", dpi=PIXELS_PER_INCH, bbox_inches="tight", facecolor=PAPER)
            return file.getvalue()

    return _drawn(drawing, ShownFigure, salt="plot")


def svg(drawing: Drawing, name: str) -> str:
    """The drawing as SVG for a page: no prologue, ids that begin with `name`, the page's colours and fonts."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    file = io.StringIO()
    with mpl.rc_context(settings(name)), warnings.catch_warnings():
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
    for colour, variable in VARIABLES.items():
        body = body.replace(colour.lower(), f"var({variable})")
    body = body.replace(f"'{MEASURED_FONT}'", SHOWN_FONT)
    body = body.replace(GRID_LINE, 'class="line"').replace(TICK, "")
    body = re.sub(r'(<text style="[^"]*?);?fill:var\(--ink\)', r"\1", body)
    width, height = drawing.width_inches * 72, drawing.height_inches * 72
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" font-size="{SIZE:g}px" fill="var(--ink)" '
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
    body = body.replace(f"font-size:{SIZE:g}px;font-family:'{MEASURED_FONT}';", "")
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
    left = max(0.3, 0.12 + max(map(inches_of, words), default=0.0))
    axes.set_position((left / width, box.y0, 1 - (left + RIGHT) / width, box.height))


def _drawn(drawing: Drawing, kind: type[Figure], *, salt: str) -> Figure:
    import matplotlib as mpl

    with mpl.rc_context(settings(salt)):
        figure = kind(figsize=(drawing.width_inches, drawing.height_inches))
        drawing.draw(figure)
    return figure
