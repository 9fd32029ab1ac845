"""Counts contradictions as unacceptable answers: a cluster's law is judged once all its questions have been answered.

If it is broken, every answer in it is unacceptable, even a right one: they cannot all be true, and the law does not say which
is wrong. So a cluster's share of unacceptable answers is a number in [0, 1] as before, clusters are drawn as before, and what
the examination says about the rate of unacceptable answers holds for answers that are unacceptable by themselves or contradict
others. An answer that could not be read, did not come, or says "I don't know" contradicts nothing; the law is then judged on
the others, as far as it says something about them.

Without a listed right answer, an answer that can be read scores 1 unless it contradicts another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vivavoce.errors import BadInput
from vivavoce.formats.numbers import as_number
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.scope import Grade
from vivavoce.scopes.answer_laws import answer_law, asked_for, probability
from vivavoce.scopes.questions import Question, Unit

_QUOTED = 160
"""Most characters of a question, or of an answer, in the sentence on a broken law."""


@dataclass(frozen=True, slots=True)
class BrokenLaws:
    """The number of clusters that broke their law, among those that could be judged."""

    count: int
    judged: int
    unjudged: int
    """Clusters with too few parsed answers."""
    without_truth: int = 0
    """Questions asked without a listed right answer."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of laws."""
        sentences = [
            "Answers that contradict each other by a law of the scope all count as unacceptable: the law does not say which "
            "one is wrong. An answer that breaks no law need not be right."
        ]
        if self.without_truth:
            questions = "question" if self.without_truth == 1 else "questions"
            sentences.append(
                f"{count(self.without_truth)} {questions} have no listed right answer. An answer scores 1 if it contradicts "
                "no other, true or not, so the verdict there is on consistency."
            )
        if self.unjudged:
            clusters = "cluster" if self.unjudged == 1 else "clusters"
            sentences.append(f"In {count(self.unjudged)} {clusters} too few answers could be read to judge the law.")
        return tuple(sentences)


class LawTally:
    """Judges finished units, and counts the results.

    >>> sums = (Question(t, f"What is {t}?", accepted=("17",), cluster="c", law="same") for t in ("14 + 3", "3 + 14"))
    >>> tally = LawTally()
    >>> grades, sentence = tally.judge(tuple(sums), [Grade(1.0, False, read_as="17"), Grade(0.0, False, read_as="16")])
    >>> [grade.unacceptable for grade in grades], tally.found
    ([True, True], BrokenLaws(count=1, judged=1, unjudged=0, without_truth=0))
    >>> sentence
    '“What is 14 + 3?” was answered 17, “What is 3 + 14?” 16: the answers must be the same.'
    """

    def __init__(self) -> None:
        self._broken = self._judged = self._unjudged = self._without_truth = 0

    @property
    def found(self) -> BrokenLaws | None:
        """None if no unit had a law."""
        any_law = self._judged or self._unjudged
        return BrokenLaws(self._broken, self._judged, self._unjudged, self._without_truth) if any_law else None

    def judge(self, unit: Unit, grades: Sequence[Grade]) -> tuple[list[Grade], str]:
        """The grades after applying the unit's law, and a sentence on how it was broken; empty if it was not."""
        if not unit[0].law:
            return list(grades), ""
        law = answer_law(unit[0].law, len(unit))
        self._without_truth += sum(question.judged_by_law for question in unit)
        texts = [_said(question, grade) for question, grade in zip(unit, grades, strict=True)]
        must = law.broken(texts)
        if must is None:
            self._unjudged += 1
            return list(grades), ""
        self._judged += 1
        # Right answers keep the law, even if they are worded differently, such as 3/4 and 0.75.
        right = all(q.accepted and g.score == 1 for q, g, text in zip(unit, grades, texts, strict=True) if text is not None)
        if not must or right:
            return list(grades), ""
        self._broken += 1
        judged = [g if text is None else _absurd(q, g) for q, g, text in zip(unit, grades, texts, strict=True)]
        return judged, _sentence(unit, texts, must)


def check_law(unit: Unit) -> None:
    """Refuse a law that is not of this unit: raises `BadInput`, which names the cluster and the remedy."""
    if not any(question.law for question in unit):
        return
    where = f"cluster '{unit[0].cluster[:80]}'" if unit[0].cluster else f"question '{unit[0].id[:80]}', without a cluster,"
    if len({question.law for question in unit}) > 1:
        raise BadInput(f"{where} has several laws, or questions without one: write the same on each")
    if len({question.category for question in unit}) > 1:
        raise BadInput(f"{where} has a law, but questions of several categories: give all the same")
    if any(question.rubric for question in unit):
        raise BadInput(f"{where} has a law, but others grade its answers: leave out 'rubric'")
    try:
        law = answer_law(unit[0].law, len(unit))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    asked = asked_for(unit[0].law)
    for question in unit:
        for right in question.options or question.accepted:
            if (asked == "number" and as_number(right) is None) or (asked == "probability" and probability(right) is None):
                raise BadInput(f"{where} has a law of {_KINDS[asked]}, but '{right[:40]}' is not one: correct either")
    if all(len(q.accepted) == 1 for q in unit) and law.broken([_as_text(q, q.accepted[0]) for q in unit]):
        raise BadInput(f"the right answers in {where} break their own law '{unit[0].law[:80]}': correct either")


_KINDS = {"number": "numbers", "probability": "probabilities from 0 to 1"}


def refuse_laws(scope: object, examination: str) -> None:
    """Refuse a scope with laws if answers are not judged by cluster: raises `BadInput`.

    examination: a plural that ends a sentence's first half, such as `graders`.
    """
    if getattr(scope, "has_laws", False):
        raise BadInput(f"this scope has laws over its questions, which {examination} do not support: leave out one of them")


def _said(question: Question, grade: Grade) -> str | None:
    """The content of an answer in the form that laws take."""
    if grade.outcome is not Outcome.ANSWER:
        return None
    form = question.form
    return form.named(grade.read_as) if isinstance(form, ShortText) else _as_text(question, grade.read_as)


def _as_text(question: Question, answer: str) -> str:
    """An answer in words, also if it is the letter of an option."""
    return question.options[question.letters.index(answer)] if question.options else answer


def _absurd(question: Question, grade: Grade) -> Grade:
    return replace(grade, unacceptable=True, score=0.0 if question.judged_by_law else grade.score)


def _sentence(unit: Unit, texts: Sequence[str | None], must: str) -> str:
    quoted = [(clipped(q.text, _QUOTED), clipped(t, _QUOTED)) for q, t in zip(unit, texts, strict=True) if t is not None]
    parts = [f"“{asked}” {'' if number else 'was answered '}{answer}" for number, (asked, answer) in enumerate(quoted)]
    return f"{', '.join(parts)}: {must}."
