"""All 102,554 real tuples: each violation proven, and in agreement with what the authors of the data found numerically."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from vivavoce.laws.law import law_named
from vivavoce.laws.violation import frequentist, violations

pytestmark = [pytest.mark.data, pytest.mark.skipif("VIVA_DATA" not in os.environ, reason="$VIVA_DATA names no data folder")]
LAW = {
    "Neg": "neg", "Paraphrase": "paraphrase", "And": "and", "Or": "or", "AndOr": "and-or", "But": "but", "Cond": "cond",
    "CondCond": "cond-cond", "Consequence": "consequence", "ExpectedEvidence": "expected-evidence",
}  # fmt: skip
SEARCH_FELL_SHORT = {"AndOr", "But", "CondCond", "ExpectedEvidence"}
"""Where the stored values lie below ours at the median, too: theirs is a search for a maximum, ours comes with a proof."""


@pytest.fixture(scope="module")
def stored() -> dict[str, tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]]:
    """By checker: names of statements, forecasts, and the two stored values."""
    rows: dict[str, list[dict[str, str]]] = {}
    with gzip.open(Path(os.environ["VIVA_DATA"]) / "forecasting" / "forecasts.csv.gz", "rt") as lines:
        for row in csv.DictReader(lines):
            rows.setdefault(row["checker"], []).append(row)
    return {
        checker: (
            tuple(of[0]["keys"].split("|")),
            np.array([row["probs"].split("|") for row in of], dtype=float),
            np.array([row["v_default"] for row in of], dtype=float),
            np.array([row["v_frequentist"] for row in of], dtype=float),
        )
        for checker, of in rows.items()
    }


@pytest.mark.parametrize("checker", LAW)
def test_the_violation_against_the_stored_one(
    checker: str, stored: dict[str, tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]]
) -> None:
    keys, forecasts, default, _ = stored[checker]
    law = law_named(LAW[checker], keys)
    violation = violations(law, forecasts)
    assert violation.gap.max() < 1e-6
    # A search for the largest sure profit can fall short of it but not exceed it, beyond the stored rounding of the forecasts.
    assert (default - violation.value).max() < 1e-4
    if checker not in SEARCH_FELL_SHORT:
        assert np.median(abs(default - violation.value)) < 1e-6
    # Where they differ by more, the prices that we name make a larger profit in every world: theirs was not the maximum.
    more = violation.value - default > 1e-4
    for forecast, price, theirs in zip(forecasts[more], violation.repair[more], default[more], strict=True):
        belief = np.where(forecast == 0, 0.001, np.where(forecast == 1, 0.999, forecast))
        wins, loses = np.log(price / belief), np.log1p(-price) - np.log1p(-belief)
        profit = np.where(law.worlds == 1, wins, np.where(law.worlds == 0, loses, 0.0)).sum(axis=1)
        assert profit.min() > theirs + 0.9e-4


@pytest.mark.parametrize("checker", LAW)
def test_the_frequentist_metric_against_the_stored_one(
    checker: str, stored: dict[str, tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]]
) -> None:
    keys, forecasts, _, theirs = stored[checker]
    ours = frequentist(law_named(LAW[checker], keys), forecasts)
    assert ours is not None
    difference = abs(ours - theirs)
    if checker == "CondCond":  # their formula has PQR where the delta method gives PR
        assert 0.001 < np.median(difference) < 0.01
        return
    assert np.median(difference) < 1e-5
    assert np.mean(difference > 1e-3) < 0.002  # forecasts are stored to four digits; in a few, 0 was taken for .001
