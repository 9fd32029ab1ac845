"""Why a reply got its grade, and what would decide one that no rule can grade, in words for a person."""

from __future__ import annotations

from typing import Final, Literal

from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import COPY, Outcome
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question

GradedBy = Literal["rule", "judge", "people"]
"""Who gave a grade: the scope's own rule, a judge, or people."""
NOT_GRADABLE: Final = "not gradable by rule"
ASSUMED: Final = "wrong by assumption, which no verdict rests on"
_UNREAD: Final = {
    Outcome.UNREADABLE: "no answer could be read in it",
    Outcome.COPIED: f"it {COPY}",
    Outcome.CUT_OFF: "a limit ended it, so its last words may be missing",
    Outcome.FAULT: "the service failed",
}
_MATCHES: Final = ("contains", "exact", "number", "regex")


def is_gradable(grade: Grade) -> bool:
    """Whether the grade is one number.

    >>> is_gradable(Grade(0.5, False)), is_gradable(Grade(0.0, False, Outcome.UNREADABLE, upper=1.0))
    (True, False)
    """
    return grade.upper_score <= grade.score


def grade_in_words(grade: Grade, by: GradedBy = "rule") -> str:
    """The grade in a few words; a question that the service failed to answer has none.

    >>> [grade_in_words(Grade(score, False)) for score in (1.0, 0.5, 0.0)]
    ['right', 'score 0.50', 'wrong']
    >>> grade_in_words(Grade(0.0, False, Outcome.UNREADABLE, upper=1.0))
    'not gradable by rule'
    """
    if grade.outcome.unknowable:
        return "none: the service failed" if grade.outcome is Outcome.FAULT else f"none: {grade.outcome.value}"
    if grade.outcome is Outcome.NO_ANSWER:
        return "no answer, which counts 0"
    if grade.assumed:
        return ASSUMED
    if not is_gradable(grade):
        if by == "rule" or grade.upper_score - grade.score == 1:
            return NOT_GRADABLE if by == "rule" else "not judged"
        return f"score {grade.score:.2f} to {grade.upper_score:.2f}"
    words = "right" if grade.score == 1 else "wrong" if grade.score == 0 else f"score {grade.score:.2f}"
    return f"{words}, and ridiculous" if grade.ridiculous else words


def why(question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> str:
    """Why the reply got this grade, in a clause.

    >>> asked = Question("q", "Capital of France?", accepted=("Paris",))
    >>> why(asked, Reply("Lyon"), Grade(0.0, False, read_as="Lyon"))
    'it is not an accepted answer'
    """
    if isinstance(answer, NoAnswer):
        return answer.reason
    if grade.why:
        return grade.why
    if grade.outcome is not Outcome.FAULT and by != "rule":
        return _of_graders(grade, by)
    if grade.outcome is Outcome.DONT_KNOW:
        return "it says that it does not know"
    if grade.outcome is not Outcome.ANSWER:
        return _UNREAD.get(grade.outcome, grade.outcome.value)
    if not is_gradable(grade):
        return _UNREAD[Outcome.UNREADABLE]
    if question.judged_by_law:
        return "by itself it breaks no law" if grade.score else "it is listed as ridiculous"
    if 0 < grade.score < 1:
        return "it is listed with this score"
    return "it is an accepted answer" if grade.score else "it is not an accepted answer"


def _of_graders(grade: Grade, by: GradedBy) -> str:
    if by == "people":
        return "people graded it so"
    return "the judge graded it so" if is_gradable(grade) else "a judgement could not be read"


def what_decides(question: Question, grade: Grade, by: GradedBy = "rule") -> tuple[str, ...]:
    """What would give the reply a grade, each in a few words; nothing for one that has a grade, or where the service failed.

    >>> asked = Question("q", "Capital of France?", accepted=("Paris",), match="exact")
    >>> for way in what_decides(asked, Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)):
    ...     print(way)
    a judge ('--judge MODEL')
    in a question file, a further accepted answer, or '?match=contains|number|regex' behind its name
    """
    if is_gradable(grade) or grade.outcome.unknowable:
        return ()
    more = ("more room for replies ('?max_tokens=N' behind the model's name)",) if grade.outcome is Outcome.CUT_OFF else ()
    if by != "rule":
        return (*more, "another judge, or more judgements ('--judge-samples')") if by == "judge" else more
    judge = "a judge ('--judge MODEL')"
    if question.rule:
        return (*more, judge)
    if question.options:
        return (*more, judge, "another way to ask ('--reply-format')")
    others = "|".join(rule for rule in _MATCHES if rule != question.match)
    return (*more, judge, f"in a question file, a further accepted answer, or '?match={others}' behind its name")
