"""What an examination will take, told beforehand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.eqt.examine import cost_estimate
from vivavoce.eqt.record import EqtConfig


@given(st.integers(1, 20), st.integers(0, 5), st.integers(1, 9), st.integers(0, 3))
def test_the_outlook_counts_every_call(questions: int, paraphrases: int, concepts: int, visitors: int) -> None:
    set_up = EqtConfig(questions=questions, paraphrases=paraphrases)
    found = cost_estimate(concepts, set_up, visitors=visitors)
    # The notes: a concept is 1 + q + q k + q (1 + k) calls; here also q open book, q for each visitor, and checks: q + q + q k
    without_checks = 1 + questions * (1 + paraphrases + 1 + paraphrases + 1 + visitors)
    assert sum(share.calls for share in found.values()) == concepts * (without_checks + questions * (2 + paraphrases))
    assert all(share.tokens_in >= share.calls and share.tokens_out >= share.calls for share in found.values())
