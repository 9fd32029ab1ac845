"""Statements on pairs: closed testing against all sets of true nulls written out, and settled pairs that stay as they are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.each_case import each_case
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement, closed_testing, share_testing
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import DifferenceTests

DELTA = 0.05
SETS = ({0, 2}, {0}, {0, 1}, {1}, {1, 3})
"""Of true nulls that a pair can have: better, worse, no worse, no better."""


def belonging(log_e: Floats, which: int) -> float:
    """The e-value of a set of true nulls."""
    e = np.exp(log_e)
    return float((e[2], e[0], (e[0] + e[1]) / 2, e[1], e[3])[which])


def written_out(log_e: Floats) -> NDArray[np.bool_]:
    """Closed testing by its definition: a null is rejected if every choice of sets that holds it has a mean of 1/delta."""
    pairs = len(log_e)
    rejected = np.ones((pairs, 4), dtype=bool)
    for chosen in product(range(5), repeat=pairs):
        mean = np.mean([belonging(log_e[pair], which) for pair, which in enumerate(chosen)])
        if mean < 1 / DELTA * (1 - 1e-9):
            for pair, which in enumerate(chosen):
                rejected[pair, list(SETS[which])] = False
    return rejected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-6, 9)] * 4), min_size=1, max_size=3))
def test_closed_testing_is_what_its_definition_says(rows: list[tuple[float, float, float, float]]) -> None:
    log_e = np.array(rows)
    assert not (closed_testing(log_e, DELTA) & ~written_out(log_e)).any()  # never more than the definition allows
    # where the evidence is all on one side, it is the definition: half the e-value of D <= 0 is then that of D = 0
    log_e[:, 1] = np.where(log_e[:, 0] >= log_e[:, 1], -60.0, log_e[:, 1])
    log_e[:, 0] = np.where(log_e[:, 1] == -60.0, log_e[:, 0], -60.0)
    assert closed_testing(log_e, DELTA).tolist() == written_out(log_e).tolist()


@pytest.mark.parametrize("values", [(-1.0, 0.0, 1.0), (-0.4, 0.1, 0.9)])
def test_evidence_for_better_and_for_worse_never_comes_together(values: tuple[float, ...]) -> None:
    # so that (b + w) / 2 for the set of both would ask for 2 / delta - 1 where b / 2 asks for 2 / delta
    d = np.random.default_rng(5).choice(values, size=(500, 60))
    better, worse = (DifferenceTests(np.zeros(len(d))).update(side) for side in (d, -d))
    assert np.minimum(better, worse).max() <= 1e-12
    assert max(better.max(), worse.max()) > np.log(2 / DELTA)


def test_several_claims_would_not_stand_a_mean_of_both_directions() -> None:
    # b = w = 30: (b + w) / 2 = 30 is above 1 / delta, and neither side has the 2 / delta that several claims need
    log_e = np.log([[30.0, 30.0, 60.0, 60.0]])
    assert written_out(log_e).tolist() == [[True, True, True, True]]
    assert closed_testing(log_e, DELTA).tolist() == [[False, False, True, True]]


def test_for_one_pair_direction_has_half_of_delta_a_side_and_margins_all_of_it() -> None:
    def rejected(better: float, no_worse: float) -> list[bool]:
        log_e = np.log([[better, 1e-9, no_worse, 1e-9]])
        return [bool(entry) for entry in closed_testing(log_e, DELTA)[0]]

    assert rejected(41, 41) == [True, False, True, False]
    assert rejected(39, 39) == [False, False, True, False]
    assert rejected(19, 19) == [False, False, False, False]


def test_of_many_pairs_the_whole_error_is_bounded() -> None:
    alone = np.log([[41.0, 1e-9, 41.0, 1e-9]])
    among = np.concatenate([alone, np.full((2, 4), -20.0)])
    assert closed_testing(alone, DELTA)[0, 0]
    assert not closed_testing(among, DELTA)[0, 0]  # 2 x 3 / .05 = 120 are needed
    among[0, (0, 2)] = np.log(121)
    assert closed_testing(among, DELTA)[0, 0]


def test_the_share_is_bounded_by_e_bh() -> None:
    # two of four nulls (two pairs, two nulls each): 4 / (2 x .05) = 40 is needed of both
    log_e = np.log([[41.0, 0.01, 50.0, 0.01], [0.01, 41.0, 0.01, 50.0]])
    assert share_testing(log_e, DELTA, nulls=2).tolist() == [[True, False, False, False], [False, True, False, False]]
    assert not share_testing(log_e[:, ::-1] - 1, DELTA, nulls=2).any()
    assert share_testing(log_e, DELTA).sum() == 4


@pytest.mark.parametrize("rule", ["any", "share"])
def test_a_settled_pair_stays_as_it_is(rule: str) -> None:
    evidence = PairedEvidence([(0, 1), (0, 2), (1, 2)], margin=0.0, delta=DELTA, rule=rule)  # type: ignore[arg-type]
    for _ in range(30):
        evidence.take(np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    before, n = evidence.log_e.copy(), evidence.n.copy()
    assert evidence.made[:2, PairStatement.BETTER].all()
    assert not evidence.settled[2]
    for _ in range(200):
        evidence.take(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    assert evidence.log_e[:2].tolist() == before[:2].tolist()
    assert evidence.n[:2].tolist() == n[:2].tolist()
    assert evidence.made[:2, PairStatement.BETTER].all()
    assert evidence.made[2, PairStatement.BETTER]


def test_equal_needs_both_margins_and_none_without_a_margin() -> None:
    ties = np.array([1.0, 1.0])
    equal = PairedEvidence([(0, 1)], margin=0.1, delta=DELTA)
    never = PairedEvidence([(0, 1)], margin=0.0, delta=DELTA)
    for _ in range(80):
        equal.take(ties, ties)
        never.take(ties, ties)
    assert equal.made[0].tolist() == [False, False, True, True]
    assert equal.settled[0]
    assert not never.made.any()


def test_what_cannot_be_read_speaks_for_nobody() -> None:
    evidence = PairedEvidence([(0, 1)], margin=0.1, delta=DELTA)
    for _ in range(300):
        evidence.take(np.array([0.0, 0.0]), np.array([1.0, 1.0]))
    assert not evidence.made.any()


def test_who_answers_no_more_leaves_the_pair_as_it_is() -> None:
    evidence = PairedEvidence([(0, 1), (0, 2), (1, 2)], margin=0.0, delta=DELTA)
    evidence.close(2)
    assert evidence.settled.tolist() == [False, True, True]
    evidence.take(np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert evidence.n.tolist() == [1, 0, 0]


@each_case(
    ("first", "second", "hidden"),
    [
        ((0.0, 0.0), (0.0, 1.0), True),  # one wrong always, the other unread: D from -1 to 0
        ((0.0, 1.0), (0.0, 1.0), True),
        ((1.0, 1.0), (1.0, 1.0), False),  # equal
        ((1.0, 1.0), (0.0, 0.5), False),  # better whatever it is worth
    ],
)
def test_on_an_endless_scope_it_ends_where_what_is_unread_hides_who_is_better(
    first: tuple[float, float], second: tuple[float, float], hidden: bool
) -> None:
    least, most = np.array([first, second]).T
    evidence = PairedEvidence([(0, 1)], margin=0.02, delta=DELTA)
    listed = PairedEvidence([(0, 1)], margin=0.02, delta=DELTA, population=10_000)
    for _ in range(400):
        evidence.take(least, most)
        listed.take(least, most)
    assert bool(evidence.hidden[0]) == hidden
    assert evidence.settled[0]
    assert not listed.hidden[0]
    assert not hidden or not evidence.made[0, [PairStatement.BETTER, PairStatement.WORSE, PairStatement.NO_WORSE]].any()
