"""The yield by rank among held-out pairs, against a planted ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.generalization.survey.test_responses import said
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.survey.responses import held_out_yield


class _KnowingPredictor:
    """A predictor that knows the first question's number, if it has not been fitted to it."""

    def __init__(self, learnt: Sequence[BeliefPair]) -> None:
        self.learnt = {pair.q1 for pair in learnt}

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        assert not self.learnt & {pair.q1 for pair in pairs}, "judged by pairs that it was fitted to"
        return np.array([(int(pair.q1[1:]) + 1) / 1_000 for pair in pairs])

    def save(self, folder: Path) -> None:
        raise AssertionError("nobody keeps it")


def planted(pairs: int, people: int) -> list[BeliefPair]:
    """Pairs of which only the half with high numbers changes a belief."""
    return [replace(said(n, f"p{who}").pair, belief_change=n >= pairs // 2) for n in range(pairs) for who in range(people)]


def test_pairs_are_held_out_and_ranked() -> None:
    out_yield = held_out_yield(planted(100, 3), _KnowingPredictor, predictor="told", source="s", folds=5)
    assert [estimate.value for estimate in out_yield.tenths[:4]] == [1.0] * 4
    assert [estimate.value for estimate in out_yield.tenths[6:]] == [0.0] * 4
    assert sum(estimate.n for estimate in out_yield.tenths) == 300
    assert (out_yield.overall.value, out_yield.pairs, out_yield.seen) == (0.5, 100, 0)
    assert out_yield.tenths[0].interval.lower < 1


def test_pairs_of_the_fit_are_left_out() -> None:
    pairs = planted(60, 2)
    earlier = [pair for pair in pairs if int(pair.q1[1:]) % 3 == 0]
    out_yield = held_out_yield(pairs, _KnowingPredictor, predictor="told", source="s", earlier=earlier)
    assert (out_yield.pairs, out_yield.seen, out_yield.folds) == (40, 20, None)
    assert out_yield.tenths[0].value == 1.0
    unlabelled = [replace(pair, belief_change=None, posterior=None) for pair in earlier]
    with pytest.raises(NotEnoughEvidence, match="none of 40 earlier answers has"):
        held_out_yield(pairs, _KnowingPredictor, predictor="told", source="s", earlier=unlabelled)
    with pytest.raises(NotEnoughEvidence, match="nine held-out pairs"):
        held_out_yield(planted(9, 2), _KnowingPredictor, predictor="told", source="s")
    with pytest.raises(BadInput, match="5 folds of 40 pairs"):
        held_out_yield(planted(40, 2), _KnowingPredictor, predictor="told", source="s", folds=5)
