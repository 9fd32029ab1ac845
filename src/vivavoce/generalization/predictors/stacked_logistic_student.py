"""The student of `stacked_logistic`: a Gaussian process that learns a teacher's log odds, with kernel weights by evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.stacked_logistic_features import PairFeatures

MOST_TAUGHT: Final = 3_000
"""Largest number of soft labels; more are sampled at random. The time grows with the cube of the number."""
MOST_TUNED: Final = 400
"""Largest number of soft labels that the kernel's weights are fitted to."""
FARTHEST: Final = 5.0
"""Largest log odds of a student: no teacher is surer than 0.7%."""
CLIP: Final = 4.0
"""Largest distance of a feature from its mean, in standard deviations."""
_CENTRE, _SPREAD = -2.0, 3.0
"""Mean and standard deviation of the prior on the logarithms of kernel weights, in squared log odds: wide for any teacher."""
_STEPS: Final = 40


class _Part(NamedTuple):
    """Inputs of a linear kernel, [n, inputs], with a scale that makes a pair's similarity to itself 1 on average."""

    inputs: Any
    scale: float


@dataclass(frozen=True, slots=True)
class TeacherProcess:
    """Predicts the log odds that the teacher would give: the mean of a Gaussian process (`rasmussen2006`).

    Two pairs are similar by the text of the first question, the text of the second, the families of their tasks, their features
    (by a linear and by a squared exponential kernel), and sentence embeddings if there are any. Each of these has one weight
    that is shared by both answers, and one that counts with the sign of the answer. All weights maximise the evidence.
    """

    level: Floats
    """[2]: log odds after a right and after a wrong answer, without further information."""
    weights: Floats
    """[2, inputs]: weights of both texts, families, features and embeddings."""
    centre: Floats
    """[features]: means among the teacher's pairs."""
    scale: Floats
    """[features]: standard deviations among the teacher's pairs."""
    support: Floats
    """[pairs, features]: the teacher's pairs in standard deviations, for the squared exponential kernel."""
    pull: Floats
    """[2, pairs]: weight of each of these pairs."""

    @classmethod
    def taught(
        cls, inputs: PairFeatures, pairs: Sequence[BeliefPair], vectors: Floats | None, *, rng: np.random.Generator
    ) -> Self:
        """Learn from pairs that hold a teacher's chance as `pred`.

        vectors: embeddings of both questions side by side, [n, 2 dimensions].
        rng: draws `MOST_TUNED` of the pairs to fit the weights to, if there are more.
        """
        chances = np.clip([pair.pred for pair in pairs], 1 / 150, 149 / 150).astype(float)
        odds = np.log(chances / (1 - chances))
        centre, scale = inputs.features.mean(axis=0), inputs.features.std(axis=0)
        scale[scale < 1e-9] = 1.0
        support = standardised(inputs.features, centre, scale)
        parts = _parts(inputs, support, vectors)
        tuned = np.arange(len(odds))
        if len(odds) > MOST_TUNED:
            tuned = np.sort(rng.choice(len(odds), MOST_TUNED, replace=False))
        weights = _weights(_kernels(parts, support, tuned), inputs.sign[tuned], odds[tuned])
        shared, signed, noise = weights[0:-1:2], weights[1:-1:2], weights[-1]
        product = np.outer(inputs.sign, inputs.sign)
        covariance = noise * np.eye(len(odds))
        for index, kernel in enumerate(_kernels(parts, support, np.arange(len(odds)))):
            covariance += (shared[index] + signed[index] * product) * kernel
        dual = linalg.cho_solve(linalg.cho_factor(covariance), odds)
        # contribution of each pair to a pair after a right answer, and after a wrong one: [2, kernels, n]
        drawn = np.array([dual * (shared[:, None] + signed[:, None] * side * inputs.sign) for side in (-1.0, 1.0)])
        linear = [
            np.asarray((part.inputs.T @ drawn[:, index].T).T / part.scale) for index, part in enumerate(parts)
        ]  # fmt: skip
        return cls(drawn[:, -1].sum(axis=1), np.hstack(linear), centre, scale, support, drawn[:, -2])

    def odds(self, inputs: PairFeatures, vectors: Floats | None) -> Floats:
        """Log odds of each pair, within `FARTHEST`."""
        after = (inputs.sign > 0).astype(int)
        features = standardised(inputs.features, self.centre, self.scale)
        columns: Any = sparse.hstack(
            [sparse.csr_array(part.inputs) for part in _parts(inputs, features, vectors)], format="csr"
        )
        both = np.asarray(columns @ self.weights.T, dtype=float) + _near(features, self.support) @ self.pull.T + self.level
        return np.asarray(np.clip(both[np.arange(len(after)), after], -FARTHEST, FARTHEST), dtype=float)


