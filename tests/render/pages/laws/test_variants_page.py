"""Ways to ask on the page, in the terminal and as a plot."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, assert_fits, outline
from tests.render.laws_findings import rows
from vivavoce.studies.forecasting.planning import Asked
from vivavoce.studies.forecasting.config import ForecastsConfig
from vivavoce.studies.forecasting.prompts import Instructions
from vivavoce.consistency.forecasts.variants.examine import matrix
from vivavoce.consistency.forecasts.variants.finding import VariantMatrix
from vivavoce.consistency.forecasts.variants.report import WaysByLaw
from vivavoce.studies.forecasting.ways import Way
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of
from vivavoce.render.page import page

LAWS = ("neg", "paraphrase", "bayes", "repeat")


def asked(spread: dict[str, float], *, planned: int = 0, law_of: tuple[str, ...] = LAWS) -> Asked:
    told = [row for law in law_of for row in rows("x", (law,), 40, spread=spread.get(law, 0.3), questions=True)]
    return Asked(tuple(told), planned or len(told), {"read": 2 * len(told)}, "tokens" if planned else "")


@cache
def finding(hostile: str = "") -> VariantMatrix:
    """One way mends negation and harms Bayes' rule, one does nothing, and one was not reached by the budget."""
    ways = [
        Way("plain", ForecastsConfig()),
        Way(f"careful.txt{hostile}", ForecastsConfig(), instructions=Instructions(f"careful.txt{hostile}", "Be careful.")),
        Way("together", ForecastsConfig(together=True)),
    ]
    usual = {"neg": 0.8, "paraphrase": 0.3, "bayes": 0.3}
    told = [
        asked(usual),
        asked({"neg": 0.05, "paraphrase": 0.3, "bayes": 1.0}),
        asked(usual, planned=200, law_of=("neg", "paraphrase")),
    ]
    return matrix(f"model{hostile}", ways, told, [f"model{hostile}"] * 3, source=f"tuples.jsonl{hostile}", digest="ab" * 32)


def printed(found: VariantMatrix, width: int = 80) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=width))
    return file.getvalue()


def test_the_sentence_first_then_the_matrix_differences_plot_caveats_and_the_method() -> None:
    text = outline(finding()).text
    order = [
        finding().headline,
        "The same tuples of questions were asked",
        "Mended and harmed",
        "What this does not show",
        "How this was found",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert finding().headline.startswith(
        "Asked by careful.txt, model contradicts itself less on Negation, and more on Bayes' rule, than by plain."
    )
    assert all(caveat in text for caveat in finding().caveats)


def test_the_terminal_has_matrix_and_differences() -> None:
    shown = printed(finding())
    for words in ("careful.txt", "mended", "harmed", "after Holm", "bayes"):
        assert words in shown


def test_what_is_paid_for_many_comparisons_is_said() -> None:
    (caveat,) = [one for one in finding().caveats if "Holm" in one]
    assert "five comparisons" in caveat
    assert "95% by itself" in caveat
    assert any("together 80 of 200 tuples" in one for one in finding().caveats)


def test_the_plot_tells_each_way_by_law_in_words() -> None:
    (figure,) = [one for one in finding().report().figures if isinstance(one.data, WaysByLaw)]
    drawing = drawing_of(figure.data)
    assert isinstance(drawing, Drawing)
    assert "Negation: plain" in drawing.alt
    assert "careful.txt 0.02 (mended)" in drawing.alt
    assert "(harmed)" in drawing.alt
    assert drawing_of(WaysByLaw(())) is None
    assert "The same question again" not in drawing.alt  # the control is no law


def test_hostile_words_stay_words() -> None:
    shown, harmless = outline(finding(HOSTILE)), outline(finding())
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= {*harmless.tags, "wbr"}
    html = page([finding(HOSTILE)], made=MADE, version="0.1.0")
    assert "\x1b" not in html
    assert len(html.encode(errors="replace")) < 1_000_000
    assert "\x1b" not in printed(finding(HOSTILE))


@pytest.mark.long
def test_it_fits_a_telephone(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding())
