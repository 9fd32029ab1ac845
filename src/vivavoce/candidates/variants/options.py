"""`uci:PROGRAM` for a game named by the option `UCI_Variant`: a pool of processes here, or on the workers of a cluster."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from queue import SimpleQueue
from typing import Any, Final, Literal, Protocol, TypeVar

from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.uci.pool import EngineRecipe, end_engines, engine_of
from vivavoce.candidates.uci.workers import Cluster, submitted
from vivavoce.candidates.variants.engine import VariantEngine
from vivavoce.errors import BadInput, CandidateUnreachable, TransportFault, UnknownName
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame

CHUNK: Final = 16
"""Questions that are sent together at most: most take milliseconds."""

Ask = Literal["assess", "play"]
"""What an engine is asked to do."""
A = TypeVar("A")


class EngineGroup(Protocol):
    """Engines that are asked many questions at once."""

    @property
    def count(self) -> int:
        """How many work at the same time."""
        ...

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """The answers to all questions, in order; `NoAnswer` for a missing one."""
        ...

    async def close(self) -> None:
        """End all engines; what is under way is given up."""
        ...


class LocalEngines:
    """So many engines, each in a thread."""

    def __init__(self, made: EngineRecipe[VariantEngine], count: int) -> None:
        self.count = count
        self._engines = [made() for _ in range(count)]
        self._idle: SimpleQueue[VariantEngine] = SimpleQueue()
        for engine in self._engines:
            self._idle.put(engine)
        # An engine dies with the thread that has started it, so its threads last as long as the pool.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="board-engine")
        self._closed = False

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """What they say, each by the first that is idle."""
        if self._closed:
            raise CandidateUnreachable("the engines have been closed")
        loop = asyncio.get_running_loop()
        futures = [loop.run_in_executor(self._threads, self._one, ask, question) for question in questions]
        try:
            return list(await asyncio.gather(*futures))
        finally:
            for future in futures:
                future.cancel()

    async def close(self) -> None:
        """End them and their threads."""
        self._closed = True
        for engine in self._engines:
            engine.interrupt()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        for engine in self._engines:
            engine.close()

    def _one(self, ask: Ask, question: Any) -> Any:
        engine = self._idle.get()
        try:
            return _said(getattr(engine, ask), question, has_ended=lambda: self._closed)
        finally:
            self._idle.put(engine)


class ClusterEngines:
    """An engine for each thread of a cluster's workers.

    name: of the candidate.
    """

    def __init__(self, name: str, made: EngineRecipe[VariantEngine], address: str) -> None:
        self._name = name
        self._made = made
        self._workers = Cluster(address)

    @property
    def count(self) -> int:
        """Threads of the workers."""
        return self._workers.count

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """What they say. Raises `CandidateMisconfigured`, with its worker's address, for an engine that is another there."""
        size = 1 if ask == "play" else max(1, min(CHUNK, ceil(len(questions) / self.count)))
        chunks = [questions[start : start + size] for start in range(0, len(questions), size)]
        tasks = [submitted(self._workers, self._name, said_to_all, self._made, ask, chunk) for chunk in chunks]
        return [answer for chunk in await asyncio.gather(*tasks) for answer in chunk]

    async def close(self) -> None:
        """Let workers end their engines, and part from the cluster."""
        await asyncio.to_thread(self._workers.close, end_engines, self._made)


def said_to_all(made: EngineRecipe[VariantEngine], ask: Ask, questions: Sequence[Any]) -> list[Any]:
    """In a worker process: what an engine says to one chunk."""
    with engine_of(made) as engine:
        return [_said(getattr(engine, ask), question) for question in questions]


def _said(ask: Callable[[Any], A], question: Any, *, has_ended: Callable[[], bool] = lambda: False) -> A | NoAnswer:
    """What an engine says; one that dies is started again and asked once more."""
    for attempt in (1, 2):
        try:
            return ask(question)
        except TransportFault as fault:
            if attempt == 2 or not fault.worth_retrying or has_ended():
                return NoAnswer(fault.reason, attempt)
    raise AssertionError


