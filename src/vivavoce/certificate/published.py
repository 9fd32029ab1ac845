"""Tables 1-4 of `leytonbrown2024`: confidence bounds for a fixed number of answers, recomputed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from vivavoce.statistics.bounds import hoeffding_upper, kl_lower, kl_upper

LOWER_DELTA: Final = 0.05
UPPER_DELTA: Final = 0.025
RARE: Final = 0.01
"""A rate of unacceptable answers, of which the tables give the lower bound."""

Bound = Callable[[float, int, float], float]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of bounds, as the paper prints it."""

    title: str
    heads: tuple[str, ...]
    digits: int
    rows: tuple[tuple[float, ...], ...]
    """Each with the number of answers, and a bound for each other head."""

    @property
    def cells(self) -> Iterator[tuple[str, ...]]:
        """The rows as text."""
        for n, *bounds in self.rows:
            yield (f"{n:.0f}", *(f"{bound:.{self.digits}f}" for bound in bounds))


def published_tables() -> tuple[PublishedTable, ...]:
    """The four tables. Those of Hoeffding follow the paper, whose bounds lack a 2 under the root (`statistics.bounds`).

    >>> next(published_tables()[0].cells)
    ('10', '0.545253', '0.999023', '0.164322', '0.861187')
    """
    return (
        _of_scores("1. Bounds of the score, by relative entropy", kl_lower, kl_upper, most=6),
        _of_rates("2. Bounds of the rate of unacceptable answers, by relative entropy", kl_lower, kl_upper, digits=7, most=6),
        _of_scores("3. Bounds of the score, by Hoeffding's inequality", _hoeffding_lower, _hoeffding_upper, most=7),
        _of_rates(
            "4. Bounds of the rate of unacceptable answers, by Hoeffding's inequality",
            _hoeffding_lower, _hoeffding_upper, digits=6, most=7,
        ),
    )  # fmt: skip


def _of_scores(title: str, lower: Bound, upper: Bound, *, most: int) -> PublishedTable:
    means = (0.9, 0.5)
    heads = tuple(f"{name}({mean}, n, {delta})" for mean in means for name, delta in (("L", LOWER_DELTA), ("U", UPPER_DELTA)))
    rows = (
        (n, *(bound for mean in means for bound in (lower(mean, n, LOWER_DELTA), upper(mean, n, UPPER_DELTA))))
        for n in _answers(most)
    )
    return PublishedTable(title, ("n", *heads), 6, tuple(rows))


def _of_rates(title: str, lower: Bound, upper: Bound, *, digits: int, most: int) -> PublishedTable:
    heads = (f"U(0, n, {LOWER_DELTA})", f"U(3/n, n, {LOWER_DELTA})", f"L({RARE}, n, {UPPER_DELTA})")
    rows = ((n, upper(0, n, LOWER_DELTA), upper(3 / n, n, LOWER_DELTA), lower(RARE, n, UPPER_DELTA)) for n in _answers(most))
    return PublishedTable(title, ("n", *heads), digits, tuple(rows))


def _answers(most: int) -> Iterator[int]:
    return (10**power for power in range(1, most + 1))


def _hoeffding_upper(mean: float, n: int, delta: float) -> float:
    return hoeffding_upper(mean, n, delta, as_published=True)


def _hoeffding_lower(mean: float, n: int, delta: float) -> float:
    return 2 * mean - _hoeffding_upper(mean, n, delta)
