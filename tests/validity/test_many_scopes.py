"""Wrong verdicts on many scopes: planted truth, looked at after every answer, and real models against the full data."""

import csv
import gzip
import os
from math import sqrt
from pathlib import Path

import pytest

from bench.many_scopes import runs
from tests.validity.many_scopes import CASES, DELTA, study

RUNS = 2_000
SLACK = 3 * sqrt(DELTA * (1 - DELTA) / RUNS)
"""Three standard errors of a share of runs; the mean of a share within runs has smaller ones."""


@pytest.mark.slow
def test_false_discoveries_are_as_rare_as_promised() -> None:
    for case in CASES[:4]:
        outcome = study(case, "fdr", runs=RUNS // 4)
        assert outcome.wrong_understands + outcome.wrong_fails <= DELTA + 2 * SLACK, case.name


@pytest.mark.slow
def test_where_all_verdicts_would_be_wrong_any_one_is_as_rare_as_promised() -> None:
    outcome = study(CASES[0], "fdr", runs=RUNS)
    # no scope is understood: the false discovery rate is the chance of any discovery
    assert outcome.wrong_understands == outcome.any_wrong <= DELTA + SLACK
    assert outcome.any_wrong > 0  # the study can tell errors


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.data
async def test_real_models_on_fourteen_categories() -> None:
    folder = os.environ.get("VIVA_DATA")
    if not folder or not (Path(folder) / "mmlu_pro").is_dir():
        pytest.skip("$VIVA_DATA does not name a folder with mmlu_pro/")
    with gzip.open(Path(folder) / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8", newline="") as file:
        models = next(csv.reader(file))[3::8]
    ways = ("e-BH", "each alone, delta/14")
    done = await runs(Path(folder) / "mmlu_pro", models=models, ways=ways)
    assert len(done) == 3 * 2
    assert sum(run.understands + run.does_not for run in done if run.way == "e-BH") == 3 * 14
    # the bench has all 17 models: none of 238 verdicts is wrong
    assert sum(run.wrong_understands + run.wrong_does_not for run in done if run.way == "e-BH") == 0
    together, alone = (sum(run.questions for run in done if run.way == procedure) for procedure in ways)
    assert together < alone
