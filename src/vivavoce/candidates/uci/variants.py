"""`uci:PROGRAM` for a game named by the option `UCI_Variant`: processes here, or on the workers of a cluster.

An example is Fairy-Stockfish.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import shlex
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from queue import SimpleQueue
from typing import Any, Final, Literal, Protocol, TypeVar

import numpy as np

from vivavoce.candidates.text import shortened
from vivavoce.candidates.uci.engine import EngineSettings, scored_line, start_engine
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.uci.pool import EngineRecipe, end_engines, engine_of
from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.candidates.uci.workers import EngineCluster, submitted
from vivavoce.errors import BadInput, CandidateUnreachable, TransportFault, UnknownName
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame


class HeldProcess:
    """Holds one process; blocking.

    start: starts it, lets it say what it is, and sets it up.
    seconds: to wait for an answer.
    """

    def __init__(self, start: Callable[[], EngineProcess], *, seconds: float) -> None:
        self._start = start
        self._seconds = seconds
        self._process: EngineProcess | None = None
        self._deadline = 0.0
        self._ended = False

    @contextmanager
    def asking(self) -> Iterator[None]:
        """A context in which the process runs with a time limit; after an error it is killed, since its output would come too
        late.

        Raises `TransportFault`, worth retrying if the process has died.
        """
        try:
            if self._process is None:
                self._process = self._start()
            if self._ended:
                raise TransportFault("the engines have been closed", worth_retrying=False)
            self.renew()
            yield
        except BadInput:
            raise
        except BaseException as error:
            self._drop()
            if isinstance(error, TransportFault) and error.reason == "time-out":
                raise TransportFault(f"time-out after {self._seconds:g} s", worth_retrying=False) from None
            raise

    def renew(self) -> None:
        """Restart the wait, as for the next move of a game."""
        self._deadline = time.monotonic() + self._seconds

    def hear(self, command: bytes, word: bytes) -> bytes:
        """Send lines; returns all output up to and including the line that begins with that word."""
        if self._process is None:
            raise TransportFault("the engine died")
        self._process.tell(command)
        return self._process.read_until(word, deadline=self._deadline)

    def interrupt(self) -> None:
        """Kill the process for good, from any thread; a waiting caller gets the error that it has died."""
        self._ended = True
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None


_FEN = re.compile(r"[A-Za-z0-9+/\[\]]{17,250} [wb] - - [0-9]{1,3} [0-9]{1,4}")
_SAID_FEN = re.compile(rb"^Fen: ([ -~]{1,300})$", re.MULTILINE)
_REPLY = re.compile(rb"^([A-Za-z0-9@+=-]{2,12}): 1$", re.MULTILINE)
_MOVE = re.compile(rb"bestmove ([A-Za-z0-9@+=-]{2,12})(?=\s|$)")
_SCORE = re.compile(rb" score (cp|mate) (-?[0-9]{1,7})\b")


class VariantEngine:
    """One engine process; blocking. It starts with the first question, and again after it has died or hung.

    Before every position the engine gets a new-game command, and then the bare FEN, which it must read unchanged; otherwise it
    is not a position of its game. With one thread its answer depends on nothing else. Legal moves are its own (`go perft 1`).
    The last evaluation that is exact counts, as of chess engines; the value is 2 / (1 + exp(-scale * cp)) - 1, and 1 or -1 for
    a mate.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._held = HeldProcess(partial(start_engine, settings), seconds=settings.time_out)
        limits = (("nodes", settings.nodes), ("depth", settings.depth))
        self._go = f"go {' '.join(f'{name} {value}' for name, value in limits if value is not None)}\n"

    def assess(self, question: BoardPosition, /) -> Assessment:
        """The value, the best move, the position after it, and how many moves are legal.

        Raises `TransportFault` without an evaluation (worth retrying if the engine died), `BadInput` for an invalid position,
        and `CandidateMisconfigured` if the program is not the expected engine.
        """
        with self._held.asking():
            self._set_up(question.position)
            choices = len(self._legal_moves())
            if not choices:
                raise TransportFault("the game is over", worth_retrying=False)
            value, move = self._searched()
            after = self._after(question.position, move)
            return Assessment(value, move, after if self._legal_moves() else "", choices)

    def play(self, question: GameToPlay, /) -> PlayedGame:
        """A game that starts with random legal moves; then the engine plays both sides until it is over or long enough.

        Raises what `assess` raises.
        """
        rng = np.random.default_rng([question.seed, question.number])
        positions: list[str] = []
        choices: list[int] = []
        with self._held.asking():
            position = self._shown("startpos")
            for ply in range(question.most_moves):
                self._held.renew()
                legal = self._legal_moves()
                if not legal:
                    break
                if ply < question.random_moves:
                    move = legal[int(rng.integers(len(legal)))]
                else:
                    positions.append(position)
                    choices.append(len(legal))
                    move = self._searched()[1]
                position = self._after(position, move)
        return PlayedGame(tuple(positions), tuple(choices))

    def legal_moves(self, position: str) -> tuple[str, ...]:
        """All legal moves in a position, as the engine reports them."""
        with self._held.asking():
            self._set_up(position)
            return self._legal_moves()

    def interrupt(self) -> None:
        """Kill the process, from any thread; a waiting caller gets the error at once."""
        self._held.interrupt()

    def close(self) -> None:
        """End the process."""
        self._held.close()

    def _set_up(self, fen: str) -> str:
        """Send the position, and check that the engine reads it unchanged."""
        if not _FEN.fullmatch(fen):
            raise BadInput(f"'{shortened(fen, 100)}' is not a valid position: give a FEN")
        read = self._shown(f"fen {fen}")
        if read != fen:
            raise TransportFault(f"the engine reads the position as {shortened(read, 120)}", worth_retrying=False)
        return fen

    def _after(self, fen: str, move: str) -> str:
        """The position after a move; the engine gets it without the game's history."""
        return self._set_up(self._shown(f"fen {fen} moves {move}"))

    def _shown(self, position: str) -> str:
        data = self._held.hear(f"ucinewgame\nposition {position}\nd\nisready\n".encode(), b"readyok")
        results = _SAID_FEN.findall(data)
        if not results:
            raise TransportFault("the engine does not show the position (command 'd')", worth_retrying=False)
        return str(results[-1].decode().strip())

    def _legal_moves(self) -> tuple[str, ...]:
        data = self._held.hear(b"go perft 1\n", b"Nodes searched")
        return tuple(move.decode() for move in _REPLY.findall(data))

    def _searched(self) -> tuple[float, str]:
        data = self._held.hear(self._go.encode(), b"bestmove")
        move, line = _MOVE.match(data, data.rfind(b"\nbestmove") + 1), scored_line(data)
        score = None if line is None else _SCORE.search(line)
        if move is None or score is None:
            end = shortened(data[-80:].decode("utf-8", "replace"), 80)
            raise TransportFault(f"the engine gave no evaluation: {end}", worth_retrying=False)
        kind, value = score[1], int(score[2])
        if kind == b"mate":
            return (1.0 if value > 0 else -1.0), move[1].decode()
        return math.tanh(self._settings.scale * value / 2), move[1].decode()  # the same as 2 / (1 + exp(-scale * cp)) - 1


