"""Accuracies of models in a benchmark, read from a file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile
from vivavoce.formats.interval import Interval
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import read_table

_Two = tuple[float, float] | None
COLUMNS: Final = ("model", "category", "accuracy")
MOST_ROWS: Final = 100_000
LONGEST: Final = 300
"""Characters of a model's or category's name."""
_FORMS: Final = (".csv", ".tsv", *JSON_LINES)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How much of one category a model answers rightly."""

    model: str
    category: str
    accuracy: float
    """From 0 to 1."""
    interval: Interval | None = None
    """95%; None where it is not known."""
    halves: tuple[float, float] | None = None
    """Over either half of its questions; None where they are not known."""


def read_benchmark(file: Path) -> tuple[Accuracy, ...]:
    """Accuracies by model and category, from a CSV, TSV or JSON Lines file, also gzipped, with these three columns.

    Accuracies are shares from 0 to 1, or all of them per cent from 0 to 100, with or without the sign. Case, white space and
    underscores in a category's name do not matter. Where there are columns `lower` and `upper`, `half_1` and `half_2`, as
    `viva eqt benchmark` writes them, they are the interval, and the accuracy in either half. Raises `BadFile`.
    """
    rows: Iterator[tuple[int, dict[str, Any]]]
    lines = ending(file, _FORMS) in JSON_LINES
    rows = json_lines(file) if lines else read_table(file, COLUMNS, small=True, others=False).rows
    found: dict[tuple[str, str], tuple[int, float]] = {}
    more: dict[tuple[str, str], tuple[tuple[float, float] | None, ...]] = {}
    percent: list[int] = []
    shares: list[int] = []
    for line, values in rows:
        if len(found) >= MOST_ROWS:
            raise BadFile(file, f"holds more than {MOST_ROWS} rows", line=line)
        model, category, accuracy, signed = _row(file, line, values)
        if (model, category) in found:
            raise BadFile(
                file, f"'{model[:80]}' on '{category[:80]}' is already on line {found[model, category][0]}", line=line
            )
        found[model, category] = line, accuracy
        more[model, category] = tuple(_two(file, line, values, names) for names in (("lower", "upper"), ("half_1", "half_2")))
        if signed or accuracy > 1:
            percent.append(line)
        elif accuracy > 0:
            shares.append(line)
    if not found:
        raise BadFile(file, "holds no accuracies")
    if percent and shares:
        problem = f"the accuracy is per cent, and on line {shares[0]} a share: give all alike"
        raise BadFile(file, problem, line=percent[0])
    scale = 100 if percent else 1
    return tuple(
        _accuracy(pair, value / scale, *(None if two is None else (two[0] / scale, two[1] / scale) for two in more[pair]))
        for pair, (_, value) in found.items()
    )


def _accuracy(pair: tuple[str, str], value: float, ends: _Two, halves: _Two) -> Accuracy:
    return Accuracy(*pair, value, None if ends is None else Interval(*ends), halves)


def _two(file: Path, line: int, values: Mapping[str, Any], names: tuple[str, str]) -> _Two:
    """Two numbers that may be there; None where either is not."""
    said = [values.get(name) for name in names]
    if any(one is None or one == "" for one in said):
        return None
    try:
        first, second = (float(one.removesuffix("%") if isinstance(one, str) else one) for one in said if one is not None)
    except (TypeError, ValueError, OverflowError):
        raise BadFile(file, f"'{names[0]}' and '{names[1]}' must be numbers", line=line) from None
    if not (0 <= first <= 100 and 0 <= second <= 100):
        raise BadFile(file, f"'{names[0]}' and '{names[1]}' must be from 0 to 1, or per cent", line=line)
    return first, second


def _row(file: Path, line: int, values: Mapping[str, Any]) -> tuple[str, str, float, bool]:
    """Model, category, number as it stands there, and whether it has the sign of per cent."""
    texts = []
    for name in ("model", "category"):
        text = values.get(name)
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            raise BadFile(file, f"'{name}' is {str(text)[:80]!r}: it must be a text of 1 to {LONGEST} characters", line=line)
        texts.append(text.strip())
    given = values.get("accuracy")
    said = given.strip() if isinstance(given, str) else given
    signed = isinstance(said, str) and said.endswith("%")
    try:
        if said is None or isinstance(said, bool | list | dict):
            raise ValueError
        accuracy = float(said.removesuffix("%") if isinstance(said, str) else said)
    except (ValueError, OverflowError):
        raise BadFile(file, f"'accuracy' is {str(given)[:80]!r}: it must be a number", line=line) from None
    if not (math.isfinite(accuracy) and 0 <= accuracy <= 100):
        raise BadFile(file, f"'accuracy' is {accuracy:g}: it must be a share from 0 to 1, or per cent", line=line)
    return texts[0], category_name(texts[1]), accuracy, signed


def category_name(name: str) -> str:
    """The name as it is compared.

    >>> category_name("Computer_Science ")
    'computer science'
    """
    return " ".join(name.replace("_", " ").lower().split())
