"""Scores answers by the rule of a scope, and computes the mean grade of a unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import fsum
from typing import Final, NamedTuple

from vivavoce.errors import BadInput
from vivavoce.formats.numbers import as_number, is_rounded, same_number
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.asked_unit import ANOTHER_UNIT
from vivavoce.interview.forms.assertion import holds
from vivavoce.interview.forms.ending import DONT_KNOW, ends_in_form
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.number_context import has_direction, is_approximate
from vivavoce.interview.forms.plain import fold, plain
from vivavoce.interview.forms.same_amount import may_be_same_amount
from vivavoce.interview.forms.second_look import why_doubtful
from vivavoce.interview.forms.text import fits
from vivavoce.interview.reading import CUT_OFF, EMPTY, heard, read
from vivavoce.interview.scope import LOST, Grade
from vivavoce.scopes.free_text import says_that_nothing_is_stated, why_wrong
from vivavoce.scopes.questions import Question, prompt
from vivavoce.scopes.rules import rule_of

SCORING = "prompts 2, reading 4, scoring 4"
"""Part of every scope's digest; it changes whenever prompts are worded, replies are parsed, or answers are scored
differently.
"""
OPEN: Final = "it states no accepted answer plainly, and may still be right"
ROUNDED: Final = "it is an accepted number with more or fewer digits: list it as accepted if it is right"
OTHER_SIGN: Final = "it is an accepted number with the other sign, and its words may mean that one: list it if it is right"
TOO_MUCH: Final = "its JSON takes too many steps to check against the schema"


def grade(
    question: Question, answer: Reply | NoAnswer, *, zero_is_unacceptable: bool = False, examples: Sequence[Question] = ()
) -> Grade:
    """Score one answer: 1 if it is accepted, or what the question's scores say; its own score for "I don't know"; else 0.

    With a law and no listed right answer, it is 1 as far as this answer alone shows (see `unit_laws`).

    An answer is unacceptable if the question lists it, or if it is outside the question's bounds. With `zero_is_unacceptable`
    every score of exactly 0 is, including missing answers: Definition 3.1 of `leytonbrown2024` taken literally.

    An unparsed reply may be worth anything, so its grade is the interval [0, 1]. It said nothing unacceptable; with
    `zero_is_unacceptable` it may have.

    >>> q = Question("sum", "What is 2 + 2?", accepted=("4",), plausible=(0, 400))
    >>> [(earned.score, earned.unacceptable) for earned in (grade(q, Reply(f"Answer: {n}")) for n in ("4", "5", "5000"))]
    [(1.0, False), (0.0, False), (0.0, True)]
    >>> unread = grade(q, Reply("Well."))
    >>> unread.score, unread.upper
    (0.0, 1.0)
    """
    check_rule(question)
    if isinstance(answer, NoAnswer) and answer.orphan:
        return LOST
    if question.rule:
        return _by_rule(question, answer, zero_is_unacceptable=zero_is_unacceptable)
    reading = read(prompt(question, examples), answer)
    if reading.outcome.unread:
        return Grade(0.0, False, reading.outcome, upper=1.0, maybe_unacceptable=zero_is_unacceptable, why=reading.problem)
    score, unacceptable, read_as = 0.0, False, ""
    words = heard(answer)[0]
    if reading.value is not None and not question.decided_by_form:
        return _free(reading, question, words, zero_is_unacceptable=zero_is_unacceptable)
    if reading.value is not None:
        read_as = reading.value
        absurd = _among(read_as, question.unacceptable, question) or _implausible(read_as, question)
        score = float(not absurd) if question.judged_by_law else _earned(read_as, question)
        unacceptable = score == 0 and absurd
        doubt = "" if absurd else _doubt(read_as, question, words) if score == 0 else _second_look(question, words)
        if doubt:
            maybe = zero_is_unacceptable
            return Grade(0.0, False, Outcome.UNREADABLE, read_as, upper=1.0, maybe_unacceptable=maybe, why=doubt)
    elif reading.outcome is Outcome.DONT_KNOW:
        score, read_as = _ignorance_score(question), DONT_KNOW
        unacceptable = fold(read_as) in map(fold, question.unacceptable)
    unacceptable = unacceptable or (zero_is_unacceptable and score == 0)
    return Grade(score, unacceptable, reading.outcome, read_as, after_turn=reading.after_turn)


def _free(reading: ParsedReply[str], question: Question, words: str, *, zero_is_unacceptable: bool) -> Grade:
    """The grade of a free text: by the listed answers; else wrong if it is closed (`free_text`); else anything in [0, 1]."""
    text = reading.value or ""
    turned = reading.after_turn
    listed = [*question.accepted, *question.unacceptable, *(other for other, _ in question.scores), *question.closed]
    if fold(text) in map(fold, listed):
        score, absurd = _earned(text, question), _among(text, question.unacceptable, question)
        if score > 0 and (doubt := _second_look(question, words)):
            maybe = zero_is_unacceptable
            return Grade(0.0, False, Outcome.UNREADABLE, "", upper=1.0, maybe_unacceptable=maybe, after_turn=turned, why=doubt)
        unacceptable = score == 0 and (absurd or zero_is_unacceptable)
        return Grade(
            score, unacceptable, reading.outcome, text, after_turn=turned, why="" if score else "a listed wrong answer"
        )
    if question.unanswerable and says_that_nothing_is_stated(text):
        return Grade(_ignorance_score(question), False, Outcome.DONT_KNOW, DONT_KNOW, after_turn=turned)
    in_form = turned or ends_in_form(words)
    roughly = "about " if any(map(str.isdigit, text)) and is_approximate(words) and not is_approximate(text) else ""
    wrong = why_wrong(roughly + text, question.accepted, in_form=in_form, question=question.text)
    if wrong is not None and not wrong.assumed:
        return Grade(0.0, zero_is_unacceptable, reading.outcome, text, after_turn=turned, why=wrong.why)
    outcome, why, read_as = (Outcome.UNREADABLE, OPEN, "") if wrong is None else (reading.outcome, wrong.why, text)
    return Grade(
        0.0,
        False,
        outcome,
        read_as,
        upper=1.0,
        maybe_unacceptable=zero_is_unacceptable,
        after_turn=turned and wrong is not None,
        assumed=wrong is not None,
        why=why,
    )


def _by_rule(question: Question, answer: Reply | NoAnswer, *, zero_is_unacceptable: bool) -> Grade:
    """The grade of the whole reply; one that was cut off or filtered may be worth anything, and an empty one counts as a
    reply."""
    if isinstance(answer, NoAnswer):
        return Grade(0.0, zero_is_unacceptable, Outcome.NO_ANSWER)
    words, problem = heard(answer)
    if problem and problem != EMPTY:
        outcome = Outcome.CUT_OFF if problem == CUT_OFF else Outcome.UNREADABLE
        return Grade(0.0, False, outcome, upper=1.0, maybe_unacceptable=zero_is_unacceptable)
    judged = rule_of(question.rule).judged(words)
    if judged.is_undecided:
        maybe = zero_is_unacceptable
        return Grade(judged.score, False, Outcome.UNREADABLE, upper=1.0, maybe_unacceptable=maybe, why=TOO_MUCH)
    return Grade(judged.score, zero_is_unacceptable and judged.score == 0, Outcome.ANSWER, judged.read_as)


def check_rule(question: Question) -> None:
    """Refuse a question that no rule can score."""
    if question.open_ended:
        raise BadInput(f"question '{question.id[:80]}' has no answer but a rubric: let a judge or people grade")


def overlooked(question: Question, answer: Reply | NoAnswer, grade: Grade) -> bool:
    """Whether an answer that scored 0 contains an accepted one, so that the parsing may be wrong.

    For free texts only: letters and numbers appear in any working.

    >>> q = Question("gas", "Which gas do we breathe out?", accepted=("carbon dioxide",), match="exact")
    >>> reply = Reply("Carbon dioxide and water.")
    >>> overlooked(q, reply, grade(q, reply))
    True
    """
    if (
        grade.upper_score > 0
        or isinstance(answer, NoAnswer)
        or question.options
        or question.numeric
        or question.match == "regex"
    ):
        return False
    words = heard(answer, whole=True)[0]
    return _just_missed(question, grade, words) if question.rule else holds(words, question.accepted)


def _just_missed(question: Question, grade: Grade, words: str) -> bool:
    """Whether a reply contains a target of its rule, or the same number with other signs around it."""
    targets = rule_of(question.rule).targets
    if any(same_number(grade.read_as.strip(" .,:;$*"), target) for target in targets):
        return True
    return holds(words, [target for target in targets if as_number(target) is None])


def as_wrong(grade: Grade) -> Grade:
    """The grade if unparsed replies score 0; orphans and faults keep theirs.

    >>> as_wrong(Grade(0.0, False, Outcome.UNREADABLE, upper=1.0, maybe_unacceptable=True))
    Grade(score=0.0, unacceptable=True, outcome=<Outcome.UNREADABLE: 'unreadable'>, ..., upper=None, ...)
    """
    if grade.outcome.unknowable:
        return grade  # no reply came that could have been unreadable
    unacceptable = grade.unacceptable or grade.maybe_unacceptable
    return replace(grade, unacceptable=unacceptable, upper=None, maybe_unacceptable=False, assumed=False)


def as_zero(grade: Grade, *, unacceptable: bool) -> Grade:
    """The grade if the answer counted 0, and was unacceptable if every score of 0 is.

    >>> as_zero(Grade(1.0, False), unacceptable=True).unacceptable
    True
    """
    return replace(grade, score=0.0, upper=None, unacceptable=grade.unacceptable or unacceptable, maybe_unacceptable=False)


class UnitMean(NamedTuple):
    """A unit's lowest and highest possible score, which differ if a reply is unparsed."""

    score: float
    unacceptable: float
    upper: float
    """The highest possible score."""
    maybe: float
    """The highest possible share of unacceptable answers."""


