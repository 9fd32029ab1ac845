"""Delays of machines' moves, drawn from the times of people, so that speed does not reveal a machine.

A move is timed from the start of its phase. It takes as long as a recent move by a person in the same phase and of about the
same length, corrected for the difference in length and slightly blurred. With fewer than `FEWEST` such moves on this site, the
time is drawn from a log-normal distribution (`PRIOR`), scaled to the few times. A machine that takes longer than its drawn time
gets a longer one; if there is none, its move is made at once. Only completed moves count, because a machine always moves. Once
the opponent has moved, times that would make them wait longer than `LONGEST_WAIT` are redrawn.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, inf, log
from typing import Final

import numpy as np
from sqlalchemy import Connection, func, literal, select

from vivavoce.luna.rules import AnswersMove, Game, GuessMove, Move, QuestionsMove
from vivavoce.web.settings import LONGEST_TICK
from vivavoce.web.tables import GAMES, SEATS

FEWEST: Final = 50
"""Fewest moves of people in a phase to draw from."""
RECENT: Final = 500
"""Most moves of people that are read, newest first."""
NEAREST: Final = 40
"""Moves of similar length among which one is drawn."""
SHRUNK: Final = 3
"""Weight of the stated distribution, in people's moves."""
SHORTEST: Final = 20
"""Characters added to the length of every text: someone who writes one word has also read and thought."""
BLUR: Final = 0.05
"""Standard deviation of the logarithm of the random factor on a drawn time."""
LONGEST_WAIT: Final = timedelta(seconds=45)
"""A player who has moved waits at most this long for a machine's move, until the next tick."""
_LONGEST_DELAY: Final = (LONGEST_WAIT - timedelta(seconds=LONGEST_TICK)).total_seconds()


@dataclass(frozen=True, slots=True)
class TimeModel:
    """Seconds of a move: (base + each · characters) · exp(spread · Z), with Z standard normal."""

    base: float
    each: float
    spread: float

    def median(self, length: int) -> float:
        """Seconds."""
        return self.base + self.each * length


PRIOR: Final = {
    "asked": TimeModel(30.0, 0.25, 0.5),
    "answered": TimeModel(40.0, 0.3, 0.5),
    "guessed": TimeModel(40.0, 0.0, 0.6),
}


@dataclass(frozen=True, slots=True)
class TimedMove:
    """A move that a person made."""

    seconds: float
    """Seconds since its phase started."""
    length: int

    @property
    def log_seconds(self) -> float:
        return log(max(self.seconds, 0.1))

    @property
    def log_length(self) -> float:
        return _log_length(self.length)


def drawn_times(c: Connection, game: Game, move: Move, now: datetime, rng: random.Random) -> tuple[float, ...]:
    """Times, in seconds of the phase, after which people would have made this move, in the order of drawing. None is shorter
    than the time that the machine has taken; if people were never that slow, the machine's own time is used.
    """
    phase = _column(move)
    passed = (now - game.since).total_seconds()
    seconds = _seconds(_people(c, phase), PRIOR[phase], _length(move), rng)
    rng.shuffle(seconds)
    return tuple(round(each, 3) for each in seconds if each >= passed) or (passed,)


def due(times: Sequence[float], since: datetime, now: datetime, waits: datetime | None) -> datetime:
    """When a machine's move is made: after the first drawn time that does not make the opponent wait too long, and not before
    `now`.

    times: of `drawn_times`.
    since: when the phase began.
    waits: since when the opponent has waited; None for one who has not moved.

    >>> from datetime import UTC
    >>> start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> moved = start + timedelta(seconds=30)
    >>> [(due((97.0, 64.0, 20.0), start, moved, waits) - start).seconds for waits in (None, moved)]
    [97, 64]
    """
    latest = inf if waits is None else (waits - since).total_seconds() + _LONGEST_DELAY
    seconds = next((each for each in times if each <= latest), latest)
    return max(since + timedelta(seconds=seconds), now)


def _seconds(people: Sequence[TimedMove], prior: TimeModel, length: int, rng: random.Random) -> list[float]:
    """Times of moves of this length."""
    if len(people) < FEWEST:
        off = sum(person.log_seconds - log(prior.median(person.length)) for person in people)  # from the stated times
        median = prior.median(length) * exp(off / (len(people) + SHRUNK))
        return [median * exp(prior.spread * rng.gauss(0, 1)) for _ in range(NEAREST)]
    power = _power(people)
    near = sorted(people, key=lambda move: abs(move.log_length - _log_length(length)))[:NEAREST]
    return [exp(move.log_seconds + power * (_log_length(length) - move.log_length) + BLUR * rng.gauss(0, 1)) for move in near]


def _power(people: Sequence[TimedMove]) -> float:
    """The exponent by which time grows with length: least squares, from 0 to 1."""
    lengths, seconds = (
        np.array(values) for values in zip(*((person.log_length, person.log_seconds) for person in people), strict=True)
    )
    spread = float(np.var(lengths))
    if spread < 1e-9:  # all have the same length, up to rounding
        return 0.0
    return min(max(float(np.cov(lengths, seconds, bias=True)[0, 1]) / spread, 0.0), 1.0)


def _log_length(length: int) -> float:
    return log(length + SHORTEST)


def _people(c: Connection, phase: str) -> list[TimedMove]:
    """The last moves of people in this phase, without those of replacement machines."""
    own, other = SEATS.alias("own"), SEATS.alias("other")
    length = func.length(own.c[_TEXTS[phase]]) if phase in _TEXTS else literal(0)
    columns = (GAMES.c.begun, own.c[phase], length, *(seat.c[time] for seat in (own, other) for time in _TIMES))
    rows = (
        select(*columns)
        .join(own, own.c.game == GAMES.c.id)
        .join(other, (other.c.game == GAMES.c.id) & (other.c.place != own.c.place))
        .where(own.c.human, own.c[phase].is_not(None))
        .where(own.c.taken_over.is_(None) | (own.c[phase] < own.c.taken_over))
        .order_by(GAMES.c.begun.desc())
        .limit(RECENT)
    )
    result = []
    for begun, moved, characters, *times in c.execute(rows):
        since = _began(phase, begun, times)
        if since is not None:
            result.append(TimedMove((moved - since).total_seconds(), characters or 0))
    return result


_TEXTS: Final = {"asked": "questions", "answered": "answers"}
_TIMES: Final = ("asked", "answered")
_BEFORE: Final = {"asked": (), "answered": (0, 2), "guessed": (1, 3)}
"""Indices of both players' times that start a phase."""


def _began(phase: str, begun: datetime, times: Sequence[datetime | None]) -> datetime | None:
    before = [times[index] for index in _BEFORE[phase]]
    known = [time for time in before if time is not None]
    return max(known, default=begun) if len(known) == len(before) else None


def _column(move: Move) -> str:
    match move:
        case QuestionsMove():
            return "asked"
        case AnswersMove():
            return "answered"
        case GuessMove():
            return "guessed"


def _length(move: Move) -> int:
    """Length of a move, as the tables measure it."""
    match move:
        case QuestionsMove(texts) | AnswersMove(texts):
            return len(json.dumps(texts))
        case GuessMove():
            return 0
