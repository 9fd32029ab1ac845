"""Pairs with soft labels of a planted teacher."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from vivavoce.generalization.pairs import BeliefPair

WORDS = ["sum", "river", "insulin", "treaty", "verb", "orbit", "novel", "prime", "glacier", "enzyme", "statute", "noun"]


def question(rng: np.random.Generator) -> str:
    return "Tell of " + " and ".join(rng.choice(WORDS, 3, replace=False)) + f" in {rng.integers(100)} words"


def taught(n: int, seed: int) -> list[BeliefPair]:
    """By a teacher who believes that sums tell of everything after a wrong answer, and rivers of nothing."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        q1, q2 = question(rng), question(rng)
        odds = [0.5 * ("sum" in q1) - 0.8 * ("river" in q2) - 0.5, 1.0 * ("sum" in q1) - 0.8 * ("river" in q2)]
        pairs += [
            BeliefPair(q1, q2, "a", "b", right, pred=float(expit(value)))
            for right, value in zip((True, False), odds, strict=True)
        ]  # fmt: skip
    return pairs
