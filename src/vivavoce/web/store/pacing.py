"""How long a person would have taken: a machine's move is held back for so long, so that its speed tells nothing.

A move is timed from when its phase began. The time is that of a move by a person in the same phase and of about the same
length, drawn among the last ones of this site, corrected for what is left of the difference in length, and blurred a little.
As long as fewer than `FEWEST` people have made that move here, it is drawn from a log-normal distribution (`PRIOR`), which is
scaled to what the few have taken. Of the people who came to that phase some never moved, and some resigned: as many machines
do so, when people do, and their games end as those of people do. So do those of machines that are never ready, as many as
people who are not. A machine that comes later than the time that was drawn gets another one, among those
that are as long as it took; if there is none, its move is made at once.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, log
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, Row, func, literal, select

from vivavoce.luna.rules import Answered, Asked, Game, Guessed, Move, Place
from vivavoce.web.tables import GAMES, SEATS

FEWEST: Final = 50
"""Moves of people in a phase that are enough to draw from."""
RECENT: Final = 500
"""Seats of people that are looked at, the newest ones."""
NEAREST: Final = 40
"""Moves, of those that are nearest in length, among which one is drawn."""
SHRUNK: Final = 3
"""The stated distribution counts as much as so many people's moves."""
SHORTEST: Final = 20
"""Characters that every text is taken to have besides its own: who writes one word has read and thought, too."""
BLUR: Final = 0.05
"""Standard deviation of the logarithm of what a drawn time is multiplied by."""
LEAVE: Final = 0.03
"""Of the people who come to a phase, the share that never moves, where too few have come."""
RESIGN: Final = 0.02
"""The share that resigns in it, where too few have come."""
ABSENT: Final = 0.05
"""Of the people who are paired, the share that is not ready in time, where too few were."""
FEWEST_RESIGNED: Final = 20
"""Of people in any phase, whose times are enough to draw from."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Seconds of a move: (base + each · characters) · exp(spread · Z), with Z standard normal."""

    base: float
    each: float
    spread: float

    def median(self, length: int) -> float:
        """Seconds."""
        return self.base + self.each * length


PRIOR: Final = {"asked": Prior(30.0, 0.25, 0.5), "answered": Prior(40.0, 0.3, 0.5), "guessed": Prior(40.0, 0.0, 0.6)}


RESIGNING: Final = Prior(45.0, 0.0, 1.0)
"""After how many seconds of a phase somebody resigns, where too few have."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a machine does in place of a person."""

    due: datetime
    """The game's end, or later, for one that never moves."""
    resigns: bool = False
    """Whether it resigns then, and does not move."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What a person did in a phase."""

    seconds: float | None
    """None for one who never moved."""
    length: int
    resigned: bool = False
    """Whether that was to resign, or to leave the site."""

    @property
    def log_seconds(self) -> float:
        assert self.seconds is not None
        return log(max(self.seconds, 0.1))

    @property
    def log_length(self) -> float:
        return _log_length(self.length)


def drawn(c: Connection, game: Game, place: Place, move: Move, now: datetime, rng: random.Random) -> Drawn:
    """When a person would have made this move, or have resigned."""
    if game.seats[place].ready is None:
        return Drawn(game.expires)
    phase = _column(move)
    people = _people(c, phase)
    known = len(people) >= FEWEST
    stayed = [one for one in people if one.seconds is not None and not one.resigned]
    gave_up = sum(one.resigned for one in people)
    never = (len(people) - len(stayed) - gave_up) / len(people) if known else LEAVE
    resigning = gave_up / len(people) if known else RESIGN
    passed = (now - game.since).total_seconds()
    lot = rng.random()
    if lot < never:
        return Drawn(game.expires)
    resigns = lot < never + resigning
    seconds = _resigning(c, passed, rng) if resigns else _seconds(stayed, PRIOR[phase], _length(move), passed, rng)
    return Drawn(game.since + timedelta(seconds=max(passed, seconds)), resigns)


def comes(c: Connection, rng: random.Random) -> bool:
    """Whether a machine that is paired is ready in time, as people are."""
    own = SEATS.c.human & (GAMES.c.begun < SEATS.c.ready)
    absent = SEATS.c.human & SEATS.c.ready.is_(None) & (GAMES.c.ending == "not ready")
    rows = select(SEATS.c.ready.is_(None)).join(GAMES, GAMES.c.id == SEATS.c.game).where(own | absent)
    found = c.execute(rows.order_by(GAMES.c.begun.desc()).limit(RECENT)).scalars().all()
    return rng.random() >= (sum(found) / len(found) if len(found) >= FEWEST else ABSENT)


