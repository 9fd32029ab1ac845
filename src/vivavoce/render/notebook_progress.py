"""How far an interview has come, below the cell of a notebook that runs it."""

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
    """One line of output that is renewed in place.

    display: IPython's function of this name.
    """

    def __init__(self, display: Callable[..., Any], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due = clock() + EVERY
        self._display = display
        self._output: Any = None

    def __call__(self, progress: Progress) -> None:
        """Show this state, if it is time again."""
        if self._clock() < self._due:
            return
        self._due = self._clock() + EVERY
        line = {"text/plain": in_words(progress)}
        if self._output is None:
            self._output = self._display(line, raw=True, display_id=True)
        else:
            self._output.update(line, raw=True)

    def end(self) -> None:
        """Take the line away; what was found stands in its place."""
        if self._output is not None:
            self._output.update({"text/plain": ""}, raw=True)


@contextmanager
def shown_progress() -> Iterator[None]:
    """In a notebook, a line that tells how far interviews have come which were given nobody to tell; elsewhere nothing."""
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
