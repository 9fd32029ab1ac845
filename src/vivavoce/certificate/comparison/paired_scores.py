"""What all candidates of a comparison earned, question by question: what comparisons on several scopes together rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.comparison.evidence import Pair, differences
from vivavoce.statistics.betting import Floats


@dataclass(frozen=True, slots=True, eq=False)
class PairedScores:
    """Scores in drawn order, each question alike."""

    least: Floats
    """The least that each answer is worth: shape (K, n)."""
    most: Floats
    """The most: the same where it could be read."""
    counted: NDArray[np.intp]
    """Of each pair, how many of the questions count: shape (P,)."""
    population: int | None
    """How many there are, each drawn once; None: draws are i.i.d."""

    def differences(self, pairs: list[Pair]) -> tuple[Floats, Floats]:
        """The least and the most of each pair's differences: shape (P, n), with NaN after the last that counts.

        >>> scores = np.array([[1.0, 0.0], [0.0, 0.0]])
        >>> PairedScores(scores, scores, np.array([1]), None).differences([(0, 1)])[0]
        array([[ 1., nan]])
        """
        places = np.array(pairs, dtype=np.intp).reshape(len(pairs), 2)
        over = np.arange(self.least.shape[1]) >= self.counted[:, None]
        low, high = (np.where(over, np.nan, ends) for ends in differences(places, self.least, self.most))
        return low, high
