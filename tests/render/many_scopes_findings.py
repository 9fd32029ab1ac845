"""Findings on many scopes, made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

from vivavoce.certificate.claims.claim import Criterion, GradedAnswer, Verdict
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.report.caveats import ReplyCounts
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import Usage
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Signature

CRITERION = Criterion(0.7, 0.01, 0.05)


def result(scope: str, verdict: Verdict, understands: float, fails: float, mean: float = 0.9) -> ScopeResult:
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


def three(rule: str = "fdr") -> ManyScopes:
    """One of each verdict; thresholds as e-BH sets them for one verdict of each kind among three scopes."""
    scopes = (
        result("mmlu-pro:some/where/q.jsonl#law", Verdict.PASS, 80, 0.01),
        result("mmlu-pro:some/where/q.jsonl#maths", Verdict.FAIL, 0.001, 1e9, 0.4),
        result("mmlu-pro:some/where/q.jsonl#health", Verdict.UNDECIDED, 15, 0.2),
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


def hostile(text: str) -> ManyScopes:
    """Strangers' words wherever there can be any."""
    many_scopes = three()
    answer = GradedAnswer(text, text, text, text, 0.0, True, Outcome.UNREADABLE)
    scopes = tuple(replace(r, scope=f"file:{text}{i}", worst=(answer,)) for i, r in enumerate(many_scopes.scopes))
    return replace(many_scopes, candidate=text, scopes=scopes)
