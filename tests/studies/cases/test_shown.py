"""What is shown of single trials: the words that changed, the trials to read first, and the points of the plot."""

from __future__ import annotations

import random
import time
import xml.etree.ElementTree as ET
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.legal.trials import FactChoice, Trial
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import Panels, ReportSection
from vivavoce.studies.judged_cases.shown import MOST_POINTS, before_and_after, example, marked, panel_of, thinned

SVG = "{http://www.w3.org/2000/svg}"
FACT = "12. The applicant was held at the regional station for three days without seeing a judge."
OTHER = "12. The petitioner was kept at the regional station for three days without seeing a judge."


@cache
def trials(cases: int = 40) -> list[Trial]:
    """Shifts drawn at random, those of the white box three times as large."""
    rng = random.Random(1)
    result = []
    for case in range(cases):
        before = rng.random()
        for box in (FactChoice.BLACK, FactChoice.WHITE):
            for _ in range(3):
                shift = rng.gauss(0, 0.2 * (1 + 2 * (box is FactChoice.WHITE)))
                result.append(Trial(f"case {case}", box, 3, FACT, OTHER, before, min(1.0, max(0.0, before + shift))))
    return result


def test_an_example_has_both_texts_with_the_words_that_changed() -> None:
    shown = example(Trial("7", FactChoice.WHITE, 3, FACT, OTHER, 0.6, 0.25), 0.5)
    assert (shown.id, shown.treatment, shown.event) == ("case 7, fact 4", "most important fact", "violation → no violation")
    (_, fact), (_, paraphrase), probability = shown.texts
    assert (str(fact), str(paraphrase), probability) == (FACT, OTHER, ("Probability", "0.60 → 0.25"))
    assert not isinstance(fact, str)
    assert [text for kind, text in fact.pieces if kind == "removed"] == ["applicant", "held"]
    assert not isinstance(paraphrase, str)
    assert [text for kind, text in paraphrase.pieces if kind == "added"] == ["petitioner", "kept"]
    assert example(Trial("7", FactChoice.BLACK, 3, FACT, OTHER, 0.6, 0.5), 0.5).event == "still violation"


@given(st.text("ab c\n", max_size=40), st.text("ab c\n", max_size=40))
def test_pieces_hold_the_whole_text_and_what_stays_is_the_same_in_both(before: str, after: str) -> None:
    removed, added = (difference.pieces for difference in marked(before, after))
    assert "".join(text for _, text in removed).split() == before.split()
    assert "".join(text for _, text in added).split() == after.split()
    same = [" ".join(text for kind, text in pieces if kind == "same").split() for pieces in (removed, added)]
    assert same[0] == same[1]
    assert all(text == text.rstrip() for kind, text in (*removed, *added) if kind != "same")


def test_long_texts_of_equal_words_cost_little_time() -> None:
    began = time.process_time()
    marked("a b " * 100_000, "b a " * 100_000)
    assert time.process_time() - began < 10


def test_the_plot_has_a_panel_for_each_box_with_all_points() -> None:
    panels = [panel_of(trials(), box, 0.5) for box in (FactChoice.BLACK, FactChoice.WHITE)]
    (section,) = before_and_after(panels, 0.5)
    assert isinstance(section, ReportSection)
    (figures,) = [block for block in section.blocks if isinstance(block, Panels)]
    assert [figure.title for figure in figures.figures] == ["A random fact", "The most important fact"]
    for figure, box in zip(figures.figures, (FactChoice.BLACK, FactChoice.WHITE), strict=True):
        drawing = drawing_of(figure.data)
        assert isinstance(drawing, Drawing)
        tree = ET.fromstring(svg(drawing, "p"))
        words = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
        assert {"Before", "After"} <= set(words)
        points = [element for element in tree.iter(f"{SVG}use") if "clip" not in element.attrib.get("style", "")]
        of_box = [trial for trial in trials() if trial.box is box]
        assert len(points) >= len(of_box)
        assert f"fact: {sum(trial.flips(0.5) for trial in of_box)} of 120 change the decision" in drawing.alt
    assert before_and_after([panel_of([], FactChoice.BLACK, 0.5)], 0.5) == ()


def test_of_many_points_all_flips_are_drawn_and_some_others() -> None:
    points = [(0.4, 0.6 if i % 100 == 0 else 0.4, i % 100 == 0) for i in range(10_000)]
    kept = thinned(points)
    assert len(kept) == MOST_POINTS
    assert sum(flips for *_, flips in kept) == 100
    (section,) = before_and_after([panel_of(trials(700), FactChoice.WHITE, 0.5)], 0.5)
    assert isinstance(section, ReportSection)
    (drawn,) = [panels.figures[0].data for panels in section.blocks if isinstance(panels, Panels)]
    many = drawing_of(drawn)
    assert isinstance(many, Drawing)
    assert "of 2 100 change the decision (1 500 are drawn)" in many.alt.replace("\u202f", " ").replace("\u00a0", " ")
