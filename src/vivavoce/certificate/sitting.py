"""One sitting of an examination: questions out, answers in, counted as they come."""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.certificate.caveats import Circumstances, caveats, ignored_caveats
from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.evidence import SHARPEST, AnytimeVerdict, SequentialTest, Taken, exact_verdict, fixed_verdict
from vivavoce.certificate.finding import Certificate, Criterion, Procedure, Verdict, range_of
from vivavoce.certificate.keepsakes import EvidencePath, UnreadReplies, WorstAnswers
from vivavoce.certificate.order import ScoreOrder, score_order
from vivavoce.certificate.outlook import still_needed
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.score import UnitMean, Unreadable, as_wrong, overlooked, unit_mean
from vivavoce.certificate.signed import signed
from vivavoce.certificate.strata import Strata, StratumTally
from vivavoce.certificate.stratified import StratifiedSequentialTest
from vivavoce.certificate.unit_laws import LawTally
from vivavoce.certificate.unread import Unread
from vivavoce.certificate.weighing import Weighing
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.finding import Signature
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, clopper_pearson_lower, clopper_pearson_upper, kl_lower, kl_upper
from vivavoce.statistics.mean import mean_bounds
from vivavoce.statistics.rate import rate_bounds

if TYPE_CHECKING:
    from vivavoce.certificate.graders.predicted import PredictedSequentialTest


