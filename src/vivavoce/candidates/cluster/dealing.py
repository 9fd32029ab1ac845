"""Questions on their way to workers: dealt together, gathered together, and dealt again where they cannot come to anything."""

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
from vivavoce.candidates.cluster.run import Run
from vivavoce.candidates.cluster.scheduler import dask_client, nobody_at
from vivavoce.candidates.cluster.workplace import TOPIC, forget, put
from vivavoce.errors import CandidateMisconfigured, TransportFault

GATHERING: Final = 0.001
"""Seconds for which a question, or an answer, waits for others that go with it: each message costs as much as some answers."""
LOOKING: Final = 1.0
"""Seconds between looks at which workers are there."""
WITHOUT_WORKERS: Final = 30.0
"""Seconds that a question waits for a worker, where there is none."""


@dataclass(slots=True, eq=False)
class _Hand:
    """One question that is dealt."""

    number: str
    question: Any
    seconds: float | None
    settled: asyncio.Future[Outcome]
    future: Any = None
    """Dask's."""
    only: frozenset[str] | None = None
    """The workers that may have it; None: any."""
    begun: int = 0
    """How many workers have started, as far as known."""
    watch: asyncio.Task[None] | None = field(default=None, repr=False)

    def take_back(self) -> None:
        """Nobody waits for it any more."""
        if self.watch is not None:
            self.watch.cancel()
        if self.future is not None:
            self.future.release()
        self.watch = self.future = None


