"""`viva consistency forecasts ask` and `score`, and `prompts`: forecasts that contradict each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import (
    AskOptions,
    asking_of,
    close_all,
    examined_side_by_side,
    examining_options,
    on_record,
    write_lines,
    writing_after,
)
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import output_options, rows_into, show
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import file_digest, text_lines
from vivavoce.formats.wording import clipped, count
from vivavoce.studies.config import ForecastsConfig, VariantsConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.forecasting.forecast_files import QuestionTuple, Row
    from vivavoce.studies.forecasting.planning import AskedForecasts, AskedWay


@command()
@click.argument("file", type=options.FILE)
@click.option("--law", multiple=True, metavar="LAW", help="Your own law, such as 'won: P, C where P implies C'. Repeatable.")
@click.option("--laws", type=options.FILE, help="Your own laws, one per line.")
@click.option(
    "--compare",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Compare these two forecasters. Repeatable. [default: all pairs of up to five]",
)
@options.seed("Draw the resamples of the paired test with this seed.")
@click.option("--details", "each", type=options.OUTPUT, help="Write each tuple with its numbers (JSON Lines).")
@output_options
def score(
    file: Path,
    law: tuple[str, ...],
    laws: Path | None,
    compare: tuple[tuple[str, str], ...],
    seed: int,
    each: Path | None,
) -> None:
    """Measure how often and how strongly the forecasts in FILE contradict each other.

    FILE has JSON lines {"forecaster": NAME, "law": LAW, "forecasts": {STATEMENT: PROBABILITY}}; null is a forecast that
    could not be parsed. 'viva list rules' lists the laws and their statements. Optional: "id" (forecasters are
    compared on tuples with the same id), "base" (a list of what tuples share) and "questions". A table (.csv, .csv.gz) has
    the columns forecaster, law, group, statement and probability, one forecast per row; or run, checker, row, keys and
    probs, as published by researchers. A probability may be a percentage, such as 30%.

    \b
    viva consistency forecasts score forecasts.jsonl
    viva consistency forecasts score forecasts.csv
    viva consistency forecasts score forecasts.jsonl --details tuples.jsonl --html page.html
    viva consistency forecasts score forecasts.jsonl --law 'won: P, C where P implies C' --json
    """
    from vivavoce.studies.forecasting.forecast_files import read_forecasts
    from vivavoce.studies.forecasting.scoring import score_each
    from vivavoce.studies.forecasts import finding_of
    from vivavoce.studies.study import Source

    scored = score_each(list(read_forecasts(file, own=_own(law, laws))))
    source = Source(file.name, file_digest(file))
    finding = finding_of(scored, source=source, compare=compare or None, seed=seed)
    with writing_after(each, "Tuples", lambda: (forecasts.as_line() for forecasts in scored)):
        show(finding)


def _own(lines: Sequence[str], file: Path | None) -> Mapping[str, str]:
    """The user's own laws by name. Raises if one is invalid."""
    from vivavoce.laws.law import NAMES, parse_law

    result: dict[str, str] = {}
    written = [line.strip() for line in text_lines(file)] if file else []
    for line in (*lines, *(line for line in written if line and not line.startswith("#"))):
        law = parse_law(line)
        if law.name in NAMES or law.name in result:
            raise BadInput(f"there is a law '{law.name[:80]}' already: give yours another name")
        result[law.name] = line
    return result


class NoCompleteTuple(click.ClickException):
    """The budget ran out before a single tuple was asked."""

    exit_code = OF_VERDICT["undecided"]


tuples_options = options.together(
    click.option(
        "--tuples",
        default="material:forecasts.jsonl",
        show_default="the built-in ones",
        type=options.KNOWN_FILE,
        help="Ask these tuples of questions: JSON Lines, or a table, one question per row.",
    ),
    click.option("--law", multiple=True, metavar="LAW,...", help="Ask only tuples of these laws."),
    click.option(
        "--include-proposed",
        "proposed",
        is_flag=True,
        help="Include tuples that are not yet accepted; rejected ones are never asked.",
    ),
)
"""Which tuples are asked."""


