"""Variations on the page and in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.consistency.invariance.planted import Planted, examined, scope
from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, assert_fits, assert_self_contained, outline
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.invariance.finding import InvarianceFinding
from vivavoce.consistency.invariance.report import FlipRates
from vivavoce.render.console import print_report
from vivavoce.render.drawing import drawing_of
from vivavoce.render.page import page


@cache
def finding(limit: float | None = None, hostile: str = "") -> InvarianceFinding:
    """Flips in German and by the order, some replies that cannot be read; hostile words in every place that strangers fill."""
    config = InvarianceConfig(vary=("order", "context", "translate:de"), questions=60, flip_limit=limit)
    found = examined(Planted(prefers_a=0.3, german=0.2, mumbles=0.1), scope(60), config, in_german=True)
    if not hostile:
        return found
    flips = tuple(replace(flip, **{name: f"{getattr(flip, name)}{hostile}" for name in FIELDS}) for flip in found.flips)
    kinds = tuple(replace(row, left_out={f"why{hostile}": 2}) for row in found.kinds)
    return replace(found, flips=flips, kinds=kinds, candidate=f"model{hostile}", scope=f"scope{hostile}")


FIELDS = ("id", "question", "answer", "varied", "other")


def printed(found: InvarianceFinding) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_numbers_flips_caveats_and_the_method_last() -> None:
    found = finding()
    text = outline(found).text
    order = [found.headline, "Asked again", "Answer to that", "What this does not show", "How this was found", "seed 0"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    assert outline(found).tags["svg"] == 1


def test_the_certificate_stands_first_where_there_is_one() -> None:
    found = finding(0.1)
    assert "is not robust: its answer flips on more than 10% of questions" in found.headline
    assert found.statement.startswith(found.headline)
    assert "the limit is 10%" in outline(found).text


def test_the_plot_tells_each_rate_in_words() -> None:
    found = finding(0.1)
    (figure,) = found.report().figures
    assert isinstance(figure.data, FlipRates)
    drawing = drawing_of(figure.data)
    assert drawing is not None
    for words in ("asked again 0%", "order ", "translate:de ", "The limit is 10%."):
        assert words in drawing.alt
    nothing = replace(found, kinds=())
    assert nothing.report().figures == ()
    assert "Nothing was varied" in printed(replace(nothing, robustness=None))


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
    assert printed(finding()).rstrip().splitlines()[-1] == finding().statement


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding(0.1, hostile=HOSTILE), finding())
