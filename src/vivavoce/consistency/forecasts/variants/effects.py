"""Counting: what each way to ask does to each law, against the first way, on the same tuples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from vivavoce.consistency.forecasts.compare import compared, holm, matched
from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.summary import Paired
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounded import bounded_mean

Word = Literal["mended", "harmed", "not shown", "too few"]
LEVEL: Final = 0.05
"""Of all comparisons together."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one way to ask does to one law."""

    variant: str
    law: str
    n: int
    """Tuples whose forecasts could all be read both ways."""
    mean: Estimate
    """Mean of the metric less that of the first way: below 0 it contradicts itself less."""
    strong: Estimate
    """The same difference of the shares of strong violations."""
    p: float | None
    """That the mean difference is chance, by `statistics.paired.paired_test`; None for too few tuples."""
    p_adjusted: float | None
    """After Holm, for all comparisons with the first way."""

    @property
    def word(self) -> Word:
        """What may be said of it, if any wrong word among all of them is to have a chance of at most 5%."""
        if self.p_adjusted is None:
            return "too few"
        if self.p_adjusted > LEVEL or not self.mean.value:
            return "not shown"
        return "mended" if self.mean.value < 0 else "harmed"

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "n": self.n,
            "mean": self.mean.as_json(),
            "strong": self.strong.as_json(),
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "effect": self.word,
        }


def effects(scored: Iterable[Scored], variants: Sequence[str], *, rng: np.random.Generator) -> tuple[Effect, ...]:
    """Every way but the first on every law, in this order, with p-values adjusted for all of them (`holm1979`).

    scored: tuples whose forecaster is the variant's label. The control is no law, and is not compared.

    >>> from vivavoce.consistency.forecasts.each import score_each
    >>> from vivavoce.consistency.forecasts.rows import Row
    >>> said = {"a": 0.01, "b": 0.0}
    >>> rows = [Row(way, "neg", {"P": 0.3, "not_P": 0.7 + n * said[way]}, str(n)) for way in said for n in range(25)]
    >>> [effect.word for effect in effects(score_each(rows), ("a", "b"), rng=np.random.default_rng(0))]
    ['mended']
    """
    groups: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        if one.row.law != CONTROL:
            groups.setdefault((one.row.forecaster, one.row.law), []).append(one)
    first, *others = variants
    _, found = compared(groups, [(other, first) for other in others], rng=rng)
    return tuple(_effect(one, groups) for one in holm(found))


def _effect(one: Paired, groups: Mapping[tuple[str, str], Sequence[Scored]]) -> Effect:
    both = matched(groups[one.first, one.law], groups[one.second, one.law]) or []
    read = [(this, other) for this, other in both if this.metric is not None and other.metric is not None]
    shared = [this.row.base or other.row.base for this, other in read]
    strong = [float(bool(this.strong)) - float(bool(other.strong)) for this, other in read]
    bounds = Interval(*bounded_mean(strong, shared, smallest=-1.0))
    share = Estimate(float(np.mean(strong)) if strong else None, bounds, len(strong))
    return Effect(one.first, one.law, one.n, one.difference, share, one.p, one.p_adjusted)


def by_cell(found: Iterable[Effect]) -> dict[tuple[str, str], Effect]:
    """The effects by variant and law."""
    return {(effect.variant, effect.law): effect for effect in found}