def unit_mean(grades: Sequence[Grade], weights: Sequence[float]) -> UnitMean:
    """Mean score and share of unacceptable answers of a unit, each answer by its question's weight; the means of their ends.

    Raises `ValueError` if there are no grades, or not as many weights.

    >>> unit_mean([Grade(1.0, False), Grade(0.0, True)], [3, 1])
    UnitMean(score=0.75, unacceptable=0.25, upper=0.75, maybe=0.25)
    """
    if not grades:
        raise ValueError("a unit has at least one question")
    pairs = list(zip(grades, weights, strict=True))
    total = fsum(weights)
    return UnitMean(
        fsum(w * g.score for g, w in pairs) / total,
        fsum(w * g.unacceptable for g, w in pairs) / total,
        fsum(w * g.upper_score for g, w in pairs) / total,
        fsum(w * (g.unacceptable or g.maybe_unacceptable) for g, w in pairs) / total,
    )


def _among(answer: str, answers: Sequence[str], question: Question) -> bool:
    """Whether an answer is one of the listed ones: as a letter, as a number, or as a text."""
    if question.options:
        return answer in answers
    if question.match == "regex":
        return any(fits(pattern, answer) for pattern in answers)
    if question.numeric:
        return answer in answers or any(same_number(answer, other) for other in answers)
    same = fold(answer) in {spelling for other in answers for spelling in (fold(other), fold(plain(other)))}
    return same or (question.match == "any" and any(same_number(answer, other) for other in answers))


