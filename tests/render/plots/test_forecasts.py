"""Scatters of forecasts that belong together, and series over the years: what is drawn is what was said."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tests.render.html_pages import html_of, outline, plain
from tests.render.laws_findings import alone
from vivavoce.consistency.forecasts.report.plots import gap, pairs_in_words, series_in_words
from vivavoce.consistency.forecasts.report.shapes import ForecastPairs, ForecastSeries
from vivavoce.studies.forecasting.forecast_files import Row
from tests.studies.forecasts.finding import law_rows, score
from vivavoce.consistency.forecasts.summary import Point
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import FigureData

SVG = "{http://www.w3.org/2000/svg}"
NEGATIONS = [(0.3, 0.7), (0.3, 0.7), (0.9, 0.9), (0.5, 0.7), (0.1, 0.9)]
"""Of these one is strong: the fourth is off by exactly .2."""


def negations() -> list[Row]:
    return [Row("model", "neg", {"P": p, "not_P": q}, id=str(place)) for place, (p, q) in enumerate(NEGATIONS)]


def series(values: list[float], place: int = 0, *, spread: float = 0.0, question: str = "") -> Row:
    years = ("2025", "2028", "2032")
    said = dict(zip(years, map(float, values), strict=True))
    draws = {year: tuple(value + spread * step for step in (-2, -1, 0, 1, 2)) for year, value in said.items()} if spread else {}
    questions = dict.fromkeys(years, question) if question else {}
    return Row("model", "increasing", said, id=str(place), draws=draws, questions=questions)


def drawn(data: FigureData) -> tuple[Drawing, ET.Element]:
    drawing = drawing_of(data)
    assert isinstance(drawing, Drawing)
    return drawing, ET.fromstring(svg(drawing, "f"))


def marks(plot: ET.Element, colour: str) -> list[tuple[float, float]]:
    """Where marks of a colour stand, in the plot's own units; the band of a scatter is paler."""
    painted = [use for use in plot.iter(f"{SVG}use") if f"--{colour}" in use.get("style", "")]
    found = [use for use in painted if "opacity: 0.1" not in use.get("style", "")]
    return [(float(use.get("x", "nan")), float(use.get("y", "nan"))) for use in found]


def test_points_of_a_scatter_are_the_pairs_with_their_numbers() -> None:
    (row,) = law_rows(score(negations()))
    assert row.points == (Point(0.1, 0.9, 1), Point(0.3, 0.7, 2), Point(0.5, 0.7, 1), Point(0.9, 0.9, 1))
    drawing, plot = drawn(ForecastPairs(row))
    assert "5 pairs of forecasts of an event and its negation; 20% are further than 0.2" in drawing.alt
    near, far = marks(plot, "blue"), marks(plot, "vermilion")
    # two sizes of marks: the pair that was given twice has one of its own
    assert len({use.get("{http://www.w3.org/1999/xlink}href") for use in plot.iter(f"{SVG}use") if use.get("style", "")}) >= 2
    assert (len(near), len(far)) == (3, 1)
    # straight lines from forecasts to places: (.1, .9), (.3, .7) and (.5, .7) are near, (.9, .9) is far
    (left, high), (middle, low), (right, same) = sorted(near)
    assert (right - middle) == pytest.approx(middle - left, rel=1e-3)
    assert low == pytest.approx(same)
    assert far[0][1] == pytest.approx(high)
    assert far[0][0] - left == pytest.approx(4 * (middle - left), rel=1e-3)


def test_paraphrases_stand_against_the_first_wording() -> None:
    said = {"P": 0.2, "para_P": 0.3, "para_P_2": 0.6}
    (row,) = law_rows(score([Row("model", "paraphrase", said)]))
    assert row.points == (Point(0.2, 0.3, 1), Point(0.2, 0.6, 1))
    assert [gap(row, point) for point in row.points] == pytest.approx([0.1, 0.4])
    assert "2 pairs of forecasts of two wordings of a question; 50%" in pairs_in_words(row)


def test_a_series_is_drawn_in_the_order_of_its_years_with_boxes_where_draws_are_known() -> None:
    found = law_rows(score([series([3, 1, 2], spread=0.1), series([1, 2, 3], 1)]))[0]
    worst, in_order = found.worst[0], found.in_order
    assert in_order is not None
    assert in_order.row.id == "1"
    assert series_in_words(worst).endswith("2025: 3, 2028: 1, 2032: 2; metric 0.75.")
    _, with_boxes = drawn(ForecastSeries(worst))
    _, without = drawn(ForecastSeries(in_order))
    boxes = [
        sum("--blue" in path.get("style", "") and "opacity" in path.get("style", "") for path in plot.iter(f"{SVG}path"))
        for plot in (with_boxes, without)
    ]
    assert boxes == [3, 0]
    # strong, and so in the colour of contradictions; of three marks the first is the highest, the last stands half as high
    (x1, y1), (x2, y2), (x3, y3) = marks(with_boxes, "vermilion")
    assert x1 < x2 < x3
    assert (y2 - y3) / (y2 - y1) == pytest.approx(0.5, abs=1e-3)
    assert (x3 - x2) / (x2 - x1) == pytest.approx(4 / 3, abs=1e-3)  # years are numbers, not places
    words = {"".join(text.itertext()) for text in with_boxes.iter(f"{SVG}text")}
    assert {"2025", "2028", "2032"} <= words


def test_the_page_has_three_series_out_of_order_and_one_in_order() -> None:
    question = "How many will there be?"
    rows = [series([3, 2, 1], place, question=question) for place in range(5)] + [series([1, 2, 3], 9), *negations()]
    found = score(rows)
    shown = outline(found)
    labels = [value for name, value in shown.attributes if name == "aria-label"]
    assert sum("2025: 3, 2028: 2, 2032: 1" in label for label in labels) == 3
    assert sum("2025: 1, 2028: 2, 2032: 3" in label for label in labels) == 1
    assert question in plain(html_of(found))


def test_what_appendix_c_looks_at_and_the_papers_figures_stand_on_the_page() -> None:
    text = plain(html_of(alone()))
    for heading in ("How negation fails", "Round numbers", "Beside the figures of the paper", "Forecasts that belong together"):
        assert heading in text
    # 92 of 175, Clopper and Pearson by R: .4492 to .6016
    assert re.search(r"GPT-3.5-turbo, temperature 0 53% \[44, 61\] 0\.34", text)
    assert "How far series are monotone" not in text  # no draws are known
    spread = score([series([1, 2, 3], place, spread=0.1) for place in range(3)])
    assert re.search(r"Series of Whole intervals Medians Some curve model n = 3 100%", plain(html_of(spread)))
