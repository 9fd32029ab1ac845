"""Certificates and findings on many scopes, made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Evidence, GradedAnswer, Verdict
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.report.caveats import ReplyCounts
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import Usage
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Signature

ENOUGH = math.log(20)
HOSTILE = (
    "<script>alert(1)</script></dl></details><img src=//example.invalid/x onerror=alert(1)>\x1b[2J\u202eabc&{{ 7*7 }}\ud800"
    + "[red]"
    + "x" * 50_000
)
MARKUP = "".join(letter for letter in HOSTILE if letter.isprintable())
"""The same where what steers a terminal or turns the direction of text was taken away before."""


def passing_path(questions: int) -> tuple[Evidence, ...]:
    """Every answer right and none unacceptable: evidence for the score grows by ln(1/.7) a question, for rareness linearly."""
    step = max(1, questions // 900)
    looks = [*range(1, questions, step), questions]
    return tuple(Evidence(n, 0.3 * n, ENOUGH * n / questions, -0.2 * n) for n in looks)


@pytest.fixture
def granted() -> Certificate:
    """Understands: 6,282 questions and nothing unacceptable."""
    return certificate(6282)


def certificate(questions: int) -> Certificate:
    """Understands: nothing unacceptable in so many questions."""
    return Certificate(
        verdict=Verdict.PASS,
        candidate="bot:calculator?errors=0.02",
        scope="arithmetic",
        scope_size=None,
        criterion=Criterion(0.7, 0.00052, 0.05),
        procedure="sequential",
        questions=questions,
        complete=False,
        score=Estimate(0.9812, Interval(0.9741, 0.9873), questions),
        unacceptable=Estimate(0.0, Interval(0.0, 0.000519), questions),
        unacceptable_count=0,
        replies=ReplyCounts(unreadable=3, no_answers=1),
        path=passing_path(questions),
        threshold=ENOUGH,
        worst=(
            GradedAnswer("a1", "What is 123 + 456?", "578", "579", 0.0, False, Outcome.ANSWER),
            GradedAnswer("a2", "What is 700 − 9?", "", "691", 0.0, False, Outcome.NO_ANSWER),
        ),
        why_not="",
        still_needed=None,
        spending=Usage(120_000, 24_000, 0.42),
        caveats=(
            "Questions outside this scope were not examined, nor was the same scope asked in another form.",
            "The guarantee is for the candidate as it was; a new version is a new candidate.",
        ),
        signature=Signature("0.1.0", "certificate", "bot:calculator?errors=0.02", "arithmetic", "ab" * 32, 7, {"delta": 0.05}),
    )


@pytest.fixture
def refused() -> Certificate:
    return hostile_certificate()


def hostile_certificate() -> Certificate:
    """Does not understand, with answers that try to break out of the page."""
    path = tuple(Evidence(n, -0.4 * n, -0.3 * n, ENOUGH * n / 14) for n in range(1, 15))
    return replace(
        certificate(6282),
        verdict=Verdict.FAIL,
        candidate="bot:gibberish",
        questions=14,
        complete=False,
        score=Estimate(0.0, Interval(0.0, 0.31), 14),
        unacceptable=Estimate(3 / 14, Interval(0.02, 0.61), 14),
        unacceptable_count=3,
        path=path,
        worst=(GradedAnswer("h<1>", HOSTILE, HOSTILE, HOSTILE, 0.0, True, Outcome.UNREADABLE),),
    )


@pytest.fixture
def undecided() -> Certificate:
    """Undecided: the budget ended first."""
    path = tuple(Evidence(n, 0.05 * n + 0.4 * math.sin(n / 9), ENOUGH * n / 6282, -0.01 * n) for n in range(1, 401))
    return replace(
        certificate(6282),
        verdict=Verdict.UNDECIDED,
        questions=400,
        complete=False,
        score=Estimate(0.78, Interval(0.71, 0.84), 400),
        unacceptable=Estimate(0.0, Interval(0.0, 0.0131), 400),
        path=path,
        why_not="the budget of 400 questions is spent",
        still_needed=5882,
    )


@pytest.fixture
def fixed() -> Certificate:
    """One look, so no path."""
    return replace(certificate(5760), procedure="fixed", path=())


@pytest.fixture
def unlimited() -> Certificate:
    """Unacceptable answers counted but not limited."""
    whole = certificate(36)
    path = tuple(e._replace(unacceptable_pass=None) for e in passing_path(36))
    return replace(whole, criterion=Criterion(0.7, None, 0.05), path=path, scope_size=1000)


CRITERION = Criterion(0.7, 0.01, 0.05)


def scope_result(scope: str, verdict: Verdict, understands: float, fails: float, mean: float = 0.9) -> ScopeResult:
    """What was found on one scope, from its e-values and mean score."""
    return ScopeResult(
        scope=scope,
        scope_size=1234,
        verdict=verdict,
        questions=400,
        complete=False,
        score=Estimate(mean, Interval(mean - 0.09, mean + 0.05), 400),
        unacceptable=Estimate(0.0, Interval(0.0, 0.009), 400),
        unacceptable_count=0,
        replies=ReplyCounts(unreadable=1),
        log_e_understands=math.log(understands),
        log_e_fails=math.log(fails),
        worst=(GradedAnswer("a1", "What is 1 + 1?", "3", "2", 0.0, False, Outcome.ANSWER),),
        digest="ab" * 32,
    )


def three_scopes(rule: str = "fdr") -> ManyScopes:
    """One of each verdict; thresholds as e-BH sets them for one verdict of each kind among three scopes."""
    scopes = (
        scope_result("mmlu-pro:some/where/q.jsonl#law", Verdict.PASS, 80, 0.01),
        scope_result("mmlu-pro:some/where/q.jsonl#maths", Verdict.FAIL, 0.001, 1e9, 0.4),
        scope_result("mmlu-pro:some/where/q.jsonl#health", Verdict.UNDECIDED, 15, 0.2),
    )
    return ManyScopes(
        candidate="bot:pupil",
        criterion=CRITERION,
        rule=rule,  # type: ignore[arg-type]
        scopes=scopes,
        thresholds=(math.log(60), math.log(60)),
        asked=1210,
        why_not="the budget for money is used up",
        spending=Usage(1000, 200, 0.5),
        signature=Signature("0.1.0", "certificates", "bot:pupil", "three", "cd" * 32, 7, {"delta": 0.05}),
    )


def hostile_scopes(text: str) -> ManyScopes:
    """Strangers' words wherever there can be any."""
    many_scopes = three_scopes()
    answer = GradedAnswer(text, text, text, text, 0.0, True, Outcome.UNREADABLE)
    scopes = tuple(replace(r, scope=f"file:{text}{i}", worst=(answer,)) for i, r in enumerate(many_scopes.scopes))
    return replace(many_scopes, candidate=text, scopes=scopes)
