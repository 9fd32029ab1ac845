"""Progress in the terminal: the first answers while questions are asked, and lines every few seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.interview.candidate import Candidate, takes_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.certificate.claims.claim import GradedAnswer
    from vivavoce.interview.transcript import Transcript


HEADING = "The first answers, as parsed and graded ('viva try' shows more):"


def print_checked(answer: GradedAnswer, number: int, console: Console) -> None:
    """Print one answer with its number, so that the user can check how replies are parsed and graded."""
    from vivavoce.certificate.report.answers import checked_answer
    from vivavoce.render.console import Screen, print_blocks

    print_blocks((checked_answer(answer, number),), Screen(console))


EVERY: Final = 5.0
"""Seconds between two lines of progress."""


def now_and_then(words: Callable[..., str]) -> Callable[..., None]:
    """A callback that prints these words about its arguments on standard error, every few seconds."""
    due = time.monotonic() + EVERY

    def tell(*news: Any) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + EVERY
            click.echo(words(*news), err=True)

    return tell


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
