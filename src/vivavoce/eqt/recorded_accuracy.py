"""Accuracies in a benchmark from recorded answers, a letter a question and model, as a table that `read_benchmark` takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.eqt.benchmark_file import LONGEST, category_name
from vivavoce.eqt.order import drawn
from vivavoce.errors import BadFile, UnknownName
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.tables import read_table
from vivavoce.statistics.bounded import bounded_share

NEEDED: Final = ("question_id", "category", "answer")
MOST_MODELS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """One model's accuracy in one category."""

    model: str
    category: str
    accuracy: Estimate
    """What could not be read counts as wrong; the interval is over questions."""
    unreadable: int
    halves: tuple[Estimate, Estimate]
    """Over either half of the questions, which the question's id alone decides, so that halves are the same for all models."""


def recorded_accuracies(file: Path, models: Sequence[str] = ()) -> tuple[Recorded, ...]:
    """By model and category, from a table with `question_id`, `category`, `answer` (the key) and a column a model.

    Parameters
    ----------
    file: CSV or TSV, also gzipped; letters, empty where a reply could not be read.
    models: columns to take; all if none are named.

    Raises `BadFile`, and `UnknownName` for a model that is not there.
    """
    table = read_table(file, NEEDED, cut=True)
    there = [name for name in table.names if name not in NEEDED]
    if not there or len(there) > MOST_MODELS or max(map(len, there)) > LONGEST:
        raise BadFile(file, f"must have 1 to {MOST_MODELS} columns of models, besides {', '.join(NEEDED)}")
    for name in models:
        if name not in there:
            raise UnknownName("model", name, there)
    wanted = list(models) or there
    seen: set[str] = set()
    hits: dict[tuple[str, str], list[tuple[bool, bool, bool]]] = {}
    for line, values in table.rows:
        question, category, key = (values[name].strip() for name in NEEDED)
        if not question or not category or len(category) > LONGEST or not key:
            raise BadFile(file, "question_id, category and answer must not be empty", line=line)
        if question in seen:
            raise BadFile(file, f"the question '{question[:80]}' is there twice", line=line)
        seen.add(question)
        first = drawn("half", question)[0] % 2 == 0
        for model in wanted:
            said = values[model].strip()
            hits.setdefault((model, category_name(category)), []).append((said == key, not said, first))
    if not hits:
        raise BadFile(file, "holds no answers")
    return tuple(_recorded(model, category, rows) for (model, category), rows in hits.items())


def benchmark_rows(found: Sequence[Recorded]) -> Iterator[dict[str, Any]]:
    """The rows of the benchmark's CSV: the three columns that are needed, then what shows how sure they are."""
    for one in sorted(found, key=lambda one: (one.model, one.category)):
        halves = {
            name: value
            for place, half in enumerate(one.halves, 1)
            for name, value in ((f"half_{place}", _number(half.value)), (f"half_{place}_questions", half.n))
        }
        yield {
            "model": one.model,
            "category": one.category,
            "accuracy": _number(one.accuracy.value),
            "lower": _number(one.accuracy.interval.lower),
            "upper": _number(one.accuracy.interval.upper),
            "questions": one.accuracy.n,
            "unreadable": one.unreadable,
        } | halves


def _recorded(model: str, category: str, rows: Sequence[tuple[bool, bool, bool]]) -> Recorded:
    halves = tuple(_estimate([hit for hit, _, is_first in rows if is_first is wanted]) for wanted in (True, False))
    return Recorded(
        model, category, _estimate([hit for hit, *_ in rows]), sum(unread for _, unread, _ in rows), (halves[0], halves[1])
    )


def _estimate(hits: Sequence[bool]) -> Estimate:
    value = sum(hits) / len(hits) if hits else None
    return Estimate(value, Interval(*bounded_share(list(hits), [(place,) for place in range(len(hits))])), len(hits))


def _number(value: float | None) -> float | str:
    return "" if value is None else round(value, 6)
