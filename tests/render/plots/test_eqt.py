"""The pictures of examinations on a candidate's own explanations."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.render.conftest import HOSTILE
from tests.render.eqt_findings import CATEGORIES, benchmark, comparison, finding, nothing, shown
from tests.render.html_pages import Outline, outline
from vivavoce.eqt.benchmark_finding import EqtBenchmark
from vivavoce.eqt.comparison_finding import EqtComparison
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.eqt.report.benchmark import BenchmarkScatter
from vivavoce.eqt.report.cells import points, points_interval
from vivavoce.eqt.report.figures import MOST_ROWS, CategoryBars, CategoryPanel, CategorySpider, GapFigure
from vivavoce.formats.wording import percent, percent_interval, signed
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import FigureData

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"


class Plot(NamedTuple):
    svg: str
    alt: str


def drawn(data: FigureData) -> Plot | None:
    drawing = drawing_of(data)
    return Plot(svg(drawing, "p"), drawing.alt) if isinstance(drawing, Drawing) else None


def figure_of(found: ExplainQueryTest | EqtComparison | EqtBenchmark, kind: type) -> Plot | None:
    """The first figure of this kind in the report; None where it has none, or too little to draw."""
    return next((drawn(figure.data) for figure in found.report().figures if isinstance(figure.data, kind)), None)


def gap(found: ExplainQueryTest) -> Plot | None:
    return figure_of(found, GapFigure)


def by_category(found: ExplainQueryTest) -> Plot | None:
    return figure_of(found, CategoryBars)


def words(plot: Plot) -> list[str]:
    return ["".join(text.itertext()) for text in ET.fromstring(plot.svg).iter(f"{SVG}text")]


def bars(plot: Plot) -> list[tuple[float, float, bool]]:
    """Left end, right end and whether hatched, of the bars in their order."""
    found = []
    for group in ET.fromstring(plot.svg).iter(f"{SVG}g"):
        for path in group.findall(f"{SVG}path"):
            style = path.get("style", "")
            solid, hatched = "fill: var(--blue); stroke: var(--blue)" in style, "fill: url(#" in style
            places = [float(x) for x in re.findall(r"[ML] ([\d.]+) [\d.]+", path.get("d", ""))]
            if (solid or hatched) and len(places) == 4 and max(places) - min(places) != 16:
                found.append((min(places), max(places), hatched))
    return found


def test_the_gap_says_what_it_shows() -> None:
    found = finding()
    plot = gap(found)
    assert plot
    whole = found.whole
    assert (
        f"all concepts {shown(whole, 'closed_originals', percent)} and {shown(whole, 'open_book', percent)}, gap "
        f"{shown(whole, 'gap', points)} {points_interval(whole.gap.interval)}"
    ) in plot.alt
    assert {"without the explanation", "with it", "gap, in points", *CATEGORIES} <= set(words(plot))
    labels = [value for name, value in outline(found).attributes if name == "aria-label"]
    assert plot.alt in labels


def test_dots_of_the_gap_stand_at_their_shares() -> None:
    found = finding(categories=("math",))
    plot = gap(found)
    assert plot
    root = ET.fromstring(plot.svg)
    dots = [use for use in root.iter(f"{SVG}use") if "--blue" in use.get("style", "")]
    without, opened = (float(use.get("x", "nan")) for use in dots)
    # the axis runs from 28.5% of the width, 35% of it wide
    left, wide = 0.285 * 72 * canvas.WIDTH_INCHES, 0.35 * 72 * canvas.WIDTH_INCHES
    assert (without - left) / wide == pytest.approx(found.whole.closed_originals.value or 0, abs=2e-3)
    assert (opened - left) / wide == pytest.approx(found.whole.open_book.value or 0, abs=2e-3)


def test_a_single_category_is_not_shown_twice() -> None:
    plot = gap(finding(categories=("math",)))
    assert plot
    assert "math" not in words(plot)
    assert by_category(finding(categories=("math",))) is None


def test_bars_are_as_long_as_their_shares_and_open_book_is_hatched() -> None:
    found = finding(categories=("math", "physics"))
    plot = by_category(found)
    assert plot
    pairs = bars(plot)
    assert [hatched for *_, hatched in pairs] == [False, True, False, True]
    wide = 0.665 * 72 * canvas.WIDTH_INCHES
    shares = [estimate.value for one in found.categories for estimate in (one.closed, one.open_book)]
    assert [(right - left) / wide for left, right, _ in pairs] == pytest.approx(shares, abs=2e-3)
    first = found.categories[0].closed
    assert f"math {percent(first.value or 0)} {percent_interval(first.interval)} and " in plot.alt


def test_without_figures_there_is_no_picture() -> None:
    assert gap(nothing()) is None
    assert by_category(nothing()) is None


def test_many_categories_are_cut() -> None:
    found = finding(categories=("math",))
    many = replace(found, categories=tuple(replace(found.categories[0], name=f"kind {place}") for place in range(100)))
    plot = gap(many)
    assert plot
    assert sum(word.startswith("kind ") for word in words(plot)) == MOST_ROWS


def test_a_panel_has_a_pair_of_bars_a_candidate_and_tells_names_and_numbers() -> None:
    compared = comparison(3, ("math", "law", "health"))
    rows = [(number, one.candidate, one.categories[0]) for number, one in enumerate(compared.findings, 1)]
    plot = figure_of(compared, CategoryPanel)
    assert plot
    assert len(bars(plot)) == 6
    assert {"1", "2", "3"} <= set(words(plot))
    highest = [one.highest.get("closed") for _, _, one in rows]
    assert any(highest)  # where some replies could not be read
    assert None in highest
    for (_, name, one), most in zip(rows, highest, strict=True):
        least = percent(one.closed.value or 0)
        told = least if most is None else f"{least.removesuffix('%')}–{percent(most)}"
        assert f"{name} {told} [" in plot.alt


def test_the_spider_has_a_line_a_candidate_through_its_shares() -> None:
    compared = comparison(2, ("math", "law", "health", "computer science"))
    plot = figure_of(compared, CategorySpider)
    assert plot
    assert {"math", "law", "health", "1  openai:model-a", "2  openai:model-b"} <= set(words(plot))
    root = ET.fromstring(plot.svg)
    lines = [
        [tuple(map(float, pair)) for pair in re.findall(r"[ML] ([\d.]+) ([\d.]+)", path.get("d", ""))]
        for path in root.iter(f"{SVG}path")
        if re.search(
            r"fill: none; stroke(?:-dasharray)?: ?(?:[\d., ]+; [^;]*; stroke: )?var\(--(blue|vermilion)\)",
            path.get("style", ""),
        )
    ]
    closed = [line for line in lines if len(line) == 5]
    assert len(closed) == 2
    for line, one in zip(closed, compared.findings, strict=True):
        (_, top), (right, _), (_, bottom), (left, _) = line[:4]
        shares = [figures.closed.value or 0 for figures in one.categories]
        # opposite corners stand as far apart as their shares add up to, in radii
        upright, flat = (bottom - top) / (shares[0] + shares[2]), (right - left) / (shares[1] + shares[3])
        assert upright == pytest.approx(flat, rel=1e-3)


def test_a_spider_needs_three_corners() -> None:
    compared = comparison(2, ("math", "law"))
    assert figure_of(compared, CategorySpider) is None


def test_the_scatter_has_a_point_a_pair_and_a_number_a_model() -> None:
    beside = benchmark()
    plot = figure_of(beside, BenchmarkScatter)
    assert plot
    assert f"correlation {signed(beside.overall.pearson.value or 0)} " in plot.alt
    assert "70 pairs of model and category" in plot.alt
    marks = [use for use in ET.fromstring(plot.svg).iter(f"{SVG}use") if use.get(f"{XLINK}href")]
    coloured = [use for use in marks if re.search(r"fill: var\(--(blue|vermilion|green|orange|grey)\)", use.get("style", ""))]
    assert len(coloured) == 70 + 5 + 5  # pairs, means, marks of the key
    assert {"1", "5", "1  openai:model-a", "accuracy in mmlu_pro.csv"} <= set(words(plot))


def test_hostile_names_do_not_leave_the_picture() -> None:
    compared = comparison(2, (HOSTILE, "math", "law"))
    hostile = replace(compared, findings=tuple(replace(one, candidate=HOSTILE) for one in compared.findings))
    beside = benchmark(2, ("math", "law"))
    pairings = tuple(replace(one, model=HOSTILE + one.model, category=HOSTILE) for one in beside.pairings)
    beside = replace(beside, pairings=pairings, benchmark=HOSTILE)
    plots = (
        figure_of(hostile, CategorySpider),
        figure_of(hostile, CategoryPanel),
        gap(hostile.findings[0]),
        by_category(hostile.findings[0]),
        figure_of(beside, BenchmarkScatter),
    )
    for plot in plots:
        assert plot
        ET.fromstring(plot.svg)
        shown = Outline(plot.svg)
        assert shown.tags["script"] == shown.tags["img"] == 0
        assert len(plot.svg) < 60_000
