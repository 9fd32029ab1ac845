"""Each tuple by itself: how far its forecasts are from obeying their law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vivavoce.consistency.forecasts.rows import Row
from vivavoce.laws import QUANTITIES, Law, law_named, violations
from vivavoce.laws.builtin import is_named
from vivavoce.laws.metrics import frequentist, is_strong, metric, most
from vivavoce.laws.monotone import monotonicity


@dataclass(frozen=True, slots=True)
class Scored:
    """One tuple with its numbers; all of them None where a forecast could not be read."""

    row: Row
    metric: float | None = None
    """The paper's metric where it has one, else the difference of the law's sides (`laws.metrics`)."""
    violation: float | None = None
    """Distance to the nearest coherent forecasts, in nats; None for quantities, too."""
    gap: float | None = None
    """Nats by which `violation` can be too large, at most."""
    repair: Mapping[str, float] | None = None
    """The nearest coherent forecasts; of a series of quantities, the nearest one in the right order."""
    frequentist: float | None = None
    """The difference of the law's sides in standard errors; None for quantities and users' own laws, too."""

    own: bool = False
    """Whether the law is a user's own."""

    @property
    def strong(self) -> bool | None:
        """Whether the violation is strong: the metric is above .2, or not below it on a user's own law."""
        return None if self.metric is None else bool(is_strong(self.metric, own=self.own))

    def as_json(self) -> dict[str, Any]:
        """The tuple as JSON values; the names are part of the public face."""
        return {
            "line": self.row.line,
            "id": self.row.id,
            "forecaster": self.row.forecaster,
            "law": self.row.law,
            "forecasts": dict(self.row.forecasts),
            "violation": self.violation,
            "gap": self.gap,
            "repair": None if self.repair is None else dict(self.repair),
            "frequentist": self.frequentist,
            "metric": self.metric,
            "strong": self.strong,
            "unreadable": [key for key, value in self.row.forecasts.items() if value is None],
        }


def score_each(rows: Sequence[Row]) -> list[Scored]:
    """The numbers of each row, in their order; rows of one law are reckoned together.

    >>> score_each([Row("model", "neg", {"P": 0.3, "not_P": 0.9})])[0].metric
    0.2
    """
    scored = [Scored(row) for row in rows]
    groups: dict[Law, list[int]] = {}
    for place, row in enumerate(rows):
        if not row.readable:
            continue
        if row.law in QUANTITIES:
            found = monotonicity(row.law, _readable(row))
            scored[place] = Scored(row, metric=round(found.metric, 12), repair=found.repair)
        else:
            groups.setdefault(law_named(row.law, tuple(row.forecasts)), []).append(place)
    for law, places in groups.items():
        for place, one in zip(places, _of_law(law, [rows[place] for place in places]), strict=True):
            scored[place] = one
    return scored


def largest_metric(row: Row) -> float:
    """What the metric of a row's law can be at most."""
    return 1.0 if row.law in QUANTITIES else most(law_named(row.law, tuple(row.forecasts)))


def _of_law(law: Law, rows: Sequence[Row]) -> list[Scored]:
    forecasts = np.array([[row.forecasts[key] for key in law.keys] for row in rows], dtype=float)
    found = violations(law, forecasts)
    metrics, standard = metric(law, forecasts, found.repair), frequentist(law, forecasts)
    return [
        Scored(
            row,
            metric=round(float(metrics[place]), 12),
            violation=float(found.value[place]),
            gap=float(found.gap[place]),
            repair=dict(zip(law.keys, found.repair[place].tolist(), strict=True)),
            frequentist=None if standard is None else float(standard[place]),
            own=not is_named(law),
        )
        for place, row in enumerate(rows)
    ]


def _readable(row: Row) -> dict[str, float]:
    return {key: value for key, value in row.forecasts.items() if value is not None}
