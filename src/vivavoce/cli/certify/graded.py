"""`viva certify` with a judge or people as graders: options that go together, the examination, the sheet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import BATCH, JUDGE_ONLY, GradingConfig
from vivavoce.cli.asking import on_record
from vivavoce.cli.certify.request import CertifyRequest
from vivavoce.cli.output import RecordSummary, check_output, rows_into
from vivavoce.cli.verdict_options import check_judge, judge_of, open_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.certificate.config import GradingConfig, PredictionsConfig
    from vivavoce.certificate.graders.graders import Graders
    from vivavoce.certificate.graders.judge import Judge
    from vivavoce.certificate.graders.people import People
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Results
    from vivavoce.interview.transcript import Transcript


def graded(
    request: CertifyRequest, candidate: Candidate[Prompt, Reply], scopes: Sequence[Any]
) -> tuple[ClaimFinding, RecordSummary | None]:
    """Run the examination with its graders; returns the finding, and the record's summary unless in memory."""
    from vivavoce.interview.candidate import takes_terminal

    asking, judging = request.asking, open_judge(request.config.grading)
    with rows_into(asking.results, *request.front) as results:
        examination = _GradedExamination(request, candidate, judging, scopes, results)
        quiet = asking.quiet or takes_terminal(candidate, judging)
        return on_record(asking.transcript, examination.on, quiet=quiet, head=asking.head, graded=candidate)


def write_sheet_of(found: ClaimFinding, sheet: Path | None, *, err: bool) -> None:
    """Write the answers that wait for people to a sheet, if requested; `err`: print its name on standard error."""
    from vivavoce.certificate.graders.people import write_sheet

    given = found.grading
    if sheet is not None and given is not None and given.waiting:
        write_sheet(sheet, given.waiting)
        click.echo(f"Sheet: {sheet}, {len(given.waiting)} answers to grade", err=err)


@dataclass(slots=True)
class _GradedExamination:
    """An examination with a judge, people or both."""

    request: CertifyRequest
    candidate: Candidate[Prompt, Reply]
    judging: Candidate[Prompt, Reply] | None
    scopes: Sequence[Any]
    results: Results | None

    async def on(self, transcript: Transcript, on_progress: Callable[[Progress], None]) -> ClaimFinding:
        """Run the examination, then close candidate and judge."""
        from vivavoce.candidates import close_candidate

        try:
            return await self._held(transcript, on_progress)
        finally:
            for one in (self.candidate, self.judging):
                if one is not None:
                    await close_candidate(one)

    async def _held(self, transcript: Transcript, on_progress: Callable[[Progress], None]) -> ClaimFinding:
        from vivavoce.certificate.certify import certify
        from vivavoce.interview.budget import Budget, SharedBudget

        request, asking, length = self.request, self.request.asking, self.request.config.length
        shared_budget = SharedBudget(Budget(tokens=asking.tokens, money=asking.money))
        interview = asking.interview(
            self.candidate,
            transcript,
            expected=length.questions,
            on_progress=on_progress,
            shared_budget=shared_budget,
            results=self.results,
        )
        judge = self._judge(transcript, shared_budget)
        found: ClaimFinding = await certify(
            interview,
            request.subject(self.scopes),
            request.criterion(interview, self.scopes, graded=True),
            request.composition(self._graders(judge, ahead=interview.ahead), request.history(self.scopes[0])),
            seed=request.config.population.seed,
            questions=length.questions,
            again=request.again,
        )
        return found

    def _judge(self, transcript: Transcript, shared_budget: SharedBudget) -> Judge | None:
        from vivavoce.certificate.claims.claim import brief

        if self.judging is None:
            return None
        interview = self.request.asking.interview(
            self.judging, transcript, expected=None, on_progress=None, shared_budget=shared_budget
        )
        return judge_of(self.request.config.grading, interview, "many" if self.request.several else brief(self.scopes[0].name))

    def _graders(self, judge: Judge | None, *, ahead: int) -> Graders:
        from vivavoce.certificate.graders.graders import Graders

        grading = self.request.config.grading
        return Graders(
            judge=judge,
            people=_people(grading) if grading.by_people else None,
            further=self.request.config.predictions.judge_only or JUDGE_ONLY,
            batch=grading.batch or BATCH,
            zero_is_ridiculous=grading.zero_is_ridiculous,
            unreadable=grading.unreadable,
            ahead=ahead,
        )


def _people(grading: GradingConfig) -> People:
    from vivavoce.certificate.graders.people import People, read_grades

    return People(() if grading.grades is None else read_grades(grading.grades))


def check_grading(grading: GradingConfig, predictions: PredictionsConfig, *, on_transcript: bool) -> None:
    """Refuse options that do not fit together; `on_transcript`: whether answers are kept."""
    check_judge(grading)
    if grading.batch is not None and not grading.by_people:
        raise click.UsageError("'--batch' is for people: give '--grades FILE' or '--sheet FILE'.")
    if predictions.judge_only is not None and not (grading.judge and grading.by_people):
        raise click.UsageError(
            "'--judge-only' is for a judge and people together: give '--judge', and '--grades' or '--sheet'."
        )
    if grading.sheet is not None and grading.judge is not None and not on_transcript:
        raise click.UsageError(
            "'--sheet' with a judge needs '--transcript FILE': the key to which answers people grade is kept with it."
        )
    if grading.sheet is not None and grading.sheet.exists():
        raise click.UsageError(f"--sheet {grading.sheet}: the file exists and may hold grades; give another name.")
    check_output("--sheet", grading.sheet)


def check_graders(grading: GradingConfig, scopes: Sequence[Any]) -> None:
    """Refuse scopes that have no grader."""
    questions = (question for scope in scopes for question in getattr(scope, "questions", ()))
    lost = next((question for question in questions if question.open_ended), None)
    if not grading.by_graders and lost is not None:
        raise click.UsageError(
            f"question '{lost.id[:80]}' has no answer but a rubric: give '--judge', '--grades' or '--sheet'."
        )
