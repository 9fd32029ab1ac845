"""Every grade has a word and a reason; what no rule can grade, and nothing else, has something that would decide it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.graders.trace import NOT_GRADABLE, GradedBy, grade_in_words, what_decides, why
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import FAULTED, LOST, Grade
from vivavoce.scopes.questions import Question

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


@pytest.mark.parametrize(
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
