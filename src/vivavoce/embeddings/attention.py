"""An attention head: it weighs several vectors by attention and classifies their mean with logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from vivavoce.embeddings.files import Floats


@dataclass(frozen=True, slots=True, eq=False)
class AttentionHead:
    """Attention over vectors, and logistic regression on their weighted mean.

    With vectors x_i: u_i = tanh(W x_i + b), attention a = softmax of u_i · v, probability = logistic of w · Σ a_i x_i + c
    (`yang2016`). The order of the vectors does not matter.

    >>> head = AttentionHead(np.eye(2), np.zeros(2), np.array([9.0, 0.0]), np.array([4.0, -4.0]), 0.0)
    >>> vectors = np.eye(2)
    >>> head.attention(vectors).round(3).tolist(), round(head.probability(vectors), 3)
    ([0.999, 0.001], 0.982)
    """

    inner: Floats
    """W: one row for each inner unit."""
    shift: Floats
    """b: one number for each inner unit."""
    query: Floats
    """v: one number for each inner unit."""
    weights: Floats
    """w: one number for each dimension of the vectors."""
    bias: float
    """c."""

    @classmethod
    def random(cls, dimensions: int, units: int, rng: np.random.Generator) -> AttentionHead:
        """An initial head: almost equal attention to all vectors, and no decision."""
        return cls(
            rng.standard_normal((units, dimensions)) / np.sqrt(dimensions),
            np.zeros(units),
            0.1 * rng.standard_normal(units) / np.sqrt(units),
            np.zeros(dimensions),
            0.0,
        )

    @classmethod
    def from_numbers(cls, numbers: Floats, dimensions: int, units: int) -> AttentionHead:
        """The head whose `numbers` these are."""
        ends = np.cumsum([units * dimensions, units, units, dimensions])
        inner, shift, query, weights, bias = np.split(numbers, ends)
        return cls(inner.reshape(units, dimensions), shift, query, weights, float(bias[0]))

    @property
    def numbers(self) -> Floats:
        """All parameters in one array, for an optimiser."""
        return np.concatenate([self.inner.ravel(), self.shift, self.query, self.weights, [self.bias]])

    @property
    def dimensions(self) -> int:
        """Dimensions of its input vectors."""
        return int(self.weights.size)

    def attention(self, vectors: Floats) -> Floats:
        """The weight of each row; weights sum to 1."""
        return _softmax(np.tanh(vectors @ self.inner.T + self.shift) @ self.query, np.zeros(1, dtype=np.intp))

    def probability(self, vectors: Floats) -> float:
        """The probability of a yes."""
        return float(expit(self.attention(vectors) @ (vectors @ self.weights) + self.bias))


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Several sets of vectors, one after another in one table; no set is empty."""

    vectors: Floats
    starts: NDArray[np.intp]
    """The first row of each."""

    @classmethod
    def of(cls, sets: Sequence[Floats]) -> Sets:
        """These sets."""
        sizes = [len(values) for values in sets]
        return cls(np.concatenate(list(sets)), np.cumsum([0, *sizes[:-1]], dtype=np.intp))

    @property
    def owners(self) -> NDArray[np.intp]:
        """The set that each row belongs to."""
        sizes = np.diff([*self.starts, len(self.vectors)])
        return np.repeat(np.arange(self.starts.size), sizes)


def loss_and_gradient(head: AttentionHead, sets: Sets, truth: Floats, penalty: float) -> tuple[float, Floats]:
    """The mean log loss of the head over sets, with a penalty on its weights, and its gradient by the head's `numbers`.

    The penalty is half of `penalty` times the sum of squares of all parameters except shift and bias.

    Parameters
    ----------
    truth: 0 or 1 for each set.

    >>> head = AttentionHead.random(2, 3, np.random.default_rng(0))
    >>> loss, gradient = loss_and_gradient(head, Sets.of([np.eye(2)]), np.ones(1), 0.0)
    >>> round(loss, 6), gradient.size == head.numbers.size  # no decision yet: log 2
    (0.693147, True)
    """
    x, starts, owners = sets.vectors, sets.starts, sets.owners
    units = np.tanh(x @ head.inner.T + head.shift)
    attention = _softmax(units @ head.query, starts)
    reach = x @ head.weights
    margin = np.add.reduceat(attention * reach, starts)
    logit = margin + head.bias
    loss = float(np.mean(np.logaddexp(0, logit) - truth * logit))
    error = (expit(logit) - truth) / truth.size
    to_mean = error[owners] * attention
    to_score = to_mean * (reach - margin[owners])
    to_inner = to_score[:, None] * head.query * (1 - units**2)
    loss += penalty / 2 * fsum(float(np.sum(part**2)) for part in (head.inner, head.query, head.weights))
    gradient = AttentionHead(
        to_inner.T @ x + penalty * head.inner,
        to_inner.sum(axis=0),
        units.T @ to_score + penalty * head.query,
        x.T @ to_mean + penalty * head.weights,
        float(error.sum()),
    )
    return loss, gradient.numbers


def _softmax(scores: Floats, starts: NDArray[np.intp]) -> Floats:
    """Softmax within each set."""
    sizes = np.diff([*starts, scores.size])
    weights = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    shares: Floats = weights / np.repeat(np.add.reduceat(weights, starts), sizes)
    return shares