def _resigning(c: Connection, passed: float, rng: random.Random) -> float:
    """After how many seconds of a phase somebody resigns."""
    known = [one.seconds for phase in PRIOR for one in _people(c, phase) if one.resigned and one.seconds is not None]
    if len(known) >= FEWEST_RESIGNED:
        times = [seconds * exp(BLUR * rng.gauss(0, 1)) for seconds in known]
    else:
        times = [RESIGNING.base * exp(RESIGNING.spread * rng.gauss(0, 1)) for _ in range(NEAREST)]
    return rng.choice([seconds for seconds in times if seconds >= passed] or [passed])


def _seconds(people: Sequence[Timed], prior: Prior, length: int, passed: float, rng: random.Random) -> float:
    """A time that a move of this length takes; a longer one where it has taken long already, if there is one."""
    if len(people) < FEWEST:
        median = prior.median(length) * exp(sum(_off(one, prior) for one in people) / (len(people) + SHRUNK))
        drawn = [median * exp(prior.spread * rng.gauss(0, 1)) for _ in range(NEAREST)]
    else:
        power = _power(people)
        near = sorted(people, key=lambda one: abs(one.log_length - _log_length(length)))[:NEAREST]
        drawn = [exp(one.log_seconds + power * (_log_length(length) - one.log_length) + BLUR * rng.gauss(0, 1)) for one in near]
    chosen = rng.choice(drawn)
    return chosen if chosen >= passed else rng.choice([seconds for seconds in drawn if seconds >= passed] or [passed])


def _off(one: Timed, prior: Prior) -> float:
    """By how much longer a person took than is stated, as a logarithm."""
    return one.log_seconds - log(prior.median(one.length))


def _power(people: Sequence[Timed]) -> float:
    """By which power of their length moves take longer: least squares, from 0 to 1."""
    lengths, seconds = (np.array(values) for values in zip(*((one.log_length, one.log_seconds) for one in people), strict=True))
    spread = float(np.var(lengths))
    return min(max(float(np.cov(lengths, seconds, bias=True)[0, 1]) / spread, 0.0), 1.0) if spread > 0 else 0.0


def _log_length(length: int) -> float:
    return log(length + SHORTEST)


def _people(c: Connection, phase: str) -> list[Timed]:
    """What the last people who came to this phase did in it."""
    own, other = SEATS.alias("own"), SEATS.alias("other")
    length = func.length(own.c[_TEXTS[phase]]) if phase in _TEXTS else literal(0)
    by_own = GAMES.c.ended_by.is_(None) | (GAMES.c.ended_by == own.c.place)
    columns = (
        *(GAMES.c.begun, GAMES.c.expires, GAMES.c.state, GAMES.c.ending, by_own.label("by_own"), own.c.taken_over),
        *(own.c[phase].label("moved"), length.label("length"), *(seat.c[time] for seat in (own, other) for time in _TIMES)),
    )
    rows = (
        select(*columns)
        .join(own, own.c.game == GAMES.c.id)
        .join(other, (other.c.game == GAMES.c.id) & (other.c.place != own.c.place))
        .where(own.c.human)
        .order_by(GAMES.c.begun.desc())
        .limit(RECENT)
    )
    found = (_timed(phase, row, row[-2 * len(_TIMES) :]) for row in c.execute(rows))
    return [one for one in found if one is not None]


def _timed(phase: str, row: Row[Any], times: Sequence[datetime | None]) -> Timed | None:
    """What this person did in a phase; None for who did not come to it, or whose game ended there by the other."""
    since = _began(phase, row.begun, times)
    if since is None:
        return None
    gone = row.taken_over or (row.expires if row.state == "expired" and row.by_own else None)
    following = _NEXT.get(phase)
    later = None if following is None else _began(following, row.begun, times)
    if gone is not None and row.ending in _LEFT and since <= gone and (later is None or gone < later):
        return Timed((gone - since).total_seconds(), row.length or 0, resigned=True)
    if row.moved is not None and (row.taken_over is None or row.moved < row.taken_over):
        return Timed((row.moved - since).total_seconds(), row.length or 0)
    never = gone is not None and since <= gone and row.ending in ("time", None)
    return Timed(None, 0) if never else None


_TEXTS: Final = {"asked": "questions", "answered": "answers"}
_TIMES: Final = ("asked", "answered")
_NEXT: Final = {"asked": "answered", "answered": "guessed"}
_LEFT: Final = ("resigned", "left")
_BEFORE: Final = {"asked": (), "answered": (0, 2), "guessed": (1, 3)}
"""Of the times asked and answered of both players, those by which a phase has begun."""


def _began(phase: str, begun: datetime, times: Sequence[datetime | None]) -> datetime | None:
    before = [times[place] for place in _BEFORE[phase]]
    known = [time for time in before if time is not None]
    return max(known, default=begun) if len(known) == len(before) else None


def _column(move: Move) -> str:
    match move:
        case Asked():
            return "asked"
        case Answered():
            return "answered"
        case Guessed():
            return "guessed"


def _length(move: Move) -> int:
    """As the tables measure it."""
    match move:
        case Asked(texts) | Answered(texts):
            return len(json.dumps(texts))
        case Guessed():
            return 0
