"""A process of an engine that speaks UCI and plays a game named by its option `UCI_Variant`, such as Fairy-Stockfish."""

from __future__ import annotations

import math
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np

from vivavoce.candidates.text import shortened
from vivavoce.candidates.uci.engine import Settings, scored_line, start_engine
from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.errors import BadInput, TransportFault
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
        """Within, the process is there and has its time; what goes wrong costs it, since it would say too late what was asked.

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

    def hear(self, told: bytes, word: bytes) -> bytes:
        """Tell it lines; all that it says up to and with the line that begins with that word."""
        if self._process is None:
            raise TransportFault("the engine died")
        self._process.tell(told)
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

    Before every position the engine is sent a new-game command, and then the bare FEN, which it must read as it is: what
    it shows in other words is no position of its game. With one thread its answer depends on nothing else. Legal moves
    are its own (`go perft 1`). The last evaluation that is exact counts, as of chess engines; the value is
    2 / (1 + exp(-scale * cp)) - 1, and 1 or -1 for a mate.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._held = HeldProcess(partial(start_engine, settings), seconds=settings.time_out)
        limits = (("nodes", settings.nodes), ("depth", settings.depth))
        self._go = f"go {' '.join(f'{name} {value}' for name, value in limits if value is not None)}\n"

    def assess(self, question: BoardPosition, /) -> Assessment:
        """The value, the best move, the position after it, and how many moves are legal.

        Raises `TransportFault` if it does not say (worth retrying if the engine died), `BadInput` for what is no position, and
        `CandidateMisconfigured` if the program is not the engine that it should be.
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
        """A game from random legal moves, in which the engine then plays both sides until it is over or long enough.

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
        """All legal moves in a position, by the engine's own word."""
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
        """Tell the position, and see that it is read as it is."""
        if not _FEN.fullmatch(fen):
            raise BadInput(f"'{shortened(fen, 100)}' is no position that an engine can be given: a FEN is needed")
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
