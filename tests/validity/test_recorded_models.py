"""Every other of 17 real models x 14 categories x 3 passing grades, against the full data; the bench has all of them."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from bench.recorded_models import runs

pytestmark = [pytest.mark.slow, pytest.mark.study]

NO_MODELS = ("question_id", "category", "answer")


@pytest.mark.data
async def test_verdicts_on_recorded_models() -> None:
    folder = os.environ.get("VIVA_DATA")
    if not folder or not (Path(folder) / "mmlu_pro").is_dir():
        pytest.skip("$VIVA_DATA does not name a folder with mmlu_pro/")
    with gzip.open(Path(folder) / "mmlu_pro" / "predictions.csv.gz", "rt", encoding="utf-8", newline="") as file:
        models = [name for name in next(csv.reader(file)) if name not in NO_MODELS][::2]
    done = await runs(Path(folder) / "mmlu_pro", models=models)
    assert len(done) == 9 * 14 * 3
    assert np.mean([not run.right for run in done]) <= 0.02
    shares = [run.questions / run.size for run in done if run.passing_grade == 0.5]
    assert np.median(shares) <= 0.1
    assert np.mean(shares) <= 0.25
