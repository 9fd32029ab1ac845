"""Rates everybody of a set of games in all ways, looks for guessers who follow a rule, and makes the ladder of skill."""

from __future__ import annotations

import numpy as np

from vivavoce.errors import BadInput, MissingExtra, UnknownName
from vivavoce.interview.scope import Signature
from vivavoce.luna.config import RateConfig
from vivavoce.luna.flags import flags
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.humanity import humanity
from vivavoce.luna.rate_finding import LunaRating, NamedFlag, RatedPlayer, RatingDifference, Standing
from vivavoce.luna.rating_intervals import difference_of, intervals
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.skill import ladder
from vivavoce.luna.stats import spread_by_number
from vivavoce.luna.telling import tellers
from vivavoce.version import __version__


def rate(
    games: LunaGames,
    config: RateConfig = RateConfig(),  # noqa: B008 -- frozen
    *,
    difference: tuple[str, str] | None = None,
    source: str = "",
    digest: str = "",
) -> LunaRating:
    """Everything that the games say about their players.

    Parameters
    ----------
    difference: names of two players to compare.
    source, digest: where the games are from, for the signature.

    Raises `UnknownName` for an unknown way of rating or an unknown player, and `BadInput` for a player against itself.

    >>> from vivavoce.luna.ratings import Guesses
    >>> guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    >>> found = rate(LunaGames(("Ann", "Bob"), guesses, np.ones(2, dtype=bool), frozenset()))
    >>> [(one.name, one.ratings["mean"].value) for one in found.players]
    [('Ann', 80.0), ('Bob', 60.0)]
    """
    if config.method not in METHODS:
        raise UnknownName("rating", config.method, METHODS)
    counted = games.counted
    by_method = {
        name: intervals(counted, name, rng=np.random.default_rng(config.seed), rounds=config.rounds) for name in METHODS
    }
    players = [
        RatedPlayer(name, number in games.machines, {way: found[number] for way, found in by_method.items()})
        for number, name in enumerate(games.names)
    ]
    rungs, missing = _standings(games)
    received = [counted.value[counted.target == number].tolist() for number in range(len(games.names))]
    return LunaRating(
        method=config.method,
        players=tuple(sorted(players, key=lambda one: (-_known(one, config.method), one.name))),
        games=int(np.unique(games.guesses.game).size),
        guesses=len(counted),
        by_machines=len(games.guesses) - len(counted),
        flags=tuple(NamedFlag(games.names[one.player], one.player in games.machines, one) for one in flags(games)),
        ladder=rungs,
        missing=missing,
        humanity=tuple(humanity(games.judgements)),
        tellers=None if (found := tellers(games.judgements)) is None else tuple(found),
        spread=spread_by_number([values for number, values in enumerate(received) if number not in games.machines]),
        difference=None if difference is None else _difference(games, difference, config),
        signature=Signature(
            version=__version__,
            examination="luna rate",
            candidate="players of the Luna game",
            scope=source,
            scope_digest=digest,
            seed=config.seed,
            settings={"method": config.method, "rounds": config.rounds, **_compared(difference)},
        ),
    )


def _compared(players: tuple[str, str] | None) -> dict[str, list[str]]:
    return {} if players is None else {"difference": list(players)}


def _difference(games: LunaGames, players: tuple[str, str], config: RateConfig) -> RatingDifference:
    unknown = next((name for name in players if name not in games.names), None)
    if unknown is not None:
        raise UnknownName("player", unknown, games.names)
    first, second = map(games.names.index, players)
    if first == second:
        raise BadInput(f"'{players[0][:80]}' is compared with itself: name two players")
    found = {
        name: difference_of(games.counted, first, second, name, rng=np.random.default_rng(config.seed), rounds=config.rounds)
        for name in METHODS
    }
    return RatingDifference(players, found)


def _known(player: RatedPlayer, method: str) -> float:
    value = player.ratings[method].value
    return -1.0 if value is None else value


def _standings(games: LunaGames) -> tuple[tuple[Standing, ...] | None, str]:
    """The ladder, or None and what to install."""
    try:
        return tuple(Standing(games.names[one.player], one.player in games.machines, one) for one in ladder(games)), ""
    except MissingExtra as error:
        return None, str(error)
