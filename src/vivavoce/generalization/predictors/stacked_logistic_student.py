"""What a teacher says about any pair: a Gaussian process that learns its log odds, with its kernel's weights by evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vivavoce.generalization.pairs import Floats, Pair
from vivavoce.generalization.predictors.stacked_logistic_features import PairFeatures

MOST_TAUGHT: Final = 3_000
"""Soft labels that are learned from, drawn at random where there are more; the time grows with their cube."""
MOST_TUNED: Final = 400
"""Of them, those by which the kernel's weights are found."""
FARTHEST: Final = 5.0
"""Log odds that a student speaks of at most: no teacher is surer than 0.7%."""
CLIP: Final = 4.0
"""Standard deviations from the mean that a feature is taken to be at most."""
_CENTRE, _SPREAD = -2.0, 3.0
"""Of the logarithms of the kernel's weights, in squared log odds, before any label is seen: all that a teacher may be."""
_STEPS: Final = 40


class _Part(NamedTuple):
    """Inputs whose products make pairs alike, [n, inputs], scaled so that a pair's likeness to itself is 1 on average."""

    inputs: Any
    scale: float


@dataclass(frozen=True, slots=True)
class TeacherProcess:
    """Log odds of a change that the teacher would give: the mean of a Gaussian process (`rasmussen2006`).

    Two pairs are alike by the text of the first question, by that of the second, by the families of their tasks, by their
    features in a linear way and in a curved one, and by sentence embeddings where there are some. Each of these has a weight
    that counts after both answers alike, and one that counts with the sign of the answer; all weights are those of the
    greatest evidence.
    """

    level: Floats
    """[2]: log odds after a right answer, and after a wrong one, where nothing else is known."""
    weights: Floats
    """[2, inputs]: of both texts, families, features and embeddings."""
    centre: Floats
    """[features]: their means among the pairs taught."""
    scale: Floats
    """[features]: their standard deviations."""
    support: Floats
    """[pairs, features]: of the pairs taught, in standard deviations, for the curved part."""
    pull: Floats
    """[2, pairs]: how much each of them draws what is near it."""

    @classmethod
    def taught(cls, look: PairFeatures, pairs: Sequence[Pair], vectors: Floats | None, *, rng: np.random.Generator) -> Self:
        """Learn from pairs that carry a teacher's chance as `pred`.

        Parameters
        ----------
        vectors: embeddings of both questions side by side, [n, 2 dimensions].
        rng: draws the pairs by which the weights are found, where there are more than `MOST_TUNED`.
        """
        chances = np.clip([pair.pred for pair in pairs], 1 / 150, 149 / 150).astype(float)
        odds = np.log(chances / (1 - chances))
        centre, scale = look.features.mean(axis=0), look.features.std(axis=0)
        scale[scale < 1e-9] = 1.0
        support = standardised(look.features, centre, scale)
        parts = _parts(look, support, vectors)
        tuned = np.arange(len(odds))
        if len(odds) > MOST_TUNED:
            tuned = np.sort(rng.choice(len(odds), MOST_TUNED, replace=False))
        found = _weights(_kernels(parts, support, tuned), look.sign[tuned], odds[tuned])
        shared, signed, noise = found[0:-1:2], found[1:-1:2], found[-1]
        product = np.outer(look.sign, look.sign)
        likeness = noise * np.eye(len(odds))
        for place, kernel in enumerate(_kernels(parts, support, np.arange(len(odds)))):
            likeness += (shared[place] + signed[place] * product) * kernel
        dual = linalg.cho_solve(linalg.cho_factor(likeness), odds)
        # What each pair adds for a pair after a right answer, and after a wrong one: [2, kernels, n].
        drawn = np.array([dual * (shared[:, None] + signed[:, None] * side * look.sign) for side in (-1.0, 1.0)])
        linear = [
            np.asarray((part.inputs.T @ drawn[:, place].T).T / part.scale) for place, part in enumerate(parts)
        ]  # fmt: skip
        return cls(drawn[:, -1].sum(axis=1), np.hstack(linear), centre, scale, support, drawn[:, -2])

    def odds(self, look: PairFeatures, vectors: Floats | None) -> Floats:
        """Log odds of each pair, within `FARTHEST`."""
        after = (look.sign > 0).astype(int)
        features = standardised(look.features, self.centre, self.scale)
        inputs: Any = sparse.hstack([sparse.csr_array(part.inputs) for part in _parts(look, features, vectors)], format="csr")
        both = np.asarray(inputs @ self.weights.T, dtype=float) + _near(features, self.support) @ self.pull.T + self.level
        return np.asarray(np.clip(both[np.arange(len(after)), after], -FARTHEST, FARTHEST), dtype=float)


def standardised(features: Floats, centre: Floats, scale: Floats) -> Floats:
    """In standard deviations; what lies far beyond all that was seen is taken to lie at a border."""
    return np.clip((features - centre) / scale, -CLIP, CLIP)


def _parts(look: PairFeatures, features: Floats, vectors: Floats | None) -> list[_Part]:
    """All that is linear. Rows of texts, families and vectors have length 1, features are in standard deviations."""
    found = [_Part(look.first, 1.0), _Part(look.second, 1.0), _Part(look.families, 2.0)]
    found.append(_Part(features, float(features.shape[1])))
    if vectors is not None:
        half = vectors.shape[1] // 2
        found += [_Part(vectors[:, :half], 1.0), _Part(vectors[:, half:], 1.0)]
    return found


def _near(features: Floats, support: Floats) -> Floats:
    """Likeness that falls with the square of the distance, at the distance that features have on average to exp(-1)."""
    apart = np.square(features).sum(axis=1)[:, None] + np.square(support).sum(axis=1) - 2 * features @ support.T
    return np.asarray(np.exp(-np.maximum(apart, 0) / (2 * features.shape[1])), dtype=float)


def _kernels(parts: Sequence[_Part], support: Floats, places: NDArray[np.intp]) -> list[Floats]:
    """Of the linear parts, the curved one and the level, in this order."""
    found = []
    for part in parts:
        rows = part.inputs[places]
        product: Any = rows @ rows.T
        dense: Floats = np.asarray(product if isinstance(product, np.ndarray) else product.toarray(), dtype=np.float64)
        found.append(dense / part.scale)
    return [*found, _near(support[places], support[places]), np.ones((len(places), len(places)))]


def _weights(kernels: Sequence[Floats], sign: Floats, odds: Floats) -> Floats:
    """Weights of the greatest evidence, shared and signed by turns, and the noise: [2 kernels + 1]."""
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

    found = minimize(
        cost, np.full(len(every) + 1, _CENTRE), jac=True, method="L-BFGS-B", bounds=[(-9.0, 4.0)] * (len(every) + 1),
        options={"maxiter": _STEPS},
    )  # fmt: skip
    return np.asarray(np.exp(found.x), dtype=float)
