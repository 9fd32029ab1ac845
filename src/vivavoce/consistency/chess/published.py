"""The tables of `fluri2024` as printed, with the intervals that their counts allow."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil, floor
from typing import Final
from urllib.parse import parse_qsl

from vivavoce.consistency.chess.comparison import ChessCheck
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper

TAIL: Final = 0.025
"""Tail probability on each side of an interval."""
ROUNDING: Final = 1e-6
"""Tolerance for rounding errors in a count."""


@dataclass(frozen=True, slots=True)
class PublishedChessRow:
    """A row of a table: shares in percent above .05, .1, .25, .5, .75 and 1, as printed."""

    check: ChessCheck
    n: int | None
    """Number of positions; None if the paper does not give it."""
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
    """Description."""
    rows: tuple[PublishedChessRow, ...]

    def of(self, check: str) -> PublishedChessRow | None:
        """The first row of a check."""
        return next((row for row in self.rows if row.check == check), None)


def share(printed: str, n: int | None) -> Estimate:
    """Convert a printed percentage to a share with Clopper and Pearson's interval at level 95%.

    The paper prints rounded shares, so the interval covers every count that rounds to the printed one. A bound ("<0.01") has no
    value. Positions are treated as independent, although several may come from one game. Without `n`, the interval covers
    rounding only.

    >>> estimate = share("0.5", 1000)  # 5 of 1,000, and no other count is printed so
    >>> estimate.value, round(estimate.interval.lower, 4), round(estimate.interval.upper, 4)
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
    lowest, highest = ceil(least * n - ROUNDING), floor(most * n + ROUNDING)
    return Estimate(value, Interval(clopper_pearson_lower(lowest, n, TAIL), clopper_pearson_upper(highest, n, TAIL)), n)


@cache
def published_table(number: int) -> PublishedTable:
    """Table 1, 6, 8, 9 or 10 of the paper.

    >>> published_table(1).engine
    'Leela Chess Zero 0.29 (T807785) at 400 nodes'
    """
    text = files("vivavoce.consistency.chess").joinpath("published.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)[f"table-{number}"]
    return PublishedTable(number, table["engine"], tuple(map(_row, table["rows"].split("\n")[:-1])))


def _row(line: str) -> PublishedChessRow:
    check, thousands, nodes, *printed = line.split()
    return PublishedChessRow(ChessCheck(check), None if thousands == "-" else int(thousands) * 1000, tuple(printed), int(nodes))


def tables_beside(candidate: str) -> tuple[PublishedTable, ...]:
    """Published tables for the same engine: Leela's, or Stockfish's with the same kind of evaluation; empty for others.

    >>> [table.number for table in tables_beside("uci:stockfish?nodes=1000&Use NNUE=false&engine=Stockfish 15.1")]
    [9, 10]
    """
    options = _options(candidate)
    called = options.get("engine", "")
    if called.startswith("Lc0 "):
        return (published_table(1),)
    if not called.startswith("Stockfish "):
        return ()
    numbers = (9, 10) if options.get("Use NNUE") == "false" else (8,)
    return tuple(map(published_table, numbers))


def _options(candidate: str) -> Mapping[str, str]:
    return dict(parse_qsl(candidate.partition("?")[2].replace("+", "%2B"), keep_blank_values=True))
