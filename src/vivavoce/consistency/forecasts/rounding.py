"""How often forecasters say round numbers (`fluri2024`, appendix C.3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.formats.interval import Estimate
from vivavoce.laws import QUANTITIES
from vivavoce.statistics.bounded import share_estimate

TWO_DECIMALS: Final = (21 / 101, 11 / 101)
"""Multiples of 5% and of 10% among the whole percentages from 0 to 100."""
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Rounding:
    """Shares of round numbers among the probabilities that one forecaster gave to different questions."""

    forecaster: str
    fives: Estimate
    """Multiples of 5%, 0 and 100% among them; the interval allows for questions of one tuple."""
    tens: Estimate
    """Multiples of 10%, which are multiples of 5% as well."""

    def as_json(self) -> dict[str, Any]:
        """The shares as JSON values."""
        return {"forecaster": self.forecaster, "multiples_of_5": self.fives.as_json(), "multiples_of_10": self.tens.as_json()}


def is_multiple(probability: float, percent: int) -> bool:
    """Whether a probability is a multiple of so many per cent.

    >>> is_multiple(0.35, 5), is_multiple(0.35, 10), is_multiple(0.3, 10), is_multiple(0.352, 5)
    (True, False, True, False)
    """
    times = probability * 100 / percent
    return abs(times - round(times)) < _ROUNDING


def roundings(scored: Sequence[Scored]) -> tuple[Rounding, ...]:
    """Of each forecaster that gave a probability, in their order."""
    of: dict[str, list[Scored]] = {}
    for one in scored:
        of.setdefault(one.row.forecaster, []).append(one)
    return tuple(found for name, said in of.items() if (found := _rounding(name, said)))


def _rounding(forecaster: str, scored: Iterable[Scored]) -> Rounding | None:
    """None where there is no probability. A question that stands in several tuples counts once; the control does not count."""
    said: dict[object, tuple[float, tuple[str, ...]]] = {}
    for one in scored:
        row = one.row
        if row.law == CONTROL or row.law in QUANTITIES:
            continue
        of_tuple = (row.law, row.id, str(row.line))
        for key, value in row.forecasts.items():
            if value is not None:
                said.setdefault(row.questions.get(key) or (*of_tuple, key), (value, row.base or ("\0".join(of_tuple),)))
    if not said:
        return None
    values, groups = zip(*said.values(), strict=True)
    return Rounding(forecaster, _share(values, groups, 5), _share(values, groups, 10))


def _share(values: Sequence[float], groups: Sequence[tuple[str, ...]], percent: int) -> Estimate:
    return share_estimate([is_multiple(value, percent) for value in values], groups)
