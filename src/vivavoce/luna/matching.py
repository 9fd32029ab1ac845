"""Whom to pair with whom, so that games do not stall (the thesis' users named stalled games as the worst part).

Somebody who is here and quick comes first. A machine steps in only for those who allow it, and only after their patience has
run out: it differs from one to the other, so that how long somebody waited does not tell who the other player is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

PRESENT: Final = timedelta(minutes=2)
"""Who was seen within this time is taken to be here."""
LONGEST_PATIENCE: Final = timedelta(seconds=30)
"""Nobody waits longer than this for a machine, or for somebody who is not here."""
FORGOTTEN: Final = timedelta(days=1)
"""Who waits and was not seen for this long is not paired any more, unless mail reaches them."""
UNKNOWN_SPEED: Final = 300.0
"""Seconds a move of somebody who has not moved yet: a little slower than most who are here."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who waits for a game."""

    player: str
    human: bool
    since: datetime
    seen: datetime
    """When the player was here last."""
    patience: timedelta = LONGEST_PATIENCE
    """After which a machine, or somebody who is not here, will do."""
    seconds_a_move: float | None = None
    """On average; None before the first move."""
    machines_may_step_in: bool = True
    mail: bool = False
    """Whether mail will tell the player that a game has begun."""
    met: Mapping[str, int] = field(default_factory=dict)
    """With how many games behind them the players of these ids are no new opponents."""

    def present(self, now: datetime) -> bool:
        """Whether the player is here."""
        return now - self.seen < PRESENT

    def patient(self, now: datetime) -> bool:
        """Whether the player still waits for somebody better."""
        return now - self.since < self.patience


def partner(seeker: Waiting, others: Collection[Waiting], now: datetime) -> Waiting | None:
    """The best opponent for somebody who is here and wants to play; None: wait.

    People who are here come first. Once the seeker's patience has run out a machine will do, if the seeker allows it, and after
    it somebody who is not here, those first whom mail reaches. Among equals: whom the seeker has met least, who moves
    fastest, who has waited longest. Two machines never play: neither could gain a rating from it.

    >>> from datetime import UTC
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> ann, bot = Waiting("ann", True, now, now), Waiting("bot", False, now, now)
    >>> partner(ann, [bot], now) is None, partner(ann, [bot], now + LONGEST_PATIENCE).player
    (True, 'bot')
    """
    able = [(_class(seeker, other, now), other) for other in others]
    ranked = [(*_rank(seeker, other, grade), other) for grade, other in able if grade is not None]
    return min(ranked, key=lambda entry: entry[:-1])[-1] if ranked else None


def pairs(waiting: Collection[Waiting], now: datetime) -> list[tuple[Waiting, Waiting]]:
    """All who can be paired at this time; who is here and has waited longest chooses first.

    Two people who are absent are not paired: it would be a game that nobody plays.
    """
    free = {one.player: one for one in waiting}
    made = []
    for seeker in sorted(waiting, key=lambda one: (one.since, one.player)):
        if seeker.player not in free or not seeker.human or not seeker.present(now):
            continue
        found = partner(seeker, [one for one in free.values() if one.player != seeker.player], now)
        if found is not None:
            made.append((seeker, found))
            del free[seeker.player], free[found.player]
    return made


def _class(seeker: Waiting, other: Waiting, now: datetime) -> int | None:
    """0 for the most welcome; None for whom the seeker is not paired with, or not yet."""
    if other.player == seeker.player or not (seeker.human or other.human):
        return None
    here = other.present(now)
    if seeker.human and other.human and here:
        return 0
    person = seeker if seeker.human else other
    if not (seeker.human and other.human) and not person.machines_may_step_in:
        return None
    if person.patient(now):
        return None
    if here:
        return 1
    if not (seeker.human and other.human):
        return None  # a machine is for those who are here, and only while it is here itself
    return 2 if other.mail else 3 if now - other.seen < FORGOTTEN else None


def _rank(seeker: Waiting, other: Waiting, grade: int) -> tuple[int, int, float, datetime, str]:
    speed = UNKNOWN_SPEED if other.seconds_a_move is None else other.seconds_a_move
    return grade, seeker.met.get(other.player, 0), speed, other.since, other.player
