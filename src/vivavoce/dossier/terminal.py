"""Findings in the terminal: one live line while asking, then a table and the sentence."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.certificate.finding import Certificate, Verdict
from vivavoce.dossier.certificate_explanations_terminal import print_explanations
from vivavoce.dossier.certificate_grading_terminal import print_grading
from vivavoce.dossier.certificate_page import MARK, numbers, strata, verdict_line
from vivavoce.interview.wording import clipped, count, duration

if TYPE_CHECKING:
    from rich.live import Live

    from vivavoce.interview.progress import Progress

COLOUR = {Verdict.UNDERSTANDS: "green", Verdict.DOES_NOT_UNDERSTAND: "red", Verdict.NO_CONCLUSION: "bright_black"}
SHOWN_WORST = 3
SHOWN_CHARACTERS = 160
SHOWN_LAW = 600


class ProgressLine:
    """How far an interview has come: one line that is renewed in place, or, where nobody watches, a plain line now and then.

    Use it as a context manager and as `on_progress`.
    """

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._every = 0.2 if console.is_terminal else 10.0
        self._due = clock() + self._every
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            from rich.live import Live

            self._live = Live(Text("asking the first questions"), console=self._console, auto_refresh=False, transient=True)
            self._live.start(refresh=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show this state, if it is time again."""
        if self._clock() < self._due:
            return
        self._due = self._clock() + self._every
        line = Text(in_words(progress), no_wrap=True, overflow="ellipsis")
        if self._live is not None:
            self._live.update(line, refresh=True)
        else:
            self._console.print(line, soft_wrap=True)


def in_words(progress: Progress) -> str:
    """One line: answered of expected, rate, what did not go well, money and time left.

    >>> from vivavoce.interview.candidate import Usage
    >>> from vivavoce.interview.progress import Progress
    >>> in_words(Progress(60, 50, 0, 1, 0, 10, Usage(money=0.5), seconds=20.0, expected=100))
    '50 of about 100 answered · 2.5/s · 1 without answer · money 0.50, 0.50 to go · 20 s to go'
    """
    of = "" if progress.expected is None else f" of about {count(progress.expected)}"
    parts = [f"{count(progress.answered)}{of} answered"]
    if progress.rate:
        parts.append(f"{progress.rate:.2g}/s" if progress.rate < 100 else f"{count(round(progress.rate))}/s")
    for number, name in ((progress.from_record, "from record"), (progress.retries, "asked again")):
        if number:
            parts.append(f"{count(number)} {name}")
    if progress.no_answers:
        parts.append(f"{count(progress.no_answers)} without answer")
    if progress.usage.money:
        left = "" if progress.money_left is None else f", {progress.money_left:.2f} to go"
        parts.append(f"money {progress.usage.money:.2f}{left}")
    if progress.seconds_left is not None:
        parts.append(f"{duration(progress.seconds_left)} to go")
    return " · ".join(parts)


def print_certificate(certificate: Certificate, console: Console) -> None:
    """The numbers as a table, the worst answers, what was not shown, and the verdict as the last word."""
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column("")
    table.add_column("found")
    table.add_column("required", style="dim")
    for what, found, required in numbers(certificate):
        table.add_row(what, " ".join(found), required)
    console.print(table)
    if certificate.strata:
        console.print()
        console.print(_strata(certificate))
    print_grading(certificate, console)
    print_explanations(certificate, console)
    if certificate.worst:
        console.print(Text("\nThe worst answers", style="dim"))
    for answer in certificate.worst[:SHOWN_WORST]:
        grade = "ridiculous" if answer.ridiculous else f"score {answer.score:.2g}"
        for name, text in (("asked", answer.question), (grade, answer.answer or f"({answer.outcome.value})")):
            console.print(Text(f"  {name}: {_one_line(text)}"), soft_wrap=True)
        if answer.broken_law:
            console.print(Text(f"  law: {clipped(answer.broken_law, SHOWN_LAW)}"), soft_wrap=True)
    if certificate.caveats:
        console.print(Text("\nNot shown", style="dim"))
    for caveat in certificate.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    mark = Text(f"{MARK[certificate.verdict]} ", style=COLOUR[certificate.verdict])
    console.print(mark + Text(f"{certificate.statement} {verdict_line(certificate)}".rstrip(), style="bold"), soft_wrap=True)


def _strata(certificate: Certificate) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column("stratum")
    for name in ("share", "questions", "ridiculous", "mean score"):
        table.add_column(name, justify="right")
    for row in strata(certificate):
        table.add_row(*map(Text, row))
    return table


def _one_line(text: str) -> str:
    return clipped(" ".join(text.split()), SHOWN_CHARACTERS)
