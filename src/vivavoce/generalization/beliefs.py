"""What people believe after they saw an answer, from the chance that their belief changed at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Average beliefs that a question is answered right, as in Appendix C of `vafa2024`.

    The paper's text gives no numbers; these are the ones under which its Tables 2 and 5 come out to the last digit.

    >>> [round(float(b), 4) for b in Beliefs().after([0.0, 1.0, 0.5], [True, True, False])]
    [0.629, 0.663, 0.59]
    """

    prior: float = 0.629
    after_right: float = 0.663
    """Mean belief about another question once one was seen answered right."""
    after_wrong: float = 0.551

    def __post_init__(self) -> None:
        for name, value in (("prior", self.prior), ("after right", self.after_right), ("after wrong", self.after_wrong)):
            if not 0 <= value <= 1:
                raise BadInput(f"the belief {name} is {value}: it is from 0 to 1")

    def after(self, change: ArrayLike, previous_correct: ArrayLike) -> Floats:
        """Posterior beliefs: a mixture of no change, which leaves the prior, and a change to the mean after such an answer.

        Parameters
        ----------
        change: predicted chance that the belief changes, one a pair.
        previous_correct: whether the answer that was shown was right, one a pair.
        """
        chance = np.asarray(change, dtype=float)
        reached = np.where(np.asarray(previous_correct, dtype=bool), self.after_right, self.after_wrong)
        return np.asarray((1 - chance) * self.prior + chance * reached, dtype=float)
