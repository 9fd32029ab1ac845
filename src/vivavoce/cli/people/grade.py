"""`viva people grade` and `calibrate`: sheets on which people grade answers, and a judge compared with people."""

from __future__ import annotations

from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import SAMPLES, GradingConfig
from vivavoce.cli import options
from vivavoce.cli.asking import asked_how, asking_of, write_lines
from vivavoce.cli.endings import GOES_ON, NO_TRANSCRIPT, OF_VERDICT, exit_codes
from vivavoce.cli.help import LazyGroup, command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_json, quiet, say
from vivavoce.formats.json_values import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.certificate.graders.calibration import CalibrationResult
    from vivavoce.certificate.graders.grades import GraderAgreement, WaitingAnswer
    from vivavoce.certificate.graders.people import PersonsGrade
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes.questions import Question


COMMANDS = {
    "export": "vivavoce.cli.people.grade:export_sheet",
    "import": "vivavoce.cli.people.grade:import_sheets",
}
"""The place of each command."""


@click.command(cls=LazyGroup, places=COMMANDS)
def grade() -> None:
    """Have people grade answers: export a sheet, and import their grades."""


@command("export", epilog=exit_codes(NO_TRANSCRIPT))
@click.argument("transcripts", nargs=-1, required=True, metavar="TRANSCRIPT...")
@click.option("--out", type=options.OUTPUT, required=True, metavar="SHEET", help="Write this new CSV file.")
@click.option(
    "--scope",
    metavar="S",
    help="Only answers to questions of this scope that people grade.",
)
@click.option("--candidate", metavar="NAME", help="Only this candidate's answers (never named on the sheet).")
@click.option("--grades", type=options.FILE, help="Leave out answers with a grade in this file.")
@click.option("--limit", type=options.count, metavar="N", help="Export at most this many answers.")
@options.JSON
def export_sheet(
    transcripts: tuple[str, ...], out: Path, scope: str | None, candidate: str | None, grades: Path | None, limit: int | None
) -> None:
    """Write the answers behind certificates in TRANSCRIPT to a new SHEET for a spreadsheet program.

    \b
    viva people grade export run.sqlite --scope file:essays.jsonl --out sheet.csv

    Each row is an answer, without the candidate's name; equal answers appear once. Fill in 'score' (0 to 1) and
    'unacceptable' (yes or no; no if empty). Cells that a spreadsheet would run as formulas begin with an apostrophe. If a
    judge grades too, people need not grade all: 'viva certify --sheet' writes only the answers that it needs.
    """
    from vivavoce.certificate.graders.people import TOPIC, read_grades, recorded_answers, write_sheet
    from vivavoce.interview.transcript import Transcript

    questions = None if scope is None else scope_questions(scope)
    done = {persons_grade.place for persons_grade in read_grades(grades)} if grades is not None else set()
    waiting_answers: list[WaitingAnswer] = []
    for where in transcripts:
        with Transcript.open(where, must_exist=True) as transcript:
            records = transcript.records(candidate=candidate, topic=TOPIC)
            left = None if limit is None else limit - len(waiting_answers)
            answers = list(islice(recorded_answers(records, graded=done, questions=questions), left))
        waiting_answers += answers
        done |= {(answer.id, answer.key) for answer in answers}
    if not waiting_answers:
        raise click.UsageError("no answer of a certificate needs a grade: see 'viva transcript show'.")
    write_sheet(out, waiting_answers)
    number = len(waiting_answers)
    words = (
        f"{number} answers written to {out}: fill in 'score' (0 to 1) and 'unacceptable', then run 'viva people grade import'"
    )
    say({"answers": number, "out": str(out)}, words)


@command("import")
@click.argument("sheets", nargs=-1, required=True, type=options.FILE, metavar="SHEET...")
@click.option("--out", type=options.OUTPUT, help="Write the grades to a new file.")
@click.option("--into", type=options.OUTPUT, help="Add the grades to a file; grades in it stay.")
@options.JSON
def import_sheets(sheets: tuple[Path, ...], out: Path | None, into: Path | None) -> None:
    """Check the grades on each SHEET, report how well people agree, and keep the grades for 'viva certify --grades'.

    \b
    viva people grade import sheet.csv --out grades.csv
    viva people grade import ann.csv bob.csv --out grades.csv

    Rows without a score are skipped. An answer graded by several people gets their mean score, and is unacceptable if any of
    them says so.
    """
    from vivavoce.certificate.graders.people import mean_grades, read_grades, write_grades

    if out is not None and into is not None:
        raise click.UsageError("'--out' makes a new file, '--into' adds to one: give one of them.")
    if out is not None and out.exists():
        raise click.UsageError(f"'{out}' exists already: give another name, or add to it with '--into'.")
    read = [read_grades(sheet) for sheet in sheets]
    grades = mean_grades(read)
    earlier = read_grades(into) if into is not None and into.exists() else ()
    known = {persons_grade.place: persons_grade for persons_grade in earlier}
    if clash := next(
        (
            persons_grade
            for persons_grade in grades
            if (old := known.get(persons_grade.place)) and old.grade != persons_grade.grade
        ),
        None,
    ):
        raise click.UsageError(f"'{clash.id[:80]}' has another grade in '{into}': remove one of the two.")
    together = (*earlier, *(persons_grade for persons_grade in grades if persons_grade.place not in known))
    if out is not None or into is not None:
        write_grades(out or into or Path(), together, replace=into is not None)
    _print(sheets, read, len(together), out or into)


