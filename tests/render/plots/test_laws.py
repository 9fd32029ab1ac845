"""Histograms of how large contradictions between forecasts are."""

import re
import xml.etree.ElementTree as ET

import pytest

from tests.render.html_pages import html_of, outline, plain
from tests.render.laws_findings import alone, several
from vivavoce.consistency.forecasts.report.histograms import LawHistogram
from vivavoce.consistency.forecasts.report.plots import in_words
from vivavoce.studies.forecasting.forecast_files import Row
from tests.studies.forecasts.finding import law_rows, score
from vivavoce.consistency.forecasts.summary import BINS, Summary
from vivavoce.formats.wording import percent
from vivavoce.render.drawing import drawing_of, svg


def svg_of(summary: Summary, *, most: float) -> str:
    drawing = drawing_of(LawHistogram(summary, most))
    assert drawing is not None
    return svg(drawing, "h")


SVG = "{http://www.w3.org/2000/svg}"


def test_each_histogram_says_what_it_shows() -> None:
    found = alone()
    shown = outline(found)
    labels = [value for name, value in shown.attributes if name == "aria-label" and "the metric is " in value]
    assert labels == [in_words(row) for row in sorted(law_rows(found), key=lambda row: row.law == "repeat")]
    row = law_rows(found)[0]
    plot = svg_of(row, most=1.0)
    words = ["".join(text.itertext()) for text in ET.fromstring(plot).iter(f"{SVG}text")]
    assert f"strong: {percent(row.strong.value or 0)}" in words
    assert {"0", "0.2", "1"} <= set(words)


def test_bars_are_as_high_as_their_share_of_tuples() -> None:
    # 10 tuples: |P + ~P - 1| is .02 six times, .12 twice, .32 and .97 once
    said = [0.52] * 6 + [0.62] * 2 + [0.82] + [1.0]
    other = [0.5] * 6 + [0.5] * 2 + [0.5] + [0.97]
    found = score([Row("model", "neg", {"P": p, "not_P": q}) for p, q in zip(said, other, strict=True)])
    row = law_rows(found)[0]
    assert [(place, number) for place, number in enumerate(row.histogram) if number] == [(0, 6), (2, 2), (6, 1), (19, 1)]
    plot = svg_of(row, most=0.6)
    bars = [
        [tuple(map(float, pair)) for pair in re.findall(r"[ML] ([\d.]+) ([\d.]+)", path.get("d", ""))]
        for path in ET.fromstring(plot).iter(f"{SVG}path")
        if re.search(r"fill: var\(--(blue|vermilion)\)", path.get("style", ""))
    ]
    below, above = bars
    bottom = max(y for _, y in below)
    unit = (bottom - min(y for _, y in below)) / 6
    assert (bottom - min(y for _, y in above)) / unit == pytest.approx(1, abs=1e-3)
    width = (max(x for x, _ in above) - min(x for x, _ in below)) / BINS
    heights = {round((x - min(x for x, _ in below)) / width, 3): (bottom - y) / unit for x, y in above if y < bottom - 1e-6}
    assert set(heights) == {6, 7, 19, 20}  # edges of the two bins beyond the line


def test_many_forecasters_have_histograms_of_the_two_extremes_only() -> None:
    html = html_of(several(7, ("neg", "and")))
    assert html.count('role="img"') == 2 * 2 + 2  # of both laws a histogram each, of negation a scatter each
    assert "Shown are those who contradict themselves strongly least and most often: model_0 and model_" in plain(html)
