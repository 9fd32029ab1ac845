"""Examinations graded by a judge, people, or both, unit by unit or block by block."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Final

from vivavoce.certificate.attempts.grades_log import PeopleGrade
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.claims.deployed import DeploymentCertificate
from vivavoce.certificate.config import BATCH, JUDGE_ONLY, Feature, GradingConfig, Unreadable
from vivavoce.certificate.design.drawing import AsDrawn, independent
from vivavoce.certificate.graders.grades import (
    PARTIAL_CREDIT,
    Grader,
    GradingReport,
    NoGrade,
    WaitingAnswer,
    agreement_of,
    answer_key,
)
from vivavoce.certificate.graders.judge import CandidateJudge, PredictedInference, PredictedSequentialTest
from vivavoce.certificate.graders.marking import GradingPace, Mark, Marker, graded_in_order
from vivavoce.certificate.graders.people import Places, private_places
from vivavoce.certificate.graders.rule_grading import Answers, ExaminationProcedure, GradingMethod, Target
from vivavoce.certificate.graders.trace import in_order, mark_of, of_draws
from vivavoce.certificate.run import CertificateRun, StartedExamination, as_asked
from vivavoce.errors import BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.reading import read_after_turn
from vivavoce.interview.record import digest_of
from vivavoce.interview.results import AnswerEvent
from vivavoce.interview.results import ResultMark as RowMark
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.questions import Question, Unit, mixed
from vivavoce.scopes.score import UnitMean, unit_mean

_WAITING: Final = "people's time"
"""The reason for no fixed look if answers wait for people."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of units: the judge has graded all, and people grade one."""

    units: tuple[tuple[Unit, tuple[Mark, ...]], ...]
    place: int
    """Index of the unit for people, from 0; drawn once all judgements are on record."""


