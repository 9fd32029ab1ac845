"""The progress of an interview, below the notebook cell that runs it. Small, since `vivavoce` imports it eagerly."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from vivavoce.interview.progress import Progress, watcher
from vivavoce.render.terminal import in_words

EVERY: Final = 0.5
"""Seconds between two lines."""


class ProgressOutput:
    """One line of output, updated in place.

    display: IPython's `display`.
    """

    def __init__(self, display: Callable[..., Any], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due = clock() + EVERY
        self._display = display
        self._output: Any = None

    def __call__(self, progress: Progress) -> None:
        """Show this state, if an update is due."""
        if self._clock() < self._due:
            return
        self._due = self._clock() + EVERY
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

    output = ProgressOutput(display)
    token = watcher.set(output)
    try:
        yield
    finally:
        watcher.reset(token)
        output.end()
