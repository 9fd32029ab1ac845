"""The paper's own models, measured: its trend by size and the model of its Figure 4."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from vivavoce.generalization.answers import read_answers
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate
from vivavoce.generalization.measurement.measurement import measure
from vivavoce.generalization.pairs import read_pairs

DATA = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization"
SIZES = {
    "alpaca-7b": 7e9,
    "llama-2-7b-chat": 7e9,
    "StripedHyena-Nous-7B": 7e9,
    "mistralai/Mistral-7B-Instruct-v0.2": 7e9,
    "llama-2-13b-chat": 13e9,
    "llama-2-70b-chat": 70e9,
}
TABLE_2 = {0.5: (0.466, 0.494, 0.495, 0.517, 0.499, 0.512), 0.99: (0.392, 0.388, 0.384, 0.384, 0.386, 0.381)}
"""As printed, in that order."""


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="$VIVA_DATA does not name the research data folder")
def test_the_trend_is_that_of_the_printed_table() -> None:
    files = [DATA / f"{name}_sample_with_pred.csv" for name in ("correct", "incorrect")]
    pairs = [pair for file in files for pair in read_pairs(file)]
    answers = read_answers(DATA / "llm_correct_by_prompt.csv.gz")
    measured = [MeasuredCandidate(name, name, size) for name, size in SIZES.items()]
    found = measure(pairs, answers, measured, MeasureConfig(), AlignConfig(thresholds=tuple(TABLE_2)))
    assert found.trend is not None
    for threshold, printed in TABLE_2.items():
        slope = np.polyfit(np.log10(list(SIZES.values())), printed, 1)[0]
        assert found.trend.of("accuracy", threshold).value == pytest.approx(slope, abs=0.001)  # three digits are printed
    assert found.trend.of("accuracy", 0.5).interval.lower > 0 > found.trend.of("accuracy", 0.99).interval.upper
    assert "Beliefs fit larger models better at a threshold of 50%, and worse at 99%." in found.statement
    assert found.trust.models[0].model == "llama-2-70b-chat"