class GradedProcedure:
    """Answers that a judge or people grade, in drawn order; a unit counts once all of its answers have a grade.

    target: takes the units whose grades are evidence.
    """

    def __init__(self, begun: StartedExamination, graders: Graders, target: Target) -> None:
        self._begun = begun
        self._graders = graders
        self._target = target
        self._predicted: PredictedSequentialTest | None = None
        """The test that also knows a judge's grades of other answers, if people grade some; None if one grades all."""
        self._places: Places | None = None
        """Which units of blocks people grade; None if one grades all."""
        self._marker = Marker(begun.scope, graders)
        self._asked: deque[Question] = deque()
        self._turns: deque[Unit] = deque()
        self._marks: list[Mark] = []
        self._pairs: list[tuple[Grade, Grade]] = []
        self._waiting: dict[str, WaitingAnswer] = {}
        self._graded_by_people = 0
        self._judged_only = self._ruled_only = self._by_rule = self._by_judge = self._judgements = self._unreadable = 0
        self._exhausted = ""
        self._marked = 0
        self._by_people: dict[int, Grade] = {}
        self._taken = 0
        """Marks, waiting ones included."""
        self._over = False
        """Whether there is a certificate; then answers that were asked ahead are ignored."""
        self._rows: dict[int, RowMark] = {}
        """By the number of an answer that was taken, what its row says in a file of results, if one is wanted."""
        self._judge_spending = Usage()
        """The judge's work on the answers taken; work ahead depends on timing."""

    def prompts(self) -> Iterator[Prompt]:
        """The next questions, unit by unit, up to the limit."""
        for unit in self._begun.terms.limited(self._begun.draw()):
            self._turns.append(unit)
            self._asked.extend(unit)
            yield from map(self._begun.scope.prompt, unit)

    def rows(self, heard: Sequence[AnswerEvent]) -> list[RowMark | None]:
        """Rows with the given grades."""
        return in_order(heard, self._rows, over=self._over)

    def graded(self, answers: Answers) -> AsyncGenerator[Any, None]:
        """Marks in drawn order, by the judge, and by people if they grade alone; several answers are graded at once."""
        pace = GradingPace([self._begun.interview], self._graders.judge, self._graders.ahead)

        def mark(asked: Prompt, answer: Reply | NoAnswer) -> Coroutine[Any, Any, Mark]:
            pace.ask()
            self._marked += 1
            return self._marker.mark(self._asked.popleft(), asked, answer, self._marked - 1)

        return graded_in_order(answers, mark, ahead=pace.ahead, ready=pace.ready)

    async def take(self, graded: Any) -> bool:
        """Take the next mark; whether the examination is at its end."""
        if isinstance(graded.judge, NoGrade):
            self._exhausted = graded.judge.exhausted
            return True
        self._count_judgements((graded,))
        unit = self._completed(graded)
        return unit is not None and self._take_unit(*unit)

    async def finish(self) -> Certificate | DeploymentCertificate:
        """The finding, with its graders; the secret that decides which answers of blocks people grade goes on record."""
        self._over = True
        begun, interview = self._begun, self._begun.interview
        # not everything has been graded, so a fixed look must wait
        waits = _WAITING if self._waiting and begun.terms.procedure == "fixed" else ""
        exhausted = interview.exhausted or self._exhausted
        spending = interview.spending_after(self._taken) + self._judge_spending
        certificates = self._target.certificates(interview.candidate.name, exhausted or waits, spending, begun.seed)
        places = None if self._places is None else self._places.secret
        grading = self._grading("" if places is None else places.digest)
        further = () if self._graders.judge is None else self._graders.judge.caveats
        annotated = [as_asked(self._annotated(certificate, grading), interview, *further) for certificate in certificates]
        people = tuple(
            PeopleGrade(record=interview.handed_out[number], score=float(grade.score), unacceptable=grade.unacceptable)
            for number, grade in sorted(self._by_people.items())
        )
        return await self._target.finish(begun, annotated, exhausted, people, places)

    def _grading(self, commitment: str) -> GradingReport:
        judge, graders = self._graders.judge, self._graders
        grading = GradingReport(
            by_people=graders.people is not None,
            waiting=tuple(self._waiting.values()),
            graded_by_people=self._graded_by_people,
            commitment=commitment,
            by_rule=self._by_rule,
            ruled_only=self._ruled_only,
        )
        if judge is None:
            return grading
        return replace(
            grading,
            judge=judge.name,
            judge_is_candidate=judge.name == self._begun.interview.candidate.name,
            draws=judge.draws,
            judgements=self._judgements,
            unreadable=self._unreadable,
            rubric_digest=digest_of(judge.rubric),
            calibration=judge.calibration,
            by_judge=self._by_judge,
            judged_only=self._judged_only,
            agreement=agreement_of(self._pairs) if self._pairs else None,
            judge_spending=self._judge_spending,
            unreadable_is_wrong=graders.unreadable == "wrong",
        )

    def _annotated(self, certificate: Certificate, grading: GradingReport) -> Certificate:
        undecided = certificate.verdict is Verdict.UNDECIDED
        settings = {**certificate.signature.settings, **self._begun.terms.graded}
        return replace(
            certificate,
            why_not=_why_waiting(grading.waiting) if undecided and self._waiting else certificate.why_not,
            unexamined=certificate.unexamined and not self._waiting,
            # its estimate is by people's grades alone
            still_needed=None if self._graders.both else certificate.still_needed,
            caveats=(*grading.caveats, *certificate.caveats),
            signature=replace(certificate.signature, settings=settings),
            grading=grading,
        )

    def _completed(self, mark: Mark) -> tuple[Unit, tuple[Mark, ...]] | None:
        """The unit that this mark completes, with its marks; None if it completes none."""
        self._marks.append(mark)
        if len(self._marks) < len(self._turns[0]):
            return None
        marks, self._marks = tuple(self._marks), []
        return self._turns.popleft(), marks

    def _count_judgements(self, marks: Iterable[Mark]) -> None:
        judge = self._graders.judge
        for mark in marks:
            self._taken = max(self._taken, mark.number + 1)
            given = next((grade for grade in (mark.people, mark.judge) if isinstance(grade, Grade)), None)
            if self._begun.terms.rows:
                self._rows[mark.number] = mark_of(mark.question, given)
            if judge is not None and mark.is_judged:
                self._judgements += judge.draws
                self._unreadable += mark.unreadable
                self._judge_spending += mark.spending

    def _take_unit(self, unit: Unit, marks: Sequence[Mark], *, fresh: Sequence[UnitMean] = ()) -> bool:
        """Take a unit whose grades are evidence, unless one of them, or of an earlier unit, is still missing.

        fresh: the judge's means of the other units of its block.
        """
        self._note(marks)
        if (draws := self._begun.terms.draws) is not None and self._begun.terms.rows:
            rows = [self._rows[mark.number] for mark in marks]
            rows = of_draws(rows, len(draws.questions_of(unit)), draws.number)
            self._rows |= {mark.number: row for mark, row in zip(marks, rows, strict=True)}
        if self._waiting:
            return len(self._waiting) >= self._graders.batch
        if self._predicted is not None:
            judged = _mean(unit, [mark.judge for mark in marks])
            least, most = (fsum(getattr(pair, end) for pair in fresh) / len(fresh) for end in ("score", "upper"))
            self._predicted.predict(judged.score, least, judged_at_most=judged.upper, fresh_at_most=most)
        by_graders = sum(isinstance(mark.answer, Reply) for mark in marks if not mark.by_rule)
        self._by_rule += sum(mark.by_rule for mark in marks)
        if self._graders.people is None:
            self._by_judge += by_graders
        else:
            self._graded_by_people += by_graders
        self._target.expect(unit)
        for mark in marks:
            grade = mark.judge if self._graders.people is None else mark.people
            assert isinstance(grade, Grade)
            self._target.take_grade(mark.answer, grade)
        return self._target.over

    def _note(self, marks: Iterable[Mark]) -> None:
        """Answers that wait for people, and answers that both have graded."""
        for mark in marks:
            if not isinstance(mark.answer, Reply) or mark.by_rule:
                continue
            if isinstance(mark.people, Grade):
                self._by_people[mark.number] = mark.people
            if isinstance(mark.people, NoGrade):
                answer = WaitingAnswer(mark.question.id, mark.asked.text, mark.answer.text, mark.question.rubric)
                self._waiting.setdefault(answer.key, answer)
            elif mark.people is not None and isinstance(mark.judge, Grade):
                self._pairs.append((mark.judge, mark.people))


