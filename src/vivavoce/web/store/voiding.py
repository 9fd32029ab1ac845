"""The operator voids the guesses of a player: they stay on record, and count in no rating until they are restored.

Who won a game stays as it is: that was settled by the ratings of its time.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from vivavoce.luna.rules import rating
from vivavoce.web.store.locking import changed, lock_players
from vivavoce.web.tables import SEATS

_AFTER = (
    update(SEATS)
    .where(SEATS.c.game == bindparam("of_game"), SEATS.c.place == bindparam("of_place"))
    .values(rating_after=bindparam("rating"))
)


def void_guesses(c: Connection, player: str, now: datetime) -> int:
    """Count none of what this player guessed; the ratings of all who were guessed at follow. How many guesses that are."""
    return _set(c, player, now)


def restore_guesses(c: Connection, player: str) -> int:
    """Count again what was voided of this player's guesses; how many that are."""
    return _set(c, player, None)


def _set(c: Connection, player: str, voided: datetime | None) -> int:
    told = SEATS.c.voided.is_(None) if voided is not None else SEATS.c.voided.is_not(None)
    theirs = (SEATS.c.opponent == player, SEATS.c.finished.is_not(None), told)
    targets = c.execute(select(SEATS.c.player).where(*theirs).distinct()).scalars().all()
    lock_players(c, targets)
    number = c.execute(update(SEATS).where(*theirs).values(voided=voided)).rowcount
    for target in targets:
        _recount(c, target)
    changed(c, targets)
    return number


def _recount(c: Connection, player: str) -> None:
    """The rating after each finished game of one player, who must be locked."""
    columns = (SEATS.c.game, SEATS.c.place, SEATS.c.received, SEATS.c.received_from_human, SEATS.c.voided)
    finished = select(*columns).where(SEATS.c.player == player, SEATS.c.finished.is_not(None))
    counted: list[float] = []
    rows = []
    for game, place, received, from_human, voided in c.execute(finished.order_by(SEATS.c.finished, SEATS.c.game)):
        if from_human and voided is None:
            counted.append(received)
        rows.append({"of_game": game, "of_place": place, "rating": rating(counted)})
    if rows:
        c.execute(_AFTER, rows)
