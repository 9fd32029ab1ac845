"""Questions on their way to workers: sent in groups, answered in groups, and sent again to other workers if one is lost."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from distributed import KilledWorker, wait
from distributed.client import CancelledError as DaskCancelledError

from vivavoce.candidates.cluster.outcomes import CandidateRequest, Outcome, RefusalOutcome
from vivavoce.candidates.cluster.run import ClusterRun
from vivavoce.candidates.cluster.scheduler import dask_client, nobody_at
from vivavoce.candidates.cluster.workplace import TOPIC, forget, put
from vivavoce.errors import CandidateMisconfigured, TransportFault

GATHERING: Final = 0.001
"""Seconds for which a question or an answer waits for others: one message costs as much as several answers."""
LOOKING: Final = 1.0
"""Seconds between two checks which workers are connected."""
WITHOUT_WORKERS: Final = 30.0
"""Seconds for which a question waits if there is no worker."""


@dataclass(slots=True, eq=False)
class _Deal:
    """One question for a worker."""

    number: str
    question: Any
    seconds: float | None
    settled: asyncio.Future[Outcome]
    future: Any = None
    """Dask's future."""
    only: frozenset[str] | None = None
    """The workers that may have it; None: any."""
    begun: int = 0
    """How many workers have started, as far as known."""
    watch: asyncio.Task[None] | None = field(default=None, repr=False)

    def take_back(self) -> None:
        """Release it: no caller waits for it."""
        if self.watch is not None:
            self.watch.cancel()
        if self.future is not None:
            self.future.release()
        self.watch = self.future = None