class BlockProcedure(GradedProcedure):
    """An examination in which a judge grades all answers, and people grade one in each block."""

    def __init__(
        self, begun: StartedExamination, graders: Graders, target: Target, places: Places, predicted: PredictedSequentialTest
    ) -> None:
        super().__init__(begun, graders, target)
        self._places, self._predicted = places, predicted

    async def graded(self, answers: Answers) -> AsyncGenerator[Any, None]:
        """Blocks in drawn order; people grade their answers of several blocks at once."""
        blocks_ahead = -(-self._graders.ahead // (self._graders.further + 1))
        async with (
            aclosing(super().graded(answers)) as marks,
            aclosing(self._blocks(marks)) as blocks,
            aclosing(graded_in_order(blocks, self._shown, ahead=blocks_ahead)) as shown,
        ):
            async for block in shown:
                yield block

    async def _blocks(self, marks: AsyncGenerator[Mark, None]) -> AsyncGenerator[tuple[int, Block], None]:
        """Whole blocks with their numbers, from 1, once all judgements of the block are on record and its place is drawn.

        They end with the marks, or where the budget leaves no room for a judgement.
        """
        assert self._places is not None
        number, units = 1, []
        async for mark in marks:
            if isinstance(mark.judge, NoGrade):
                self._exhausted = mark.judge.exhausted
                return
            unit = self._completed(mark)
            if unit is None:
                continue
            units.append(unit)
            if len(units) > self._graders.further:
                index = self._places.place(number, [_as_judged(mark) for _, marks in units for mark in marks])
                yield number, Block(tuple(units), index)
                number, units = number + 1, []

    async def _shown(self, _: int, block: Block) -> Block:
        people = self._graders.people
        assert people is not None
        unit, marks = block.units[block.place]
        graded = []
        for mark in marks:
            if isinstance(mark.answer, NoAnswer) or mark.by_rule:
                graded.append(mark)
            else:
                given = await people.grade(mark.question, mark.asked, mark.answer)
                graded.append(replace(mark, people=self._marker.strictly(given, read_after_turn(mark.asked, mark.answer))))
        units = list(block.units)
        units[block.place] = unit, tuple(graded)
        return replace(block, units=tuple(units))

    async def take(self, graded: Any) -> bool:
        """Take the next block in drawn order; whether the examination is at its end."""
        block: Block = graded
        others = [pair for index, pair in enumerate(block.units) if index != block.place]
        for _, marks in block.units:
            self._count_judgements(marks)
        ruled = sum(mark.by_rule for _, marks in others for mark in marks)
        self._ruled_only += ruled
        self._judged_only += sum(len(marks) for _, marks in others) - ruled
        means = [_mean(unit, [mark.judge for mark in marks]) for unit, marks in others]
        return self._take_unit(*block.units[block.place], fresh=means)


def _as_judged(mark: Mark) -> tuple[str, str, float, float]:
    """The judge's prompts and replies, since the place of a block depends on them."""
    assert isinstance(mark.judge, Grade)
    key = answer_key(mark.question.id, mark.answer.text) if isinstance(mark.answer, Reply) else ""
    return mark.question.id, key, mark.judge.score, mark.judge.upper_score


def _mean(unit: Unit, grades: Sequence[Grade | NoGrade | None]) -> UnitMean:
    """The mean score of a unit; all must have been graded."""
    given = [grade for grade in grades if isinstance(grade, Grade)]
    return unit_mean(given, [question.weight for question in unit])


def _why_waiting(waiting: Sequence[WaitingAnswer]) -> str:
    if len(waiting) == 1:
        return f"the answer to question '{waiting[0].id[:80]}' waits for a grade by people"
    return f"{len(waiting)} answers wait for a grade by people, the first to question '{waiting[0].id[:80]}'"


@dataclass(frozen=True, slots=True)
class Graders(GradingMethod):
    """The graders: a judge, people, or both.

    With people alone, or with a judge alone, every answer is graded by them. With both, the judge grades all, and people one in
    each `further + 1`, drawn in private once the judge has graded these.

    Where some questions of a scope have a rubric and others do not (`questions.mixed`), the scope's own rule grades the others
    (`Question.for_rule`), and its grade is exact. This is sound in each design. The subject is the mean of the grades that all
    answers get, from the rule or from graders. The question alone decides which, and questions are drawn as before, so in drawn
    order each grade has the right mean given all before it. The judge alone: the grade is the rule's or the judge's. People
    alone: the rule's or people's, and no answer to a question of the first kind waits. Both: the value looked up at a block's
        place is the rule's grade or people's. The prediction for a question of the first kind is the rule's grade itself, and
        predictions may be anything that does not depend on the place, which is drawn among the whole block as before. People
        are needed only at places with a rubric.
    """

    judge: CandidateJudge | None = None
    people: Grader | None = None
    further: int = JUDGE_ONLY
    """Answers that the judge alone grades for each one that people do."""
    batch: int = BATCH
    """The examination stops when this many answers wait for people."""
    zero_is_unacceptable: bool = False
    unreadable: Unreadable = GradingConfig().unreadable
    """How to score an unparsed judgement, if the judge's grades decide: as anything, or as 0."""
    rule: bool = True
    """Whether the rule grades questions without a rubric where others have one; else graders grade all."""
    ahead: int = 16
    """Answers that are being graded at once at most; the judge's budget may be overrun by this many, with people by twice as
    many and a block."""

    def __post_init__(self) -> None:
        if self.judge is None and self.people is None:
            raise BadInput("there is no grader: name a judge, or give people's grades")
        if self.further < 1 or self.batch < 1:
            raise BadInput(f"{self.further} further answers and batches of {self.batch}: both must be at least 1")

    def mix(self, scope: object) -> bool:
        """Whether this scope's own rule grades some of its questions, and these graders the others."""
        return self.rule and mixed(getattr(scope, "questions", ()))

    @property
    def features(self) -> frozenset[Feature]:
        """The graders, as features."""
        if self.both:
            return frozenset({"judge and people"})
        return frozenset({"judge"}) if self.people is None else frozenset({"people"})

    @property
    def judged(self) -> bool:
        """Whether unparsed judgements are possible."""
        return self.people is None

    def terms(self, scope: object) -> dict[str, Any]:
        """Settings of the grading that identify an attempt on this scope."""
        judged = {} if self.judge is None else {"rubric": digest_of(self.judge.rubric)}
        strict = {"unreadable": self.unreadable, "zero_is_unacceptable": self.zero_is_unacceptable}
        return self.settings(scope) | judged | strict

    def settings(self, scope: object) -> dict[str, Any]:
        """Settings of the grading for the finding's signature."""
        settings: dict[str, Any] = {"graded_by_people": self.people is not None}
        if self.judge is not None:
            rubric, source = digest_of(self.judge.rubric)[:12], self.judge.interview.settings.get("source")
            settings |= {"judge": self.judge.name, "judge_draws": self.judge.draws, "rubric": rubric}
            settings |= {} if source is None else {"judge_source": source}
            known = self.judge.calibration
            settings |= {} if known is None else {"judge_calibration": dict(sorted(to_json(known).items()))}
        settings |= {"judged": self.further} if self.both else {}
        if self.people is None and not self.mix(scope):
            settings[PARTIAL_CREDIT] = True
        return settings | ({"by_rule": True} if self.mix(scope) else {})

    def marker(self, scope: Scope[Question]) -> Marker:
        """Has answers to questions of this scope graded."""
        return Marker(scope, self)

    async def procedure(self, begun: StartedExamination, target: Target) -> ExaminationProcedure:
        """Answers that these graders grade."""
        if not self.both:
            return GradedProcedure(begun, self, target)
        scope = independent(begun.scope)
        begun = replace(begun, scopes=(scope,), populations=(AsDrawn(scope),))
        places = await private_places(
            begun.interview.transcript,
            candidate=begun.interview.candidate.name,
            scope=scope.name,
            digest=scope.digest,
            attempt=begun.attempt.held,
            further=self.further,
        )
        inference = PredictedInference(begun.own, further=self.further)
        run = CertificateRun(scope, inference, begun.terms)
        return BlockProcedure(begun, self, run, places, inference.test)

    @property
    def both(self) -> bool:
        """Whether people's grades and the judge's count together."""
        return self.judge is not None and self.people is not None
