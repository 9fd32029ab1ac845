"""A candidate whose questions the workers of a Dask cluster answer: sent in groups, and again to others
if a worker is lost."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from distributed import KilledWorker, wait
from distributed.client import CancelledError as DaskCancelledError

from vivavoce.candidates.cluster import workplace
from vivavoce.candidates.cluster.scheduler import Opener, dask_client, elsewhere, nobody_at, with_workers
from vivavoce.candidates.cluster.workplace import TOPIC, CandidateRequest, ClusterRun, Outcome, RefusalOutcome, forget, put
from vivavoce.candidates.names import kind_of
from vivavoce.candidates.text import shortened
from vivavoce.errors import CandidateMisconfigured, TransportFault
from vivavoce.interview.candidate import Candidate, Prompt, Usage


class Pace:
    """Lets those who wait for their turn through one after the other.

    rate: turns a second at most; None: no limit.
    """

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1 / rate
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for a turn."""
        if not self._gap:
            return
        now = asyncio.get_running_loop().time()
        mine = max(now, self._next)
        self._next = mine + self._gap
        if mine > now:
            await asyncio.sleep(mine - now)


UNSEEN: Final = ("hf", "trained")
"""Kinds that this process does not open: loading one may take gigabytes, and this process does not need it."""
COMPUTES: Final = ("function", "bot", *UNSEEN)
"""Kinds whose questions go to workers; so do those of a server on each worker's machine."""
WITHIN: Final = "inspect:viva/"
"""Before the name of a candidate that Inspect asks as a model; it is opened, and dealt, by that name."""


def asked_from_here(name: str) -> str:
    """The message that workers are not asked."""
    return f"{name} is asked from here: workers have nothing to compute for it"


class CandidateCluster:
    """The workers of a Dask scheduler, which answer for every candidate that is opened within.

    address: of the scheduler, such as `tcp://scheduler:8786`.
    rate: questions a second at most, over all workers and candidates; None: no limit.
    say: called with messages for the user who waits.

    Raises `MissingExtra` without Dask, `CandidateUnreachable` without a scheduler or worker, `BadInput` for a wrong address,
    and `CandidateMisconfigured` if the scheduler lacks this package.

    >>> async def examine() -> None:
    ...     with CandidateCluster("tcp://scheduler:8786"):
    ...         candidate = open_candidate("function:my_model:answer?deterministic=yes")
    ...     ...
    """

    def __init__(self, address: str, *, rate: float | None = None, say: Callable[[str], object] = len) -> None:
        self.address = address
        self.run = ClusterRun(say)
        self.pace = Pace(rate)
        self._client = with_workers(address)
        try:
            self._client.run_on_scheduler(workplace.program)
        except Exception as error:
            self._client.close()
            raise CandidateMisconfigured(
                f"the Dask scheduler at '{address}' lacks this package ({type(error).__name__}: {shortened(str(error))}): "
                "install it there as well",
                hearing="unheard",
            ) from None

    def __enter__(self) -> Self:
        self._before = elsewhere.set(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        elsewhere.reset(self._before)
        self.close()

    def close(self) -> None:
        """Disconnect from the cluster."""
        self._client.close()

    def deal(self, name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]], /) -> Candidate[Any, Any]:
        """The candidate of this name, which workers ask if it computes; any other is opened here.

        Raises `CandidateMisconfigured` if no worker has it in the version of this machine, or workers have several.
        """
        from vivavoce.candidates.cluster.workplace import version_of

        kind = kind_of(name)
        candidate = None if kind in UNSEEN else here()
        if kind not in COMPUTES and not (kind == "chat" and _is_on_this_machine(name)):
            assert candidate is not None
            if not name.startswith(WITHIN):
                self.run.say(asked_from_here(candidate.name))
            return candidate
        wanted = workplace.CandidateRequest(name, opener, None if candidate is None else version_of(candidate))
        there = self._describe(wanted)
        return ClusterCandidate(
            self, replace(wanted, version=there.version), there.traits if candidate is None else workplace.traits_of(candidate)
        )

    def _describe(self, wanted: workplace.CandidateRequest) -> workplace.CandidateDescription:
        """The properties that all workers share. Workers with another version are refused."""
        from vivavoce.candidates.cluster.workplace import describe

        values: dict[str, Any] = self._client.run(describe, wanted, on_error="return")
        self.run.sees(self._client.nthreads())
        described: dict[str, workplace.CandidateDescription] = {}
        for worker, outcome in sorted(values.items()):
            if isinstance(outcome, workplace.CandidateDescription):
                difference = "" if wanted.version is None else wanted.version.differs(outcome.version)
                if not difference:
                    described[worker] = outcome
                    continue
                outcome = workplace.RefusalOutcome(worker, difference)
            self.run.refuse(
                worker,
                outcome.reason if isinstance(outcome, workplace.RefusalOutcome) else f"{type(outcome).__name__}: {outcome}",
            )
        versions: dict[workplace.Version, str] = {
            description.version: worker for worker, description in reversed(described.items())
        }
        if len(versions) > 1:
            (version, first), (other, second) = list(versions.items())[:2]
            raise CandidateMisconfigured(
                f"workers have several versions: by {first}, at {second} {version.differs(other)}; install one everywhere",
                hearing="unheard",
            )
        if not described:
            raise CandidateMisconfigured(all_refused(self.run.refused), hearing="unheard")
        return next(iter(described.values()))


