"""What an examination costs: positions a second with two workers, as a share of what bare engines do in the same run.

`python bench/engines.py [--engine PATH] [--rounds 9] [--json] [--check]` has the same positions evaluated by two bare
processes, each driving one engine by the least loop over pipes that is possible, by the pool with two workers, and by a whole
examination (mirrored positions, every answer in a transcript on disk), in turns of about two seconds; the median share counts.
CPU is the asking process's own, user and system. It also times `ucinewgame`, which clears the hash before every position. With
`--check` it exits with 1 if the examination reaches less than 95% at 10,000 nodes or 85% at 1,000, or the pool takes more than
0.05 ms of CPU a position. The shares mean something only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import chess

from vivavoce.candidates.uci.pool import EnginePool, open_engine
from vivavoce.consistency.chess.compare_positions import Material, compare_positions
from vivavoce.consistency.chess.positions import GamePosition, mirrored
from vivavoce.consistency.config import ChessConfig
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchInterview

WORKERS = 2
HASH = 1
LEAST_SHARE = {1_000: 0.85, 10_000: 0.95}
CHUNKS = 8
"""In a round, for each worker."""
MOST_CPU_MS = 0.05
HASH_SIZES = (1, 16, 128, 1024)


@dataclass(frozen=True, slots=True)
class Throughput:
    """Of one round."""

    nodes: int
    bare: float
    """Positions a second of both bare processes together."""
    pool: float
    examination: float
    cpu_ms: float
    """Milliseconds of CPU a position in the process that asks the pool."""

    @property
    def share(self) -> float:
        """Of the bare rate."""
        return self.examination / self.bare


def positions(count: int) -> list[str]:
    """FENs from random play, always the same."""
    rng = random.Random(3)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        for _ in range(rng.randrange(20, 60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if not board.is_game_over():
            fens.append(board.fen())
    return fens


def start(program: str, megabytes: int) -> subprocess.Popen[bytes]:
    """The engine, set up as the pool does it."""
    engine = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    options = {"Threads": "1", "MultiPV": "1", "Hash": str(megabytes), "UCI_ShowWDL": "true"}
    say(engine, "".join(f"setoption name {name} value {value}\n" for name, value in options.items()) + "isready\n", b"readyok")
    return engine


def say(engine: subprocess.Popen[bytes], lines: str, until: bytes) -> None:
    """Write, and read up to the line that begins so."""
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write(lines.encode())
    engine.stdin.flush()
    for line in engine.stdout:
        if line.startswith(until):
            return
    raise SystemExit("the engine died")


def bare(program: str, nodes: int) -> None:
    """In a process of its own: FENs come as a line of JSON; for each further line they are evaluated."""
    engine = start(program, HASH)
    fens: list[str] = json.loads(sys.stdin.readline())
    for _ in sys.stdin:
        for fen in fens:
            say(engine, f"ucinewgame\nposition fen {fen}\ngo nodes {nodes}\n", b"bestmove")
        print("done", flush=True)
    engine.communicate(b"quit\n")


@contextmanager
def bare_processes(program: str, nodes: int, fens: Sequence[str]) -> Iterator[Callable[[], float]]:
    """Bare processes side by side; each call has them evaluate all positions, and gives positions a second."""
    command = [sys.executable, __file__, "--bare", str(nodes), "--engine", program]
    loops = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(WORKERS)]

    def write(loop: subprocess.Popen[str], line: str) -> None:
        assert loop.stdin is not None
        loop.stdin.write(line + "\n")
        loop.stdin.flush()

    def rate() -> float:
        began = time.perf_counter()
        for loop in loops:
            write(loop, "go")
        for loop in loops:
            assert loop.stdout is not None
            loop.stdout.readline()
        return len(fens) / (time.perf_counter() - began)

    for number, loop in enumerate(loops):
        write(loop, json.dumps(fens[number::WORKERS]))
    yield rate
    for loop in loops:
        loop.communicate()


async def pool_rate(pool: EnginePool, fens: Sequence[str]) -> tuple[float, float]:
    """Positions a second, and milliseconds of this process's CPU a position."""
    questions = [Position(fen) for fen in fens]
    began, before = time.perf_counter(), os.times()
    answers = await pool.answer_all(questions)
    wall, after = time.perf_counter() - began, os.times()
    if not all(isinstance(answer, Evaluation) for answer in answers):
        raise SystemExit("answers are missing")
    cpu = after.user + after.system - before.user - before.system
    return len(fens) / wall, 1000 * cpu / len(fens)


