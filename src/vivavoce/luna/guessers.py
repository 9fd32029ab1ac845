"""The ladder of guessing skill, and flags on guessers who seem to follow a rule instead of reading the answers.

Each finished game between two players who both had a rating is a match; the nearer guess wins, as in the game. The ladder is
`weng2011`'s, from the package `openskill`: a normal belief about each player's skill with mean `mu` and deviation `sigma`.
Players are ordered by `mu - 3 sigma`, which only more games can raise.

The rules are: always the same, always 0, the mean of all ratings, or another player's rating (silver2016, section 3.2).

For each rule, the module compares how many of a player's guesses follow it with how many of other players' guesses do. It
compares guesses about the same targets, since an honest guess about a babbling machine is 0 too. Each guess has its own chance;
many hits are no likelier than with the mean of these chances (`hoeffding1956`), so the binomial tail errs on the safe side.
Repeated guesses about the same player are left out. Holm's correction covers all players and rules.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import MissingExtra
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.ratings import Guesses, Indices
from vivavoce.luna.rules import LOWEST
from vivavoce.statistics.betting import Floats

TIE: Final = 1e-9
"""Distances tie within this many points: sums in another order differ in their last digits."""


@dataclass(frozen=True, slots=True)
class SkillRung:
    """A player's place on the skill ladder."""

    player: int
    """The player's number."""
    mu: float
    sigma: float
    matches: int
    nearer: int
    """Matches won."""

    @property
    def standing(self) -> float:
        """The order of the ladder: almost surely not above the skill."""
        return self.mu - 3 * self.sigma


def ratings_before(games: LunaGames) -> Floats:
    """For each guess, the published rating of its target before the game; NaN for a newcomer.

    >>> from vivavoce.luna.ratings import Guesses
    >>> guesses = Guesses([0, 1, 2, 1], [1, 0, 1, 2], [60.0, 80.0, 70.0, 40.0], [0, 0, 1, 1], players=3)
    >>> ratings_before(LunaGames(("a", "b", "c"), guesses, np.ones(4, dtype=bool), frozenset())).tolist()
    [nan, nan, 60.0, nan]
    """
    ratings = np.full(len(games.guesses), np.nan)
    for places, sums, counts in games.replayed():
        for index in places:
            target = games.guesses.target[index]
            if counts[target]:
                ratings[index] = sums[target] / counts[target]
    return ratings


def matches(games: LunaGames) -> list[tuple[int, int, int]]:
    """For each match: first player, second player, and 1, 0 or -1 if the first was nearer, tied or further off."""
    guesses = games.guesses
    distance = np.abs(guesses.value - ratings_before(games))
    results = []
    for index in range(len(guesses) - 1):
        together = guesses.game[index] == guesses.game[index + 1]
        if together and not np.isnan(distance[index] + distance[index + 1]):
            gap = float(distance[index + 1] - distance[index])
            won = 0 if abs(gap) <= TIE else (1 if gap > 0 else -1)
            results.append((int(guesses.guesser[index]), int(guesses.guesser[index + 1]), won))
    return results


def ladder(games: LunaGames) -> list[SkillRung]:
    """All players with a match, best first.

    Raises `MissingExtra` where `openskill` is not installed.
    """
    try:
        from openskill.models import PlackettLuce, PlackettLuceRating
    except ModuleNotFoundError:
        raise MissingExtra("openskill", extra="luna") from None
    model = PlackettLuce()
    skills: dict[int, PlackettLuceRating] = {}
    played: dict[int, int] = {}
    won: dict[int, int] = {}
    for first, second, result in matches(games):
        pair = [[skills.setdefault(player, model.rating())] for player in (first, second)]
        ranks = {1: [1.0, 2.0], 0: [1.0, 1.0], -1: [2.0, 1.0]}[result]
        (new_first,), (new_second,) = model.rate(pair, ranks=ranks)
        skills[first], skills[second] = new_first, new_second
        for player, nearer in ((first, result > 0), (second, result < 0)):
            played[player] = played.get(player, 0) + 1
            won[player] = won.get(player, 0) + nearer
    rungs = [SkillRung(player, skill.mu, skill.sigma, played[player], won[player]) for player, skill in skills.items()]
    return sorted(rungs, key=lambda rung: (-rung.standing, rung.player))


Truths = NDArray[np.bool_]

