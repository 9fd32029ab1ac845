"""Comparisons by batches: the finding is that of one question after the other, and blocks are as large as they may be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.certificate.by_batch import ByBatch
from tests.certificate.candidates import Expert, TalksFirst, interview, scope
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate

CONFIG = ComparisonConfig(seed=0)


def minds(*scores: float, talks: bool = False) -> list[Expert]:
    return [(TalksFirst if talks else Expert)(score, f"test:{n}", salt=f"{n}") for n, score in enumerate(scores)]


def told(finding: Any) -> dict[str, Any]:
    return dict(finding.as_json())


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
    comparison = await compare([interview(batch) for batch in by_batch], scope(size), config)
    direct = await compare([interview(knows) for knows in minds(*scores, talks=talks)], scope(size), config)
    assert told(comparison) == told(direct)
    for batch in by_batch:
        assert set(batch.lines.values()) == {1} or talks
        assert len(batch.batches) < 20


async def test_a_gate_is_the_same_too() -> None:
    by_batch = [ByBatch(mind) for mind in minds(0.6, 0.9)]
    finding = await gate([interview(batch) for batch in by_batch], scope(600), GateConfig(seed=0))
    direct = await gate([interview(knows) for knows in minds(0.6, 0.9)], scope(600), GateConfig(seed=0))
    assert (finding.verdict, told(finding)) == ("fail", told(direct))


async def test_candidates_get_the_same_blocks_and_further_turns_cost_no_rounds() -> None:
    scores = (0.85, 0.65)
    plain, talking = ([ByBatch(mind) for mind in minds(*scores, talks=talks)] for talks in (False, True))
    for candidates in (plain, talking):
        await compare([interview(batch) for batch in candidates], scope(600), CONFIG)
    assert plain[0].batches == plain[1].batches
    assert talking[0].batches == talking[1].batches
    assert len(talking[0].batches) <= len(plain[0].batches) + 3


async def test_one_by_batch_may_be_compared_with_one_that_is_asked_at_once() -> None:
    by_batch, other = (ByBatch(minds(0.9)[0]), minds(0.9, 0.6)[1])
    comparison = await compare([interview(by_batch), interview(other)], scope(600), CONFIG)
    direct = await compare([interview(knows) for knows in minds(0.9, 0.6)], scope(600), CONFIG)
    assert told(comparison) == told(direct)
