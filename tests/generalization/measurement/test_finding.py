"""The finding of measured models in words, as blocks, as a page and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, world
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, ModelReplies, grade_of
from vivavoce.generalization.measurement.measurement import Measurement, MeasurementOrigin, measure, trend_rows
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import FAULTED, LOST, Grade
from vivavoce.render.drawing import drawing_of
from vivavoce.report.blocks import Caveats

SKILLS = {"small": 0.4, "middle": 0.6, "large": 0.9}


def found(sizes: dict[str, float | None] | None = None, **more: object) -> Measurement:
    pairs, grades = world(120, np.random.default_rng(7), skills=SKILLS)
    measured = [MeasuredCandidate(f"bot:{name}", name, (sizes or {}).get(name)) for name in SKILLS]
    config = AlignConfig(thresholds=(0.5, 0.99))
    return measure(pairs, answers(**grades), measured, MeasureConfig(most=4), config, **more)  # type: ignore[arg-type]


def test_the_statement_says_what_was_found() -> None:
    one = found({"small": 1e9, "middle": 7e9, "large": 7e10})
    assert one.statement.startswith("large answers most right")
    assert f"Misplaced trust is not shown to cost most with {one.trust.models[0].model}: " in one.statement
    assert "Beliefs fit larger models better" in one.statement
    assert "of these models alone" in " ".join(one.caveats)


def test_what_is_not_known_is_said() -> None:
    replies = [
        ModelReplies("small", 10, {"answer": 2, "unreadable": 3, "cut off": 1, "no answer": 1}, "money"),
        ModelReplies("large", 10, {"answer": 10}),
    ]
    assert (replies[0].asked, replies[0].unread, replies[0].absent) == (7, 4, 1)
    one = found(replies=replies, origins=MeasurementOrigin(missing=2, left_out=5))
    assert one.trend is None
    assert "Many replies could not be read: small 4 of 7. The budget of money ended the questions" in one.statement
    told = " ".join(one.caveats)
    for words in (
        "it needs 3 different sizes, and 0 are known",
        "2 questions of the pairs are in no scope",
        "5 questions of the",
    ):
        assert words in told


def test_the_report_has_figures_that_draw_and_the_json_no_odd_number() -> None:
    one = found({"small": 1e9, "middle": 7e9, "large": 7e10})
    text = json.dumps(one.as_json(), allow_nan=False)
    assert json.loads(text)["figures"]["trend"]["pairs"] > 0
    assert len(one.trust.pairs) == 4 < one.trust.found
    titles = [getattr(block, "title", "") for block in one.report().blocks]
    assert titles.index("Where trust is misplaced") < titles.index("Do beliefs fit larger models better?")
    assert sum(isinstance(block, Caveats) for block in one.report().blocks) == 1
    assert one.trend is not None
    rows = trend_rows(one.trend.slopes)
    assert "with a tenfold size: at a threshold of 50%" in rows.alt
    assert [row.least for row in rows.rows] == [slope.change.value for slope in one.trend.slopes if slope.measure == "accuracy"]
    assert drawing_of(rows) is not None
    assert one.plot(2).axes


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
