"""Comparisons: how often a statement is wrong at the edge, and how many questions they take on recorded answers of real models.

In the first study two candidates differ by exactly 0 or exactly the margin, in a list or in independent draws, and one looks
after every question. In the second several candidates are all equal, or all but one, in all pairs. The third takes models'
recorded answers to MMLU-Pro, category by category, and counts the questions until it is known who is better: paired, and by two
confidence sequences, one for each model, until they do not overlap.

    python -m tests.validity.comparison [--runs 4000] [--data DIR]
"""

from __future__ import annotations

import argparse
import csv
import gzip
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.comparison.evidence import PairedEvidence, Statement, closed_testing
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.mean import mean_bounds

DELTA = 0.05
GAPS = ((0.02, 0.05), (0.05, 0.1), (0.1, 1.0))


@dataclass(frozen=True)
class Case:
    """Two candidates that differ by exactly this."""

    difference: float
    discordant: float
    """Share of the questions that one has right and the other wrong."""
    margin: float
    finite: bool
    size: int = 500

    @property
    def name(self) -> str:
        kind = f"{self.size} questions" if self.finite else "independent draws"
        return f"D {self.difference:+g}, {self.discordant:.0%} discordant, margin {self.margin:g}, {kind}"

    def draw(self, rng: np.random.Generator, runs: int) -> Floats:
        """Differences in drawn order: shape (runs, size)."""
        apart = round(self.size * self.discordant)
        won = round((apart + self.size * self.difference) / 2)
        base = np.zeros(self.size)
        base[:won], base[won:apart] = 1.0, -1.0
        if not self.finite:
            return rng.choice(base, size=(runs, self.size))
        return rng.permuted(np.tile(base, (runs, 1)), axis=1)


CASES = tuple(
    Case(difference, discordant, margin, finite)
    for difference, discordant, margin in (
        (0.0, 1.0, 0.05), (0.0, 0.5, 0.05), (0.0, 0.3, 0.02), (0.0, 0.05, 0.02),
        (0.05, 0.3, 0.05), (-0.05, 0.3, 0.05), (-0.05, 0.1, 0.05), (0.02, 0.5, 0.02),
    )
    for finite in (True, False)
)  # fmt: skip


@dataclass(frozen=True)
class Errors:
    """What became of the runs of a case."""

    wrong: float
    stated: float
    median: float
    """Questions."""


def error_rates(case: Case, *, runs: int, seed: int = 0) -> Errors:
    """How often any statement of a run is ever wrong."""
    d = case.draw(np.random.default_rng(seed), runs)
    tests = DifferenceTests(
        np.repeat([0.0, 0.0, -case.margin, -case.margin], runs), population=case.size if case.finite else None
    )
    made, when = np.zeros((runs, 4), dtype=bool), np.full(runs, case.size)
    for n in range(case.size - case.finite):  # the last question of a list leaves nothing to chance
        path = tests.update(np.concatenate([d[:, n], -d[:, n], d[:, n], -d[:, n]])[:, None])
        before = over(made)
        made |= closed_testing(path.reshape(4, runs).T[:, None], DELTA)[:, 0] & ~before[:, None]
        when[over(made) & ~before] = n + 1
    edge, gap = case.margin, case.difference
    nulls = np.array([gap <= 0, gap >= 0, gap <= -edge, gap >= edge])
    return Errors(float((made & nulls).any(axis=1).mean()), float(over(made).mean()), float(np.median(when)))


