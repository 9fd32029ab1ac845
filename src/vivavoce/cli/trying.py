"""`viva try`: ask a few questions, and show how replies are parsed and graded."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import MOST_TRIED, SAMPLES, TRIED, GradingConfig, PredictionsConfig
from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asked_without_transcript, asking_of
from vivavoce.cli.endings import all_of, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import is_task
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import print_json
from vivavoce.cli.progress import print_checked
from vivavoce.cli.verdict_options import check_graders, check_grading
from vivavoce.formats.json_values import to_json

if TYPE_CHECKING:
    from vivavoce.certificate.claims.claim import GradedAnswer
    from vivavoce.certificate.graders.rule_grading import GradingMethod
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview

GRADED = ("judge", "rubric", "judge_samples", "zero_is_unacceptable")


@command("try", epilog=exit_codes("5 the model or the judge can't be reached"))
@click.argument("candidate", metavar="MODEL [SCOPE]", type=CANDIDATE)
@click.option("--scope", "scope_name", required=True, type=SCOPE, metavar="S", help="Ask this scope; see 'viva list scopes'.")
@click.option(
    "--questions",
    type=options.WholeNumber(1, MOST_TRIED),
    metavar="N",
    default=TRIED,
    show_default=True,
    help=f"Ask N questions, at most {MOST_TRIED}.",
)
@config_options(GradingConfig, only=GRADED, judge={"type": CANDIDATE})
@options.seed("Draw the questions with this seed.")
@asked_without_transcript
@options.JSON
def try_model(*, candidate: str, scope_name: str, questions: int, seed: int, as_json: bool, **given: Any) -> None:
    """Ask MODEL a few questions, and show how each reply is parsed and graded, and why.

    \b
    viva try bot:calculator --scope arithmetic
    viva try chat:llama3.2@http://localhost:11434/v1 --scope file:questions.csv
    viva try bot:eliza --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1 --questions 2

    There is no verdict, no attempt is counted, and no transcript is written. 'viva certify' draws other questions.
    """
    import asyncio

    from vivavoce.scopes import open_scope

    grading = options.taken_out(given, GradingConfig)
    check_grading(grading, PredictionsConfig(), on_transcript=False)
    if is_task(scope_name):
        raise click.UsageError("'viva try' can't run an Inspect task: use 'inspect eval FILE.py@TASK --limit 5'.")
    asking = asking_of(given | {"transcript": None, "quiet": True})
    judge = None if grading.judge is None else partial(_opened, grading.judge)
    scope, model, *judges = all_of(
        partial(open_scope, scope_name, zero_is_unacceptable=grading.zero_is_unacceptable),
        partial(_opened, candidate),
        *filter(None, [judge]),
    )
    check_graders(grading, [scope])
    run = _Trial(scope, grading, asking, questions, seed, as_json=as_json)
    asyncio.run(run.on(model, judges[0] if judges else None))


def _opened(name: str) -> Candidate[Prompt, Reply]:
    """Open the model; refuses models that need a transcript."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.human import is_person
    from vivavoce.interview.vendor_batches import VendorBatchCandidate

    candidate = open_candidate(name)
    if isinstance(candidate, VendorBatchCandidate):
        raise click.UsageError(f"{name[:80]} answers by batch, which needs a transcript: leave out '?batch='.")
    if is_person(candidate):
        raise click.UsageError(f"{name[:80]} is a person, whose answers must be kept: use 'viva certify --transcript FILE'.")
    return candidate


class _Trial:
    """Asks, and prints each graded answer, or all of them as JSON."""

    def __init__(
        self, scope: Any, grading: GradingConfig, asking: AskOptions, questions: int, seed: int, *, as_json: bool
    ) -> None:
        self._scope, self._grading, self._asking = scope, grading, asking
        self._questions, self._seed, self._as_json = questions, seed, as_json
        self._answers: list[GradedAnswer] = []

    async def on(self, candidate: Candidate[Prompt, Reply], judge: Candidate[Prompt, Reply] | None) -> None:
        """Try this candidate, then close it and the judge."""
        from vivavoce.candidates import close_candidate
        from vivavoce.certificate.graders.rule_grading import try_out
        from vivavoce.interview.budget import SharedBudget

        shared = SharedBudget(self._asking.budget)
        try:
            interview = self._interview(candidate, shared)
            graded = self._graded_by(None if judge is None else self._interview(judge, shared))
            async for answer in try_out(interview, self._scope, graded, questions=self._questions, seed=self._seed):
                self._show(answer)
        finally:
            for entry in (candidate, judge):
                if entry is not None:
                    await close_candidate(entry)
        if self._as_json:
            print_json({"candidate": candidate.name, "scope": self._scope.name, "answers": to_json(self._answers)})
        elif len(self._answers) < self._questions:
            click.echo(
                f"{len(self._answers)} of {self._questions} questions: there are no more in the scope, or the budget "
                "is used up.",
                err=True,
            )

    def _interview(self, candidate: Candidate[Prompt, Reply], shared: SharedBudget) -> Interview[Prompt, Reply]:
        from vivavoce.interview.transcript import Transcript

        return self._asking.interview(
            candidate, Transcript.open(None), expected=None, on_progress=lambda _: None, shared_budget=shared
        )

    def _graded_by(self, judge: Interview[Prompt, Reply] | None) -> GradingMethod:
        from vivavoce.certificate.graders.graders import Graders
        from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge, rubric_of
        from vivavoce.certificate.graders.rule_grading import ByRule

        given = self._grading
        if judge is None:
            return ByRule()
        rubric = RUBRIC if given.rubric is None else rubric_of(given.rubric)
        return Graders(
            judge=CandidateJudge(judge, rubric=rubric, draws=given.judge_samples or SAMPLES),
            zero_is_unacceptable=given.zero_is_unacceptable,
        )

    def _show(self, answer: GradedAnswer) -> None:
        from rich.console import Console

        self._answers.append(answer)
        if not self._as_json:
            print_checked(answer, len(self._answers), Console())