@command(epilog=exit_codes("4 the budget ran out before a single tuple was asked", GOES_ON))
@click.argument("candidates", nargs=-1, required=True, type=CANDIDATE, metavar="CANDIDATE...")
@tuples_options
@config_options(ForecastsConfig)
@click.option("--out", type=options.OUTPUT, help="Write the forecasts for 'viva consistency forecasts score'.")
@examining_options
def ask(
    *, candidates: tuple[str, ...], tuples: Path, law: tuple[str, ...], proposed: bool, out: Path | None, **given: Any
) -> None:
    """Ask for related forecasts, and measure how far they are from coherent; compare several models on the same tuples.

    \b
    viva consistency forecasts ask chat:A@http://localhost:11434/v1 chat:B@http://localhost:11434/v1 --html page.html
    viva consistency forecasts ask chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --transcript run.sqlite
    viva consistency forecasts ask chat:gpt-4@https://api.openai.com/v1 --tuples tuples.jsonl --variant opposite --out all.jsonl
    viva consistency forecasts ask function:my_model:answer --tuples tuples.jsonl --law neg,bayes --limit 50 --html page.html

    TUPLES are lines as 'viva consistency forecasts make' writes them, or a table (.csv, .tsv) with columns law, group,
    statement, question. A forecast is the one number that a reply states as its answer. If a reply has none, the candidate
    is asked once more, provided that it can hold a conversation. Unparsed replies are counted, never guessed.
    """
    from vivavoce.studies.forecasting.scoring import score_each
    from vivavoce.studies.forecasts import finding_of
    from vivavoce.studies.study import Source

    config, asking = options.taken_out(given, ForecastsConfig), asking_of(given)
    chosen = chosen_tuples(tuples, law, proposed=proposed, quiet=asking.quiet)
    asked = _ask(candidates, chosen, config, asking)
    _write_rows(out, asked.rows)
    if not asking.quiet:
        tell_asked(asked)
    if not asked.rows:
        replies = sum(asked.outcomes.values())
        raise NoCompleteTuple(
            f"the budget of {asked.exhausted} ran out after {replies} replies, before a tuple was complete: raise the budget"
        )
    finding = finding_of(
        score_each(asked.rows),
        source=Source(tuples.name, file_digest(tuples)),
        seed=config.seed,
        settings=asked.settings,
        asked_so=asked.asked_so,
        not_reached=asked.planned - len(asked.rows),
    )
    show(finding, more={"planned": asked.planned, "exhausted": asked.exhausted})


def chosen_tuples(file: Path, law: Sequence[str], *, proposed: bool, quiet: bool) -> list[QuestionTuple]:
    """The tuples to ask: accepted ones, of these laws or of all. Raises `BadFile` and `UnknownName`."""
    from vivavoce.studies.forecasting.forecast_files import read_tuples

    tuples = read_tuples(file)
    laws = list(dict.fromkeys(question_tuple.law for question_tuple in tuples))
    # a law in full may contain commas
    wanted = [name.strip() for given in law for name in ([given] if given in laws else given.split(","))]
    for name in wanted:
        if name not in laws:
            raise UnknownName(f"law in {file}", name, laws)
    of_law = [question_tuple for question_tuple in tuples if not wanted or question_tuple.law in wanted]
    fit = [
        question_tuple
        for question_tuple in of_law
        if question_tuple.status == "accepted" or (proposed and question_tuple.status == "proposed")
    ]
    waiting = sum(question_tuple.status == "proposed" for question_tuple in of_law)
    if not fit:
        remedy = f"; --include-proposed also asks {waiting} not yet accepted" if waiting and not proposed else ""
        raise BadFile(file, f"has no accepted tuples{remedy}")
    if len(fit) < len(of_law) and not quiet:
        click.echo(f"viva: {len(of_law) - len(fit)} of {len(of_law)} tuples are left out: not yet accepted", err=True)
    return fit


