"""Games of players whose honesty is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.ratings import Guesses


def games_of(
    seed: int, *, players: int, games: int, rules: Sequence[str] = (), rounded: float | None = None, deviation: float = 12.0
) -> LunaGames:
    """The first players follow `rules`; all others are honest and round to `rounded`, or each to 1, 5 or 10 of their own."""
    rng = np.random.default_rng((seed, players))
    values = rng.uniform(10, 90, players)
    steps = rng.choice([1.0, 5.0, 10.0], players) if rounded is None else np.full(players, rounded)
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    sums, counts = np.zeros(players), np.zeros(players)
    made: list[tuple[int, int, float]] = []
    for both in zip(first.tolist(), second.tolist(), strict=True):
        known = counts > 0
        ratings = sums[known] / counts[known]
        rows = []
        for own, other in (both, both[::-1]):
            honest = float(np.clip(values[other] + rng.normal(0, deviation), 0, 100))
            rule = rules[own] if own < len(rules) else ""
            rows.append(
                (own, other, followed(rule, honest, ratings) if rule else round(honest / steps[own]) * float(steps[own]))
            )
        for own, other, guess in rows:
            sums[other] += guess
            counts[other] += 1
            made.append((own, other, guess))
    guesser, target, value = zip(*made, strict=True)
    guesses = Guesses(guesser, target, value, np.repeat(np.arange(games), 2), players=players)
    return LunaGames(tuple(f"p{n}" for n in range(players)), guesses, np.ones(2 * games, dtype=bool), frozenset())


def followed(rule: str, honest: float, ratings: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    if rule in ("constant", "minimum") or not ratings.size:
        return {"constant": 62.0, "minimum": 0.0}.get(rule, honest)
    if rule == "mean":
        return float(round(ratings.mean()))
    return float(np.quantile(ratings, honest / 100, method="inverted_cdf" if rule == "quantile" else "linear"))
