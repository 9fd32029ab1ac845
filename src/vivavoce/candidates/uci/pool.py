"""Evaluates chunks of positions on many engines at once, in worker processes here or in a Dask cluster."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import fields
from math import ceil
from multiprocessing.connection import Connection
from operator import attrgetter
from typing import Any, Final, TypeVar

from vivavoce.candidates.cluster.scheduler import with_workers
from vivavoce.candidates.uci.engine import EngineSettings, UciEngine
from vivavoce.candidates.uci.options import NODES, find_engine
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable, TransportFault, VivavoceError
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position

T = TypeVar("T")

ATTEMPTS: Final = 3
"""The most times that a call is sent, if its worker dies."""


class Processes:
    """Worker processes on this machine, started with the first call.

    Each holds the far end of a pipe, the lifeline, whose near end this process alone has: when it is closed, or this process
    dies in any way, the workers exit at once. (An executor alone would leave them waiting forever, and `shutdown` would wait
    for a call that hangs.)
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise BadInput(f"{count} workers are too few: give at least 1")
        self.count = count
        """The number of calls that run at the same time."""
        self._executor: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._closed = False

    def executor(self) -> Executor:
        """The executor, made with the first call. Raises `CandidateUnreachable` after `close`."""
        if self._closed:
            raise CandidateUnreachable("the engines have been closed")
        if self._executor is None:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(["vivavoce.candidates.uci.pool"])
            far_end, self._lifeline = context.Pipe(duplex=False)
            self._executor = ProcessPoolExecutor(
                self.count, mp_context=context, initializer=_hold_lifeline, initargs=(far_end,)
            )
        return self._executor

    def died(self, error: Exception, /) -> bool:
        """Whether a call failed because the executor broke, so that it may be sent again."""
        return isinstance(error, BrokenExecutor)

    def replace(self, broken: Executor, /) -> None:
        """Drop the broken executor with its workers."""
        if self._executor is broken:
            self._end()

    def close(self, farewell: Callable[[Any], None], argument: Any, /) -> None:
        """End the worker processes, with everything that they hold."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        lifeline, executor = self._lifeline, self._executor
        self._lifeline = self._executor = None
        if lifeline is not None:
            lifeline.close()
        if executor is not None:
            executor.shutdown(cancel_futures=True)


class EngineCluster:
    """The workers of a Dask cluster, which outlive this process and serve others as well.

    Dask itself gives the work of a dead worker to another one.
    """

    def __init__(self, address: str) -> None:
        self._client = with_workers(address)
        self.count: int = sum(self._client.nthreads().values())
        self._executor: Executor | None = self._client.get_executor(pure=False)

    def executor(self) -> Executor:
        """Dask's own."""
        if self._executor is None:
            raise CandidateUnreachable("the engines have been closed")
        return self._executor

    def died(self, error: Exception, /) -> bool:
        """Whether Dask has given it to worker after worker, and all of them died."""
        from distributed import KilledWorker

        return isinstance(error, KilledWorker)

    def replace(self, broken: Executor, /) -> None:
        """Nothing to do: Dask looks after its workers."""

    def close(self, farewell: Callable[[Any], None], argument: Any, /) -> None:
        """Let the workers drop what they keep for us, and disconnect from the cluster."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None
            with suppress(OSError):  # the cluster may have gone
                self._client.run(farewell, argument)
            self._client.close()


Workers = Processes | EngineCluster


async def submitted(workers: Workers, name: str, call: Callable[..., T], *arguments: Any) -> T:
    """The result of a call on a worker; it is sent again if the worker dies.

    name: of the candidate, for errors.

    Raises our own errors as the call raised them, and `CandidateUnreachable` if workers die again and again, or cannot work at
    all.
    """
    for _ in range(ATTEMPTS):
        try:
            executor = workers.executor()
            return await asyncio.wrap_future(executor.submit(call, *arguments))
        except VivavoceError:
            raise
        except Exception as error:
            if not workers.died(error):
                raise CandidateUnreachable(f"{name}: a worker failed ({type(error).__name__}: {error})") from error
            workers.replace(executor)
    raise CandidateUnreachable(f"{name}: its worker processes keep dying")


def _hold_lifeline(far_end: Connection) -> None:
    """In a worker process: exit when the owner closes the pipe. Only the owner handles keyboard interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        far_end.poll(None)
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="lifeline").start()


_idle: dict[EngineSettings, list[UciEngine]] = {}
"""Idle engines, up to the number of threads. They die with the process."""


@contextmanager
def engine_of(settings: EngineSettings) -> Iterator[UciEngine]:
    """An engine that stays alive for the next chunk. An error about a wrong engine names the worker."""
    idle = _idle.setdefault(settings, [])
    engine = idle.pop() if idle else UciEngine(settings)
    try:
        yield engine
    except CandidateMisconfigured as error:
        raise CandidateMisconfigured(f"{_on_worker()}{error}") from None
    finally:
        idle.append(engine)