def _ask(names: Sequence[str], tuples: Sequence[QuestionTuple], config: ForecastsConfig, asking: AskOptions) -> AskedForecasts:
    """The forecasts of all."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.human import is_person
    from vivavoce.certificate.graders.marking import all_together
    from vivavoce.studies.forecasting.asking import ask_forecasts, cost_estimate
    from vivavoce.studies.forecasting.planning import joined

    if len(set(names)) < len(names):
        raise click.UsageError("a candidate is named twice: name each once.")
    opened, to_come = [open_candidate(name) for name in names], cost_estimate(tuples, config)
    if config.together and any(map(is_person, opened)):
        raise click.UsageError("'--together' would show a person their own answers: leave it out.")
    if not asking.quiet:
        click.echo(
            f"viva: {to_come.tuples} tuples and {to_come.controls} controls: {to_come.questions} different questions, "
            f"{to_come.replies} replies{' of each model' if len(names) > 1 else ''} ({config.times} a forecast), less those on "
            "record",
            err=True,
        )

    async def ask(interviews: Sequence[Interview[Prompt, Reply]], _: object) -> AskedForecasts:
        return joined(await all_together(ask_forecasts(interview, tuples, config) for interview in interviews))

    return examined_side_by_side(opened, ask, asking, expected=to_come.replies)


def _write_rows(out: Path | None, rows: Sequence[Row]) -> None:
    if out is None:
        return
    from vivavoce.studies.forecasting.forecast_files import row_as_json

    write_lines(out, map(row_as_json, rows))
    click.echo(f"Forecasts: {out}", err=True)


def tell_asked(asked: AskedForecasts) -> None:
    """Print the outcomes of the replies, and what is missing."""
    counts = ", ".join(f"{number} {outcome}" for outcome, number in asked.outcomes.items())
    click.echo(f"viva: {sum(asked.outcomes.values())} replies: {counts or 'none'}", err=True)
    if asked.absence:
        click.echo(f"viva: the first missing reply: {clipped(asked.absence, 200)}", err=True)
    if asked.exhausted:
        kept = f"{len(asked.rows)} of {asked.planned} tuples, controls included, were asked in full"
        click.echo(f"viva: the budget of {asked.exhausted} ran out: {kept}; the others are left out", err=True)


SHARED: Final = ("limit", "temperature", "repeats", "control", "seed", "prompts")
"""Settings of all variants."""


@command(epilog=exit_codes("4 the budget ran out before two ways could be compared", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@tuples_options
@config_options(VariantsConfig, variants={"option": "--variant"})
@config_options(ForecastsConfig, only=SHARED)
@click.option("--out", type=options.OUTPUT, help="Write all forecasts for 'viva consistency forecasts score'.")
@examining_options
def prompts(*, candidate: str, tuples: Path, law: tuple[str, ...], proposed: bool, out: Path | None, **given: Any) -> int:
    """Compare prompt variants: does fixing one consistency law break another?

    \b
    viva consistency prompts chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --transcript run.sqlite
    viva consistency prompts chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --variant plain \\
        --variant together --variant instructions:careful.txt --html page.html
    viva consistency prompts function:my_model:answer --tuples tuples.jsonl --law neg,bayes --variant plain \\
        --variant candidate:function:my_model:newer

    Each variant asks the same tuples. 'plain' asks each question on its own; 'opposite' and 'canonical' first derive the
    opposite question or a canonical wording; 'instructions:FILE' replaces the instructions by those in FILE; 'together'
    asks the questions of a tuple in one conversation, with the real earlier replies; 'candidate:CANDIDATE' asks another
    model. 'together+' may stand before any of these.
    """
    from vivavoce.studies.forecasting.planning import candidates_of, ways_of
    from vivavoce.studies.study import Source
    from vivavoce.studies.variants import compare_ways

    config, asking = options.taken_out(given, VariantsConfig), asking_of(given)
    base = options.taken_out(given, ForecastsConfig)
    ways = ways_of(config, base)
    chosen = chosen_tuples(tuples, law, proposed=proposed, quiet=asking.quiet)
    if not asking.quiet:
        _tell_estimate(chosen, ways)
    names = candidates_of(ways, candidate)
    asked, opened = _asked(names, chosen, ways, asking)
    _write_rows(out, [row for forecasts in asked for row in forecasts.rows])
    for variant, forecasts in zip(ways, asked, strict=True) if not asking.quiet else ():
        click.echo(f"viva: {variant.label}:", err=True)
        tell_asked(forecasts)
    if not any(forecasts.rows for forecasts in asked):
        raise NoCompleteTuple("the budget ran out before a tuple was complete: raise it")
    source = Source(tuples.name, file_digest(tuples))
    finding = compare_ways(candidate, ways, asked, opened, source=source, seed=base.seed)
    compared = any(comparison.n for comparison in finding.comparisons)
    show(finding, measured=compared)
    return 0 if compared else OF_VERDICT["undecided"]


def _tell_estimate(tuples: Sequence[QuestionTuple], ways: Sequence[AskedWay]) -> None:
    from vivavoce.studies.forecasting.asking import cost_estimate

    estimates = [cost_estimate(tuples, variant.config) for variant in ways]
    replies = sum(estimate.replies for estimate in estimates)
    click.echo(
        f"viva: {count(estimates[0].tuples)} tuples, {count(len(ways))} variants: {count(replies)} replies, less those on "
        "record",
        err=True,
    )


def _asked(
    names: Sequence[str], tuples: Sequence[QuestionTuple], ways: Sequence[AskedWay], asking: AskOptions
) -> tuple[list[AskedForecasts], list[str]]:
    """The forecasts of each variant, and the recorded names of those asked."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.human import is_person
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.studies.forecasting.asking import cost_estimate
    from vivavoce.studies.variants import ask as ask_in_ways

    opened = {name: open_candidate(name) for name in dict.fromkeys(names)}
    if any(map(is_person, opened.values())):
        raise click.UsageError(
            "a person can't be asked the same question in several variants: use 'viva consistency forecasts ask'."
        )
    shared = SharedBudget(asking.budget)

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> list[AskedForecasts]:
        try:
            interviews = [
                asking.interview(
                    opened[name],
                    transcript,
                    expected=cost_estimate(tuples, variant.config).replies,
                    on_progress=on_progress,
                    shared_budget=shared,
                    results=results,
                )
                for name, variant in zip(names, ways, strict=True)
            ]
            return await ask_in_ways(interviews, tuples, ways)
        finally:
            await close_all(*opened.values())

    with rows_into(asking.results) as results:
        asked = on_record(asking.transcript, ask, quiet=asking.quiet)
    return asked, [opened[name].name for name in names]
