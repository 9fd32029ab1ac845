"""One Inspect evaluation in which candidates run requested samples of a task, with a log for each candidate.

A feed puts samples into the running evaluation, and hands them out as they complete.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspect_ai import SampleSource, Task, enqueue_sample, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelAPI, ModelUsage
from inspect_ai.util import display_type
from rich.text import Text

from vivavoce.errors import CandidateMisconfigured
from vivavoce.formats.wording import clipped
from vivavoce.plugins.inspect_plugin.private import init_display_type
from vivavoce.plugins.inspect_plugin.task_scope.logs import About, folder_of, joined, last_epochs, unfinished

Run = tuple[str, int]
"""A sample's id and an epoch."""


class Feed(SampleSource):
    """Source of one task's samples; a caller waits until its sample is complete.

    A sample that is requested again runs as its next epoch. No more samples run at once than are requested.
    """

    def __init__(self) -> None:
        self._epochs: defaultdict[str, int] = defaultdict(int)
        self._wanted: list[tuple[Sample, asyncio.Future[EvalSample]]] = []
        self._waiting: dict[Run, asyncio.Future[EvalSample]] = {}
        self._wake = asyncio.Event()
        self._inside: Context | None = None
        self._ended: BaseException | None = None
        self._closed = False
        self.used: list[Mapping[str, ModelUsage]] = []
        """Usage of each completed sample, by model, including samples that no one waited for."""

    def go_on(self, epochs: Mapping[str, int]) -> None:
        """Number further epochs after those of an earlier run."""
        self._epochs.update(epochs)

    async def run(self, sample: Sample) -> EvalSample:
        """Run a sample and wait for it. Raises the error that ended the evaluation, if that came first."""
        if self._ended is not None:
            raise self._ended
        waiting: asyncio.Future[EvalSample] = asyncio.get_running_loop().create_future()
        self._wanted.append((sample, waiting))
        if self._inside is None:
            self._wake.set()
        else:
            self._inside.run(self._enqueue)
        return await waiting

    def close(self) -> None:
        """Let the evaluation end once its samples in flight are complete."""
        self._closed = True
        self._wake.set()

    def end(self, error: BaseException) -> None:
        """Tell all waiting and later callers that the evaluation has ended."""
        self._ended = error
        for waiting in (*self._waiting.values(), *(waiting for _, waiting in self._wanted)):
            if not waiting.done():
                waiting.set_exception(error)
        self._waiting.clear()

    async def next_samples(self) -> list[Sample] | None:
        """Called by Inspect when nothing is in flight: wait for a request. None once there are no more."""
        self._inside = None
        while not self._wanted:
            if self._closed:
                return None
            self._wake.clear()
            await self._wake.wait()
        self._inside = copy_context()  # Inspect takes further samples only within this context
        self._enqueue()
        return []

    async def sample_complete(self, sample: EvalSample) -> None:
        """Deliver a sample to its waiting caller."""
        self.used.append(sample.model_usage)
        waiting = self._waiting.pop((str(sample.id), sample.epoch), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(sample)

    async def sample_abandoned(self, sample: Sample, epoch: int) -> None:
        """Inspect removed it from the queue."""
        waiting = self._waiting.pop((str(sample.id), epoch), None)
        if waiting is not None and not waiting.done():
            waiting.set_exception(RuntimeError("the sample was cancelled before it began"))

    def _enqueue(self) -> None:
        wanted, self._wanted = self._wanted, []
        for sample, waiting in wanted:
            if not waiting.done():
                name = str(sample.id)
                self._epochs[name] += 1
                self._waiting[name, self._epochs[name]] = waiting
                enqueue_sample(sample.model_copy(deep=True), epoch=self._epochs[name])


UNBOUNDED: Final = 10_000
"""Limits of samples and connections that Inspect should not apply: the interview does."""


@dataclass(frozen=True, slots=True)
class CandidateTask:
    """One candidate's part: the task with its model, fed with samples."""

    task: Task
    feed: Feed
    about: About
    """The examination that its log belongs to."""
    owned: ModelAPI | None = None
    """A model made only for this evaluation and released with it; None: another owner releases it."""


class TaskEvaluation:
    """Starts with the first requested sample, and ends once all parts are closed.

    roles: models by the roles that they play in the task.
    """

    def __init__(self, parts: Sequence[CandidateTask], *, log_dir: Path | None, roles: Mapping[str, str]) -> None:
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

    async def close(self, part: CandidateTask) -> None:
        """Close a part; with the last, wait until the logs are complete, and release the models. A cancelled call also cancels
        the samples in flight.

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
                    log_buffer=1,  # the log has everything that the transcript has, even if the run is killed
                    log_realtime=False,
                    fail_on_error=False,
                    max_samples=UNBOUNDED,
                    max_tasks=len(self._parts),
                    ctl_server=False,
                    score_display=False,
                )
            self.logs = tuple(log.location for log in logs)
            for log, files in zip(logs, earlier, strict=False):  # a cancelled evaluation gives no logs
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
    """Inspect's message about an evaluation that can't continue, in one line."""
    return f"Inspect can't run the task: {clipped(Text.from_markup(' '.join(str(error).split())).plain, 400)}"


@contextmanager
def _unseen() -> Iterator[None]:
    """Silence Inspect's display and logging for this block."""
    shown, handlers, level = display_type(), logging.root.handlers[:], logging.root.level
    init_display_type("none")
    try:
        yield
    finally:
        init_display_type(shown)
        logging.root.handlers[:], logging.root.level = handlers, level