RULES: Final[Mapping[str, str]] = {
    "constant": "nearly always guesses the same",
    "minimum": "nearly always guesses 0",
    "mean": "guesses the mean of all ratings",
    "quantile": "guesses another player's rating",
}
ALPHA: Final = 0.01
"""The chance of any false flag in a set of games, by Holm's rule (`holm1979`)."""
FEWEST: Final = 5
"""The fewest targets of a player who is checked."""
MOST_OF: Final = 0.5
"""The share of guesses that must follow the rule. People who like round numbers differ from others too, but are honest."""
NEAR: Final = 0.5
"""Points within which a guess is the same, the minimum, or the mean."""
EXACT: Final = 0.005
"""Points within which a guess equals another player's rating."""
BORROWED: Final = 3.0
"""Average guesses added to other players' guesses about a target, which may be few."""


@dataclass(frozen=True, slots=True)
class GuesserFlag:
    """A player who seems to follow a rule, with the evidence."""

    player: int
    """The player's number."""
    rule: str
    """A name of `RULES`."""
    n: int
    """Targets of the player's guesses."""
    hits: int
    """Guesses that follow the rule."""
    base: float
    """How often other players' guesses about the same targets follow it."""
    p: float
    """The chance of this many hits by an average guesser."""
    adjusted: float
    """The p-value after Holm's correction over all players and rules."""
    value: float | None = None
    """The value of a constant guesser."""


def flags(games: LunaGames) -> list[GuesserFlag]:
    """Players to check, strongest evidence first, people and machines alike. A flag is a reason to look, not a proof.

    Rules about ratings are visible only if ratings differ enough from round numbers. Quantile guessing with a value between two
    ratings, as in the simulations, looks like honest guessing. A player who always guesses about the mean of all ratings is
    flagged as constant too.
    """
    looked = examined(games)
    order = sorted(range(len(looked)), key=lambda position: looked[position].p)
    flagged: list[GuesserFlag] = []
    adjusted = 0.0
    for rank, position in enumerate(order):
        candidate = looked[position]
        adjusted = max(adjusted, min(1.0, candidate.p * (len(looked) - rank)))
        if adjusted <= ALPHA and candidate.hits >= MOST_OF * candidate.n:
            flagged.append(replace(candidate, adjusted=adjusted))
    return flagged


def examined(games: LunaGames) -> list[GuesserFlag]:
    """Every player with enough guesses, by every rule, without any correction."""
    pairs = games.guesses.guesser * games.guesses.players + games.guesses.target
    first = np.sort(np.unique(pairs, return_index=True)[1])  # each player's first guess about each other player
    guesses = games.guesses.taken(first)
    hit = {rule: hits[first] for rule, hits in _following(games).items()}
    flags = _constant(guesses)
    for rule, hits in hit.items():
        flags += _flags(rule, guesses, hits)
    return sorted(flags, key=lambda flag: flag.player)


def _following(games: LunaGames) -> dict[str, Truths]:
    """For each rule except the constant one: which guesses follow it, by the ratings before each game."""
    guesses = games.guesses
    mean, quantile = (np.zeros(len(guesses), dtype=bool) for _ in range(2))
    ratings = PublishedRatings(guesses.players)
    for places in games.places():
        for index in places:
            value = float(guesses.value[index])
            mean[index] = ratings.known > 1 and abs(value - ratings.total / ratings.known) <= NEAR
            quantile[index] = ratings.of_another(value, int(guesses.target[index]))
        for index in places:
            if games.by_human[index]:
                ratings.add(int(guesses.target[index]), float(guesses.value[index]))
    return {"minimum": guesses.value <= LOWEST + NEAR, "mean": mean, "quantile": quantile}


