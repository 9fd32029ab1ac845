"""What a step of the Luna game costs: read, write and, at the end of a game, rating; each one durable on disk.

    python bench/luna.py [--check] [--steps 3000] [--threads 1] [--database ADDRESS] [--soak STEPS] [--json]

A step is what a page does for a move: find whose session it is, then in one transaction load the game, make the move, with the
sixth one conclude the game, write, and commit with a sync to disk; beginning games is part of it. Beside it, in the same run
and on the same database, what any site must do at least: one row read and one row written with plain SQLAlchemy, committed the
same way. CPU is this process's own. Then steps come at random times (a Poisson process) at half the rate that was reached, and
each is timed from when it came. The best of three rounds counts: whatever else the machine does can only slow it down.

`--check` fails below 200 steps a second, above 4 times the CPU of the plain step, where 99 of 100 steps at half that load take
more than 100 ms, and, with `--soak 100000`, where memory grows by more than 10 MB over so many steps after the first tenth.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sqlalchemy import Column, Engine, Integer, MetaData, Table, Text, delete, insert, select, update

from vivavoce.luna.rules import AnswersMove, GuessMove, Move, QuestionsMove
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store.games import begin
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import create_guest, open_session, session_player
from vivavoce.web.store.site import alone

LEAST_RATE = 200.0
MOST_CPU_RATIO = 4.0
MOST_P99_MS = 100.0
MOST_GROWTH_MB = 10.0
PLAYERS = 200
WARM_UP = 120
ROUNDS = 3
TEXT = "What would you do with a day that nobody else remembers, and why? " * 4
PLAIN = Table("bench_rows", MetaData(), Column("id", Integer, primary_key=True), Column("body", Text), Column("times", Integer))

Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What steps of one kind took."""

    kind: str
    steps: int
    steps_a_second: float
    cpu_ms: float
    """Of this process, a step."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """How long steps took that came at random times."""

    steps_a_second: float
    median_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Soak:
    """What many steps did to memory and speed."""

    steps: int
    growth_mb: float
    """After the first tenth."""
    first_tenth_a_second: float
    last_tenth_a_second: float


def moves(rng: random.Random) -> tuple[Move, Move, Move]:
    """Of one player in one game, of usual length."""
    return QuestionsMove((TEXT,) * 5), AnswersMove((TEXT,) * 5), GuessMove(rng.uniform(0, 100), (50.0, None, 20.0, None, 90.0))


def game_steps(engine: Engine, seed: int) -> Iterator[Step]:
    """Steps of games one after the other, between players that are drawn anew for each."""
    rng, now = random.Random(seed), datetime.now(UTC)
    with transaction(engine) as c:
        players = [create_guest(c, consent_version="1", now=now) for _ in range(PLAYERS)]
        tokens = {player.id: open_session(c, player, now) for player in players}
    while True:
        pair = rng.sample(players, 2)
        with transaction(engine) as c:
            alone(c)
            game = begin(c, ((pair[0].id, True), (pair[1].id, True)), datetime.now(UTC)).id
        made = [moves(rng) for _ in pair]
        for phase, position in itertools.product(range(3), range(2)):

            def step(token: str = tokens[pair[position].id], move: Move = made[position][phase], game: str = game) -> None:
                now = datetime.now(UTC)
                with reading(engine) as c:
                    player = session_player(c, token, now)
                if player is None:
                    raise SystemExit("a session was lost")
                with transaction(engine) as c:
                    make_move(c, game, player, move, now)

            yield step


def plain_steps(engine: Engine, seed: int) -> Iterator[Step]:
    """One row read, one written."""
    first = seed * 1_000
    with transaction(engine) as c:
        c.execute(delete(PLAIN).where(PLAIN.c.id.between(first, first + 999)))
        c.execute(insert(PLAIN), [{"id": first + number, "body": TEXT * 5, "times": 0} for number in range(1_000)])
    for number in itertools.count():
        entry = first + number % 1_000

        def step(entry: int = entry) -> None:
            with transaction(engine) as c:
                times = c.execute(select(PLAIN.c.times).where(PLAIN.c.id == entry)).scalar_one()
                c.execute(update(PLAIN).where(PLAIN.c.id == entry).values(times=times + 1, body=TEXT * 5))

        yield step


def measure(kind: str, engine: Engine, make: Callable[[Engine, int], Iterator[Step]], steps: int, threads: int) -> Cost:
    """So many steps, shared by so many threads, after some that are not counted."""
    sources = [make(engine, seed) for seed in range(threads)]

    def run(source: Iterator[Step], count: int) -> None:
        for step in itertools.islice(source, count):
            step()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, sources, [WARM_UP] * threads))
        began, cpu = time.perf_counter(), time.process_time()
        list(pool.map(run, sources, [steps // threads] * threads))
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    done = steps // threads * threads
    return Cost(kind, done, done / wall, 1000 * cpu / done)


def at_random_times(engine: Engine, rate: float, seconds: float, threads: int) -> StepTimes:
    """Steps that come at this rate; each is timed from when it came, so that waiting counts."""
    sources = [game_steps(engine, 99 + seed) for seed in range(threads)]
    for source in sources:
        next(source)()  # the first one makes the players

    def run(seed: int) -> list[float]:
        rng, waits = random.Random(seed), []
        arrival = time.perf_counter()
        end = arrival + seconds
        while arrival < end:
            step = next(sources[seed])
            arrival += rng.expovariate(rate / threads)
            time.sleep(max(0.0, arrival - time.perf_counter()))
            step()
            waits.append(1000 * (time.perf_counter() - arrival))
        return waits

    with ThreadPoolExecutor(threads) as pool:
        all_waits = [wait for waits in pool.map(run, range(threads)) for wait in waits]
    return StepTimes(len(all_waits) / seconds, float(np.median(all_waits)), float(np.quantile(all_waits, 0.99)))


def soak(engine: Engine, steps: int) -> Soak:
    """Many steps: memory and speed at their beginning and end."""
    source, tenth = game_steps(engine, 7), steps // 10
    rates, sizes = [], []
    for _ in range(10):
        began = time.perf_counter()
        for step in itertools.islice(source, tenth):
            step()
        rates.append(tenth / (time.perf_counter() - began))
        sizes.append(resident_mb())
    return Soak(steps, sizes[-1] - sizes[0], rates[0], rates[-1])


def resident_mb() -> float:
    """Memory that this process holds now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--database", help="postgresql://..., where it leaves its rows; without it, a file that is deleted")
    parser.add_argument("--soak", type=int, metavar="STEPS", default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = open_database(given.database or str(Path(folder) / "site.sqlite"))
        migrate(engine)
        PLAIN.metadata.create_all(engine)
        share, seconds = given.steps // ROUNDS, given.steps / ROUNDS / LEAST_RATE
        rounds = [
            (
                measure("plain SQLAlchemy", engine, plain_steps, share, given.threads),
                measure("a step of the game", engine, game_steps, share, given.threads),
            )
            for _ in range(ROUNDS)
        ]
        plain, game = (max(costs, key=lambda cost: cost.steps_a_second) for costs in zip(*rounds, strict=True))
        rate = game.steps_a_second / 2
        waits = min(
            (at_random_times(engine, rate, seconds, given.threads) for _ in range(ROUNDS)), key=lambda waits: waits.p99_ms
        )
        soaked = soak(engine, given.soak) if given.soak else None
        engine.dispose()
    ratio = game.cpu_ms / plain.cpu_ms
    if given.json:
        result = {"costs": [asdict(plain), asdict(game)], "cpu_ratio": ratio, "half_load": asdict(waits)}
        print(json.dumps(result | {"soak": asdict(soaked) if soaked else None}))
    else:
        for cost in (plain, game):
            print(f"{cost.kind:<20} {cost.steps_a_second:>6.0f} a second   {cost.cpu_ms:.2f} ms of CPU each")
        print(f"{ratio:.1f} times the CPU of the plain step")
        print(f"at {waits.steps_a_second:.0f} a second: median {waits.median_ms:.1f} ms, 99% within {waits.p99_ms:.1f} ms")
        if soaked:
            rates = f"{soaked.first_tenth_a_second:.0f} a second at first, {soaked.last_tenth_a_second:.0f} at last"
            print(f"{soaked.steps} steps: memory grew by {soaked.growth_mb:.1f} MB after the first tenth; {rates}")
    good = game.steps_a_second >= LEAST_RATE and ratio <= MOST_CPU_RATIO and waits.p99_ms <= MOST_P99_MS
    return int(given.check and not (good and (soaked is None or soaked.growth_mb <= MOST_GROWTH_MB)))


if __name__ == "__main__":
    sys.exit(main())