class Sitting:
    """Takes the answers in drawn order and knows the verdict as soon as there is one, or that there will be none.

    limit: the most questions (sequential), or their number (fixed); a unit that would exceed it is not begun.
    design: how questions are drawn if not as the scope draws them; for the sequential procedure alone.
    predicted: the test that also knows a judge's grades; without a design, and for i.i.d. draws.
    unreadable: what a reply is worth that cannot be read: anything (see `evidence`), or nothing.
    endurance: what is asked of a candidate that may tire.
    judged: whether a judge's words are what cannot be read.
    ruled: whether the scope's own rule grades some of the questions all the same.
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
        unreadable: Unreadable = "interval",
        judged: bool = False,
        ruled: bool = False,
        endurance: Endurance = Endurance(),  # noqa: B008 -- frozen
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
        self._over = False
        self._ends = tuple(array("d") for _ in UnitMean._fields)
        self._questions = 0
        self._outcomes: Counter[Outcome] = Counter()
        self._turned_away = 0
        self._ridiculous_count = 0
        self._overlooked = 0
        self._after_turn = 0
        self._path = EvidencePath()
        self._worst = WorstAnswers()
        self._kept_unread = UnreadReplies()
        self._unreadable = unreadable
        self._judged, self._ruled = judged, ruled
        self._endurance = endurance
        self._at_least = endurance.at_least or 0
        self._in_order = array("d"), array("i")
        self._laws = LawTally()
        self._replies: list[Reply | NoAnswer] = []
        self._taken: list[tuple[Unit, Sequence[Grade]]] = []

    def prompts(self, units: Iterator[Unit]) -> Iterator[Prompt]:
        """What to ask, unit by unit, up to the limit."""
        drawn = 0
        for unit in units:
            drawn += len(unit)
            if self._limit is not None and drawn > self._limit:
                return
            self.expect(unit)
            yield from map(self._scope.prompt, unit)

    def expect(self, unit: Unit) -> None:
        """The unit to which the answers belong that are taken next, after those expected before."""
        self._waiting.append(unit)

    @property
    def over(self) -> bool:
        """Whether further answers change nothing: there is a verdict, or what cannot be read stands in the way of any."""
        return self._over or self._verdict is not Verdict.NO_CONCLUSION

    def take(self, answer: Reply | NoAnswer) -> Verdict:
        """Grade the answer to the oldest question that waits for one; the verdict after it."""
        return self.take_grade(answer, self._graded(answer))

    def _graded(self, answer: Reply | NoAnswer) -> Grade:
        """By the scope's rule, unless nobody can know what it is worth."""
        return unknowable(answer) or self._scope.grade(self._waiting[0][len(self._grades)], answer)

    def take_grade(self, answer: Reply | NoAnswer, grade: Grade) -> Verdict:
        """Take an answer that somebody else graded, to the oldest question that waits for one; the verdict after it."""
        grade = grade if self._unreadable == "interval" else as_wrong(grade)
        unit = self._waiting[0]
        question = unit[len(self._grades)]
        self._grades.append(grade)
        self._replies.append(answer)
        self._outcomes[grade.outcome] += 1
        self._turned_away += answer.met == "turned away"
        self._ridiculous_count += grade.ridiculous
        self._overlooked += overlooked(question, answer, grade)
        self._after_turn += grade.after_turn
        self._kept_unread.add(question, answer, grade)
        if not question.law:  # else it may be worse than by itself
            self._worst.add(question, answer, grade)
        if len(self._grades) == len(unit):
            self._finish(self._waiting.popleft())
        return self._verdict

    @property
    def taken(self) -> Sequence[tuple[Unit, Sequence[Grade]]]:
        """The units in drawn order with the grades that counted, judged by their laws; the last may lack some of its grades."""
        return (*self._taken, (self._waiting[0], tuple(self._grades))) if self._grades else self._taken

    def certificate(self, candidate: str, exhausted: str, spending: Usage, seed: int) -> Certificate:
        """The finding on the answers taken. `exhausted` names the limit of the budget that ended them, if one did."""
        units = Taken(*map(np.asarray, self._ends))
        if self._procedure == "fixed" and self._can_look and not exhausted:
            self._verdict = self._one_look(units)
        score, rate = self._intervals(units)
        mean = self._estimates(units)
        order = self._order()
        decided, unread = self._verdict is not Verdict.NO_CONCLUSION, self._unread
        unexamined = not decided and not exhausted and self._left_open(mean)
        return Certificate(
            verdict=self._verdict,
            candidate=candidate,
            scope=self._scope.name,
            scope_size=getattr(self._scope, "size", None),
            criterion=self._criterion,
            procedure=self._procedure,
            questions=self._questions,
            complete=self.complete,
            score=Estimate(None if mean is None else mean.score, Interval(*score), units.score.size),
            ridiculous=Estimate(None if mean is None else mean.ridiculous, Interval(*rate), units.score.size),
            ridiculous_count=self._ridiculous_count,
            unreadable=unread.unreadable,
            copied=unread.copied,
            cut_off=unread.cut_off,
            after_turn=self._after_turn,
            no_answers=self._outcomes[Outcome.NO_ANSWER],
            orphans=self._outcomes[Outcome.ORPHAN],
            faults=self._outcomes[Outcome.FAULT],
            turned_away=self._turned_away,
            overlooked=self._overlooked,
            dont_know=self._outcomes[Outcome.DONT_KNOW],
            path=self._path.points,
            pass_threshold=-float(np.log(self._criterion.delta)),
            fail_threshold=-float(np.log(self._criterion.delta)),
            worst=self._worst.answers,
            why_not="" if decided else self._why_not(exhausted, mean),
            still_needed=None if decided else self._outlook(units),
            spending=spending,
            caveats=self._caveats(
                decided, straddled=not self._shown_by(score, rate), changed=order is not None and order.changed
            ),
            signature=self._signature(candidate, seed),
            strata=() if self._tally is None else self._tally.found,
            largest_weight=None if self._weighing is None else self._weighing.largest,
            broken_laws=self._laws.found,
            score_range=None if mean is None else range_of(mean.score, mean.upper),
            ridiculous_range=None if mean is None else range_of(mean.ridiculous, mean.maybe),
            unread=self._kept_unread.replies,
            remedies=unread.remedies if unexamined else (),
            unexamined=unexamined,
            order=order,
        )

    @property
    def complete(self) -> bool:
        """Whether all of a finite scope has been asked."""
        return 0 < len(self._ends[0]) == self._population

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
            unreadable=self._unreadable,
            **self._endurance.settings,
            **(design if self._weighing is None else {"evenly": True}),
        )

    def _finish(self, unit: Unit) -> None:
        """Count a unit whose questions have all been answered."""
        grades, contradiction = self._laws.judge(unit, self._grades)
        if unit[0].law:
            self._ridiculous_count += sum(g.ridiculous for g in grades) - sum(g.ridiculous for g in self._grades)
            self._worst.add_unit(unit, self._replies, grades, contradiction)
        self._taken.append((unit, grades))
        mean = unit_mean(grades, [question.weight for question in unit])
        scores, strata = self._in_order
        scores.append(mean.score)
        if self._weighing is not None:
            share = self._weighing.share(unit)
            mean = UnitMean(*(value * share for value in mean))
        self._grades, self._replies = [], []
        self._questions += len(unit)
        for values, value in zip(self._ends, mean, strict=True):
            values.append(value)
        if self._procedure == "fixed":
            return
        ends = {"upper": mean.upper, "maybe": mean.maybe}
        test: AnytimeVerdict
        if self._stratified is not None and self._tally is not None:
            test = self._stratified
            test.early = self._questions < self._at_least
            strata.append(self._tally.add(unit, grades))
            self._verdict = test.update(mean.score, mean.ridiculous, strata[-1], **ends)
        else:
            if self._test is None:
                # units that are drawn without replacement are all of one size, so that the first tells; weights make fractions
                whole = len(unit) == 1 and self._weighing is None
                self._test = SequentialTest(self._required, population=self._population, whole=whole)
            test = self._test
            test.early = self._questions < self._at_least
            self._verdict = test.update(mean.score, mean.ridiculous, **ends)
        self._over = test.over
        self._path.add(self._questions, test.log_evidence)

    def _order(self) -> ScoreOrder | None:
        """Whether the scores came in random order: within each stratum, where the order of strata is settled."""
        scores, strata = self._in_order
        grade = self._criterion.passing_grade
        if self._stratified is None:
            return score_order(scores, grade, populations=(self._population,))
        return score_order(scores, grade, strata=strata, populations=self._stratified.populations)

    @property
    def _unread(self) -> Unread:
        return Unread.counted(self._outcomes, judged=self._judged, ruled=self._ruled)

    @property
    def _can_look(self) -> bool:
        """Whether there is something to judge by."""
        return bool(self._ends[0])

    def _one_look(self, units: Taken) -> Verdict:
        score, rate, upper, maybe = (float(values.mean()) for values in units)
        if units.score.size == self._scope.population:
            return exact_verdict(score, rate, self._criterion, upper=upper, maybe=maybe)
        return fixed_verdict(score, rate, units.score.size, self._criterion, upper=upper, maybe=maybe)

    def _estimates(self, units: Taken) -> UnitMean | None:
        """Mean score and ridiculous rate, the least and the most that they may be; None where nothing was asked."""
        if not units.score.size:
            return None
        if self._stratified is not None:
            return UnitMean(*self._stratified.estimates())
        means = UnitMean(*(float(values.mean()) for values in units))
        if self._weighing is not None:
            return UnitMean(*(min(1.0, mean * self._weighing.largest) for mean in means))
        if self._predicted is not None:
            low, high = self._predicted.estimate
            return means._replace(score=low, upper=high)
        return means

    def _intervals(self, units: Taken) -> tuple[Bounds, Bounds]:
        """For the mean score and the ridiculous rate, each at level 1 - delta: from the lower ends' to the upper ends'."""
        if not units.score.size:
            return Bounds(0.0, 1.0), Bounds(0.0, 1.0)
        if self._stratified is not None:
            return self._stratified.intervals()
        least = self._bounds(units.score, units.ridiculous)
        most = self._bounds(units.upper, units.maybe) if units.unread else least
        score, rate = (Bounds(low.lower, high.upper) for low, high in zip(least, most, strict=True))
        return score, rate

    def _bounds(self, scores: Floats, ridiculous: Floats) -> tuple[Bounds, Bounds]:
        """For values that are known.

        Those by likelihoods hold for the ends of what is not: at every number of questions they rise with the count of events.
        """
        delta, population, n = self._criterion.delta, self._population, scores.size
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
        limit = self._criterion.ridiculous_limit or SHARPEST
        return score, rate_bounds(float(ridiculous.sum()), n, delta, limit=limit, population=population)

    def _left_open(self, mean: UnitMean | None) -> bool:
        """Whether there may be a verdict either way, by what could not be read."""
        if mean is None or mean[:2] == mean[2:]:
            return False
        grade, limit = self._criterion.passing_grade, self._criterion.ridiculous_limit
        refused = self._stratified is not None and self._stratified.refused and (limit or self._population) is not None
        by_rate = limit is not None and mean.ridiculous <= limit < mean.maybe
        return refused or by_rate or mean.score < grade <= mean.upper

    def _why_not(self, exhausted: str, mean: UnitMean | None) -> str:
        if exhausted:
            return f"the budget for {exhausted} is used up"
        if not self._questions:
            return "nothing was asked"
        if self._left_open(mean):
            refused = self._stratified is not None and not self.complete and self._criterion.ridiculous_limit is not None
            return self._unread.words + (", and in strata the rate of ridiculous answers is then not tested" if refused else "")
        if self._weighing is not None and self._limit is not None:
            clean = self._weighing.fewest_clean(self._criterion)
            if clean is not None and clean > self._limit:
                return f"with these weights not even {clean - 1} clean answers show that ridiculous ones are rare enough"
        if self._procedure == "fixed":
            return "the bounds after the fixed number of questions allow either verdict"
        allowed = f"{self._questions} questions" if self._questions > 1 else "one question"
        faults = self._unread.faulted_words
        return f"the evidence is not sufficient within the {allowed} allowed" + (f", and {faults}" if faults else "")

    def _outlook(self, units: Taken) -> int | None:
        if self._procedure == "fixed" or self._over:
            return None  # it looks once, or no more: there is no more to come
        needed = still_needed(units.score, units.upper, units.maybe, self._required, population=self._population)
        if needed is None:
            return None
        return max(round(needed * self._questions / units.score.size), self._at_least - self._questions)

    def _shown_by(self, score: Bounds, rate: Bounds) -> bool:
        """Whether the intervals by themselves show the verdict."""
        grade, limit = self._criterion.passing_grade, self._criterion.ridiculous_limit
        if self._verdict is Verdict.UNDERSTANDS:
            return score.lower >= grade and (limit is None or rate.upper <= limit)
        return score.upper < grade or (limit is not None and rate.lower > limit)

    def _caveats(self, decided: bool, *, straddled: bool, changed: bool) -> tuple[str, ...]:
        laws, weighing = self._laws.found, self._weighing
        found = (() if laws is None else laws.caveats) + caveats(
            Circumstances(
                population=self._population,
                clustered=self._questions > len(self._ends[0]),
                ridiculous_limit=self._criterion.ridiculous_limit,
                exact=self.complete,
                unread=self._unread,
                unread_is_wrong=self._unreadable == "wrong",
                zero_is_ridiculous=bool(getattr(self._scope, "zero_is_ridiculous", False)),
                no_answers=self._outcomes[Outcome.NO_ANSWER],
                orphans=self._outcomes[Outcome.ORPHAN],
                faults=self._outcomes[Outcome.FAULT],
                turned_away=self._turned_away,
                overlooked=self._overlooked,
                decided=decided,
                changed=changed,
                straddled=straddled and not self.complete,
                strata_unasked=0 if self._tally is None else sum(not stratum.questions for stratum in self._tally.found),
                largest_weight=None if weighing is None or weighing.alike else weighing.largest,
            )
        )
        return found + ignored_caveats([self._scope])