class Dealing:
    """Deals the questions of one candidate in one event loop.

    same: whether the candidate says the same whenever it is asked. Dask then gives what a lost worker had to another one, as
    often as it sees fit. Of any other candidate workers note each question before they put it: once a second one notes it, the
    question has been heard without an answer, which is a fault of its own.
    """

    def __init__(self, client: Any, address: str, wanted: CandidateRequest, run: Run, *, same: bool) -> None:
        self.loop = asyncio.get_running_loop()
        self._client = client
        self._address = address
        self._wanted = wanted
        self._run = run
        self._same = same
        self._name = secrets.token_hex(4)
        self._count = 0
        self._hands: dict[str, _Hand] = {}
        self._to_deal: list[_Hand] = []
        self._to_gather: list[_Hand] = []
        self._gathers: set[asyncio.Task[None]] = set()
        self._without_since: float | None = None
        self._look_out = asyncio.create_task(self._look())
        if not same:
            client.subscribe_topic(TOPIC, self._notice)

    @classmethod
    async def begun(cls, address: str, wanted: CandidateRequest, run: Run, *, same: bool) -> Dealing:
        """Connected to the scheduler at that address. Raises `CandidateUnreachable`."""
        try:
            client = await dask_client(address, asynchronous=True)
        except (OSError, TimeoutError) as error:
            raise nobody_at(address, error) from None
        return cls(client, address, wanted, run, same=same)

    @property
    def open(self) -> bool:
        """Whether the scheduler is there, as far as one knows."""
        return self._client.status in ("running", "connecting")

    async def put(self, question: Any, seconds: float | None) -> Outcome:
        """What came of it. Raises `TransportFault` where nothing did, `CandidateMisconfigured` if all workers are refused."""
        self._count += 1
        number = f"{TOPIC}-{self._name}-{self._count}"
        hand = self._hands[number] = _Hand(number, question, seconds, self.loop.create_future())
        self._deal(hand)
        try:
            return await hand.settled
        finally:
            del self._hands[number]
            hand.take_back()

    async def close(self) -> None:
        """Let workers forget the candidate, and part from the cluster."""
        self._look_out.cancel()
        for hand in self._hands.values():
            hand.take_back()
        await asyncio.gather(self._look_out, *self._gathers, return_exceptions=True)
        with suppress(Exception):  # the cluster may have gone
            async with asyncio.timeout(LOOKING):
                self._run.sees(await self._client.nthreads())
                await self._client.run(forget, self._wanted.address, on_error="ignore")
        with suppress(Exception):
            await self._client.close()

    def _deal(self, hand: _Hand) -> None:
        hand.take_back()
        if not self._to_deal:
            self.loop.call_later(GATHERING, self._deal_all)
        self._to_deal.append(hand)

    def _deal_all(self) -> None:
        """Deal what has come together."""
        hands, self._to_deal = [hand for hand in self._to_deal if not hand.settled.done()], []
        if not hands:
            return
        only = self._run.able if self._run.refused else None
        if only is not None and not only:
            return  # they wait for one that comes
        how = {"pure": False, "workers": None if only is None else sorted(only)}
        constant = {"wanted": self._wanted, "noted": not self._same}
        columns = zip(*((hand.question, hand.number, hand.seconds) for hand in hands), strict=True)
        try:
            futures = self._client.map(
                put, *map(list, columns), key=[f"{hand.number}-{self._run.dealt}" for hand in hands], **how, **constant
            )
        except Exception as error:
            self._fail(hands, partial(self._gone, type(error).__name__))
            return
        self._run.dealt += len(hands)
        for hand, future in zip(hands, futures, strict=True):
            hand.future, hand.only = future, only
            hand.watch = self.loop.create_task(self._watch(hand))

    async def _watch(self, hand: _Hand) -> None:
        """Wait until Dask has come to an end with the question."""
        future = hand.future
        try:
            with self._client.as_current():
                await wait([future])
            raised: object = await future.exception()
        except DaskCancelledError:
            self._fail([hand], partial(self._gone, "it was lost there"))
        except Exception as error:
            self._fail([hand], partial(self._lost, f"its worker cannot be heard of ({type(error).__name__})"))
        else:
            if raised is None:
                self._gather_with_others(hand)
            elif isinstance(raised, KilledWorker):
                self._fail([hand], partial(self._lost, "every worker that had it was lost"))
            else:
                self._fail([hand], partial(self._lost, f"a worker failed ({type(raised).__name__}: {raised})"))

    def _gather_with_others(self, hand: _Hand) -> None:
        if not self._to_gather:
            self.loop.call_later(GATHERING, self._gather_soon)
        self._to_gather.append(hand)

    def _gather_soon(self) -> None:
        hands, self._to_gather = [hand for hand in self._to_gather if not hand.settled.done()], []
        if hands:
            task = self.loop.create_task(self._gather(hands))
            self._gathers.add(task)
            task.add_done_callback(self._gathers.discard)

    async def _gather(self, hands: Sequence[_Hand]) -> None:
        """Fetch answers that workers hold; if one of these has been lost meanwhile, Dask has its answer made again."""
        try:
            hands = [hand for hand in hands if hand.future is not None and not hand.settled.done()]
            outcomes = await self._client.gather([hand.future for hand in hands])
        except Exception as error:
            if len(hands) > 1:
                await asyncio.gather(*(self._gather([hand]) for hand in hands))
            else:
                self._fail(hands, partial(self._lost, f"its answer was lost ({type(error).__name__})"))
            return
        for hand, outcome in zip(hands, outcomes, strict=True):
            if isinstance(outcome, RefusalOutcome):
                self._run.refuse(outcome.worker, outcome.reason)
                if not hand.settled.done():
                    self._deal(hand)
            elif not hand.settled.done():
                hand.settled.set_result(outcome)

    def _notice(self, event: tuple[float, str]) -> None:
        """A worker has noted that it is about to put a question."""
        hand = self._hands.get(event[1])
        if hand is not None:
            hand.begun += 1
            if hand.begun == 2 and not hand.settled.done():
                self._run.heard_twice += 1
                self._fail([hand], partial(self._lost, "its worker was lost"))

    async def _look(self) -> None:
        """See which workers are there, again and again."""
        while True:
            with suppress(Exception):  # whether the scheduler is away, questions tell
                self._run.sees(await self._client.nthreads())
                self._think_over()
            await asyncio.sleep(LOOKING)

    def _think_over(self) -> None:
        """Deal again what waits for workers that are not there any more; where there are none, wait no longer than is fit."""
        alive = self._run.able
        if alive:
            self._without_since = None
            for hand in self._hands.values():
                stuck = hand.future is None if hand.only is None else not hand.only & alive
                if stuck and hand not in self._to_deal:
                    self._deal(hand)
            return
        if self._without_since is None:
            self._without_since = self.loop.time()
            self._run.say(f"no worker is left to be asked at {self._address}: 'dask worker {self._address}' starts one")
        elif self.loop.time() - self._without_since > WITHOUT_WORKERS:
            self._fail(list(self._hands.values()), self._all_refused if self._run.threads else self._nobody)

    def _fail(self, hands: Sequence[_Hand], error: Callable[[], Exception]) -> None:
        for hand in hands:
            if not hand.settled.done():
                hand.settled.set_exception(error())

    def _lost(self, how: str) -> TransportFault:
        """Of a question that a candidate may have heard; one that says the same had no first try."""
        return TransportFault(how, hearing="unheard" if self._same else "heard")

    def _gone(self, how: str) -> TransportFault:
        reason = f"the Dask scheduler at {self._address} does not answer ({how})"
        return TransportFault(reason, reached=False, hearing="unheard" if self._same else "heard")

    def _nobody(self) -> TransportFault:
        return TransportFault(
            f"no worker is left at {self._address}", reached=False, hearing="unheard" if self._same else "heard"
        )

    def _all_refused(self) -> Exception:
        return CandidateMisconfigured(all_refused(self._run.refused), hearing="unheard")


def all_refused(refused: dict[str, str]) -> str:
    """That nobody may answer, and why."""
    worker, reason = next(iter(refused.items()))
    return f"nobody can be asked: all {len(refused)} workers are refused, such as {worker}: {reason}"
