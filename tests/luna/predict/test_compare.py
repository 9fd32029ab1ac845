"""Predictors on the same splits, and the learning curve."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.luna.predict.made_people import made_people
from vivavoce.errors import BadInput, NotEnoughEvidence, UnknownName
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.comparison import compare, curve, resampled_t, splits_of
from vivavoce.luna.settings import SplitsConfig

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
    found = compare(PEOPLE, ["constant", "cbg"], config=SplitsConfig(4, seed=2))
    errors = []
    for split in splits_of(PEOPLE, SplitsConfig(4, seed=2)):
        mean = np.mean([PEOPLE.ratings[one] for one in split.learn])
        errors.append(np.sqrt(np.mean([(PEOPLE.ratings[one] - mean) ** 2 for one in split.test])))
    by_hand = resampled_t(errors, tested=8, learnt=32)
    assert found.scores[0].rmse.value == pytest.approx(by_hand.mean)
    assert found.scores[0].rmse.interval.upper == pytest.approx(by_hand.bounds.upper)
    assert found.scores[0].rmse.n == 4
    assert found.against == "constant"
    assert found.scores[0].difference is None
    assert found.scores[1].difference is not None
    assert (found.scores[1].difference.value, found.scores[1].difference.p) == (0, 1)


def test_better_predictors_are_told_to_be_better() -> None:
    found = compare(PEOPLE, ["constant", "com", "modern"], config=SplitsConfig(4))
    constant, com, modern = (one.rmse.value or 0.0 for one in found.scores)
    assert modern < com < constant
    assert found.best.name == "modern"
    assert found.against == "com"
    assert "Of 3 predictors modern is not shown to come nearer than all others" in found.statement
    # com without WordNet's files has ten of the twelve features, and is beaten as that
    assert "smaller than com's (10 of the 12 features of the thesis, without snl and syn)" in found.statement
    assert any("com stands for 10 of the 12" in one for one in found.caveats)
    alone = compare(PEOPLE, ["constant", "bow"], config=SplitsConfig(2))
    assert not any("com stands for" in one for one in alone.caveats)
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["figures"]["predictors"][2]["difference"]["value"] == pytest.approx(modern - com)
    assert any("No answer key" in caveat for caveat in found.caveats)
    assert found.signature.line.endswith('seed 0 · {"splits": 4, "test_share": 0.2}')


def test_others_may_work_on_it_and_progress_is_told() -> None:
    told: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        found = compare(PEOPLE, ["constant", "bwo"], config=SplitsConfig(3), executor=executor, on_split=told.append)
    assert found == compare(PEOPLE, ["constant", "bwo"], config=SplitsConfig(3))
    assert told == [1, 2, 3]


@pytest.mark.parametrize(
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
    with pytest.raises(NotEnoughEvidence, match="5 people, 1 of them to be predicted: 5 must be left to learn from"):
        compare(PEOPLE.only(PEOPLE.people[:5]), ["bow"], config=SplitsConfig(3))


def test_people_who_are_all_rated_the_same_tell_no_predictors_apart() -> None:
    same = People(PEOPLE.without_grades().answers, dict.fromkeys(PEOPLE.people, 0.5))
    with pytest.raises(NotEnoughEvidence, match=r"all 40 ratings are 0\.5"):
        compare(same, ["cbg", "bow"], config=SplitsConfig(3))
    with pytest.raises(NotEnoughEvidence, match=r"all 40 ratings are 0\.5"):
        curve(same, ["cbg", "bow"])


def test_a_curve_ends_where_the_comparison_is() -> None:
    found = curve(PEOPLE, ["constant", "bow"], [10, 10, 1000], config=SplitsConfig(3, seed=1))
    assert [(point.name, point.people) for point in found.points] == [
        ("constant", 10), ("constant", 32), ("bow", 10), ("bow", 32)
    ]  # fmt: skip
    whole = compare(PEOPLE, ["constant", "bow"], config=SplitsConfig(3, seed=1))
    assert [found.of(one.name)[-1].rmse for one in whole.scores] == [one.rmse for one in whole.scores]
    assert "bow errs by" in found.statement
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["figures"]["points"][0]["people"] == 10
    with pytest.raises(BadInput, match="each at least 1"):
        curve(PEOPLE, ["constant"], [])
    with pytest.raises(NotEnoughEvidence, match="4 people"):
        curve(PEOPLE, ["bow"], [4], config=SplitsConfig(2))
