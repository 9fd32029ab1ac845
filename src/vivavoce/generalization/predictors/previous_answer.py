"""The baselines `previous` and `previous-task`: was the first question answered right, and are both of the same task?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import read_json, write_json
from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import labels_of

FILE: Final = "cells.json"
PSEUDO: Final = 1.0
"""Number of pairs at the overall rate by which each cell is smoothed."""


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """The rate of changes among pairs that the baseline treats alike."""

    change: float
    """Chance of a change, strictly between 0 and 1."""
    n: float
    """Number of these pairs, each counted by its weight over the mean weight; a teacher's label counts as one."""


@dataclass(frozen=True, slots=True)
class CellMeans:
    """The share of changed beliefs in two cells (by the first answer) or four (by the first answer and the task).

    `vafa2024` fits a logistic regression. With one binary feature it yields the two means, which are computed directly here.
    With two features and no interaction it has three parameters for four cells, so a common task must matter equally after a
    right and after a wrong answer. The four means need no such assumption.

    Departure: each cell is smoothed by one pair at the overall share, so that no chance is 0 or 1 and no cell is empty.

    >>> seen = [(True, True), (True, False), (False, True)]
    >>> pairs = [BeliefPair("a?", "b?", "sums", "sums", right, change) for right, change in seen]
    >>> predictor = fit(pairs, rng=np.random.default_rng(0))
    >>> [round(float(chance), 3) for chance in predictor.predict(pairs)]  # overall (2 + 1/2) / 4; (1 + 5/8) / 3; (1 + 5/8) / 2
    [0.542, 0.542, 0.812]
    """

    cells: tuple[tuple[ChangeRate, ChangeRate], ...]
    """After a wrong and after a right answer; in each, for another task and for the same task (equal without tasks)."""
    with_task: bool

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """The mean of each pair's cell."""
        return np.array([self.cells[right][same].change for right, same in map(_cell, pairs)], dtype=float)

    def save(self, folder: Path) -> None:
        """Write the cells as JSON."""
        cells = [[[cell.change, cell.n] for cell in row] for row in self.cells]
        write_json(folder / FILE, {"with_task": self.with_task, "cells": cells})


def fit(pairs: Sequence[BeliefPair], *, teachers: Sequence[BeliefPair] = (), rng: np.random.Generator) -> CellMeans:
    """Fit the two means, after a right and after a wrong answer. `rng` is not used.

    Raises `NotEnoughEvidence` for no labelled pair.
    """
    return _fitted(pairs, teachers, with_task=False)


def fit_with_task(pairs: Sequence[BeliefPair], *, teachers: Sequence[BeliefPair] = (), rng: np.random.Generator) -> CellMeans:
    """Fit the four means, by the first answer and by whether both questions have the same task. Otherwise like `fit`."""
    return _fitted(pairs, teachers, with_task=True)


def load(folder: Path) -> CellMeans:
    """Open a saved predictor. Raises `BadFile`."""
    file = folder / FILE
    saved = read_json(file)
    cells: Any = saved.get("cells")
    with_task = saved.get("with_task")
    if not isinstance(with_task, bool) or not _is_table(cells):
        raise BadFile(file, "lacks its two by two cells of a chance and a number: fit the predictor again")
    return CellMeans(tuple((ChangeRate(*row[0]), ChangeRate(*row[1])) for row in cells), with_task)


def _fitted(pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair], *, with_task: bool) -> CellMeans:
    all_pairs, labels, weights = labels_of(pairs, teachers)
    overall = (float(weights @ labels) + PSEUDO / 2) / (float(weights.sum()) + PSEUDO)
    cells = list(map(_cell, all_pairs))

    def rate(belongs: Callable[[bool, bool], bool]) -> ChangeRate:
        inside = np.array([belongs(*cell) for cell in cells])
        n = float(weights[inside].sum())
        return ChangeRate((float(weights[inside] @ labels[inside]) + PSEUDO * overall) / (n + PSEUDO), n)

    def row(after: bool) -> tuple[ChangeRate, ChangeRate]:
        if not with_task:
            both = rate(lambda right, same: right == after)
            return both, both
        return rate(lambda right, same: right == after and not same), rate(lambda right, same: right == after and same)

    return CellMeans((row(False), row(True)), with_task)


def _cell(pair: BeliefPair) -> tuple[bool, bool]:
    # two questions without a task do not count as the same task
    return pair.previous_correct, bool(pair.source1) and pair.source1 == pair.source2


def _is_table(cells: object) -> bool:
    if not (isinstance(cells, list) and len(cells) == 2 and all(isinstance(row, list) and len(row) == 2 for row in cells)):
        return False
    return all(isinstance(cell, list) and len(cell) == 2 and _is_cell(*cell) for row in cells for cell in row)


def _is_cell(change: object, n: object) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (change, n))
    return numbers and 0 < change < 1 and 0 <= n < float("inf")  # type: ignore[operator]  # they are numbers
