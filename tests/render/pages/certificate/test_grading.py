"""Who graded, on the page and in the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.render.conftest import HOSTILE, certificate
from tests.render.html_pages import assert_fits, html_of, printed
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.graders.grades import GradingReport, WaitingAnswer, agreement_of
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Grade

PAIRS = [
    (Grade(0.8, False), Grade(1.0, False)),
    (Grade(0.3, True), Grade(0.0, True)),
    (Grade(0.5, False), Grade(0.5, True)),
] * 4
BOTH = GradingReport(
    judge="chat:judge",
    draws=3,
    judgements=600,
    unreadable=7,
    by_people=True,
    graded_by_people=12,
    judged_only=188,
    waiting=(WaitingAnswer("q1", "Why?", "Because."),),
    agreement=agreement_of(PAIRS),
    judge_spending=Usage(70_000, 6_000, 0.2),
)


def hostile() -> Certificate:
    """By a judge with a stranger's words in its name."""
    return replace(certificate(6282), grading=replace(BOTH, judge=HOSTILE))


@pytest.fixture
def graded(granted: Certificate) -> Certificate:
    return replace(granted, grading=BOTH, caveats=BOTH.caveats)


def test_the_judge_its_draws_and_its_agreement_are_shown_in_both(graded: Certificate) -> None:
    for text in (html_of(graded), printed(graded, width=120)):
        for shown in ("chat:judge", "600 in all, 3 an answer", "(7 unreadable)", "12 (1 wait)", "188"):
            assert shown in text.replace("</span> <span>", " "), shown
        assert "Mean difference, the judge minus people" in text
        assert "n = 12" in text
        assert "Agreement beyond chance (Krippendorff" in text
        assert "Unacceptable by people: the judge agrees" in text


def test_the_method_says_why_a_biased_judge_does_no_harm(graded: Certificate) -> None:
    assert "is 0 on average, whatever its bias" in html_of(graded)
    alone = replace(graded, grading=GradingReport(judge="chat:judge", draws=1, judgements=5))
    assert "asked once about every answer" in html_of(alone)
    assert "whatever its bias" not in html_of(alone)


def test_without_graders_nothing_is_said_of_them(granted: Certificate) -> None:
    assert "Who graded" not in html_of(granted)
    assert "judge" not in printed(granted)


@pytest.mark.slow
def test_a_long_name_of_a_judge_fits_a_telephone(granted: Certificate, tmp_path: Path) -> None:
    judge = "chat:qwen2.5-coder-0.5b-instruct@http://127.0.0.1:8099/v1?max_tokens=200"
    assert_fits(tmp_path, replace(granted, grading=replace(BOTH, judge=judge)))
