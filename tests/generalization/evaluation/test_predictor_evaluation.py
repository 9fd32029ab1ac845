"""AUC and NLL against scikit-learn, scipy and counting by hand, and their intervals against what they claim."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.evaluation.predictor_evaluation import (
    auc,
    auc_interval,
    evaluate,
    losses,
    weighted_interval,
    weighted_mean,
)
from vivavoce.generalization.pairs import BeliefPair, PredictionOrigin, read_pairs
from vivavoce.generalization.predictors.previous_answer import fit_with_task
from vivavoce.statistics.clustered import mean_interval

MADE = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.9]), st.sampled_from([0.5, 1.0, 3.0])),
    min_size=4,
    max_size=40,
).filter(lambda rows: len({changed for changed, _, _ in rows}) == 2)


def made(n: int, seed: int = 0, **more: object) -> tuple[list[BeliefPair], np.ndarray]:
    rng = np.random.default_rng(seed)
    chances = rng.uniform(0.05, 0.95, n).round(2)
    pairs = [
        BeliefPair(f"{k}?", f"{k}!", f"task {k % 5}", f"task {k % 3}", right, changed, **more)  # type: ignore[arg-type]
        for k, (right, changed) in enumerate((bool(rng.random() < 0.5), bool(rng.random() < chance)) for chance in chances)
    ]
    return pairs, chances


@given(MADE)
def test_the_auc_is_that_of_scikit_learn_and_of_mann_and_whitney(rows: list[tuple[bool, float, float]]) -> None:
    from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

    changed, chances, weights = (np.array(column) for column in zip(*rows, strict=True))
    value = auc(changed, chances)
    assert value == pytest.approx(roc_auc_score(changed, chances))
    statistic = scipy.stats.mannwhitneyu(chances[changed], chances[~changed]).statistic
    assert value == pytest.approx(statistic / (changed.sum() * (~changed).sum()))
    assert auc(changed, chances, weights) == pytest.approx(roc_auc_score(changed, chances, sample_weight=weights))


@given(MADE)
def test_the_nll_is_that_of_scikit_learn(rows: list[tuple[bool, float, float]]) -> None:
    from sklearn.metrics import log_loss

    changed, chances, weights = (np.array(column) for column in zip(*rows, strict=True))
    assert losses(changed, chances).mean() == pytest.approx(log_loss(changed, chances))
    expected = log_loss(changed, chances, sample_weight=weights)
    assert weighted_mean(losses(changed, chances), weights) == pytest.approx(expected)


@given(MADE)
def test_turned_round_the_auc_is_turned_round_with_its_interval(rows: list[tuple[bool, float, float]]) -> None:
    changed, chances, _ = (np.array(column) for column in zip(*rows, strict=True))
    if min(changed.sum(), (~changed).sum()) < 2:
        return
    groups = [()] * len(rows)
    lower, upper = auc_interval(changed, chances, groups)
    assert 0 <= lower <= auc(changed, chances) + 1e-12
    assert auc(changed, chances) - 1e-12 <= upper <= 1
    assert auc_interval(changed, 1 - chances, groups) == pytest.approx((1 - upper, 1 - lower))


def test_delong_by_hand() -> None:
    # Changed .8 .6 .3, not .5 .4 .2: comparisons won 3, 3, 1 of 3, so AUC 7/9; lost by the others: .5 and .4 lose to two of
    # three, .2 to three. Variance: (s² of 1, 1, 1/3) / 3 + (s² of 2/3, 2/3, 1) / 3 = (4/27) / 3 + (1/27) / 3 = 5/81
    variance, degrees = (4 / 27) / 3 + (1 / 27) / 3, (5 / 81) ** 2 / (((4 / 81) ** 2 + (1 / 81) ** 2) / 2)
    half = scipy.stats.t.ppf(0.975, degrees) * variance**0.5 / (7 / 9 * 2 / 9)
    expected = 1 / (1 + np.exp(half - log(7 / 2)))
    lower, upper = auc_interval([1, 1, 1, 0, 0, 0], [0.8, 0.6, 0.3, 0.5, 0.4, 0.2], [()] * 6)
    # the bound from disjoint comparisons, .025^(1/3) = .29, is above it
    assert lower == pytest.approx(expected)
    assert lower < 0.025 ** (1 / 3)
    assert upper == pytest.approx(1 / (1 + np.exp(-half - log(7 / 2))))


def test_where_nothing_varies_the_interval_does_not_shrink_to_a_point() -> None:
    lower, upper = auc_interval([1] * 10 + [0] * 30, [0.9] * 10 + [0.1] * 30, [()] * 40)
    assert lower == pytest.approx(0.025**0.1)  # ten disjoint comparisons, all won
    assert upper == 1
    clustered = auc_interval([1] * 10 + [0] * 30, [0.9] * 10 + [0.1] * 30, [(n % 4,) for n in range(40)])
    # each of four groups holds two or three of the ten: as good as four
    assert clustered.lower == pytest.approx(0.025**0.25, abs=1e-9)
    assert auc_interval([1, 1, 0, 0], [0.4] * 4, [()] * 4) == (0.5, 0.5)
    with pytest.raises(NotEnoughEvidence, match="at least 2 of each"):
        auc_interval([1, 0, 0], [0.5, 0.4, 0.3], [()] * 3)
    with pytest.raises(NotEnoughEvidence, match="none of 3 beliefs changed"):
        auc([0, 0, 0], [0.5, 0.4, 0.3])
    with pytest.raises(NotEnoughEvidence, match="every other"):
        auc_interval([1, 1, 0, 0], [0.5, 0.4, 0.3, 0.2], ["one"] * 4)


def test_equal_weights_change_nothing_and_whole_weights_are_repeats() -> None:
    pairs, chances = made(60)
    changed = np.array([bool(pair.changed) for pair in pairs])
    own, groups = losses(changed, chances), [()] * 60
    assert weighted_interval(own, np.full(60, 7.0), groups) == pytest.approx(mean_interval(own, groups))
    weights = np.arange(60) % 3 + 1
    repeated = np.repeat(np.arange(60), weights)
    assert auc(changed, chances, weights) == pytest.approx(auc(changed[repeated], chances[repeated]))
    # one person may be asked three times: the same interval as three copies in one cluster, but for small-sample factors
    copies = mean_interval(own[repeated], [(int(number),) for number in repeated])
    result = weighted_interval(own, weights, groups)
    assert result == pytest.approx(copies, abs=0.1 * (copies.upper - copies.lower))


def test_what_cannot_be_is_told() -> None:
    for chance in (0.0, 1.0, float("nan"), -0.1):
        with pytest.raises(BadInput, match="strictly between 0 and 1"):
            losses([1, 0], [0.5, chance])
    with pytest.raises(BadInput, match="one chance per pair"):
        evaluate(made(3)[0], [0.5])
    with pytest.raises(NotEnoughEvidence, match="none of 3 pairs has"):
        evaluate([replace(pair, belief_change=None) for pair in made(3)[0]], [0.5] * 3)
    with pytest.raises(BadInput, match="not finite, or a weight is below 0"):
        auc([1, 0], [0.5, 0.4], [1, -1])


def test_the_parts_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import log_loss, roc_auc_score

    pairs, chances = made(300)
    evaluation = evaluate(pairs, chances)
    changed = np.array([bool(pair.changed) for pair in pairs])
    right = np.array([pair.previous_correct for pair in pairs])
    for part, inside in ((evaluation.overall, right | ~right), (evaluation.right, right), (evaluation.wrong, ~right)):
        share = changed[inside].mean()
        assert part.auc.value == pytest.approx(roc_auc_score(changed[inside], chances[inside]))
        assert part.nll.value == pytest.approx(log_loss(changed[inside], chances[inside]))
        assert part.nll_baseline.value == pytest.approx(-share * log(share) - (1 - share) * log(1 - share))
        assert part.gain.value == pytest.approx(part.nll_baseline.value - part.nll.value)  # type: ignore[operator]
        assert (part.n, part.changed) == (inside.sum(), changed[inside].sum())
    by_task = {row.task[0]: row for row in evaluation.by_task_from}
    for task in range(5):
        inside = np.arange(300) % 5 == task
        assert by_task[f"task {task}"].auc.value == pytest.approx(roc_auc_score(changed[inside], chances[inside]))
    to = [row.auc.value or 0.0 for row in evaluation.by_task_to]
    assert to == sorted(to, reverse=True)
    assert {row.task for row in evaluation.by_task_pair} == {(f"task {k % 5}", f"task {k % 3}") for k in range(15)}


def test_the_curve_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import roc_curve

    pairs, chances = made(80)
    curve = evaluate(pairs, chances).curve
    assert curve is not None
    unchanged, changed, _ = roc_curve([bool(pair.changed) for pair in pairs], chances, drop_intermediate=False)
    assert curve.unchanged == pytest.approx(unchanged)
    assert curve.changed == pytest.approx(changed)


def test_the_calibration_keeps_equal_chances_together() -> None:
    pairs, _ = made(40)
    evaluation = evaluate(pairs, [0.2] * 30 + [0.8] * 10)
    assert [(calibration_bin.n, round(calibration_bin.predicted, 9)) for calibration_bin in evaluation.bins] == [
        (30, 0.2),
        (10, 0.8),
    ]
    assert evaluation.bins[1].changed.value == pytest.approx(np.mean([bool(pair.changed) for pair in pairs[30:]]))
    assert sum(calibration_bin.n for calibration_bin in evaluate(*made(203)).bins) == 203


def test_one_kind_alone_has_no_auc_and_says_why() -> None:
    pairs = [BeliefPair(f"{n}?", f"{n}!", "a", "b", n < 3, n < 3) for n in range(12)]
    evaluation = evaluate(pairs, np.linspace(0.9, 0.1, 12))
    assert (evaluation.right.auc.value, evaluation.right.auc.reason) == (None, "every belief changed")
    assert (evaluation.wrong.auc.value, evaluation.wrong.auc.reason) == (None, "no belief changed")
    assert evaluation.right.nll.value is not None
    as_json = evaluation.as_json()
    assert as_json["figures"]["auc"] == {"overall": 1.0, "right": None, "wrong": None}
    assert as_json["figures"]["intervals"]["auc"]["right"] is None
    assert as_json["figures"]["reasons"]["auc/right"] == "every belief changed"
    only = evaluate([replace(pair, belief_change=True) for pair in pairs[:3]], [0.5] * 3)
    assert only.curve is None
    assert "has an unknown ranking: every belief changed in 3 pairs" in only.statement
    assert (only.wrong.n, only.wrong.nll.value, only.wrong.nll.reason) == (0, None, "no pairs")
    assert (only.overall.nll.interval, only.overall.gain.interval) == (None, None)
    assert only.overall.nll.reason == "all of 3 values are equal: an interval needs some that differ"
    assert json.loads(json.dumps(only.as_json(), allow_nan=False))["figures"]["nll"]["wrong"] is None


def test_one_pair_is_no_ground_for_an_interval() -> None:
    evaluation = evaluate(made(1)[0], [0.5])
    assert evaluation.overall.nll.value == pytest.approx(log(2))
    assert evaluation.overall.nll.interval is None
    assert "at least 2" in evaluation.overall.nll.reason


def test_shared_people_and_questions_widen_the_intervals() -> None:
    pairs, _ = made(400)
    chances = 0.2 + 0.6 * (np.arange(400) % 20) / 20
    rng = np.random.default_rng(0)
    mood = rng.normal(0, 1.5, 20)
    pairs = [replace(pair, belief_change=bool(rng.random() < 1 / (1 + np.exp(-mood[n % 20])))) for n, pair in enumerate(pairs)]
    alone = evaluate(pairs, chances)
    people = evaluate([replace(pair, person=f"p{n % 20}") for n, pair in enumerate(pairs)], chances)
    questions = evaluate([replace(pair, q2=f"{n % 20}!") for n, pair in enumerate(pairs)], chances)
    for part, wider in product(("auc", "nll"), (people, questions)):
        narrow, wide = (getattr(evaluation.overall, part).interval for evaluation in (alone, wider))
        assert wide.upper - wide.lower > 1.2 * (narrow.upper - narrow.lower)
    assert people.people == 20


def test_statement_caveats_and_signature() -> None:
    pairs, chances = made(400)
    evaluation = evaluate(pairs, chances, origin=PredictionOrigin("stacked-logistic", "pairs.csv", "ab" * 32, seed=7))
    assert evaluation.statement.startswith("The predictor “stacked-logistic” ranks changed beliefs above unchanged ones in ")
    assert evaluation.statement.count("better than chance") == 1
    assert "better than the share of changes alone" in evaluation.statement
    assert "generalization/evaluate · stacked-logistic · pairs.csv · scope abababababab · seed 7" in evaluation.signature.line
    worse = evaluate(pairs, 1 - chances, origin=PredictionOrigin(in_sample=True))
    assert "of training pairs: worse than chance" in worse.statement
    assert "worse than the share of changes alone" in worse.statement
    assert "held out" in worse.caveats[0]
    unlabelled = evaluate(
        [*pairs, replace(pairs[0], belief_change=None)], [*chances, 0.5], origin=PredictionOrigin(unlabelled=2)
    )
    assert unlabelled.unlabelled == 3
    assert any(caveat.startswith("3 pairs do not say") for caveat in unlabelled.caveats)
    heavy = evaluate([replace(pairs[0], weight=9.0), *pairs[1:]], chances)
    assert any("weights" in caveat for caveat in heavy.caveats)


@pytest.mark.data
def test_the_baseline_on_the_practice_pairs() -> None:
    folder = os.environ.get("VIVA_DATA")
    if not folder:
        pytest.skip("$VIVA_DATA does not name the research data")
    pairs = read_pairs(Path(folder) / "human_generalization" / "survey_practice.csv")
    evaluation = evaluate(pairs, fit_with_task(pairs, rng=np.random.default_rng(0)).predict(pairs))
    # counted: after a right answer 20 of 30 of the same task and 18 of 86 others, after a wrong one 12 of 15 and 59 of 115
    changed, stayed = {"w=": 12, "r=": 20, "w": 59, "r": 18}, {"w=": 3, "r=": 10, "w": 56, "r": 68}
    rank = {"w=": 3, "r=": 2, "w": 1, "r": 0}
    won = sum(
        changed[name] * stayed[other] * ((rank[name] > rank[other]) + (rank[name] == rank[other]) / 2)
        for name, other in product(changed, stayed)
    )
    assert evaluation.overall.auc.value == pytest.approx(won / (109 * 137))
    # of the same task above others, and ties within both
    assert evaluation.right.auc.value == pytest.approx((20 * 68 + (20 * 10 + 18 * 68) / 2) / (38 * 78))
    assert evaluation.wrong.auc.value == pytest.approx((12 * 56 + (12 * 3 + 59 * 56) / 2) / (71 * 59))


def covered(n: int, rate: float, distance: float, mood: float, each: int, *, reps: int) -> float:
    """How often a 95% interval covers, for scores of two normal distributions and people with moods in score and label."""
    rng = np.random.default_rng(0)

    def draw(size: int) -> tuple[np.ndarray, np.ndarray, list[tuple[int, ...]]]:
        person = np.arange(size) % max(2, size // each)
        moods = mood * rng.normal(size=person.max() + 1)[person]
        limit = scipy.stats.norm.ppf(rate) * np.sqrt(1 + mood**2)
        changed = rng.random(size) < scipy.stats.norm.cdf(limit + moods)
        return changed, distance * changed + rng.normal(size=size) + moods, [(int(p),) if each > 1 else () for p in person]

    changed, scores, _ = draw(200_000)
    true, hits, counted = auc(changed, scores), 0, 0
    for _ in range(reps):
        changed, scores, groups = draw(n)
        if 2 <= changed.sum() <= n - 2:
            lower, upper = auc_interval(changed, scores, groups)
            hits, counted = hits + (lower <= true <= upper), counted + 1
    return hits / counted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "rate", "distance", "mood", "each"),
    [
        (20, 0.44, 1.2, 0.0, 1), (50, 0.2, 2.5, 0.0, 1), (50, 0.44, 0.0, 0.0, 1), (246, 0.44, 1.2, 0.0, 1),
        (246, 0.2, 4.0, 0.0, 1), (246, 0.44, 2.5, 0.0, 1), (60, 0.44, 1.2, 1.0, 6), (240, 0.44, 1.2, 0.5, 15),
        (240, 0.44, 1.2, 1.0, 15),
    ],
)  # fmt: skip
def test_the_interval_of_the_auc_covers(n: int, rate: float, distance: float, mood: float, each: int) -> None:
    # of 400 at 95% a share below .92 comes up once in 300 times
    assert covered(n, rate, distance, mood, each, reps=400) >= 0.92
