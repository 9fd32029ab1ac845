"""Guessers by a rule are found, and honest ones let alone, also those who like round numbers or meet a machine that babbles."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest

from tests.luna.luna_games import games_of
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import ALPHA, examined, flags
from vivavoce.luna.ratings import Guesses

RULES = ("constant", "minimum", "mean", "quantile", "linear")


def all_human(guesses: Guesses) -> LunaGames:
    return LunaGames(tuple(map(str, range(guesses.players))), guesses, np.ones(len(guesses), dtype=bool), frozenset())


def test_rules_are_found_by_name() -> None:
    found = {(one.player, one.rule) for one in flags(games_of(1, players=40, games=400, rules=RULES))}
    assert {(0, "constant"), (1, "minimum"), (2, "mean"), (3, "quantile")} <= found
    # a value between two ratings leaves no trace: said so in words
    assert {player for player, _ in found} <= {0, 1, 2, 3}


def test_evidence_is_a_binomial_tail() -> None:
    # player 6 guesses 0 of six players, whom six others guess at 50 each once
    rows = [(guesser, target, 50.0) for guesser in range(7, 13) for target in range(6)] + [
        (6, target, 0.0) for target in range(6)
    ]
    guesser, target, value = zip(*rows, strict=True)
    games = all_human(Guesses(guesser, target, value, range(len(rows)), players=13))
    one = next(flag for flag in examined(games) if flag.player == 6 and flag.rule == "minimum")
    # 36 guesses of others, none 0: rate (0 + 1) / (36 + 2); for each player 6 guesses and 3 borrowed
    base = (0 + 3 / 38) / (6 + 3)
    assert (one.n, one.hits) == (6, 6)
    assert one.base == pytest.approx(base)
    assert one.p == pytest.approx(binomtest(6, 6, base, alternative="greater").pvalue)
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
        hits.update({(one.player, one.rule) for one in flags(games_of(100 + seed, players=40, games=300, rules=RULES))})
    assert min(hits[place, rule] for place, rule in enumerate(RULES[:4])) >= 7
