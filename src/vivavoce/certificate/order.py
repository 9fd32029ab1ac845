"""Whether scores came in random order, as they do where the candidate is the same from the first question to the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from vivavoce.statistics.exchangeable import change_evidence

STRONG = 20.0
"""An e-value that a fixed candidate reaches with probability 1/20 at most."""
_CERTAIN = 700.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """The evidence that the candidate changed while it was examined; no verdict rests on it."""

    log_e: float
    """Natural logarithm of an e-value against "the order of the scores is chance"."""
    units: int
    """Questions or clusters."""
    after: int
    """After how many of them a change is likeliest, if there is one."""
    before: float
    """Mean score of these."""
    since: float
    """Mean score of the others."""

    @property
    def e_value(self) -> float:
        """Its expectation is at most 1 for a fixed candidate; `STRONG` or more comes once in 20 such examinations at most."""
        return exp(min(self.log_e, _CERTAIN))

    @property
    def changed(self) -> bool:
        """Whether the evidence is strong."""
        return self.log_e >= log(STRONG)

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "log_e_value": self.log_e,
            "units": self.units,
            "change_after": self.after,
            "score_before": self.before,
            "score_since": self.since,
            "changed": self.changed,
        }


def score_order(
    scores: ArrayLike, passing_grade: float, *, strata: ArrayLike | None = None, populations: Sequence[int | None] = (None,)
) -> ScoreOrder | None:
    """The evidence in the scores of units, in the order of drawing; None for fewer than two.

    Scores between 0 and 1 are taken as above or below three levels that are fixed beforehand: full marks, the passing grade,
    anything at all. The e-value is the mean of the three e-values, so one itself (`statistics.exchangeable`).

    >>> found = score_order([1.0] * 60 + [0.0] * 6, 0.7)
    >>> found.changed, found.after, found.before, found.since
    (True, 60, 1.0, 0.0)
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.size < 2:
        return None
    levels = (values >= 1 - _ROUNDING, values >= passing_grade - _ROUNDING, values > _ROUNDING)
    found = [change_evidence(level, strata=strata, populations=populations) for level in levels]
    after = max(found).after
    log_e = float(logsumexp([change.log_e for change in found]) - log(len(found)))
    return ScoreOrder(
        log_e=max(-_CERTAIN, min(_CERTAIN, log_e)),
        units=values.size,
        after=after,
        before=float(values[:after].mean()),
        since=float(values[after:].mean()),
    )
