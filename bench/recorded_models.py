"""Recorded answers of real models: how many questions a verdict takes, and how often it is wrong.

Every model of a table of recorded answers to MMLU-Pro is examined on every category at three passing grades, through the same
scope, candidate, interview and procedure as `viva certify`. The truth is known: it is the model's score on the whole category.
Beside it stands the paper's Procedure 4.1 at the fixed number of questions that is best in hindsight: the smallest at which a
model of that score gets its right verdict with a chance of 80% (all questions where no smaller number does).

    python bench/recorded_models.py $VIVA_DATA/mmlu_pro [--seeds 1] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import log
from pathlib import Path

import numpy as np
from scipy.special import rel_entr
from scipy.stats import binom

from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope

GRADES = (0.3, 0.5, 0.7)
DELTA = 0.05


@dataclass(frozen=True)
class Run:
    """One examination and what is known about it."""

    model: str
    category: str
    passing_grade: float
    seed: int
    size: int
    questions: int
    verdict: str
    right: bool
    paper: int
    """Questions of the paper's procedure, best in hindsight."""


async def runs(folder: Path, *, seeds: int = 1, models: Sequence[str] = ()) -> list[Run]:
    """All examinations; of the models named, or of all."""
    answers, questions = folder / "predictions.csv.gz", folder / "questions.jsonl.gz"
    with gzip.open(answers, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    done = []
    for model in models or [name for name in rows[0] if name not in ("question_id", "category", "answer")]:
        candidate = open_candidate(f"replay:{answers}#{model}")
        for category in sorted({row["category"] for row in rows}):
            scope = open_scope(f"mmlu-pro:{questions}#{category}")
            truth = [row[model] == row["answer"] for row in rows if row["category"] == category]
            for grade, seed in ((grade, seed) for grade in GRADES for seed in range(seeds)):
                result = await certify(
                    Interview(candidate, answers=Reply, concurrency=1), scope, Criterion(grade, None, DELTA / 0.9), seed=seed
                )
                understands = sum(truth) >= grade * len(truth) - 1e-9
                done.append(
                    Run(
                        model=model,
                        category=category,
                        passing_grade=grade,
                        seed=seed,
                        size=len(truth),
                        questions=result.questions,
                        verdict=result.verdict.value,
                        right=result.verdict == (Verdict.PASS if understands else Verdict.FAIL),
                        paper=_best_in_hindsight(sum(truth) / len(truth), len(truth), grade),
                    )
                )
    return done


def _best_in_hindsight(score: float, size: int, grade: float) -> int:
    """The least fixed n at which Procedure 4.1 gives the right verdict with a chance of 80%, the whole scope at most."""
    at_least, at_most = _conclusive(size, grade)
    n = np.arange(1, size + 1)
    power = binom.sf(at_least[:size] - 1, n, score) if score >= grade else binom.cdf(at_most[:size], n, score)
    enough = np.flatnonzero(power >= 0.8)
    return int(enough[0]) + 1 if enough.size else size


@cache
def _conclusive(size: int, grade: float) -> tuple[np.ndarray, np.ndarray]:
    """For n = 1..size: the least number of right answers that passes, the greatest that fails."""
    passes, fails = np.empty(size), np.empty(size)
    for n in range(1, size + 1):
        mean = np.arange(n + 1) / n
        sure = n * (rel_entr(mean, grade) + rel_entr(1 - mean, 1 - grade)) >= log(1 / DELTA)
        good, bad = np.flatnonzero(sure & (mean >= grade)), np.flatnonzero(sure & (mean < grade))
        passes[n - 1] = good[0] if good.size else n + 1
        fails[n - 1] = bad[-1] if bad.size else -1
    return passes, fails


def summary(done: Sequence[Run]) -> Iterator[str]:
    """Markdown: by passing grade, and by category at the middle one."""
    yield "| passing grade | examinations | wrong verdicts | share of the questions: median | mean | paper: median | mean |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for grade in GRADES:
        yield _row(f"{grade}", [run for run in done if run.passing_grade == grade])
    yield ""
    yield "| category (passing grade .5) | questions in it | wrong | questions used: median | mean | paper: median | mean |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for category in sorted({run.category for run in done}):
        some = [run for run in done if run.category == category and run.passing_grade == 0.5]
        used, paper = [run.questions for run in some], [run.paper for run in some]
        yield (
            f"| {category} | {some[0].size} | {sum(not run.right for run in some)} of {len(some)} | {np.median(used):.0f} | "
            f"{np.mean(used):.0f} | {np.median(paper):.0f} | {np.mean(paper):.0f} |"
        )


def _row(label: str, done: Sequence[Run]) -> str:
    used, paper = [run.questions / run.size for run in done], [run.paper / run.size for run in done]
    wrong = np.mean([not run.right for run in done])
    return (
        f"| {label} | {len(done)} | {wrong:.1%} | {np.median(used):.3f} | {np.mean(used):.3f} | "
        f"{np.median(paper):.3f} | {np.mean(paper):.3f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds predictions.csv.gz and questions.jsonl.gz")
    parser.add_argument("--seeds", type=int, default=1, help="orders of the questions for each examination")
    parser.add_argument("--json", action="store_true", help="every examination as JSON lines")
    given = parser.parse_args()
    done = asyncio.run(runs(given.folder, seeds=given.seeds))
    print("\n".join(json.dumps(asdict(run)) for run in done) if given.json else "\n".join(summary(done)))


if __name__ == "__main__":
    main()
