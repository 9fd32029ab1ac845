"""Examines the cells of a sweep: candidates, scopes, a record and settings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.certificate.attempts.attempt import PAIRS
from vivavoce.certificate.attempts.log import attempts, limit_of
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, brief
from vivavoce.certificate.claims.many_scopes_finding import tails
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.graders.rule_grading import ByRule
from vivavoce.errors import BadInput, CandidateError, NotEnoughEvidence, NotOnRecord, OtherTerms, TranscriptError, VivavoceError
from vivavoce.examination.parts.certificate import CertificatePlan, check_gradable, judged_grading
from vivavoce.examination.sweep.plan import SPLIT, TOGETHER, CellOutcome, CellTask, SweepCell, SweepPlan
from vivavoce.formats.wording import name_of
from vivavoce.interview.budget import Budget, Limit, SharedBudget
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import VendorBatchCandidate
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import check_rule

Tell = Callable[[Progress], None]
ALL: Final = "all together"
"""The name of all scopes taken as one."""


class InterviewMaker(Protocol):
    """Makes interviews."""

    def interview(
        self,
        candidate: Any,
        transcript: Transcript,
        *,
        expected: int | None,
        on_progress: Tell | None,
        shared_budget: SharedBudget,
        from_record: bool = False,
    ) -> Interview[Prompt, Reply]:
        """An interview over the record within a budget, or from the record alone."""
        ...


@dataclass(frozen=True, slots=True)
class SweepScope:
    """An opened scope, with the claim about it."""

    section: CertificatePlan
    scope: Any
    title: str
    """Display name."""
    together: bool = False
    """Whether it is all scopes together, on which candidates are compared but not certified."""


def subjects_of(plan: SweepPlan) -> tuple[SweepScope, ...]:
    """The scopes of the plan, divided into categories if it says so; all scopes together come last, if candidates are compared
    on them.

    Raises `BadInput`, and the errors of opening a scope.
    """
    rows: list[tuple[CertificatePlan, Any]] = []
    for section in plan.certificates:
        scope = open_scope(section.scope)
        check_gradable(section, scope)
        for question in getattr(scope, "questions", ()) if plan.compare is not None else ():
            check_rule(question)
        parts = by_category([scope]) if plan.split_by == SPLIT else (scope,)
        rows += [(section, part) for part in parts]
    digests = [scope.digest for _, scope in rows]
    twice = next((scope for _, scope in rows if digests.count(scope.digest) > 1), None)
    if twice is not None:
        raise BadInput(f"scopes: '{twice.name[:80]}' and another one have the same questions: leave one out")
    shown = tails([scope.name for _, scope in rows])
    titles = [_title(section, name, split=plan.split_by == SPLIT) for (section, _), name in zip(rows, shown, strict=True)]
    subjects = tuple(SweepScope(section, scope, title) for (section, scope), title in zip(rows, titles, strict=True))
    return with_all_together(subjects) if plan.together else subjects


def with_all_together(subjects: Sequence[SweepScope]) -> tuple[SweepScope, ...]:
    """These scopes, and all of them as one. Raises `BadInput` if their questions can't be drawn in the same way."""
    return (*subjects, _all_together(subjects))


def _all_together(subjects: Sequence[SweepScope]) -> SweepScope:
    """All questions of all scopes as one scope, each with equal weight; answers are those on record for a question's own
    scope."""
    questions: list[Question] = []
    for subject in subjects:
        if not isinstance(subject.scope, ListedScope) or subject.scope.population is None or subject.scope.examples:
            raise BadInput(
                f"[compare] {TOGETHER} weights all questions equally, but '{subject.title}' is endless, or has weights or "
                f"worked examples: leave '{TOGETHER}' out"
            )
        for question in subject.scope.questions:
            cluster = f"{subject.title}/{question.cluster}" if question.cluster else ""
            questions.append(replace(question, category=subject.title, cluster=cluster))
    if len(subjects) < 2:
        raise BadInput(f"[compare] {TOGETHER} is for several scopes: leave it out")
    scope = ListedScope(ALL, tuple(questions), checked=True, parts=tuple(subject.scope.digest for subject in subjects))
    if scope.population is None:
        raise BadInput(f"[compare] {TOGETHER} weights all questions equally, but clusters differ in size: leave it out")
    return SweepScope(subjects[0].section, scope, ALL, together=True)