def _earned(answer: str, question: Question) -> float:
    """The score of an answer: the highest of the listed scores that it meets, else 1 if it is accepted."""
    listed = [score for other, score in question.scores if _among(answer, (other,), question)]
    return max(listed) if listed else float(_among(answer, question.accepted, question) or _near(answer, question))


def _ignorance_score(question: Question) -> float:
    return 1.0 if question.unanswerable else question.dont_know_score


def _near(answer: str, question: Question) -> bool:
    """Whether a number is as near to the exact value as the question allows."""
    number = as_number(answer) if question.tolerance else None
    return number is not None and abs(Fraction(number) - Fraction(question.exact)) <= Fraction(question.tolerance)


def _doubt(answer: str, question: Question, words: str) -> str:
    """Why a number may be an accepted one in other digits or with the other sign; empty if it is not, or if the question says
    how exact it must be."""
    if question.tolerance or question.plausible is not None or not question.numeric:
        return ""
    roughly = is_approximate(words)
    if any(is_rounded(answer, accepted, roughly=roughly) or same_number(accepted, answer) for accepted in question.accepted):
        return ROUNDED
    other = answer.removeprefix("-") if answer.startswith("-") else f"-{answer}"
    is_turned = any(same_number(other, accepted) for accepted in question.accepted)
    if is_turned and has_direction(words, question.text):
        return OTHER_SIGN
    is_same = any(may_be_same_amount(words, accepted, question.text, value=answer) for accepted in question.accepted)
    return ANOTHER_UNIT if is_same else ""


def _second_look(question: Question, words: str) -> str:
    """Why a reply that states an accepted answer may not give it; empty if it does, or if a rule of the question decides."""
    by_rule = question.match or question.tolerance or question.plausible is not None or question.judged_by_law
    if by_rule or question.options:
        return ""
    last = words.rsplit("\n", 1)[-1] if "\n" in words and ends_in_form(words) else words
    return why_doubtful(last, question.accepted, question.text, numeric=question.numeric)


def _implausible(answer: str, question: Question) -> bool:
    if question.plausible is None or not question.numeric:
        return False
    value = as_number(answer)
    return value is not None and not question.plausible[0] <= value <= question.plausible[1]