class PublishedRatings:
    """The ratings of all players at one time, indexed by value: finding those equal to a guess needs no scan of all players."""

    def __init__(self, players: int) -> None:
        self.known = 0
        """Players with a rating."""
        self.total = 0.0
        """Sum of all ratings."""
        self._sums, self._counts = [0.0] * players, [0] * players
        self._near: defaultdict[int, Counter[float]] = defaultdict(Counter)
        """The players of each rating, by multiples of `EXACT`."""

    def add(self, player: int, guess: float) -> None:
        """Count a guess about a player."""
        if self._counts[player]:
            rating = self._sums[player] / self._counts[player]
            self.total -= rating
            self._near[int(rating // EXACT)][rating] -= 1
        else:
            self.known += 1
        self._sums[player] += guess
        self._counts[player] += 1
        rating = self._sums[player] / self._counts[player]
        self.total += rating
        self._near[int(rating // EXACT)][rating] += 1

    def of_another(self, value: float, target: int) -> bool:
        """Whether the value is the rating of a player other than the target, of several."""
        counted = self._counts[target]
        if self.known - bool(counted) < 2:
            return False
        own = self._sums[target] / counted if counted else None
        bucket = int(value // EXACT)
        return any(
            players > (rating == own) and abs(rating - value) <= EXACT
            for near in range(bucket - 2, bucket + 3)
            if near in self._near
            for rating, players in self._near[near].items()
        )


def _flags(rule: str, guesses: Guesses, hits: Truths) -> list[GuesserFlag]:
    """The players with enough guesses, by a rule that these hits follow."""
    guesser, target = guesses.guesser, guesses.target
    n, number = (np.bincount(players, minlength=guesses.players) for players in (guesser, target))
    own, of_target = (np.bincount(players, hits, guesses.players) for players in (guesser, target))
    rate = _rate(hits.sum() - own, len(guesses) - n)
    among_others = (of_target[target] - hits + BORROWED * rate[guesser]) / (number[target] - 1 + BORROWED)
    players = np.flatnonzero(n >= FEWEST)
    bases = np.bincount(guesser, among_others, guesses.players)[players] / n[players]
    ps = _tails(own[players], n[players], bases)
    columns = (players, n[players], own[players].astype(int), bases, ps)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [GuesserFlag(player, rule, n, hits, base, p, 1.0) for player, n, hits, base, p in rows]


def _constant(guesses: Guesses) -> list[GuesserFlag]:
    """For each player the value with the strongest evidence; p is multiplied by the number of values to choose from."""
    rounded = np.round(guesses.value)
    levels = np.unique(rounded)
    """Ascending; at most 101, since guesses are from 0 to 100."""
    level = np.searchsorted(levels, rounded)
    near = _guesses_near(levels, level, guesses)
    near_all, number = near.sum(axis=0), np.bincount(guesses.target, minlength=guesses.players) - 1 + BORROWED
    order = np.argsort(guesses.guesser, kind="stable")
    rows: list[tuple[int, int, Indices, Indices, Floats]] = []
    for own in np.split(order, np.flatnonzero(np.diff(guesses.guesser[order])) + 1):
        if own.size >= FEWEST:
            tried, target = np.unique(level[own]), guesses.target[own]
            hits = np.abs(guesses.value[own, None] - levels[tried]) <= NEAR
            borrowed = BORROWED * _rate(near_all[tried] - hits.sum(axis=0), len(guesses) - own.size)
            bases = ((near[np.ix_(target, tried)] - hits + borrowed) / number[target, None]).mean(axis=0)
            rows.append((int(guesses.guesser[own[0]]), own.size, tried, hits.sum(axis=0), bases))
    if not rows:
        return []
    all_hits, all_bases = (np.concatenate([row[column] for row in rows]) for column in (3, 4))
    sizes = [row[2].size for row in rows]
    all_ps = np.minimum(1.0, levels.size * _tails(all_hits, np.repeat([row[1] for row in rows], sizes), all_bases))
    flags = []
    for (player, n, tried, numbers, bases), ps in zip(rows, np.split(all_ps, np.cumsum(sizes)[:-1]), strict=True):
        best = np.lexsort((-numbers, ps))[0]
        value = float(levels[tried[best]])
        flags.append(GuesserFlag(player, "constant", n, int(numbers[best]), float(bases[best]), float(ps[best]), 1.0, value))
    return flags


def _guesses_near(levels: Floats, level: Indices, guesses: Guesses) -> Floats:
    """For each target and level, how many guesses are near it; a guess can be near its own level and an adjacent one."""
    near = np.zeros((guesses.players, levels.size))
    for step in (-1, 0, 1):
        beside = np.clip(level + step, 0, levels.size - 1)
        hits = (beside == level + step) & (np.abs(guesses.value - levels[beside]) <= NEAR)
        np.add.at(near, (guesses.target[hits], beside[hits]), 1.0)
    return near


def _rate(hits: Floats, of: ArrayLike) -> Floats:
    """The hit rate of other players' guesses about all targets."""
    rate: Floats = (hits + 1) / (np.asarray(of) + 2)
    return rate


def _tails(hits: Floats | Indices, n: Indices, bases: Floats) -> Floats:
    """The chance of so many hits or more."""
    from scipy.stats import binom  # importing scipy.stats takes as long as a page of the site, and most pages flag no player

    return np.asarray(binom.sf(hits - 1, n, bases))
