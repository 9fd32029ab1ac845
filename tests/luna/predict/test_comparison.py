"""Predictors compared on random splits, and the corrected resampled t test."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy

from tests.each_case import each_case
from tests.luna.predict.people import made_people
from vivavoce.errors import BadInput, NotEnoughEvidence, UnknownName
from vivavoce.luna.predict.answers import PeopleTable
from vivavoce.luna.predict.comparison_finding import compare, resampled_t, splits_of
from vivavoce.luna.settings import SplitsConfig

VALUES = (0.3, 0.1, 0.25, -0.05, 0.2)


def test_it_is_the_usual_t_test_with_a_wider_error() -> None:
    """Student's statistic times sqrt((1/k) / (1/k + tested/learnt)): with k = 5 and 1/4 it is 2/3 of it."""
    pair = resampled_t(VALUES, tested=1, learnt=4)
    usual = scipy.stats.ttest_1samp(VALUES, 0.0)
    assert pair.mean == pytest.approx(0.16)
    assert pair.p == pytest.approx(2 * scipy.stats.t.sf(usual.statistic * 2 / 3, 4))
    width = usual.confidence_interval(0.95)
    assert pair.bounds.upper - pair.mean == pytest.approx(1.5 * (width.high - 0.16))
    assert pair.mean - pair.bounds.lower == pytest.approx(pair.bounds.upper - pair.mean)


def test_values_that_do_not_vary() -> None:
    assert resampled_t([0.0, 0.0], tested=1, learnt=4).p == 1
    assert resampled_t([0.5, 0.5], tested=1, learnt=4).p == 0
    assert resampled_t([0.5, 0.5], tested=1, learnt=4).bounds == (0.5, 0.5)


def test_noise_is_seldom_taken_for_a_difference() -> None:
    """Two predictors alike: per person a difference of noise, 100 people, 30 splits of 4:1; 200 data sets.

    The usual test finds a difference in most of them, for all splits share the same noise.
    """
    rng = np.random.default_rng(7)
    ours: list[bool] = []
    usual: list[bool] = []
    for _ in range(200):
        noise = rng.normal(size=100)
        means = [noise[rng.permutation(100)[:20]].mean() for _ in range(30)]
        ours.append(resampled_t(means, tested=20, learnt=80).p < 0.05)
        usual.append(float(scipy.stats.ttest_1samp(means, 0.0).pvalue) < 0.05)
    assert np.mean(ours) < 0.09
    assert np.mean(usual) > 0.3


@each_case(
    ("values", "settings", "kind"),
    [
        ([1.0], {}, NotEnoughEvidence),
        ([1.0, float("nan")], {}, BadInput),
        ([1.0, 2.0], {"tested": 0}, BadInput),
        ([1.0, 2.0], {"confidence": 1.0}, BadInput),
    ],
)
def test_what_cannot_be_judged_is_refused(values: list[float], settings: dict[str, float], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        resampled_t(values, **{"tested": 1, "learnt": 4, **settings})  # type: ignore[arg-type]


PEOPLE = made_people(40)


def test_nobody_is_on_both_sides_and_the_first_splits_stay_the_same() -> None:
    drawn = splits_of(PEOPLE, SplitsConfig(3, seed=4))
    for split in drawn:
        assert len(split.test) == 8
        assert sorted((*split.learn, *split.test)) == sorted(PEOPLE.people)
    assert splits_of(PEOPLE, SplitsConfig(2, seed=4)) == drawn[:2]
    assert drawn[0].test != drawn[1].test
    assert splits_of(PEOPLE, SplitsConfig(2, seed=5)) != drawn[:2]


def test_errors_of_a_constant_by_hand() -> None:
    comparison = compare(PEOPLE, ["constant", "cbg"], config=SplitsConfig(4, seed=2))
    errors = []
    for split in splits_of(PEOPLE, SplitsConfig(4, seed=2)):
        mean = np.mean([PEOPLE.ratings[name] for name in split.learn])
        errors.append(np.sqrt(np.mean([(PEOPLE.ratings[name] - mean) ** 2 for name in split.test])))
    by_hand = resampled_t(errors, tested=8, learnt=32)
    assert comparison.scores[0].rmse.value == pytest.approx(by_hand.mean)
    assert comparison.scores[0].rmse.interval.upper == pytest.approx(by_hand.bounds.upper)
    assert comparison.scores[0].rmse.n == 4
    assert comparison.against == "constant"
    assert comparison.scores[0].difference is None
    assert comparison.scores[1].difference is not None
    assert (comparison.scores[1].difference.value, comparison.scores[1].difference.p) == (0, 1)


def test_better_predictors_are_told_to_be_better() -> None:
    comparison = compare(PEOPLE, ["constant", "com", "modern"], config=SplitsConfig(4))
    constant, com, modern = (score.rmse.value or 0.0 for score in comparison.scores)
    assert modern < com < constant
    assert comparison.best.name == "modern"
    assert comparison.against == "com"
    assert "modern has the smallest error of 3 predictors, but not significantly" in comparison.statement
    # com without WordNet's files has ten of the twelve features, and is beaten as that
    assert "smaller than com's (10 of the 12 features of the thesis, without snl and syn)" in comparison.statement
    assert any("com means 10 of the 12" in name for name in comparison.caveats)
    alone = compare(PEOPLE, ["constant", "bow"], config=SplitsConfig(2))
    assert not any("com means" in name for name in alone.caveats)
    document = json.loads(json.dumps(comparison.as_json(), allow_nan=False))
    assert document["figures"]["predictors"][2]["difference"]["value"] == pytest.approx(modern - com)
    assert any("no answer key" in caveat for caveat in comparison.caveats)
    assert comparison.signature.line.endswith('seed 0 · {"splits": 4, "test_share": 0.2}')


def test_others_may_work_on_it_and_progress_is_told() -> None:
    numbers: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        comparison = compare(PEOPLE, ["constant", "bwo"], config=SplitsConfig(3), executor=executor, on_split=numbers.append)
    assert comparison == compare(PEOPLE, ["constant", "bwo"], config=SplitsConfig(3))
    assert numbers == [1, 2, 3]


@each_case(
    ("names", "splits", "kind"),
    [
        ([], 3, BadInput),
        (["bow", "bow"], 3, BadInput),
        (["bows"], 3, UnknownName),
        (["bow"], 0, BadInput),
        (["bow"], 1, BadInput),
    ],
)
def test_what_cannot_be_compared_is_refused(names: list[str], splits: int, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        compare(PEOPLE, names, config=SplitsConfig(splits))


def test_a_fifth_of_too_few_people_is_not_held_out() -> None:
    with pytest.raises(NotEnoughEvidence, match="5 people, 1 of them to predict: fewer than 5 are left"):
        compare(PEOPLE.only(PEOPLE.people[:5]), ["bow"], config=SplitsConfig(3))


def test_people_who_are_all_rated_the_same_tell_no_predictors_apart() -> None:
    same = PeopleTable(PEOPLE.without_grades().answers, dict.fromkeys(PEOPLE.people, 0.5))
    with pytest.raises(NotEnoughEvidence, match=r"all 40 ratings are 0\.5"):
        compare(same, ["cbg", "bow"], config=SplitsConfig(3))
