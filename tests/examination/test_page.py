"""The page of a dossier: the answer first, nothing of a stranger's runs, every finding has its card."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from tests.examination.made import FAILED, PASSED, FunctionSpeaker, card, dossier, examined, score
from tests.render.conftest import HOSTILE
from tests.render.html_pages import CHROMIUM, Outline, assert_in_order
from vivavoce.candidates import open_candidate
from vivavoce.candidates.text import as_unicode
from vivavoce.examination.compare import compare
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.plan_file import plan_of
from vivavoce.examination.presentation import dossier_page
from vivavoce.render.page import page

MADE = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)
SMALL = plan_of(
    "seed = 0\n[[certificate]]\nscope = 'arithmetic'\nquestions = 40\n[eqt]\nlimit = 1\nquestions = 1\n[luna]\ngames = 3"
)


_SHOWN: dict[int, tuple[Dossier, str]] = {}
"""Pages by the identity of a dossier, which is kept so that no other gets the same; dossiers cannot be altered."""


def shown(dossier: Dossier) -> str:
    """The page of a dossier, drawn once for all tests that look at it."""
    if id(dossier) not in _SHOWN:
        _SHOWN[id(dossier)] = dossier, dossier_page(dossier, made=MADE, version="0.1.0")
    return _SHOWN[id(dossier)][1]


@pytest.fixture(scope="module")
def whole() -> Dossier:
    """Of a bot that passes one scope and fails another."""
    return examined(open_candidate("bot:calculator?wrong=0.05"), plan_of("seed = 0\n[luna]\ngames = 3"), nature="bot")


@pytest.fixture(scope="module")
def attacked() -> Dossier:
    """Of a candidate all of whose replies try to break out of the page."""
    words = as_unicode(HOSTILE)  # as every candidate of the house hands it on
    return examined(FunctionSpeaker(lambda text: words, name=f"test:{words.partition(chr(27))[0]}"), SMALL)


def test_the_answer_first_then_the_cards_then_what_stays_open(whole: Dossier) -> None:
    text = Outline(shown(whole)).text
    text = text[text.index("Report: an oral") :]  # what comes before is style
    order = [
        "bot:calculator?wrong=0.05 passes 1 of 2 tests. Don't use it for intervals.",
        "2 verdicts come from a procedure that gives any wrong one at most 5% of the time.",
        "0% correct, 70% required; shown: below",
        "95% correct, 70% required; shown: at least",
        "Why it fails: intervals",
        "Measured only",
        "Limits",
        "Not tested: 5 further tests",
        "Does it understand what it was asked about?",
        "What it got wrong",
        "viva certify 'bot:calculator?wrong=0.05' --scope arithmetic --scope intervals --set correction=fwer",
        "How to read this",
        "viva recheck report.json --transcript transcript.sqlite",
        "2025-11-20T09:30:00Z",
    ]
    assert_in_order(text, order)


def test_all_caveats_and_signatures_are_there(whole: Dossier) -> None:
    text = Outline(shown(whole)).text
    for entry in whole.cards:
        assert entry.signature in text
        assert all(caveat in text for caveat in entry.caveats)


def test_headings_step_down_one_by_one_and_ids_are_unique(whole: Dossier, attacked: Dossier) -> None:
    for result in (whole, attacked):
        html = shown(result)
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), levels
        ids = [value for name, value in Outline(html).attributes if name == "id"]
        assert len(ids) == len(set(ids))
        labels = {value for name, value in Outline(html).attributes if name == "aria-labelledby"}
        assert labels <= set(ids)


def test_hostile_replies_stay_text(attacked: Dossier) -> None:
    html = shown(attacked)
    seen = Outline(html)
    assert not seen.tags["script"]
    assert not seen.tags["img"]
    assert not [name for name, value in seen.attributes if name.startswith("on")]
    assert not [value for name, value in seen.attributes if name in ("src", "href") and not value.startswith("#")]
    assert "{{ 7*7 }}" in seen.text  # quoted, not worked out
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert len(html.encode(errors="replace")) < 1_000_000


def test_nothing_is_fetched_and_the_page_is_light(whole: Dossier) -> None:
    html = shown(whole)
    assert len(html.encode()) < 1_000_000
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", html)
    assert "default-src 'none'" in html


def test_the_same_dossier_gives_the_same_bytes(whole: Dossier) -> None:
    again = examined(open_candidate("bot:calculator?wrong=0.05"), plan_of("seed = 0\n[luna]\ngames = 3"), nature="bot")
    assert shown(again) == shown(whole)


def test_a_dossier_from_a_file_has_a_page_too() -> None:
    text = Outline(shown(dossier(card(PASSED, FAILED, figures=(score(0.9, 0.8, 1.0),))))).text
    assert "sums: mean score" in text
    assert "0.90 [0.80, 1.00]" in text
    assert "It holds for sums." in text


def test_a_comparison_shows_hostile_words_as_text() -> None:
    bad = dossier(card(PASSED, figures=(score(0.9, 0.8, 1.0),)), candidate=HOSTILE)
    seen = Outline(page([compare([dossier(card(PASSED)), bad])], made=MADE, version="0.1.0"))
    assert not seen.tags["script"]
    assert not seen.tags["img"]
    assert "not examined" in seen.text


def test_of_a_bot_that_was_not_told_no_guess_is_spoken_of(whole: Dossier, attacked: Dossier) -> None:
    # the bot only answers; the other one is told of the game, and its guess cannot be read
    assert "How smart it found that" not in Outline(shown(whole)).text
    assert "How smart it found that" in Outline(shown(attacked)).text


def test_a_comparison_has_the_result_and_the_guarantee_of_each(whole: Dossier) -> None:
    other = dossier(card(PASSED, FAILED, figures=(score(0.9, 0.8, 1.0),)), candidate="bot:y")
    text = Outline(page([compare([whole, other])], made=MADE, version="0.1.0")).text
    assert "bot:calculator?wrong=0.05 passes 1 of 2 tests; bot:y passes 1 of 2 tests." in text
    assert "Passes 1 of 2 tests. Don't use it for intervals." in text
    assert f"Passes 1 of 2 tests. Don't use it for {FAILED.words}." in text
    assert whole.answer.guarantee in text
    assert other.answer.guarantee in text
    assert text.index("Small print: difference from the first candidate") < text.index("sums: mean score")
    many = Outline(page([compare([whole] * 4)], made=MADE, version="0.1.0")).text
    assert "0 of " in many
    assert "differences are significant." in many


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")
def test_axe_finds_no_fault_and_nothing_is_too_wide(tmp_path: Path, whole: Dossier, attacked: Dossier) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed").Axe()
    both = page([compare([whole, attacked])], made=MADE, version="0.1.0")
    pages = {"whole": shown(whole), "attacked": shown(attacked), "compared": both}
    for name, html in pages.items():
        # axe is put into the page as a script, which the page's own policy would refuse
        bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
        (tmp_path / f"{name}.html").write_text(bare, encoding="utf-8", errors="replace")
    looks = [("whole", 390, "light"), ("whole", 1280, "dark"), ("attacked", 390, "light"), ("compared", 390, "light")]
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, width, scheme in looks:
            tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            tab.goto((tmp_path / f"{name}.html").as_uri())
            tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, name
            result = axe.run(tab).response["violations"]
            assert not result, (name, [(entry["id"], [node["html"] for node in entry["nodes"]][:3]) for entry in result])
        browser.close()
