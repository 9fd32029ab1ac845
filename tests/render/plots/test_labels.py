"""Names beside a plot stand inside the picture, letter by letter, whatever they are."""

from __future__ import annotations

import math
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from vivavoce.certificate.comparison.compared import CategoryDifference, PairDifference
from vivavoce.certificate.comparison.figures import DifferenceFigure, PairsFigure, TiersFigure
from vivavoce.certificate.report.figures import CandidateOnScope, EvidenceByScope, ScopeEvidence, VerdictsFigure
from vivavoce.certificate.verdict import Verdict
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna.humanity import Humanity
from vivavoce.luna.identification_ladders import HumanityFigure
from vivavoce.render.canvas import shortened
from vivavoce.render.drawing import Drawing, drawing_of, plot, svg
from vivavoce.report.blocks import FigureData

SVG = "{http://www.w3.org/2000/svg}"
ESTIMATE = Estimate(0.1, Interval(-0.2, 0.4), 60)
WIDEST = 0.36 * 5.2 * 72
"""Points beside any of these plots."""
SQUARE = "一"
"""As wide as high, and lacking in the font by which plots are laid out."""


def pair(places: tuple[int, int] = (0, 1), categories: tuple[str, ...] = ()) -> PairDifference:
    found = tuple(CategoryDifference(name, ESTIMATE, "no conclusion") for name in categories)
    return PairDifference(places, "no conclusion", 60, ESTIMATE, 9, 3, (0.0, 0.0, 0.0, 0.0), False, 100, categories=found)


def difference(name: str) -> FigureData:
    return DifferenceFigure((name, f"{name}!"), pair(categories=(name, f"{name}?")))


def pairs(name: str) -> FigureData:
    return PairsFigure((name, f"{name}!", f"{name}?"), (pair(), pair((0, 2)), pair((1, 2))), ((0, 1, 2),))


def cells(name: str, candidates: int = 2) -> FigureData:
    row = (CandidateOnScope(Verdict.UNDERSTANDS, ESTIMATE),) * candidates
    return VerdictsFigure((name,) * candidates, (name, f"{name}!"), (0.7, 0.7), (row, row))


def tiers(name: str, candidates: int = 12) -> FigureData:
    return TiersFigure((name,) * candidates, (name,), (tuple(range(1, candidates + 1)),))


def evidence(name: str) -> FigureData:
    return EvidenceByScope((ScopeEvidence(name, Verdict.UNDERSTANDS, 5.0, -5.0),) * 2, (4.0, 4.0))


def humanity(name: str) -> FigureData:
    share = Estimate(0.5, Interval(0.2, 0.8), 9)
    return HumanityFigure((Humanity(name, True, share, share), Humanity(f"{name}!", False, share, share)))


KINDS = (difference, pairs, cells, tiers, evidence, humanity)


def drawing(kind: Callable[[str], FigureData], name: str) -> Drawing:
    found = drawing_of(kind(name))
    assert isinstance(found, Drawing)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["W" * 60, "electrical_engineering_and_computer_science"])
def test_no_word_reaches_over_the_edge(kind: Callable[[str], FigureData], name: str) -> None:
    """As matplotlib measures them itself."""
    figure = plot(drawing(kind, name))
    figure.draw_without_rendering()
    cut = [text for text in figure.findobj(Text) if "…" in text.get_text()]
    assert cut
    for text in cut:
        box = text.get_window_extent()
        assert box.x0 >= 0, text.get_text()
        assert box.x1 <= figure.bbox.width, text.get_text()


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_font_lacks_is_counted_as_square_and_no_matter_for_a_warning(kind: Callable[[str], FigureData]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = svg(drawing(kind, SQUARE * 60), "p")
    for text in ET.fromstring(page).iter(f"{SVG}text"):
        [size] = re.findall(r"(?:font|font-size): ([\d.]+)px", text.get("style", ""))
        assert float(size) * "".join(text.itertext()).count(SQUARE) < WIDEST


@pytest.mark.parametrize("kind", KINDS)
def test_dollars_are_dollars_and_no_formula(kind: Callable[[str], FigureData]) -> None:
    """A name like this one ended `viva compare --html` with a traceback."""
    name = r"$\frac{ x$"
    found = drawing(kind, name)
    assert any(name in "".join(text.itertext()) for text in ET.fromstring(svg(found, "p")).iter(f"{SVG}text"))
    assert plot(found)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


@given(st.text(max_size=60), st.floats(0.2, 3))
def test_a_name_is_whole_or_keeps_its_ends(name: str, inches: float) -> None:
    whole = " ".join(name.split())
    cut = shortened(name, inches=inches, size=10)
    if cut != whole:
        start, _, end = cut.rpartition("…") if "…" not in whole else (cut[: math.ceil((len(cut) - 1) / 2)], "", "")
        assert len(cut) < len(whole) or cut == "…"
        assert whole.startswith(start)
        assert whole.endswith(end)
        assert shortened(name, inches=100.0, size=10) == whole
