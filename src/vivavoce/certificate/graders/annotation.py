"""Where answers meet their grades, unit by unit; with a judge and people both, block by block."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.finding import Certificate, Criterion, Verdict
from vivavoce.certificate.gradebook import Gradebook, PeopleGrade, grades_taken
from vivavoce.certificate.graders.agreement import agreement_of
from vivavoce.certificate.graders.grading import Grader, Grading, Judged, Ungraded, Waiting, answer_key
from vivavoce.certificate.graders.judge import Judge
from vivavoce.certificate.graders.places import Places
from vivavoce.certificate.graders.predicted import PredictedSequentialTest, independent
from vivavoce.certificate.importance_weighting import ImportanceWeighting
from vivavoce.certificate.questions import Question, Unit, mixed
from vivavoce.certificate.rows import mark_of
from vivavoce.certificate.run import Run
from vivavoce.certificate.score import UnitMean, Unreadable, as_wrong, unit_mean
from vivavoce.certificate.strata import Strata
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read_after_turn
from vivavoce.interview.record import digest_of
from vivavoce.interview.results import Mark as RowMark
from vivavoce.interview.scope import Grade, Scope, unknowable

G = TypeVar("G", bound=Grade | Ungraded | None)


@dataclass(frozen=True, slots=True)
class Graders:
    """Who grades; at least one of them.

    With people alone, or with a judge alone, every answer is graded by them. With both, the judge grades all, and people one in
    each `further + 1`, drawn in private once the judge has graded these.

    Where some questions of a scope have a rubric and others do not (`questions.mixed`), the scope's own rule grades the others
    (`Question.for_rule`), and its grade is exact. That is sound in each design. What is examined is the mean of a grade that
    every answer has, by the rule or by graders; whose it is hangs on the question alone, and questions are drawn as they were
    before, so that in drawn order each grade has the mean sought, given all before it. The judge alone: the grade is the rule's
    or the judge's. People alone: the rule's or people's, and no answer to a question of the first kind waits. Both: of the
    question at a block's place the value looked up is the rule's grade or people's; the prediction for a question of the first
    kind is the rule's grade itself, and predictions may be anything that does not depend on the place, which is drawn among all
    of the block as before. People are needed at the places alone that fall on questions with a rubric.
    """

    judge: Judge | None = None
    people: Grader | None = None
    further: int = 4
    """Answers that the judge alone grades for each one that people do."""
    batch: int = 20
    """The examination stops when this many answers wait for people."""
    zero_is_ridiculous: bool = False
    unreadable: Unreadable = "interval"
    """What a judgement is worth that cannot be read, where the judge's grades decide: anything, or nothing."""
    rule: bool = True
    """Whether the rule grades questions without a rubric where others have one; else graders grade all."""

    def __post_init__(self) -> None:
        if self.judge is None and self.people is None:
            raise BadInput("nobody grades: name a judge, or give people's grades")
        if self.further < 1 or self.batch < 1:
            raise BadInput(f"{self.further} further answers and batches of {self.batch}: both must be at least 1")

    def mix(self, scope: object) -> bool:
        """Whether this scope's own rule grades some of its questions, and these graders the others."""
        return self.rule and mixed(getattr(scope, "questions", ()))

    @property
    def both(self) -> bool:
        """Whether people's grades and the judge's count together."""
        return self.judge is not None and self.people is not None


@dataclass(frozen=True, slots=True)
class Mark:
    """An answer with what each grader says; None for one who is not asked."""

    question: Question
    asked: Prompt
    answer: Reply | NoAnswer
    judge: Grade | Ungraded | None
    people: Grade | Ungraded | None
    unreadable: int = 0
    """Of the judge's judgements."""
    spending: Usage = field(default_factory=Usage, compare=False)
    """On these judgements."""
    number: int = 0
    """Its place in drawn order, from 0."""
    by_rule: bool = False
    """Whether the scope's own rule graded it; its grade stands for judge and people then."""


@dataclass(frozen=True, slots=True)
class Block:
    """Units of which the judge has graded all, and people grade one."""

    units: tuple[tuple[Unit, tuple[Mark, ...]], ...]
    place: int
    """Of the one for people, from 0; drawn when all judgements were there."""


