"""Where answers meet their grades, unit by unit; with a judge and people both, block by block."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Final

from vivavoce.certificate.course import Begun, Target
from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.gradebook import Gradebook, PeopleGrade, grades_taken
from vivavoce.certificate.graders.agreement import agreement_of
from vivavoce.certificate.graders.grading import Grading, Ungraded, Waiting, answer_key
from vivavoce.certificate.graders.marking import Mark, Marker, Strictness
from vivavoce.certificate.graders.places import Places
from vivavoce.certificate.graders.predicted import PredictedSequentialTest
from vivavoce.certificate.rows import mark_of, of_draws
from vivavoce.certificate.signed import as_asked
from vivavoce.certificate.verdict import Verdict
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.commitment import CommittedSecret
from vivavoce.interview.reading import read_after_turn
from vivavoce.interview.record import digest_of
from vivavoce.interview.results import UNDER_WAY
from vivavoce.interview.results import ResultMark as RowMark
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean, unit_mean

_WAITING: Final = "people's time"
"""What ends a look that is taken once, where answers wait for people."""


@dataclass(frozen=True, slots=True)
class Block:
    """Units of which the judge has graded all, and people grade one."""

    units: tuple[tuple[Unit, tuple[Mark, ...]], ...]
    place: int
    """Of the one for people, from 0; drawn when all judgements were there."""


class Annotation:
    """Where answers meet their grades, unit by unit.

    target: takes the units whose grades are evidence, in drawn order.
    predicted: the test that also knows a judge's grades of other answers, where people grade some; None where one grades all.
    """

    def __init__(
        self, begun: Begun, graders: Strictness, target: Target, *, predicted: PredictedSequentialTest | None = None
    ) -> None:
        self._begun = begun
        self._graders = graders
        self._target = target
        self._predicted = predicted
        self._marker = Marker(begun.scope, graders)
        self._asked: deque[Question] = deque()
        self._turns: deque[Unit] = deque()
        self._marks: list[Mark] = []
        self._pairs: list[tuple[Grade, Grade]] = []
        self._waiting: dict[str, Waiting] = {}
        self._graded_by_people = 0
        self._judged_only = self._ruled_only = self._by_rule = self._by_judge = self._judgements = self._unreadable = 0
        self._exhausted = ""
        self._marked = 0
        self._by_people: dict[int, Grade] = {}
        self._taken = 0
        """Marks, waiting ones included."""
        self.over = False
        """Whether there is a certificate; what was asked ahead counts for nothing then."""
        self.marks: dict[int, RowMark] = {}
        """By the number of an answer that was taken, what its row says in a file of results, if one is wanted."""
        self._judge_spending = Usage()
        """On what was taken: what was judged ahead depends on who was quick."""

    def prompts(self, units: Iterator[Unit]) -> Iterator[Prompt]:
        """What to ask, unit by unit, up to the limit."""
        drawn, limit = 0, self._begun.terms.limit
        for unit in units:
            drawn += self._begun.terms.questions_of(unit)
            if limit is not None and drawn > limit:
                return
            self._turns.append(unit)
            self._asked.extend(unit)
            yield from map(self._begun.scope.prompt, unit)

    def mark(self, asked: Prompt, answer: Reply | NoAnswer) -> Coroutine[Any, Any, Mark]:
        """Have the answer to the question asked next graded: by the judge, and by people if they grade alone."""
        self._marked += 1
        return self._marker.mark(self._asked.popleft(), asked, answer, self._marked - 1)

    def take(self, mark: Mark) -> bool:
        """Take the next mark in drawn order; whether the examination is at its end."""
        if isinstance(mark.judge, Ungraded):
            self._exhausted = mark.judge.exhausted
            return True
        self._count_judgements((mark,))
        unit = self._completed(mark)
        return unit is not None and self._take_unit(*unit)

    async def blocks(self, marks: AsyncGenerator[Mark, None], places: Places) -> AsyncGenerator[tuple[int, Block], None]:
        """Whole blocks with their numbers, from 1, each when all of its judgements are on record; only now it has a place.

        They end with the marks, or where the budget leaves no room for a judgement.
        """
        number, units = 1, []
        async for mark in marks:
            if isinstance(mark.judge, Ungraded):
                self._exhausted = mark.judge.exhausted
                return
            unit = self._completed(mark)
            if unit is None:
                continue
            units.append(unit)
            if len(units) > self._graders.further:
                place = places.place(number, [_as_judged(mark) for _, marks in units for mark in marks])
                yield number, Block(tuple(units), place)
                number, units = number + 1, []

    async def shown(self, _: int, block: Block) -> Block:
        """The block with people's grades at its place."""
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

    def take_block(self, block: Block) -> bool:
        """Take the next block in drawn order; whether the examination is at its end."""
        others = [pair for place, pair in enumerate(block.units) if place != block.place]
        for _, marks in block.units:
            self._count_judgements(marks)
        ruled = sum(mark.by_rule for _, marks in others for mark in marks)
        self._ruled_only += ruled
        self._judged_only += sum(len(marks) for _, marks in others) - ruled
        means = [_mean(unit, [mark.judge for mark in marks]) for unit, marks in others]
        return self._take_unit(*block.units[block.place], fresh=means)

    def so_far(self) -> Certificate | None:
        """The first verdict's, where one looks after every answer."""
        begun = self._begun
        if begun.terms.procedure == "fixed":
            return None
        spending = begun.interview.spending_after(self._taken) + self._judge_spending
        found = self._target.certificates(begun.interview.candidate.name, UNDER_WAY, spending, begun.seed)[0]
        found = replace(found, signature=replace(found.signature, seed=begun.attempt.told_seed))
        return self._annotated(found, self._grading(""))

    async def finish(self, *, places: CommittedSecret | None = None) -> Certificate | DeploymentCertificate:
        """The finding, with who graded; `places`: the secret from which the places of blocks were drawn."""
        self.over = True
        begun, interview = self._begun, self._begun.interview
        # not all that was to be graded has been, so that one who looks once must not look yet
        waits = _WAITING if self._waiting and begun.terms.procedure == "fixed" else ""
        ended = interview.exhausted or self._exhausted or waits
        spending = interview.spending_after(self._taken) + self._judge_spending
        certificates = self._target.certificates(interview.candidate.name, ended, spending, begun.seed)
        grading = self._grading("" if places is None else places.digest)
        further = () if self._graders.judge is None else self._graders.judge.caveats
        annotated = [as_asked(self._annotated(certificate, grading), interview, *further) for certificate in certificates]
        return await self._target.finish(begun, annotated, self._book(), places)

    def _grading(self, commitment: str) -> Grading:
        judge, graders = self._graders.judge, self._graders
        grading = Grading(
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
            by_judge=self._by_judge,
            judged_only=self._judged_only,
            agreement=agreement_of(self._pairs) if self._pairs else None,
            judge_spending=self._judge_spending,
            unreadable_is_wrong=graders.unreadable == "wrong",
        )

    def _annotated(self, certificate: Certificate, grading: Grading) -> Certificate:
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

    def _book(self) -> Gradebook:
        """What goes on record of the grades; of a judge and people together only what people gave, as a test knows more."""
        begun, interview = self._begun, self._begun.interview
        records = interview.handed_out
        people = tuple(
            PeopleGrade(record=records[number], score=float(grade.score), ridiculous=grade.ridiculous)
            for number, grade in sorted(self._by_people.items())
        )
        if self._graders.both:
            return Gradebook(people=people)
        exhausted = interview.exhausted or self._exhausted
        grades = grades_taken(self._target.longer.taken, records, begun.scope, begun.population, exhausted)
        return Gradebook(grades=grades, people=people)

    def _completed(self, mark: Mark) -> tuple[Unit, tuple[Mark, ...]] | None:
        """The unit that this mark completes, with its marks; None where it completes none."""
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
                self.marks[mark.number] = mark_of(mark.question, given)
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
            rows = [self.marks[mark.number] for mark in marks]
            rows = of_draws(rows, len(draws.questions_of(unit)), draws.number)
            self.marks |= {mark.number: row for mark, row in zip(marks, rows, strict=True)}
        if self._waiting:
            return len(self._waiting) >= self._graders.batch
        if self._predicted is not None:
            judged = _mean(unit, [mark.judge for mark in marks])
            least, most = (fsum(getattr(one, end) for one in fresh) / len(fresh) for end in ("score", "upper"))
            self._predicted.foresee(judged.score, least, judged_at_most=judged.upper, fresh_at_most=most)
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
        """Which answers wait for people, and what both have graded."""
        for mark in marks:
            if not isinstance(mark.answer, Reply) or mark.by_rule:
                continue
            if isinstance(mark.people, Grade):
                self._by_people[mark.number] = mark.people
            if isinstance(mark.people, Ungraded):
                answer = Waiting(mark.question.id, mark.asked.text, mark.answer.text, mark.question.rubric)
                self._waiting.setdefault(answer.key, answer)
            elif mark.people is not None and isinstance(mark.judge, Grade):
                self._pairs.append((mark.judge, mark.people))


def _as_judged(mark: Mark) -> tuple[str, str, float, float]:
    """What the judge was shown and what it said, as the place of a block depends on it."""
    assert isinstance(mark.judge, Grade)
    key = answer_key(mark.question.id, mark.answer.text) if isinstance(mark.answer, Reply) else ""
    return mark.question.id, key, mark.judge.score, mark.judge.upper_score


def _mean(unit: Unit, grades: Sequence[Grade | Ungraded | None]) -> UnitMean:
    """The mean score of a unit; all must have been graded."""
    given = [grade for grade in grades if isinstance(grade, Grade)]
    return unit_mean(given, [question.weight for question in unit])


def _why_waiting(waiting: Sequence[Waiting]) -> str:
    if len(waiting) == 1:
        return f"the answer to question '{waiting[0].id[:80]}' waits for a grade by people"
    return f"{len(waiting)} answers wait for a grade by people, the first to question '{waiting[0].id[:80]}'"
