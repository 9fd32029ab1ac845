"""How players leave for good."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from vivavoce.web.store.ending import end_games_of
from vivavoce.web.store.locking import alone
from vivavoce.web.store.people import LEFT, NOTHING_WRITTEN, Player
from vivavoce.web.tables import DRAFTS, KEYS, MACHINES, OUTBOX, PLAYERS, QUEUE, REPORTS, SEATS, SESSIONS, SHARES


def delete_player(c: Connection, player: Player, now: datetime) -> None:
    """Withdrawal: forget all that somebody wrote, and who they were.

    Gone are name, address, password, consent, questions, answers, sliders, judgements, drafts, reports, mail, keys and
    sessions, and what either player has shared of their games; games in play end. What stays are numbers: the guesses that
    others received, for other people's ratings rest on them, and the guesses that this player received, which nobody can be
    named for any more.
    """
    mine = player.id
    alone(c)
    end_games_of(c, mine, "left", now)
    for table, column in (
        (SESSIONS, SESSIONS.c.player), (DRAFTS, DRAFTS.c.player), (QUEUE, QUEUE.c.player), (OUTBOX, OUTBOX.c.player),
        (MACHINES, MACHINES.c.player), (REPORTS, REPORTS.c.reporter),
    ):  # fmt: skip
        c.execute(delete(table).where(column == mine))
    c.execute(delete(OUTBOX).where(OUTBOX.c.recipient.in_([one for one in (player.email, player.new_email) if one])))
    c.execute(delete(SHARES).where(SHARES.c.game.in_(select(SEATS.c.game).where(SEATS.c.player == mine))))
    c.execute(update(SEATS).where(SEATS.c.player == mine).values(NOTHING_WRITTEN))
    known = ("name_key", "email", "email_confirmed", "new_email", "password_hash", "consent", "consented")
    unknown = dict.fromkeys(known) | {"name": LEFT, "left_at": now, "mail_on_turn": False, "questions_may_be_shown": False}
    c.execute(update(PLAYERS).where(PLAYERS.c.id == mine).values(unknown))
    c.execute(delete(KEYS).where(KEYS.c.player == mine))  # last: none is made for a player who has no address any more
