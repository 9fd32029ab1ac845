"""Models in both tests: explain-query-test and a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.interval import Estimate


@dataclass(frozen=True, slots=True)
class Pairing:
    """One model and category in both tests."""

    model: str
    category: str
    eqt: float
    benchmark: float
    eqt_rank: float
    """Among the models of the category, 1 the best; ties share the mean rank."""
    benchmark_rank: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two lists of numbers go together. Where there is too little for a correlation its value is None."""

    pearson: Estimate
    """95% by Fisher's z."""
    spearman: Estimate
    """95% by Fisher's z with the variance of Bonett and Wright."""
    p_pearson: float | None
    """Two-sided, by Student's t, as if observations were independent."""
    p_spearman: float | None
    problem: str = ""
    """Why there is no correlation."""


def correlation_as_json(correlation: Correlation) -> dict[str, Any]:
    """A correlation as JSON values."""
    return {
        "pearson": correlation.pearson.as_json(),
        "spearman": correlation.spearman.as_json(),
        "p_pearson": correlation.p_pearson,
        "p_spearman": correlation.p_spearman,
        "problem": correlation.problem,
    }
