"""Comparisons and gates at both boundaries where replies, or judgements, cannot be read: wrong at most delta of the time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from tests.validity.paired_intervals import (
    BOUNDARIES,
    DELTA,
    DRAWINGS,
    JUDGES,
    LOOKS,
    MARGIN,
    POLICIES,
    REPLIES,
    AdversaryView,
    Drawing,
    Kind,
    judged,
    means_of,
    places,
    replies,
    study,
)
from vivavoce.certificate.comparison.evidence import PairedEvidence

RUNS = 4_000
MOST = binom.ppf(0.999, RUNS, DELTA) / RUNS
"""More errors than that have a chance of .1% where each run errs with probability delta: 6.1%."""


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("name", REPLIES)
def test_replies_that_cannot_be_read_make_nothing_wrong_too_often(name: str) -> None:
    for drawing in DRAWINGS:
        for difference in BOUNDARIES:
            errors = study("replies", name, difference, drawing, runs=RUNS)
            assert max(errors.compared, errors.gate) <= MOST, (drawing, difference, errors)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("name", JUDGES)
def test_judgements_that_cannot_be_read_make_nothing_wrong_too_often(name: str) -> None:
    for drawing in DRAWINGS:
        for difference in BOUNDARIES:
            errors = study("judges", name, difference, drawing, runs=RUNS, draws=2)
            assert max(errors.compared, errors.gate) <= MOST, (drawing, difference, errors)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("replies", "an adversary, 30%"), ("judges", "is silent on the first's poor and the second's good answers")],
)
def test_a_small_study_that_can_tell(kind: Kind, name: str) -> None:
    # 100 runs at 5%: thirteen errors or more have a chance of .1% (binomial), and the seed is fixed
    for difference in BOUNDARIES:
        errors = study(kind, name, difference, "draws", runs=100)
        assert max(errors.compared, errors.gate) < 13 / 100
    assert study(kind, name, 0.0, "list", runs=100, counts="left out").compared > 0.13


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("difference", BOUNDARIES)
def test_candidates_stand_at_the_boundary(difference: float, drawing: Drawing) -> None:
    for first, second in (
        replies(np.random.default_rng(0), 400, difference, drawing),
        judged(np.random.default_rng(0), 400, difference, drawing, draws=2),
    ):
        assert first.shape[:2] == second.shape[:2] == (400, LOOKS)
        error = np.std((first - second).mean(axis=2)) / np.sqrt(400 * LOOKS)
        assert (first - second).mean() == pytest.approx(difference, abs=4 * error)


@pytest.mark.parametrize("kind", ["replies", "judges"])
@pytest.mark.parametrize("drawing", DRAWINGS)
def test_the_study_tests_what_a_comparison_tests(kind: Kind, drawing: Drawing) -> None:
    """For one run the evidence is that of `PairedEvidence`, which comparisons and gates take their answers to."""
    rng = np.random.default_rng(3)
    a, b = (replies if kind == "replies" else judged)(rng, 1, 0.0, drawing)
    unread = POLICIES[kind]["5% at random" if kind == "replies" else "20% at random"]
    means = means_of(drawing)
    evidence, tests = PairedEvidence([(0, 1)], margin=MARGIN, delta=1e-9, means=means), means.tests(1, MARGIN)
    for n, position in enumerate(places(drawing)):
        values, two = a[:, n], b[:, n]
        lost = unread(values, two, rng, AdversaryView(np.zeros((1, 4)), np.array([True])))
        pairs = list(zip((values, two), lost, strict=True))
        least, most = (np.array([np.where(gone, end, x).mean() for x, gone in pairs]) for end in (0.0, 1.0))
        evidence.take(least, most, position)
        log_e = tests.take(least[:1] - most[1:], most[:1] - least[1:], position)
        if evidence.hidden[0]:
            break  # it is shown that what is unread hides who is better
        assert evidence.log_e == pytest.approx(log_e)
    assert evidence.n[0] > LOOKS / 4
