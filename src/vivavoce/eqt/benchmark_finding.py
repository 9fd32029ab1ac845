"""What EQT compared with a benchmark shows, as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.eqt.caveats import of_benchmark
from vivavoce.eqt.wording import headline_of_benchmark, others_of_benchmark
from vivavoce.interview.finding import Estimate, Signature


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


@dataclass(frozen=True, slots=True)
class EqtBenchmark:
    """EQT compared with a benchmark, as Figure 3 of the paper."""

    benchmark: str
    """Where the benchmark's figures come from."""
    pairings: tuple[Pairing, ...]
    overall: Correlation
    """Over all pairs of model and category; they are not independent (`caveats`)."""
    between_models: Correlation
    """Over the models' means."""
    within_categories: Correlation
    """Of what is left when each category's mean is taken off."""
    p_models: float | None
    """The chance of an overall Pearson correlation at least as far from 0, were the models' names in the benchmark drawn again.

    It takes a model's categories together, as they are not independent. None where fewer than four models have all categories.
    """
    matches: int
    """Pairings with equal ranks."""
    matches_by_chance: float
    """How many pairings would have equal ranks on average, were the models of each category shuffled."""
    unmatched: tuple[str, ...]
    """Models or categories that only one of the two has."""
    signature: Signature

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return headline_of_benchmark(self)

    @property
    def others(self) -> str:
        """What comes next, in a sentence or two; may be empty."""
        return others_of_benchmark(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the correlation does not show."""
        return of_benchmark(self)

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "statement": self.statement,
            "benchmark": self.benchmark,
            "pairings": [asdict(pairing) for pairing in self.pairings],
            "overall": correlation_as_json(self.overall),
            "between_models": correlation_as_json(self.between_models),
            "within_categories": correlation_as_json(self.within_categories),
            "p_models": self.p_models,
            "matches": self.matches,
            "matches_by_chance": self.matches_by_chance,
            "unmatched": list(self.unmatched),
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def correlation_as_json(correlation: Correlation) -> dict[str, Any]:
    """A correlation as JSON values."""
    return {
        "pearson": correlation.pearson.as_json(),
        "spearman": correlation.spearman.as_json(),
        "p_pearson": correlation.p_pearson,
        "p_spearman": correlation.p_spearman,
        "problem": correlation.problem,
    }
