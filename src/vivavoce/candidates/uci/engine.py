"""A chess engine that speaks UCI, asked one position after another so that answers do not depend on their order."""

from __future__ import annotations

import math
import os
import re
import shlex
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from vivavoce.candidates.text import shortened
from vivavoce.candidates.uci.lc0 import statistics_of
from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.interview.candidate_kinds import Evaluation

LICHESS_SCALE = 0.00368208
"""Scale of centipawns in 2 / (1 + exp(-scale * cp)) - 1, fitted by Lichess to games of people (`lichess2023`)."""
SLACK, SLACK_NODES = 10, 100_000
"""An engine may exceed the requested nodes by this factor and this number, since engines check their limit every few
thousand nodes.
"""
START_SECONDS = 20.0
"""Seconds for an engine to identify itself and to take its options."""

_FEN = re.compile(r"([pnbrqkPNBRQK1-8/]{15,71}) [wb] (?:-|[KQkqA-Ha-h]{1,4}) (?:-|[a-h][36]) [0-9]{1,3} [0-9]{1,4}")
_EMPTY = {ord(digit): "." * int(digit) for digit in "12345678"}
_OPTION = re.compile(r"option name (.+?) type (check|spin|combo|button|string)\b(.*)")
_SCORE = re.compile(rb" score (cp|mate) (-?[0-9]{1,7})\b")
_WDL = re.compile(rb" wdl ([0-9]{1,4}) ([0-9]{1,4}) ([0-9]{1,4})\b")
_NODES = re.compile(rb" nodes ([0-9]{1,15})\b")
_MOVE = re.compile(rb"bestmove ([a-h][1-8][a-h][1-8][nbrqk]?)\b")
_OVER = re.compile(rb"bestmove (?:\(none\)|0000|NULL|a1a1)")
"""Engines' moves if no move is legal (a1a1: GNU Chess), but also if they had no time to find one (Glaurung)."""


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    name: str
    kind: str
    """`check`, `spin`, `combo`, `button` or `string`."""
    default: str
    least: int | None
    most: int | None
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    identity: str
    """The engine's name and version, such as "Stockfish 15.1"; empty if it does not report any."""
    options: tuple[DeclaredOption, ...]


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Settings for a process that asks an engine; sent to workers, on this machine or another."""

    command: tuple[str, ...]
    """A program on $PATH or an absolute path, and its arguments."""
    identity: str
    """The name that the engine must report."""
    options: tuple[tuple[str, str], ...]
    """UCI options by their declared names, in the order in which they are set."""
    nodes: int | None
    """None: the depth alone ends a search."""
    depth: int | None
    wdl: bool
    """Whether q comes from the engine's own win, draw and loss figures."""
    scale: float
    """Scale of centipawns, if it does not."""
    time_out: float
    """Seconds for one position."""
    move_statistics: bool = False
    """Whether q comes from lc0's statistics of its best move."""


