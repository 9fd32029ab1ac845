"""A process that plays games until it is killed, and says which moves it was told are done."""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.web.store.players import START, guest, moves, pair
from vivavoce.web.database import open_database, transaction
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import player as find
from vivavoce.web.store.queue import sweep


def run(address: str, log: Path, people: list[str], seed: int) -> None:
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
