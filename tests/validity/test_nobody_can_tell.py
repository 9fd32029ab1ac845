"""Nothing that a browser receives before the end tells a machine from a person; what would tell is found."""

from __future__ import annotations

import pytest

from tests.validity.luna_browsers import LEAKS, Leak, collected
from tests.validity.nobody_can_tell import ENOUGH, told


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
def test_what_leaks_is_found(leak: Leak) -> None:
    accuracy = told(collected(leak, ENOUGH.get(leak, 80), 0).games, permutations=0)
    assert accuracy.lower > 0.6  # where the site as it is stays below that


@pytest.mark.slow
@pytest.mark.study
def test_nobody_can_tell_in_games_that_both_play_to_the_end() -> None:
    accuracy = told(collected("none", 1_000, 0).games)
    assert accuracy.games == 1_000
    assert accuracy.machines > 400
    assert accuracy.upper < 0.6
    assert accuracy.p > 0.01


@pytest.mark.long
def test_the_study_is_held_and_says_the_same_twice() -> None:
    first, again = (collected("none", 3, 5) for _ in range(2))
    assert first == again
    assert len(first.games) == 3 <= first.begun
    assert all(len(game.numbers) > 30 for game in first.games)
    assert all(game.waited >= 0 for game in first.games)
