"""`viva consistency make`: tuples of questions for the laws, from base questions or by template."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_of, asking_options, on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, head_of, print_json, tell
from vivavoce.cli.pages import check_output
from vivavoce.studies.forecasting.config import NOBODY, TEMPLATE, MakingConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.studies.forecasting.making.making import Draft
    from vivavoce.studies.forecasting.making.summary import Summary
    from vivavoce.studies.forecasting.tuples import QuestionTuple


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where tuples come from: base questions and who writes and checks, or templates of series."""

    questions: Path | None
    writer: str | None
    checker: str | None
    template: str | None
    values: str | None
    templates: Path | None

    @property
    def checked_by(self) -> str:
        """The checker's name: the writer's where none is given, and nobody's where a template writes."""
        return self.checker or (NOBODY if self.writer == TEMPLATE else self.writer or NOBODY)


@click.command(epilog=exit_codes("4 the budget ran out or all was rejected (FILE is written all the same)", GOES_ON))
@click.option("--questions", type=options.FILE, metavar="FILE", help="Base questions: JSON Lines, or one a line.")
@config_options(MakingConfig, only=("laws",), laws={"option": "--law", "type": options.names, "multiple": False, "default": ""})
@click.option("--writer", metavar="CANDIDATE|template", help="Who proposes the further statements.")
@click.option("--checker", metavar="CANDIDATE|none", help="Who verifies them; by default the writer, in fresh conversations.")
@config_options(MakingConfig, only=("paraphrases", "statements", "pairs", "limit"), pairs={"type": options.count_or_all})
@click.option("--template", metavar="TEXT", help="A series without a model: a question with {} where the values go.")
@click.option("--values", metavar="X,X,...", help="The values of --template.")
@config_options(MakingConfig, only=("implies",))
@click.option("--templates", type=options.FILE, metavar="FILE", help="Many series: JSON Lines with template, values, law.")
@config_options(MakingConfig, only=("seed",))
@click.option(
    "--out",
    type=options.FILE,
    required=True,
    metavar="FILE",
    help="Write the tuples to this file, as JSON Lines; it is replaced.",
)
@asking_options
@options.JSON
@click.pass_context
def make(context: click.Context, /, *, out: Path, as_json: bool, **given: Any) -> None:
    """Make tuples of questions whose answers are related by a law.

    \b
    viva consistency make --questions base.jsonl --law neg,paraphrase --writer chat:llama3.2@http://localhost:11434/v1 \\
        --transcript run.sqlite --out tuples.jsonl
    viva consistency make --questions base.txt --law and,cond --writer template --out tuples.jsonl
    viva consistency make --template 'How many people will have walked on the moon by {}?' --values 2030,2040,2050 \\
        --law increasing --out series.jsonl

    \b
    Laws for a writer: neg and or and-or but cond cond-cond expected-evidence bayes consequence paraphrase
    exclusive partition chain; for '--writer template' all of these but consequence, paraphrase and chain;
    for series: increasing and decreasing (quantities), chain (probabilities).

    What fails is kept in FILE with its reason; what nobody checked is 'proposed'. People review with 'viva consistency review'.
    """
    wanted, config, asking = options.taken_out(given, Wanted), options.taken_out(given, MakingConfig), asking_of(given)
    _check(wanted, config, out)
    tuples, summary, kept = _series(wanted, config) if wanted.questions is None else _from_questions(wanted, config, asking)
    from vivavoce.studies.forecasting.tuples import write_tuples

    write_tuples(out, tuples)
    if as_json:
        print_json({**summary.as_json(), "out": str(out), **head_of(kept)})
    else:
        _print(summary, out, kept, quiet=asking.quiet)
    context.exit(0 if summary.usable else OF_VERDICT["no conclusion"])


def _series(wanted: Wanted, config: MakingConfig) -> tuple[list[QuestionTuple], Summary, None]:
    from vivavoce.studies.forecasting.making.series import Template, read_templates, series, split_values
    from vivavoce.studies.forecasting.making.summary import SERIES, Summary, tallies

    if wanted.templates is not None:
        templates = read_templates(wanted.templates, config)
    else:
        values = split_values(wanted.values or "")
        templates = [Template(wanted.template or "", values, config.law_of_series or "", config.implies)]
    tuples = series(templates)
    summary = Summary(tallies(tuples), SERIES, NOBODY, config.seed, bodies=False, several=False, exhausted="")
    return tuples, summary, None