def _title(section: CertificatePlan, name: str, *, split: bool) -> str:
    if section.title is None:
        return name
    return f"{section.title}: {name.rpartition('#')[2]}" if split else section.title


@dataclass(slots=True)
class ProgressKeeper:
    """Keeps the progress of interviews, to be shown later or not at all."""

    progress: list[Progress | None] = field(default_factory=list)

    def __call__(self) -> Tell:
        """A listener for one more interview."""
        index = len(self.progress)
        self.progress.append(None)

        def tell(progress: Progress) -> None:
            self.progress[index] = progress

        return tell

    @property
    def told(self) -> tuple[Progress, ...]:
        """The progress of interviews that reported any."""
        return tuple(progress for progress in self.progress if progress is not None)

    def hand_on(self, tell: Callable[[], Tell]) -> None:
        """Report it now."""
        for progress in self.told:
            tell()(progress)


@dataclass(slots=True)
class CellExaminer:
    """Examines cells; opens candidates when they are needed, and closes them at the end."""

    plan: SweepPlan
    subjects: tuple[SweepScope, ...]
    transcript: Transcript
    asks: InterviewMaker
    opened: dict[str, Candidate[Prompt, Reply]] = field(default_factory=dict)
    """Opened candidates and judges, by their names in the plan."""
    _names: dict[int, str] = field(default_factory=dict)

    @property
    def scopes(self) -> tuple[SweepScope, ...]:
        """Scopes on which candidates are certified."""
        return tuple(subject for subject in self.subjects if not subject.together)

    def candidate(self, index: int) -> Candidate[Prompt, Reply]:
        """The candidate at this position of the plan."""
        return self._open(self.plan.entrants[index].candidate)

    def name(self, index: int) -> str:
        """The candidate's recorded name, which stays known after the candidate is closed."""
        if index not in self._names:
            self._names[index] = self.candidate(index).name
        return self._names[index]

    def _open(self, name: str) -> Candidate[Prompt, Reply]:
        if name not in self.opened:
            self.opened[name] = open_candidate(name)
        return self.opened[name]

    async def close(self) -> None:
        """Close all candidates."""
        for candidate in self.opened.values():
            await close_candidate(candidate)
        self.opened.clear()

    def by_batch(self, cell: SweepCell) -> bool:
        """Whether every candidate of this cell is asked by batch."""
        judge = None if cell.kind != "certificate" else self.subjects[cell.scope].section.judge
        asked = [*map(self.candidate, cell.candidates), *([] if judge is None else [self._open(judge)])]
        return all(isinstance(candidate, VendorBatchCandidate) for candidate in asked)

    async def examine(self, task: CellTask, tell: Callable[[], Tell]) -> CellOutcome:
        """Examine a cell within its limits; an error in it becomes its outcome.

        If the record has every answer, nothing is asked, not even ahead of a verdict.

        tell: makes a listener to the progress of one more interview.

        Raises `TranscriptError`, because nothing can be kept then, and `OtherTerms` if the plan has changed.
        """
        outcome = await self.from_record(task, tell)
        return await self._examined(task, tell) if outcome is None else outcome

    async def from_record(self, task: CellTask, tell: Callable[[], Tell]) -> CellOutcome | None:
        """The same from the record alone; None if it lacks an answer."""
        if task.again or not self._is_begun(task.cell):
            return None
        latest = ProgressKeeper()
        try:
            outcome = await self._examined(task, latest, from_record=True)
        except NotOnRecord:
            return None
        latest.hand_on(tell)
        return outcome

    async def _examined(self, task: CellTask, tell: Callable[[], Tell], *, from_record: bool = False) -> CellOutcome:
        how = self._certify if task.cell.kind == "certificate" else self._compare
        try:
            return await how(task, tell, from_record)
        except (TranscriptError, OtherTerms):
            raise
        except NotEnoughEvidence as error:
            return CellOutcome(task.cell, reason=f"not enough evidence: {error}")
        except VivavoceError as error:
            return CellOutcome(task.cell, reason=f"{error}", unreachable=isinstance(error, CandidateError))

    async def begin(self, task: CellTask) -> None:
        """Write the attempt of a cell to the record, with its seed, unless it is there; nothing is asked."""
        if task.again or not self._is_begun(task.cell):
            await self._examined(replace(task, budget=Budget(questions=0)), lambda: lambda _: None)

    def _is_begun(self, cell: SweepCell) -> bool:
        scope = self.subjects[cell.scope].scope
        names = sorted(map(self.name, cell.candidates))
        held = attempts(self.transcript, names[0] if len(names) == 1 else PAIRS)
        here = [attempt.terms for attempt in held if attempt.terms.candidate == " vs. ".join(names)]
        return any(terms.meets((brief(scope.name), scope.digest)) for terms in here)

    def _interview(
        self, candidate: Any, budget: SharedBudget, on_progress: Tell, *, from_record: bool
    ) -> Interview[Prompt, Reply]:
        return self.asks.interview(
            candidate,
            self.transcript,
            expected=None,
            on_progress=on_progress,
            shared_budget=budget,
            from_record=from_record,
        )

    async def _certify(self, task: CellTask, tell: Callable[[], Tell], from_record: bool) -> CellOutcome:
        assert task.family is not None
        [index], subject = task.cell.candidates, self.subjects[task.cell.scope]
        section, scope, budget = subject.section, subject.scope, SharedBudget(task.budget)
        interview = self._interview(self.candidate(index), budget, tell(), from_record=from_record)
        grading: Any = ByRule()
        if section.judge is not None:
            judge = self._interview(self._open(section.judge), budget, tell(), from_record=from_record)
            grading = judged_grading(section, scope, judge, ahead=2 * interview.concurrency)
        judged = section.judge is not None
        limit = limit_of(section.claim.unacceptable_limit, interview, [scope], again=task.again, graded=judged)
        scopes = await certify(
            interview,
            [scope],
            Criterion(section.claim.passing_grade, limit, section.claim.delta),
            Composition(grading=grading, correction=task.family.rule, family=task.family),
            seed=seed_for(self.plan.plan.seed, interview.candidate.name),
            questions=section.questions,
            again=task.again,
        )
        return CellOutcome(task.cell, scopes, questions=scopes.asked, usage=scopes.spending, ended=interview.exhausted)

    async def _compare(self, task: CellTask, tell: Callable[[], Tell], from_record: bool) -> CellOutcome:
        assert self.plan.compare is not None
        each = _divided(task.budget, len(task.cell.candidates))
        interviews = [
            self._interview(self.candidate(candidate), SharedBudget(each), tell(), from_record=from_record)
            for candidate in task.cell.candidates
        ]
        scope = self.subjects[task.cell.scope].scope
        config = replace(self.plan.compare, seed=seed_for(self.plan.plan.seed, scope.digest))
        again = task.again or not self._is_begun(task.cell)  # with one more candidate it is another attempt, and counted as one
        comparison = await compare(interviews, scope, config, again=again, share=task.share)
        ended: Limit = next((interview.exhausted for interview in interviews if interview.exhausted), "")
        comparison = replace(comparison, title=self.subjects[task.cell.scope].title)
        return CellOutcome(
            task.cell,
            comparison,
            questions=sum(candidate.questions for candidate in comparison.candidates),
            usage=sum((candidate.spending for candidate in comparison.candidates), Usage()),
            ended=ended,
        )


def seed_for(seed: int | None, cell: str) -> int | None:
    """The seed of a candidate's certificates, or of a scope's comparison, if the plan has a seed; each draws independently.

    >>> seed_for(0, "bot:a") == seed_for(0, "bot:b"), seed_for(None, "bot:a")
    (False, None)
    """
    return None if seed is None else int(hashlib.sha256(f"{seed} {cell}".encode()).hexdigest()[:8], 16)


def _divided(budget: Budget, number: int) -> Budget:
    return Budget(
        None if budget.questions is None else budget.questions // number,
        None if budget.tokens is None else budget.tokens // number,
        None if budget.money is None else budget.money / number,
    )


def names_shown(plan: SweepPlan, names: Mapping[int, str]) -> list[str]:
    """Display names of the candidates: those of the plan, else the recorded names without their common parts."""
    from vivavoce.certificate.comparison.compared import short_names

    several = len(plan.entrants) > 1
    short = short_names([names[index] for index in range(len(plan.entrants))]) if several else (name_of(names[0]),)
    return [entrant.name or text for entrant, text in zip(plan.entrants, short, strict=True)]
