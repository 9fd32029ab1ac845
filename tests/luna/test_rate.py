"""Everything that games say of their players, together."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.luna.luna_games import games_of
from vivavoce.errors import UnknownName
from vivavoce.luna.config import RateConfig
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.rate import rate
from vivavoce.luna.ratings import Guesses, mean_rating, robust_rating


def test_ratings_ladder_flags_and_spread_are_those_of_their_makers() -> None:
    games = games_of(1, players=20, games=200, rules=("minimum",))
    found = rate(games, RateConfig("robust", rounds=100))
    by_name = {one.name: one for one in found.players}
    for method, ratings in (("mean", mean_rating(games.counted)), ("robust", robust_rating(games.counted))):
        assert [by_name[name].ratings[method].value for name in games.names] == ratings.tolist()
    values = [one.ratings["robust"].value or 0.0 for one in found.players]
    assert values == sorted(values, reverse=True)
    assert {one.name for one in found.flags} == {"p0"}
    assert "p0 nearly always guesses 0: " in next(one.statement for one in found.flags if one.flag.rule == "minimum")
    assert len(found.ladder or ()) == 20
    assert sum(one.deviation.n for one in found.spread) == 20
    assert "1 player seems to guess by a rule" in found.statement
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["players"][0]["player"] == found.players[0].name


def test_machines_alone_make_no_rating() -> None:
    guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    found = rate(LunaGames(("a", "b"), guesses, np.zeros(2, dtype=bool), frozenset({0, 1})), RateConfig(rounds=100))
    assert found.statement == "No person has guessed in 1 game: nobody has a rating."
    assert found.by_machines == 2
    assert found.spread == ()


def test_an_unknown_rating_is_refused() -> None:
    guesses = Guesses([0], [1], [60.0], [0], players=2)
    with pytest.raises(UnknownName, match="mean, robust, severity"):
        rate(LunaGames(("a", "b"), guesses, np.ones(1, dtype=bool), frozenset()), RateConfig("median"))
