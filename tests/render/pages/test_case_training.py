"""The page, the terminal and the plot of a trained classifier of cases."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from tests.consistency.legal.made_training import finding
from tests.render.conftest import HOSTILE, MARKUP
from tests.render.html_pages import outline, printed, spaced
from vivavoce.consistency.legal.training import DecidedCase, measured
from vivavoce.consistency.legal.training_finding import TrainedOnCases, probabilities
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import Panels


def hostile() -> TrainedOnCases:
    """A stranger's words wherever a file or a name can have some."""
    decided = tuple(DecidedCase(f"{HOSTILE}{i}", i % 2 > 0, 0.9, 4, 1, MARKUP, (1,), 0.5) for i in range(12))
    return replace(
        finding(), candidate=HOSTILE, encoder=HOSTILE, source=HOSTILE, decided=decided, measures=measured(decided, 0.5)
    )


def test_numbers_stand_beside_the_papers() -> None:
    cases = finding(turned=20)
    text = spaced(outline(cases).text)
    for words in (cases.headline, "Always “violation”", "The paper", "Where attention falls", "Errors to read first"):
        assert words in text
    assert not any("it does not distinguish cases" in sentence for sentence in cases.caveats)
    rows = {row.pop(next(iter(row))): row for row in cases.rows()}
    assert [rows[what]["paper"] for what in ("Accuracy", "Violation: precision")] == [0.816, 0.814]
    assert rows["Accuracy"]["this classifier"] == cases.measures.accuracy.value
    assert "Case c" in printed(cases)
    wrong = [case for case in cases.decided if (case.probability >= 0.5) != case.violation]
    assert {case.case for case in cases.errors} == {case.case for case in wrong}
    assert cases.as_json()["figures"]["errors"][0]["case"] == cases.errors[0].case


def test_a_classifier_no_better_than_a_constant_says_so() -> None:
    decided = tuple(DecidedCase(str(i), i % 3 == 0, 0.1, 4, 1, "A fact.") for i in range(30))
    cases = replace(finding(), decided=decided, measures=measured(decided, 0.5))
    assert any("may not be better than that" in sentence for sentence in cases.caveats)
    assert "The classifier says no violation in every held-out case: it does not distinguish cases." in cases.caveats
    assert any("the deciding fact is not known for any held-out case" in sentence for sentence in cases.caveats)
    assert "Where attention falls" not in outline(cases).text


def test_the_plot_counts_the_wrong_ones() -> None:
    cases = tuple(DecidedCase(str(i), i < 6, i / 10, 1, 0, "") for i in range(10))
    (panels,) = probabilities(cases, 0.5)
    assert isinstance(panels, Panels)
    assert [figure.title for figure in panels.figures] == ["A violation was found", "None was found"]
    for figure, wrong in zip(panels.figures, ("5 of 6", "4 of 4"), strict=True):
        drawing = drawing_of(figure.data)
        assert isinstance(drawing, Drawing)
        assert f"found: {wrong} are decided wrongly" in drawing.alt
        ET.fromstring(svg(drawing, "plot"))
    assert probabilities((), 0.5) == ()
    (alone,) = probabilities(cases[:6], 0.5)
    assert isinstance(alone, Panels)
    assert len(alone.figures) == 1