def scope_questions(name: str) -> Mapping[str, Question]:
    from vivavoce.scopes import open_scope
    from vivavoce.scopes.listed_and_endless import ListedScope
    from vivavoce.scopes.questions import mixed

    scope = open_scope(name)
    if not isinstance(scope, ListedScope):
        raise click.UsageError(f"--scope {name}: an endless scope has no list of questions: leave out '--scope'.")
    ruled = mixed(scope.questions)
    return {question.id: question for question in scope.questions if not (ruled and question.for_rule)}


def _agreements(
    sheets: Sequence[Path], read: Sequence[Sequence[PersonsGrade]]
) -> list[tuple[str, str, GraderAgreement | None]]:
    """Agreement of each pair of sheets; None if no answer is on both."""
    from vivavoce.certificate.graders.grades import agreement_of

    result = []
    for (path, first), (other, second) in combinations(zip(sheets, read, strict=True), 2):
        grades = {grade.place: grade.grade for grade in second}
        pairs = [(grade.grade, grades[grade.place]) for grade in first if grade.place in grades]
        result.append((path.name, other.name, agreement_of(pairs) if pairs else None))
    return result


def _print(sheets: Sequence[Path], read: Sequence[Sequence[PersonsGrade]], kept: int, path: Path | None) -> None:
    agreements = _agreements(sheets, read)
    if wants_json():
        values: dict[str, Any] = {
            "sheets": [{"sheet": str(sheet), "grades": len(grades)} for sheet, grades in zip(sheets, read, strict=True)],
            "agreement": [
                {"first": name, "second": other, "found": to_json(agreement)} for name, other, agreement in agreements
            ],
            "grades": kept,
            "out": None if path is None else str(path),
        }
        print_json(values)
        return
    from rich.console import Console

    from vivavoce.certificate.report.method import agreement_table
    from vivavoce.render.console import Screen, print_blocks

    for sheet, grades in zip(sheets, read, strict=True):
        click.echo(f"{sheet}: {len(grades)} {'grade' if len(grades) == 1 else 'grades'}")
    for name, other, agreement in agreements:
        if agreement is None:
            click.echo(f"{name} and {other}: no answer is graded in both")
        else:
            click.echo()
            print_blocks((agreement_table(agreement, name, other),), Screen(Console(highlight=False)))
    if path is not None:
        click.echo(f"Grades: {path}, {kept} in all")


@command(epilog=exit_codes("0 agrees", "3 agrees too little", "4 not shown either way", GOES_ON))
@click.argument("judge", type=CANDIDATE)
@click.option("--sheet", type=options.FILE, required=True, help="Compare with people's grades on this sheet.")
@config_options(GradingConfig, only=("rubric", "judge_samples"))
@click.option(
    "--scope",
    "scope_name",
    type=SCOPE,
    metavar="S",
    help="Take rubrics and right answers from this scope, not the sheet.",
)
@click.option("--out", type=options.OUTPUT, help="Write the result for '--set calibration=FILE'.")
@asked_how
@options.QUIET
@options.JSON
def calibrate(
    *,
    judge: str,
    sheet: Path,
    rubric: str | None,
    judge_samples: int | None,
    scope_name: str | None,
    out: Path | None,
    **given: Any,
) -> int:
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

    asking = asking_of(given)
    replies = read_sheet(sheet)
    questions = None if scope_name is None else scope_questions(scope_name)
    general = RUBRIC if rubric is None else rubric_of(rubric)

    async def examine(interview: Interview[Prompt, Reply]) -> CalibrationResult:
        return await compare(CandidateJudge(interview, rubric=general, draws=judge_samples or SAMPLES), replies, questions)

    finding = asking.examined(open_candidate(judge), examine, expected=len(replies) * (judge_samples or SAMPLES))
    _print_calibration(finding, out)
    return OF_VERDICT[finding.verdict]


def _print_calibration(finding: CalibrationResult, out: Path | None) -> None:
    """Print the agreement and biases, and write them to a file for certificates."""
    from rich.console import Console

    from vivavoce.certificate.report.method import calibration_table
    from vivavoce.render.console import Screen, print_blocks

    values = to_json(finding)
    if out is not None:
        write_lines(out, [values])
    if wants_json():
        print_json(values)
        return
    click.echo(finding.headline)
    if not quiet():
        print_blocks((calibration_table(finding),), Screen(Console(highlight=False)))
    if finding.exhausted:
        click.echo(f"The budget ended it early: {finding.exhausted}.")
    if out is not None:
        click.echo(f"Calibration: {out}")
