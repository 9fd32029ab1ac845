"""Pairs that nobody was asked about: drawn from questions, and both ways, after a right answer and after a wrong one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import LONGEST, Pair, TaskQuestion, read_pairs

_COLUMNS: Final = ("question", "prompt")
_TASKS: Final = ("source", "task", "category")
_LONGEST_TASK: Final = 200


def both_ways(pairs: Sequence[Pair]) -> list[Pair]:
    """Each pair of questions twice: all after a right answer, then all after a wrong one, without what is known of either."""
    distinct = dict.fromkeys((pair.q1, pair.q2, pair.source1, pair.source2) for pair in pairs)
    return [Pair(*texts, previous_correct=right) for right in (True, False) for texts in distinct]


def draw_pairs(questions: Sequence[TaskQuestion], n: int, *, rng: np.random.Generator) -> list[Pair]:
    """Pairs of two different questions, each drawn uniformly, to be predicted `both_ways`.

    No pair is drawn twice; where there are no more than n, all are taken. Raises `NotEnoughEvidence` for fewer than two.

    >>> drawn = draw_pairs([TaskQuestion("1 + 1?"), TaskQuestion("2 + 2?")], 10, rng=np.random.default_rng(0))
    >>> [(pair.q1, pair.q2) for pair in drawn]
    [('1 + 1?', '2 + 2?'), ('2 + 2?', '1 + 1?')]
    """
    distinct = list(dict.fromkeys(questions))
    size = len(distinct)
    if size < 2:
        raise NotEnoughEvidence(f"{size} different questions; pairs need at least 2")
    if n < 1:
        raise BadInput(f"{n} pairs cannot be: give at least 1")
    every = size * (size - 1)
    places = np.arange(every) if every <= n else rng.choice(every, size=n, replace=False)
    found = []
    for place in places.tolist():
        first, second = divmod(place, size - 1)
        second += second >= first
        one, other = distinct[first], distinct[second]
        found.append(Pair(one.text, other.text, one.source, other.source, previous_correct=True))
    return found


def read_drawn(file: Path, n: int, *, rng: np.random.Generator) -> list[Pair]:
    """The pairs of a file, as `read_pairs` reads them, or n pairs drawn from its questions, as `read_questions` does."""
    if ending(file) == ".csv" and {"q1", "q2"} <= set(read_table(file).names):
        return read_pairs(file)
    return draw_pairs(read_questions(file), n, rng=rng)


def read_questions(file: Path) -> list[TaskQuestion]:
    """The questions of a CSV, TSV or JSON Lines file, also gzipped: scope files and files of answers are such.

    They stand under `question` or `prompt`, their tasks under `source`, `task` or `category` if there is one. Raises `BadFile`.
    """
    if ending(file) in JSON_LINES:
        told = json_lines(file)
        rows = [(line, {key: str(one) for key, one in row.items() if isinstance(one, str | int | float)}) for line, row in told]
    else:
        rows = list(read_table(file, cut=True).rows)
    if not rows:
        raise BadFile(file, "holds no questions")
    column = next((name for name in _COLUMNS if name in rows[0][1]), None)
    if column is None:
        raise BadFile(file, f"has neither pairs (q1,q2,...) nor a column {' or '.join(map(repr, _COLUMNS))}", line=1)
    found = []
    for line, row in rows:
        text = row.get(column, "")
        if not text.strip() or len(text) > LONGEST:
            raise BadFile(file, f"the question has {len(text)} characters; it has 1 to {LONGEST}", line=line)
        found.append(TaskQuestion(text, next((row[name] for name in _TASKS if row.get(name)), "")[:_LONGEST_TASK]))
    return found
