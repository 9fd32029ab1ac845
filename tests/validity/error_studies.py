"""What the error studies share: runs of the command line, tables, the errors that chance allows, and differences of pairs."""

from __future__ import annotations

import csv
import gzip
import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.comparison.evidence import PairStatement, closed_testing, gate_statements
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.statistics.betting import Floats

Bools = NDArray[np.bool_]
DELTA = 0.05
VERDICTS = (Verdict.PASS, Verdict.FAIL)
TOGETHER = 200
"""Runs whose bets are kept in memory at once."""


def parser_of(about: str | None, runs: int = 4_000) -> ArgumentParser:
    """The options of a study that is called as a program: as many runs, unless it is told otherwise."""
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=runs)
    return parser


def runs_of(about: str | None, usual: int = 4_000) -> int:
    """The runs that the command line asks for."""
    runs: int = parser_of(about, usual).parse_args().runs
    return runs


Row = Sequence[object]
"""Cells of a table; floats are shown in percent."""


def print_table(heads: Sequence[str], rows: Iterable[Row]) -> None:
    """A table in Markdown, row by row, and an empty line after it."""
    for row in chain((heads, ["---"] * len(heads)), rows):
        print("|", " | ".join(f"{cell:.1%}" if isinstance(cell, float) else str(cell) for cell in row), "|", flush=True)
    print()


def slack(runs: int, delta: float = DELTA) -> float:
    """Three standard errors of a share of runs."""
    return 3 * sqrt(delta * (1 - delta) / runs)


def parts_of(runs: int) -> Iterator[int]:
    """How many runs to take at once, one part after the other."""
    return (min(TOGETHER, runs - start) for start in range(0, runs, TOGETHER))


def shares_of(verdicts: Sequence[Verdict]) -> tuple[float, float]:
    """The shares of passes and of fails."""
    passed, failed = (sum(verdict is each for verdict in verdicts) / len(verdicts) for each in VERDICTS)
    return passed, failed


def each_once(lists: Iterable[Floats], order: NDArray[np.int64], runs: int, rng: np.random.Generator) -> Floats:
    """The values of strata, each list in random order, shape (runs, draws); order: the stratum of each draw."""
    result = np.zeros((runs, order.size))
    for stratum, values in enumerate(lists):
        shuffled = rng.permuted(np.tile(values, (runs, 1)), axis=1)
        result[:, order == stratum] = shuffled[:, : int((order == stratum).sum())]
    return result


def verdict_by(test: SequentialTest, scores: Floats, unacceptable: Floats | None = None, *, chunk: int) -> Verdict:
    """What a test concludes from these answers, which it takes in chunks until its verdict."""
    events = np.zeros(scores.size) if unacceptable is None else unacceptable
    for start in range(0, scores.size, chunk):
        if test.update(scores[start : start + chunk], events[start : start + chunk]) is not Verdict.UNDECIDED:
            break
    return test.verdict


def nulls_of(difference: float, margin: float) -> Bools:
    """Which are true: those of better, worse, no worse, no better."""
    return np.array([difference <= 1e-9, difference >= -1e-9, difference <= 1e-9 - margin, difference >= margin - 1e-9])


def over(made: Bools) -> Bools:
    """Which are better, worse or equal, for statements of shape (..., 4)."""
    equal = made[..., PairStatement.NO_WORSE] & made[..., PairStatement.NO_BETTER]
    result: Bools = made[..., PairStatement.BETTER] | made[..., PairStatement.WORSE] | equal
    return result


class RunStatements:
    """The statements that each run of two candidates has made until it was settled, and the verdicts of gates."""

    def __init__(self, runs: int, difference: float, margin: float) -> None:
        self._true, self._margin = nulls_of(difference, margin), margin
        self._made, self._verdicts = (np.zeros((runs, 4), dtype=bool) for _ in range(2))

    def take(self, log_e: Floats) -> None:
        """Take the evidence after one more question, shape (runs, 4)."""
        self._made |= closed_testing(log_e[:, None], DELTA)[:, 0] & ~over(self._made)[:, None]
        self._verdicts |= gate_statements(log_e, DELTA, self._margin) & ~self._verdicts.any(axis=1, keepdims=True)

    @property
    def errors(self) -> tuple[float, float]:
        """The shares of the runs with a wrong statement of a comparison, and with a wrong verdict of a gate."""
        compared, gated = (float((made & self._true).any(axis=1).mean()) for made in (self._made, self._verdicts))
        return compared, gated


def data_folder(name: str = "mmlu_pro") -> Path:
    """The folder of research data, which holds one of that name; skips the test without it."""
    folder = os.environ.get("VIVA_DATA")
    if not folder or not (Path(folder) / name).is_dir():
        pytest.skip(f"$VIVA_DATA does not name a folder with {name}/")
    return Path(folder)


@dataclass(frozen=True)
class RecordedAnswers:
    """The recorded answers of all models."""

    names: tuple[str, ...]
    right: Floats
    """1 for a right answer, 0 for others: shape (questions, models)."""
    unread: Floats
    """1 for one that could not be read."""
    category: NDArray[np.str_]

    @property
    def scores(self) -> Floats:
        """As `right`, by models: shape (models, questions)."""
        return np.ascontiguousarray(self.right.T)

    @classmethod
    def read(cls, folder: Path) -> RecordedAnswers:
        """Of 17 models on MMLU-Pro, from a folder that holds `mmlu_pro`."""
        with gzip.open(folder / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        names = tuple(name for name in rows[0] if name not in ("question_id", "category", "answer"))
        return cls(
            names,
            np.array([[row[name] == row["answer"] for name in names] for row in rows], dtype=float),
            np.array([[row[name] == "" for name in names] for row in rows], dtype=float),
            np.array([row["category"] for row in rows]),
        )
