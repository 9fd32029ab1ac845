"""Explanations on the page and in the terminal; what was handed over is a stranger's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.render.conftest import HOSTILE, certificate
from tests.render.html_pages import html_of, outline, printed
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.explanations.finding import Explanation, ExplanationFinding, KnownPart
from vivavoce.formats.interval import Estimate, Interval

RIGHT = Explanation(
    source="request 1",
    kind="program",
    digest="ab" * 32,
    beginning="def covers(question): ...",
    characters=25,
    frozen_after=0,
    exact=False,
    checks=100_000,
    covered=50_000,
    wrong=0,
    unacceptable=0,
    mass=Estimate(0.5, Interval(0.497, 0.503), 100_000),
    failing=Estimate(0.0, Interval(0.0, 0.000074), 50_000),
    score=1.0,
    why_dropped="",
    failure="",
    answered=3_141,
)
STRANGE = replace(
    RIGHT,
    source=HOSTILE,
    beginning=HOSTILE[:1_500],
    characters=90_000,
    failure=HOSTILE,
    why_dropped="it fails too often",
    answered=0,
    score=None,
    covered=0,
)
EXPLAINED = ExplanationFinding(
    explanations=(RIGHT, STRANGE),
    standing=1,
    questions=3_141,
    asked=3_142,
    requests=1,
    delta=0.05,
    processes=1,
    most_processes=1,
    clean=3_141,
    clean_alone=6_282,
    first_fails=False,
    as_known=False,
    sandbox="seccomp, no network",
)


def hostile() -> Certificate:
    """With the code of a stranger."""
    return replace(certificate(6282), explained=EXPLAINED, caveats=EXPLAINED.caveats)


@pytest.fixture
def with_explanations(granted: Certificate) -> Certificate:
    return replace(granted, explained=EXPLAINED, caveats=(*granted.caveats, *EXPLAINED.caveats))


def test_the_page_says_what_was_handed_over_and_what_it_saved(with_explanations: Certificate) -> None:
    text = " ".join(outline(with_explanations).text.split())
    for part in (
        "together with 1 procedure, passes arithmetic: 98% correct, 70% required",
        "shown: at least 97%",
        "3 141 of them answered by the candidate",
        "50% [49%, 51%]",
        "0 of 50 000 [0%, 7.4 in 100 000]",
        "set aside: it fails too often",
        "takes 3 141 questions to it",
        "without explanations 6 282: 3 140 saved, requests included",
        "def covers(question): ...",
        "behind: seccomp, no network.",
        "the verdict is for both together",
    ):
        assert part in text, part


def test_the_terminal_has_a_row_for_each(with_explanations: Certificate) -> None:
    lines = printed(with_explanations, width=160).splitlines()
    text = " ".join(" ".join(lines).split())
    parts = [line.split() for line in lines if line.startswith("  1 ")]  # the table stands in two parts
    assert [part[1:4] for part in parts] == [["program,", "request", "1"], ["3", "141", "accepted"]]
    assert "All of the error of 5% is the verdict's" in text
    assert lines[-1].startswith("● bot:calculator?errors=0.02, together with 1 procedure, passes arithmetic: 98% correct")


def test_where_the_error_was_shared_it_says_so(with_explanations: Certificate) -> None:
    shared = replace(
        with_explanations, explained=replace(EXPLAINED, delta=0.01, processes=2, most_processes=2, first_fails=True)
    )
    assert "Of the error of 5% the verdict has 1%, since the explanations might have changed once; they did once." in " ".join(
        outline(shared).text.split()
    )
    assert "the candidate fails" in EXPLAINED.caveats[0] or "the candidate fails" in " ".join(shared.explained.caveats)  # type: ignore[union-attr]


def test_nothing_handed_over_is_said(granted: Certificate) -> None:
    none = replace(EXPLAINED, explanations=(), standing=0, sandbox="", clean=6_282)
    text = " ".join(printed(replace(granted, explained=none), width=160).split())
    assert "The candidate was asked once for procedures. 0 were handed over, 0 accepted." in text
    assert "1 more, requests included" in text
    assert "together" not in replace(granted, explained=none).headline
    assert granted.as_json().keys() == {key for key in replace(granted, explained=none).as_json() if key != "explained"}


def test_what_is_known_exactly_stands_on_page_and_terminal(granted: Certificate) -> None:
    known = KnownPart(1_200, 0.6, 0.95, 0.001, 0.325, 0.0235, decides=False)
    result = replace(granted, explained=replace(EXPLAINED, known=known))
    for text in (html_of(result), printed(result, width=160)):
        words = " ".join(text.split())
        assert "Known exactly: 1 200 questions of the scope (60%), mean score 0.95" in words.replace("\u202f", " ")
        assert "but no draws" not in words
    elsewhere = " ".join(printed(replace(granted, explained=EXPLAINED), width=160).split())
    assert "This saved calls of the candidate, but no draws" in elsewhere
