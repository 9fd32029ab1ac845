"""`viva consistency ask`: the same forecaster asked related questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, file_digest, taken_from, write_lines
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page, check_writable
from vivavoce.cli.results import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.consistency.forecasts.asking import Asked, SetUp
    from vivavoce.consistency.forecasts.finding import LawConsistency
    from vivavoce.consistency.forecasts.prompts import Variant
    from vivavoce.consistency.forecasts.tuples import QuestionTuple


class NothingComplete(click.ClickException):
    """The budget ran out before a single tuple was asked."""

    exit_code = OF_VERDICT["no conclusion"]


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    tuples: Path
    law: tuple[str, ...]
    proposed: bool
    limit: int | None
    seed: int
    variant: Variant
    temperature: float | None
    repeats: int | None
    control: int
    out: Path | None
    as_json: bool
    html: Path | None

    @property
    def set_up(self) -> SetUp:
        """How forecasts are asked for."""
        from vivavoce.consistency.forecasts.asking import SetUp

        return SetUp(self.variant, self.temperature, self.repeats, self.control, self.limit, self.seed)


@click.command(epilog=exit_codes("4 the budget ran out before a single tuple was asked", GOES_ON))
@click.argument("candidate")
@click.option(
    "--tuples",
    required=True,
    type=options.KNOWN_FILE,
    metavar="FILE",
    help="Tuples of questions, one a line; 'viva consistency make' writes them.",
)
@click.option("--law", multiple=True, metavar="LAW,...", help="Only tuples of these laws.")
@click.option(
    "--include-proposed",
    "proposed",
    is_flag=True,
    help="Also tuples that nobody has accepted yet; rejected ones are never asked.",
)
@click.option("--limit", type=options.count, metavar="N", help="Use this many tuples, drawn at random; else all.")
@click.option(
    "--variant",
    type=click.Choice(["plain", "opposite", "canonical"]),
    default="plain",
    show_default=True,
    help="Have the opposite question, or a canonical wording, derived before the answer.",
)
@options.TEMPERATURE
@click.option(
    "--repeats",
    type=click.IntRange(1, 1_000),
    metavar="N",
    help="Replies to each question; their median counts. By default 3 at temperature 0, else 6.",
)
@click.option(
    "--control",
    type=click.IntRange(min=0),
    metavar="N",
    default=20,
    show_default=True,
    help="Control: ask one question of N tuples three more times, word for word, to measure what chance alone does.",
)
@options.seed("Draws the tuples.")
@click.option("--out", type=options.FILE, metavar="FILE", help="Write the forecasts, as 'viva consistency score' reads them.")
@RESULTS
@asking_options
@options.output_options
def ask(**given: Any) -> None:
    """How far are the forecasts of CANDIDATE from being coherent?

    \b
    viva consistency ask chat:llama3.2@http://localhost:11434/v1 --tuples tuples.jsonl --transcript run.sqlite
    viva consistency ask chat:gpt-4@https://api.openai.com/v1 --tuples tuples.jsonl --variant opposite --out forecasts.jsonl
    viva consistency ask function:my_model:answer --tuples tuples.jsonl --law neg,bayes --limit 50 --html page.html

    A forecast is the one number that a reply states as its answer. A reply without one is asked for it once more where the
    candidate holds a conversation; what cannot be read then is counted, and never guessed.
    """
    order = Order(**taken_from(given))
    check_page(order.html)
    check_writable("--out", order.out)
    if order.out is not None and order.out.exists() and order.out.samefile(order.tuples):
        raise click.UsageError(f"--out {order.out}: that is the file of the tuples; choose another place.")
    finding, asked, kept = _examine(order, _chosen(order))
    more = {"planned": asked.planned, "exhausted": asked.exhausted}
    show(finding, as_json=order.as_json, html=order.html, kept=kept, more=more)


def _chosen(order: Order) -> list[QuestionTuple]:
    """The tuples to ask."""
    from vivavoce.consistency.forecasts.tuples import read_tuples
    from vivavoce.errors import BadFile, UnknownName

    tuples = read_tuples(order.tuples)
    laws = list(dict.fromkeys(one.law for one in tuples))
    # a law that is written out in place of a name may hold commas
    wanted = [name.strip() for given in order.law for name in ([given] if given in laws else given.split(","))]
    for law in wanted:
        if law not in laws:
            raise UnknownName(f"law in {order.tuples}", law, laws)
    of_law = [one for one in tuples if not wanted or one.law in wanted]
    fit = [one for one in of_law if one.status == "accepted" or (order.proposed and one.status == "proposed")]
    waiting = sum(one.status == "proposed" for one in of_law)
    if not fit:
        remedy = f"; --include-proposed asks {waiting} that nobody has accepted yet" if waiting and not order.proposed else ""
        raise BadFile(order.tuples, f"holds no accepted tuples{remedy}")
    if len(fit) < len(of_law) and not order.asking.quiet:
        click.echo(f"viva: {len(of_law) - len(fit)} of {len(of_law)} tuples are left out: nobody has accepted them", err=True)
    return fit


def _examine(order: Order, tuples: Sequence[QuestionTuple]) -> tuple[LawConsistency, Asked, Kept | None]:
    """The finding, what it rests on, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.consistency.forecasts.asking import ask_forecasts, cost_estimate
    from vivavoce.consistency.forecasts.score import score

    candidate = open_candidate(order.candidate)
    digest = file_digest(order.tuples)
    to_come = cost_estimate(tuples, order.set_up)
    if not order.asking.quiet:
        click.echo(
            f"viva: {to_come.tuples} tuples and {to_come.controls} controls: {to_come.questions} different questions, "
            f"{to_come.replies} replies ({order.set_up.times} a forecast), less those on record",
            err=True,
        )
    asked, kept = order.asking.examined(
        candidate, lambda interview: ask_forecasts(interview, tuples, order.set_up), expected=to_come.replies
    )
    _write_rows(order, asked)
    if not order.asking.quiet:
        _tell(asked)
    if not asked.rows:
        replies = sum(asked.outcomes.values())
        raise NothingComplete(
            f"the budget of {asked.exhausted} ran out after {replies} replies, before a tuple was complete: give more"
        )
    finding = score(
        asked.rows,
        source=order.tuples.name,
        digest=digest,
        seed=order.seed,
        settings=asked.settings,
        asked_so=asked.asked_so,
    )
    return finding, asked, kept


def _write_rows(order: Order, asked: Asked) -> None:
    if order.out is None:
        return
    from vivavoce.consistency.forecasts.rows import row_as_json

    write_lines(order.out, map(row_as_json, asked.rows))
    click.echo(f"Forecasts: {order.out}", err=True)


def _tell(asked: Asked) -> None:
    """What became of the replies, and what is missing."""
    from vivavoce.formats.wording import clipped

    counts = ", ".join(f"{count} {outcome}" for outcome, count in asked.outcomes.items())
    click.echo(f"viva: {sum(asked.outcomes.values())} replies: {counts or 'none'}", err=True)
    if asked.absence:
        click.echo(f"viva: the first that did not come: {clipped(asked.absence, 200)}", err=True)
    if asked.exhausted:
        kept = f"{len(asked.rows)} of {asked.planned} tuples, controls included, were asked in full"
        click.echo(f"viva: the budget of {asked.exhausted} ran out: {kept}; the others are left out", err=True)
