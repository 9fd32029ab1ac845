"""Pairs waiting players at common ticks in one random draw, so that the start of a game does not reveal the opponent's kind.

An arrival never starts a game; the next tick does, for people and machines alike. At a tick, present people are paired in
random order, each with the person met least often. Each pair is then split with probability `APART`, and both play machines
instead, if two are available. A person left over plays a machine too. So a lone person always gets a machine, and with n
people the chance of a machine is 1/2, or 1/2 + 1/2n for an odd n. Players do not learn who is waiting, so this chance is all
that they know. People who refuse machines are paired with people only, and the page tells them so.

If no machine is available, a person who has waited long enough plays an absent person, preferably one who gets mail. A person
who has closed the page and gets no mail keeps waiting, and is paired after returning.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

PRESENT: Final = timedelta(minutes=2)
"""A player seen within this time counts as present."""
WAITS_HERE: Final = timedelta(seconds=45)
"""The same for waiting people. Their page reports every half minute, with a script (its stream) or without one (by
reloading)."""
GONE: Final = timedelta(seconds=5)
"""A player who closed the last page this long ago is absent. A change of page closes a stream and opens the next."""
PATIENCE: Final = timedelta(seconds=30)
"""After this wait without any machine, a person plays an absent person."""
FORGOTTEN: Final = timedelta(days=1)
"""A waiting player who was not seen for this long is no longer paired, unless they get mail."""
APART: Final = 0.5
"""The chance that a pair of people is split, and both play machines."""


@dataclass(frozen=True, slots=True)
class WaitingPlayer:
    """A player who waits for a game."""

    player: str
    human: bool
    since: datetime
    seen: datetime
    """When the player was last present."""
    machines_may_step_in: bool = True
    mail: bool = False
    """Whether the player gets a mail when a game begins."""
    met: Mapping[str, int] = field(default_factory=dict)
    """The number of games played with each earlier opponent, by id."""
    closed: datetime | None = None
    """When the player closed the last page; None if still open."""

    def present(self, now: datetime) -> bool:
        """Whether the player is present."""
        return is_here(self.seen, self.closed, now, within=WAITS_HERE if self.human else PRESENT)


def is_here(seen: datetime, closed: datetime | None, now: datetime, *, within: timedelta) -> bool:
    """Whether a player last seen at `seen`, who closed the last page at `closed`, is present.

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
    """The games that begin at this tick; the first of each pair is a person.

    Parameters
    ----------
    house: a machine that can play any number of games, for people without another opponent.

    Two machines never play each other, since neither could gain a rating. Two absent people are not paired, since neither would
    play.

    >>> from datetime import UTC
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> ann, bot = WaitingPlayer("ann", True, now, now), WaitingPlayer("bot", False, now, now)
    >>> [(one.player, other.player) for one, other in draw_pairs([ann, bot], now, random.Random(0))]
    [('ann', 'bot')]
    """
    here = [player for player in waiting if player.present(now)]
    machines = _Machines([player for player in here if not player.human], house, rng)
    pairs, left = _by_lot([player for player in here if player.human], rng)
    games: list[Pair] = []
    for pair in pairs:
        if all(person.machines_may_step_in for person in pair) and machines.enough_for(2) and rng.random() < APART:
            games += [(person, machines.take(person)) for person in pair]
        else:
            games.append(pair)
    for person in left:
        if person.machines_may_step_in and machines.enough_for(1):
            games.append((person, machines.take(person)))
        elif now - person.since >= PATIENCE and (opponent := _absent(person, waiting, games, now)) is not None:
            games.append((person, opponent))
    return games


class _Machines:
    """The machines that play at this tick."""

    def __init__(self, waiting: list[WaitingPlayer], house: WaitingPlayer | None, rng: random.Random) -> None:
        self._waiting = sorted(waiting, key=lambda player: player.player)
        self._house = house
        self._rng = rng

    def enough_for(self, people: int) -> bool:
        return self._house is not None or len(self._waiting) >= people

    def take(self, person: WaitingPlayer) -> WaitingPlayer:
        """A random one of those that the person has met least; the site's own machine if no one else is left."""
        if not self._waiting:
            assert self._house is not None
            return self._house
        chosen = _least_met(person, self._waiting, self._rng)
        self._waiting.remove(chosen)
        return chosen


def _by_lot(people: Collection[WaitingPlayer], rng: random.Random) -> tuple[list[Pair], list[WaitingPlayer]]:
    """Pairs of people who have met least, and the people left over.

    People who refuse machines choose first, since a person left over plays a machine.
    """
    free = sorted(people, key=lambda person: person.player)
    rng.shuffle(free)
    free.sort(key=lambda chooser: chooser.machines_may_step_in)
    pairs: list[Pair] = []
    while len(free) > 1:
        chooser = free.pop(0)
        other = _least_met(chooser, free, rng)
        free.remove(other)
        pairs.append((chooser, other))
    return pairs, free


def _least_met(person: WaitingPlayer, others: Iterable[WaitingPlayer], rng: random.Random) -> WaitingPlayer:
    return min(others, key=lambda other: (person.met.get(other.player, 0), rng.random()))


def _absent(
    person: WaitingPlayer, waiting: Iterable[WaitingPlayer], games: Iterable[Pair], now: datetime
) -> WaitingPlayer | None:
    """An absent, unpaired person: first those who get mail, then those met least often, then those who have waited longest."""
    taken = {each.player for pair in games for each in pair}
    able = [
        other
        for other in waiting
        if other.human and not other.present(now) and other.player not in taken
        and (other.mail or (other.closed is None and now - other.seen < FORGOTTEN))
    ]  # fmt: skip
    return min(
        able, key=lambda other: (not other.mail, person.met.get(other.player, 0), other.since, other.player), default=None
    )
