"""`viva certify`: the certificate room on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, output_options, taken_from
from vivavoce.cli.endings import OF_VERDICT, resumable
from vivavoce.cli.kept import Kept, keepsake, print_finding
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.certificate.finding import Certificate, Criterion, Procedure
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    scope: str
    passing_grade: float
    ridiculous_limit: float | None
    delta: float
    procedure: Procedure
    questions: int | None
    seed: int
    zero_is_ridiculous: bool
    as_json: bool
    html: Path | None

    @property
    def criterion(self) -> Criterion:
        """When the candidate counts as understanding."""
        from vivavoce.certificate.finding import Criterion

        return Criterion(self.passing_grade, self.ridiculous_limit, self.delta)


@click.command()
@click.argument("candidate")
@click.option("--scope", required=True, metavar="S", help="What is to be understood; 'viva scopes' lists them.")
@click.option(
    "--passing-grade", type=options.share, metavar="X", default=0.7, show_default=True, help="Mean score that is required."
)
@click.option(
    "--ridiculous-limit",
    type=options.share_or_none,
    metavar="X|none",
    default=0.001,
    show_default=True,
    help="Rate of ridiculous answers that is still acceptable.",
)
@click.option(
    "--delta", type=options.share, metavar="X", default=0.05, show_default=True, help="Bound on the chance of a wrong verdict."
)
@click.option(
    "--procedure",
    type=click.Choice(["sequential", "fixed"]),
    default="sequential",
    show_default=True,
    help="Look after every answer and stop at the verdict, or ask --questions and look once.",
)
@click.option("--questions", type=click.IntRange(min=1), metavar="N", help="Ask at most N; with 'fixed', exactly N.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Draws the questions.")
@click.option("--zero-is-ridiculous", is_flag=True, help="Every score of 0 counts as ridiculous, to the letter of the paper.")
@asking_options
@output_options
@click.pass_context
def certify(context: click.Context, /, **given: Any) -> None:
    """Find out whether CANDIDATE understands a scope, with a bound on the chance of a wrong verdict.

    \b
    viva certify bot:timekeeper --scope intervals
    viva certify bot:calculator?wrong=0.1 --scope arithmetic --html page.html
    viva certify chat:llama3.2@http://localhost:11434/v1 --scope arithmetic --transcript run.sqlite

    \b
    Exit codes: 0 understands, 3 does not understand, 4 no conclusion, 2 bad input,
    5 cannot go on now (with --transcript, the same command again goes on where it stopped).
    """
    order = Order(**taken_from(given))
    _check(order)
    certificate, kept = _examine(order)
    try:
        print_finding(certificate, "vivavoce.dossier.terminal:print_certificate", as_json=order.as_json, kept=kept)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, certificate, quietly=order.as_json)
    context.exit(OF_VERDICT[certificate.verdict])


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if order.procedure == "fixed" and order.questions is None:
        raise click.UsageError("'--procedure fixed' needs '--questions N': the number is chosen before anything is asked.")
    check_page(order.html)


def _examine(order: Order) -> tuple[Certificate, Kept | None]:
    """The certificate, and what to remember of the transcript; None for one in memory."""
    import asyncio

    from rich.console import Console

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    scope = open_scope(order.scope, zero_is_ridiculous=order.zero_is_ridiculous)
    candidate = open_candidate(order.candidate)
    with resumable(order.asking.transcript), Transcript.open(order.asking.transcript) as transcript:
        with ProgressLine(Console(stderr=True, quiet=order.asking.quiet)) as progress:
            certificate = asyncio.run(_certify(order, candidate, scope, transcript, progress))
        return certificate, keepsake(transcript, order.asking.transcript)


def _expected(order: Order, population: int | None) -> int | None:
    """About how many questions there will be, if nothing is ridiculous; for the progress line alone."""
    from itertools import islice

    from vivavoce.statistics.planning import rate_boundary

    limit = order.ridiculous_limit if order.procedure == "sequential" else None
    clean = () if limit is None else islice(rate_boundary(limit, order.delta), 1)
    return min((n for n in (order.questions, population, *clean) if n is not None), default=None)


async def _certify(
    order: Order,
    candidate: Candidate[Prompt, Reply],
    scope: Any,
    transcript: Transcript,
    on_progress: Callable[[Progress], None],
) -> Certificate:
    from vivavoce.candidates import close_candidate
    from vivavoce.certificate.examine import certify as examine

    interview = order.asking.interview(
        candidate, transcript, expected=_expected(order, scope.population), on_progress=on_progress
    )
    try:
        return await examine(
            interview, scope, order.criterion, seed=order.seed, procedure=order.procedure, questions=order.questions
        )
    finally:
        await close_candidate(candidate)
