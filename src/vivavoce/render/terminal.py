"""A live line while questions are asked, in the terminal and below a notebook cell, and tables in the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.formats.wording import clipped, count, duration

if TYPE_CHECKING:
    from rich.live import Live

    from vivavoce.interview.progress import BatchState, Progress

LONGEST_LINE: Final = 160
"""Characters of an untrusted text on one line."""
NOTEBOOK_EVERY: Final = 0.5
"""Seconds between two lines below a notebook cell."""


class ProgressLine:
    """Progress of an interview: one line that is updated in place, or a plain line now and then if the output is not a
    terminal. Use it as a context manager and as `on_progress`.
    """

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._every = 0.2 if console.is_terminal else 10.0
        self._due = clock() + self._every
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._console.quiet:  # it would swallow other output
            from rich.live import Live

            self._live = Live(Text("asking the first questions"), console=self._console, auto_refresh=False, transient=True)
            self._live.start(refresh=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show this state, if an update is due."""
        if self._clock() < self._due:
            return
        self._due = self._clock() + self._every
        line = Text(in_words(progress), no_wrap=True, overflow="ellipsis")
        if self._live is not None:
            self._live.update(line, refresh=True)
        else:
            self._console.print(line, soft_wrap=True)


class ProgressOutput:
    """One line below a notebook cell, updated in place.

    display: IPython's `display`.
    """

    def __init__(self, display: Callable[..., Any], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due = clock() + NOTEBOOK_EVERY
        self._display = display
        self._output: Any = None

    def __call__(self, progress: Progress) -> None:
        """Show this state, if an update is due."""
        if self._clock() < self._due:
            return
        self._due = self._clock() + NOTEBOOK_EVERY
        line = {"text/plain": in_words(progress)}
        if self._output is None:
            self._output = self._display(line, raw=True, display_id=True)
        else:
            self._output.update(line, raw=True)

    def end(self) -> None:
        """Remove the line."""
        if self._output is not None:
            self._output.update({"text/plain": ""}, raw=True)


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show the progress of interviews in a notebook, unless they have their own watcher; nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        yield
        return
    from IPython.display import display

    from vivavoce.interview.progress import watcher

    output = ProgressOutput(display)
    token = watcher.set(output)
    try:
        yield
    finally:
        watcher.reset(token)
        output.end()


def in_words(progress: Progress) -> str:
    """One line: answered of expected, rate, problems, money and time left.

    >>> from vivavoce.interview.candidate import Usage
    >>> from vivavoce.interview.progress import Progress
    >>> in_words(Progress(60, 50, 0, 1, 0, 10, Usage(money=0.5), seconds=20.0, expected=100))
    '50 of about 100 answered · 2.5/s · 1 without answer · money 0.50, 0.50 to go · 20 s to go'
    """
    of = "" if progress.expected is None else f" of about {count(progress.expected)}"
    parts = [] if progress.batch is None else [batch_in_words(progress.batch)]
    parts.append(f"{count(progress.answered)}{of} answered")
    if progress.rate and progress.batch is None:
        parts.append(f"{progress.rate:.2g}/s" if progress.rate < 100 else f"{count(round(progress.rate))}/s")
    for number, name in ((progress.from_record, "from record"), (progress.retries, "asked again")):
        if number:
            parts.append(f"{count(number)} {name}")
    if progress.no_answers:
        parts.append(f"{count(progress.no_answers)} without answer")
    if progress.usage.money:
        left = "" if progress.money_left is None else f", {progress.money_left:.2f} to go"
        parts.append(f"money {progress.usage.money:.2f}{left}")
    if progress.seconds_to_next is not None:
        parts.append(f"next question in {duration(progress.seconds_to_next)}")
    elif progress.seconds_left is not None and progress.batch is None:
        parts.append(f"{duration(progress.seconds_left)} to go")
    return " · ".join(parts)


def batch_in_words(batch: BatchState) -> str:
    """The current batch, with the server's status.

    >>> from vivavoce.interview.progress import BatchState
    >>> batch_in_words(BatchState("in_progress", total=60, completed=20, failed=0, seconds=90.0, number=3))
    'batch 3: 20 of 60 done, in progress for 2 min'
    """
    failed = f", {count(batch.failed)} failed" if batch.failed else ""
    status = one_line(batch.status.replace("_", " "))
    done = f"{count(batch.completed)} of {count(batch.total)} done{failed}"
    since = f" for {duration(batch.seconds)}" if batch.seconds else ""
    return f"batch {batch.number}: {done}, {status}{since}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]] = (), *, numbers: bool = False) -> Table:
    """A table without lines and with quiet heads; its text is never markup. numbers: whether all columns are right-aligned
    numbers.
    """
    made = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in heads:
        made.add_column(Text(head), justify="right" if numbers else "left")
    for row in rows:
        made.add_row(*map(Text, row))
    return made


def one_line(text: str) -> str:
    """An untrusted text on one line, its end cut off.

    >>> one_line("a\\n b")
    'a b'
    """
    return clipped(" ".join(text.split()), LONGEST_LINE)
