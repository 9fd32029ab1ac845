"""`viva consistency ask`: the same forecaster asked related questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_of, asking_options, file_digest, write_lines
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_output, check_page
from vivavoce.cli.results import RESULTS
from vivavoce.studies.forecasting.config import ForecastsConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.studies.forecasting.counting import ForecastFinding
    from vivavoce.studies.forecasting.planning import Asked
    from vivavoce.studies.forecasting.tuples import QuestionTuple


class NothingComplete(click.ClickException):
    """The budget ran out before a single tuple was asked."""

    exit_code = OF_VERDICT["no conclusion"]


tuples_options = options.together(
    click.option(
        "--tuples",
        required=True,
        type=options.KNOWN_FILE,
        metavar="FILE",
        help="Tuples of questions: one a line, as 'viva consistency make' writes them, or a table (.csv, .tsv) with columns "
        "law, group, statement, question and a question a row.",
    ),
    click.option("--law", multiple=True, metavar="LAW,...", help="Only tuples of these laws."),
    click.option(
        "--include-proposed",
        "proposed",
        is_flag=True,
        help="Also tuples that nobody has accepted yet; rejected ones are never asked.",
    ),
)
"""Which tuples are asked."""


@click.command(epilog=exit_codes("4 the budget ran out before a single tuple was asked", GOES_ON))
@click.argument("candidate")
@tuples_options
@config_options(ForecastsConfig)
@click.option("--out", type=options.FILE, metavar="FILE", help="Write the forecasts, as 'viva consistency score' reads them.")
@RESULTS
@asking_options
@options.verdict_options
def ask(
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
    """How far are the forecasts of CANDIDATE from being coherent?

    \b
    viva consistency ask chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --transcript run.sqlite
    viva consistency ask chat:gpt-4@https://api.openai.com/v1 --tuples tuples.jsonl --variant opposite --out forecasts.jsonl
    viva consistency ask function:my_model:answer --tuples tuples.jsonl --law neg,bayes --limit 50 --html page.html

    A forecast is the one number that a reply states as its answer. A reply without one is asked for it once more where the
    candidate holds a conversation; what cannot be read then is counted, and never guessed.
    """
    config, asking = options.taken_out(given, ForecastsConfig), asking_of(given)
    check_page(html)
    check_output("--out", out)
    chosen = chosen_tuples(tuples, law, proposed=proposed, quiet=asking.quiet)
    asked, kept = _ask(candidate, chosen, config, asking)
    _write_rows(out, asked)
    finding = _scored(asked, tuples, config.seed, quiet=asking.quiet)
    more = {"planned": asked.planned, "exhausted": asked.exhausted}
    show(finding, as_json=as_json, html=html, kept=kept, more=more)


def chosen_tuples(file: Path, law: Sequence[str], *, proposed: bool, quiet: bool) -> list[QuestionTuple]:
    """The tuples to ask: accepted ones, of these laws or of all. Raises `BadFile` and `UnknownName`."""
    from vivavoce.errors import BadFile, UnknownName
    from vivavoce.studies.forecasting.tuples import read_tuples

    tuples = read_tuples(file)
    laws = list(dict.fromkeys(one.law for one in tuples))
    # a law that is written out in place of a name may hold commas
    wanted = [name.strip() for given in law for name in ([given] if given in laws else given.split(","))]
    for name in wanted:
        if name not in laws:
            raise UnknownName(f"law in {file}", name, laws)
    of_law = [one for one in tuples if not wanted or one.law in wanted]
    fit = [one for one in of_law if one.status == "accepted" or (proposed and one.status == "proposed")]
    waiting = sum(one.status == "proposed" for one in of_law)
    if not fit:
        remedy = f"; --include-proposed asks {waiting} that nobody has accepted yet" if waiting and not proposed else ""
        raise BadFile(file, f"holds no accepted tuples{remedy}")
    if len(fit) < len(of_law) and not quiet:
        click.echo(f"viva: {len(of_law) - len(fit)} of {len(of_law)} tuples are left out: nobody has accepted them", err=True)
    return fit


def _ask(name: str, tuples: Sequence[QuestionTuple], config: ForecastsConfig, asking: Asking) -> tuple[Asked, Kept | None]:
    """What was forecast, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.human.person import is_person
    from vivavoce.studies.forecasting.asking import ask_forecasts, cost_estimate

    candidate, to_come = open_candidate(name), cost_estimate(tuples, config)
    if config.together and is_person(candidate):
        raise click.UsageError(
            "'--together' is for machines: a person would be shown the own answers as examples. Leave it out."
        )
    if not asking.quiet:
        click.echo(
            f"viva: {to_come.tuples} tuples and {to_come.controls} controls: {to_come.questions} different questions, "
            f"{to_come.replies} replies ({config.times} a forecast), less those on record",
            err=True,
        )
    return asking.examined(candidate, lambda interview: ask_forecasts(interview, tuples, config), expected=to_come.replies)


def _scored(asked: Asked, file: Path, seed: int, *, quiet: bool) -> ForecastFinding:
    """The finding; what became of the replies is said."""
    from vivavoce.studies.forecasting.scoring import score_each
    from vivavoce.studies.forecasts import finding_of
    from vivavoce.studies.study import Source

    if not quiet:
        tell_asked(asked)
    if not asked.rows:
        replies = sum(asked.outcomes.values())
        raise NothingComplete(
            f"the budget of {asked.exhausted} ran out after {replies} replies, before a tuple was complete: give more"
        )
    return finding_of(
        score_each(asked.rows),
        source=Source(file.name, file_digest(file)),
        seed=seed,
        settings=asked.settings,
        asked_so=asked.asked_so,
        not_reached=asked.planned - len(asked.rows),
    )


def _write_rows(out: Path | None, asked: Asked) -> None:
    if out is None:
        return
    from vivavoce.studies.forecasting.forecast_files import row_as_json

    write_lines(out, map(row_as_json, asked.rows))
    click.echo(f"Forecasts: {out}", err=True)


def tell_asked(asked: Asked) -> None:
    """What became of the replies, and what is missing."""
    from vivavoce.formats.wording import clipped

    counts = ", ".join(f"{count} {outcome}" for outcome, count in asked.outcomes.items())
    click.echo(f"viva: {sum(asked.outcomes.values())} replies: {counts or 'none'}", err=True)
    if asked.absence:
        click.echo(f"viva: the first that did not come: {clipped(asked.absence, 200)}", err=True)
    if asked.exhausted:
        kept = f"{len(asked.rows)} of {asked.planned} tuples, controls included, were asked in full"
        click.echo(f"viva: the budget of {asked.exhausted} ran out: {kept}; the others are left out", err=True)
