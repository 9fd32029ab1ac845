"""A search for contradictions on the page and in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.consistency.search.planted import Flips, coherent, one_feature, searched
from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, assert_fits, assert_self_contained, outline
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.finding import ContradictionSearch
from vivavoce.consistency.search.report import Courses
from vivavoce.render.console import print_report
from vivavoce.render.figures import drawing_of
from vivavoce.render.page import page


@cache
def finding(hostile: str = "") -> ContradictionSearch:
    """One feature that two methods found; hostile words in every place that strangers fill."""
    found = searched(Flips(one_feature), ContradictionSearchConfig(calls=400))
    if not hostile:
        return found
    contradictions = tuple(
        replace(
            one,
            case=f"{one.case}{hostile}",
            changes=tuple((name, f"{value}{hostile}") for name, value in one.changes),
            sides=tuple(
                replace(
                    side,
                    question=f"{side.question}{hostile}",
                    label=f"{side.label}{hostile}",
                    answers={f"{answer}{hostile}": number for answer, number in side.answers.items()},
                )
                for side in one.sides
            ),
        )
        for one in found.contradictions
    )
    return replace(found, contradictions=contradictions, candidate=f"model{hostile}")


def printed(found: ContradictionSearch) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_numbers_contradictions_caveats_and_the_method_last() -> None:
    found = finding()
    text = outline(found).text
    order = [found.headline, "Confirmed", "found by:", "What this does not show", "How this was found", "seed 0"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    assert outline(found).tags["svg"] == 1


def test_both_questions_and_all_answers_stand_in_full() -> None:
    text = outline(finding()).text
    for one in finding().contradictions[:5]:
        for side in one.sides:
            assert " ".join(side.question.split()) in " ".join(text.split())
            assert all(f"{answer} (5×)" in text for answer in side.answers)


def test_the_plot_tells_both_ends_in_words() -> None:
    (figure,) = finding().report().figures
    assert isinstance(figure.data, Courses)
    drawing = drawing_of(figure.data)
    assert drawing is not None
    for run in finding().runs:
        assert f"{run.distinct} with {run.calls} calls" in drawing.alt
    assert searched(Flips(coherent), ContradictionSearchConfig(calls=100)).report().figures == ()


def test_hostile_words_stay_words() -> None:
    shown, harmless = outline(finding(hostile=HOSTILE)), outline(finding())
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= {*harmless.tags, "wbr"}
    html = page([finding(hostile=HOSTILE)], made=MADE, version="0.1.0")
    assert "\x1b" not in html
    assert len(html.encode(errors="replace")) < 1_000_000
    assert "\x1b" not in printed(finding(hostile=HOSTILE))


def test_ids_are_unique_nothing_is_fetched_and_bytes_repeat() -> None:
    assert_self_contained(finding())


def test_in_the_terminal_the_sentence_is_the_last_word() -> None:
    assert printed(finding()).rstrip().splitlines()[-1] == finding().statement


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding(hostile=HOSTILE), finding())
