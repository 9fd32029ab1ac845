"""Players who seem to guess by a rule, by the ids that the operator's commands know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, and_, or_, select

from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import flags
from vivavoce.luna.identification import Identification
from vivavoce.luna.rate import NamedFlag
from vivavoce.luna.ratings import Guesses
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.web.tables import PLAYERS, SEATS

_JUDGE = SEATS.alias("judge")


@dataclass(frozen=True, slots=True)
class FlaggedPlayer:
    """A player to look at."""

    id: str
    name: str
    banned: bool
    statements: tuple[str, ...]
    """What speaks for it, a sentence a rule, surest first."""


def games_played(c: Connection, *, with_voided_of: str = "") -> LunaGames | None:
    """All guesses in finished games but the voided ones, oldest first, players by their ids; None where there are none.

    with_voided_of: a player whose voided guesses are among them.
    """
    columns = (
        *(SEATS.c[name] for name in ("game", "opponent", "player", "human", "received", "received_from_human")),
        *(_JUDGE.c[name] for name in ("thinks_human", "confidence")),
        or_(SEATS.c.taken_over.is_not(None), _JUDGE.c.taken_over.is_not(None)).label("taken_over"),
    )
    judges = and_(_JUDGE.c.game == SEATS.c.game, _JUDGE.c.place != SEATS.c.place)
    taken = SEATS.c.voided.is_(None) | (SEATS.c.opponent == with_voided_of)
    joined = select(*columns).join(_JUDGE, judges)
    counted = joined.where(SEATS.c.finished.is_not(None), taken)
    rows = c.execute(counted.order_by(SEATS.c.finished, SEATS.c.game, SEATS.c.place)).all()
    if not rows:
        return None
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    number = [games.setdefault(row.game, len(games)) for row in rows]
    guessers = [players.setdefault(row.opponent, len(players)) for row in rows]
    targets = [players.setdefault(row.player, len(players)) for row in rows]
    guesses = Guesses(guessers, targets, [row.received for row in rows], number, players=len(players))
    by_human = np.array([row.received_from_human for row in rows], dtype=bool)
    machines = frozenset(guesser for guesser, row in zip(guessers, rows, strict=True) if not row.received_from_human)
    judgements = tuple(
        Identification(
            row.opponent,
            row.player,
            row.human,
            PersonOrMachine(row.thinks_human, row.confidence),
        )
        for row in rows
        if row.received_from_human and row.thinks_human is not None and not row.taken_over
    )
    return LunaGames(tuple(players), guesses, by_human, machines, judgements)


def flagged(c: Connection, *, with_voided_of: str = "") -> list[FlaggedPlayer]:
    """Whom to look at, surest first; those whose guesses are voided no more.

    with_voided_of: a player whose voided guesses are looked at all the same.
    """
    games = games_played(c, with_voided_of=with_voided_of)
    if games is None:
        return []
    told: dict[str, list[str]] = {}
    for flag in flags(games):
        player = games.names[flag.player]
        told.setdefault(player, []).append(NamedFlag(player, flag.player in games.machines, flag).evidence)
    rows = c.execute(select(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.banned).where(PLAYERS.c.id.in_(list(told))))
    known = {row.id: row for row in rows}
    return [FlaggedPlayer(player, known[player].name, known[player].banned, tuple(said)) for player, said in told.items()]
