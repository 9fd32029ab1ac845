"""The first answers of an examination as they are read and graded, among its progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.certificate.verdict import GradedAnswer
    from vivavoce.interview.candidate import Candidate
    from vivavoce.interview.transcript import Transcript

HEADING = "The first answers, as they are read and graded ('viva try' shows more):"


def print_checked(answer: GradedAnswer, number: int, console: Console) -> None:
    """Print an answer for a person who checks how replies are read and graded, with its number."""
    from vivavoce.certificate.report.answers import checked_answer
    from vivavoce.render.console import Screen, print_blocks

    print_blocks((checked_answer(answer, number),), Screen(console))


@contextmanager
def first_answers_on(console: Console, candidate: Candidate[Any, Any] | None, transcript: Transcript) -> Iterator[None]:
    """In this block, show the first answers of a candidate that has none on record; None: show nothing."""
    from vivavoce.interview.candidate import takes_terminal
    from vivavoce.interview.versions import recorded_name

    if candidate is None or console.quiet or takes_terminal(candidate):
        yield
        return
    if transcript.knows(recorded_name(candidate)):
        yield
        return
    from vivavoce.certificate.first_answers import FirstAnswers, first_answers

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
