"""A small classifier that is trained here: facts as bags of words, pooled by attention, in numpy alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.studies.cases.made_cases import NONE, VIOLATION, words
from vivavoce.consistency.legal.trials import LegalCase

Floats = NDArray[np.float64]


def _neutral(fact: str) -> bool:
    return VIOLATION not in fact and NONE not in fact


class AttentionPooling:
    """p = sigmoid(w . sum_i a_i f_i + b), where f_i is the sum of the words' vectors in fact i, and a = softmax(f u).

    Words that it was not trained on have no vector, so a paraphrase takes the deciding word away from it.
    """

    def __init__(self, cases: Sequence[LegalCase], *, seed: int = 0, rounds: int = 150) -> None:
        vocabulary = sorted({word for case in cases for fact in case.facts for word in words(fact)})
        self._columns = {word: column for column, word in enumerate(vocabulary)}
        rng = np.random.default_rng(seed)
        self._vectors = rng.normal(0, 0.1, (len(vocabulary), 4))
        self._asks, self._weights, self._bias = rng.normal(0, 0.1, 4), rng.normal(0, 0.1, 4), np.zeros(1)
        # half of the cases without the fact that decides, and undecided: so it must look for either word
        seen = [(case.facts, float(VIOLATION in " ".join(case.facts))) for case in cases]
        seen += [(tuple(fact if _neutral(fact) else case.facts[0] for fact in case.facts), 0.5) for case in cases]
        self._train(np.stack([self._bags(facts) for facts, _ in seen]), np.array([truth for _, truth in seen]), rounds)

    def probability(self, facts: Sequence[str]) -> float:
        """Of a violation."""
        vectors = self._bags(facts) @ self._vectors
        return float(1 / (1 + np.exp(-(self._attention(vectors) @ vectors @ self._weights + self._bias[0]))))

    def importance(self, facts: Sequence[str]) -> list[float]:
        """The attention to each fact."""
        return [float(weight) for weight in self._attention(self._bags(facts) @ self._vectors)]

    def _attention(self, vectors: Floats) -> Floats:
        scores = vectors @ self._asks
        weights: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
        return shares

    def _bags(self, facts: Sequence[str]) -> Floats:
        bags = np.zeros((len(facts), len(self._columns)))
        for row, fact in enumerate(facts):
            for word in words(fact):
                if word in self._columns:
                    bags[row, self._columns[word]] += 1
        return bags

    def _train(self, bags: Floats, truth: Floats, rounds: int) -> None:
        """Gradient descent by Adam's rule on the log loss of all cases at once."""
        parameters = (self._vectors, self._asks, self._weights, self._bias)
        means, squares = ([np.zeros_like(parameter) for parameter in parameters] for _ in range(2))
        for step in range(1, rounds + 1):
            for i, gradient in enumerate(self._gradients(bags, truth)):
                means[i] += 0.1 * (gradient - means[i])
                squares[i] += 0.001 * (gradient**2 - squares[i])
                size = (squares[i] / (1 - 0.999**step)) ** 0.5 + 1e-8
                parameters[i][...] -= 0.05 * means[i] / (1 - 0.9**step) / size

    def _gradients(self, bags: Floats, truth: Floats) -> tuple[Floats, ...]:
        vectors = bags @ self._vectors
        attention = self._attention(vectors)
        pooled = np.einsum("cf,cfd->cd", attention, vectors)
        error = (1 / (1 + np.exp(-(pooled @ self._weights + self._bias))) - truth) / len(truth)
        to_pooled = error[:, None] * self._weights
        to_attention = np.einsum("cfd,cd->cf", vectors, to_pooled)
        to_scores = attention * (to_attention - (attention * to_attention).sum(axis=1, keepdims=True))
        to_vectors = attention[:, :, None] * to_pooled[:, None, :] + to_scores[:, :, None] * self._asks
        return (
            np.einsum("cfv,cfd->vd", bags, to_vectors),
            np.einsum("cf,cfd->d", to_scores, vectors),
            error @ pooled,
            error.sum(keepdims=True),
        )