class Annotation:
    """Where answers meet their grades, unit by unit."""

    def __init__(
        self,
        scope: Scope[Question],
        criterion: Criterion,
        graders: Graders,
        limit: int | None,
        design: Strata | ImportanceWeighting | None,
        endurance: Endurance = Endurance(),  # noqa: B008 -- frozen
    ) -> None:
        self._mixed = graders.mix(scope)
        self.scope = independent(scope) if graders.both else scope
        self._test = PredictedSequentialTest(criterion, further=graders.further) if graders.both else None
        self._run = Run(
            self.scope,
            criterion,
            "sequential",
            limit=limit,
            design=design,
            predicted=self._test,
            unreadable=graders.unreadable,
            judged=graders.people is None,
            ruled=self._mixed,
            endurance=endurance,
        )
        self._graders = graders
        self._limit = limit
        self._asked: deque[Question] = deque()
        self._turns: deque[Unit] = deque()
        self._marks: list[Mark] = []
        self._pairs: list[tuple[Grade, Grade]] = []
        self._waiting: dict[str, Waiting] = {}
        self._counted: list[str] = []
        self._judged_only = self._ruled_only = self._by_rule = self._by_judge = self._judgements = self._unreadable = 0
        self._exhausted = ""
        self._design = design
        self._marked = 0
        self._by_people: dict[int, Grade] = {}
        self._taken = 0
        """Marks, waiting ones included."""
        self.over = False
        """Whether there is a certificate; what was asked ahead counts for nothing then."""
        self.marks: dict[int, RowMark] = {}
        """By the number of an answer that was taken, what its row in a file of results says about it."""
        self._judge_spending = Usage()
        """On what was taken: what was judged ahead depends on who was quick."""

    def prompts(self, units: Iterator[Unit]) -> Iterator[Prompt]:
        """What to ask, unit by unit, up to the limit."""
        drawn = 0
        for unit in units:
            drawn += len(unit)
            if self._limit is not None and drawn > self._limit:
                return
            self._turns.append(unit)
            self._asked.extend(unit)
            yield from map(self.scope.prompt, unit)

    def mark(self, asked: Prompt, answer: Reply | NoAnswer) -> Coroutine[Any, Any, Mark]:
        """Have the answer to the question asked next graded: by the judge, and by people if they grade alone."""
        self._marked += 1
        return self._mark(self._asked.popleft(), asked, answer, self._marked - 1)

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
                graded.append(replace(mark, people=self._strictly(given, read_after_turn(mark.asked, mark.answer))))
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

    def certificate(self, interview: Interview[Prompt, Reply], seed: int, *, commitment: str = "") -> Certificate:
        """The finding, with who graded; `commitment`: digest of the secret from which places were drawn."""
        judge, graders, self.over = self._graders.judge, self._graders, True
        found = self._run.certificate(
            interview.candidate.name,
            interview.exhausted or self._exhausted,
            interview.spending_after(self._taken) + self._judge_spending,
            seed,
        )
        grading = Grading(
            by_people=graders.people is not None,
            waiting=tuple(self._waiting.values()),
            graded_by_people=len(self._counted),
            counted=tuple(self._counted),
            commitment=commitment,
            by_rule=self._by_rule,
            ruled_only=self._ruled_only,
        )
        if judge is not None:
            grading = replace(
                grading,
                judge=judge.name,
                judge_is_candidate=judge.name == interview.candidate.name,
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
        undecided = found.verdict is Verdict.NO_CONCLUSION
        return replace(
            found,
            why_not=_why_waiting(grading.waiting) if undecided and self._waiting else found.why_not,
            unexamined=found.unexamined and not self._waiting,
            # its estimate is by people's grades alone
            still_needed=None if graders.both else found.still_needed,
            caveats=(*grading.caveats, *found.caveats),
            signature=replace(found.signature, settings={**found.signature.settings, **_settings(graders, self._mixed)}),
            grading=grading,
        )

    def book(self, interview: Interview[Prompt, Reply]) -> Gradebook:
        """What goes on record of the grades; of a judge and people together only what people gave, as a test knows more."""
        records = interview.handed_out
        people = tuple(
            PeopleGrade(record=records[number], score=float(grade.score), ridiculous=grade.ridiculous)
            for number, grade in sorted(self._by_people.items())
        )
        if self._graders.both:
            return Gradebook(people=people)
        exhausted = interview.exhausted or self._exhausted
        return Gradebook(grades=grades_taken(self._run.taken, records, self.scope, self._design, exhausted), people=people)

    async def _mark(self, question: Question, asked: Prompt, answer: Reply | NoAnswer, number: int) -> Mark:
        # with both, people come later: a judge that is asked before or after them would know which answers are theirs
        judge, people = self._graders.judge, None if self._graders.both else self._graders.people
        by_rule = self._mixed and question.for_rule
        if lost := unknowable(answer):  # nobody needs to grade what is worth anything
            return Mark(
                question, asked, NoAnswer(lost.outcome.value, met=answer.met), lost, lost, number=number, by_rule=by_rule
            )
        if isinstance(answer, NoAnswer):
            absent = self._strictly(Grade(0.0, False, Outcome.NO_ANSWER))
            return Mark(question, asked, answer, absent, absent, number=number, by_rule=by_rule)
        if by_rule:
            ruled = self._ruled(question, answer)
            return Mark(question, asked, answer, ruled, ruled, number=number, by_rule=True)
        given = None if people is None else await people.grade(question, asked, answer)
        judged = None if judge is None else await judge.judged(question, asked, answer)
        unreadable, spending = (judged.unreadable, judged.spending) if isinstance(judged, Judged) else (0, Usage())
        said = judged.grade if isinstance(judged, Judged) else judged
        if isinstance(said, Grade) and self._graders.unreadable == "wrong":
            said = as_wrong(said)
        turned = read_after_turn(asked, answer)
        by_judge, by_people = self._strictly(said, turned), self._strictly(given, turned)
        return Mark(question, asked, answer, by_judge, by_people, unreadable, spending, number)

    def _ruled(self, question: Question, answer: Reply) -> Grade:
        grade = self.scope.grade(question, answer)
        if self._graders.unreadable == "wrong":
            grade = as_wrong(grade)
        return self._strictly(grade, grade.after_turn)

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
            self.marks[mark.number] = mark_of(mark.question, given)
            if judge is not None and isinstance(mark.answer, Reply) and not mark.by_rule:
                self._judgements += judge.draws
                self._unreadable += mark.unreadable
                self._judge_spending += mark.spending

    def _strictly(self, grade: G, turned: bool = False) -> G:
        """The grade, ridiculous where its score is 0 if that is so by definition; where it may be 0, it may be.

        turned: whether the answer was read from the reply to the further turn.
        """
        if not isinstance(grade, Grade):
            return grade
        grade = replace(grade, after_turn=turned)
        if not self._graders.zero_is_ridiculous or grade.score > 0:
            return grade
        known = grade.upper_score == 0
        return replace(grade, ridiculous=grade.ridiculous or known, maybe_ridiculous=not known)

    def _take_unit(self, unit: Unit, marks: Sequence[Mark], *, fresh: Sequence[UnitMean] = ()) -> bool:
        """Take a unit whose grades are evidence, unless one of them, or of an earlier unit, is still missing.

        fresh: the judge's means of the other units of its block.
        """
        self._note(marks)
        if self._waiting:
            return len(self._waiting) >= self._graders.batch
        if self._test is not None:
            judged = _mean(unit, [mark.judge for mark in marks])
            least, most = (sum(getattr(one, end) for one in fresh) / len(fresh) for end in ("score", "upper"))
            self._test.foresee(judged.score, least, judged_at_most=judged.upper, fresh_at_most=most)
        graded = [(mark.question.id, mark.answer) for mark in marks if not mark.by_rule]
        by_graders = [answer_key(id_, answer.text) for id_, answer in graded if isinstance(answer, Reply)]
        self._by_rule += sum(mark.by_rule for mark in marks)
        if self._graders.people is None:
            self._by_judge += len(by_graders)
        else:
            self._counted += by_graders
        self._run.expect(unit)
        for mark in marks:
            grade = mark.judge if self._graders.people is None else mark.people
            assert isinstance(grade, Grade)
            self._run.take_grade(mark.answer, grade)
        return self._run.over

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


def terms_of_grading(graders: Graders, scope: object) -> dict[str, Any]:
    """What of the grading makes an attempt on this scope another one."""
    judged = {} if graders.judge is None else {"rubric": digest_of(graders.judge.rubric)}
    strict = {"unreadable": graders.unreadable, "zero_is_ridiculous": graders.zero_is_ridiculous}
    return _settings(graders, graders.mix(scope)) | judged | strict


def _settings(graders: Graders, ruled: bool) -> dict[str, Any]:
    """What of the grading changes the finding, for its signature."""
    settings: dict[str, Any] = {"graded_by_people": graders.people is not None}
    if graders.judge is not None:
        rubric, source = digest_of(graders.judge.rubric)[:12], graders.judge.interview.settings.get("source")
        settings |= {"judge": graders.judge.name, "judge_draws": graders.judge.draws, "rubric": rubric}
        settings |= {} if source is None else {"judge_source": source}
    return settings | ({"judged": graders.further} if graders.both else {}) | ({"by_rule": True} if ruled else {})
