"""The search beside random drawing at equal calls: twice as many where there is something to learn, no fewer where not."""

from __future__ import annotations

import pytest

from tests.validity.contradiction_search import PLANTS, runs

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
def test_a_coherent_candidate_has_none() -> None:
    assert [run.distinct for of_method in runs(PLANTS["coherent"]).values() for run in of_method] == [0] * 40
