"""The six kinds of figures: readable on a telephone, all names inside the picture, nothing told by colour alone."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vivavoce
from tests.render.html_pages import title_of
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.report import numbers
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.render import canvas, line_plots, row_plots
from vivavoce.render.canvas import Drawing, drawing_of, plot, svg
from vivavoce.render.html import Place, blocks_in_html
from vivavoce.render.page import environment
from vivavoce.report.blocks import FigureData, Panels, ReportFigure
from vivavoce.report.figures import (
    Axis,
    Bar,
    Bars,
    Board,
    Boards,
    EvidenceLine,
    EvidencePath,
    Histogram,
    IntervalRow,
    IntervalRows,
    Line,
    LinePoint,
    Lines,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SVG = "{http://www.w3.org/2000/svg}"
SHARE = Estimate(0.4, Interval(0.2, 0.7), 60)
SQUARE = "一"
"""As wide as high, and lacking in the font by which plots are laid out."""
START = ("rnbqkbnr", "p" * 8, *[" " * 8] * 4, "P" * 8, "RNBQKBNR")


def interval_rows(name: str) -> IntervalRows:
    pair = (
        IntervalRow.of(name, "40%", SHARE, "control"),
        IntervalRow.of(f"{name}!", "40%", SHARE, "bad", group=f"{name} group"),
    )
    return IntervalRows(f"answers to {name}", pair, 0.5, ends=(f"{name} is less", f"{name} is more"), key=(("bad", "a fault"),))


def bars(name: str) -> Bars:
    pair = (Bar(name, 0.5, "good", Interval(0.3, 0.6)), Bar(f"{name}!", -1.2, "bad"))
    return Bars("e-value", pair, "Two bars.", "powers", (-2.0, 2.0), ((-1.3, "20 is enough"), (1.3, "20 is enough")))


def histogram(name: str) -> Histogram:
    return Histogram(-0.2, 0.1, (3, 12_000, 9, 1), "Four bins.", f"contradiction of {name}", mark=(0.15, "largest 0.15"))


def several_lines(name: str) -> Lines:
    first = LinePoint.all_of((1, 2, 3), (SHARE, SHARE, SHARE))
    pair = (Line(name, first), Line(f"{name}!", first, band=True), Line("limit", first[:2], is_reference=True))
    return Lines(Axis(f"rounds of {name}", whole=True), Axis(f"share of {name}", "percent"), pair, "Lines.", (0.5, "half"))


def evidence_path(name: str) -> EvidencePath:
    pair = (EvidenceLine("score is high enough", "plain", (0.1, 1.0, 2.0)), EvidenceLine(name[:8], "bad", (0.0, -1.0, -2.0)))
    return EvidencePath((1, 100, 6000), pair, (1.3, 1.3), 0, "good", "A path.")


def boards(name: str) -> Boards:
    pieces = tuple(tuple(piece.strip() for piece in row) for row in START)
    after = Board(f"After {name}", pieces, (f"+0.31 for {name}", "White wins 50%"), 0.31, ((4, 6), (4, 4)))
    return Boards((after, Board("As it is", pieces, ("White to move",))), "Two boards.")


KINDS: tuple[Callable[[str], FigureData], ...] = (interval_rows, bars, histogram, several_lines, evidence_path, boards)
PLOTS = KINDS[:-1]
NAMES = ("sums", "electrical_engineering_and_computer_science at the first of many universities", "W" * 60)


def drawing(data: FigureData) -> Drawing:
    result = drawing_of(data)
    assert isinstance(result, Drawing)
    return result


def texts_of(picture: str) -> list[str]:
    return ["".join(text.itertext()).strip() for text in ET.fromstring(picture).iter(f"{SVG}text")]


MEASURE = """<script>addEventListener("load", () => {
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(frame => {
    const inside = frame.contentDocument, view = frame.contentWindow;
    const shown = [...inside.querySelectorAll("svg text, svg use[href$='-board']")].filter(text => !text.closest("defs"));
    return shown.map(text => {
      const seen = text.getBoundingClientRect(), around = text.ownerSVGElement.getBoundingClientRect();
      const matrix = text.getScreenCTM(), scale = Math.hypot(matrix.b, matrix.d);
      return [text.textContent, scale * parseFloat(view.getComputedStyle(text).fontSize),
        seen.left - around.left, around.right - seen.right];
    });
  }));
});</script>"""


@pytest.mark.long
def test_letters_are_large_enough_on_a_telephone_and_inside_the_picture(tmp_path: Path) -> None:
    """At 390 pixels nothing is below 12 pixels, alone or side by side, whatever the names."""
    figures = [ReportFigure(kind(name)) for kind in KINDS for name in NAMES]
    panels = Panels((ReportFigure(histogram("sums"), title="one"), ReportFigure(several_lines("sums"), title="another")))
    (tmp_path / "page.html").write_text(page_of(*figures, panels), encoding="utf-8")
    frame = '<!doctype html><iframe src="page.html" width="390" height="800" style="border:0"></iframe>'
    (document,) = json.loads(title_of(tmp_path, frame + MEASURE))
    assert len(document) > 150
    for text, size, left, right in document:
        assert size >= 12, (text, size)
        assert left > -1.5, (text, left)
        assert right > -1.5, (text, right)


def page_of(*blocks: ReportFigure | Panels) -> str:
    style = environment().get_template("page.css").render()
    body = blocks_in_html(blocks, Place("p", 1))
    return f'<!doctype html><meta charset="utf-8"><style>{style}</style><body><main>{body}</main></body>'


@pytest.mark.parametrize("kind", PLOTS)
@pytest.mark.parametrize("name", [*NAMES, SQUARE * 60])
def test_no_word_reaches_over_the_edge(kind: Callable[[str], FigureData], name: str) -> None:
    """As matplotlib measures them itself, and what its font lacks as square."""
    from matplotlib.text import Text

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure = plot(drawing(kind(name)))
        figure.draw_without_rendering()
        for text in figure.findobj(Text):
            words = text.get_text()
            box = text.get_window_extent()
            if words and text.get_visible() and SQUARE not in words:
                assert box.x0 >= -1, words
                assert box.x1 <= figure.bbox.width + 1, words
            assert words.count(SQUARE) * canvas.SIZE <= 72 * canvas.WIDTH_INCHES


@pytest.mark.parametrize("kind", PLOTS)
def test_all_letters_have_the_size_that_a_telephone_needs(kind: Callable[[str], FigureData]) -> None:
    from matplotlib.text import Text

    sizes = {text.get_fontsize() for text in plot(drawing(kind("sums"))).findobj(Text) if text.get_text()}
    assert sizes == {canvas.SIZE}


@pytest.mark.parametrize("kind", [interval_rows, bars])
def test_a_long_name_is_whole_on_several_lines(kind: Callable[[str], FigureData]) -> None:
    words = " ".join(texts_of(svg(drawing(kind(NAMES[1])), "p"))).replace("_ ", "_")
    assert f"{NAMES[1]}!" in words


@pytest.mark.parametrize("kind", PLOTS)
def test_what_the_font_lacks_is_no_matter_for_a_warning(kind: Callable[[str], FigureData]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SQUARE in svg(drawing(kind(SQUARE * 60)), "p")


@pytest.mark.parametrize("kind", [interval_rows, bars, several_lines])
def test_dollars_are_dollars_and_no_formula(kind: Callable[[str], FigureData]) -> None:
    name = r"$\frac{ x$"
    result = drawing(kind(name))
    assert any(name in text for text in texts_of(svg(result, "p")))
    assert plot(result)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", PLOTS)
def test_pictures_are_in_the_colours_and_the_font_of_the_page_and_always_the_same(kind: Callable[[str], FigureData]) -> None:
    picture = svg(drawing(kind("sums")), "p")
    assert "#" not in re.sub(r'(href="|url\()#p-', "", picture)  # neither a fixed colour nor an id without its prefix
    assert canvas.MEASURED_FONT not in picture
    assert picture == svg(drawing(kind("sums")), "p")


def test_kinds_of_one_figure_differ_in_mark_and_colour() -> None:
    for told_apart in (("plain", "control", "reference"), ("good", "bad", "open"), ("plain", "bad", "open")):
        assert (
            len({row_plots.LOOKS[kind][0] for kind in told_apart})
            == len({row_plots.LOOKS[kind][1] for kind in told_apart})
            == 3
        )
    assert (
        len({mark for _, mark, _ in line_plots.LINE_LOOKS})
        == len({dashes for *_, dashes in line_plots.LINE_LOOKS})
        == len(line_plots.LINE_LOOKS)
    )


def across(axes: Axes) -> list[np.ndarray]:
    """The ends of intervals, and the places of dots, in the order in which they are drawn."""
    return [np.asarray(line.get_xdata()) for line in axes.lines]


def test_dots_stand_at_their_values_and_intervals_end_at_their_bounds() -> None:
    """On an axis from 0 to 1 a value of 0.4 with an interval from 0.2 to 0.7 is at 40% of the width, from 20 to 70%."""
    (axes,) = plot(drawing(IntervalRows("answers", (IntervalRow.of("a", "40%", SHARE),)))).axes
    assert [ends.tolist() for ends in across(axes)] == [[0.2, 0.7], [0.4]]
    assert axes.get_xlim() == (0, 1)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "20", "40", "60", "80", "100"]


def test_a_value_that_may_lie_anywhere_between_two_ends_is_marked_at_both() -> None:
    """Half of the replies graded, all right: the share is from 0.5 to 1, and neither end is the one that was found."""
    half = IntervalRow.of("a", "50% to 100%", SHARE, ends=Interval(0.5, 1.0))
    (axes,) = plot(drawing(IntervalRows("answers", (half,)))).axes
    assert [ends.tolist() for ends in across(axes)] == [[0.2, 0.7], [0.5, 1.0], [0.5, 1.0]]
    assert [line.get_marker() for line in axes.lines] == ["None", "None", "o"]


def test_an_unknown_value_has_its_interval_alone_and_an_unbounded_one_spans_the_axis() -> None:
    unknown = IntervalRow("a", "unknown", None, None, Interval(0.1, 0.3))
    unbounded = IntervalRow.of("b", "1", Estimate(1.0, Interval(float("-inf"), float("inf")), 1))
    (axes,) = plot(drawing(IntervalRows("sums", (unknown, unbounded), unit="number", span=(0.0, 2.0)))).axes
    assert [ends.tolist() for ends in across(axes)] == [[0.1, 0.3], [0.0, 2.0], [1.0]]


def test_bins_beyond_the_limit_are_hatched() -> None:
    from matplotlib.patches import Rectangle

    (axes,) = plot(drawing(Histogram(-0.2, 0.1, (3, 2, 0, 4), "Four bins.", "gap"))).axes
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    shown = [(round(bar.get_x(), 6), bar.get_height(), bar.get_hatch()) for bar in bars]
    assert shown == [(-0.2, 3, None), (-0.1, 2, None), (0.0, 0, "///"), (0.1, 4, "///")]


def test_two_limits_without_room_for_two_names_have_one_name_between_them() -> None:
    wide, near = bars("sums"), replace(bars("opening hours"), limits=((-0.4, "44 is enough"), (0.4, "44 is enough")))
    far = replace(wide, span=(-1.4, 1.4), limits=((-1.3, "9"), (1.3, "9")))
    assert [text for text in texts_of(svg(drawing(near), "p")) if "enough" in text] == ["dashed: 44 is enough"]
    assert texts_of(svg(drawing(far), "p")).count("9") == 2


def test_a_figure_without_data_is_not_drawn() -> None:
    assert drawing_of(IntervalRows("answers", ())) is None
    assert drawing_of(Bars("answers", (), "None.")) is None
    assert drawing_of(Histogram(0.0, 0.1, (0, 0))) is None
    line = Line("a", (LinePoint(0.0, 0.0),))
    assert drawing_of(Lines(Axis("x"), Axis("y"), (line,), "One point.")) is None
    marks = replace(line, joined=False)
    assert drawing_of(Lines(Axis("x"), Axis("y"), (marks,), "One mark.")) is None
    assert drawing_of(Lines(Axis("x"), Axis("y"), (marks, marks), "Two marks.")) is not None
    assert drawing_of(EvidencePath((1,), (EvidenceLine("a", "plain", (0.0,)),), (1.3,), 0, "open", "One look.")) is None


@given(st.text(max_size=60), st.floats(0.2, 3))
def test_a_name_is_whole_or_keeps_its_ends(name: str, inches: float) -> None:
    whole = " ".join(name.split())
    cut = canvas.shortened(name, inches=inches)
    assert cut == "…" or canvas.inches_of(cut) <= inches
    if cut != whole and "…" not in whole:
        start, _, end = cut.partition("…")
        assert whole.startswith(start)
        assert whole.endswith(end)
    assert canvas.shortened(name, inches=100.0) == whole


@given(st.text(alphabet="ab _-/W一", max_size=200), st.floats(0.5, 5))
def test_lines_fit_and_lose_no_letter_unless_the_last_is_shortened(name: str, inches: float) -> None:
    texts = canvas.wrapped(name, inches=inches)
    assert 1 <= len(texts) <= 3
    assert all(canvas.inches_of(line) <= inches or line == "…" for line in texts)
    if "…" not in texts[-1]:
        assert "".join("".join(texts).split()) == "".join(name.split())


class Plot(NamedTuple):
    """A drawing as it stands on a page."""

    svg: str
    alt: str


def drawn(data: FigureData, name: str) -> Plot | None:
    drawing = drawing_of(data)
    assert drawing is None or isinstance(drawing, Drawing)
    return None if drawing is None else Plot(svg(drawing, name), drawing.alt)


def certificate_path(certificate: Certificate, name: str) -> Plot | None:
    return drawn(certificate.evidence_path, name)


def intervals(certificate: Certificate, name: str) -> list[Plot]:
    plots = [drawn(data, f"{name}{index}") for index, data in enumerate(certificate.intervals)]
    return [plot for plot in plots if plot is not None]


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()).strip() for node in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_evidence_path_names_its_lines_and_its_threshold(granted: Certificate) -> None:
    plot = certificate_path(granted, "p")
    assert plot is not None
    shown = texts(plot.svg)
    for name in ("score is high enough", "few are unacceptable", "fail", "20: enough for a verdict"):
        assert name in shown
    assert {"Questions asked", "Evidence (e-value)"} <= set(shown)


def test_the_alternative_text_states_the_finding(granted: Certificate) -> None:
    plot = certificate_path(granted, "p")
    assert plot is not None
    # by hand: ln(20)/0.3 = 9.99; the path of the example is looked at every 6 questions from 1: 1, 7, 13
    assert "the score is high was enough by question 13;" in plot.alt
    assert plot.alt.endswith("Verdict after 6\N{NARROW NO-BREAK SPACE}282 questions: pass.")
    assert plot.alt in ET.fromstring(plot.svg).attrib["aria-label"]


def test_what_is_not_limited_has_no_line(unlimited: Certificate) -> None:
    plot = certificate_path(unlimited, "p")
    assert plot is not None
    assert "few are unacceptable" not in texts(plot.svg)
    score, rate = intervals(unlimited, "i")
    assert "limit" not in " ".join(texts(rate.svg))
    assert "passing grade 0.70" in texts(score.svg)


def test_a_fixed_procedure_has_no_path(fixed: Certificate) -> None:
    assert certificate_path(fixed, "p") is None


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_verdict_point_has_the_colour_of_the_verdict(undecided: Certificate, verdict: Verdict) -> None:
    plot = certificate_path(replace(undecided, verdict=verdict), "p")
    assert plot is not None
    variable = canvas.VARIABLES[row_plots.LOOKS[numbers.KINDS[verdict]][0]]
    markers = [
        use.attrib["style"] for use in ET.fromstring(plot.svg).iter(f"{SVG}use") if "--paper" in use.attrib.get("style", "")
    ]
    assert len(markers) == 1
    assert f"fill:var({variable})" in markers[0]


def test_rates_of_nothing_and_of_everything_can_be_drawn(granted: Certificate) -> None:
    for limit, lower, value, upper in ((None, 0.0, 0.0, 0.0), (1e-9, 1.0, 1.0, 1.0), (0.999, 0.0, None, 1.0)):
        estimate = replace(
            granted.unacceptable, value=value, interval=replace(granted.unacceptable.interval, lower=lower, upper=upper)
        )
        certificate = replace(granted, unacceptable=estimate, criterion=replace(granted.criterion, unacceptable_limit=limit))
        assert len(intervals(certificate, "i")) == 2


PROGRAM = """
import json, sys
from vivavoce.cli import main
assert main(["certify", "bot:timekeeper", "--scope", "intervals", "--quiet", "--html", sys.argv[1]]) == 0
print(json.dumps(sorted(name for name in sys.modules if name.startswith("vivavoce."))))
"""


def named() -> Iterator[tuple[str, str]]:
    """Each class that names its plot, and what it names, by the source of the package."""
    for file in Path(vivavoce.__file__).parent.rglob("*.py"):
        for kind in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for field in kind.body if isinstance(kind, ast.ClassDef) else ():
                match field:
                    case ast.AnnAssign(target=ast.Name(id="plot"), value=ast.Constant(value=str(place))):
                        assert isinstance(kind, ast.ClassDef)
                        yield kind.name, place


@pytest.mark.long
def test_each_figure_names_a_function_that_draws_its_kind_of_data() -> None:
    plots = list(named())
    assert len({where for _, where in plots}) == len(plots) >= 6
    for kind, where in plots:
        module, _, function = where.partition(":")
        assert getattr(import_module(module), function).__annotations__["data"] == kind


@pytest.mark.long
def test_the_page_of_a_certificate_loads_no_other_room(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = subprocess.run([sys.executable, "-c", PROGRAM, page], capture_output=True, text=True, check=True)
    modules = json.loads(ended.stdout.splitlines()[-1])
    assert page.read_text(encoding="utf-8").count("<svg") == 3  # the score, the evidence and the rate
    assert {"vivavoce.render.line_plots", "vivavoce.render.row_plots"} <= set(modules)
    assert not [name for name in modules if name.split(".")[1] in {"consistency", "eqt", "generalization", "luna"}]
