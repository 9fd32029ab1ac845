"""Tables of `fluri2024` as printed, with the intervals that their counts allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from vivavoce.consistency.chess.comparison import Check
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper

TAIL: Final = 0.025
"""On either side of an interval."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a table: shares in percent above .05, .1, .25, .5, .75 and 1, as printed."""

    check: Check
    n: int | None
    """Positions; None where the paper does not say."""
    printed: tuple[str, ...]
    nodes: int

    @property
    def shares(self) -> tuple[Estimate, ...]:
        """The shares with their intervals."""
        return tuple(share(printed, self.n) for printed in self.printed)


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper."""

    number: int
    engine: str
    """In words."""
    rows: tuple[PublishedRow, ...]

    def of(self, check: str) -> PublishedRow | None:
        """The first row of a check."""
        return next((row for row in self.rows if row.check == check), None)


def share(printed: str, n: int | None) -> Estimate:
    """A printed percentage as a share, with Clopper and Pearson's interval at level 95%.

    The count behind it is known up to rounding only: the interval reaches from the least count that is printed so to the most.
    Of a bound ("<0.01") no value is known. Positions are taken to be independent, though several may be of one game. Without
    `n` the interval is what rounding leaves open.

    >>> found = share("0.5", 1000)  # 5 of 1,000, and no other count is printed so
    >>> found.value, round(found.interval.lower, 4), round(found.interval.upper, 4)
    (0.005, 0.0016, 0.0116)
    >>> share("<0.01", 400_000).value is None
    True
    """
    if printed.startswith("<"):
        least, most, value = 0.0, float(printed[1:]) / 100, None
    else:
        decimals = len(printed.partition(".")[2])
        half = 0.0 if printed == "0" else 0.5 * 10.0**-decimals / 100
        value = float(printed) / 100
        least, most = max(0.0, value - half), min(1.0, value + half)
    if n is None:
        return Estimate(value, Interval(least, most), 0)
    lowest, highest = _ceiling(least * n), _floor(most * n)
    return Estimate(value, Interval(clopper_pearson_lower(lowest, n, TAIL), clopper_pearson_upper(highest, n, TAIL)), n)


def _ceiling(count: float) -> int:
    return -int(-(count - 1e-6) // 1)


def _floor(count: float) -> int:
    return int((count + 1e-6) // 1)


def _rows(nodes: int, *rows: str) -> tuple[PublishedRow, ...]:
    parts = (row.split() for row in rows)
    return tuple(PublishedRow(Check(check), int(n) * 1000, tuple(printed), nodes) for check, n, *printed in parts)


def _by_nodes(*rows: str) -> tuple[PublishedRow, ...]:
    parts = (row.split() for row in rows)
    return tuple(PublishedRow(Check.RECOMMENDED, None, tuple(printed), int(nodes)) for nodes, *printed in parts)


TABLE_1: Final = PublishedTable(
    1,
    "Leela Chess Zero 0.29 (T807785) at 400 nodes",
    _rows(
        400,
        "boards 200 20.2 6.1 0.6 0.09 0.02 <0.01",
        "recommended 400 19.5 2.6 0.2 0.03 0.01 <0.01",
        "forced 400 6.3 0.4 0.05 0.01 <0.01 <0.01",
        "mirror 400 0.4 0.07 0.01 <0.01 0 0",
    ),
)
TABLE_6: Final = PublishedTable(
    6,
    "Leela Chess Zero 0.29 (T807785), recommended moves",
    _by_nodes(
        "1 53.9 32.9 11.2 3.2 1.2 0.5",
        "100 31.5 7.7 0.5 0.07 0.03 0.01",
        "200 26.8 4.7 0.3 0.04 0.02 <0.01",
        "400 19.5 2.6 0.2 0.03 0.01 <0.01",
        "800 12.8 1.5 0.1 0.02 <0.01 <0.01",
        "1600 10.5 1.0 0.06 <0.01 0 0",
        "3200 6.5 0.5 0.03 <0.01 0 0",
    ),
)
TABLE_8: Final = PublishedTable(
    8,
    "Stockfish 15.1 with NNUE at 81,000 nodes",
    _rows(
        81_000,
        "recommended 400 25.6 15.8 5.1 1.1 0.3 0.02",
        "mirror 400 25.0 15.3 4.7 0.9 0.2 0.01",
        "forced 400 11.1 7.3 2.8 0.8 0.3 0.02",
        "boards 200 7.5 5.6 3.6 1.8 0.8 <0.01",
    ),
)
TABLE_9: Final = PublishedTable(
    9,
    "Stockfish 15.1, classical, at 4,100,000 nodes",
    _rows(
        4_100_000,
        "recommended 200 17.0 8.5 1.6 0.2 0.06 <0.01",
        "mirror 200 16.4 7.9 1.4 0.2 0.03 <0.01",
        "forced 200 15.6 8.1 1.7 0.4 0.1 <0.01",
        "boards 200 3.7 2.5 1.2 0.4 0.2 0",
    ),
)
TABLE_10: Final = PublishedTable(
    10,
    "Stockfish 15.1, classical, at 81,000 nodes",
    _rows(
        81_000,
        "recommended 100 23.2 13.5 4.4 1.2 0.4 0.05",
        "mirror 100 25.8 14.8 4.5 1.0 0.3 0.02",
        "forced 100 25.0 15.4 5.6 1.9 0.8 0.06",
        "boards 50 25.9 19.2 12.4 6.9 3.6 0.01",
    ),
)
"""Table 9 gives 4.1 million nodes by appendix B.4; B.5 says 1400k (see the errata)."""


def tables_beside(candidate: str) -> tuple[PublishedTable, ...]:
    """The tables to be set beside an engine: of Leela or of Stockfish with the same kind of evaluation; of others none.

    >>> [table.number for table in tables_beside("uci:stockfish?nodes=1000&Use NNUE=false&engine=Stockfish 15.1")]
    [9, 10]
    """
    options = _options(candidate)
    called = options.get("engine", "")
    if called.startswith("Lc0 "):
        return (TABLE_1,)
    if not called.startswith("Stockfish "):
        return ()
    return (TABLE_9, TABLE_10) if options.get("Use NNUE") == "false" else (TABLE_8,)


def _options(candidate: str) -> Mapping[str, str]:
    return dict(parse_qsl(candidate.partition("?")[2].replace("+", "%2B"), keep_blank_values=True))
