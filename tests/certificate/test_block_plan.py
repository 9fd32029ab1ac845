"""The sizes of blocks, against the test whose end they foresee."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.certificate import block_plan
from vivavoce.certificate.block_plan import SHARE, SPARE, BlockPlan, Stands
from vivavoce.certificate.evidence import SequentialTest, Taken
from vivavoce.certificate.verdict import Criterion
from vivavoce.statistics.planning import rate_boundary

NO_LIMIT = Criterion(0.7, None)


def units(scores: list[float], *, upper: list[float] | None = None) -> Taken:
    x = np.array(scores, dtype=float)
    return Taken(x, x * 0, x if upper is None else np.array(upper), x * 0)


def ends(value: float, criterion: Criterion, population: int | None = None) -> int:
    """After how many such values the test itself ends."""
    test = SequentialTest(criterion, population=population)
    test.update(np.full(population or 1_000, value), np.zeros(population or 1_000))
    return test.n


@pytest.fixture
def certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes is as what has come."""
    monkeypatch.setattr(block_plan, "PRIOR", (1e-12, 1.0))


@pytest.mark.usefixtures("certain")
@pytest.mark.parametrize(
    ("criterion", "before"), [(NO_LIMIT, 0), (NO_LIMIT, 4), (Criterion(0.9, None), 10), (Criterion(0.5, None, delta=0.001), 2)]
)
def test_where_the_end_is_certain_a_block_reaches_it(criterion: Criterion, before: int) -> None:
    left = ends(1.0, criterion) - before
    found = BlockPlan(criterion, population=None).next_block(units([1.0] * before))
    assert left <= found <= 1.06 * left  # no finer does it look


@pytest.mark.usefixtures("certain")
def test_a_limit_on_ridiculous_answers_takes_what_it_takes() -> None:
    least = next(islice(rate_boundary(0.01, 0.05), 1))
    found = BlockPlan(Criterion(0.7, 0.01), population=None).next_block(units([]))
    assert least <= found <= least * (1 + SHARE) + SPARE


@pytest.mark.usefixtures("certain")
def test_no_block_ends_before_the_least_number() -> None:
    found = BlockPlan(NO_LIMIT, population=None, least=200).next_block(units([1.0] * 30))
    assert 170 <= found <= 170 + SPARE + SHARE * 200


@pytest.mark.usefixtures("certain")
def test_it_goes_on_from_the_evidence_as_it_stands() -> None:
    seen, evidence = units([1.0] * 4), SequentialTest(NO_LIMIT)
    evidence.update(np.ones(4), np.zeros(4))
    now = evidence.log_evidence
    stands = Stands(4, float(now.score_pass[-1]), np.inf, float(now.fail[-1]))
    plain, same, further = (
        BlockPlan(NO_LIMIT, population=None).next_block(seen, stands=one)
        for one in (None, stands, stands._replace(score=stands.score + 1.0))
    )
    # a right answer adds up to ln(1 / .7) = .36 to the evidence, so that 1 is worth three of them or more
    assert further <= same - 3 < same == plain


def test_after_the_end_nothing_is_needed() -> None:
    assert BlockPlan(NO_LIMIT, population=None).next_block(units([1.0] * ends(1.0, NO_LIMIT))) == 0
    assert BlockPlan(NO_LIMIT, population=None).next_block(units([0.0] * ends(0.0, NO_LIMIT))) == 0
    assert BlockPlan(NO_LIMIT, population=5).next_block(units([1.0, 0.0, 1.0, 0.0, 1.0])) == 0


def test_what_was_expected_to_be_wasted_is_not_spent_twice() -> None:
    plan, seen = BlockPlan(NO_LIMIT, population=None), [1.0, 1.0, 0.0] * 3
    sizes = [plan.next_block(units(seen)) for _ in range(4)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1] >= 1


def test_what_cannot_be_read_puts_the_end_off() -> None:
    seen = [1.0] * 16 + [0.0] * 4
    read, unread = units([1.0, *seen]), units([0.0, *seen], upper=[1.0, *seen])
    found = [BlockPlan(NO_LIMIT, population=None).next_block(one) for one in (read, unread)]
    assert found[1] >= found[0]


@pytest.mark.usefixtures("certain")
@pytest.mark.parametrize("before", [5, 10])
def test_where_too_much_cannot_be_read_a_block_ends_once_that_is_shown(before: int) -> None:
    test = SequentialTest(NO_LIMIT)
    test.update(np.zeros(100), np.zeros(100), upper=np.ones(100))
    assert test.over
    found = BlockPlan(NO_LIMIT, population=None).next_block(units([0.0] * before, upper=[1.0] * before))
    assert test.n - before <= found <= 1.06 * (test.n - before) + SPARE + SHARE * test.n


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=60),
    st.sampled_from([None, 61, 100]),
    st.sampled_from([None, 0.01, 0.1]),
)
def test_a_block_is_of_what_is_left_and_depends_on_what_has_come_alone(
    scores: list[float], population: int | None, limit: float | None
) -> None:
    first, again = (BlockPlan(Criterion(0.7, limit), population=population).next_block(units(scores)) for _ in range(2))
    assert first == again >= 0
    if population is not None:
        assert first <= population - len(scores)
