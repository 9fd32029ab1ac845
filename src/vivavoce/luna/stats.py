"""The figures of a site, of those in silver2016, section 6.3: counted from finished games and from what each player did.

Not its traffic (sessions, page views, returning visitors, referrers), which no site here records, nor the numbers of different
questions and responses, nor the scatter of its Figure 6.5.

Where the thesis leaves it open: the length of a response is the characters of all five answers of a player, beside the one
guess that they led to; the spread of ratings (its Figure 6.6) is the standard deviation of the guesses that a player received.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import inf, sqrt
from typing import Final, Protocol

import numpy as np
from scipy.special import bdtr

from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.asked import AskedQuestion
from vivavoce.luna.correlation import UNKNOWN, clustered_correlation
from vivavoce.luna.identification import JudgingSeat, identifications
from vivavoce.luna.identification_finding import identified
from vivavoce.luna.rules import HIGHEST
from vivavoce.luna.spread import SpreadAt
from vivavoce.luna.stats_finding import LunaStatistics, MachineFigures
from vivavoce.statistics.clustered import mean_interval, share_interval

BINS: Final = tuple(range(0, 101, 10))
"""Of the histogram; the last bin has 100 in it."""


class FinishedSeat(JudgingSeat, Protocol):
    """One player's part of a finished game."""

    @property
    def guess(self) -> float: ...


class FinishedGame(Protocol):
    """A finished game."""

    @property
    def seats(self) -> tuple[FinishedSeat, FinishedSeat]: ...


class Visitor(Protocol):
    """What one player did."""

    @property
    def kind(self) -> str: ...
    @property
    def came(self) -> date: ...
    @property
    def games_begun(self) -> int: ...
    @property
    def games_finished(self) -> int: ...
    @property
    def guesses(self) -> int: ...
    @property
    def rating(self) -> float | None: ...


def statistics(
    games: Iterable[FinishedGame], visitors: Sequence[Visitor], *, questions: Sequence[AskedQuestion] = (), site: str = ""
) -> LunaStatistics:
    """The figures of a site.

    Parameters
    ----------
    games: those that may be looked into; what rests on texts and guesses rests on them alone.
    visitors: everybody who came, also those who have left.
    questions: what the marks in these games say about each question, those with most marks first.
    site: its name or address, for the signature.

    >>> statistics([], []).statement
    'Nobody has come yet.'
    """
    seats = [(own, other) for game in games for own, other in (game.seats, game.seats[::-1])]
    people = [one for one in visitors if one.kind != "machine"]
    ratings = [one.rating for one in people if one.rating is not None]
    begun = sum(one.games_begun for one in visitors) // 2  # two seats a game
    finished = sum(one.games_finished for one in visitors) // 2
    received = _received(seats)
    by_people = [pair for pair in seats if pair[1].kind != "machine" and not pair[1].voided]
    return LunaStatistics(
        site=site,
        players=dict(sorted(Counter(one.kind for one in visitors).items())),
        newcomers=tuple(sorted(Counter(one.came for one in people).items())),
        games_begun=begun,
        games_finished=finished,
        share_finished=_share(finished, begun),
        games_per_person=_mean([float(one.games_finished) for one in people]),
        median_games=_median([float(one.games_finished) for one in people]),
        rating=_mean(ratings, most=HIGHEST),
        median_rating=_median(ratings),
        histogram=_histogram(ratings),
        machines=_machines(received),
        games_looked_into=len(seats) // 2,
        length_and_guess=_lengths([pair for pair in by_people if pair[0].kind != "machine"]),
        length_and_guess_with_machines=_lengths(by_people),
        questions=tuple(questions),
        spread=spread_by_number([guesses for (_, machine), guesses in received.items() if not machine]),
        identified=identified(identifications(seats)),
    )


def spread_by_number(received: Iterable[Sequence[float]]) -> tuple[SpreadAt, ...]:
    """For each number of guesses from two on: how far the guesses of a person lie apart, over the persons with this many.

    Parameters
    ----------
    received: the guesses that each person received.

    >>> [(one.games, one.deviation.value, one.deviation.n) for one in spread_by_number([[60.0, 62.0, 64.0], [50.0]])]
    [(3, 2.0, 1)]
    """
    by_number: dict[int, list[float]] = defaultdict(list)
    for guesses in received:
        if len(guesses) > 1:
            by_number[len(guesses)].append(float(np.std(guesses, ddof=1)))
    return tuple(
        SpreadAt(
            games=number,
            deviation=_mean(deviations),
            between=float(np.std(deviations, ddof=1)) if len(deviations) > 1 else None,
            error=float(np.mean(deviations)) / sqrt(number),
        )
        for number, deviations in sorted(by_number.items())
    )


def _lengths(pairs: Sequence[tuple[FinishedSeat, FinishedSeat]]) -> Estimate:
    """Between characters of all answers and the guess that followed, where the texts may be looked at."""
    seen = [(sum(map(len, own.answers)), other.guess, (own.player, other.player)) for own, other in pairs if own.answers]
    lengths, guesses, players = zip(*seen, strict=True) if seen else ((), (), ())
    return clustered_correlation(lengths, guesses, players)


def _received(seats: Sequence[tuple[FinishedSeat, FinishedSeat]]) -> Mapping[tuple[str, bool], list[float]]:
    """What people guessed of each player, who is named with whether it is a machine."""
    found: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for own, other in seats:
        if other.kind != "machine" and not other.voided:
            found[own.player, own.kind == "machine"].append(other.guess)
    return found


def _machines(received: Mapping[tuple[str, bool], list[float]]) -> tuple[MachineFigures, ...]:
    found = [
        MachineFigures(player, _mean(guesses, most=HIGHEST), min(guesses), max(guesses))
        for (player, machine), guesses in received.items()
        if machine
    ]
    return tuple(sorted(found, key=lambda one: (-(one.rating.value or 0.0), one.player)))


def _histogram(ratings: Sequence[float]) -> tuple[int, ...]:
    if not ratings:
        return (0,) * len(list(pairwise(BINS)))
    return tuple(int(number) for number in np.histogram(ratings, bins=BINS)[0])


def _share(hits: int, n: int) -> Estimate:
    if not n:
        return Estimate(None, Interval(0.0, 1.0), 0)
    bounds = share_interval([number < hits for number in range(n)], [()] * n, confidence=CONFIDENCE)
    return Estimate(hits / n, Interval(*bounds), n)


def _mean(values: Sequence[float], *, most: float = inf) -> Estimate:
    """Of numbers from 0 to `most`, by Student's t; no interval where all are the same: how they vary is then not known."""
    if not values:
        return Estimate(None, UNKNOWN, 0)
    mean = float(np.mean(values))
    if len(values) < 2 or np.ptp(values) == 0:
        return Estimate(mean, UNKNOWN, len(values))
    lower, upper = mean_interval(values, [()] * len(values), confidence=CONFIDENCE)
    return Estimate(mean, Interval(max(0.0, lower), min(most, upper)), len(values))


def _median(values: Sequence[float]) -> Estimate:
    """With the interval between two order statistics, which holds for any distribution; it takes six values at least."""
    n = len(values)
    if not n:
        return Estimate(None, UNKNOWN, 0)
    chances = bdtr(np.arange(n + 1), n, 0.5)  # of so few values below the median
    place, ordered = int(np.searchsorted(chances, (1 - CONFIDENCE) / 2, side="right")) - 1, sorted(values)
    interval = Interval(ordered[place], ordered[n - 1 - place]) if place >= 0 else UNKNOWN
    return Estimate(float(np.median(ordered)), interval, n)
