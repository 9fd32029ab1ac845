"""Simulated games as the rules say, in plain loops: nothing at once, and nothing remembered that could be looked up."""

from __future__ import annotations

from vivavoce.luna.simulation import Mixture, Strategy, Worlds


def play_plainly(worlds: Worlds, mixture: Mixture, trial: int, *, as_published: bool = False) -> list[tuple[float, float]]:
    """Mean and largest distance from intelligence at each of the mixture's times."""
    n = worlds.players
    actual = worlds.actual[trial].tolist()
    chance = worlds.chance[trial].tolist()
    strategy = mixture.strategies(n).tolist()
    received: list[list[float]] = [[] for _ in range(n)]
    met: list[list[float]] = [[] for _ in range(n)]
    found = []
    for step, (first, second) in enumerate(worlds.meeting[trial].tolist()):
        ratings = [rating(guesses, as_published) for guesses in received]
        said = []
        for own, other in ((first, second), (second, first)):
            kind = strategy[own] if step >= mixture.delay else Strategy.HONEST
            honest = actual[own][other]
            place = among(actual[own] if as_published else met[own], honest)
            said.append(
                (other, guess(kind, honest, chance[own][other], ratings, place / 100 if as_published and place else place))
            )
            met[own].append(honest)
        for other, value in said:
            received[other].append(value)
        if step + 1 in mixture.times:
            found.append(
                distances([rating(guesses, as_published) for guesses in received], worlds.intelligence[trial].tolist())
            )
    return found


def guess(kind: int, honest: float, chance: float, ratings: list[float | None], place: float | None) -> float:
    known = [one for one in ratings if one is not None]
    if kind == Strategy.RANDOM:
        return chance
    if kind == Strategy.MINIMUM:
        return 0.0
    if kind == Strategy.CONSTANT:
        return 50.0
    if kind == Strategy.MEAN and known:
        return added(known) / len(known)
    if kind == Strategy.QUANTILE and known and place is not None:
        return quantile(sorted(known), place)
    return honest


def rating(guesses: list[float], as_published: bool) -> float | None:
    """The mean; with the slip, without the first guess as soon as there is a second."""
    if not guesses:
        return None
    counted = guesses[1:] if as_published and len(guesses) > 1 else guesses
    return added(counted) / len(counted)


def among(own: list[float], value: float) -> float | None:
    return sum(one <= value for one in own) / len(own) if own else None


def quantile(ordered: list[float], place: float) -> float:
    position = place * (len(ordered) - 1)
    lower = int(position)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (position - lower)


def distances(ratings: list[float | None], intelligence: list[float]) -> tuple[float, float]:
    away = [abs(one - true) for one, true in zip(ratings, intelligence, strict=True) if one is not None]
    return added(away) / len(away), max(away)


def added(values: list[float]) -> float:
    """One after the other; `sum` makes up for lost digits from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total
