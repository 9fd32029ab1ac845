"""Who guesses well: a ladder on who was nearer to the other's rating, apart from the ratings themselves.

Each finished game between two players who both had a rating is a match, won by the nearer guess, as in the game itself. The
ladder is `weng2011`'s, by the package `openskill`: a normal belief about each player's skill, of mean `mu` and deviation
`sigma`; players stand by `mu - 3 sigma`, which only games can raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.errors import MissingExtra
from vivavoce.luna.games_file import LunaGames
from vivavoce.statistics.betting import Floats

TIE: Final = 1e-9
"""Points of the scale by which distances may differ and still tie: sums in another order differ in their last digits."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A player on the ladder."""

    player: int
    """By number."""
    mu: float
    sigma: float
    matches: int
    nearer: int
    """Matches won."""

    @property
    def standing(self) -> float:
        """What players are ordered by: nearly surely no more than the skill."""
        return self.mu - 3 * self.sigma


def ratings_before(games: LunaGames) -> Floats:
    """For each guess, the published rating of its target before the game; NaN for a newcomer.

    >>> from vivavoce.luna.ratings import Guesses
    >>> guesses = Guesses([0, 1, 2, 1], [1, 0, 1, 2], [60.0, 80.0, 70.0, 40.0], [0, 0, 1, 1], players=3)
    >>> ratings_before(LunaGames(("a", "b", "c"), guesses, np.ones(4, dtype=bool), frozenset())).tolist()
    [nan, nan, 60.0, nan]
    """
    found = np.full(len(games.guesses), np.nan)
    for places, sums, counts in games.replayed():
        for place in places:
            target = games.guesses.target[place]
            if counts[target]:
                found[place] = sums[target] / counts[target]
    return found


def matches(games: LunaGames) -> list[tuple[int, int, int]]:
    """Of each match: first player, second player, and 1, 0 or -1 where the first was nearer, tied, or further off."""
    guesses = games.guesses
    distance = np.abs(guesses.value - ratings_before(games))
    found = []
    for place in range(len(guesses) - 1):
        together = guesses.game[place] == guesses.game[place + 1]
        if together and not np.isnan(distance[place] + distance[place + 1]):
            gap = float(distance[place + 1] - distance[place])
            won = 0 if abs(gap) <= TIE else (1 if gap > 0 else -1)
            found.append((int(guesses.guesser[place]), int(guesses.guesser[place + 1]), won))
    return found


def ladder(games: LunaGames) -> list[Rung]:
    """All who have played a match, best first.

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
    rungs = [Rung(player, skill.mu, skill.sigma, played[player], won[player]) for player, skill in skills.items()]
    return sorted(rungs, key=lambda rung: (-rung.standing, rung.player))
