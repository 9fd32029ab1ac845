"""Who plays with whom: at common ticks all who wait are paired in one random draw, so that a game's beginning tells nothing.

An arrival never begins a game: the next tick does, for a person as for a machine. At a tick people who are here are paired
at random. Then each pair is taken apart with probability `APART`, and both play machines instead, where two can be had. Whoever
is left over plays a machine, too. So somebody who is alone always gets a machine, and with n people the chance of a machine is
1/2, or 1/2 + 1/2n for an odd n. Nobody is told who waits, so nobody can tell more than that. Those who refuse machines are
paired with people alone, and are told so.

Where no machine is there, whoever has waited long enough plays somebody who is not here, first of all one whom mail reaches.
Somebody who has closed the page, and whom no mail reaches, waits on and is paired when back.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

PRESENT: Final = timedelta(minutes=2)
"""Who was seen within this time is taken to be here."""
WAITS_HERE: Final = timedelta(seconds=45)
"""The same of people who wait: their page shows up every half a minute, with a script (its stream) and without (it loads
itself again)."""
GONE: Final = timedelta(seconds=5)
"""Whoever closed their last page this long ago has gone: one that changes closes a stream and opens the next."""
PATIENCE: Final = timedelta(seconds=30)
"""Whoever has waited this long without any machine there will play somebody who is not here."""
FORGOTTEN: Final = timedelta(days=1)
"""Who waits and was not seen for this long is not paired any more, unless mail reaches them."""
APART: Final = 0.5
"""The chance that a pair of people is taken apart, and both play machines."""


@dataclass(frozen=True, slots=True)
class WaitingPlayer:
    """Somebody who waits for a game."""

    player: str
    human: bool
    since: datetime
    seen: datetime
    """When the player was here last."""
    machines_may_step_in: bool = True
    mail: bool = False
    """Whether mail will tell the player that a game has begun."""
    met: Mapping[str, int] = field(default_factory=dict)
    """With how many games behind them the players of these ids are no new opponents."""
    closed: datetime | None = None
    """When the player closed the last page; None for one who has been here since."""

    def present(self, now: datetime) -> bool:
        """Whether the player is here."""
        return is_here(self.seen, self.closed, now, within=WAITS_HERE if self.human else PRESENT)


def is_here(seen: datetime, closed: datetime | None, now: datetime, *, within: timedelta) -> bool:
    """Whether somebody who was seen then, and has closed the last page then, is here.

    >>> from datetime import UTC
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> is_here(now, None, now, within=PRESENT), is_here(now, now - GONE, now, within=PRESENT)
    (True, False)
    """
    return now - seen < within and (closed is None or now - closed < GONE)


Pair = tuple[WaitingPlayer, WaitingPlayer]


def draw_pairs(
    waiting: Collection[WaitingPlayer], now: datetime, rng: random.Random, *, house: WaitingPlayer | None = None
) -> list[Pair]:
    """The games that begin at this tick; of each pair the first is a person.

    Parameters
    ----------
    house: a machine that can play any number of games, for those who find no other.

    Two machines never play: neither could gain a rating from it. Two people who are absent are not paired: it would be a game
    that nobody plays.

    >>> from datetime import UTC
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> ann, bot = WaitingPlayer("ann", True, now, now), WaitingPlayer("bot", False, now, now)
    >>> [(one.player, other.player) for one, other in draw_pairs([ann, bot], now, random.Random(0))]
    [('ann', 'bot')]
    """
    here = [one for one in waiting if one.present(now)]
    machines = _Machines([one for one in here if not one.human], house, rng)
    pairs, left = _by_lot([one for one in here if one.human], rng)
    found: list[Pair] = []
    for pair in pairs:
        if all(one.machines_may_step_in for one in pair) and machines.enough_for(2) and rng.random() < APART:
            found += [(one, machines.take(one)) for one in pair]
        else:
            found.append(pair)
    for one in left:
        if one.machines_may_step_in and machines.enough_for(1):
            found.append((one, machines.take(one)))
        elif now - one.since >= PATIENCE and (other := _absent(one, waiting, found, now)) is not None:
            found.append((one, other))
    return found


class _Machines:
    """Those that play at this tick."""

    def __init__(self, waiting: list[WaitingPlayer], house: WaitingPlayer | None, rng: random.Random) -> None:
        self._waiting = sorted(waiting, key=lambda one: one.player)
        self._house = house
        self._rng = rng

    def enough_for(self, people: int) -> bool:
        return self._house is not None or len(self._waiting) >= people

    def take(self, person: WaitingPlayer) -> WaitingPlayer:
        """One that the person has met least, by lot among these; the house where no other is left."""
        if not self._waiting:
            assert self._house is not None
            return self._house
        chosen = _least_met(person, self._waiting, self._rng)
        self._waiting.remove(chosen)
        return chosen


def _by_lot(people: Collection[WaitingPlayer], rng: random.Random) -> tuple[list[Pair], list[WaitingPlayer]]:
    """Pairs of people, who play whom they have met least, and who is left over.

    Those who refuse machines choose first, since who is left over plays a machine.
    """
    free = sorted(people, key=lambda one: one.player)
    rng.shuffle(free)
    free.sort(key=lambda one: one.machines_may_step_in)
    pairs: list[Pair] = []
    while len(free) > 1:
        one = free.pop(0)
        other = _least_met(one, free, rng)
        free.remove(other)
        pairs.append((one, other))
    return pairs, free


def _least_met(one: WaitingPlayer, others: Iterable[WaitingPlayer], rng: random.Random) -> WaitingPlayer:
    return min(others, key=lambda other: (one.met.get(other.player, 0), rng.random()))


def _absent(one: WaitingPlayer, waiting: Iterable[WaitingPlayer], found: Iterable[Pair], now: datetime) -> WaitingPlayer | None:
    """Somebody who is not here, and whom nobody has been paired with: whom mail reaches first, then who has waited longest."""
    taken = {each.player for pair in found for each in pair}
    able = [
        other
        for other in waiting
        if other.human and not other.present(now) and other.player not in taken
        and (other.mail or (other.closed is None and now - other.seen < FORGOTTEN))
    ]  # fmt: skip
    return min(able, key=lambda other: (not other.mail, one.met.get(other.player, 0), other.since, other.player), default=None)
