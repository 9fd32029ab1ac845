"""Dossiers side by side, as wholes and question by question: differences by hand, and what is told instead of one."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.examination.made import PASSED, card, dossier, score
from vivavoce.errors import BadInput
from vivavoce.examination.compare import LITTLE, MISSING, OTHER, UNTOLD, compare
from vivavoce.render.console import print_report


def pair(*figures: object) -> object:
    """What stands beside the second of two dossiers with one figure each."""
    entry, other = (dossier(card(PASSED, figures=(figure,)) if figure else card(PASSED)) for figure in figures)  # type: ignore[arg-type]
    return compare([entry, other]).compared[0].differences[0]


def test_the_interval_is_as_wide_as_both_allow() -> None:
    entry = dossier(card(PASSED, figures=(score(0.9, 0.85, 0.95),)), candidate="bot:a")
    other = dossier(card(PASSED, figures=(score(0.6, 0.5, 0.7),)), candidate="bot:b")
    difference = compare([entry, other]).compared[0].differences[0]
    assert difference.difference is not None
    # .6 - .9; from .5 - .95 to .7 - .85
    assert difference.difference.value == pytest.approx(-0.3)
    assert difference.difference.lower == pytest.approx(-0.45)
    assert difference.difference.upper == pytest.approx(-0.15)
    assert difference.beyond_chance
    file = io.StringIO()
    print_report(compare([entry, other]).report(), Console(file=file, width=120))
    assert "−30 points [−45, −15]" in file.getvalue()
    assert "0.90 [0.85, 0.95]" in file.getvalue().replace("\N{NO-BREAK SPACE}", " ")


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_it_holds_wherever_both_hold(first: list[float], second: list[float]) -> None:
    (a, x, b), (c, y, d) = sorted(first), sorted(second)
    difference = (
        compare([dossier(card(figures=(score(x, a, b),))), dossier(card(figures=(score(y, c, d),)))]).compared[0].differences[0]
    )
    assert difference.difference is not None
    assert difference.difference.lower is not None
    assert difference.difference.upper is not None
    assert difference.difference.lower <= y - x <= difference.difference.upper
    assert difference.difference.lower <= min(c, d) - max(a, b) + 1e-12


def test_other_questions_are_not_compared() -> None:
    mine = score(0.9, 0.8, 1.0)
    assert pair(mine, score(0.9, 0.8, 1.0, asked="cd")).why_not == OTHER  # type: ignore[attr-defined]
    assert pair(score(0.9, 0.8, 1.0, asked=""), score(0.9, 0.8, 1.0, asked="")).why_not == UNTOLD  # type: ignore[attr-defined]
    assert pair(mine, None).why_not == MISSING  # type: ignore[attr-defined]
    unknown = type(mine)(mine.name, None, 0.0, 1.0, 0, "score", "ab")
    assert pair(mine, unknown).why_not == LITTLE  # type: ignore[attr-defined]


def test_too_many() -> None:
    with pytest.raises(BadInput, match="21 reports: give 1 to 20"):
        compare([dossier()] * 21)