class QuestionDealer:
    """Deals the questions of one candidate in one event loop.

    same: whether the candidate gives the same answer each time. Dask then sends the questions of a lost worker to another one.
    For any other candidate, workers note each question before they ask it. If a second worker notes it, the question was heard
    without an answer, which is a fault.
    """

    def __init__(self, client: Any, address: str, wanted: CandidateRequest, run: ClusterRun, *, same: bool) -> None:
        self.loop = asyncio.get_running_loop()
        self._client = client
        self._address = address
        self._wanted = wanted
        self._run = run
        self._same = same
        self._name = secrets.token_hex(4)
        self._count = 0
        self._deals: dict[str, _Deal] = {}
        self._to_deal: list[_Deal] = []
        self._to_gather: list[_Deal] = []
        self._gathers: set[asyncio.Task[None]] = set()
        self._without_since: float | None = None
        self._look_out = asyncio.create_task(self._look())
        if not same:
            client.subscribe_topic(TOPIC, self._notice)

    @classmethod
    async def connected(cls, address: str, wanted: CandidateRequest, run: ClusterRun, *, same: bool) -> QuestionDealer:
        """A dealer connected to the scheduler at this address. Raises `CandidateUnreachable`."""
        try:
            client = await dask_client(address, asynchronous=True)
        except (OSError, TimeoutError) as error:
            raise nobody_at(address, error) from None
        return cls(client, address, wanted, run, same=same)

    @property
    def open(self) -> bool:
        """Whether the scheduler is connected, as far as Dask knows."""
        return self._client.status in ("running", "connecting")

    async def put(self, question: Any, seconds: float | None) -> Outcome:
        """The outcome. Raises `TransportFault` without one, and `CandidateMisconfigured` if all workers are refused."""
        self._count += 1
        number = f"{TOPIC}-{self._name}-{self._count}"
        deal = self._deals[number] = _Deal(number, question, seconds, self.loop.create_future())
        self._deal(deal)
        try:
            return await deal.settled
        finally:
            del self._deals[number]
            deal.take_back()

    async def close(self) -> None:
        self._look_out.cancel()
        for deal in self._deals.values():
            deal.take_back()
        await asyncio.gather(self._look_out, *self._gathers, return_exceptions=True)
        with suppress(Exception):  # the cluster may have gone
            async with asyncio.timeout(LOOKING):
                self._run.sees(await self._client.nthreads())
                await self._client.run(forget, self._wanted.address, on_error="ignore")
        with suppress(Exception):
            await self._client.close()

    def _deal(self, deal: _Deal) -> None:
        deal.take_back()
        if not self._to_deal:
            self.loop.call_later(GATHERING, self._deal_all)
        self._to_deal.append(deal)

    def _deal_all(self) -> None:
        deals, self._to_deal = [deal for deal in self._to_deal if not deal.settled.done()], []
        if not deals:
            return
        only = self._run.able if self._run.refused else None
        if only is not None and not only:
            return  # they wait for a worker
        how = {"pure": False, "workers": None if only is None else sorted(only)}
        constant = {"wanted": self._wanted, "noted": not self._same}
        columns = zip(*((deal.question, deal.number, deal.seconds) for deal in deals), strict=True)
        try:
            futures = self._client.map(
                put, *map(list, columns), key=[f"{deal.number}-{self._run.dealt}" for deal in deals], **how, **constant
            )
        except Exception as error:
            self._fail(deals, partial(self._gone, type(error).__name__))
            return
        self._run.dealt += len(deals)
        for deal, future in zip(deals, futures, strict=True):
            deal.future, deal.only = future, only
            deal.watch = self.loop.create_task(self._watch(deal))

    async def _watch(self, deal: _Deal) -> None:
        future = deal.future
        try:
            with self._client.as_current():
                await wait([future])
            raised: object = await future.exception()
        except DaskCancelledError:
            self._fail([deal], partial(self._gone, "it was lost there"))
        except Exception as error:
            self._fail([deal], partial(self._lost, f"its worker cannot be reached ({type(error).__name__})"))
        else:
            if raised is None:
                self._gather_with_others(deal)
            elif isinstance(raised, KilledWorker):
                self._fail([deal], partial(self._lost, "every worker that had it was lost"))
            else:
                self._fail([deal], partial(self._lost, f"a worker failed ({type(raised).__name__}: {raised})"))

    def _gather_with_others(self, deal: _Deal) -> None:
        if not self._to_gather:
            self.loop.call_later(GATHERING, self._gather_soon)
        self._to_gather.append(deal)

    def _gather_soon(self) -> None:
        deals, self._to_gather = [deal for deal in self._to_gather if not deal.settled.done()], []
        if deals:
            task = self.loop.create_task(self._gather(deals))
            self._gathers.add(task)
            task.add_done_callback(self._gathers.discard)

    async def _gather(self, deals: Sequence[_Deal]) -> None:
        """Fetch answers from workers; if a worker was lost since, Dask asks again."""
        try:
            deals = [deal for deal in deals if deal.future is not None and not deal.settled.done()]
            outcomes = await self._client.gather([deal.future for deal in deals])
        except Exception as error:
            if len(deals) > 1:
                await asyncio.gather(*(self._gather([deal]) for deal in deals))
            else:
                self._fail(deals, partial(self._lost, f"its answer was lost ({type(error).__name__})"))
            return
        for deal, outcome in zip(deals, outcomes, strict=True):
            if isinstance(outcome, RefusalOutcome):
                self._run.refuse(outcome.worker, outcome.reason)
                if not deal.settled.done():
                    self._deal(deal)
            elif not deal.settled.done():
                deal.settled.set_result(outcome)

    def _notice(self, event: tuple[float, str]) -> None:
        """A worker has noted that it is about to ask a question."""
        deal = self._deals.get(event[1])
        if deal is not None:
            deal.begun += 1
            if deal.begun == 2 and not deal.settled.done():
                self._run.heard_twice += 1
                self._fail([deal], partial(self._lost, "its worker was lost"))

    async def _look(self) -> None:
        """Check periodically which workers are connected."""
        while True:
            with suppress(Exception):  # a lost scheduler is found out by questions
                self._run.sees(await self._client.nthreads())
                self._reconsider()
            await asyncio.sleep(LOOKING)

    def _reconsider(self) -> None:
        """Send again what waits for workers that are gone; without any worker, fail after `WITHOUT_WORKERS` seconds."""
        alive = self._run.able
        if alive:
            self._without_since = None
            for deal in self._deals.values():
                stuck = deal.future is None if deal.only is None else not deal.only & alive
                if stuck and deal not in self._to_deal:
                    self._deal(deal)
            return
        if self._without_since is None:
            self._without_since = self.loop.time()
            self._run.say(f"no worker is left to be asked at {self._address}: 'dask worker {self._address}' starts one")
        elif self.loop.time() - self._without_since > WITHOUT_WORKERS:
            self._fail(list(self._deals.values()), self._refused_or_gone)

    def _fail(self, deals: Sequence[_Deal], error: Callable[[], Exception]) -> None:
        for deal in deals:
            if not deal.settled.done():
                deal.settled.set_exception(error())

    def _lost(self, reason: str, *, reached: bool = True) -> TransportFault:
        """A fault of a question that the candidate may have received; a deterministic candidate had no first try."""
        return TransportFault(reason, reached=reached, hearing="unheard" if self._same else "heard")

    def _gone(self, how: str) -> TransportFault:
        return self._lost(f"the Dask scheduler at {self._address} does not answer ({how})", reached=False)

    def _refused_or_gone(self) -> Exception:
        if self._run.threads:
            return CandidateMisconfigured(all_refused(self._run.refused), hearing="unheard")
        return self._lost(f"no worker is left at {self._address}", reached=False)


def all_refused(refused: dict[str, str]) -> str:
    worker, reason = next(iter(refused.items()))
    return f"no worker can be asked: all {len(refused)} are refused, such as {worker}: {reason}"