CHUNK: Final = 16
"""The most questions that are sent together; most take milliseconds."""

Ask = Literal["assess", "play"]
"""A task for an engine."""
A = TypeVar("A")


class EngineGroup(Protocol):
    """Engines that are asked many questions at once."""

    @property
    def count(self) -> int:
        """The number that work at the same time."""
        ...

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """The answers to all questions, in order; `NoAnswer` for a missing one."""
        ...

    async def close(self) -> None:
        """End all engines; unfinished evaluations are lost."""
        ...


class LocalEngines:
    """A number of engines, each in a thread."""

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
        """The answers, each from the first idle engine."""
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
        self._workers = EngineCluster(address)

    @property
    def count(self) -> int:
        """Threads of the workers."""
        return self._workers.count

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """The answers. Raises `CandidateMisconfigured`, with the worker's address, for an engine that differs there."""
        size = 1 if ask == "play" else max(1, min(CHUNK, ceil(len(questions) / self.count)))
        chunks = [questions[start : start + size] for start in range(0, len(questions), size)]
        tasks = [submitted(self._workers, self._name, said_to_all, self._made, ask, chunk) for chunk in chunks]
        return [answer for chunk in await asyncio.gather(*tasks) for answer in chunk]

    async def close(self) -> None:
        """Let workers end their engines, and disconnect from the cluster."""
        await asyncio.to_thread(self._workers.close, end_engines, self._made)


