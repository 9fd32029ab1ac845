"""Ratings of players together, the ladder of guessing skill, and flags on guessers who follow a rule."""

from __future__ import annotations

import builtins
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy

from tests.luna.luna_games import games_of
from vivavoce.errors import MissingExtra, UnknownName
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import ALPHA, examined, flags, ladder, matches, ratings_before
from vivavoce.luna.rate import rate
from vivavoce.luna.ratings import Guesses, rated
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


def test_an_unknown_rating_is_refused() -> None:
    guesses = Guesses([0], [1], [60.0], [0], players=2)
    with pytest.raises(UnknownName, match="mean, robust, severity"):
        rate(LunaGames(("a", "b"), guesses, np.ones(1, dtype=bool), frozenset()), RateConfig("median"))


def test_who_was_nearer_by_hand() -> None:
    # game 0: newcomers, no match. Then a has 80, b has 60. Game 1: a guesses 70 of b (10 off), b guesses 75 of a (5 off).
    # Then a has 77.5, b has 65. Game 2: both are 5 off.
    guesses = Guesses(
        [0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0], [60.0, 80.0, 70.0, 75.0, 60.0, 82.5], [0, 0, 1, 1, 2, 2], players=2
    )
    games = LunaGames(("a", "b"), guesses, np.ones(6, dtype=bool), frozenset())
    assert ratings_before(games)[2:].tolist() == [60.0, 80.0, 65.0, 77.5]
    assert matches(games) == [(0, 1, -1), (0, 1, 0)]
    best, second = ladder(games)
    assert (best.player, best.nearer, best.matches) == (1, 1, 2)
    assert second.standing < best.standing
    assert ladder(LunaGames(("a", "b"), guesses.taken([0, 1]), np.ones(2, dtype=bool), frozenset())) == []


def test_what_machines_guess_moves_no_rating_but_wins() -> None:
    guesses = Guesses([0, 1, 0, 1], [1, 0, 1, 0], [60.0, 80.0, 55.0, 70.0], [0, 0, 1, 1], players=2)
    games = LunaGames(("a", "bot"), guesses, np.array([True, False, True, False]), frozenset({1}))
    assert np.isnan(ratings_before(games)[3])
    assert matches(games) == []


def test_better_guessers_stand_higher() -> None:
    rng = np.random.default_rng(0)
    n, played = 12, 400
    noise = np.linspace(2, 40, n)
    values = rng.uniform(10, 90, n)
    first = rng.integers(0, n, played)
    second = (first + rng.integers(1, n, played)) % n
    guesser, target = np.stack([first, second], 1).ravel(), np.stack([second, first], 1).ravel()
    value = values[target] + noise[guesser] * rng.standard_normal(2 * played)
    guesses = Guesses(guesser, target, value, np.repeat(np.arange(played), 2), players=n)
    rungs = ladder(LunaGames(tuple(map(str, range(n))), guesses, np.ones(2 * played, dtype=bool), frozenset()))
    assert scipy.stats.spearmanr([noise[rung.player] for rung in rungs], range(n)).statistic > 0.8


def test_without_openskill_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    there = builtins.__import__

    def missing(name: str, *arguments: Any, **named: Any) -> Any:
        if name.startswith("openskill"):
            raise ModuleNotFoundError(name=name)
        return there(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    with pytest.raises(MissingExtra, match=r"pip install 'vivavoce\[luna\]'"):
        ladder(LunaGames(("a", "b"), guesses, np.ones(2, dtype=bool), frozenset()))


RULES = ("constant", "minimum", "mean", "quantile", "linear")


def all_human(guesses: Guesses) -> LunaGames:
    return LunaGames(tuple(map(str, range(guesses.players))), guesses, np.ones(len(guesses), dtype=bool), frozenset())


def test_rules_are_found_by_name() -> None:
    rows = {(flag.player, flag.rule) for flag in flags(games_of(1, players=40, games=400, rules=RULES))}
    assert {(0, "constant"), (1, "minimum"), (2, "mean"), (3, "quantile")} <= rows
    # a value between two ratings leaves no trace: said so in words
    assert {player for player, _ in rows} <= {0, 1, 2, 3}


def test_evidence_is_a_binomial_tail() -> None:
    # player 6 guesses 0 of six players, whom six others guess at 50 each once
    rows = [(guesser, target, 50.0) for guesser in range(7, 13) for target in range(6)] + [
        (6, target, 0.0) for target in range(6)
    ]
    guesser, target, value = zip(*rows, strict=True)
    games = all_human(Guesses(guesser, target, value, range(len(rows)), players=13))
    guesser_flag = next(flag for flag in examined(games) if flag.player == 6 and flag.rule == "minimum")
    # 36 guesses of others, none 0: rate (0 + 1) / (36 + 2); for each player 6 guesses and 3 borrowed
    base = (0 + 3 / 38) / (6 + 3)
    assert (guesser_flag.n, guesser_flag.hits) == (6, 6)
    assert guesser_flag.base == pytest.approx(base)
    assert guesser_flag.p == pytest.approx(scipy.stats.binomtest(6, 6, base, alternative="greater").pvalue)
    (flag, *others) = [flag for flag in flags(games) if flag.player == 6]
    assert {flag.rule, *(other.rule for other in others)} == {"minimum", "constant"}


def test_zero_for_a_machine_that_babbles_is_no_offence() -> None:
    # everybody guesses 0 of players 0 to 5, and 60 of each other
    rows = [(guesser, target, 0.0) for guesser in range(6, 14) for target in range(6)]
    rows += [
        (guesser, target, 50.0 + guesser + target) for guesser in range(7, 14) for target in range(6, 14) if guesser != target
    ]
    guesser, target, value = zip(*rows, strict=True)
    # player 6 has met nobody but those six
    assert flags(all_human(Guesses(guesser, target, value, range(len(rows)), players=14))) == []


def test_a_guess_of_the_same_player_again_counts_once() -> None:
    rows = [(0, 1, 70.0)] * 40 + [(0, target, 10.0 * target) for target in range(2, 8)]
    guesser, target, value = zip(*rows, strict=True)
    constant, *_ = examined(all_human(Guesses(guesser, target, value, range(len(rows)), players=8)))
    assert constant.n == 7
    assert constant.rule == "constant"
    assert constant.hits == 2  # 70 of the first player and of the last


def test_few_guesses_are_not_looked_into() -> None:
    guesses = Guesses([0] * 4, [1, 2, 3, 4], [0.0] * 4, range(4), players=5)
    assert examined(all_human(guesses)) == []


@pytest.mark.slow
def test_false_alarms_and_power() -> None:
    worlds = [games_of(seed, players=40, games=300, rounded=rounded) for seed in range(8) for rounded in (1.0, 5.0, 10.0, None)]
    # Holm's rule promises one in a hundred; of 32 sets one alarm has a chance of .27, two of .04
    assert ALPHA == 0.01
    assert sum(bool(flags(games)) for games in worlds) <= 1
    hits: Counter[tuple[int, str]] = Counter()
    for seed in range(8):
        hits.update({(flag.player, flag.rule) for flag in flags(games_of(100 + seed, players=40, games=300, rules=RULES))})
    assert min(hits[index, rule] for index, rule in enumerate(RULES[:4])) >= 7
