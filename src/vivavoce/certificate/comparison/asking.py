"""Asks several candidates the same questions in one order, and grades their answers by the rule or by one judge.

The judge sees a question, its rubric and an answer, in the same words for every candidate and without its name. It gets answers
question by question in drawn order. Answers to one question come in the order of their digests, so it cannot tell a candidate
by the given order or by speed. Equal answers to one question share one judgement.

A judge grades the answers to several units at the same time, while further ones are asked; units are still taken in drawn
order.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vivavoce.certificate.attempts.attempt import AttemptHistory
from vivavoce.certificate.attempts.determinism import DeclarationCheck
from vivavoce.certificate.claims.claim import answers_topic
from vivavoce.certificate.claims.draws import questions_in, value_of
from vivavoce.certificate.comparison.config import PairedConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.paired_answers import PairedAnswers, UnitAnswers
from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.grades import GradingReport, NoGrade
from vivavoce.certificate.graders.judge import CandidateJudge, shown_of
from vivavoce.certificate.graders.marking import GradingPace, Mark, Marker, all_together, graded_in_order
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, Reply, Usage
from vivavoce.interview.interview import DrawPlan, Interview
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import as_wrong, as_zero
from vivavoce.scopes.unit_laws import LawTally

Said = tuple[Reply | NoAnswer, ...]
"""A candidate's answer to a unit."""


class Order:
    """Units in drawn order, the same for all candidates: each is drawn and made into prompts once."""

    def __init__(self, scope: Scope[Question], config: PairedConfig, units: Iterator[Unit]) -> None:
        self._scope, self._config = scope, config
        self._drawn = units
        self._units: dict[int, tuple[Unit, tuple[Prompt, ...]]] = {}
        """Units that were drawn but not taken yet, with their prompts, by index."""
        self._number = self._asked = 0
        """The numbers of drawn units and questions."""
        self._ended = False
        self._graded: tuple[int, dict[tuple[tuple[Reply | NoAnswer, str], ...], UnitAnswers]] = 0, {}
        self._laws = LawTally()

    def unit(self, index: int) -> Unit | None:
        """The unit at this position; None without one, or if no more are asked."""
        return self._units[index][0] if self._reaches(index) else None

    def forget(self, index: int) -> None:
        """The unit at this place was taken, and all that are asked have been given its prompts."""
        del self._units[index]

    def _reaches(self, index: int) -> bool:
        """Draw up to this place; whether there is a unit."""
        while index >= self._number and not self._ended:
            self._draw()
        return index < self._number

    def _draw(self) -> None:
        unit, most = next(self._drawn, None), self._config.questions
        questions = 0 if unit is None else len(questions_in(unit, self._config.repeated))
        if unit is None or (most is not None and self._asked + questions > most):
            self._ended = True
            return
        self._asked += questions
        self._units[self._number] = unit, tuple(map(self._scope.prompt, unit))
        self._number += 1

    def prompts(self) -> Iterator[Prompt]:
        """The prompts of all units, from the first."""
        index = 0
        while self._reaches(index):
            yield from self._units[index][1]
            index += 1

    def asked(self, index: int) -> tuple[Unit, tuple[Prompt, ...]]:
        """The unit at this place, which was drawn, and its prompts."""
        return self._units[index]

    def judged(self, index: int, replies: Said, marks: Sequence[Mark]) -> UnitAnswers:
        """The answers of a candidate to the unit at this place, with the grades that a judge gave, or the rule."""
        grades = [mark.judge for mark in marks if isinstance(mark.judge, Grade)]
        return self._answered(self._units[index][0], replies, grades, marks)

    def answered(self, index: int, replies: Said) -> UnitAnswers:
        """The graded answers of a candidate to the unit at this place: many reply in the same words."""
        if self._graded[0] != index:
            self._graded = index, {}
        alike = tuple((reply, reply.met) for reply in replies)  # what a question met is no part of what is equal
        answers = self._graded[1].get(alike)
        if answers is None:
            unit = self._units[index][0]
            judged, _ = self._laws.judge(unit, self._grades(unit, replies))
            answers = self._graded[1][alike] = self._answered(unit, replies, judged)
        return answers

    def _answered(self, unit: Unit, results: Said, judged: Sequence[Grade], marks: Sequence[Mark] = ()) -> UnitAnswers:
        mean = worst = value_of(unit, judged, self._config.repeated)
        if any(reply.met == "asked again" for reply in results):
            zeros = [
                as_zero(grade, unacceptable=False) if reply.met == "asked again" else grade
                for grade, reply in zip(judged, results, strict=True)
            ]
            worst = value_of(unit, zeros, self._config.repeated)
        as_read = value_of(unit, [grade.as_read for grade in judged], self._config.repeated)
        return UnitAnswers(mean, tuple(judged), results, worst, as_read, tuple(marks))

    def _grades(self, unit: Unit, results: Sequence[Reply | NoAnswer]) -> list[Grade]:
        grades = [
            unknowable(entry) or self._scope.grade(question, entry) for question, entry in zip(unit, results, strict=True)
        ]
        return list(map(as_wrong, grades)) if self._config.unreadable == "wrong" else grades


