"""One evaluation of Inspect in which candidates run a task's samples as they are asked for them, each with a log of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspect_ai import Task, eval_async
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelAPI
from inspect_ai.util import display_type
from rich.text import Text

from vivavoce.errors import CandidateMisconfigured
from vivavoce.formats.wording import clipped
from vivavoce.plugins.inspect_plugin.private import init_display_type
from vivavoce.plugins.inspect_plugin.task_scope.feed import Feed
from vivavoce.plugins.inspect_plugin.task_scope.logs import About, folder_of, joined, last_epochs, unfinished

UNBOUNDED: Final = 10_000
"""Samples and connections at once that Inspect is not to bound: the interview does."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one candidate runs: the task with its model, fed with samples."""

    task: Task
    feed: Feed
    about: About
    """Of what examination its log is."""
    owned: ModelAPI | None = None
    """A model made only for this evaluation and released with it; None: another owner releases it."""


class Evaluation:
    """Begins with the first sample that is asked for, and ends once all parts are closed.

    roles: models by the roles that they play in the task.
    """

    def __init__(self, parts: Sequence[Part], *, log_dir: Path | None, roles: Mapping[str, str]) -> None:
        self._parts = tuple(parts)
        self._folder = folder_of(log_dir)
        self._roles = dict(roles)
        self._open = len(self._parts)
        self._running: asyncio.Task[list[EvalLog]] | None = None
        self.logs: tuple[str, ...] = ()
        """Where the logs are, one for each part; known at the end."""

    def begin(self) -> None:
        """Start, unless it has started."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())

    async def close(self, part: Part) -> None:
        """Let a part go; with the last, wait until the logs are complete, and let models go.

        Cancelled, the samples under way are, too.
        """
        part.feed.close()
        self._open -= 1
        if self._open:
            return
        if self._running is not None:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        owned = [part.owned for part in self._parts if part.owned is not None]
        await asyncio.gather(*(model.aclose() for model in owned), return_exceptions=True)

    async def _run(self) -> list[EvalLog]:
        error: BaseException = CandidateMisconfigured("Inspect ended the evaluation")
        logs: list[EvalLog] = []
        try:
            earlier = [await asyncio.to_thread(unfinished, self._folder, part.about) for part in self._parts]
            for part, files in zip(self._parts, earlier, strict=True):
                part.feed.go_on(await asyncio.to_thread(last_epochs, files))
            with _unseen():
                logs = await eval_async(
                    [part.task for part in self._parts],
                    model=None,
                    model_roles=dict(self._roles),
                    log_dir=self._folder,
                    log_format="eval",
                    log_buffer=1,  # what is in the transcript is in the log, even of a run that is killed
                    log_realtime=False,
                    fail_on_error=False,
                    max_samples=UNBOUNDED,
                    max_tasks=len(self._parts),
                    ctl_server=False,
                    score_display=False,
                )
            self.logs = tuple(log.location for log in logs)
            for log, files in zip(logs, earlier, strict=False):  # it gives no logs where it was cancelled
                await asyncio.to_thread(joined, log, files)
            reasons = [log.error.message for log in logs if log.error is not None]
            error = CandidateMisconfigured(_said(reasons[0])) if reasons else error
        except asyncio.CancelledError as cancelled:
            error = cancelled
            raise
        except Exception as failed:
            error = CandidateMisconfigured(_said(getattr(failed, "message", failed)))
        finally:
            for part in self._parts:
                part.feed.end(error)
        return logs


def _said(error: object) -> str:
    """What Inspect says of an evaluation that cannot go on, in a line."""
    return f"Inspect cannot run the task: {clipped(Text.from_markup(' '.join(str(error).split())).plain, 400)}"


@contextmanager
def _unseen() -> Iterator[None]:
    """Inspect shows nothing of its own and logs nothing to the terminal, and leaves both as they were."""
    shown, handlers, level = display_type(), logging.root.handlers[:], logging.root.level
    init_display_type("none")
    try:
        yield
    finally:
        init_display_type(shown)
        logging.root.handlers[:], logging.root.level = handlers, level
