"""`viva consistency forecasts make` and `review`: write tuples of questions about the future, and review them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options, close_all, on_record, open_each
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_finding, print_json, running, say
from vivavoce.cli.progress import head_of, tell
from vivavoce.formats.json_values import to_json
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.studies.config import NOBODY, TEMPLATE, MakingConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.interview.interview import Interview
    from vivavoce.studies.forecasting.forecast_files import QuestionTuple
    from vivavoce.studies.forecasting.making.making import TupleDraft
    from vivavoce.studies.forecasting.making.review import MakingSummary


@dataclass(frozen=True, slots=True)
class TupleSources:
    """The source of tuples: base questions with a writer and a checker, or templates of series."""

    questions: Path | None
    writer: str | None
    checker: str | None
    template: str | None
    values: str | None
    templates: Path | None

    @property
    def checked_by(self) -> str:
        """The checker's name: by default the writer's; no one's for templates."""
        return self.checker or (NOBODY if self.writer == TEMPLATE else self.writer or NOBODY)


@command(epilog=exit_codes("4 the budget ran out or all was rejected (FILE is written all the same)", GOES_ON))
@click.option("--questions", type=options.FILE, help="Read base questions: JSON Lines, or one per line.")
@config_options(MakingConfig, only=("laws",), laws={"option": "--law", "type": options.names, "multiple": False, "default": ""})
@click.option("--writer", metavar="CANDIDATE|template", help="Let this model propose the further statements.")
@click.option(
    "--checker", metavar="CANDIDATE|none", help="Let this model check them. [default: the writer, in new conversations]"
)
@config_options(MakingConfig, only=("paraphrases", "statements", "pairs", "limit"), pairs={"type": options.count_or_all})
@click.option("--template", metavar="TEXT", help="Question with {} for the values: a series without a model.")
@click.option("--values", metavar="X,X,...", help="Values for --template.")
@config_options(MakingConfig, only=("implies",))
@click.option("--templates", type=options.FILE, help="Many series: JSON Lines with template, values, law.")
@config_options(MakingConfig, only=("seed",))
@click.option("--out", type=options.OUTPUT, required=True, help="Write the tuples (JSON Lines); replaces the file.")
@asking_options
@options.JSON
def make(*, out: Path, **given: Any) -> int:
    """Make tuples of questions whose answers must obey a law.

    \b
    viva consistency forecasts make --questions base.jsonl --law neg,paraphrase --writer chat:qwen3@http://localhost:8000/v1 \\
        --transcript run.sqlite --out tuples.jsonl
    viva consistency forecasts make --questions base.txt --law and,cond --writer template --out tuples.jsonl
    viva consistency forecasts make --template 'How many people will have walked on the moon by {}?' --values 2030,2040,2050 \\
        --law increasing --out series.jsonl

    \b
    Laws for a writer: neg and or and-or but cond cond-cond expected-evidence bayes consequence paraphrase
    exclusive partition chain; for '--writer template' all of these but consequence, paraphrase and chain;
    for series: increasing and decreasing (quantities), chain (probabilities).

    Rejected tuples are kept in FILE with the reason; unchecked ones are 'proposed'. Review them with
    'viva consistency forecasts review'.
    """
    from vivavoce.studies.forecasting.forecast_files import write_tuples

    sources, config, asking = options.taken_out(given, TupleSources), options.taken_out(given, MakingConfig), asking_of(given)
    (_check_series if sources.questions is None else _check_questions)(sources, config)
    tuples, summary = _series(sources, config) if sources.questions is None else _from_questions(sources, config, asking)
    write_tuples(out, tuples)
    if wants_json():
        print_json({**to_json(summary), "out": str(out), **head_of(running().record)})
    else:
        print_finding(summary.report())
        click.echo(f"Tuples: {out}")
        tell(running().record)
    return 0 if summary.usable else OF_VERDICT["undecided"]


def _series(sources: TupleSources, config: MakingConfig) -> tuple[list[QuestionTuple], MakingSummary]:
    from vivavoce.studies.forecasting.making.review import SERIES, MakingSummary, tallies
    from vivavoce.studies.forecasting.making.series import Template, read_templates, series, split_values

    if sources.templates is not None:
        templates = read_templates(sources.templates, config)
    else:
        values = split_values(sources.values or "")
        templates = [Template(sources.template or "", values, config.law_of_series or "", config.implies)]
    tuples = series(templates)
    summary = MakingSummary(tallies(tuples), SERIES, NOBODY, config.seed, bodies=False, several=False, exhausted="")
    return tuples, summary


def _from_questions(
    sources: TupleSources, config: MakingConfig, asking: AskOptions
) -> tuple[list[QuestionTuple], MakingSummary]:
    from vivavoce.studies.forecasting.making.making import begin
    from vivavoce.studies.forecasting.making.recipes import read_questions
    from vivavoce.studies.forecasting.making.review import MakingSummary, tallies

    assert sources.questions is not None
    assert sources.writer is not None
    base = read_questions(sources.questions)
    drafts = begin(base, config, by_template=sources.writer == TEMPLATE)
    writer, checker = open_each(None if sources.writer == TEMPLATE else sources.writer, sources.checked_by)
    made, exhausted, asked_so = on_record(
        asking.transcript,
        lambda transcript, on_progress: _ask(
            asking, partial(AskOptions.interview, transcript=transcript, on_progress=on_progress), drafts, writer, checker
        ),
        quiet=asking.quiet,
    )
    tuples = [draft.as_tuple() for draft in made]
    summary = MakingSummary(
        tallies(tuples),
        TEMPLATE if writer is None else writer.name,
        NOBODY if checker is None else checker.name,
        config.seed,
        bodies=any(question.body for question in base),
        several=any(len(draft.base) > 1 for draft in made),
        exhausted=exhausted,
        asked_so=asked_so,
    )
    return tuples, summary


