"""Comparisons by batches: the finding is that of one question after the other, and blocks are as large as they may be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.by_batch import ByBatch
from tests.certificate.candidates import Knows, TalksFirst, interview, scope
from vivavoce.certificate.block_plan import SHARE, SPARE
from vivavoce.certificate.comparison import block_plan
from vivavoce.certificate.comparison.block_plan import PairedBlockPlan
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.gate import gate

CONFIG = ComparisonConfig(seed=0)


def minds(*scores: float, talks: bool = False) -> list[Knows]:
    return [(TalksFirst if talks else Knows)(score, f"test:{n}", salt=f"{n}") for n, score in enumerate(scores)]


def told(found: Any) -> dict[str, Any]:
    return dict(found.as_json())


@pytest.mark.parametrize(
    ("scores", "config", "size", "talks"),
    [
        ((0.9, 0.6), CONFIG, 600, True),
        ((0.8, 0.75), replace(CONFIG, questions=70), 600, False),
        ((0.7, 0.7), replace(CONFIG, margin=0.3), 600, False),
        ((0.9, 0.5), CONFIG, 30, True),
        ((0.95, 0.7, 0.4), CONFIG, 400, False),
        ((0.95, 0.7, 0.4), replace(CONFIG, rule="share", margin=0.0, questions=60), 400, True),
    ],
)
async def test_blocks_change_no_finding(scores: tuple[float, ...], config: ComparisonConfig, size: int, *, talks: bool) -> None:
    by_batch = [ByBatch(mind) for mind in minds(*scores, talks=talks)]
    found = await compare([interview(one) for one in by_batch], scope(size), config)
    direct = await compare([interview(one) for one in minds(*scores, talks=talks)], scope(size), config)
    assert told(found) == told(direct)
    for one in by_batch:
        assert set(one.lines.values()) == {1} or talks
        assert len(one.batches) < 20


async def test_a_gate_is_the_same_too() -> None:
    by_batch = [ByBatch(mind) for mind in minds(0.6, 0.9)]
    found = await gate([interview(one) for one in by_batch], scope(600), GateConfig(seed=0))
    direct = await gate([interview(one) for one in minds(0.6, 0.9)], scope(600), GateConfig(seed=0))
    assert (found.verdict, told(found)) == ("fail", told(direct))


async def test_candidates_get_the_same_blocks_and_further_turns_cost_no_rounds() -> None:
    scores = (0.85, 0.65)
    plain, talking = ([ByBatch(mind) for mind in minds(*scores, talks=talks)] for talks in (False, True))
    for candidates in (plain, talking):
        await compare([interview(one) for one in candidates], scope(600), CONFIG)
    assert plain[0].batches == plain[1].batches
    assert talking[0].batches == talking[1].batches
    assert len(talking[0].batches) <= len(plain[0].batches) + 3


async def test_one_by_batch_may_be_compared_with_one_that_is_asked_at_once() -> None:
    by_batch, other = (ByBatch(minds(0.9)[0]), minds(0.9, 0.6)[1])
    found = await compare([interview(by_batch), interview(other)], scope(600), CONFIG)
    direct = await compare([interview(one) for one in minds(0.9, 0.6)], scope(600), CONFIG)
    assert told(found) == told(direct)


def evidence_of(scores: np.ndarray, **settings: Any) -> PairedEvidence:
    evidence = PairedEvidence([(0, 1)], **{"margin": 0.0, "delta": 0.05, **settings})
    for answers in scores.T:
        evidence.take(answers, answers)
    return evidence


BOTH = np.array([True, True])


@pytest.mark.parametrize("before", [0, 3])
def test_where_the_end_is_certain_a_block_reaches_it(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_plan, "_prior", lambda wanted: (np.array([[1.0, 0.0]]), np.ones(1)))
    better = np.repeat([[1.0], [0.0]], 100, axis=1)
    needed = int(evidence_of(better).n[0])
    seen = better[:, :before]
    found = PairedBlockPlan(evidence_of(seen), BOTH).next_block(seen, seen)
    assert needed - before <= found <= (needed - before) * 1.06 + SPARE + SHARE * needed


def test_after_the_end_nothing_is_needed_and_all_where_none_can_be_better() -> None:
    better, alike = np.repeat([[1.0], [0.0]], 9, axis=1), np.ones((2, 9))
    assert PairedBlockPlan(evidence_of(better), BOTH).next_block(better, better) == 0
    population = PairedBlockPlan(evidence_of(alike, population=60), BOTH).next_block(alike, alike)
    assert population <= 51


def test_where_replies_hide_who_is_better_a_block_ends_once_that_is_shown() -> None:
    least, most = np.zeros((2, 400)), np.ones((2, 400))
    evidence = PairedEvidence([(0, 1)], margin=0.0, delta=0.05)
    for _ in range(400):
        evidence.take(least[:, 0], most[:, 0])
    needed = int(evidence.n[0])
    assert evidence.hidden.all()
    evidence = PairedEvidence([(0, 1)], margin=0.0, delta=0.05)
    for _ in range(8):
        evidence.take(least[:, 0], most[:, 0])
    found = PairedBlockPlan(evidence, BOTH).next_block(least[:, :8], most[:, :8])
    assert found <= 4 * needed


@settings(max_examples=5, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 1.0])] * 3), max_size=40),
    st.sampled_from([None, 41, 100]),
    st.sampled_from(["any", "share"]),
    st.sampled_from([0.0, 0.05]),
)
def test_a_block_is_of_what_is_left_and_depends_on_what_has_come_alone(
    answers: list[tuple[float, ...]], population: int | None, rule: Any, margin: float
) -> None:
    scores = np.array(answers, dtype=float).reshape(-1, 3).T
    sizes = []
    for _ in range(2):
        evidence = PairedEvidence([(0, 1), (0, 2), (1, 2)], margin=margin, delta=0.05, rule=rule, population=population)
        for column in scores.T:
            evidence.take(column, column)
        sizes.append(PairedBlockPlan(evidence, np.ones(3, dtype=bool)).next_block(scores, scores))
    assert sizes[0] == sizes[1] >= 0
    if population is not None:
        assert sizes[0] <= population - scores.shape[1]
