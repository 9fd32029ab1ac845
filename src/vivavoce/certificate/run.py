"""One run of an examination: it gives out questions, takes answers, counts grades, and signs the finding."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from math import ceil

import numpy as np

from vivavoce.certificate.attempts.attempt import PROCEDURE_VERSION, AttemptHistory
from vivavoce.certificate.attempts.grades_log import Gradebook, GradedUnit, PeopleGrade, grades_taken
from vivavoce.certificate.attempts.log import ended
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict, brief, range_of
from vivavoce.certificate.claims.draws import Draws, questions_in, value_of
from vivavoce.certificate.config import Procedure, Unreadable
from vivavoce.certificate.design.drawing import Endurance, Population
from vivavoce.certificate.design.history import history_caveats
from vivavoce.certificate.evidence.inference import ALIKE, Inference, InternedList
from vivavoce.certificate.graders.grades import PARTIAL_CREDIT
from vivavoce.certificate.graders.trace import GradedBy, RunTally, marks_of
from vivavoce.certificate.report.caveats import (
    CertificateFacts,
    UngradedReplies,
    assumed_words,
    caveats,
    ignored_caveats,
)
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.commitment import CommittedSecret
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Grade, Scope, Signature, unknowable
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean, as_wrong, as_zero
from vivavoce.version import __version__


def signed(
    examination: str, candidate: str, *, scope: str, digest: str, criterion: Criterion, seed: int, **settings: object
) -> Signature:
    """The signature of a finding: the criterion, and everything else that was fixed before the first question.

    The scope's name omits the folders of its file, which would reveal details of the examiner's machine; the digest identifies
    it.

    >>> signed("certificate", "bot:x", scope="sums", digest="ab" * 32, criterion=Criterion(), seed=0).settings["delta"]
    0.05
    """
    return Signature(
        version=__version__,
        examination=examination,
        candidate=candidate,
        scope=" + ".join(map(brief, scope.split(" + "))),
        scope_digest=digest,
        seed=seed,
        # numpy's random streams may change from release to release
        settings=asdict(criterion) | settings | {"bets": PROCEDURE_VERSION, "numpy": np.__version__},
    )


def as_asked(certificate: Certificate, interview: Interview[Prompt, Reply], *further: str) -> Certificate:
    """The certificate with the way its candidate was asked (in the signature, and as caveats) and the limit of the budget that
    ended it.

    further: caveats of other interviews, such as the judge's.
    """
    caveats = dict.fromkeys((*interview.manner, *further))
    signature = replace(certificate.signature, settings={**certificate.signature.settings, **interview.settings})
    return replace(certificate, caveats=(*certificate.caveats, *caveats), signature=signature, ended=interview.ended)


_FURTHER = 30
"""After a fail by assumption at n questions, the run ends undecided after 2n plus this many questions."""


@dataclass(frozen=True, slots=True)
class RunTerms:
    """Settings of a run that are fixed before its first question, besides those of its inference."""

    procedure: Procedure = "sequential"
    limit: int | None = None
    """The most questions (sequential), or their number (fixed); a unit that would exceed it is not asked."""
    unreadable: Unreadable = "interval"
    """How to score an unparsed reply: anything (see `evidence.sequential`), or nothing."""
    endurance: Endurance = Endurance()  # noqa: RUF009 -- frozen
    """How long to examine a candidate that may change."""
    design: Mapping[str, object] = field(default_factory=dict)
    """How questions are drawn, for the signature."""
    graded: Mapping[str, object] = field(default_factory=dict)
    """The graders, if not only the scope's own rule, for the signature of the finding."""
    judged: bool = False
    """Whether unparsed judgements are possible."""
    ruled: bool = False
    """Whether the scope's own rule grades some of the questions all the same."""
    draws: Draws | None = None
    """How often each question is answered, and the claim about these answers."""
    rows: bool = False
    """Whether a file of results is wanted, with a row for each answer."""

    @property
    def graded_by(self) -> GradedBy:
        """The grader, at least of questions that no rule can grade."""
        return "judge" if self.judged else "people" if self.graded.get("graded_by_people") else "rule"

    @property
    def partial_credit(self) -> bool:
        """Whether grades between 0 and 1 are expected, by the rule or the grader."""
        return self.graded.get(PARTIAL_CREDIT) is True

    def limited(self, units: Iterator[Unit]) -> Iterator[Unit]:
        """The units up to the limit."""
        drawn = 0
        for unit in units:
            drawn += len(questions_in(unit, self.draws))
            if self.limit is not None and drawn > self.limit:
                return
            yield unit

    def mean_of(self, unit: Unit, grades: Sequence[Grade]) -> UnitMean:
        """The score of a unit."""
        return value_of(unit, grades, self.draws)