async def _ask(
    asking: AskOptions,
    interview: Callable[..., Interview[Prompt, Reply]],
    drafts: list[TupleDraft],
    writer: Candidate[Prompt, Reply] | None,
    checker: Candidate[Prompt, Reply] | None,
) -> tuple[list[TupleDraft], str, tuple[str, ...]]:
    """The finished drafts, the limit of the budget that ended the questions, and how questions were asked."""
    from vivavoce.studies.forecasting.making.making import check, checks_wanted, write

    made, spent, exhausted = drafts, Usage(), ""
    asked_so: dict[str, None] = {}  # the same candidate may write and check
    try:
        if writer is not None:
            writing = interview(asking, writer, expected=sum(draft.fault is None for draft in drafts))
            made = await write(writing, drafts)
            spent, exhausted = writing.spending, writing.exhausted
            asked_so |= dict.fromkeys(writing.caveats)
        if checker is not None:
            checking = interview(asking.after(spent), checker, expected=checks_wanted(made))
            made = await check(checking, made)
            exhausted = exhausted or checking.exhausted
            asked_so |= dict.fromkeys(checking.caveats)
    finally:
        await close_all(writer, checker)
    return made, exhausted, tuple(asked_so)


def _check_series(sources: TupleSources, config: MakingConfig) -> None:
    if (sources.template is None) == (sources.templates is None):
        raise click.UsageError("Give exactly one of --questions FILE, --template TEXT with --values, and --templates FILE.")
    if sources.writer is not None or sources.checker is not None:
        raise click.UsageError("Series have no --writer or --checker: leave them out, or give --questions FILE.")
    if sources.template is not None and sources.values is None:
        raise click.UsageError("--template needs --values X,X,...: the values for its {}.")
    if sources.templates is not None and sources.values is not None:
        raise click.UsageError("--values is for --template: with --templates, put the values into the file.")
    if sources.template is not None and not config.laws:
        raise click.UsageError("--template needs --law: increasing, decreasing or chain.")


def _check_questions(sources: TupleSources, config: MakingConfig) -> None:
    if sources.template is not None or sources.templates is not None or sources.values is not None:
        raise click.UsageError("--questions can't be combined with series: make two files.")
    if not config.laws:
        raise click.UsageError("--questions needs --law LAW,...: the laws to make statements for.")
    if sources.writer is None:
        raise click.UsageError("--questions needs --writer CANDIDATE, or --writer template to use no model.")


@command()
@click.argument("tuples", type=options.FILE)
@click.argument("sheet", type=options.FILE)
@click.option("--out", type=options.FILE, help="Read a filled-in SHEET, and write this new file of tuples.")
@click.option("--by", default="", metavar="NAME", help="Keep this reviewer's name with each decision.")
@options.JSON
def review(tuples: Path, sheet: Path, out: Path | None, by: str) -> None:
    """Have people review TUPLES (JSON Lines) on a SHEET (CSV) for a spreadsheet program.

    \b
    viva consistency forecasts review tuples.jsonl sheet.csv
    viva consistency forecasts review tuples.jsonl sheet.csv --by Ann --out reviewed.jsonl

    Without --out, a new SHEET is written, with a tuple in each row. Fill in 'keep' (yes or no) and optionally a 'reason', and
    correct wrong questions. A tuple with an empty 'keep' stays as it is. Cells that a spreadsheet would run as formulas begin
    with an apostrophe.

    With --out, the decisions are imported. Each tuple needs a row. If any row can't be used, all such rows are listed and
    nothing is written.
    """
    from vivavoce.studies.forecasting.forecast_files import read_tuples, write_tuples
    from vivavoce.studies.forecasting.making.review import review as reviewed
    from vivavoce.studies.forecasting.making.review import write_sheet

    if out is None:
        question_tuples = read_tuples(tuples)
        write_sheet(sheet, question_tuples)
        then = "fill in 'keep' (yes or no), then give the same command with --out"
        words = f"{len(question_tuples)} tuples written to {sheet}: {then}"
        say({"tuples": len(question_tuples), "out": str(sheet)}, words)
        return
    if out.exists():
        raise click.UsageError(f"'{out}' exists already: give another name, or remove it first.")
    sheet_review = reviewed(read_tuples(tuples), sheet, by=by)
    for problem in sheet_review.problems:
        where = f"{sheet}, line {problem.line}" if problem.line else str(sheet)
        click.echo(f"{where}: {problem.text}", err=True)
    if sheet_review.problems:
        number = len(sheet_review.problems)
        rows = "1 row" if number == 1 else f"{number} rows"
        raise click.UsageError(
            f"{rows} of '{sheet}' cannot be used, so nothing was written: correct the sheet and import it again."
        )
    write_tuples(out, sheet_review.tuples)
    counts = {name: getattr(sheet_review, name) for name in ("accepted", "edited", "rejected", "undecided")}
    words = (
        f"By review {sheet_review.accepted} accepted ({sheet_review.edited} with other words), {sheet_review.rejected} "
        f"rejected, {sheet_review.undecided} left as they were.\nTuples: {out}"
    )
    say({"tuples": len(sheet_review.tuples), **counts, "out": str(out)}, words)