class BoardPool:
    """Engines that share the work. Each question is answered by itself, so it does not matter by which.

    An engine that dies is started again and asked once more; then there is no answer, as after a time-out.

    workers: engines on this machine.
    cluster: the address of a Dask scheduler; there is one engine for each thread of its workers then, and none here.
    """

    def __init__(self, name: str, made: EngineRecipe[VariantEngine], *, workers: int = 1, cluster: str | None = None) -> None:
        self.name = name
        self.concurrency = 1
        self._places: EngineGroup = LocalEngines(made, workers) if cluster is None else ClusterEngines(name, made, cluster)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def size(self) -> int:
        """Questions that are worth sending together."""
        return CHUNK * self._places.count

    async def answer_all(self, questions: Sequence[BoardPosition], /) -> list[Assessment | NoAnswer]:
        """What the engines think of all positions, in their order.

        Raises `BadInput` for what is no position, and `CandidateMisconfigured` for an engine that is not what it should be.
        """
        return await self._places.all_of("assess", questions)

    async def play_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games; they come in the order of the questions."""
        return await self._places.all_of("play", questions)

    async def close(self) -> None:
        """End all engines; what is under way is given up."""
        await self._places.close()


class PlayingPool:
    """The same engines, as a candidate that plays games."""

    def __init__(self, pool: BoardPool) -> None:
        self.name = pool.name
        self.size, self.concurrency = pool.size, pool.concurrency
        self._pool = pool

    async def answer_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games."""
        return await self._pool.play_all(questions)


VARIANT = "UCI_Variant"
PLAYED_AT = 1_000
"""Nodes a move of an engine that plays for positions: sensible games at a small part of the cost."""


def player_of(name: str) -> str:
    """The name of the same engine as it plays for positions, with few nodes.

    >>> player_of("uci:fairy-stockfish?nodes=81000&hash=1")
    'uci:fairy-stockfish?hash=1&nodes=1000'
    """
    program, _, query = name.partition("?")
    others = [pair for pair in query.split("&") if pair and pair.partition("=")[0].lower() not in ("nodes", "depth")]
    return f"{program}?{'&'.join([*others, f'nodes={PLAYED_AT}'])}"


def open_variant(name: str, game: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open an engine that speaks UCI for that game (`uci:fairy-stockfish?nodes=10000`); who opens it closes it.

    The game becomes a part of its name. There are so many engine processes; with the address of a Dask scheduler
    (`tcp://scheduler:8786`) there is one for each of its threads, and `workers` does not count. The package and the engine must
    be installed there.

    Raises what `find_engine` raises, and `BadInput` for an engine that does not play that game; with a cluster also
    `MissingExtra` without Dask, and `CandidateUnreachable` if no scheduler answers.
    """
    program, _, query = name.strip().partition("?")
    prefix, _, command = program.partition(":")
    if prefix != "uci" or not command.strip():
        raise BadInput(f"'{name[:80]}' names no engine that plays {game}: write for example uci:fairy-stockfish")
    pairs = [pair for pair in query.split("&") if pair]
    if any(pair.partition("=")[0].lower() == VARIANT.lower() for pair in pairs):
        raise BadInput(f"leave out '{VARIANT}': the game is {game}, as it was asked for")
    try:
        engine = find_engine(f"{program}?{'&'.join([*pairs, f'{VARIANT}={game}'])}")
    except UnknownName as unknown:
        if VARIANT in str(unknown).partition(" There are")[0]:
            called = shlex.split(command)[0]
            raise BadInput(f"'{called}' plays one game only (it has no option {VARIANT}): give uci:fairy-stockfish") from None
        raise
    return BoardPool(engine.name, EngineRecipe(VariantEngine, engine.settings), workers=workers, cluster=cluster)
