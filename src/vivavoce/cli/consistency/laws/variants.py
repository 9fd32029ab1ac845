"""`viva consistency variants`: the same tuples asked in several ways, a matrix of ways and laws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_of, asking_options, file_digest, on_record, write_lines
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.laws.ask import NothingComplete, chosen_tuples, tell_asked, tuples_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_output, check_page
from vivavoce.cli.results import RESULTS, rows_into
from vivavoce.studies.forecasting.config import ForecastsConfig, VariantsConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.forecasting.planning import Asked
    from vivavoce.studies.forecasting.tuples import QuestionTuple
    from vivavoce.studies.forecasting.ways import AskedWay

SHARED: Final = ("limit", "temperature", "repeats", "control", "seed", "prompts")
"""Settings of all ways."""


@click.command(epilog=exit_codes("4 the budget ran out before two ways could be compared", GOES_ON))
@click.argument("candidate")
@tuples_options
@config_options(VariantsConfig, variants={"option": "--variant"})
@config_options(ForecastsConfig, only=SHARED)
@click.option("--out", type=options.FILE, metavar="FILE", help="Write all forecasts, as 'viva consistency score' reads them.")
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def variants(
    context: click.Context,
    /,
    *,
    candidate: str,
    tuples: Path,
    law: tuple[str, ...],
    proposed: bool,
    out: Path | None,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Does a way to ask CANDIDATE that mends one law harm another?

    \b
    viva consistency variants chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --transcript run.sqlite
    viva consistency variants chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --variant plain \\
        --variant together --variant instructions:careful.txt --html page.html
    viva consistency variants function:my_model:answer --tuples tuples.jsonl --law neg,bayes --variant plain \\
        --variant candidate:function:my_model:newer

    The same tuples are asked in each of these ways. 'plain' asks each question by itself, 'opposite' and 'canonical' have the
    opposite question or a canonical wording derived first, 'instructions:FILE' puts the words of FILE in place of ours, and
    'together' asks the questions of a tuple in one conversation, each with the real replies before it.
    """
    config, base, asking = options.taken_out(given, VariantsConfig), _shared(given), asking_of(given)
    from vivavoce.studies.forecasting.ways import candidates_of, ways_of
    from vivavoce.studies.study import Source
    from vivavoce.studies.variants import compare_ways

    check_page(html)
    check_output("--out", out)
    ways = ways_of(config, base)
    chosen = chosen_tuples(tuples, law, proposed=proposed, quiet=asking.quiet)
    if not asking.quiet:
        _tell_estimate(chosen, ways)
    names = candidates_of(ways, candidate)
    asked, opened, kept = _asked(names, chosen, ways, asking)
    _write_rows(out, asked)
    for way, one in zip(ways, asked, strict=True) if not asking.quiet else ():
        click.echo(f"viva: {way.label}:", err=True)
        tell_asked(one)
    if not any(one.rows for one in asked):
        raise NothingComplete("the budget ran out before a tuple was complete: give more")
    source = Source(tuples.name, file_digest(tuples))
    finding = compare_ways(candidate, ways, asked, opened, source=source, seed=base.seed)
    compared = any(one.n for one in finding.comparisons)
    show(finding, as_json=as_json, html=html, kept=kept, measured=compared)
    context.exit(0 if compared else OF_VERDICT["no conclusion"])


def _shared(given: dict[str, Any]) -> ForecastsConfig:
    return ForecastsConfig(**{name: given.pop(name) for name in SHARED})


def _tell_estimate(tuples: Sequence[QuestionTuple], ways: Sequence[AskedWay]) -> None:
    from vivavoce.formats.wording import count
    from vivavoce.studies.forecasting.asking import cost_estimate

    estimates = [cost_estimate(tuples, way.config) for way in ways]
    replies = sum(estimate.replies for estimate in estimates)
    click.echo(
        f"viva: {count(estimates[0].tuples)} tuples in {count(len(ways))} ways: {count(replies)} replies, less those on record",
        err=True,
    )


def _asked(
    names: Sequence[str], tuples: Sequence[QuestionTuple], ways: Sequence[AskedWay], asking: Asking
) -> tuple[list[Asked], list[str], Kept | None]:
    """What was forecast in each way, the names of who was asked on record, and what to remember of the transcript."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.human.person import is_person
    from vivavoce.interview.budget import Budget, SharedBudget
    from vivavoce.studies.forecasting.asking import cost_estimate
    from vivavoce.studies.variants import ask as ask_in_ways

    opened = {name: open_candidate(name) for name in dict.fromkeys(names)}
    if any(map(is_person, opened.values())):
        raise click.UsageError("A person is not asked the same in several ways: use 'viva consistency ask'.")
    shared = SharedBudget(Budget(tokens=asking.tokens, money=asking.money))

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> list[Asked]:
        try:
            interviews = [
                asking.interview(
                    opened[name],
                    transcript,
                    expected=cost_estimate(tuples, way.config).replies,
                    on_progress=on_progress,
                    shared_budget=shared,
                    results=results,
                )
                for name, way in zip(names, ways, strict=True)
            ]
            return await ask_in_ways(interviews, tuples, ways)
        finally:
            await _close(opened)

    with rows_into(asking.results) as results:
        asked, kept = on_record(asking.transcript, ask, quiet=asking.quiet)
    return asked, [opened[name].name for name in names], kept


async def _close(opened: Mapping[str, Candidate[Prompt, Reply]]) -> None:
    from vivavoce.candidates import close_candidate

    for one in opened.values():
        await close_candidate(one)


def _write_rows(out: Path | None, asked: Sequence[Asked]) -> None:
    if out is None:
        return
    from vivavoce.studies.forecasting.forecast_files import row_as_json

    write_lines(out, (row_as_json(row) for one in asked for row in one.rows))
    click.echo(f"Forecasts: {out}", err=True)
