"""Measured models: the finding, the trend by size, and the paper's own models."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, world
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model, right_share, weighted_accuracy
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.answers import read_answers
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, ModelReplies, grade_of
from vivavoce.generalization.measurement.measurement import (
    Measurement,
    MeasurementOrigin,
    SizeTrend,
    measure,
    size_trend,
    trend_rows,
)
from vivavoce.generalization.pairs import Beliefs, read_pairs
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import FAULTED, LOST, Grade
from vivavoce.render.drawing import drawing_of
from vivavoce.report.blocks import Caveats

SKILLS = {"small": 0.4, "middle": 0.6, "large": 0.9}


def measurement(sizes: dict[str, float | None] | None = None, **more: object) -> Measurement:
    pairs, grades = world(120, np.random.default_rng(7), skills=SKILLS)
    measured = [MeasuredCandidate(f"bot:{name}", name, (sizes or {}).get(name)) for name in SKILLS]
    config = AlignConfig(thresholds=(0.5, 0.99))
    return measure(pairs, answers(**grades), measured, MeasureConfig(most=4), config, **more)  # type: ignore[arg-type]


def test_the_statement_says_what_was_found() -> None:
    entry = measurement({"small": 1e9, "middle": 7e9, "large": 7e10})
    assert entry.statement.startswith("large answers most right")
    assert f"Misplaced trust is not shown to cost most for {next(iter(entry.trust.models))}. " in entry.statement
    assert "Beliefs fit larger models better" in entry.statement
    assert "about these models only" in " ".join(entry.caveats)


def test_what_is_not_known_is_said() -> None:
    replies = [
        ModelReplies.of("small", 10, {"answer": 2, "unreadable": 3, "cut off": 1, "no answer": 1}, "money"),
        ModelReplies.of("large", 10, {"answer": 10}),
    ]
    assert (replies[0].asked, replies[0].unreadable, replies[0].absent) == (7, 4, 1)
    entry = measurement(replies=replies, origins=MeasurementOrigin(missing=2, left_out=5))
    assert entry.trend is None
    assert "Many replies could not be parsed: small 4 of 7. The budget of money ended the questions" in entry.statement
    text = " ".join(entry.caveats)
    for words in (
        "it needs 3 different sizes, and 0 are known",
        "2 questions of the pairs are in no scope",
        "5 questions of the",
    ):
        assert words in text


def test_the_report_has_figures_that_draw_and_the_json_no_odd_number() -> None:
    entry = measurement({"small": 1e9, "middle": 7e9, "large": 7e10})
    text = json.dumps(entry.as_json(), allow_nan=False)
    assert json.loads(text)["figures"]["trend"]["pairs"] > 0
    assert len(entry.trust.pairs) == 4 < entry.trust.found
    titles = [getattr(block, "title", "") for block in entry.report().blocks]
    assert titles.index("Misplaced trust") < titles.index("Trend by size")
    assert sum(isinstance(block, Caveats) for block in entry.report().blocks) == 1
    assert entry.trend is not None
    rows = trend_rows(entry.trend.per_tenfold)
    assert "with a tenfold size: at a threshold of 50%" in rows.alt
    changes = [slope.change.value for slope in entry.trend.per_tenfold if slope.measure == "accuracy"]
    assert [row.least for row in rows.rows] == changes
    assert drawing_of(rows) is not None
    assert entry.plot(2).axes


@pytest.mark.parametrize(
    ("grade", "right"),
    [
        (Grade(1.0, False), True),
        (Grade(0.5, False), False),
        (Grade(0.0, False, Outcome.DONT_KNOW), False),
        (Grade(0.0, False, Outcome.CUT_OFF), False),
        (Grade(0.0, False, Outcome.NO_ANSWER), None),
        (LOST, None),
        (FAULTED, None),
    ],
)
def test_what_nobody_can_know_is_no_answer(grade: Grade, right: bool | None) -> None:
    assert grade_of(grade) is right


SIZES = {"small": 1e8, "middle": 1e9, "large": 1e10}


def trend_of(seed: int, skills: dict[str, float], sizes: dict[str, float] = SIZES, n: int = 300) -> SizeTrend | None:
    pairs, grades = world(n, np.random.default_rng(seed), skills=skills)
    people, graded_answers = believed_pairs(pairs, Beliefs()), answers(**grades)
    models = [graded_model(people, graded_answers.of(name), name) for name in graded_answers.models]
    sets = IndependentSets(people.groups, rng=np.random.default_rng([seed, 1]))
    return size_trend(people, models, sizes, (0.5, 0.99), sets)


def test_the_slope_is_that_of_numpy() -> None:
    pairs, grades = world(50, np.random.default_rng(5), skills={"small": 0.3, "middle": 0.5, "large": 0.9})
    people, graded_answers = believed_pairs(pairs, Beliefs()), answers(**grades)
    models = [graded_model(people, graded_answers.of(name), name) for name in graded_answers.models]
    sets = IndependentSets(people.groups, rng=np.random.default_rng(0))
    trend = size_trend(people, models, SIZES, (0.5, 0.99), sets)
    assert trend is not None
    for name, threshold, values in (
        ("right", None, [right_share(people, model).value for model in models]),
        ("accuracy", 0.99, [weighted_accuracy(people, model, 99.0).value for model in models]),
    ):
        slope = np.polyfit([8.0, 9.0, 10.0], [value or 0.0 for value in values], 1)[0]
        assert trend.of(name, threshold).value == pytest.approx(slope)
    assert list(trend.sizes) == ["small", "middle", "large"]


@pytest.mark.long
def test_a_known_slope_is_in_95_percent_of_the_intervals() -> None:
    """Right answers rise by .2 a tenfold size; 60 worlds, of which 95% binomially are 53 to 60."""
    held = 0
    for seed in range(60):
        trend = trend_of(seed, {"small": 0.4, "middle": 0.6, "large": 0.8}, n=80)
        assert trend is not None
        interval = trend.of("right").interval
        held += interval.lower <= 0.2 <= interval.upper
    assert held >= 53


def test_two_sizes_are_no_trend() -> None:
    skills = {"small": 0.4, "middle": 0.6, "large": 0.8}
    assert trend_of(0, skills, {"small": 1e8, "large": 1e10}) is None
    assert trend_of(0, skills, {"small": 1e8, "middle": 1e8, "large": 1e10}) is None
    assert trend_of(0, skills, {}) is None


DATA = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization"
PUBLISHED_SIZES = {
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
    measured = [MeasuredCandidate(name, name, size) for name, size in PUBLISHED_SIZES.items()]
    result = measure(pairs, answers, measured, MeasureConfig(), AlignConfig(thresholds=tuple(TABLE_2)))
    assert result.trend is not None
    for threshold, printed in TABLE_2.items():
        slope = np.polyfit(np.log10(list(PUBLISHED_SIZES.values())), printed, 1)[0]
        assert result.trend.of("accuracy", threshold).value == pytest.approx(slope, abs=0.001)  # three digits are printed
    assert result.trend.of("accuracy", 0.5).interval.lower > 0 > result.trend.of("accuracy", 0.99).interval.upper
    assert "Beliefs fit larger models better at a threshold of 50%, and worse at 99%." in result.statement
    assert next(iter(result.trust.models)) == "llama-2-70b-chat"