class UciEngine:
    """One engine process; blocking; a context manager.

    Before every position the engine is sent a new-game command, and then the bare FEN: with one thread, its answer
    depends on nothing else. `isready` goes along, so that nothing an engine may say too late is taken for the next answer.
    The process starts with the first question, and again with the next one after it has died or hung.

    The last exact evaluation counts; a bound, as from an interrupted search, counts only without an exact one. q is (W - L) /
    1000, or 2 / (1 + exp(-scale * cp)) - 1 if the engine does not report W and L; then a mate is 1 or -1. With
    `move_statistics` it is lc0's own Q of the move that it plays (`lc0.statistics_of`), which has two digits more than W - L.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._process: EngineProcess | None = None
        limits = (("nodes", settings.nodes), ("depth", settings.depth))
        self._go = f"\ngo {' '.join(f'{name} {value}' for name, value in limits if value is not None)}\n".encode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def identity(self) -> str:
        return self._settings.identity

    def evaluate(self, fen: str) -> Evaluation:
        """Evaluate a position; the FEN needs all six fields.

        Raises `TransportFault` if no evaluation came (worth retrying if the engine died), `BadInput` for an invalid FEN, and
        `CandidateMisconfigured` if the program is not, or no longer, the expected engine.
        """
        position = b"ucinewgame\nisready\nposition fen " + checked_fen(fen).encode() + self._go
        try:
            process = self._process = self._process or start_engine(self._settings)
            deadline = time.monotonic() + self._settings.time_out
            process.tell(position)
            process.read_until(b"readyok", deadline=deadline)
            data = process.read_until(b"bestmove", deadline=deadline, watched=self._check_nodes)
        except BaseException as error:
            self._kill()
            if isinstance(error, TransportFault) and error.reason == "time-out":
                raise TransportFault(f"time-out after {self._settings.time_out:g} s", worth_retrying=False) from None
            raise
        return self._evaluation(data)

    def close(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _check_nodes(self, data: bytes) -> None:
        """Refuse an engine that ignores its node limit, since its time-outs would count as answers."""
        nodes, searched = self._settings.nodes, _nodes(data)
        if self._settings.depth is None and nodes is not None and searched > SLACK * nodes + SLACK_NODES:
            called = self.identity or self._settings.command[0]
            raise CandidateMisconfigured(
                f"'{called}' ignores 'nodes': {nodes} were requested, but it searched {searched}; limit it by "
                f"its depth instead, as in 'uci:{os.path.basename(shlex.join(self._settings.command))}?depth=4'"
            )

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _evaluation(self, data: bytes) -> Evaluation:
        last = data.rfind(b"\nbestmove") + 1
        move, line = _MOVE.match(data, last), scored_line(data)
        if _OVER.match(data, last):
            raise TransportFault("no move: the game is over, or the search was cut too short", worth_retrying=False)
        if move is None:
            raise _nonsense(data[last:])
        score = None if line is None else _SCORE.search(line)
        if line is None or score is None:
            raise TransportFault("the engine gave no evaluation", worth_retrying=False)
        kind, value = score[1], int(score[2])
        match = _WDL.search(line) if self._settings.wdl else None
        wins, draws, losses = map(int, match.groups()) if match else (None, None, None)
        if wins is not None and draws is not None and losses is not None:
            if abs(wins + draws + losses - 1000) > 2:  # shares that are rounded one by one may miss 1000
                raise _nonsense(line)
            q = max(-1.0, min(1.0, (wins - losses) / 1000))
        elif kind == b"mate":
            q = 1.0 if value > 0 else -1.0
        elif self._settings.wdl:
            raise _nonsense(line)
        else:
            q = math.tanh(self._settings.scale * value / 2)  # the same as 2 / (1 + exp(-scale * cp)) - 1
        if self._settings.move_statistics:
            q = statistics_of(data[:last], move[1].decode()).q
        centipawns, mate = (value, None) if kind == b"cp" else (None, value)
        return Evaluation(q, move[1].decode(), _nodes(data), wins, draws, losses, centipawns, mate)


def checked_fen(fen: str) -> str:
    """The FEN, if it has the form of one: six fields, eight squares a rank, one king a side.

    The caller must ensure that the position is legal. Raises `BadInput`.

    >>> checked_fen("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1")
    '8/8/8/8/8/5k2/5p2/5K2 w - - 0 1'
    """
    match = _FEN.fullmatch(fen)
    if match:
        squares = match[1].translate(_EMPTY)
        kings = squares.count("K"), squares.count("k")
        if len(squares) == 71 and squares[8::9] == "///////" and squares.count("/") == 7 and kings == (1, 1):
            return fen
    raise BadInput(f"'{shortened(fen, 100)}' is not a valid position: give a FEN with all six fields")


def start_engine(settings: EngineSettings) -> EngineProcess:
    """Start an engine and set its options. Raises `CandidateMisconfigured` for an unexpected engine."""
    process = EngineProcess(settings.command)
    try:
        identity = declaration(process).identity
        if identity != settings.identity:
            raise CandidateMisconfigured(
                f"'{settings.command[0]}' is '{identity}' on this machine, not '{settings.identity}': install that version"
            )
        lines = [f"setoption name {name} value {value}\n" for name, value in settings.options]
        process.tell("".join([*lines, "isready\n"]).encode())
        process.read_until(b"readyok", deadline=time.monotonic() + START_SECONDS)
    except BaseException:
        process.kill()
        raise
    return process


def declaration(process: EngineProcess) -> Declaration:
    process.tell(b"uci\n")
    text = process.read_until(b"uciok", deadline=time.monotonic() + START_SECONDS).decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines()]
    identity = next((shortened(line[8:], 80) for line in lines if line.startswith("id name ")), "")
    return Declaration(identity, tuple(_declared(*match.groups()) for line in lines if (match := _OPTION.fullmatch(line))))


def _declared(name: str, kind: str, rest: str) -> DeclaredOption:
    def bound(word: str) -> int | None:
        match = re.search(rf" {word} (-?[0-9]{{1,18}})\b", rest)
        return int(match[1]) if match else None

    default = re.search(r" default (.*?)(?= min | max | var |$)", rest)
    choices = tuple(re.findall(r" var (.+?)(?= var |$)", rest))
    return DeclaredOption(name, kind, default[1] if default else "", bound("min"), bound("max"), choices)


def scored_line(output: bytes) -> bytes | None:
    """The last line with an exact score, else the last with a bound, without its variation; None without any."""
    bound: bytes | None = None
    end = len(output)
    while (at := output.rfind(b" score ", 0, end)) >= 0:
        start = output.rfind(b"\n", 0, at) + 1
        line = output[start : output.find(b"\n", at)]
        if line.startswith(b"info ") and not line.startswith(b"info string"):
            line = line.partition(b" pv ")[0]
            if b"bound" not in line:
                return line
            bound = bound or line
        end = start
    return bound


def _nodes(data: bytes) -> int:
    """The last count of nodes; 0 without any."""
    at = data.rfind(b" nodes ")
    match = _NODES.match(data, at) if at >= 0 else None
    return int(match[1]) if match else 0


def _nonsense(line: bytes) -> TransportFault:
    text = shortened(line.decode("utf-8", "replace"), 80)
    return TransportFault(f"the engine's output is invalid: {text}", worth_retrying=False)
