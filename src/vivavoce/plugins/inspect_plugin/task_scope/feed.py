"""Samples into a running evaluation of Inspect as they are asked for, and out of it as they complete."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from contextvars import Context, copy_context

from inspect_ai import SampleSource, enqueue_sample
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

Run = tuple[str, int]
"""A sample's id and an epoch."""


class Feed(SampleSource):
    """Source of one task's samples; a caller waits until its sample is complete.

    Asked for once more, a sample runs again, as its next epoch. No more run at once than are asked for at once.
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
        """What each sample that completed used, by model, whether anybody still waited for it or not."""

    def go_on(self, epochs: Mapping[str, int]) -> None:
        """Number further epochs of samples after these, which an earlier run had."""
        self._epochs.update(epochs)

    async def run(self, sample: Sample) -> EvalSample:
        """Run a sample and wait for it. Raises what ended the evaluation, if that came first."""
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
        """Let the evaluation end once what it is at is complete."""
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
        """Inspect asks when nothing is in flight: wait until something is wanted. None once there is nothing more to come."""
        self._inside = None
        while not self._wanted:
            if self._closed:
                return None
            self._wake.clear()
            await self._wake.wait()
        self._inside = copy_context()  # in it, and in no other, Inspect takes further samples
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
