"""What must hold of a database at any moment, read from its rows alone."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

import pytest
from sqlalchemy import Engine, select, text

from vivavoce.luna.settings import THESIS
from vivavoce.web.database import reading
from vivavoce.web.store.ratings import rating_of
from vivavoce.web.tables import GAMES, PLAYERS, SEATS

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