def over(made: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which runs are better, worse or equal."""
    equal = made[:, Statement.NO_WORSE] & made[:, Statement.NO_BETTER]
    found: NDArray[np.bool_] = made[:, Statement.BETTER] | made[:, Statement.WORSE] | equal
    return found


def errors_of_many(candidates: int, better: float, *, runs: int, rule: str = "any", seed: int = 0) -> tuple[float, float]:
    """Share of runs with a wrong statement on any pair, and the mean share of wrong ones among those made.

    The last candidate is better than all others by this; the others are equal, and answer alike on half of the questions.
    """
    rng, pairs = np.random.default_rng(seed), tuple(combinations(range(candidates), 2))
    wrong, shares = 0, 0.0
    for _ in range(runs):
        evidence = PairedEvidence(pairs, margin=0.05, delta=DELTA, rule=rule)  # type: ignore[arg-type]
        for _ in range(300):
            alike = rng.random() < 0.5
            scores = np.where(alike, float(rng.random() < 0.6), (rng.random(candidates) < 0.6)).astype(float)
            scores[-1] = float(rng.random() < 0.6 + better)
            evidence.take(scores, scores)
            if evidence.settled.all():
                break
        equal = (evidence.pairs[:, 1] < candidates - 1) | (better == 0)
        direction = evidence.made[:, : Statement.NO_WORSE]
        false = direction[equal].sum() + evidence.made[~equal, Statement.BETTER].sum()
        wrong += bool(false)
        shares += float(false) / max(1, int(direction.sum()))
    return wrong / runs, shares / runs


@dataclass(frozen=True)
class Recorded:
    """Two models on a category of a benchmark."""

    gap: float
    paired: int
    apart: int
    """Questions by two confidence sequences."""
    size: int
    wrong: bool


def recorded_pairs(folder: Path, *, seed: int = 0, limit: int | None = None) -> list[Recorded]:
    """All pairs of models by category; unreadable replies are wrong."""
    with gzip.open(folder / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    models = [name for name in rows[0] if name not in ("question_id", "category", "answer")]
    rng, found = np.random.default_rng(seed), []
    for category in sorted({row["category"] for row in rows}):
        of = [row for row in rows if row["category"] == category]
        scores = np.array([[row[model] == row["answer"] for row in of] for model in models], dtype=float)
        scores = scores[:, rng.permutation(len(of))]
        pairs = list(combinations(range(len(models)), 2))
        chosen = pairs if limit is None else [pairs[place] for place in rng.permutation(len(pairs))[:limit]]
        found += [_recorded(scores[first], scores[second]) for first, second in chosen]
    return found


def _recorded(first: Floats, second: Floats) -> Recorded:
    d, size = first - second, first.size
    tests = DifferenceTests([0.0, 0.0], population=size)
    path = tests.update(np.stack([d, -d]))
    enough = np.flatnonzero((path >= np.log(2 / DELTA)).any(axis=0))
    n = int(enough[0]) + 1 if enough.size else size
    wrong = n < size and (path[0, n - 1] >= path[1, n - 1]) != (d.mean() > 0)
    return Recorded(abs(float(d.mean())), n, _apart(first, second), size, bool(wrong))


def _apart(first: Floats, second: Floats) -> int:
    """Questions until the models' own confidence sequences do not overlap, looked at now and then."""
    size = first.size
    for n in np.unique(np.geomspace(8, size - 1, 40).astype(int)):
        one, other = (mean_bounds(values[:n], DELTA / 2, population=size) for values in (first, second))
        if one.lower > other.upper or other.lower > one.upper:
            return int(n)
    return size


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4_000)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    for case in CASES:
        errors = error_rates(case, runs=given.runs)
        print(f"{case.name}: wrong {errors.wrong:.1%}, stated {errors.stated:.0%}, median {errors.median:.0f}", flush=True)
    for candidates, better in ((3, 0.0), (3, 0.2), (8, 0.0), (8, 0.2)):
        for rule in ("any", "share"):
            any_, share = errors_of_many(candidates, better, runs=max(100, given.runs // 20), rule=rule)
            print(
                f"{candidates} candidates, one better by {better:g}, {rule}: any wrong {any_:.1%}, share {share:.1%}",
                flush=True,
            )
    if given.data is not None:
        found = recorded_pairs(given.data)
        for low, high in GAPS:
            some = [one for one in found if low <= one.gap < high]
            paired, apart = (np.array([getattr(one, name) for one in some]) for name in ("paired", "apart"))
            medians = f"paired median {np.median(paired):.0f}, apart {np.median(apart):.0f}"
            saved = f"saved {1 - paired.sum() / apart.sum():.0%} in all, wrong {sum(one.wrong for one in some)}"
            print(f"gap {low:g} to {high:g}: {len(some)} pairs, {medians}, {saved}", flush=True)


if __name__ == "__main__":
    main()