def said_to_all(made: EngineRecipe[VariantEngine], ask: Ask, questions: Sequence[Any]) -> list[Any]:
    """In a worker process: an engine's answers to one chunk."""
    with engine_of(made) as engine:
        return [_said(getattr(engine, ask), question) for question in questions]


def _said(ask: Callable[[Any], A], question: Any, *, has_ended: Callable[[], bool] = lambda: False) -> A | NoAnswer:
    """An engine's answer; an engine that dies is started again and asked once more."""
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
        """Evaluate all positions, in their order.

        Raises `BadInput` for an invalid position, and `CandidateMisconfigured` for an unexpected engine.
        """
        return await self._places.all_of("assess", questions)

    async def play_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games; they come in the order of the questions."""
        return await self._places.all_of("play", questions)

    async def close(self) -> None:
        """End all engines; unfinished evaluations are lost."""
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
"""Nodes per move when an engine plays to create positions: sensible games at a small part of the cost."""


def player_of(name: str) -> str:
    """The name of the same engine as it plays for positions, with few nodes.

    >>> player_of("uci:fairy-stockfish?nodes=81000&hash=1")
    'uci:fairy-stockfish?hash=1&nodes=1000'
    """
    program, _, query = name.partition("?")
    others = [pair for pair in query.split("&") if pair and pair.partition("=")[0].lower() not in ("nodes", "depth")]
    return f"{program}?{'&'.join([*others, f'nodes={PLAYED_AT}'])}"


def open_variant(name: str, game: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open an engine that speaks UCI for that game (`uci:fairy-stockfish?nodes=10000`); the caller closes it.

    The game becomes a part of its name. There are so many engine processes; with the address of a Dask scheduler
    (`tcp://scheduler:8786`) there is one for each of its threads, and `workers` does not count. The package and the engine must
    be installed there.

    Raises what `find_engine` raises, and `BadInput` for an engine that does not play that game; with a cluster also
    `MissingExtra` without Dask, and `CandidateUnreachable` if no scheduler answers.
    """
    program, _, query = name.strip().partition("?")
    prefix, _, command = program.partition(":")
    if prefix != "uci" or not command.strip():
        raise BadInput(f"'{name[:80]}' is not an engine that plays {game}: write for example uci:fairy-stockfish")
    pairs = [pair for pair in query.split("&") if pair]
    if any(pair.partition("=")[0].lower() == VARIANT.lower() for pair in pairs):
        raise BadInput(f"leave out '{VARIANT}': the game is {game}")
    try:
        engine = find_engine(f"{program}?{'&'.join([*pairs, f'{VARIANT}={game}'])}")
    except UnknownName as unknown:
        if VARIANT in str(unknown).partition(" There are")[0]:
            called = shlex.split(command)[0]
            raise BadInput(f"'{called}' plays one game only (it has no option {VARIANT}): give uci:fairy-stockfish") from None
        raise
    return BoardPool(engine.name, EngineRecipe(VariantEngine, engine.settings), workers=workers, cluster=cluster)
