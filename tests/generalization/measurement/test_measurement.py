"""Measured models: the finding, misplaced trust, the trend by size, and files of candidates."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.each_case import each_case
from tests.generalization.alignment.aligned import answers, pair, sets_of, world
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.interval import Interval
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model, right_share, weighted_accuracy
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.measured_candidates import (
    MeasuredCandidate,
    ModelReplies,
    checked_candidates,
    grade_of,
    read_candidates,
    size_of,
)
from vivavoce.generalization.measurement.measurement import (
    Measurement,
    MeasurementOrigin,
    SizeTrend,
    measure,
    size_trend,
    trend_rows,
)
from vivavoce.generalization.measurement.misplaced_trust import MisplacedTrust, misplaced_trust
from vivavoce.generalization.pairs import BeliefPair, Beliefs, GradedAnswers, read_answers, read_pairs
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import FAULTED, LOST, Grade
from vivavoce.render.canvas import drawing_of
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


@each_case(
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
    sets = sets_of(people)
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


@pytest.mark.long
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


def trust_of(pairs: list[BeliefPair], grades: dict[str, bool], most: int = 9) -> MisplacedTrust:
    people = believed_pairs(pairs, Beliefs())
    sets = sets_of(people)
    return misplaced_trust(people, [graded_model(people, grades, "m")], Beliefs(), sets, threshold=0.5, most=most)


def test_shares_and_cost_by_hand() -> None:
    """Of four pairs trust rises on three, and two of these are mistakes, believed with .9 and .7: at .5 they cost .4 a pair."""
    pairs = [
        pair("a", "b", True, prior=0.5, posterior=0.9),
        pair("c", "d", True, prior=0.5, posterior=0.7),
        pair("e", "f", True, prior=0.5, posterior=0.8),
        pair("g", "h", True, prior=0.5, posterior=0.4),
    ]
    grades = {"a": True, "b": False, "c": True, "d": False, "e": True, "f": True, "g": True, "h": False}
    trust = trust_of(pairs, grades)
    (model_trust,) = trust.models.values()
    assert model_trust.of_pairs.value == 0.5
    assert model_trust.of_trusted.value == pytest.approx(2 / 3)
    assert model_trust.cost.value == pytest.approx(0.5 * (0.9 + 0.7) / 4)
    assert [(m.pair.q1, m.before, m.after.value, m.people) for m in trust.pairs] == [("a", 0.5, 0.9, 1), ("c", 0.5, 0.7, 1)]
    assert trust.found == 2
    assert len(trust_of(pairs, grades, most=1).pairs) == 1
    assert trust_of(pairs, grades, most=1).found == 2


def test_a_wrong_answer_and_what_was_not_answered_are_no_trust() -> None:
    pairs = [pair("a", "b", False, prior=0.5, posterior=0.9), pair("c", "d", True, prior=0.5, posterior=0.9)]
    trust = trust_of(pairs, {"a": False, "b": False, "c": True})
    assert trust.found == 0
    assert trust.models["m"].of_trusted.value is None


def test_several_people_have_a_mean_with_students_interval() -> None:
    """Mean .7 of .6, .7 and .8: t(2, .975) = 4.302653, s = .1."""
    pairs = [pair("a", "b", True, prior=0.5, posterior=b, person=str(b)) for b in (0.6, 0.7, 0.8)]
    (misplaced_pair,) = trust_of(pairs, {"a": True, "b": False}).pairs
    assert misplaced_pair.after.value == pytest.approx(0.7)
    assert misplaced_pair.people == 3
    half = 4.302653 * 0.1 / 3**0.5
    assert misplaced_pair.after.interval.lower == pytest.approx(0.7 - half)
    assert misplaced_pair.after.interval.upper == pytest.approx(0.7 + half)
    alone = trust_of(pairs[:1], {"a": True, "b": False}).pairs[0]
    assert alone.after.interval == Interval(0, 1)


def planted(rng: np.random.Generator) -> tuple[list[BeliefPair], GradedAnswers]:
    """Three models, of which one is wrong exactly on the tenth that people trust most."""
    pairs, grades = world(100, rng, skills={"steady": 0.9, "weak": 0.6, "trap": 1.0})
    after_right = sorted((entry for entry in pairs if entry.previous_correct), key=lambda entry: -(entry.pred or 0.0))
    for entry in after_right[:10]:
        grades["trap"][entry.q2] = False
    return pairs, answers(**grades)


def test_planted_trust_is_found_and_listed_first() -> None:
    pairs, graded_answers = planted(np.random.default_rng(3))
    measured = [MeasuredCandidate(name, name) for name in graded_answers.models]
    measurement = measure(pairs, graded_answers, measured, MeasureConfig(most=500), AlignConfig(thresholds=(0.5,)))
    trap = [misplaced_pair for misplaced_pair in measurement.trust.pairs if misplaced_pair.model == "trap"]
    assert len(trap) == 10
    top = measurement.trust.pairs[0]
    assert top.after.value == pytest.approx(max(misplaced_pair.after.value or 0 for misplaced_pair in measurement.trust.pairs))
    assert {misplaced_pair.pair.q2 for misplaced_pair in trap} == {
        entry.q2
        for entry in sorted((entry for entry in pairs if entry.previous_correct), key=lambda entry: -(entry.pred or 0.0))[:10]
    }
    # beliefs in its mistakes are above all beliefs in the other models' that are not about the same questions
    others = [
        misplaced_pair for misplaced_pair in measurement.trust.pairs if misplaced_pair.pair.q2 not in {t.pair.q2 for t in trap}
    ]
    assert min(misplaced_pair.after.value or 0 for misplaced_pair in trap) >= max(
        misplaced_pair.after.value or 0 for misplaced_pair in others
    )
    alone = measure(pairs, graded_answers, measured, MeasureConfig(), AlignConfig(models=("trap",), thresholds=(0.5,)))
    assert next(iter(alone.trust.models.values())).of_pairs.value == pytest.approx(0.1)
    assert alone.headline.startswith("Where a right answer raised people's beliefs in trap, it was wrong in 10%")
    assert alone.statement.count(alone.headline) == 1


def test_everything_is_wrong_or_right() -> None:
    pairs, grades = world(30, np.random.default_rng(1), skills={"good": 1.0, "bad": 0.0})
    measurement = measure(pairs, answers(**grades), [], MeasureConfig(), AlignConfig(thresholds=(0.5, 0.9)))
    assert measurement.trust.found == 0
    assert "no model was wrong: 0% [0, " in measurement.statement
    reverse = measure(pairs, answers(**dict(reversed(grades.items()))), [], MeasureConfig(), AlignConfig(thresholds=(0.5, 0.9)))
    assert "no model was wrong: 0% [0, " in reverse.statement  # whoever stands first
    assert {name: model.of_trusted.value for name, model in measurement.trust.models.items()} == {"good": 0.0, "bad": None}
    good = measurement.trust.models["good"]
    # none of 30 pairs is a mistake: Clopper and Pearson's upper end is 1 - .025^(1/30) = .1157
    assert good.of_pairs.interval.upper == pytest.approx(1 - 0.025 ** (1 / 30))
    assert good.cost.interval.upper == pytest.approx(0.9 * (1 - 0.025 ** (1 / 30)))


def test_name_and_size_may_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "models.csv"
    file.write_text("size,candidate,name\n7B,bot:calculator,Seven\n,bot:gibberish,\n")
    assert read_candidates(file) == [
        MeasuredCandidate("bot:calculator", "Seven", 7e9),
        MeasuredCandidate("bot:gibberish", "bot:gibberish"),
    ]


@each_case(
    ("text", "message"),
    [
        ("name\nx\n", "no column candidate"),
        ("candidate\n", "no candidates below"),
        ("candidate,name\n,x\n", "line 2: candidate is empty"),
        ('candidate,name\nbot:x,"a\nb"\n', "not one line of printable characters"),
        ("candidate,size\nbot:x,big\n", "line 2: size is 'big'"),
        ("candidate,size\nbot:x,0\n", "a number above 0"),
        ("candidate,size\nbot:x,-7B\n", "a number above 0"),
        ("candidate,size\nbot:x,nan\n", "a number above 0"),
    ],
)
def test_rubbish_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "models.csv"
    file.write_text(text)
    with pytest.raises(BadFile, match=message):
        read_candidates(file)


def test_names_are_columns() -> None:
    for names, text in ((["a", "a"], "two candidates"), (["prompt"], "can't be a column's name"), ([], "0 candidates")):
        with pytest.raises(BadInput, match=text):
            checked_candidates([MeasuredCandidate(f"bot:{index}", name) for index, name in enumerate(names)])
    with pytest.raises(BadInput, match="occurs twice"):
        checked_candidates([MeasuredCandidate("bot:x", "one"), MeasuredCandidate("bot:x", "two")])


def test_sizes_by_hand() -> None:
    assert [size_of(text) for text in ("0.5B", "70 b", "1.5T", "1e6", "12K")] == [5e8, 7e10, 1.5e12, 1e6, 12e3]
