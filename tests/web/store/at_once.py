"""Work for several threads and processes at once, one of which plays until it is killed."""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from tests.web.store.players import START, guest, moves, pair
from vivavoce.luna.rules import IllegalMove, Move
from vivavoce.web.database import open_database, transaction
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import Player
from vivavoce.web.store.people import player as find
from vivavoce.web.store.queue import sweep

Job = tuple[str, str, int, float]
"""Game, player, phase, guess."""


def together(work: Sequence[Callable[[], object]]) -> list[object]:
    """Do all of this in threads that start at one moment; what each returned, or raised."""
    barrier = threading.Barrier(len(work))

    def one(job: Callable[[], object]) -> object:
        barrier.wait(timeout=30)
        try:
            return job()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(one, work))


def move_once(engine: Engine, game: str, player: Player, move: Move, now: datetime = START) -> str:
    """'moved', or what the rules say against it."""
    try:
        with transaction(engine) as c:
            make_move(c, game, player, move, now)
    except IllegalMove as error:
        return str(error)
    return "moved"


def work(address: str, jobs: list[Job]) -> list[str]:
    """Make these moves in a process of its own; one that is not yet this player's turn is tried again."""
    engine = open_database(address)
    done = []
    for game, player_id, phase, guess in jobs:
        with transaction(engine) as c:
            player = find(c, player_id)
        assert player is not None
        give_up = time.monotonic() + 60
        while move_once(engine, game, player, moves(guess)[phase]) != "moved":
            assert time.monotonic() < give_up
            time.sleep(0.002)
        done.append("moved")
    engine.dispose()
    return done


def in_processes(work: Callable[[str, Any], list[str]], address: str, jobs: Sequence[Any]) -> list[list[str]]:
    """Do each of these jobs on this database in a process of its own, all at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    with ProcessPoolExecutor(len(jobs), mp_context=context) as pool:
        return list(pool.map(work, [address] * len(jobs), jobs))


def play_until_killed(address: str, log: Path, people: list[str], seed: int) -> None:
    """Play one game after the other; each acknowledged move is a line of the log: game, player, phase."""
    engine, rng = open_database(address), random.Random(seed)
    number = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while True:
        with transaction(engine) as c:
            pool = [player for player in (find(c, name) for name in rng.sample(people, 2)) if player is not None]
            game = pair(c, pool[0], pool[1], START)
            sweep(c, START)
        for phase in range(3):
            for entry in pool:
                with transaction(engine) as c:
                    make_move(c, game, entry, moves(rng.random() * 100)[phase], START)
                os.write(number, f"{game} {entry.id} {phase}\n".encode())


def new_people(address: str, count: int) -> list[str]:
    """The ids of new players."""
    engine = open_database(address)
    with transaction(engine) as c:
        people = [guest(c).id for _ in range(count)]
    engine.dispose()
    return people
