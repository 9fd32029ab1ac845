"""Players and moves for the tests of the store, and what must hold of a database at any moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count

import pytest
from sqlalchemy import Connection, Engine, select, text

from vivavoce.luna.rules import AnswersMove, Game, GuessMove, Move, QuestionsMove
from vivavoce.luna.settings import THESIS
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import move_delays
from vivavoce.web.store.accounts import confirm
from vivavoce.web.store.games import begin, load
from vivavoce.web.store.machines import create_machine
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import Player, create_account, create_guest, new_key
from vivavoce.web.store.ratings import rating_of
from vivavoce.web.store.site import alone
from vivavoce.web.tables import GAMES, PLAYERS, SEATS

START = datetime(2026, 6, 14, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

_numbers = count(1)


def unconfirmed(c: Connection, name: str = "", *, now: datetime = START) -> Player:
    """An account whose address nobody has confirmed."""
    number = next(_numbers)
    return create_account(
        c, name=name or f"Ann {number}", email=f"ann{number}@example.org", password_hash="$", consent_version="1", now=now
    )


def account(c: Connection, name: str = "", *, now: datetime = START) -> Player:
    """An account as most are: its address is confirmed."""
    made = unconfirmed(c, name, now=now)
    confirmed = confirm(c, new_key(c, "confirm", made.id, made.email or "", now), now)
    assert confirmed is not None
    return confirmed


def guest(c: Connection, *, now: datetime = START) -> Player:
    return create_guest(c, consent_version="1", now=now)


def machine(c: Connection, name: str = "", *, now: datetime = START) -> Player:
    return create_machine(c, name=name or f"Bot {next(_numbers)}", now=now)[0]


def pair(c: Connection, first: Player, second: Player, now: datetime = START) -> str:
    alone(c)
    return begin(c, ((first.id, first.human), (second.id, second.human)), now).id


def moves(guess: float) -> list[Move]:
    return [
        QuestionsMove(tuple(f"question {n}?" for n in range(5))),
        AnswersMove(tuple(f"answer {n}" for n in range(5))),
        GuessMove(guess),
    ]


def finish(c: Connection, game: str, guesses: dict[Player, float], now: datetime = START) -> Game:
    """Play a game to its end: each of the two players guesses so much."""
    for phase in range(3):
        for player, guess in guesses.items():
            last = make_move(c, game, player, moves(guess)[phase], now)
    return last


def played(c: Connection, first: tuple[Player, float], second: tuple[Player, float], now: datetime = START) -> Game:
    """A game from its beginning to its end: each player with what they guess."""
    return finish(c, pair(c, first[0], second[0], now), dict([first, second]), now)


HONEST = 6
"""Players of `ruined` who do not cheat."""


def ruined(c: Connection) -> tuple[Player, list[Player]]:
    """Six honest players guess 60 to 75 of each other, one guesses 0 of all of them; the one, and the six."""
    cheat, honest = account(c, "Zero"), [account(c, f"Honest {n}") for n in range(HONEST)]
    games = 0
    for first in range(HONEST):
        for second in range(first):
            games += 1
            played(c, (honest[first], 60.0 + games), (honest[second], 75.0 - games), START + games * MINUTE)
    for number, other in enumerate(honest):
        played(c, (cheat, 0.0), (other, 50.0 + number), START + (games + 1 + number) * MINUTE)
    return cheat, honest


def new_guest(engine: Engine) -> Player:
    with transaction(engine) as c:
        return guest(c)


def loaded(engine: Engine, game: str, player: Player) -> Game:
    with reading(engine) as c:
        return load(c, game, player)[0]


@contextmanager
def people_read_once() -> Iterator[None]:
    """What people did is read for the first of many draws; they do nothing in between."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(move_delays, "_people", cache(move_delays._people))
        yield


PARTS = (("asked", "questions"), ("answered", "answers"), ("guessed", "guess"))
RESULT = ("finished", "received", "received_from_human", "outcome")


def check_whole(engine: Engine) -> int:
    """No step is there by half, and every rating is the mean of the log; returns how many moves there are."""
    with reading(engine) as c:
        if engine.dialect.name == "postgresql":  # one state: what was killed may yet commit between two looks
            c.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        games = {row["id"]: row for row in c.execute(select(GAMES)).mappings()}
        seats = {(row["game"], row["place"]): row for row in c.execute(select(SEATS)).mappings()}
        players = c.execute(select(PLAYERS.c.id)).scalars().all()
        made = 0
        guesses: dict[str, list[float]] = defaultdict(list)
        assert len(seats) == 2 * len(games)
        for name, game in games.items():
            both = [seats[name, 0], seats[name, 1]]
            opened: datetime = game["begun"]
            for when, _ in PARTS:
                times = [seat[when] for seat in both]
                opened = max(opened, *times) if None not in times else opened
            for seat, other in zip(both, reversed(both), strict=True):
                assert seat["opponent"] == other["player"]
                for when, what in PARTS:
                    assert (seat[when] is None) == (seat[what] is None)
                    if seat[when] is not None:
                        made += 1
                for name_of_result in RESULT:
                    assert (seat[name_of_result] is not None) == (game["state"] == "over")
                if game["state"] == "over":
                    assert (seat["received"], seat["received_from_human"]) == (other["guess"], other["human"])
                    if other["human"]:
                        guesses[seat["player"]].append(other["guess"])
            assert all(seat["guess"] is not None for seat in both) == (game["state"] == "over")
            if game["state"] == "open":
                assert game["expires"] == opened + THESIS.expiry
        for player in players:
            mean, count = rating_of(c, player)
            assert count == len(guesses[player])
            assert mean == (pytest.approx(sum(guesses[player]) / count) if count else None)
    return made
