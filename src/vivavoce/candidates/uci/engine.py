"""A chess engine that speaks UCI, asked one position after another so that answers do not depend on their order. Its process is
untrusted, cannot outlive its owner, and is read with a deadline.

Leela Chess Zero (lc0): settings for reproducible answers, and its statistics of every move.
"""

from __future__ import annotations

import math
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from vivavoce.candidates.text import shortened
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.interview.candidate_kinds import Evaluation

GAMES = "/usr/games"
"""Debian's folder of chess engines, which is not on every $PATH."""
MOST_SAID = 4 * 2**20
"""Bytes that an engine may write in one search; a long search writes less than a tenth of it."""
WATCHED = 4096
"""Bytes before the newest ones that the caller sees: more than a line."""
GRACE = 0.5
"""Seconds that an engine has to end by itself."""

_LAUNCHER = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Asks the kernel to kill it when its parent dies (PR_SET_PDEATHSIG, SIGKILL), then becomes the engine.

Most engines end when their input ends; some (GNU Chess) and hanging ones do not. It is a separate process, since code between
fork and exec is not safe in a program with threads.
"""


def program_path(program: str) -> str:
    """The path of a program, given by path or by a name that is searched on $PATH and in /usr/games; `BadInput` if it is
    not found.
    """
    text = shutil.which(program) or shutil.which(program, path=GAMES)
    if text is None:
        package = program.rpartition("/")[2]
        how = " (apt-get install stockfish)" if package == "stockfish" else ""
        raise BadInput(f"there is no program '{program[:200]}': give its path, or install it{how}")
    return os.path.abspath(text)


class EngineProcess:
    """A process that reads and writes lines.

    Raises `TransportFault` (worth retrying) if the process has died, and one not worth retrying if it says nothing in time or
    too much; a caller that gets one calls `kill`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        line = [program_path(command[0]), *command[1:]]
        if sys.platform == "linux":
            line = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *line]
        # in its own session: an interrupt from the keyboard does not reach the engine, and `kill` reaches its children
        self._process = subprocess.Popen(  # noqa: S603 - the user names the program; no shell is involved
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        os.set_blocking(self._to.fileno(), False)
        self._ready = select.poll()
        self._ready.register(self._from, select.POLLIN)
        self._said = bytearray(b"\n")

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, lines: bytes) -> None:
        """Write without waiting: an engine that does not read a full pipe counts as dead."""
        try:
            written = self._to.write(lines)
        except BrokenPipeError:
            written = 0
        if written != len(lines):
            raise _died()

    def read_until(self, word: bytes, *, deadline: float, watched: Callable[[bytes], None] = lambda words: None) -> bytes:
        """All output up to and including the line that begins with that word; `deadline` is on the monotonic clock.

        watched: called with the last output after each write; it may raise.
        """
        value, searched = self._said, 0
        line_start, from_engine = b"\n" + word, self._from.fileno()
        watched(bytes(value[-WATCHED:]))  # output that came with the previous answer
        while True:
            at = value.find(line_start, searched)
            end = value.find(b"\n", at + 1) if at >= 0 else -1
            if end >= 0:
                text = bytes(value[:end])
                del value[:end]
                return text
            searched = at if at >= 0 else max(0, len(value) - len(line_start))
            if len(value) > MOST_SAID:
                raise TransportFault(f"the engine wrote more than {MOST_SAID >> 20} MB at once", worth_retrying=False)
            if not self._ready.poll(max(0.0, 1000 * (deadline - time.monotonic()))):
                raise TransportFault("time-out", worth_retrying=False)
            heard = os.read(from_engine, 65536)
            if not heard:
                raise _died()
            watched(bytes(value[-WATCHED:] + heard))
            value += heard

    def end(self) -> None:
        """Ask it to quit, and kill it if it does not; does nothing if it is dead."""
        with suppress(TransportFault):
            self.tell(b"quit\n")
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.kill()

    def kill(self) -> None:
        """Kill it at once, with all processes that it has started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._to.close()
        self._from.close()


def _died() -> TransportFault:
    return TransportFault("the engine died")


CALLED: Final = "Lc0 "
"""Prefix of its `id name`."""
MOVE_STATISTICS: Final = "VerboseMoveStats"
"""The UCI option that makes it report statistics of every move."""
PRESET: Final[Mapping[str, str]] = {
    "SmartPruningFactor": "0",
    "OutOfOrderEval": "false",
    "TaskWorkers": "0",
    "MinibatchSize": "1",
    "MaxPrefetch": "0",
    "NNCacheSize": "200000",
}
"""Table 5 of `fluri2024`, besides one thread and `VerboseMoveStats`: no answer depends on timing, at the cost of speed."""

_LINE = re.compile(
    rb"info string (node|[a-h][1-8][a-h][1-8][nbrq]?) +\( *\d{1,6} *\) +N: +(\d{1,15}) \(\+ *\d{1,9}\) "
    rb"\(P: +(\d{1,3}\.\d+)%\) ((?:\([A-Z]{1,2}: +-?[\d.-]+ *\) ?)+)(?:\([TWL]\) ?)?"
)
_VALUE = re.compile(rb"\(([A-Z]{1,2}): +(-?\d+\.\d+) *\)")
_CASTLING: Final[Mapping[bytes, bytes]] = {b"e1g1": b"e1h1", b"e1c1": b"e1a1", b"e8g8": b"e8h8", b"e8c8": b"e8a8"}
"""Castling: in statistics the king takes its rook, in `bestmove` it moves two squares."""


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """lc0's statistics of one move (an edge of its tree), or of the position itself, from the side to move's point of view."""

    move: str
    """In UCI notation; `node` for the position itself."""
    visits: int
    prior: float
    """Probability by its policy head, in [0, 1]; for the position: the total over visited moves."""
    q: float
    """Expected outcome in [-1, 1]; of a move that was not visited a mere default."""
    wl: float | None
    """Wins less losses; None if the move was not visited."""
    draws: float | None
    v: float | None
    """Output of its value head; None if it is no longer in the cache."""


def read_statistics(line: bytes) -> MoveStatistics | None:
    """One line as lc0 prints it (`Search::GetVerboseStats`, release 0.29 to 0.32); None for any other line.

    >>> read_statistics(
    ...     b"info string e2e4  (322 ) N:     123 (+ 0) (P: 12.50%) (WL:  0.03125) (D: 0.400) (M: 95.2) (Q:  0.03125) "
    ...     b"(U: 0.01000) (S:  0.04125) (V:  0.0280) ")
    MoveStatistics(move='e2e4', visits=123, prior=0.125, q=0.03125, wl=0.03125, draws=0.4, v=0.028)
    """
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        return None
    values = {name: float(value) for name, value in _VALUE.findall(match[4])}
    q = values.get(b"Q")
    if q is None or abs(q) > 1 or abs(values.get(b"WL", 0.0)) > 1 or float(match[3]) > 100:
        return None
    return MoveStatistics(
        move=match[1].decode(), visits=int(match[2]), prior=float(match[3]) / 100, q=q,
        wl=values.get(b"WL"), draws=values.get(b"D"), v=values.get(b"V"),
    )  # fmt: skip


def statistics_of(output: bytes, best_move: str) -> MoveStatistics:
    """The statistics of the move that was chosen, or of the position where no move was visited (one node).

    So q is the value of the best move (appendix B.2 of `fluri2024`). With a single node, where only the policy head chooses the
    move, q comes from the value head. Raises `TransportFault` if the engine sent no such statistics.
    """
    castling = _CASTLING.get(best_move.encode(), b"").decode()
    lines = {line.move: line for text in output.split(b"\n") if (line := read_statistics(text)) is not None}
    chosen = lines.get(best_move) or lines.get(castling)
    if chosen is None or chosen.visits == 0:
        chosen = lines.get("node")
    if chosen is None or (chosen.move != "node" and chosen.wl is None):
        raise TransportFault(
            f"the engine reported no statistics for its move {shortened(best_move, 10)}: its option {MOVE_STATISTICS} has no "
            "effect",
            worth_retrying=False,
        )
    return chosen


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
    `move_statistics` it is lc0's own Q of the move that it plays (`statistics_of`), which has two digits more than W - L.
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
