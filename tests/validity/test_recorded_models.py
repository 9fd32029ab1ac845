"""Every other of 17 real models x 14 categories x 3 passing grades, against the full data; the bench has all of them."""

import csv
import gzip

import numpy as np
import pytest

from bench.recorded_models import runs
from tests.validity.error_studies import data_folder

pytestmark = [pytest.mark.slow, pytest.mark.study]

NO_MODELS = ("question_id", "category", "answer")


@pytest.mark.data
async def test_verdicts_on_recorded_models() -> None:
    folder = data_folder()
    with gzip.open(folder / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8", newline="") as file:
        models = [name for name in next(csv.reader(file)) if name not in NO_MODELS][::2]
    done = await runs(folder / "mmlu_pro", models=models)
    assert len(done) == 9 * 14 * 3
    assert np.mean([not run.right for run in done]) <= 0.02
    shares = [run.questions / run.size for run in done if run.passing_grade == 0.5]
    assert np.median(shares) <= 0.1
    assert np.mean(shares) <= 0.25
