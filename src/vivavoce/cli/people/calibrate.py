"""`viva people calibrate`: measure how far a judge agrees with people before its grades count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import SAMPLES, GradingConfig
from vivavoce.cli import options
from vivavoce.cli.asking import asked_how, asking_of, write_lines
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_output, print_json, quiet

if TYPE_CHECKING:
    from vivavoce.certificate.graders.calibration import CalibrationResult
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview


@command(epilog=exit_codes("0 agrees", "3 agrees too little", "4 not shown either way", GOES_ON))
@click.argument("judge", type=CANDIDATE)
@click.option("--sheet", type=options.FILE, required=True, metavar="FILE", help="Compare with people's grades on this sheet.")
@config_options(GradingConfig, only=("rubric", "judge_samples"))
@click.option(
    "--scope",
    "scope_name",
    type=SCOPE,
    metavar="S",
    help="Take rubrics and right answers from this scope, not the sheet.",
)
@click.option("--out", type=options.FILE, metavar="FILE", help="Write the result for '--set calibration=FILE'.")
@asked_how
@options.QUIET
@options.JSON
@click.pass_context
def calibrate(
    context: click.Context,
    /,
    *,
    judge: str,
    sheet: Path,
    rubric: str | None,
    judge_samples: int | None,
    scope_name: str | None,
    out: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Have JUDGE grade the replies of a sheet that people graded, and measure how far it agrees with them.

    \b
    viva people calibrate chat:llama3.2@http://localhost:11434/v1 --sheet graded.csv --out calibration.json
    viva people calibrate function:mine:judge --sheet graded.csv --scope file:essays.jsonl --rubric rubric.txt
    viva certify bot:eliza file:essays.jsonl --judge function:mine:judge --set calibration=calibration.json

    The sheet has the columns id, question, rubric, answer, score and unacceptable, as 'viva people grade export' writes them.
    With a column 'candidate', the command also measures whether JUDGE favours its own replies. The judge passes if the 95%
    interval of Krippendorff's alpha is at least 0.667.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.graders.calibration import calibrate as compare
    from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge, rubric_of
    from vivavoce.certificate.graders.people import read_sheet
    from vivavoce.cli.people.grade import scope_questions

    asking = asking_of(given)
    check_output("--out", out)
    replies = read_sheet(sheet)
    questions = None if scope_name is None else scope_questions(scope_name)
    general = RUBRIC if rubric is None else rubric_of(rubric)

    async def examine(interview: Interview[Prompt, Reply]) -> CalibrationResult:
        return await compare(CandidateJudge(interview, rubric=general, draws=judge_samples or SAMPLES), replies, questions)

    finding, _ = asking.examined(open_candidate(judge), examine, expected=len(replies) * (judge_samples or SAMPLES))
    _print(finding, out, as_json=as_json)
    context.exit(OF_VERDICT[finding.verdict])


def _print(finding: CalibrationResult, out: Path | None, *, as_json: bool) -> None:
    """Print the agreement and biases, and write them to a file for certificates."""
    from rich.console import Console

    from vivavoce.certificate.report.method import calibration_table
    from vivavoce.formats.json_values import to_json
    from vivavoce.render.console import Screen, print_blocks

    values = to_json(finding)
    if out is not None:
        write_lines(out, [values])
    if as_json:
        print_json(values)
        return
    click.echo(finding.headline)
    if not quiet():
        print_blocks((calibration_table(finding),), Screen(Console(highlight=False)))
    if finding.exhausted:
        click.echo(f"The budget ended it early: {finding.exhausted}.")
    if out is not None:
        click.echo(f"Calibration: {out}")
