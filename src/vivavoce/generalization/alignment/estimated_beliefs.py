"""Average beliefs of a survey that kept them as people gave them, in place of those behind the paper's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vivavoce.formats.interval import CONFIDENCE, Estimate
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio
from vivavoce.generalization.answers import key_of
from vivavoce.generalization.beliefs import Beliefs
from vivavoce.generalization.config import Among
from vivavoce.generalization.pairs import Pair


@dataclass(frozen=True, slots=True)
class EstimatedBeliefs:
    """The three averages of `Beliefs`, each with its interval."""

    prior: Estimate
    after_right: Estimate
    after_wrong: Estimate

    def or_else(self, others: Beliefs) -> Beliefs:
        """As `Beliefs`; what the survey does not tell is taken from the others."""
        return Beliefs(
            **{
                name: value if (value := getattr(self, name).value) is not None else getattr(others, name)
                for name in ("prior", "after_right", "after_wrong")
            }
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {name: getattr(self, name).as_json() for name in ("prior", "after_right", "after_wrong")}


def estimate_beliefs(
    pairs: Sequence[Pair], *, rng: np.random.Generator, confidence: float = CONFIDENCE, among: Among = "all"
) -> EstimatedBeliefs:
    """Mean belief before, after a right answer and after a wrong one, over the pairs that hold raw beliefs, by their weights.

    Intervals allow for pairs that share a question or a person; see `resampling`. A mean without any belief has no value.

    Appendix C of `vafa2024` takes the posterior over all who saw such an answer, which is the default. A mixture of "no change"
    and "a change to this mean" then moves beliefs too little, since those who did not change are in the mean as well; `among`
    "changed" takes it over those who did, and the mixture has the mean posterior that was observed.

    >>> told = [Pair("a", f"b{n}", "t", "t", n % 2 == 0, prior=0.5, posterior=0.5 + 0.25 * (n % 2 == 0)) for n in range(8)]
    >>> found = estimate_beliefs(told, rng=np.random.default_rng(0))
    >>> found.prior.value, found.after_right.value, found.after_wrong.value
    (0.5, 0.75, 0.5)
    """
    rows = list(pairs)
    groups = [
        frozenset(
            {("question", key_of(row.q1)), ("question", key_of(row.q2))} | ({("person", row.person)} if row.person else set())
        )
        for row in rows
    ]
    sets = IndependentSets(groups, rng=rng, confidence=confidence)

    def mean(of: Callable[[Pair], float | None], counts: Callable[[Pair], bool]) -> Estimate:
        values = [of(row) if counts(row) else None for row in rows]
        weights = np.array([0.0 if value is None else row.weight for row, value in zip(rows, values, strict=True)])
        numbers = np.array([0.0 if value is None else value for value in values])
        return sets.estimate(Ratio(numbers * weights, weights, int(np.count_nonzero(weights))))

    def reached(row: Pair) -> bool:
        return among == "all" or bool(row.changed)

    return EstimatedBeliefs(
        prior=mean(lambda row: row.prior, lambda _: True),
        after_right=mean(lambda row: row.posterior, lambda row: row.previous_correct and reached(row)),
        after_wrong=mean(lambda row: row.posterior, lambda row: not row.previous_correct and reached(row)),
    )


def averages(
    pairs: Sequence[Pair],
    given: Mapping[str, float],
    *,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
    among: Among = "all",
) -> tuple[Beliefs, EstimatedBeliefs | None]:
    """The averages behind beliefs that nobody said: those given by name, else the raw ones among the pairs, else the paper's.

    Also the estimates from the pairs; None where no belief is raw.

    >>> averages([Pair("a", "b", "t", "t", True)], {"prior": 0.5}, rng=np.random.default_rng(0))
    (Beliefs(prior=0.5, after_right=0.663, after_wrong=0.551), None)
    """
    raw = [pair for pair in pairs if pair.posterior is not None]
    estimated = estimate_beliefs(raw, rng=rng, confidence=confidence, among=among) if raw else None
    return replace(estimated.or_else(Beliefs()) if estimated else Beliefs(), **given), estimated
