"""Questions about documents whose writer gets 0, 5 or 10% of the answers wrong: what a certificate on them may claim.

A writer writes about made-up depots, and people review the first rows of its sheet, until 20 in a row are right. What they find
is corrected. A candidate has all answers that are still wrong, as the writer's own model may. It agrees with the file on just
too few questions to pass, and then on just enough. So each verdict is wrong, and its true share of right answers is lower by
the wrong answers that are left. Three claims are counted:

- the verdict, which is about agreement with the file's answers: wrong in at most 5%, whatever the writer's errors;
- the limit on faults that are left, at 95%, for reviewers who stop where the limit is lowest;
- "if it passes, its true share is at least the grade less that limit": wrong in at most 5% + 5%.

    python -m tests.validity.test_made_questions [--runs 400] [--samples 4000]
"""

from __future__ import annotations

import asyncio
import csv
import random
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil, sqrt
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from tests.validity.error_studies import parser_of
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.documents.reading import DocumentBlock, QuestionMakingConfig, SourceDocument, draws, passages
from vivavoce.documents.review import COLUMNS, MadeQuestions, review, write_sheet
from vivavoce.documents.writing import without_duplicates, write
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.scopes.made_questions import ReviewSample

RATES = (0.0, 0.05, 0.1)
GRADE, DELTA = 0.7, 0.05
DEPOTS, DRAWN = 200, 72
FACTS = [f"Depot {k} of the coast stores {17 * k + 300} pallets in all of its halls." for k in range(1, DEPOTS + 1)]
PASSAGES = passages(
    [SourceDocument("depots.md", tuple(DocumentBlock("text", " ".join(FACTS[i : i + 10])) for i in range(0, 200, 10)))]
)
IN_A_ROW = 20


def truth(question: str) -> str:
    number = re.search(r"depot (\d+)", question)
    assert number
    return f"{17 * int(number[1]) + 300} pallets"


@dataclass(frozen=True)
class Writer:
    """Writes a question about one depot of the passage; some answers are another depot's."""

    seed: int
    rate: float
    name: str = "writer"

    async def answer(self, prompt: Prompt, /) -> Reply:
        own = [int(k) for k in re.findall(r"Depot (\d+) of", prompt.text)]
        chance = random.Random(f"{self.seed} {prompt.id}")
        k = chance.choice(own)
        if "other_answers" not in prompt.text:
            return Reply(f"[Statement question] Who runs depot {k} of the coast?\n[Statement difficulty] easy")
        known = chance.choice([other for other in own if other != k]) if chance.random() < self.rate else k
        return Reply(
            f"[Statement question] How many pallets does depot {k} of the coast store?\n"
            f"[Statement answer] {17 * known + 300} pallets\n[Statement other_answers] none\n[Statement difficulty] easy"
        )


@dataclass(frozen=True)
class ListCandidate:
    """Gives the listed answers."""

    answers: Mapping[str, str]
    name: str = "candidate"

    async def answer(self, prompt: Prompt, /) -> Reply:
        return Reply(f"Answer: {next(reply for question, reply in self.answers.items() if question in prompt.text)}")


def is_wrong(row: Mapping[str, Any]) -> bool:
    return bool(row["idk_score"] != 1 and row["answer"] != [truth(row["question"])])


async def made_rows(seed: int, rate: float) -> list[dict[str, Any]]:
    """The rows of a question file as the command writes it, without a checker."""
    drawn = draws(PASSAGES, QuestionMakingConfig(questions=DRAWN, seed=seed))
    drafts = await write(Interview(Writer(seed, rate), answers=Reply, concurrency=1), drawn)
    return MadeQuestions(without_duplicates(drafts), "writer", "none", documents=1, passages=len(PASSAGES), seed=seed).rows


def reviewed(rows: list[dict[str, Any]], folder: Path) -> tuple[list[dict[str, Any]], ReviewSample]:
    """The questions after a reviewer, who knows the truth, has worked from the top of the sheet."""
    new, sheet = folder / "new.csv", folder / "sheet.csv"
    new.unlink(missing_ok=True)
    write_sheet(new, rows)
    clean = 0
    with new.open(encoding="utf-8-sig", newline="") as before, sheet.open("w", encoding="utf-8", newline="") as after:
        written = csv.DictWriter(after, COLUMNS)
        written.writeheader()
        for cells in csv.DictReader(before):
            if clean < IN_A_ROW:
                fault = is_wrong(rows[int(cells["number"]) - 1])
                clean = 0 if fault else clean + 1
                cells |= {"keep": "yes"} | ({"answer": truth(cells["question"])} if fault else {})
            written.writerow(cells)
    result = review(rows, [sheet])
    assert result.sample is not None
    return list(result.rows), result.sample