def end_engines(settings: EngineSettings) -> None:
    """In a worker process that others use as well: end the engines that wait."""
    for engine in _idle.pop(settings, []):
        engine.close()


def _on_worker() -> str:
    """Which worker of a Dask cluster this is, as the beginning of a sentence; nothing in any other process."""
    dask = sys.modules.get("distributed")
    try:
        return "" if dask is None else f"worker {dask.get_worker().address}: "
    except (AttributeError, ValueError):
        return ""


CHUNK_SECONDS = 0.25
"""Target time of a chunk: long compared with sending it, short compared with an examination."""
LARGEST_CHUNK = 250
NODE_SECONDS = 1.1e-6
"""A guess for Stockfish; the size of a chunk changes no answer."""
POSITION_SECONDS = 1e-3

Told = tuple[Any, ...] | NoAnswer
"""An evaluation's fields, which travel at a third of the cost of an `Evaluation`."""

_fields_of = attrgetter(*(field.name for field in fields(Evaluation)))


def open_engine(name: str, *, workers: int = 1, cluster: str | None = None) -> EnginePool:
    """Open the engine of that name (`uci:PROGRAM?OPTIONS`) in this many processes, or in a Dask cluster.

    With the address of a Dask scheduler (`tcp://scheduler:8786`) there is one engine for each of its threads, and `workers`
    does not count; the package and the engine must be installed there. The caller that opens it must close it, even if
    interrupted; otherwise the program waits for unfinished work.

    Raises what `find_engine` raises, `MissingExtra` without Dask, and `CandidateUnreachable` if no scheduler answers.

    >>> async def ask(fen: str) -> float:
    ...     pool = open_engine("uci:stockfish?nodes=1000")
    ...     try:
    ...         return (await pool.answer(Position(fen))).q
    ...     finally:
    ...         await pool.close()
    """
    engine = find_engine(name)
    places = Processes(workers) if cluster is None else EngineCluster(cluster)
    return EnginePool(engine.name, engine.settings, places, undeclared=engine.undeclared)


class EnginePool:
    """Engines that share the work. Each position is evaluated by itself, so it does not matter by which.

    An engine that dies is started again and asked once more; then there is no answer, as after a time-out. A worker process
    that dies is replaced and its chunk is sent again.
    """

    def __init__(self, name: str, settings: EngineSettings, workers: Workers, *, undeclared: tuple[str, ...] = ()) -> None:
        self.name = name
        self._settings = settings
        self._workers = workers
        self.undeclared = undeclared
        """Given options that the engine does not declare."""

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def size(self) -> int:
        """Positions that are worth sending together."""
        seconds = POSITION_SECONDS + NODE_SECONDS * (self._settings.nodes or NODES)
        return max(1, min(LARGEST_CHUNK, round(CHUNK_SECONDS / seconds)))

    @property
    def concurrency(self) -> int:
        """Chunks that keep all workers busy: one under way and one waiting for each."""
        return 2 * self._workers.count

    async def answer_all(self, questions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
        """Evaluate all positions; the answers are in their order.

        Raises `BadInput` for an invalid FEN, `CandidateMisconfigured` if a worker has another engine under that name, and
        `CandidateUnreachable` if workers die again and again, or cannot work at all.
        """
        fens = [question.fen for question in questions]
        size = max(1, min(self.size, ceil(len(fens) / self._workers.count)))  # a small batch is for all workers as well
        chunks = [fens[start : start + size] for start in range(0, len(fens), size)]
        return [answer for chunk in await asyncio.gather(*map(self._answers, chunks)) for answer in chunk]

    async def answer(self, question: Position, /) -> Evaluation:
        """Evaluate one position. Raises `TransportFault`, never worth retrying, if there is no answer."""
        [answer] = await self.answer_all([question])
        if isinstance(answer, NoAnswer):
            raise TransportFault(answer.reason, worth_retrying=False)
        return answer

    async def close(self) -> None:
        """End all engines and their processes; unfinished work is dropped."""
        await asyncio.to_thread(self._workers.close, end_engines, self._settings)

    async def _answers(self, fens: list[str]) -> list[Evaluation | NoAnswer]:
        results = await submitted(self._workers, self.name, evaluate_all, self._settings, fens)
        return [items if isinstance(items, NoAnswer) else Evaluation(*items) for items in results]


def evaluate_all(settings: EngineSettings, fens: Sequence[str]) -> list[Told]:
    with engine_of(settings) as engine:
        return [_told(engine, fen) for fen in fens]


def _told(engine: UciEngine, fen: str) -> Told:
    try:
        try:
            return _values(engine.evaluate(fen))
        except TransportFault as fault:
            if not fault.worth_retrying:
                return NoAnswer(fault.reason)
            return _values(engine.evaluate(fen))
    except TransportFault as fault:
        return NoAnswer(fault.reason, 2)


def _values(evaluation: Evaluation) -> tuple[Any, ...]:
    values: tuple[Any, ...] = _fields_of(evaluation)
    return values
