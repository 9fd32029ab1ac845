"""Beliefs after several answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.generalization.several import after_several

BELIEF = st.floats(0.01, 0.99)


@given(prior=BELIEF, each=st.lists(BELIEF, min_size=1, max_size=6))
def test_order_does_not_matter_and_one_answer_is_itself(prior: float, each: list[float]) -> None:
    together = after_several(prior, [each])[0]
    assert together == pytest.approx(after_several(prior, [each[::-1]])[0])
    assert after_several(prior, [each[:1]])[0] == pytest.approx(each[0])
    assert after_several(prior, [[*each, prior]])[0] == pytest.approx(together)


def test_against_bayes_written_out() -> None:
    # A candidate answers right with chance .7. Given that, two independent signs come with .9 and .6; else with .5 and .8.
    # One sign: .7*.9 / (.7*.9 + .3*.5) = .63/.78; the other: .42/.66; both: .7*.9*.6 / (.7*.9*.6 + .3*.5*.8) = .378/.498.
    assert after_several([0.7], [[0.63 / 0.78, 0.42 / 0.66]])[0] == pytest.approx(0.378 / 0.498)


@pytest.mark.parametrize(("prior", "each"), [(0.0, [[0.5]]), (0.5, [[1.0]]), (0.5, [[float("nan")]]), (0.5, [0.5])])
def test_certainty_has_no_odds(prior: float, each: list[list[float]]) -> None:
    with pytest.raises(BadInput):
        after_several(prior, np.array(each))
