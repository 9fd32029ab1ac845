"""The run of a system: what procedures cover they answer, the candidate answers the rest."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from vivavoce.certificate.evidence import Taken, exact_verdict
from vivavoce.certificate.explanations.draws import Drawn, Ruled
from vivavoce.certificate.explanations.known import Enumerated
from vivavoce.certificate.explanations.paper import Part, explained_verdict, uncovered
from vivavoce.certificate.finding import Criterion, Procedure, Verdict
from vivavoce.certificate.questions import Question
from vivavoce.certificate.run import Run
from vivavoce.certificate.score import UnitMean, Unreadable, as_wrong
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.scope import Grade, Scope
from vivavoce.statistics.bounds import Bounds


class SystemRun(Run):
    """Takes units with the answers that are known, and the candidate's answers to the other questions, in drawn order.

    Parameters
    ----------
    delta: the share of the error of this process.
    procedures: how many of the procedures belong to the system.
    known: of a finite scope, what is known beforehand.
    parts: for Procedure 5.1, what is taken as known of the procedures.
    """

    def __init__(
        self,
        scope: Scope[Question],
        criterion: Criterion,
        procedure: Procedure,
        *,
        delta: float,
        procedures: int,
        known: Enumerated | None = None,
        parts: Sequence[Part] = (),
        unreadable: Unreadable = "interval",
    ) -> None:
        super().__init__(scope, replace(criterion, delta=delta), procedure, limit=None, unreadable=unreadable)
        self.procedures = procedures
        self.answered = 0
        """Questions that the candidate answered."""
        self.answered_by: Counter[int] = Counter()
        """By the number of the procedure, from 0, the questions that it answered."""
        self._ready: deque[tuple[Ruled | None, ...]] = deque()
        self._parts = parts if procedure == "fixed" else ()  # else what procedures answer is among the answers taken
        self.standing = len(parts) if procedure == "fixed" else procedures
        """How many procedures the verdict is about."""
        self.known = known
        if known is not None and known.left:
            self._required, self._population = known.criterion(criterion, delta), known.population
            self._test, self._verdict = known.test(criterion, delta), known.certain(criterion)
        elif known is not None:
            self._verdict = exact_verdict(known.score_of_all(0.0), known.rate_of_all(0.0), criterion)

    @property
    def verdict(self) -> Verdict:
        """As far as it has come."""
        return self._verdict

    @property
    def complete(self) -> bool:
        """Whether all that no procedure answers has been asked, if anything had to be."""
        return super().complete or (self.known is not None and not self.known.left)

    @property
    def fixed(self) -> bool:
        """Whether it is Procedure 5.1, which looks once."""
        return self._procedure == "fixed"

    def put(self, drawn: Drawn) -> None:
        """A further unit; what is known of it is taken as soon as all before it has been answered."""
        known = drawn.known(self.procedures)
        if self.known is not None and None not in known:
            return  # it is counted already, and no draw of what is left
        self._waiting.append(drawn.unit)
        self._ready.append(known)
        self._settle()

    def take(self, answer: Reply | NoAnswer) -> Verdict:
        """The candidate's answer to the oldest question that waits for one, and what is known after it."""
        if not self.over:
            self.answered += 1
            self._advance(answer, self._graded(answer))
            self._settle()
        return self._verdict

    def _settle(self) -> None:
        while not self.over and self._waiting and (known := self._ready[0][len(self._grades)]) is not None:
            self.answered_by[known.owner] += 1
            # code that returns nothing that can be read has failed: there is nobody who might have meant something
            self._advance(known.reply, as_wrong(self._graded(known.reply)))

    def _advance(self, answer: Reply | NoAnswer, grade: Grade) -> None:
        units = len(self._waiting)
        self.take_grade(answer, grade)
        if len(self._waiting) < units:
            self._ready.popleft()

    @property
    def _can_look(self) -> bool:
        """An answer is needed only where procedures leave some question open."""
        return super()._can_look or (self.fixed and not uncovered(self._parts))

    def _one_look(self, units: Taken) -> Verdict:
        if not units.score.size:
            return explained_verdict(self._parts, 0.0, 0.0, 0, self._criterion)
        score, rate, upper, maybe = (float(values.mean()) for values in units)
        return explained_verdict(self._parts, score, rate, units.score.size, self._criterion, upper=upper, maybe=maybe)

    def _estimates(self, units: Taken) -> UnitMean | None:
        found, known = super()._estimates(units), self.known
        if self._parts and (found is not None or not uncovered(self._parts)):
            return self._with_all_parts(found or UnitMean(0.0, 0.0, 0.0, 0.0))
        if known is None:
            return found
        if found is None:
            return None if known.left else self._whole(UnitMean(0.0, 0.0, 0.0, 0.0), known)
        return self._whole(found, known)

    def _whole(self, rest: UnitMean, known: Enumerated) -> UnitMean:
        return UnitMean(
            known.score_of_all(rest.score),
            known.rate_of_all(rest.ridiculous),
            known.score_of_all(rest.upper),
            known.rate_of_all(rest.maybe),
        )

    def _with_all_parts(self, rest: UnitMean) -> UnitMean:
        return UnitMean(
            self._with_parts("score", rest.score),
            self._with_parts("ridiculous", rest.ridiculous),
            self._with_parts("score", rest.upper),
            self._with_parts("ridiculous", rest.maybe),
        )

    def _intervals(self, units: Taken) -> tuple[Bounds, Bounds]:
        score, rate = super()._intervals(units)
        known = self.known
        if self._parts:
            return (
                Bounds(*(self._with_parts("score", end) for end in score)),
                Bounds(*(self._with_parts("ridiculous", end) for end in rate)),
            )
        if known is None:
            return score, rate
        return Bounds(*map(known.score_of_all, score)), Bounds(*map(known.rate_of_all, rate))

    def _with_parts(self, what: Literal["score", "ridiculous"], rest: float) -> float:
        """For the whole, from the mean over what no part covers."""
        parts = sum(part.mass * (part.score if what == "score" else part.ridiculous) for part in self._parts)
        return min(1.0, parts + rest * uncovered(self._parts))

    def _why_not(self, exhausted: str, mean: UnitMean | None) -> str:
        if exhausted or self._procedure == "fixed" or not self._questions or self._left_open(mean):
            return super()._why_not(exhausted, mean)
        return f"the evidence is not sufficient within the {self.answered} questions to the candidate that were allowed"