async def examination_rate(pool: EnginePool, bases: Sequence[str]) -> float:
    """Positions a second of a whole examination."""
    with tempfile.TemporaryDirectory() as folder, Transcript.open(Path(folder) / "run.sqlite") as transcript:
        interview: BatchInterview[Position, Evaluation] = BatchInterview(pool, answers=Evaluation, transcript=transcript)
        placed = [GamePosition(fen, f"game {number}") for number, fen in enumerate(bases)]
        began = time.perf_counter()
        await compare_positions(interview, Material(placed), ChessConfig(("mirror",), limit=len(bases)))
        return interview.progress.answered / (time.perf_counter() - began)


async def throughput(program: str, nodes: int, rounds: int) -> list[Throughput]:
    """Bare processes, the pool, and an examination by the pool, in turns, on the same positions."""
    pool = open_engine(f"uci:{program}?nodes={nodes}&hash={HASH}", workers=WORKERS)
    bases = positions(CHUNKS * WORKERS * pool.size // 2)
    fens = [fen for base in bases for fen in (base, mirrored(chess.Board(base)).fen())]
    result = []
    try:
        with bare_processes(program, nodes, fens) as bare_rate:
            bare_rate()
            await pool_rate(pool, fens)  # not counted: processes start
            for _ in range(rounds):
                pooled, cpu = await pool_rate(pool, fens)
                result.append(Throughput(nodes, bare_rate(), pooled, await examination_rate(pool, bases), cpu))
    finally:
        await pool.close()
    return result


def new_game_ms(program: str, megabytes: int, times: int = 10) -> float:
    """Milliseconds that `ucinewgame` takes, with the answer to `isready` taken off."""
    engine = start(program, megabytes)
    spent = []
    for lines in ("ucinewgame\nisready\n", "isready\n"):
        say(engine, lines, b"readyok")
        began = time.perf_counter()
        for _ in range(times):
            say(engine, lines, b"readyok")
        spent.append(1000 * (time.perf_counter() - began) / times)
    engine.communicate(b"quit\n")
    return spent[0] - spent[1]


def table(rates: Sequence[Throughput], hashes: dict[int, float]) -> str:
    """The figures in plain text."""
    lines = [f"{'nodes':>8}{'bare':>12}{'pool':>12}{'examination':>13}{'share':>9}{'CPU a position':>17}"]
    lines += [
        f"{r.nodes:>8,}{r.bare:>10.1f}/s{r.pool:>10.1f}/s{r.examination:>11.1f}/s{r.share:>9.1%}{r.cpu_ms:>14.4f} ms"
        for r in rates
    ]
    lines += ["", f"{'hash':>8}{'ucinewgame':>15}"]
    lines += [f"{megabytes:>5} MB{cost:>12.2f} ms" for megabytes, cost in hashes.items()]
    return "\n".join(lines)


def main() -> int:
    """Measure; 1 if `--check` is given and the pool costs too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", default="/usr/games/stockfish", metavar="PATH")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if it costs too much")
    parser.add_argument("--bare", type=int, metavar="NODES", help="be one bare process")
    given = parser.parse_args()
    if given.bare:
        bare(given.engine, given.bare)
        return 0
    rounds = {nodes: asyncio.run(throughput(given.engine, nodes, given.rounds)) for nodes in LEAST_SHARE}
    hashes = {megabytes: new_game_ms(given.engine, megabytes) for megabytes in HASH_SIZES}
    every = [rate for result in rounds.values() for rate in result]
    if given.json:
        print(json.dumps({"rounds": [asdict(rate) for rate in every], "ucinewgame_ms": hashes}, indent=2))
    else:
        print(table(every, hashes))
        print(*(f"\n{nodes:,} nodes: {median(r.share for r in result):.1%} at the median" for nodes, result in rounds.items()))
    slow = any(median(rate.share for rate in result) < LEAST_SHARE[nodes] for nodes, result in rounds.items())
    return int(given.check and (slow or median(rate.cpu_ms for rate in every) > MOST_CPU_MS))


if __name__ == "__main__":
    sys.exit(main())
