"""The study of the predictor `stacked-logistic`: nothing leaks across folds, intervals are DeLong's, and its figures hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from numpy.typing import NDArray

from bench.generalization import folds_by_question
from tests.generalization.predictors.test_stacked_logistic import LABELLED, NEW, TEACHER
from tests.validity.error_studies import data_folder
from tests.validity.stacked_logistic import (
    Design,
    apart,
    auc_parts,
    by_question,
    by_task,
    coverage,
    estimated,
    expected_auc,
    expected_loss,
    fits,
    held_out,
    loss_parts,
    published,
)
from vivavoce.generalization.evaluation.predictor_evaluation import auc, auc_interval
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors import stacked_logistic

Floats = NDArray[np.float64]


@for_all(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=20), st.integers(1, 6))
def test_folds_never_part_pairs_with_a_common_question(asked: list[tuple[int, int]], folds: int) -> None:
    pairs = [BeliefPair(str(a), str(b), "t", "t", previous_correct=True) for a, b in asked]
    values = folds_by_question(pairs, folds)
    for (i, a), (j, b) in product(enumerate(asked), enumerate(asked)):
        if set(a) & set(b):
            assert values[i] == values[j]
    again = folds_by_question(pairs[::-1], folds)[::-1]
    np.testing.assert_array_equal(values, again)
    assert set(values.tolist()) <= set(range(folds))


def pairs_of(n: int, seed: int = 0) -> list[BeliefPair]:
    rng = np.random.default_rng(seed)
    asked = rng.integers(0, n, (n, 2))
    return [
        BeliefPair(f"{a}?", f"{b}!", f"t{a % 9}", f"t{b % 9}", bool(rng.random() < 0.5), bool(rng.random() < 0.5))
        for a, b in asked
    ]


def leaks(design: Design, pairs: Sequence[BeliefPair], what: Callable[[BeliefPair], set[str]]) -> bool:
    return any(
        set().union(*(what(pairs[index]) for index in training)) & set().union(*(what(pairs[index]) for index in held))
        for splits in design.repeats
        for training, held in splits
    )


def test_no_question_and_no_task_is_on_both_sides() -> None:
    pairs = pairs_of(80)
    questions, tasks = by_question(pairs, 2), by_task(pairs, 2)
    assert not leaks(questions, pairs, lambda pair: {pair.q1, pair.q2})
    assert not leaks(tasks, pairs, lambda pair: {pair.source1, pair.source2})
    assert leaks(questions, pairs, lambda pair: {pair.source1, pair.source2})
    for design in (questions, tasks):
        for splits in design.repeats:
            assert sorted(np.concatenate([held for _, held in splits]).tolist()) == list(range(80))


def test_who_would_look_at_labels_finds_none() -> None:
    def cheat(training: Sequence[BeliefPair], asked: Sequence[BeliefPair]) -> Floats:
        return np.array([0.9 if pair.changed else 0.1 for pair in asked])

    assert (held_out(cheat, pairs_of(40), by_question(pairs_of(40), 1)) == 0.1).all()


@pytest.mark.long
@pytest.mark.parametrize("name", ["stacked-logistic, taught", "chosen inside, taught"])
def test_labels_held_out_change_nothing_that_is_predicted_of_them(name: str) -> None:
    some = LABELLED[:60]
    design = by_task(some, 1, parts=2)
    training, held = max(design.repeats[0], key=lambda split: len(split[0]))
    turned = [replace(pair, belief_change=not pair.changed) if index in held else pair for index, pair in enumerate(some)]
    entry = Design("one", (((training, held),),), design.groups)
    results = [held_out(fits(pairs, TEACHER[:40])[name], pairs, entry)[0, held] for pairs in (some, turned)]
    np.testing.assert_array_equal(*results)


def test_parts_are_those_of_delong() -> None:
    rng = np.random.default_rng(1)
    changed = rng.random(60) < 0.4
    noisy = np.clip(0.4 + 0.2 * changed + rng.normal(0, 0.2, 60), 0.01, 0.99)
    chances = np.array([round(float(entry), 1) for entry in noisy])  # with ties
    yes, no = chances[changed], chances[~changed]
    wins = np.mean([(a > b) + (a == b) / 2 for a, b in product(yes, no)])
    parts = auc_parts(changed, chances)
    assert parts.mean() == pytest.approx(wins) == pytest.approx(auc(changed, chances))
    groups = [{index} for index in range(60)]
    pair = estimated(parts, groups)
    theirs = auc_interval(changed, chances, groups)
    # theirs is on the logit scale; the widths agree to first order
    assert pair.upper - pair.lower == pytest.approx(theirs.upper - theirs.lower, rel=0.06)


def test_scores_under_known_chances_by_hand() -> None:
    chances, truth = np.array([0.8, 0.6, 0.2]), np.array([1.0, 0.5, 0.0])
    # pairs (i changed, j not): (1,2) .5 won; (1,3) 1 won; (2,3) .5 won; (2,1) 0; (3, .) 0
    assert expected_auc(chances, truth) == 1.0
    assert expected_auc(chances[::-1], truth) == 0.0
    assert expected_loss(chances, truth) == pytest.approx(-(np.log(0.8) + (np.log(0.6) + np.log(0.4)) / 2 + np.log(0.8)) / 3)


def test_the_study_fits_what_stacked_logistic_fits() -> None:
    every = [*LABELLED, *NEW]
    study = fits(every, TEACHER)
    made = stacked_logistic.fit([*LABELLED, *blank(NEW)], teachers=apart(TEACHER, every), rng=np.random.default_rng(0))
    np.testing.assert_allclose(study["stacked-logistic, taught"](LABELLED, NEW), made.predict(NEW), atol=1e-6)


def blank(pairs: Sequence[BeliefPair]) -> list[BeliefPair]:
    return [replace(pair, belief_change=None) for pair in pairs]


@pytest.mark.long
def test_meaningless_labels_are_at_chance_in_every_design() -> None:
    rng = np.random.default_rng(3)
    pairs = [replace(pair, belief_change=bool(label)) for pair, label in zip(LABELLED, rng.random(200) < 0.45, strict=True)]
    changed = np.array([bool(pair.changed) for pair in pairs])
    fit = fits([], [])["stacked-logistic"]
    for design in (by_question(pairs, 1, folds=5), by_task(pairs, 1, parts=4)):
        result = estimated(auc_parts(changed, held_out(fit, pairs, design)), design.groups)
        assert result.lower < 0.5 < result.upper + 0.1
        assert result.value < 0.6


@pytest.fixture
def given() -> tuple[list[BeliefPair], list[BeliefPair]]:
    folder = data_folder("human_generalization")
    return published(folder)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.data
def test_intervals_hold_what_is_found_on_new_pairs(given: tuple[list[BeliefPair], list[BeliefPair]]) -> None:
    pair = coverage(*given, runs=60)
    # misses are on the safe side: held-out predictions come from fits to fewer labels, and pooled over folds
    assert pair.too_good <= 6 / 60
    assert min(pair.auc, pair.nll, pair.shuffled) >= 0.8
    assert -0.04 < pair.bias < 0.01


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.data
def test_pairs_of_tasks_that_nobody_labelled_are_predicted(given: tuple[list[BeliefPair], list[BeliefPair]]) -> None:
    pairs, teachers = given
    changed = np.array([bool(pair.changed) for pair in pairs])
    chances = held_out(fits(pairs, teachers)["stacked-logistic, taught"], pairs, by_task(pairs, 1))
    assert auc_parts(changed, chances).mean() > 0.79
    assert loss_parts(changed, chances).mean() < 0.55