class ClusterCandidate:
    """A candidate with the name and traits of a local one; its questions go to cluster workers."""

    def __init__(self, cluster: CandidateCluster, wanted: workplace.CandidateRequest, traits: dict[str, Any]) -> None:
        assert wanted.version is not None
        self.name = wanted.version.name
        self._each = traits.get("concurrency")
        self.__dict__.update((name, value) for name, value in traits.items() if name != "concurrency")
        self._cluster = cluster
        self._wanted = wanted
        self._same = traits.get("asked_again") == "same"
        self._dealer: Any = None
        self._beginning: asyncio.Lock | None = None

    def __repr__(self) -> str:
        return f"<{self.name} on {self._cluster.address}>"

    @property
    def concurrency(self) -> int:
        """Questions that keep the present workers busy."""
        return self._cluster.run.room(self._each)

    async def answer(self, question: Any, /) -> Any:
        """The answer of a worker's candidate."""
        return await self.answer_within(question, None)

    async def answer_within(self, question: Any, seconds: float | None, /) -> Any:
        """The same within this time. Raises `TimeoutError`, and the candidate's own errors."""
        await self._cluster.pace.turn()
        dealer, run = await self._ready(), self._cluster.run
        bare = replace(question, form=None) if isinstance(question, Prompt) else question
        try:
            outcome = await dealer.put(bare, seconds)
        except Exception:
            run.failed += 1
            raise
        match outcome:
            case workplace.AnswerOutcome(answer):
                run.answered += 1
                run.usage += getattr(answer, "usage", None) or Usage()
                return answer
            case workplace.TimeoutOutcome():
                run.late += 1
                raise TimeoutError
            case workplace.ErrorOutcome():
                run.failed += 1
                raise outcome.error
        raise AssertionError(outcome)

    async def close(self) -> None:
        """Let workers forget the candidate."""
        dealer, self._dealer, self._beginning = self._dealer, None, None
        if dealer is not None:
            await dealer.close()

    async def _ready(self) -> Any:
        """The dealer of this event loop, started with the first question and again after a lost scheduler."""
        loop = asyncio.get_running_loop()
        if self._beginning is None or (self._dealer is not None and self._dealer.loop is not loop):
            self._beginning, self._dealer = asyncio.Lock(), None
        async with self._beginning:
            if self._dealer is None or not self._dealer.open:
                self._dealer = await QuestionDealer.connected(
                    self._cluster.address, self._wanted, self._cluster.run, same=self._same
                )
        return self._dealer


def _is_on_this_machine(name: str) -> bool:
    """Whether the server of a `chat:` candidate runs on the machine that asks it."""
    host = urlsplit(name.partition("@")[2].partition("?")[0]).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


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
