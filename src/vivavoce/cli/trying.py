"""`viva try`: ask a few questions, and show how replies are parsed and graded."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import MOST_TRIED, TRIED, GradingConfig, PredictionsConfig
from vivavoce.cli import options
from vivavoce.cli.asking import asked_without_transcript, asking_of, close_all
from vivavoce.cli.endings import all_of, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import is_task
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_json
from vivavoce.cli.progress import print_checked
from vivavoce.cli.verdict_options import check_graders, check_grading, judge_of
from vivavoce.formats.json_values import to_json

if TYPE_CHECKING:
    from vivavoce.certificate.claims.claim import GradedAnswer
    from vivavoce.certificate.graders.rule_grading import GradingMethod
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview

GRADED = ("judge", "rubric", "judge_samples", "zero_is_unacceptable")


@command("try", epilog=exit_codes("5 the model or the judge can't be reached"))
@click.argument("candidate", metavar="MODEL [SCOPE]", type=CANDIDATE)
@click.option("--scope", "scope_name", required=True, type=SCOPE, metavar="S", help="Ask this scope; see 'viva list scopes'.")
@click.option(
    "--questions",
    type=options.WholeNumber(1, MOST_TRIED),
    default=TRIED,
    show_default=True,
    help=f"Ask N questions, at most {MOST_TRIED}.",
)
@config_options(GradingConfig, only=GRADED, judge={"type": CANDIDATE})
@options.seed("Draw the questions with this seed.")
@asked_without_transcript
@options.JSON
def try_model(*, candidate: str, scope_name: str, questions: int, seed: int, **given: Any) -> None:
    """Ask MODEL a few questions, and show how each reply is parsed and graded, and why.

    \b
    viva try bot:calculator --scope arithmetic
    viva try chat:llama3.2@http://localhost:11434/v1 --scope file:questions.csv
    viva try bot:eliza --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1 --questions 2

    There is no verdict, no attempt is counted, and no transcript is written. 'viva certify' draws other questions.
    """
    from rich.console import Console

    from vivavoce.certificate.graders.graders import Graders
    from vivavoce.certificate.graders.rule_grading import ByRule, try_out
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.transcript import Transcript
    from vivavoce.scopes import open_scope

    grading = options.taken_out(given, GradingConfig)
    check_grading(grading, PredictionsConfig(), on_transcript=False)
    if is_task(scope_name):
        raise click.UsageError("'viva try' can't run an Inspect task: use 'inspect eval FILE.py@TASK --limit 5'.")
    asking = asking_of(given | {"transcript": None, "quiet": True})
    scope, model, *judges = all_of(
        partial(open_scope, scope_name, zero_is_unacceptable=grading.zero_is_unacceptable),
        *(partial(_opened, name) for name in (candidate, grading.judge) if name is not None),
    )
    check_graders(grading, [scope])
    judging, shared = judges[0] if judges else None, SharedBudget(asking.budget)
    answers: list[GradedAnswer] = []

    def interview(asked: Candidate[Prompt, Reply]) -> Interview[Prompt, Reply]:
        return asking.interview(asked, Transcript.open(None), expected=None, on_progress=lambda _: None, shared_budget=shared)

    async def ask() -> None:
        graded: GradingMethod = ByRule()
        try:
            if judging is not None:
                asked = judge_of(grading, interview(judging), "try")
                graded = Graders(judge=asked, zero_is_unacceptable=grading.zero_is_unacceptable)
            async for answer in try_out(interview(model), scope, graded, questions=questions, seed=seed):
                answers.append(answer)
                if not wants_json():
                    print_checked(answer, len(answers), Console())
        finally:
            await close_all(model, judging)

    asyncio.run(ask())
    if wants_json():
        print_json({"candidate": model.name, "scope": scope.name, "answers": to_json(answers)})
    elif len(answers) < questions:
        click.echo(
            f"{len(answers)} of {questions} questions: there are no more in the scope, or the budget is used up.", err=True
        )


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
