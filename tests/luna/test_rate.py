"""Everything that games say of their players, together."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.luna.luna_games import games_of
from vivavoce.errors import UnknownName
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.identification import Identification, humanity, judge_skills
from vivavoce.luna.rate import rate
from vivavoce.luna.ratings import Guesses, rated
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.settings import RateConfig


def test_ratings_ladder_flags_and_spread_are_those_of_their_makers() -> None:
    games = games_of(1, players=20, games=200, rules=("minimum",))
    rating = rate(games, RateConfig("robust", rounds=100))
    by_name = {player.player: player for player in rating.players}
    for method, ratings in (("mean", rated(games.counted, "mean")), ("robust", rated(games.counted, "robust"))):
        assert [by_name[name].ratings[method].value for name in games.names] == ratings.tolist()
    values = [player.ratings["robust"].value or 0.0 for player in rating.players]
    assert values == sorted(values, reverse=True)
    assert {flag.player for flag in rating.flags} == {"p0"}
    assert "p0 nearly always guesses 0: " in next(flag.statement for flag in rating.flags if flag.flag.rule == "minimum")
    assert len(rating.ladder or ()) == 20
    assert sum(spread_at.deviation.n for spread_at in rating.spread) == 20
    assert "1 player seems to guess by a rule" in rating.statement
    values = json.loads(json.dumps(rating.as_json(), allow_nan=False))
    assert values["figures"]["players"][0]["player"] == rating.players[0].player


def test_machines_alone_make_no_rating() -> None:
    guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    rating = rate(LunaGames(("a", "b"), guesses, np.zeros(2, dtype=bool), frozenset({0, 1})), RateConfig(rounds=100))
    assert rating.statement == "No person has guessed in 1 game, so there are no ratings."
    assert rating.by_machines == 2
    assert rating.spread == ()


def test_the_two_ladders_of_person_or_machine_are_those_of_their_makers() -> None:
    guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    made = tuple(
        Identification(f"j{judge}", player, player == "ann", PersonOrMachine((judge + turn) % 3 > 0, 70.0))
        for judge in range(6)
        for turn, player in enumerate(("ann", "bot"))
    )
    games = LunaGames(("ann", "bob"), guesses, np.ones(2, dtype=bool), frozenset(), made)
    rating = rate(games, RateConfig(rounds=100))
    assert rating.humanity == tuple(humanity(made))
    assert rating.judge_skills == tuple(judge_skills(made) or ())
    values = json.loads(json.dumps(rating.as_json(), allow_nan=False))
    assert {(value["player"], value["human"]) for value in values["figures"]["humanity"]} == {("ann", True), ("bot", False)}
    assert len(values["figures"]["identification"]) == 6
    assert any("It is not smartness" in caveat for caveat in rating.caveats)


def test_games_without_judgements_have_no_such_ladders() -> None:
    rating = rate(games_of(1, players=6, games=20), RateConfig(rounds=100))
    assert (rating.humanity, rating.judge_skills) == ((), None)
    assert rating.as_json()["figures"]["identification"] is None
    assert not any("Humanity" in caveat for caveat in rating.caveats)


def test_an_unknown_rating_is_refused() -> None:
    guesses = Guesses([0], [1], [60.0], [0], players=2)
    with pytest.raises(UnknownName, match="mean, robust, severity"):
        rate(LunaGames(("a", "b"), guesses, np.ones(1, dtype=bool), frozenset()), RateConfig("median"))
