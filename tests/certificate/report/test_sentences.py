"""Reasons and sentences of a certificate's report."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.render.conftest import scope_result, three_scopes
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.graders.trace import NOT_GRADABLE, GradedBy, grade_in_words, what_decides, why
from vivavoce.certificate.report.numbers import in_figures, rate_in_cell, score_in_cell, shown_of
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import at_least, at_most, off_limit
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import FAULTED, LOST, Grade
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Question

CRITERION = Criterion(0.7, 0.01)
YES, NO, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED
NOTHING = Estimate(None, Interval(0.0, 1.0), 0)
UNITS = st.floats(0.0, 1.0)
GRADES = st.floats(0.01, 0.99)


def of(verdict: Verdict, score: tuple[float, float, float], rate: tuple[float, float, float], **values: Any) -> ScopeResult:
    """A result with these means and two-sided intervals."""
    estimates = [Estimate(mean, Interval(lower, upper), 337) for mean, lower, upper in (score, rate)]
    return replace(scope_result("sums", verdict, 30, 1), score=estimates[0], unacceptable=estimates[1], **values)


def number(text: str) -> float:
    return float(text.removesuffix("%")) / 100


@given(UNITS, GRADES)
def test_a_bound_is_rounded_to_its_own_side_and_not_past_what_it_has_reached(bound: float, limit: float) -> None:
    upper, lower = min(bound, limit), max(bound, limit)
    assert limit - 1e-9 <= number(at_least(lower, limit)) <= lower + 1e-9
    assert upper - 1e-9 <= number(at_most(upper, limit)) <= limit + 1e-9


@given(UNITS, GRADES)
def test_a_measured_value_stands_on_its_side_of_the_requirement(value: float, limit: float) -> None:
    assume(abs(value - limit) > 1e-8)
    assume(1e-7 < value < 1 - 1e-7)
    assert (number(off_limit(value, limit)) < limit) == (value < limit)
    assert 0 < number(off_limit(value, limit)) < 1


@each_case(
    ("finding", "words"),
    [
        (
            of(YES, (0.89, 0.832, 0.95), (0.0, 0.0, 0.0108)),
            "89% correct (shown: at least 83%), 70% required; 0% unacceptable (shown: at most 1%), at most 1% allowed",
        ),
        # the two-sided interval reaches past the grade
        (of(YES, (0.75, 0.69, 0.81), (0.0, 0.0, 0.0004)), "75% correct (shown: at least 70%), 70% required; 0% unacceptable "
            "(shown: at most 0.04%), at most 1% allowed"),
        (of(NO, (0.65, 0.59, 0.705), (0.0, 0.0, 0.02)), "65% correct (shown: below 70%), 70% required"),
        (of(NO, (0.9, 0.8, 0.95), (0.05, 0.009, 0.1)), "5% unacceptable (shown: above 1%), at most 1% allowed"),
        # either may have decided
        (of(NO, (0.65, 0.6, 0.71), (0.02, 0.005, 0.1)), "65% correct, 70% required, or 2% unacceptable, at most 1% allowed"),
        (of(NO, (0.5, 0.4, 0.6), (0.02, 0.005, 0.1)), "50% correct (shown: below 60%), 70% required, or 2% unacceptable, at "
            "most 1% allowed"),
        (of(OPEN, (0.65, 0.5, 0.8), (0.0, 0.0, 0.1)), "65% correct, 70% required; 0% unacceptable, at most 1% allowed"),
        # all of a finite scope was asked
        (of(YES, (0.7, 0.7, 0.7), (0.0, 0.0, 0.0), complete=True), "70% correct, 70% required; 0% unacceptable, at most "
            "1% allowed"),
        (of(NO, (0.6996, 0.6996, 0.6996), (0.0, 0.0, 0.0), complete=True), "69.96% correct, 70% required"),
        (of(NO, (0.9, 0.9, 0.9), (0.0104, 0.0104, 0.0104), complete=True), "1.04% unacceptable, at most 1% allowed"),
        # what is known decides, and nothing was asked
        (replace(of(NO, (0.0, 0.0, 1.0), (0.0, 0.04, 0.05)), score=NOTHING, unacceptable=Estimate(None, Interval(0.04, 0.05), 0)
            ), "above 4% unacceptable, at most 1% allowed"),
        (replace(of(OPEN, (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), score=NOTHING, unacceptable=NOTHING), ""),
        # some replies could not be graded
        (of(OPEN, (0.6, 0.5, 0.9), (0.0, 0.0, 0.1), score_range=Interval(0.6, 0.8)), "between 60% and 80% correct, "
            "70% required; 0% unacceptable, at most 1% allowed"),
    ],
)  # fmt: skip
def test_what_was_measured_shown_and_required(finding: ScopeResult, words: str) -> None:
    assert in_figures(finding, CRITERION) == words


@given(st.tuples(UNITS, UNITS, UNITS).map(sorted), st.tuples(UNITS, UNITS, UNITS).map(sorted), GRADES, GRADES)
def test_a_pass_never_shows_less_than_is_required(score: list[float], rate: list[float], grade: float, limit: float) -> None:
    passed = of(YES, (score[1], score[0], score[2]), (rate[1], rate[0], rate[2]))
    criterion = Criterion(grade, limit)
    shown = shown_of(passed, criterion)
    assert shown.score is not None
    assert shown.rate is not None
    assert number(shown.score.words().removeprefix("at least ")) >= grade - 1e-9
    assert number(shown.rate.words().removeprefix("at most ")) <= limit + 1e-9
    assert "[" not in score_in_cell(passed, criterion).words + rate_in_cell(passed, criterion).words


def test_without_a_verdict_the_interval_stands_beside_the_value() -> None:
    undecided = of(OPEN, (0.65, 0.5, 0.8), (0.0, 0.0, 0.1))
    assert score_in_cell(undecided, CRITERION).words == "0.65 [0.50, 0.80]"
    assert rate_in_cell(undecided, CRITERION).words == "0% [0, 10]"


async def test_a_certificate_states_value_requirement_and_error_in_this_order() -> None:
    interview = Interview(open_candidate("bot:calculator?wrong=0.1"), answers=Reply)
    certificate = await certify(interview, open_scope("arithmetic"), CRITERION, seed=0)
    order = ["passes arithmetic", "% correct", "70% required", "0% unacceptable", "1% allowed", "wrong verdict at most 5%"]
    assert [certificate.statement.index(part) for part in order] == sorted(certificate.statement.index(part) for part in order)
    rows = {row["what"]: row for row in certificate.rows(1)}
    # 337 clean answers show at most 1%: .99^337 = 1/29.6, and half of the capital bets on none
    assert certificate.unacceptable.interval.upper > 0.01
    assert "(≤ 1%)" in str(certificate.report())
    assert rows["Interval of the rate"]["required"] == "two-sided"
    assert "; evidence that unacceptable answers are rare was enough by question " in certificate._repr_html_()


def test_several_scopes_and_their_criterion_are_told_from_the_least_to_the_most() -> None:
    assert re.search(
        r": 40% to 90% correct, 70% required; 0% unacceptable, at most 1% allowed; undecided", three_scopes().headline
    )
    assert "unacceptable" not in replace(three_scopes(), criterion=Criterion(0.7, None)).headline


TEXT = Question("text", "Capital of France?", accepted=("Paris",))
CHOICE = Question("choice", "Largest?", ("Rome", "Oslo"), ("A",))
NUMBER = Question("number", "2 + 2?", accepted=("4",))
WHOLLY_UNKNOWN = Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)


@st.composite
def grades(draw: st.DrawFn) -> Grade:
    """Of any outcome; a number or an interval, with a reason of its own or without one."""
    score, upper = draw(st.floats(0, 1)), draw(st.none() | st.floats(0, 1))
    reason = draw(st.sampled_from(["", "it denies an accepted answer"]))
    outcome = draw(st.sampled_from([entry for entry in Outcome if entry is not Outcome.NO_ANSWER]))
    return Grade(score, draw(st.booleans()), outcome, upper=None if upper is None else max(score, upper), why=reason)


@given(grades(), st.sampled_from([TEXT, CHOICE, NUMBER]), st.sampled_from(["rule", "judge"]))
def test_what_has_no_grade_has_something_that_would_decide_it(grade: Grade, question: Question, by: GradedBy) -> None:
    words, reason, ways = grade_in_words(grade, by), why(question, Reply("x"), grade, by), what_decides(question, grade, by)
    assert words
    assert reason
    assert not grade.why or reason == grade.why
    is_open = grade.upper_score > grade.score and not grade.outcome.unknowable
    assert bool(ways) == is_open
    assert (words == NOT_GRADABLE) == (is_open and by == "rule")
    if words.startswith(("right", "wrong")):
        assert grade.upper_score == grade.score == float(words.startswith("right"))


@each_case(
    ("question", "grade", "ways"),
    [
        (TEXT, WHOLLY_UNKNOWN, ("--judge MODEL", "?match=contains|exact|number|regex")),
        (NUMBER, WHOLLY_UNKNOWN, ("--judge MODEL", "a further accepted answer")),
        (CHOICE, WHOLLY_UNKNOWN, ("--judge MODEL", "--set reply-format")),
        (TEXT, Grade(0.0, False, Outcome.CUT_OFF, upper=1.0), ("?max_tokens=N", "--judge MODEL", "?match=")),
    ],
)
def test_what_would_decide_it_fits_the_question(question: Question, grade: Grade, ways: tuple[str, ...]) -> None:
    messages = what_decides(question, grade)
    assert all(remedy in name for remedy, name in zip(ways, messages, strict=True))


def test_the_service_is_named_and_not_graded() -> None:
    assert grade_in_words(FAULTED) == "none: the service failed"
    assert grade_in_words(LOST) == "none: asked, never answered"
    assert why(TEXT, NoAnswer("status 503: busy"), FAULTED) == "status 503: busy"
    assert what_decides(TEXT, FAULTED) == what_decides(TEXT, LOST) == ()
    assert grade_in_words(Grade(0.0, True)) == "wrong, and unacceptable"
    assert grade_in_words(Grade(0.5, False, upper=0.75), "judge") == "score 0.50 to 0.75"
