"""What a teacher says about any pair: its soft labels, learned by ridge regression on text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.own_features import Look

FAMILY_SHARE: Final = 0.5
"""Of the families in what makes two pairs alike, where each question's text has 1 and all features together have 1."""
RIDGES: Final = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Candidates for the penalty, in shares of the mean diagonal of the kernel."""
FOLDS: Final = 5
MOST_TAUGHT: Final = 3_000
"""Soft labels that are learned from, drawn at random where there are more; the time grows with their cube."""
_FARTHEST: Final = 5.0
"""Log odds that a student speaks of at most: no teacher is surer than 0.7%."""


@dataclass(frozen=True, slots=True)
class Student:
    """Log odds of a change that the teacher would give, as a linear function of a pair's text, task and features.

    After right and after wrong answers the function is another one; both share a common part and have one of their own of the
    same size, so that each learns from the other.
    """

    level: Floats
    """[2]: the teacher's mean log odds after a right answer, and after a wrong one."""
    weights: Floats
    """[2, inputs]."""
    centre: Floats
    """[features]: their means among the pairs taught."""
    scale: Floats
    """[features]: their standard deviations."""

    @classmethod
    def taught(cls, look: Look, pairs: Sequence[Pair]) -> Self:
        """Learn from pairs that carry a teacher's chance as `pred`; the penalty is the one that predicts held-out pairs best.

        Pairs that share a question are held out together. Penalised regression is solved in its dual form, since there are
        fewer pairs than weights.
        """
        after = (look.sign > 0).astype(int)
        chances = np.clip([pair.pred for pair in pairs], 1 / 150, 149 / 150).astype(float)
        odds = np.log(chances / (1 - chances))
        centre, scale = look.features.mean(axis=0), look.features.std(axis=0)
        scale[scale < 1e-9] = 1.0
        inputs = _inputs(look, centre, scale)
        likeness = (inputs @ inputs.T).toarray() * (1.0 + (after[:, None] == after))
        levels = _levels(odds, after)
        ridge = _best_ridge(likeness, odds, after, folds_by_question(pairs, FOLDS)) * float(np.mean(np.diag(likeness)))
        dual = _solve(likeness, odds - levels[after], ridge)
        weights = np.vstack([inputs.T @ (dual * (1.0 + (after == side))) for side in (0, 1)])
        return cls(levels, weights, centre, scale)

    def odds(self, look: Look) -> tuple[Floats, Floats]:
        """Log odds of each pair, and the part of them that the pair's text has, beyond the mean after such an answer."""
        after = (look.sign > 0).astype(int)
        both = np.asarray(_inputs(look, self.centre, self.scale) @ self.weights.T, dtype=float)
        part = np.clip(both[np.arange(len(after)), after], -_FARTHEST, _FARTHEST)
        return np.clip(part + self.level[after], -_FARTHEST, _FARTHEST), part


def folds_by_question(pairs: Sequence[Pair], folds: int) -> NDArray[np.int64]:
    """A fold for each pair, the same for pairs that share a question, also by way of others; whatever order they come in.

    >>> a, b, c = (Pair(q1, q2, "t", "t", previous_correct=True) for q1, q2 in [("1", "2"), ("2", "3"), ("4", "5")])
    >>> found = folds_by_question([a, b, c], 2)
    >>> bool(found[0] == found[1] != found[2])
    True
    """
    leader: dict[str, str] = {}

    def lead(question: str) -> str:
        while leader.setdefault(question, question) != question:
            leader[question] = leader[leader[question]]
            question = leader[question]
        return question

    for pair in pairs:
        low, high = sorted((lead(pair.q1), lead(pair.q2)))
        leader[high] = low  # the first by alphabet leads, so that the order of pairs does not matter
    leaders = [lead(pair.q1) for pair in pairs]
    shuffled = sorted(set(leaders), key=lambda question: (crc32(question.encode("utf-8", "replace")), question))
    fold = {question: index % folds for index, question in enumerate(shuffled)}
    return np.array([fold[question] for question in leaders], dtype=np.int64)


def _inputs(look: Look, centre: Floats, scale: Floats) -> sparse.csr_array:
    """All that the student sees, a pair a row: both texts, both families, features."""
    features = (look.features - centre) / scale / np.sqrt(len(centre))
    rest = sparse.csr_array(np.hstack([look.families * np.sqrt(FAMILY_SHARE), features]))
    blocks: Any = [look.first, look.second, rest]
    return sparse.csr_array(sparse.hstack(blocks, format="csr"))


def _levels(odds: Floats, after: NDArray[np.int64]) -> Floats:
    """The mean after a right answer and after a wrong one; the mean of all where the teacher was silent on one of them."""
    return np.array([odds[after == side].mean() if (after == side).any() else odds.mean() for side in (0, 1)])


def _solve(likeness: Floats, rest: Floats, ridge: float) -> Floats:
    return np.asarray(linalg.cho_solve(linalg.cho_factor(likeness + ridge * np.eye(len(rest))), rest), dtype=float)


def _best_ridge(likeness: Floats, odds: Floats, after: NDArray[np.int64], folds: NDArray[np.int64]) -> float:
    """The penalty with the least squared error on folds held out; the largest where there are too few to hold any out."""
    if len(set(folds.tolist())) < FOLDS:
        return max(RIDGES)
    errors = dict.fromkeys(RIDGES, 0.0)
    diagonal = float(np.mean(np.diag(likeness)))
    for fold in range(FOLDS):
        kept, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        levels = _levels(odds[kept], after[kept])
        for ridge in RIDGES:
            dual = _solve(likeness[np.ix_(kept, kept)], odds[kept] - levels[after[kept]], ridge * diagonal)
            guess = likeness[np.ix_(held, kept)] @ dual + levels[after[held]]
            errors[ridge] += float(np.square(odds[held] - guess).sum())
    return min(RIDGES, key=lambda ridge: errors[ridge])
