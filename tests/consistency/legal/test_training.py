"""What is learnt where the truth is known, and which cases are for what."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from tests.consistency.legal.made_training import labelled, training
from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.case_files import LabelledCase
from vivavoce.consistency.legal.measures import measured
from vivavoce.consistency.legal.training import divided, fit_head, labels_of, train
from vivavoce.consistency.legal.trials import LegalCase
from vivavoce.embeddings.set_classifier import AttentionHead, Sets, loss_and_gradient
from vivavoce.errors import NotEnoughEvidence


def test_a_planted_rule_is_learnt_and_attention_falls_on_the_planted_fact() -> None:
    measures = measured(training(200).decided, 0.5)
    assert measures.accuracy.interval.lower > 0.9
    assert measures.attention is not None
    assert measures.attention.top.interval.lower > 0.9
    assert measures.attention.weight.interval.lower > 0.8
    assert measures.attention.chance == 1 / 8  # one planted fact of eight


@pytest.mark.long
def test_turned_over_labels_cannot_be_learnt() -> None:
    """Labels drawn by a coin have nothing to do with the facts, so neither has accuracy."""
    rng = np.random.default_rng(3)
    cases = [LabelledCase(case.case, bool(rng.integers(2)), case.decisive) for case in labelled(200, seed=4)]
    config = TrainingConfig(starts=1)
    measures = measured(train(divided(cases, None, None, config), config).decided, 0.5)
    assert 0.5 in measures.accuracy.interval


def test_the_minimum_of_a_loss_is_where_its_gradient_vanishes() -> None:
    rng = np.random.default_rng(0)
    sets = Sets.of([rng.standard_normal((int(n), 4)) for n in rng.integers(1, 6, 60)])
    truth = rng.integers(0, 2, 60).astype(float)
    fitted = fit_head((sets, truth), (sets, truth), TrainingConfig(units=3, starts=2))
    assert all(search.converged for search in fitted.searches)
    _, gradient = loss_and_gradient(fitted.head, sets, truth, fitted.chosen.penalty)
    assert float(np.abs(gradient).max()) < 1e-3
    losses = [search.training_loss for search in fitted.searches[:4]]
    assert losses == sorted(losses, reverse=True)  # the smaller the penalty, the closer the fit
    assert fitted.chosen.validation_loss == min(search.validation_loss for search in fitted.searches)


def test_the_same_seed_gives_the_same_head() -> None:
    first, again = training(60, seed=1), training.__wrapped__(60, seed=1)
    assert np.array_equal(first.fitted.head.numbers, again.fitted.head.numbers)
    assert first.decided == again.decided
    assert not np.array_equal(first.fitted.head.numbers, training(60, seed=2).fitted.head.numbers)


def test_parts_are_disjoint_and_repeated_cases_are_left_out_and_counted() -> None:
    cases = labelled(60)
    copy = LabelledCase(LegalCase("another id", cases[0].case.facts), cases[0].violation)
    renamed = LabelledCase(LegalCase(cases[1].case.id, ("Something else.",)), True)
    division = divided(cases, None, [copy, renamed, *labelled(5, seed=9, prefix="t")], TrainingConfig())
    assert (len(division.training), len(division.validation), len(division.held_out)) == (48, 12, 5)
    assert division.repeated == 2
    drawn = divided(cases, None, None, TrainingConfig())
    parts = (drawn.training, drawn.validation, drawn.held_out)
    assert [len(part) for part in parts] == [36, 9, 15]
    assert len({case.case.id for part in parts for case in part}) == 60
    named = divided(cases, labelled(4, seed=8, prefix="d"), labelled(5, seed=9, prefix="t"), TrainingConfig())
    assert len(named.training) == 60


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([case for case in labelled(60) if case.violation], "training needs at least 4 of either label"),
        (labelled(6), "training needs at least 4 of either label"),
    ],
)
def test_too_little_is_said(cases: list[LabelledCase], message: str) -> None:
    with pytest.raises(NotEnoughEvidence, match=message):
        divided(cases, None, None, TrainingConfig())


def test_a_part_without_cases_is_said() -> None:
    cases = labelled(60)
    with pytest.raises(NotEnoughEvidence, match=r"no cases that are held out: .* all 60 are in an earlier set: give other"):
        divided(cases, None, cases, TrainingConfig())
    with pytest.raises(NotEnoughEvidence, match="no cases that are held out: give more cases, a larger share of them, or"):
        divided(cases, None, None, TrainingConfig(held_out=0.001))
    with pytest.raises(NotEnoughEvidence, match="no cases to choose the penalty"):
        divided(cases, cases, labelled(5, seed=9, prefix="t"), TrainingConfig())


def test_labels_are_numbers_in_order() -> None:
    assert labels_of(labelled(4)).tolist() == [0.0, 1.0, 0.0, 1.0]


def test_the_gradient_of_scipys_own_check() -> None:
    rng = np.random.default_rng(5)
    sets = Sets.of([rng.standard_normal((n, 3)) for n in (1, 4, 2)])
    truth = np.array([1.0, 0.0, 1.0])
    head = AttentionHead.from_numbers(rng.standard_normal(2 * 3 + 2 + 2 + 3 + 1), 3, 2)

    def loss(numbers: np.ndarray) -> float:
        return loss_and_gradient(AttentionHead.from_numbers(numbers, 3, 2), sets, truth, 0.1)[0]

    def gradient(numbers: np.ndarray) -> np.ndarray:
        return loss_and_gradient(AttentionHead.from_numbers(numbers, 3, 2), sets, truth, 0.1)[1]

    assert check_grad(loss, gradient, head.numbers) < 1e-6