def standardised(features: Floats, centre: Floats, scale: Floats) -> Floats:
    """Features in standard deviations, clipped at `CLIP`."""
    return np.clip((features - centre) / scale, -CLIP, CLIP)


def _parts(inputs: PairFeatures, features: Floats, vectors: Floats | None) -> list[_Part]:
    """The linear kernels. Rows of texts, families and vectors have length 1; features are in standard deviations."""
    parts = [_Part(inputs.first, 1.0), _Part(inputs.second, 1.0), _Part(inputs.families, 2.0)]
    parts.append(_Part(features, float(features.shape[1])))
    if vectors is not None:
        half = vectors.shape[1] // 2
        parts += [_Part(vectors[:, :half], 1.0), _Part(vectors[:, half:], 1.0)]
    return parts


def _near(features: Floats, support: Floats) -> Floats:
    """The squared exponential kernel, which falls to exp(-1) at the average distance of features."""
    apart = np.square(features).sum(axis=1)[:, None] + np.square(support).sum(axis=1) - 2 * features @ support.T
    return np.asarray(np.exp(-np.maximum(apart, 0) / (2 * features.shape[1])), dtype=float)


def _kernels(parts: Sequence[_Part], support: Floats, indices: NDArray[np.intp]) -> list[Floats]:
    """Kernel matrices: the linear ones, the squared exponential one and the constant, in this order."""
    linear = []
    for part in parts:
        rows = part.inputs[indices]
        product: Any = rows @ rows.T
        dense: Floats = np.asarray(product if isinstance(product, np.ndarray) else product.toarray(), dtype=np.float64)
        linear.append(dense / part.scale)
    return [*linear, _near(support[indices], support[indices]), np.ones((len(indices), len(indices)))]


def _weights(kernels: Sequence[Floats], sign: Floats, odds: Floats) -> Floats:
    """Weights that maximise the evidence, alternately shared and signed, and the noise: [2 kernels + 1]."""
    from scipy.optimize import minimize

    product = np.outer(sign, sign)
    every = [each for kernel in kernels for each in (kernel, kernel * product)]

    def cost(logs: Floats) -> tuple[float, Floats]:
        weights = np.exp(logs)
        total = weights[-1] * np.eye(len(odds))
        for weight, kernel in zip(weights, every, strict=False):
            total += weight * kernel
        factor = linalg.cho_factor(total, lower=True)
        inverse = linalg.cho_solve(factor, np.eye(len(odds)))
        dual = inverse @ odds
        value = 0.5 * float(odds @ dual) + float(np.log(np.diag(factor[0])).sum())
        bent = inverse - np.outer(dual, dual)
        slope = np.array([0.5 * float((bent * kernel).sum()) for kernel in every] + [0.5 * float(np.trace(bent))]) * weights
        off = (logs - _CENTRE) / _SPREAD
        return value + 0.5 * float(off @ off), slope + off / _SPREAD

    optimum = minimize(
        cost, np.full(len(every) + 1, _CENTRE), jac=True, method="L-BFGS-B", bounds=[(-9.0, 4.0)] * (len(every) + 1),
        options={"maxiter": _STEPS},
    )  # fmt: skip
    return np.asarray(np.exp(optimum.x), dtype=float)
