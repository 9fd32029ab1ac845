"""Progress while questions are asked: the first answers in the terminal, and the page of `--watch`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.options import WholeNumber
from vivavoce.cli.tracing import traced
from vivavoce.interview.candidate import Candidate, takes_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.certificate.claims.claim import GradedAnswer
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.render.live import Watch


def _keep(context: click.Context, _: click.Parameter, port: int | None) -> None:
    context.meta[__name__] = port


WATCH = click.option(
    "--watch",
    expose_value=False,
    callback=_keep,
    is_flag=False,
    flag_value="0",
    type=WholeNumber(0, 65_535),
    metavar="[PORT]",
    help="Show live progress in the browser [PORT, default: any free port].",
)


@contextmanager
def watching(on_progress: Callable[[Progress], None]) -> Iterator[tuple[Callable[[Progress], None], Watch | None]]:
    """Show live progress of this block with `--watch`, and trace it if configured.

    on_progress: another callback.
    """
    context = click.get_current_context(silent=True)
    with traced("viva" if context is None else context.command_path):
        yield from _watching(context, on_progress)


def _watching(
    context: click.Context | None, on_progress: Callable[[Progress], None]
) -> Iterator[tuple[Callable[[Progress], None], Watch | None]]:
    port = None if context is None else context.meta.get(__name__)
    if context is None or port is None:
        yield on_progress, None
        return
    from vivavoce.interview.results import spectator
    from vivavoce.render.live import LivePage, Watch

    watch = Watch(f"viva {context.info_name}")

    def told(progress: Progress) -> None:
        watch(progress)
        on_progress(progress)

    with LivePage(watch, port) as page:
        click.echo(f"Watch: {page.address}", err=True)
        before = spectator.set(watch)
        try:
            yield told, watch
        finally:
            spectator.reset(before)


def tell_end(watch: Watch | None, finding: object) -> None:
    """Show the finding on the live page."""
    if watch is not None:
        watch.over(finding, "Ended")


HEADING = "The first answers, as parsed and graded ('viva try' shows more):"


def print_checked(answer: GradedAnswer, number: int, console: Console) -> None:
    """Print one answer with its number, so that the user can check how replies are parsed and graded."""
    from vivavoce.certificate.report.answers import checked_answer
    from vivavoce.render.console import Screen, print_blocks

    print_blocks((checked_answer(answer, number),), Screen(console))


@contextmanager
def first_answers_on(console: Console, candidate: Candidate[Any, Any] | None, transcript: Transcript) -> Iterator[None]:
    """In this block, show the first answers of a candidate without recorded answers; None: show nothing."""
    from vivavoce.interview.candidate_kinds import recorded_name

    if candidate is None or console.quiet or takes_terminal(candidate):
        yield
        return
    if transcript.knows(recorded_name(candidate)):
        yield
        return
    from vivavoce.certificate.graders.trace import FirstAnswers, first_answers

    numbers = iter(range(1, 1_000))

    def show(answer: GradedAnswer) -> None:
        number = next(numbers)
        if number == 1:
            console.print(HEADING, style="dim", markup=False, highlight=False, soft_wrap=True)
        print_checked(answer, number, console)

    before = first_answers.set(FirstAnswers(show))
    try:
        yield
    finally:
        first_answers.reset(before)
