"""Nothing that a browser receives before the end tells a machine from a person; what would tell is found."""

from __future__ import annotations

import pytest

from tests.validity.nobody_can_tell import LEAKS, Leak, collected, told

ENOUGH = {"delays 30% longer": 160}
"""Games in which a leak is found; the others need half as many."""


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
def test_what_leaks_is_found(leak: Leak) -> None:
    found = told(collected(leak, ENOUGH.get(leak, 80), 0), permutations=0)
    assert found.auc > 0.8


@pytest.mark.slow
@pytest.mark.study
def test_nobody_can_tell() -> None:
    found = told(collected("none", 400, 0))
    assert found.machines > 150
    assert found.upper < 0.6
    assert found.p > 0.01


@pytest.mark.long
def test_the_study_is_held_and_says_the_same_twice() -> None:
    first, again = (collected("none", 3, 5) for _ in range(2))
    assert first == again
    assert all(len(one.numbers) > 30 for one in first)
    assert any("interview took" in one.numbers for one in first)
