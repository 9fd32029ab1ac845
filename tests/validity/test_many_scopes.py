"""How many of the verdicts on many scopes are wrong, and what they cost, where the truth is planted.

Candidates answer right (1) or wrong (0) with a known chance, on some scopes just at the passing grade, where errors are
likeliest. The multiple test that the command uses is given the evidence after every answer. Beside it stand the family-wise
rule, which is each scope alone with a Bonferroni split, and no correction at all.

    python -m tests.validity.test_many_scopes [--runs 2000]
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from bench.many_scopes import runs
from tests.validity.error_studies import data_folder, print_table, runs_of, slack
from vivavoce.certificate.claims.claim import MultipleTest, Verdict
from vivavoce.certificate.config import Correction
from vivavoce.statistics.confidence_sequences import mean_below, mean_passes

pytestmark = pytest.mark.slow

GRADE, DELTA, LIMIT = 0.7, 0.05, 200
"""At most LIMIT questions a scope."""


@dataclass(frozen=True)
class ManyScopesCase:
    """The mean score of each scope."""

    name: str
    scores: tuple[float, ...]


CASES = (
    ManyScopesCase("all just fail", (0.6999,) * 10),
    ManyScopesCase("half just fail, half clearly pass", (0.6999,) * 5 + (0.95,) * 5),
    ManyScopesCase("half just pass, half clearly fail", (0.7,) * 5 + (0.4,) * 5),
    ManyScopesCase("some of each", (0.6999,) * 3 + (0.7,) * 3 + (0.9, 0.95) + (0.5, 0.4)),
    ManyScopesCase("clear on either side", (0.85, 0.9, 0.95, 0.97, 0.99, 0.55, 0.5, 0.4, 0.3, 0.2)),
)


@dataclass(frozen=True)
class MeanOutcome:
    """Means over the runs."""

    wrong_understands: float
    """Share of wrong ones among "pass", 0 where there is none: its mean is the false discovery rate."""
    wrong_fails: float
    any_wrong: float
    verdicts: float
    questions: float


@cache
def _evidence() -> tuple[np.ndarray, np.ndarray]:
    """Log e-values for and against, by questions and right answers: shape (LIMIT + 1, LIMIT + 1)."""
    n, right = np.mgrid[: LIMIT + 1, : LIMIT + 1]
    counts = np.stack((np.maximum(n - right, 0), right), axis=-1)
    return mean_passes(GRADE).after([0.0, 1.0], counts), mean_below(GRADE).after([0.0, 1.0], counts)


def study(case: ManyScopesCase, rule: Correction | None, *, runs: int, seed: int = 0) -> MeanOutcome:
    """Examine so many times; `rule` None stands for no correction."""
    rng = np.random.default_rng(seed)
    above, below = _evidence()
    steps, scores = np.arange(1, LIMIT + 1), np.array(case.scores)
    rows = []
    for _ in range(runs):
        right = (rng.random((scores.size, LIMIT)) < scores[:, None]).cumsum(axis=1)
        rows.append(_run(above[steps, right].tolist(), below[steps, right].tolist(), case.scores, rule))
    return MeanOutcome(*np.mean(rows, axis=0).tolist())


def _run(
    above: Sequence[Sequence[float]], below: Sequence[Sequence[float]], scores: Sequence[float], rule: Correction | None
) -> tuple[float, float, float, float, float]:
    asked = [0] * len(scores)
    tests = [MultipleTest(len(scores), rule, delta=DELTA)] if rule else [MultipleTest(1, "fwer", delta=DELTA) for _ in scores]
    for number, test in enumerate(tests):
        while (turn := test.turn()) is not None:
            scope = turn if rule else number
            if asked[scope] == LIMIT:
                test.has_no_more(turn)
                continue
            test.take(turn, above[scope][asked[scope]], below[scope][asked[scope]])
            asked[scope] += 1
    verdicts = [verdict for test in tests for verdict in test.verdicts]
    passed = [score < GRADE for score, verdict in zip(scores, verdicts, strict=True) if verdict is Verdict.PASS]
    failed = [score >= GRADE for score, verdict in zip(scores, verdicts, strict=True) if verdict is Verdict.FAIL]
    return (
        sum(passed) / max(1, len(passed)),
        sum(failed) / max(1, len(failed)),
        float(any(passed + failed)),
        len(passed + failed),
        sum(asked),
    )


def main() -> None:
    runs = runs_of(__doc__, 2_000)
    rows = (
        (case.name, rule or "none", o.wrong_understands, o.wrong_fails, o.any_wrong, f"{o.verdicts:.2f}", f"{o.questions:.0f}")
        for case in CASES
        for rule in ("fdr", "fwer", None)
        for o in [study(case, rule, runs=runs)]
    )
    print_table(("scopes", "rule", "wrong of passes", "wrong of fails", "any wrong", "verdicts", "questions"), rows)


RUNS = 2_000
SLACK = slack(RUNS)


def test_false_discoveries_are_as_rare_as_promised() -> None:
    for case in CASES[:4]:
        outcome = study(case, "fdr", runs=RUNS // 4)
        assert outcome.wrong_understands + outcome.wrong_fails <= DELTA + 2 * SLACK, case.name


def test_where_all_verdicts_would_be_wrong_any_one_is_as_rare_as_promised() -> None:
    outcome = study(CASES[0], "fdr", runs=RUNS)
    # no scope is understood: the false discovery rate is the chance of any discovery
    assert outcome.wrong_understands == outcome.any_wrong <= DELTA + SLACK
    assert outcome.any_wrong > 0  # the study can tell errors


@pytest.mark.study
@pytest.mark.data
async def test_real_models_on_fourteen_categories() -> None:
    folder = data_folder()
    with gzip.open(folder / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8", newline="") as file:
        models = next(csv.reader(file))[3::8]
    ways = ("e-BH", "each alone, delta/14")
    done = await runs(folder / "mmlu_pro", models=models, ways=ways)
    assert len(done) == 3 * 2
    assert sum(run.understands + run.does_not for run in done if run.way == "e-BH") == 3 * 14
    # the bench has all 17 models: none of 238 verdicts is wrong
    assert sum(run.wrong_understands + run.wrong_does_not for run in done if run.way == "e-BH") == 0
    together, alone = (sum(run.questions for run in done if run.way == procedure) for procedure in ways)
    assert together < alone


if __name__ == "__main__":
    main()