@dataclass(frozen=True, slots=True)
class StartedExamination:
    """An examination whose terms are on record."""

    interview: Interview[Prompt, Reply]
    scopes: tuple[Scope[Question], ...]
    populations: tuple[Population, ...]
    """How each of them is drawn."""
    criterion: Criterion
    """The requested criterion; its delta covers all attempts."""
    terms: RunTerms
    attempt: AttemptHistory

    @property
    def scope(self) -> Scope[Question]:
        """The first scope."""
        return self.scopes[0]

    @property
    def population(self) -> Population:
        """How the first is drawn."""
        return self.populations[0]

    @property
    def own(self) -> Criterion:
        """The criterion with this attempt's share of delta."""
        return replace(self.criterion, delta=self.attempt.delta)

    @property
    def seed(self) -> int:
        """The seed of the order in which questions are drawn."""
        return self.attempt.seed.number

    @property
    def first_draw(self) -> int:
        """The first draw of each question."""
        return self.attempt.held.first_draws.get(self.interview.name_on_record, 0)

    def draw(self) -> Iterator[Unit]:
        """Units of the first scope."""
        return self.population.draw(np.random.default_rng(self.seed))


class CertificateRun:
    """Takes the answers in drawn order, and ends at a verdict or once there can't be one.

    inference: what the grades show, for the design and the times of testing.
    """

    def __init__(self, scope: Scope[Question], inference: Inference, terms: RunTerms = RunTerms()) -> None:
        self.inference = inference
        inference.partial_credit = terms.partial_credit
        self._as_read: Inference | None = None
        """The inference if replies that are assumed wrong are wrong; None while there are none."""
        self._failed_at: int | None = None
        """Questions after which it failed as read."""
        self._scope = scope
        self._terms = terms
        self._tally = RunTally(terms.draws, by=terms.graded_by, ruled=terms.ruled)
        self._waiting: deque[Unit] = deque()
        self._grades: list[Grade] = []
        self._replies: list[Reply | NoAnswer] = []
        self._taken = InternedList[GradedUnit]()
        self.answers = 0
        """How many have been taken."""
        self._marks: list[ResultMark] = []
        self._if_anew_wrong: Inference | None = None
        """The inference if repeated answers counted 0; None until there is one."""

    def prompts(self, units: Iterator[Unit]) -> Iterator[Prompt]:
        """The questions to ask, unit by unit, up to the limit."""
        for unit in self._terms.limited(units):
            self.expect(unit)
            yield from map(self._scope.prompt, unit)

    def expect(self, unit: Unit) -> None:
        """Expect the answers to this unit next, after the units expected before."""
        self._waiting.append(unit)

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return self.inference.verdict

    @property
    def over(self) -> bool:
        """Whether further answers change nothing: there is a verdict, or unparsed replies prevent any.

        If it fails only because of replies that are assumed wrong, the same number of further questions may show that it fails
        anyway.
        """
        if self.verdict is not Verdict.UNDECIDED or self._as_read is None:
            return self.inference.over
        if self._failed_at is not None:
            return self.inference.over or self._tally.questions >= 2 * self._failed_at + _FURTHER
        return self.inference.over and self._as_read.over

    def take(self, answer: Reply | NoAnswer) -> Verdict:
        """Grade the answer to the oldest question that waits for one; the verdict after it."""
        return self.take_grade(answer, self._graded(answer))

    def _graded(self, answer: Reply | NoAnswer) -> Grade:
        """The grade by the scope's rule, unless the value of the answer is unknown."""
        return unknowable(answer) or self._scope.grade(self._waiting[0][len(self._grades)], answer)

    def take_grade(self, answer: Reply | NoAnswer, grade: Grade) -> Verdict:
        """Take an answer with a grade from another grader, to the oldest question that waits for one; the verdict after it."""
        grade = grade if self._terms.unreadable == "interval" else as_wrong(grade)
        unit = self._waiting[0]
        self.answers += 1
        self._tally.add(unit[len(self._grades)], answer, grade)
        self._grades.append(grade)
        self._replies.append(answer)
        if len(self._grades) == len(unit):
            self._finish(self._waiting.popleft())
        return self.verdict

    @property
    def taken(self) -> Iterator[GradedUnit]:
        """The units in drawn order with the grades that counted, judged by their laws; the last may lack some of its grades."""
        return chain(self._taken, [GradedUnit.of(self._waiting[0], self._grades)] if self._grades else [])

    @property
    def marks(self) -> list[ResultMark]:
        """The marks for rows of a file of results; none without such a file."""
        if not self._terms.rows:
            return []
        return [*self._marks, *(self._marks_of(self._waiting[0], self._grades) if self._grades else [])]

    def _marks_of(self, unit: Unit, grades: Sequence[Grade]) -> list[ResultMark]:
        return marks_of(unit, grades, scope=self._scope.name, draws=self._terms.draws)

    def certificate(self, candidate: str, exhausted: str, spending: Usage, seed: int) -> Certificate:
        """The finding on the answers taken. `exhausted` names what ended them, such as the budget's limit, if anything did."""
        if not exhausted:
            self.inference.conclude()
            for what_if in (self._as_read, self._if_anew_wrong):
                if what_if is not None:
                    what_if.conclude()
        tally, inference, criterion = self._tally, self.inference, self.inference.criterion
        score, rate = inference.intervals()
        mean, order, unread = inference.estimates(), inference.order(), self._unread
        history = inference.history(candidate)
        decided, units = self.verdict is not Verdict.UNDECIDED, len(self._taken)
        unexamined = not decided and not exhausted and self._left_open(mean)
        return Certificate(
            verdict=self.verdict,
            candidate=candidate,
            scope=self._scope.name,
            scope_size=getattr(self._scope, "size", None),
            criterion=criterion,
            procedure=self._terms.procedure,
            questions=tally.questions,
            complete=inference.complete,
            score=Estimate(None if mean is None else mean.score, Interval(*score), units),
            unacceptable=Estimate(None if mean is None else mean.unacceptable, Interval(*rate), units),
            unacceptable_count=tally.unacceptable,
            replies=tally.replies,
            if_anew_wrong=self.if_anew_wrong,
            overlooked=tally.overlooked,
            path=tally.path.points,
            threshold=-float(np.log(criterion.delta)),
            worst=tally.worst.answers,
            why_not="" if decided else self._why_not(exhausted, mean),
            still_needed=None if decided else self._still_needed(),
            spending=spending,
            caveats=self._caveats(changed=order is not None and order.changed) + history_caveats(history),
            signature=self._signature(candidate, seed),
            strata=inference.strata,
            largest_weight=inference.largest_weight,
            broken_laws=tally.laws.found,
            score_range=None if mean is None else range_of(mean.score, mean.upper),
            unacceptable_range=None if mean is None else range_of(mean.unacceptable, mean.maybe),
            unread=tally.unread.replies,
            assumed_count=tally.assumed.count,
            assumed=tally.assumed.replies,
            remedies=unread.remedies if unexamined else (),
            unexamined=unexamined,
            order=order,
            draws=None if tally.drawn is None else tally.drawn.found,
            history=history,
            agent=tally.agent.found,
        )

    def certificates(self, candidate: str, exhausted: str, spending: Usage, seed: int) -> tuple[Certificate, ...]:
        """The only one."""
        return (self.certificate(candidate, exhausted, spending, seed),)

    async def finish(
        self,
        begun: StartedExamination,
        certificates: Sequence[Certificate],
        exhausted: str,
        people: tuple[PeopleGrade, ...] = (),
        places: CommittedSecret | None = None,
    ) -> Certificate:
        """Put the end and the grades on record; the certificate.

        places: which answers people grade in addition to a judge; then only people's grades go on record.
        """
        [certificate] = certificates
        interview, grades = begun.interview, None
        if places is None:
            grades = grades_taken(self.taken, interview.handed_out, begun.scope, begun.population, exhausted)
        book, looked = Gradebook(grades=grades, people=people), self.inference.looked
        return await ended(interview, certificate, begun.criterion, begun.attempt, book=book, places=places, looked=looked)

    def _signature(self, candidate: str, seed: int) -> Signature:
        return signed(
            "certificate",
            candidate,
            scope=self._scope.name,
            digest=self._scope.digest,
            criterion=self.inference.criterion,
            seed=seed,
            procedure=self._terms.procedure,
            questions=self._terms.limit,
            unreadable=self._terms.unreadable,
            **self._terms.endurance.settings,
            **self._terms.design,
            **({PARTIAL_CREDIT: True} if self._terms.partial_credit else {}),
        )

    @property
    def if_anew_wrong(self) -> Verdict | None:
        """The verdict if repeated answers counted 0; None if there are none."""
        return None if self._if_anew_wrong is None else self._if_anew_wrong.verdict

    def _finish(self, unit: Unit) -> None:
        anew = [reply.met == "asked again" for reply in self._replies]
        grades = self._tally.add_unit(unit, self._replies, self._grades)
        self._taken.append(GradedUnit.of(unit, grades))
        if self._terms.rows:
            self._marks += self._marks_of(unit, grades)
        self._grades, self._replies = [], []
        early = self._tally.questions < (self._terms.endurance.at_least or 0)
        if any(anew) and self._if_anew_wrong is None:
            self._if_anew_wrong = deepcopy(self.inference)
        if self._if_anew_wrong is not None:
            absurd = bool(getattr(self._scope, "zero_is_unacceptable", False))
            worst = [as_zero(grade, unacceptable=absurd) if again else grade for grade, again in zip(grades, anew, strict=True)]
            self._if_anew_wrong.add(unit, worst, self._terms.mean_of(unit, worst), early=early)
        if self._as_read is None and self.inference.can_fork and any(grade.assumed for grade in grades):
            self._as_read = deepcopy(self.inference)
        if self._as_read is not None:
            as_read = [grade.as_read for grade in grades]
            self._as_read.add(unit, as_read, self._terms.mean_of(unit, as_read), early=True)
            if self._failed_at is None and self.fails_as_read:
                self._failed_at = self._tally.questions
        evidence = self.inference.add(unit, grades, self._terms.mean_of(unit, grades), early=early)
        if evidence is not None:
            self._tally.path.add(self._tally.questions, evidence)

    @property
    def fails_as_read(self) -> bool:
        """Whether it fails if the replies that are assumed wrong are wrong."""
        return self._as_read is not None and self._as_read.verdict is Verdict.FAIL

    @property
    def _unread(self) -> UngradedReplies:
        tally, terms = self._tally, self._terms
        return UngradedReplies.of(tally.replies, tally.outcomes.total(), judged=terms.judged, ruled=terms.ruled)

    def _left_open(self, mean: UnitMean | None) -> bool:
        """Whether unparsed replies leave both verdicts possible."""
        if mean is None or mean[:2] == mean[2:] or self.inference.range_of_read:
            return False
        grade, limit = self.inference.criterion.passing_grade, self.inference.criterion.unacceptable_limit
        by_rate = limit is not None and mean.unacceptable <= limit < mean.maybe
        return by_rate or mean.score < grade <= mean.upper

    def _why_not(self, exhausted: str, mean: UnitMean | None) -> str:
        if exhausted:
            return self._unread.words if self._unread.is_all else f"the budget for {exhausted} is used up"
        if not self._tally.questions:
            return "nothing was asked"
        if self.fails_as_read:
            return assumed_words(self._tally.assumed.count)
        if self._left_open(mean):
            return self._left_open_by
        return self.inference.why_not(self._terms.limit) or self._insufficient()

    @property
    def _left_open_by(self) -> str:
        """A clause on the replies that leave it open."""
        unread, assumed = self._unread, self._tally.assumed.count
        if not assumed:
            return unread.words
        replies = f"{assumed} short {'reply counts' if assumed == 1 else 'replies count'} as wrong by assumption alone"
        return f"{unread.words}, and {replies}" if unread.count or unread.faults or unread.orphans else replies

    def _insufficient(self) -> str:
        number = self._tally.questions
        allowed = f"{number} questions" if number > 1 else "one question"
        faults = self._unread.faulted_words
        return f"the evidence is not sufficient within the {allowed} allowed" + (f", and {faults}" if faults else "")

    def _still_needed(self) -> int | None:
        needed = self.inference.still_needed()
        if needed is not None and self._terms.draws is not None:
            needed = ceil(needed / self._terms.draws.number)
        return None if needed is None else max(needed, (self._terms.endurance.at_least or 0) - self._tally.questions)

    def _caveats(self, *, changed: bool) -> tuple[str, ...]:
        tally, inference, laws = self._tally, self.inference, self._tally.laws.found
        heaviest = inference.largest_weight
        facts = CertificateFacts(
            population=inference.population,
            clustered=tally.questions > len(self._taken),
            unacceptable_limit=inference.criterion.unacceptable_limit,
            exact=inference.complete,
            unread=self._unread,
            unread_is_wrong=self._terms.unreadable == "wrong",
            zero_is_unacceptable=bool(getattr(self._scope, "zero_is_unacceptable", False)),
            replies=tally.replies,
            if_anew_wrong=self.if_anew_wrong,
            overlooked=tally.overlooked,
            decided=self.verdict is not Verdict.UNDECIDED,
            changed=changed,
            strata_unasked=sum(not stratum.questions for stratum in inference.strata),
            largest_weight=None if heaviest is None or heaviest <= ALIKE else heaviest,
        )
        repeated = () if tally.drawn is None else tally.drawn.found.caveats
        done = tally.agent.found
        did = () if done is None else done.caveats
        return (() if laws is None else laws.caveats) + caveats(facts) + repeated + did + ignored_caveats([self._scope])
