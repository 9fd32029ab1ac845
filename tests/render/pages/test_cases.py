import io
import random
import re
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, Outline, assert_fits, assert_self_contained, outline
from vivavoce.consistency.legal.cases.finding import CaseConsistency
from vivavoce.consistency.legal.cases.plots import MOST_POINTS, thinned
from vivavoce.consistency.legal.cases.report import BeforeAndAfter, marked
from vivavoce.consistency.legal.cases.score import score
from vivavoce.consistency.legal.cases.trials import Box, Examined, Paraphrase, Trial
from vivavoce.interview.finding import Signature
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.render.page import page

SVG = "{http://www.w3.org/2000/svg}"
FACT = "12. The applicant was held at the regional station for three days without seeing a judge."
OTHER = "12. The petitioner was kept at the regional station for three days without seeing a judge."


@cache
def finding(
    cases: int = 40,
    *,
    fact: str = FACT,
    other: str = OTHER,
    spread: float = 0.2,
    boxes: tuple[Box, ...] = (Box.BLACK, Box.WHITE),
) -> CaseConsistency:
    """Shifts drawn at random, those of the white box three times as large; strangers' words if wanted."""
    rng, examined = random.Random(1), []
    for i in range(cases):
        before, name = rng.random(), f"case {i} {fact if fact == HOSTILE else ''}"
        trials = [
            Trial(
                name,
                box,
                3,
                fact,
                other,
                before,
                min(1.0, max(0.0, before + rng.gauss(0, spread * (1 + 2 * (box is Box.WHITE))))),
            )
            for box in boxes
            for _ in range(3)
        ]
        again = Trial(name, Box.AGAIN, -1, "", "", before, before)
        paraphrases = (Paraphrase(fact, other), Paraphrase(fact, "", "refused"))
        absences = {f"no answer: {fact}": 1} if fact == HOSTILE else {}
        examined.append(Examined(name, (*trials, again), judged_by="attention", paraphrases=paraphrases, absences=absences))
    examined.append(Examined("short", skipped="no fact is long enough"))
    counts = score(examined, boxes=boxes, threshold=0.5)
    signature = Signature("0.1.0", "consistency/cases", "hf:tiny", "cases.jsonl", "ab" * 32, 7, {"facts": 1})
    writer = "chat:writer@http://localhost/v1" if fact != HOSTILE else HOSTILE
    return CaseConsistency("hf:tiny", writer, "cases.jsonl", cases + 1, "", 0.5, 120, counts, tuple(examined), signature)


def printed(found: CaseConsistency) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_numbers_cases_caveats_and_the_method_last() -> None:
    found = finding()
    text = outline(found).text
    order = [found.headline, found.others, found.comparison, "Decision flips", "Cases judged: 40", "Cases to read first"]
    order += ["What this does not show", "How this was found", "seed 7"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    assert "Nobody else checked them." in text


def test_the_table_has_the_shares_with_their_intervals() -> None:
    found = finding()
    white = found.counts.row(Box.WHITE)
    assert white is not None
    assert white.flips.value is not None
    assert re.search(rf"Decision flips.*{white.flips.value * 100:.2g}%\s*\[", " ".join(outline(found).text.split()))


def test_words_that_were_removed_and_added_are_marked() -> None:
    shown = outline(finding())
    assert shown.tags["del"] == shown.tags["ins"] == 2 * len(finding().worst)
    html = page([finding()], made=MADE, version="0.1.0")
    assert "12. The <del>applicant</del> was <del>held</del> at the regional station" in html
    assert "12. The <ins>petitioner</ins> was <ins>kept</ins> at the regional station" in html


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
    assert time.process_time() - began < 1


def test_hostile_words_stay_text() -> None:
    hostile = finding(8, fact=HOSTILE, other=f"{HOSTILE} and more")
    html = page([hostile], made=MADE, version="0.1.0")
    shown = Outline(html)
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= set(outline(finding()).tags)
    assert not any(name.startswith("on") for name, _ in shown.attributes)
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert len(html.encode()) < 200_000
    assert "\x1b" not in printed(hostile)


def test_nothing_is_fetched_and_ids_are_unique() -> None:
    assert_self_contained(finding(), finding(10))


def test_flips_are_crosses_and_the_rest_dots_one_panel_a_box() -> None:
    found = finding()
    drawing = drawing_of(BeforeAndAfter(found.trials, found.counts.rows, 0.5))
    assert isinstance(drawing, Drawing)
    tree = ET.fromstring(svg(drawing, "p"))
    words = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
    assert {"A random fact", "The most important fact", "Probability before", "Probability after"} <= set(words)
    points = [element for element in tree.iter(f"{SVG}use") if "clip" not in element.attrib.get("style", "")]
    assert len(points) >= len([trial for trial in found.trials if trial.box is not Box.AGAIN])
    white = sum(trial.flips(0.5) for trial in found.trials if trial.box is Box.WHITE)
    assert f"the most important fact: {white} of 120 flip the decision" in drawing.alt


def test_of_many_points_all_flips_are_drawn_and_some_others() -> None:
    trials = [Trial(str(i), Box.BLACK, 1, "f", "g", 0.4, 0.6 if i % 100 == 0 else 0.4) for i in range(10_000)]
    kept = thinned(trials, 0.5)
    assert len(kept) == MOST_POINTS
    assert sum(trial.flips(0.5) for trial in kept) == 100
    many = finding(700)
    assert len(page([many], made=MADE, version="0.1.0").encode()) < 1_000_000
    drawing = drawing_of(BeforeAndAfter(many.trials, many.counts.rows, 0.5))
    assert drawing is not None
    assert "are drawn" in drawing.alt


def test_one_box_alone_and_nothing_at_all_can_be_shown() -> None:
    alone = finding(boxes=(Box.WHITE,))
    assert alone.comparison == ""
    assert "White box against black box" not in outline(alone).text
    nothing = replace(finding(), examined=(), counts=score((), boxes=(Box.BLACK, Box.WHITE), threshold=0.5))
    assert "Nothing was compared" in outline(nothing).text
    assert "No probability changed." in outline(nothing).text
    assert outline(nothing).tags["svg"] == 0
    assert "Nothing was compared" in printed(nothing)


def test_in_the_terminal_the_sentence_is_the_last_word() -> None:
    found = finding()
    lines = printed(found).rstrip().splitlines()
    assert lines[-1] == found.statement
    assert any(line.startswith("Decision flips") for line in lines)


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, *(finding(12, fact=fact, other=f"{fact} again") for fact in (FACT, HOSTILE)))