def with_agreement(rows: list[dict[str, Any]], agreed: int, chance: random.Random) -> ListCandidate:
    """A candidate that agrees with this many answers, the wrong ones first."""
    order = sorted(rows, key=lambda row: (not is_wrong(row), chance.random()))
    return ListCandidate({row["question"]: row["answer"][0] if i < agreed else "7 pallets" for i, row in enumerate(order)})


@dataclass(frozen=True)
class RunResult:
    passed: bool
    """Too few agreed: wrong."""
    failed: bool
    """Enough agreed: wrong."""
    beyond_limit: bool
    """More faults are left than the limit says."""
    claim_is_wrong: bool
    """It passed, and its true share is below the grade by more than the limit."""
    true_share_too_low: bool
    """It passed with enough agreed, and its true share is below the grade."""
    left: float
    """The limit, as a share of the questions."""


async def run(seed: int, rate: float, folder: Path) -> RunResult:
    rows, sample = reviewed(await made_rows(seed, rate), folder)
    wrong, enough = sum(map(is_wrong, rows)), ceil(GRADE * len(rows))
    verdicts = {}
    for agreed in (enough - 1, enough):
        candidate = with_agreement(rows, agreed, random.Random(f"{seed} {agreed}"))
        interview = Interview(candidate, answers=Reply, concurrency=1)
        scope = open_scope(rows)
        verdicts[agreed] = (await certify(interview, scope, Criterion(GRADE, None, DELTA), seed=seed)).verdict
    left = sample.faults_left
    claims = [
        verdict is Verdict.PASS and agreed - wrong < GRADE * len(rows) - left - 1e-9 for agreed, verdict in verdicts.items()
    ]
    return RunResult(
        verdicts[enough - 1] is Verdict.PASS,
        verdicts[enough] is Verdict.FAIL,
        wrong > left,
        any(claims),
        verdicts[enough] is Verdict.PASS and wrong > enough - GRADE * len(rows),
        left / len(rows),
    )


@cache
def limit(decided: int, faults: int, questions: int) -> int:
    return faults + ReviewSample(questions=questions, decided=decided, faults=faults).faults_left


def missed_at_any_stop(rate: float, *, samples: int, questions: int = 100) -> float:
    """The share of reviews in which the limit is too low after some row, however many rows people decide."""
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(samples):
        wrong = rng.random(questions) < rate
        wrong_so_far = np.cumsum(wrong)
        missed += any(limit(n, int(wrong_so_far[n - 1]), questions) < wrong_so_far[-1] for n in range(1, questions + 1))
    return missed / samples


def study(rate: float, runs: int) -> list[RunResult]:
    async def all_runs() -> list[RunResult]:
        with tempfile.TemporaryDirectory() as folder:
            return [await run(seed, rate, Path(folder)) for seed in range(runs)]

    return asyncio.run(all_runs())


def slack(error: float, runs: int) -> float:
    """Three standard errors."""
    return 3 * sqrt(error * (1 - error) / runs)


def _check(results: list[RunResult]) -> None:
    runs = len(results)
    for name, error in (("passed", DELTA), ("failed", DELTA), ("beyond_limit", 0.05), ("claim_is_wrong", DELTA + 0.05)):
        assert sum(getattr(result, name) for result in results) / runs <= error + slack(error, runs), name


def test_a_small_study() -> None:
    _check(study(0.1, 8))


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("rate", RATES)
def test_claims_on_made_questions_err_as_rarely_as_one_may(rate: float) -> None:
    results = study(rate, 400)
    _check(results)
    if rate:  # the study can tell: without the limit, a pass says nothing about the true share
        assert sum(result.true_share_too_low for result in results) / len(results) > 0.5


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("rate", RATES)
def test_the_limit_holds_wherever_reviewers_stop(rate: float) -> None:
    assert missed_at_any_stop(rate, samples=4_000) <= 0.05 + slack(0.05, 4_000)


if __name__ == "__main__":
    parser = parser_of(__doc__, 400)
    parser.add_argument("--samples", type=int, default=4_000)
    options = parser.parse_args()
    for rate in RATES:
        results = study(rate, options.runs)
        shares = {
            name: f"{sum(getattr(result, name) for result in results) / len(results):.1%}"
            for name in ("passed", "failed", "beyond_limit", "claim_is_wrong", "true_share_too_low")
        }
        print(f"{rate:.0%}: {shares}, median limit {median(result.left for result in results):.0%} of the questions")
        print(f"  too low at some stop: {missed_at_any_stop(rate, samples=options.samples):.1%}")
