"""Where many replies cannot be graded, every headline says how many, and the finding shows five with what would decide them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Viva
from vivavoce.certificate.report.caveats import UngradedReplies

QUESTIONS = 50
MUMBLE = "Well, that is a good question, and much could be said about it.\\nAnd on."
BOT = f"""
import re


def mumbles(text, every):
    number = int(re.search(r"Name number (\\d+)", text)[1])
    return "{MUMBLE}" if number % 100 < every else f"Answer: name {{number}}"


def often(text):
    return mumbles(text, 12)


def seldom(text):
    return mumbles(text, 9)


def never(text):
    return mumbles(text, 0)
"""
OFTEN, SELDOM, NEVER = (f"function:mumbling:{name}" for name in ("often", "seldom", "never"))
ON = ("--scope", "file:names.csv", "--seed", "0")
WORDS = "could not be graded"


@pytest.fixture(autouse=True)
def names(viva: Viva, tmp_path: Path) -> None:
    """Fifty questions, and bots that mumble at 24%, 18% and none of them."""
    rows = "".join(f"Name number {number}?,name {number}\n" for number in range(QUESTIONS))
    (tmp_path / "names.csv").write_text(f"question,answer\n{rows}")
    (tmp_path / "mumbling.py").write_text(BOT)


def last_line(out: str) -> str:
    return next(line for line in out.splitlines() if line[:1] in "●✕◆")


@pytest.mark.parametrize("more", [(), ("--set", "unreadable=wrong")], ids=" ".join)
def test_a_certificate_says_so_in_its_first_sentence(viva: Viva, more: tuple[str, ...]) -> None:
    asked = ("certify", OFTEN, *ON, "--set", "min-questions=50", *more)
    document = viva(*asked, "--json").values
    assert (document["figures"]["questions"], document["figures"]["unreadable"]) == (50, 12)
    text = f"24% of the replies {WORDS}"
    assert document["statement"].count(text) == 1
    assert text in last_line(viva(*asked, "--quiet").out)
    seldom = viva("certify", SELDOM, *ON, "--set", "min-questions=50", *more, "--quiet")
    assert WORDS not in last_line(seldom.out)


def test_the_finding_counts_them_and_shows_five_with_what_would_decide_them(viva: Viva, tmp_path: Path) -> None:
    asked = ("certify", OFTEN, *ON, "--set", "min-questions=50")
    ended = viva(*asked, "--html", "page.html")
    shown, page = " ".join(ended.out.split()), " ".join((tmp_path / "page.html").read_text().split())
    for text in (shown, page):
        assert "5 of the 12 replies that could not be graded" in text
        assert text.lower().count("would decide it") == 5
    assert "Not gradable 12" in shown
    assert f"24% of the replies {WORDS}." in page
    kept = viva(*asked, "--json").values["figures"]["unread"]
    assert len(kept) == 5
    for reply in kept:
        assert (reply["grade"], reply["score"], reply["upper"]) == ("not gradable by rule", None, 1.0)
        assert reply["why"]
        assert [
            any(remedy in entry for entry in reply["decided_by"]) for remedy in ("--judge", "accepted answer", "?match=")
        ] == [True] * 3


@pytest.mark.long
@pytest.mark.parametrize("first", [OFTEN, NEVER])
def test_gate_and_comparison_say_whose_they_are(viva: Viva, first: str) -> None:
    second = NEVER if first == OFTEN else OFTEN
    first, second = (f"{name}?deterministic=yes" for name in (first, second))
    for asked in (("gate", first, "--baseline", second, "--margin", "0.01"), ("compare", first, second)):
        words = (*asked, *ON)
        document = viva(*words, "--json").values
        mumbling = next(entry for entry in document["figures"]["candidates"] if entry["name"].startswith(OFTEN))
        assert (mumbling["questions"], mumbling["unreadable"], len(mumbling["unread"])) == (50, 12, 5)
        text = f"24% of the replies of often {WORDS}."
        assert text in document["statement"]
        assert text in last_line(viva(*words, "--quiet").out)
        assert " ".join(viva(*words).out.split()).count("would decide it") == 5


def test_several_scopes_and_a_deployment_say_so_too(viva: Viva, tmp_path: Path) -> None:
    rows = "".join(f"Name number {number}?,name {number},{1 + number % 2}\n" for number in range(QUESTIONS))
    (tmp_path / "used.csv").write_text(f"question,answer,weight\n{rows}")
    deployed = ("certify", OFTEN, "--scope", "file:used.csv", "--deployed", "--seed", "0", "--passing-grade", "0.76")
    several = ("certify", OFTEN, *ON, "--scope", "file:used.csv", "--questions", "80")
    for words in (deployed, several):
        assert WORDS in last_line(viva(*words, "--quiet").out)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.booleans())
def test_the_headline_says_so_from_a_fifth_on(unreadable: int, copied: int, cut_off: int, others: int, judged: bool) -> None:
    ungraded = unreadable + copied + cut_off
    counts = UngradedReplies(unreadable, copied, cut_off, max(1, ungraded + others), judged, orphans=1, faults=1)
    many = ungraded > 0 and 5 * ungraded >= counts.asked
    assert many == (" could not be " in counts.in_headline or counts.in_headline.startswith("no reply could be "))
    assert "fault" not in counts.in_headline