def _from_questions(wanted: Wanted, config: MakingConfig, asking: Asking) -> tuple[list[QuestionTuple], Summary, Kept | None]:
    from vivavoce.candidates import open_candidate
    from vivavoce.studies.forecasting.making.making import begin
    from vivavoce.studies.forecasting.making.questions import read_questions
    from vivavoce.studies.forecasting.making.summary import Summary, tallies

    assert wanted.questions is not None
    assert wanted.writer is not None
    base = read_questions(wanted.questions)
    begun = begin(base, config, by_template=wanted.writer == TEMPLATE)
    writer = None if wanted.writer == TEMPLATE else open_candidate(wanted.writer)
    checker = writer if wanted.checked_by == wanted.writer else None
    if wanted.checked_by not in (NOBODY, wanted.writer):
        checker = open_candidate(wanted.checked_by)
    (made, exhausted, asked_so), kept = on_record(
        asking.transcript,
        lambda transcript, on_progress: _ask(
            partial(asking.interview, transcript=transcript, on_progress=on_progress), begun, writer, checker
        ),
        quiet=asking.quiet,
    )
    tuples = [draft.as_tuple() for draft in made]
    summary = Summary(
        tallies(tuples),
        TEMPLATE if writer is None else writer.name,
        NOBODY if checker is None else checker.name,
        config.seed,
        bodies=any(question.body for question in base),
        several=any(len(draft.base) > 1 for draft in made),
        exhausted=exhausted,
        asked_so=asked_so,
    )
    return tuples, summary, kept


async def _ask(
    interview: Callable[..., Interview[Prompt, Reply]],
    begun: list[Draft],
    writer: Candidate[Prompt, Reply] | None,
    checker: Candidate[Prompt, Reply] | None,
) -> tuple[list[Draft], str, tuple[str, ...]]:
    """The drafts at their end, which limit of the budget ended the questions, and what to know of how they were asked."""
    from vivavoce.candidates import close_candidate
    from vivavoce.interview.candidate import Usage
    from vivavoce.studies.forecasting.making.making import check, checks_wanted, write

    made, spent, exhausted = begun, Usage(), ""
    asked_so: dict[str, None] = {}  # one candidate may write and check
    try:
        if writer is not None:
            writing = interview(writer, expected=sum(draft.fault is None for draft in begun), spent=spent)
            made = await write(writing, begun)
            spent, exhausted = writing.spending, writing.exhausted
            asked_so |= dict.fromkeys(writing.caveats)
        if checker is not None:
            checking = interview(checker, expected=checks_wanted(made), spent=spent)
            made = await check(checking, made)
            exhausted = exhausted or checking.exhausted
            asked_so |= dict.fromkeys(checking.caveats)
    finally:
        for candidate in {id(one): one for one in (writer, checker) if one is not None}.values():
            await close_candidate(candidate)
    return made, exhausted, tuple(asked_so)


def _print(summary: Summary, out: Path, kept: Kept | None, *, quiet: bool) -> None:
    from rich.console import Console

    from vivavoce.render.console import print_report, print_statement

    (print_statement if quiet else print_report)(summary.report(), Console(highlight=False))
    click.echo(f"Tuples: {out}")
    tell(kept)


def _check(wanted: Wanted, config: MakingConfig, out: Path) -> None:
    """Refuse what does not fit together, and a file that cannot be written."""
    if wanted.questions is None:
        _check_series(wanted, config)
    else:
        _check_questions(wanted, config)
    check_output("--out", out)


def _check_series(wanted: Wanted, config: MakingConfig) -> None:
    if (wanted.template is None) == (wanted.templates is None):
        raise click.UsageError("Give --questions FILE, or --template TEXT with --values, or --templates FILE: one of them.")
    if wanted.writer is not None or wanted.checker is not None:
        raise click.UsageError("Series need no --writer and no --checker: give --questions FILE for those.")
    if wanted.template is not None and wanted.values is None:
        raise click.UsageError("--template needs --values X,X,...: what goes into its gap {}.")
    if wanted.templates is not None and wanted.values is not None:
        raise click.UsageError("--values is for --template; with --templates they stand in the file.")
    if wanted.template is not None and not config.laws:
        raise click.UsageError("--template needs --law: increasing, decreasing or chain.")


def _check_questions(wanted: Wanted, config: MakingConfig) -> None:
    if wanted.template is not None or wanted.templates is not None or wanted.values is not None:
        raise click.UsageError("--questions and series do not go together: make two files.")
    if not config.laws:
        raise click.UsageError("--questions needs --law LAW,...: which statements should be made?")
    if wanted.writer is None:
        raise click.UsageError("--questions needs --writer CANDIDATE, or --writer template to do without a model.")
