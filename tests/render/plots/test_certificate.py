import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import NamedTuple

import pytest

from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.report.numbers import KINDS
from vivavoce.render import canvas, row_plots
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import FigureData

SVG = "{http://www.w3.org/2000/svg}"


class Plot(NamedTuple):
    """A drawing as it stands on a page."""

    svg: str
    alt: str


def drawn(data: FigureData, name: str) -> Plot | None:
    drawing = drawing_of(data)
    assert drawing is None or isinstance(drawing, Drawing)
    return None if drawing is None else Plot(svg(drawing, name), drawing.alt)


def evidence_path(certificate: Certificate, name: str) -> Plot | None:
    return drawn(certificate.evidence_path, name)


def intervals(certificate: Certificate, name: str) -> list[Plot]:
    plots = [drawn(data, f"{name}{index}") for index, data in enumerate(certificate.intervals)]
    return [plot for plot in plots if plot is not None]


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()).strip() for node in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_evidence_path_names_its_lines_and_its_threshold(granted: Certificate) -> None:
    plot = evidence_path(granted, "p")
    assert plot is not None
    shown = texts(plot.svg)
    for name in ("score is high enough", "few are unacceptable", "fail", "20: enough for a verdict"):
        assert name in shown
    assert {"Questions asked", "Evidence (e-value)"} <= set(shown)


def test_the_alternative_text_states_the_finding(granted: Certificate) -> None:
    plot = evidence_path(granted, "p")
    assert plot is not None
    # by hand: ln(20)/0.3 = 9.99; the path of the example is looked at every 6 questions from 1: 1, 7, 13
    assert "the score is high was enough by question 13;" in plot.alt
    assert plot.alt.endswith("Verdict after 6\N{NARROW NO-BREAK SPACE}282 questions: pass.")
    assert plot.alt in ET.fromstring(plot.svg).attrib["aria-label"]


def test_what_is_not_limited_has_no_line(unlimited: Certificate) -> None:
    plot = evidence_path(unlimited, "p")
    assert plot is not None
    assert "few are unacceptable" not in texts(plot.svg)
    score, rate = intervals(unlimited, "i")
    assert "limit" not in " ".join(texts(rate.svg))
    assert "passing grade 0.70" in texts(score.svg)


def test_a_fixed_procedure_has_no_path(fixed: Certificate) -> None:
    assert evidence_path(fixed, "p") is None


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_verdict_point_has_the_colour_of_the_verdict(undecided: Certificate, verdict: Verdict) -> None:
    plot = evidence_path(replace(undecided, verdict=verdict), "p")
    assert plot is not None
    variable = canvas.VARIABLES[row_plots.LOOKS[KINDS[verdict]][0]]
    markers = [
        use.attrib["style"] for use in ET.fromstring(plot.svg).iter(f"{SVG}use") if "--paper" in use.attrib.get("style", "")
    ]
    assert len(markers) == 1
    assert f"fill:var({variable})" in markers[0]


def test_the_same_certificate_gives_the_same_bytes(granted: Certificate) -> None:
    assert evidence_path(granted, "p") == evidence_path(granted, "p")
    assert intervals(granted, "i") == intervals(granted, "i")


def test_rates_of_nothing_and_of_everything_can_be_drawn(granted: Certificate) -> None:
    for limit, lower, value, upper in ((None, 0.0, 0.0, 0.0), (1e-9, 1.0, 1.0, 1.0), (0.999, 0.0, None, 1.0)):
        estimate = replace(
            granted.unacceptable, value=value, interval=replace(granted.unacceptable.interval, lower=lower, upper=upper)
        )
        certificate = replace(granted, unacceptable=estimate, criterion=replace(granted.criterion, unacceptable_limit=limit))
        assert len(intervals(certificate, "i")) == 2