Interviews = Sequence[Interview[Prompt, Reply]]
_Shown = tuple[str, str, object]
"""The id of a question, the digest of the judge's prompt about an answer, and anything else that changes the grade."""


@dataclass(frozen=True, slots=True)
class UnitOfCandidates:
    """The graded answers of all candidates to one unit."""

    number: int
    answers: Mapping[int, UnitAnswers | None]
    """Answers by candidate; None for a candidate that has no further answers."""
    exhausted: str = ""
    """The limit of the budget that left no room for a judgement; then the unit does not count."""


class BlindJudging:
    """Has a judge grade the answers of all candidates, and counts its work on the units that were taken.

    interviews: with the candidates.
    unreadable: how to score unparsed replies and judgements.
    """

    def __init__(self, interviews: Interviews, scope: Scope[Question], judge: CandidateJudge, unreadable: Unreadable) -> None:
        self.judge = judge
        self.exhausted = ""
        """The limit of the budget that left no room for a judgement; empty while there was room."""
        ahead = -(-max(interview.ahead for interview in interviews) // len(interviews))
        self._graders = Graders(judge=judge, unreadable=unreadable, ahead=ahead)
        self._marker: Marker = self._graders.marker(scope)
        self._interviews = interviews
        self._scope = scope
        self._by_rule = self._by_judge = self._unread = 0
        self._spending = Usage()

    @property
    def ahead(self) -> int:
        """The most units that are graded at the same time."""
        return self._graders.ahead

    @property
    def terms(self) -> dict[str, object]:
        """The settings of the grading that identify an attempt."""
        return self._graders.terms(self._scope)

    @property
    def settings(self) -> dict[str, object]:
        """The part of the grading that changes the finding, for its signature."""
        return self._graders.settings(self._scope)

    async def graded(self, order: Order, number: int, replies: Mapping[int, Said | None]) -> UnitOfCandidates:
        """The answers of all candidates to the unit with this number, graded."""
        unit, prompts = order.asked(number)
        shown = {name: self._shown(unit, prompts, given) for name, given in replies.items() if given is not None}
        first: dict[_Shown, tuple[Question, Prompt, Reply | NoAnswer]] = {}
        for column, (question, asked) in enumerate(zip(unit, prompts, strict=True)):
            different = {keys[column]: (replies[name] or ())[column] for name, keys in shown.items()}
            for key in sorted(different, key=lambda pair: pair[1]):
                first.setdefault(key, (question, asked, different[key]))
        unique_marks = await all_together(self._marker.mark(*pair, number) for pair in first.values())
        if missing := next((mark.judge for mark in unique_marks if isinstance(mark.judge, NoGrade)), None):
            return UnitOfCandidates(number, dict.fromkeys(replies), exhausted=missing.exhausted)
        marks = dict(zip(first, unique_marks, strict=True))
        answers = {
            name: None if given is None else order.judged(number, given, [marks[key] for key in shown[name]])
            for name, given in replies.items()
        }
        return UnitOfCandidates(number, answers)

    def take(self, answers: Iterable[UnitAnswers | None]) -> None:
        """Count the answers to a unit; None for a candidate that is no longer needed."""
        marks = [mark for unit_answers in answers if unit_answers is not None for mark in unit_answers.marks]
        self._by_rule += sum(mark.by_rule for mark in marks)
        self._by_judge += sum(mark.is_judged for mark in marks)
        self._unread += sum(mark.unreadable for mark in marks)
        for mark in {id(mark): mark for mark in marks}.values():  # equal answers have one mark
            self._spending += mark.spending

    @property
    def grading(self) -> GradingReport:
        """The judge's report, for the finding."""
        judge = self.judge
        return GradingReport(
            judge=judge.name,
            judge_is_candidate=judge.name in {interview.candidate.name for interview in self._interviews},
            compared=True,
            draws=judge.draws,
            judgements=self._by_judge * judge.draws,
            unreadable=self._unread,
            rubric_digest=digest_of(judge.rubric),
            calibration=judge.calibration,
            by_judge=self._by_judge,
            by_rule=self._by_rule,
            judge_spending=self._spending,
            unreadable_is_wrong=self._graders.unreadable == "wrong",
        )

    def _shown(self, unit: Unit, prompts: Iterable[Prompt], results: Said) -> list[_Shown]:
        return [self._key(*pair) for pair in zip(unit, prompts, results, strict=True)]

    def _key(self, question: Question, asked: Prompt, answer: Reply | NoAnswer) -> _Shown:
        if isinstance(answer, NoAnswer) or self._marker.is_ruled(question):
            return question.id, "", (answer, answer.met)
        return question.id, digest_of(canonical_json(shown_of(asked, answer))), answer.met


AskedUnit = tuple[int, Mapping[int, Said | None]]
"""The index of a unit, and each candidate's answer by position; None for a candidate without further answers."""


async def ask_all(
    interviews: Interviews,
    scope: Scope[Question],
    config: PairedConfig,
    attempt: AttemptHistory,
    evidence: PairedEvidence,
    protocol: PairedAnswers,
    judging: BlindJudging | None = None,
) -> None:
    """Ask all candidates side by side, and take their answers unit by unit, until nothing more can matter.

    judging: the judge that grades answers; None: the scope's own rule grades them.
    """
    order = Order(scope, config, protocol.drawing.draw(np.random.default_rng(attempt.seed.number)))
    topic, firsts = answers_topic(scope.name), attempt.held.first_draws
    checks = [DeclarationCheck(interview, topic, firsts.get(interview.name_on_record, 0)) for interview in interviews]

    def beside(index: int) -> list[Interview[Prompt, Reply]]:
        return [interviews[other] for other in wanted_of(evidence) if other != index]

    judged = judging is not None
    streams = [answers_of(check, order, partial(beside, index), remembers=judged) for index, check in enumerate(checks)]
    at_hand = all(isinstance(interview.candidate, Recording) for interview in interviews)
    async with (
        aclosing(_asked(streams, order, evidence, at_hand=at_hand)) as asked,
        aclosing(_graded(asked, order, judging, interviews)) as units,
    ):
        await _take_all(units, order, evidence, protocol, judging)
    for check in checks:
        await check.finish()


async def _take_all(
    units: AsyncGenerator[UnitOfCandidates, None],
    order: Order,
    evidence: PairedEvidence,
    protocol: PairedAnswers,
    judging: BlindJudging | None,
) -> None:
    unrecorded = 0
    async for candidates in units:
        if judging is not None and candidates.exhausted:
            judging.exhausted = candidates.exhausted
            return
        wanted = wanted_of(evidence)
        if ended := [index for index in wanted if candidates.answers.get(index) is None]:
            for index in ended:
                evidence.close(index)
            if len(wanted := wanted_of(evidence)) < 2:
                return
        answers = [candidates.answers[index] if index in wanted else None for index in range(len(protocol.questions))]
        if judging is not None:
            judging.take(answers)
        protocol.take(order.asked(candidates.number)[0], answers, evidence)
        order.forget(candidates.number)
        unrecorded += any(answer is not None and answer.unrecorded for answer in answers)
        if 2 * unrecorded > len(protocol) or not wanted_of(evidence):
            return  # recordings have no new answers: further draws would add almost nothing, and never end


async def _asked(
    streams: Sequence[AsyncGenerator[Said, None]], order: Order, evidence: PairedEvidence, *, at_hand: bool
) -> AsyncGenerator[AskedUnit, None]:
    """The answers of all remaining candidates, unit by unit."""
    number, ended = 0, set[int]()
    async with AsyncExitStack() as stack:
        for stream in streams:
            await stack.enter_async_context(aclosing(stream))
        while len(wanted := [index for index in wanted_of(evidence) if index not in ended]) > 1:
            if order.unit(number) is None:
                return
            answers = await _next_of([streams[index] for index in wanted], at_hand=at_hand)
            ended |= {index for index, answer in zip(wanted, answers, strict=True) if answer is None}
            yield number, dict(zip(wanted, answers, strict=True))
            number += 1
            for index in set(wanted) - set(wanted_of(evidence)):
                await streams[index].aclose()


async def _graded(
    asked: AsyncGenerator[AskedUnit, None], order: Order, judging: BlindJudging | None, interviews: Interviews
) -> AsyncGenerator[UnitOfCandidates, None]:
    if judging is None:
        async for number, document in asked:
            answers = {key: None if given is None else order.answered(number, given) for key, given in document.items()}
            yield UnitOfCandidates(number, answers)
        return
    pace = GradingPace(interviews, judging.judge, judging.ahead)

    def grade(number: int, document: Mapping[int, Said | None]) -> Coroutine[Any, Any, UnitOfCandidates]:
        pace.ask()
        return judging.graded(order, number, document)

    def ready() -> bool:
        """Not ahead of a record, which may lack answers of a candidate that is not wanted any more by then."""
        return pace.ready() and not judging.judge.interview.from_record

    async with aclosing(graded_in_order(asked, grade, ahead=pace.ahead, ready=ready)) as units:
        async for candidates in units:
            yield candidates


def wanted_of(evidence: PairedEvidence) -> list[int]:
    """The candidates with an unsettled pair."""
    result: list[int] = np.unique(evidence.pairs[~evidence.settled]).tolist()
    return result


async def _next_of(streams: Sequence[AsyncGenerator[Said, None]], *, at_hand: bool) -> list[Said | None]:
    """The next answers of all candidates, None for one without further answers. If one fails, or all are cancelled, all stop.

    at_hand: whether all answers are on record, so that asking one after the other is as quick.
    """

    async def following(stream: AsyncGenerator[Said, None]) -> Said | None:
        return await anext(stream, None)

    if at_hand:
        return [await following(stream) for stream in streams]
    return await all_together(map(following, streams))


async def answers_of(
    check: DeclarationCheck, order: Order, beside: Callable[[], Interviews], *, remembers: bool
) -> AsyncGenerator[Said, None]:
    """The answers of one candidate, unit by unit in drawn order, within its budget.

    beside: the interviews with the other candidates that are asked the same.
    remembers: whether the interview reports its spending after each answer.
    """
    answers: list[Reply | NoAnswer] = []
    index, interview = 0, check.interview
    plan = DrawPlan(side_by_side=beside, first_draw=check.first_draw)
    asked = interview.ask_in_order(order.prompts(), topic=check.topic, plan=plan, remembers=remembers)
    async with aclosing(check.heard(asked)) as stream:
        async for _, answer in stream:
            answers.append(answer)
            unit = order.unit(index)
            if unit is None or len(answers) < len(unit):
                continue
            yield tuple(answers)
            answers.clear()
            index += 1
