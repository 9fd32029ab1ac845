"""Figures of Tables 3, 4 and 11 to 13 of `fluri2024`, for comparison.

Table 3 is the temperature-0 part of Table 11, and Table 4 collects the temperature-0 rows of Tables 11, 12 and 13. So the
twelve rows here are everything in the five tables. The shares are printed in per cent without intervals; each matches exactly
one count, and its interval is computed from that. The means have no more digits than are printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper

TUPLES: Final[Mapping[str, int]] = MappingProxyType({"neg": 175, "paraphrase": 104, "monotone": 50, "bayes": 51})
"""Number of tuples of each check (section 6.2)."""
_COLUMN: Final[Mapping[str, str]] = MappingProxyType({"increasing": "monotone", "decreasing": "monotone"})
"""Our laws whose column in the paper has another name."""
_TAIL = 0.025


@dataclass(frozen=True, slots=True)
class PublishedCheck:
    """The paper's figures for one model on one check."""

    strong: Estimate
    """Share of strong violations, with Clopper and Pearson's interval of its count."""
    mean: float
    """Mean of the metric."""


@dataclass(frozen=True, slots=True)
class PublishedForecastRow:
    """The paper's figures for one model, temperature and prompt."""

    model: str
    temperature: float
    variant: str
    """The prompt, as in `ForecastsConfig.variant`."""
    checks: Mapping[str, PublishedCheck]
    """Figures by the keys of `TUPLES`."""

    def of(self, law: str) -> PublishedCheck | None:
        """The figures for a law; None if the paper has none.

        >>> row = published_rows()[0]
        >>> row.model, row.of("decreasing") is row.of("increasing"), row.of("and")
        ('GPT-3.5-turbo', True, None)
        """
        return self.checks.get(_COLUMN.get(law, law))


def published_laws(laws: tuple[str, ...]) -> tuple[str, ...]:
    """The laws among these that the paper has figures for.

    >>> published_laws(("neg", "and", "increasing"))
    ('neg', 'increasing')
    """
    return tuple(law for law in laws if _COLUMN.get(law, law) in TUPLES)


def counted(printed: float, n: int) -> int:
    """The only count whose share of `n` is printed like this. Raises `ValueError` if there are several or none.

    >>> counted(52.6, 175)
    92
    """
    (count,) = (number for number in range(n + 1) if abs(100 * number / n - printed) <= 0.05 + 1e-9)
    return count


def _published(printed: str, mean: str, n: int) -> PublishedCheck:
    count = counted(float(printed), n)
    interval = Interval(clopper_pearson_lower(count, n, _TAIL), clopper_pearson_upper(count, n, _TAIL))
    return PublishedCheck(Estimate(count / n, interval, n), float(mean))


def _row(line: str) -> PublishedForecastRow:
    variant, model, temperature, *figures = line.split()
    checks = {
        law: _published(figures[2 * index], figures[2 * index + 1], n)
        for index, (law, n) in enumerate(TUPLES.items())
        if figures[2 * index] != "-"
    }
    return PublishedForecastRow(model, float(temperature), variant, MappingProxyType(checks))


@cache
def published_rows() -> tuple[PublishedForecastRow, ...]:
    """All rows as printed.

    >>> len(published_rows())
    12
    """
    text = files("vivavoce.studies.forecasting").joinpath("published.txt").read_text(encoding="utf-8")
    return tuple(_row(line) for line in text.splitlines() if not line.startswith("#"))
