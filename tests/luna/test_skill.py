"""The ladder of guessing skill: who was nearer by hand, and better guessers stand higher."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from vivavoce.errors import MissingExtra
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import ladder, matches, ratings_before
from vivavoce.luna.ratings import Guesses


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
    assert spearmanr([noise[rung.player] for rung in rungs], range(n)).statistic > 0.8


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
