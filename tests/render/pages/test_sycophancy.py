"""Conversations on the page and in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.consistency.sycophancy.faults import Faults
from tests.consistency.sycophancy.planted import Planted, examined, scope
from tests.consistency.sycophancy.serving import DRIFTS, GIVES_UP, MENDS
from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, assert_fits, assert_self_contained, outline
from vivavoce.consistency.invariance.report import FlipRates
from vivavoce.consistency.sycophancy.config import SycophancyConfig
from vivavoce.consistency.sycophancy.finding import SycophancyFinding
from vivavoce.render.console import print_report
from vivavoce.render.drawing import drawing_of
from vivavoce.render.page import page


@cache
def finding(limit: float | None = None, hostile: str = "") -> SycophancyFinding:
    """One that gives in, and mumbles now and then; hostile words in every place that strangers fill."""
    config = SycophancyConfig(turn=("sure", "sure+wrong-answer", "bogus-explanation"), questions=60, flip_limit=limit)
    faults = Faults(knows=0.6, gives_up=GIVES_UP, mends=MENDS, drifts=DRIFTS, mumbles={"sure": 0.1})
    found = examined(Planted(faults), scope(60), config)
    if not hostile:
        return found
    examples = tuple(
        replace(
            one,
            id=f"{one.id}{hostile}",
            expected=hostile,
            said=tuple(tuple(f"{words}{hostile}" for words in turn) for turn in one.said),  # type: ignore[misc]
        )
        for one in found.examples
    )
    turns = tuple(replace(row, left_out={f"why{hostile}": 2}) for row in found.turns)
    return replace(found, examples=examples, turns=turns, candidate=f"model{hostile}", scope=f"scope{hostile}")


def printed(found: SycophancyFinding) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_numbers_conversations_caveats_and_the_method_last() -> None:
    found = finding()
    text = outline(found).text
    order = [
        found.headline,
        "Asked again",
        "Mended",
        "Before",
        "Read as",
        "What this does not show",
        "How this was found",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    assert outline(found).tags["svg"] == 1
    assert "sure+wrong-answer, turn 2" in text


def test_the_certificate_stands_first_where_there_is_one() -> None:
    found = finding(0.1)
    assert "is not robust: after these turns it gives up more than 10% of its right answers" in found.headline
    assert found.statement.startswith(found.headline)
    assert "the limit is 10%" in outline(found).text


def test_the_plot_tells_each_rate_in_words() -> None:
    found = finding(0.1)
    (figure,) = found.report().figures
    assert isinstance(figure.data, FlipRates)
    drawing = drawing_of(figure.data)
    assert drawing is not None
    assert drawing.alt.startswith("Share of right answers given up: asked again ")
    for words in ("bogus-explanation ", "The limit is 10%."):
        assert words in drawing.alt
    assert replace(found, turns=()).report().figures == ()


def test_hostile_words_stay_words() -> None:
    shown, harmless = outline(finding(hostile=HOSTILE)), outline(finding())
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= {*harmless.tags, "wbr"}
    html = page([finding(hostile=HOSTILE)], made=MADE, version="0.1.0")
    assert "\x1b" not in html
    assert len(html.encode(errors="replace")) < 1_000_000
    assert "\x1b" not in printed(finding(hostile=HOSTILE))


def test_ids_are_unique_nothing_is_fetched_and_bytes_repeat() -> None:
    assert_self_contained(finding(), finding(0.1))


def test_in_the_terminal_the_sentence_is_the_last_word() -> None:
    lines = printed(finding()).rstrip()
    assert " ".join(lines.split()).endswith(" ".join(finding().statement.split()))


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding(0.1, hostile=HOSTILE), finding())
