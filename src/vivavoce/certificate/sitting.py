"""One sitting of an examination: questions out, answers in, counted as they come."""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.certificate.caveats import Circumstances, caveats
from vivavoce.certificate.evidence import USUAL_LIMIT, SequentialTest, exact_verdict, fixed_verdict
from vivavoce.certificate.finding import Certificate, Criterion, Procedure, Verdict, brief
from vivavoce.certificate.keepsakes import EvidencePath, WorstAnswers
from vivavoce.certificate.outlook import still_needed
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.score import overlooked, unit_mean
from vivavoce.certificate.signed import signed
from vivavoce.certificate.strata import Strata, StratumTally
from vivavoce.certificate.stratified import StratifiedSequentialTest
from vivavoce.certificate.unit_laws import LawTally
from vivavoce.certificate.weighing import Weighing
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.finding import Estimate, Interval, Signature
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade, Scope
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, clopper_pearson_lower, clopper_pearson_upper, kl_lower, kl_upper
from vivavoce.statistics.mean import mean_bounds
from vivavoce.statistics.rate import rate_bounds

if TYPE_CHECKING:
    from vivavoce.certificate.graders.predicted import PredictedSequentialTest


class Sitting:
    """Takes the answers in drawn order and knows the verdict as soon as there is one.

    limit: the most questions (sequential), or their number (fixed); a unit that would exceed it is not begun.
    design: how questions are drawn if not as the scope draws them; for the sequential procedure alone.
    predicted: the test that also knows a judge's grades; without a design, and for i.i.d. draws.
    """

    def __init__(
        self,
        scope: Scope[Question],
        criterion: Criterion,
        procedure: Procedure,
        *,
        limit: int | None,
        design: Strata | Weighing | None = None,
        predicted: PredictedSequentialTest | None = None,
    ) -> None:
        self._scope = scope
        self._weighing = design if isinstance(design, Weighing) else None
        strata = design if isinstance(design, Strata) else None
        self._tally = None if strata is None else StratumTally(strata)
        self._stratified = None if strata is None else StratifiedSequentialTest(criterion, strata.masses, sizes=strata.sizes)
        self._population = (design or scope).population
        self._required = criterion if self._weighing is None else self._weighing.scaled(criterion)
        self._criterion = criterion
        self._procedure = procedure
        self._limit = limit
        self._verdict = Verdict.NO_CONCLUSION
        self._waiting: deque[Unit] = deque()
        self._grades: list[Grade] = []
        self._predicted = predicted
        self._test: SequentialTest | None = predicted
        self._scores, self._ridiculous = array("d"), array("d")
        self._questions = 0
        self._outcomes: Counter[Outcome] = Counter()
        self._ridiculous_count = 0
        self._overlooked = 0
        self._path = EvidencePath()
        self._worst = WorstAnswers()
        self._laws = LawTally()
        self._replies: list[Reply | NoAnswer] = []

    def prompts(self, units: Iterator[Unit]) -> Iterator[Prompt]:
        """What to ask, unit by unit, up to the limit."""
        drawn = 0
        for unit in units:
            drawn += len(unit)
            if self._limit is not None and drawn > self._limit:
                return
            self._waiting.append(unit)
            yield from map(self._scope.prompt, unit)

    def take(self, answer: Reply | NoAnswer) -> Verdict:
        """Grade the answer to the oldest question that waits for one; the verdict after it."""
        return self.take_grade(answer, self._scope.grade(self._waiting[0][len(self._grades)], answer))

    def take_grade(self, answer: Reply | NoAnswer, grade: Grade) -> Verdict:
        """Take an answer that somebody else graded, to the oldest question that waits for one; the verdict after it."""
        unit = self._waiting[0]
        question = unit[len(self._grades)]
        self._grades.append(grade)
        self._replies.append(answer)
        self._outcomes[grade.outcome] += 1
        self._ridiculous_count += grade.ridiculous
        self._overlooked += overlooked(question, answer, grade)
        if not question.law:  # else it may be worse than by itself
            self._worst.add(question, answer, grade)
        if len(self._grades) == len(unit):
            self._finish(self._waiting.popleft())
        return self._verdict

    def certificate(self, candidate: str, exhausted: str, spending: Usage, seed: int) -> Certificate:
        """The finding on the answers taken. `exhausted` names the limit of the budget that ended them, if one did."""
        scores, ridiculous = np.asarray(self._scores), np.asarray(self._ridiculous)
        if self._procedure == "fixed" and scores.size and not exhausted:
            self._verdict = self._one_look(scores, ridiculous)
        score, rate = self._intervals(scores, ridiculous)
        mean_score, mean_rate = self._estimates(scores, ridiculous)
        decided = self._verdict is not Verdict.NO_CONCLUSION
        return Certificate(
            verdict=self._verdict,
            candidate=candidate,
            scope=self._scope.name,
            scope_size=getattr(self._scope, "size", None),
            criterion=self._criterion,
            procedure=self._procedure,
            questions=self._questions,
            complete=self.complete,
            score=Estimate(mean_score, Interval(*score), scores.size),
            ridiculous=Estimate(mean_rate, Interval(*rate), scores.size),
            ridiculous_count=self._ridiculous_count,
            unreadable=self._outcomes[Outcome.UNREADABLE],
            no_answers=self._outcomes[Outcome.NO_ANSWER],
            overlooked=self._overlooked,
            dont_know=self._outcomes[Outcome.DONT_KNOW],
            path=self._path.points,
            pass_threshold=-float(np.log(self._criterion.delta)),
            fail_threshold=-float(np.log(self._criterion.delta)),
            worst=self._worst.answers,
            why_not="" if decided else self._why_not(exhausted),
            still_needed=None if decided else self._outlook(scores, ridiculous),
            spending=spending,
            caveats=self._caveats(decided, straddled=not self._shown_by(score, rate)),
            signature=self._signature(candidate, seed),
            strata=() if self._tally is None else self._tally.found,
            largest_weight=None if self._weighing is None else self._weighing.largest,
            broken_laws=self._laws.found,
        )

    @property
    def complete(self) -> bool:
        """Whether all of a finite scope has been asked."""
        return 0 < len(self._scores) == self._population

    def _signature(self, candidate: str, seed: int) -> Signature:
        design: dict[str, object] = {} if self._tally is None else {"strata": "category"}
        return signed(
            "certificate",
            candidate,
            scope=self._scope.name,
            digest=self._scope.digest,
            criterion=self._criterion,
            seed=seed,
            procedure=self._procedure,
            questions=self._limit,
            **(design if self._weighing is None else {"evenly": True}),
        )

    def _finish(self, unit: Unit) -> None:
        """Count a unit whose questions have all been answered."""
        grades, contradiction = self._laws.judge(unit, self._grades)
        if unit[0].law:
            self._ridiculous_count += sum(g.ridiculous for g in grades) - sum(g.ridiculous for g in self._grades)
            self._worst.add_unit(unit, self._replies, grades, contradiction)
        score, ridiculous = unit_mean(grades, [question.weight for question in unit])
        if self._weighing is not None:
            score, ridiculous = score * self._weighing.share(unit), ridiculous * self._weighing.share(unit)
        self._grades, self._replies = [], []
        self._questions += len(unit)
        self._scores.append(score)
        self._ridiculous.append(ridiculous)
        if self._procedure == "fixed":
            return
        if self._stratified is not None and self._tally is not None:
            self._verdict = self._stratified.update(score, ridiculous, self._tally.add(unit, grades))
            self._path.add(self._questions, self._stratified.log_evidence)
            return
        if self._test is None:
            # units that are drawn without replacement are all of one size, so that the first tells; weights make fractions
            whole = len(unit) == 1 and self._weighing is None
            self._test = SequentialTest(self._required, population=self._population, whole=whole)
        self._verdict = self._test.update(score, ridiculous)
        self._path.add(self._questions, self._test.log_evidence)

    def _one_look(self, scores: Floats, ridiculous: Floats) -> Verdict:
        score, rate = float(scores.mean()), float(ridiculous.mean())
        if scores.size == self._scope.population:
            return exact_verdict(score, rate, self._criterion)
        return fixed_verdict(score, rate, scores.size, self._criterion)

    def _estimates(self, scores: Floats, ridiculous: Floats) -> tuple[float | None, float | None]:
        """Mean score and ridiculous rate; None where nothing was asked."""
        if not scores.size:
            return None, None
        if self._stratified is not None:
            return self._stratified.estimates()
        if self._weighing is not None:
            largest = self._weighing.largest
            return min(1.0, float(scores.mean()) * largest), min(1.0, float(ridiculous.mean()) * largest)
        if self._predicted is not None:
            return self._predicted.estimate, float(ridiculous.mean())
        return float(scores.mean()), float(ridiculous.mean())

    def _intervals(self, scores: Floats, ridiculous: Floats) -> tuple[Bounds, Bounds]:
        """For the mean score and the ridiculous rate, each at level 1 - delta."""
        delta, population, n = self._criterion.delta, self._population, scores.size
        if n == 0:
            return Bounds(0.0, 1.0), Bounds(0.0, 1.0)
        if self._stratified is not None:
            return self._stratified.intervals()
        if self._weighing is not None:
            return self._weighing.bounds(scores, delta), self._weighing.bounds(ridiculous, delta)
        if self._procedure == "fixed":
            mean, events = float(scores.mean()), round(float(ridiculous.sum()))
            by_chernoff = Bounds(kl_lower(mean, n, delta / 2), kl_upper(mean, n, delta / 2))
            if self._questions > n:  # a cluster's share of ridiculous answers is no count
                rate = float(ridiculous.mean())
                return by_chernoff, Bounds(kl_lower(rate, n, delta / 2), kl_upper(rate, n, delta / 2))
            return by_chernoff, Bounds(clopper_pearson_lower(events, n, delta / 2), clopper_pearson_upper(events, n, delta / 2))
        given = self._predicted
        score = mean_bounds(scores, delta, population=population) if given is None else given.score_bounds(delta)
        if population is not None and self._questions > n:
            return score, mean_bounds(ridiculous, delta, population=population)
        limit = self._criterion.ridiculous_limit or USUAL_LIMIT
        return score, rate_bounds(float(ridiculous.sum()), n, delta, limit=limit, population=population)

    def _why_not(self, exhausted: str) -> str:
        if not self._questions:
            return "nothing was asked"
        if exhausted:
            return f"the budget for {exhausted} is used up"
        if self._weighing is not None and self._limit is not None:
            clean = self._weighing.fewest_clean(self._criterion)
            if clean is not None and clean > self._limit:
                return f"with these weights not even {clean - 1} clean answers show that ridiculous ones are rare enough"
        if self._procedure == "fixed":
            return "the bounds after the fixed number of questions allow either verdict"
        allowed = f"{self._questions} questions" if self._questions > 1 else "one question"
        return f"the evidence is not sufficient within the {allowed} allowed"

    def _outlook(self, scores: Floats, ridiculous: Floats) -> int | None:
        if self._procedure == "fixed":
            return None  # which looks once: there is no more to come
        units = still_needed(scores, ridiculous, self._required, population=self._population)
        return None if units is None else round(units * self._questions / scores.size)

    def _shown_by(self, score: Bounds, rate: Bounds) -> bool:
        """Whether the intervals by themselves show the verdict."""
        grade, limit = self._criterion.passing_grade, self._criterion.ridiculous_limit
        if self._verdict is Verdict.UNDERSTANDS:
            return score.lower >= grade and (limit is None or rate.upper <= limit)
        return score.upper < grade or (limit is not None and rate.lower > limit)

    def _caveats(self, decided: bool, *, straddled: bool) -> tuple[str, ...]:
        laws, weighing = self._laws.found, self._weighing
        return (() if laws is None else laws.caveats) + caveats(
            Circumstances(
                scope_name=brief(self._scope.name),
                population=self._population,
                clustered=self._questions > len(self._scores),
                ridiculous_limit=self._criterion.ridiculous_limit,
                exact=self.complete,
                unreadable=self._outcomes[Outcome.UNREADABLE],
                no_answers=self._outcomes[Outcome.NO_ANSWER],
                overlooked=self._overlooked,
                decided=decided,
                straddled=straddled and not self.complete,
                strata_unasked=0 if self._tally is None else sum(not stratum.questions for stratum in self._tally.found),
                largest_weight=None if weighing is None or weighing.alike else weighing.largest,
            )
        )
