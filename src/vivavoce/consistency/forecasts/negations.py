"""In what way strong contradictions between an event and its negation fail (`fluri2024`, appendix C.3.1).

The paper read replies of GPT-3.5-turbo and found that "not" was not understood, the opposite question answered, or the answer
given for the original event. All three leave one trace in the numbers: the event and its negation get the same one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.formats.interval import Estimate
from vivavoce.statistics.bounded import share_estimate

SAME_WITHIN: Final = 0.05
"""Two forecasts that differ by no more count as the same number: the paper's own measure of what rounding can do."""
_ROUNDING: Final = 1e-9


class Failure(StrEnum):
    """How the forecasts P and not_P of a strong contradiction lie; each contradiction is the first of these that it can be."""

    SAME = "same number"
    """They differ by at most .05: the negation was not heard, whatever the reason."""
    BOTH_HIGH = "both high"
    """Neither is below .5."""
    BOTH_LOW = "both low"
    """Neither is above .5."""
    NOT_ADDING_UP = "one high, one low"
    """The negation was heard, but they do not sum to 1."""


@dataclass(frozen=True, slots=True)
class FailedNegations:
    """The strong contradictions of one forecaster on negation, by kind."""

    forecaster: str
    n: int
    """Strong contradictions."""
    kinds: Mapping[Failure, Estimate]
    """Shares of them; intervals allow for tuples that share base questions. Together 1."""

    def as_json(self) -> dict[str, Any]:
        """The shares as JSON values."""
        kinds = {kind.value: estimate.as_json() for kind, estimate in self.kinds.items()}
        return {"forecaster": self.forecaster, "strong": self.n, "kinds": kinds}


def failure(event: float, negation: float) -> Failure:
    """The kind of two forecasts that contradict each other strongly.

    >>> [failure(*said).value for said in ((0.9, 0.9), (0.9, 0.6), (0.1, 0.3), (0.9, 0.4))]
    ['same number', 'both high', 'both low', 'one high, one low']
    """
    if abs(event - negation) <= SAME_WITHIN + _ROUNDING:
        return Failure.SAME
    if min(event, negation) >= 0.5:
        return Failure.BOTH_HIGH
    return Failure.BOTH_LOW if max(event, negation) <= 0.5 else Failure.NOT_ADDING_UP


def failed_negations(scored: Sequence[Scored]) -> tuple[FailedNegations, ...]:
    """Of each forecaster with a strong contradiction on negation, in their order."""
    failed: dict[str, list[tuple[Failure, tuple[str, ...]]]] = {}
    for one in scored:
        event, negation = (one.row.forecasts.get(key) for key in ("P", "not_P"))
        if one.row.law == "neg" and one.strong and event is not None and negation is not None:
            failed.setdefault(one.row.forecaster, []).append((failure(event, negation), one.row.base))
    return tuple(_counted(name, found) for name, found in failed.items())


def _counted(forecaster: str, found: Sequence[tuple[Failure, tuple[str, ...]]]) -> FailedNegations:
    kinds = {}
    for kind in Failure:
        kinds[kind] = share_estimate([one is kind for one, _ in found], [base for _, base in found])
    return FailedNegations(forecaster, len(found), kinds)
