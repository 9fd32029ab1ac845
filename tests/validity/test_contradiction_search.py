"""The search beside random drawing at equal calls: twice as many where there is something to learn, no fewer where not."""

from __future__ import annotations

import pytest

from tests.validity.contradiction_search import PLANTS, UNSEEN, UNSEEN_AGAIN, runs

LEAST = {"one feature": 0.9, "a conjunction of three": 2.0, "nothing to learn": 0.9}
"""Of what random drawing finds in as many calls, over all seeds; fixed before anything was counted."""


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("plant", LEAST)
def test_distinct_contradictions_beside_chance(plant: str) -> None:
    found = {method: sum(run.distinct for run in of_method) for method, of_method in runs(PLANTS[plant]).items()}
    print(plant, found)
    assert found["random"] > 0
    assert found["search"] >= LEAST[plant] * found["random"], found


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("plant", [*UNSEEN, *UNSEEN_AGAIN])
def test_plants_by_which_nothing_was_tuned(plant: str) -> None:
    """The bar of distinct ones is that of the tuned plants; those of patterns were set by what was counted."""
    of = runs((UNSEEN | UNSEEN_AGAIN)[plant])
    distinct, patterns = ({way: sum(getattr(one, what) for one in of[way]) for way in of} for what in ("distinct", "patterns"))
    print(plant, distinct, patterns)
    assert distinct["search"] >= 0.9 * distinct["random"] > 0
    assert patterns["search"] >= (1.5 if "conjunction" in plant else 0.8) * patterns["random"]


@pytest.mark.slow
@pytest.mark.study
def test_a_coherent_candidate_has_none() -> None:
    assert [run.distinct for of_method in runs(PLANTS["coherent"]).values() for run in of_method] == [0] * 40
