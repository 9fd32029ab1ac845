"""Recorded answers of real models on 14 scopes each: wrong verdicts, and questions spent against each scope alone.

Every model of a table of recorded answers to MMLU-Pro is examined on all categories together, by e-BH and by the family-wise
rule, and on each category alone, with delta / 14 and with delta, through the same scopes, candidate, interview and procedures
as `viva certify`.
The truth is known: it is the model's score on the whole category.

    python bench/many_scopes.py $VIVA_DATA/mmlu_pro [--grade 0.5] [--seeds 1] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category

DELTA = 0.05
WAYS = ("e-BH", "family-wise", "each alone, delta/14", "each alone, delta")


@dataclass(frozen=True)
class Run:
    """All scopes of one model, examined in one way."""

    model: str
    way: str
    passing_grade: float
    seed: int
    questions: int
    understands: int
    wrong_understands: int
    does_not: int
    wrong_does_not: int
    open: int


async def runs(
    folder: Path, *, passing_grade: float = 0.5, seeds: int = 1, models: Sequence[str] = (), ways: Sequence[str] = WAYS
) -> list[Run]:
    """All examinations; of the models named, or of all."""
    answers = folder / "predictions.csv.gz"
    with gzip.open(answers, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    opened = open_scope(f"mmlu-pro:{folder / 'questions.jsonl.gz'}")
    scopes = by_category([opened])
    done = []
    for model in models or [name for name in rows[0] if name not in ("question_id", "category", "answer")]:
        candidate = open_candidate(f"replay:{answers}#{model}")
        truth = {
            category: np.mean([row[model] == row["answer"] for row in rows if row["category"] == category])
            >= passing_grade - 1e-9
            for category in {row["category"] for row in rows}
        }
        for seed in range(seeds):
            for way in ways:
                questions, verdicts = await _examined(candidate, scopes, way, Criterion(passing_grade, None, DELTA / 0.9), seed)
                pairs = [
                    (verdict, truth[scope.name.rpartition("#")[2]]) for verdict, scope in zip(verdicts, scopes, strict=True)
                ]
                good = [right for verdict, right in pairs if verdict is Verdict.PASS]
                bad = [right for verdict, right in pairs if verdict is Verdict.FAIL]
                done.append(
                    Run(
                        model=model,
                        way=way,
                        passing_grade=passing_grade,
                        seed=seed,
                        questions=questions,
                        understands=len(good),
                        wrong_understands=good.count(False),
                        does_not=len(bad),
                        wrong_does_not=bad.count(True),
                        open=len(scopes) - len(good) - len(bad),
                    )
                )
    return done


async def _examined(
    candidate: Candidate[Prompt, Reply], scopes: Sequence[ListedScope], way: str, criterion: Criterion, seed: int
) -> tuple[int, list[Verdict]]:
    """Questions spent and the verdicts; of a first attempt, which has nine tenths of the criterion's delta."""
    if not way.startswith("each alone"):
        interview = Interview(candidate, answers=Reply, concurrency=1)
        values = await certify(
            interview, scopes, criterion, Composition(correction="fdr" if way == "e-BH" else "fwer"), seed=seed
        )
        return values.asked, [result.verdict for result in values.scopes]
    alone = replace(criterion, delta=criterion.delta / len(scopes)) if "/" in way else criterion
    sheets = [await certify(Interview(candidate, answers=Reply, concurrency=1), scope, alone, seed=seed) for scope in scopes]
    return sum(sheet.questions for sheet in sheets), [sheet.verdict for sheet in sheets]


def summary(done: Sequence[Run]) -> Iterator[str]:
    """Markdown: for each way the questions, the verdicts and the wrong ones."""
    yield "| way | lists | questions: mean | median | verdicts | wrong | wrong share of a list, mean: understands | does not |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for way in dict.fromkeys(run.way for run in done):
        some = [run for run in done if run.way == way]
        used = [run.questions for run in some]
        wrong = sum(run.wrong_understands + run.wrong_does_not for run in some)
        verdicts = sum(run.understands + run.does_not for run in some)
        yield (
            f"| {way} | {len(some)} | {np.mean(used):.0f} | {np.median(used):.0f} | {verdicts} | {wrong} | "
            f"{_mean_share((run.wrong_understands, run.understands) for run in some):.1%} | "
            f"{_mean_share((run.wrong_does_not, run.does_not) for run in some):.1%} |"
        )


def _mean_share(pairs: Iterable[tuple[int, int]]) -> float:
    """The mean over lists of the share of wrong verdicts, 0 for an empty list."""
    return float(np.mean([wrong / max(1, given) for wrong, given in pairs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds predictions.csv.gz and questions.jsonl.gz")
    parser.add_argument("--grade", type=float, default=0.5, help="passing grade")
    parser.add_argument("--seeds", type=int, default=1, help="orders of the questions for each examination")
    parser.add_argument("--json", action="store_true", help="every examination as JSON lines")
    given = parser.parse_args()
    done = asyncio.run(runs(given.folder, passing_grade=given.grade, seeds=given.seeds))
    print("\n".join(json.dumps(asdict(run)) for run in done) if given.json else "\n".join(summary(done)))


if __name__ == "__main__":
    main()
