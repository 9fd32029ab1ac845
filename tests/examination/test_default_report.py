"""The default report on stub models: unreadable replies end tests early, and a recheck finds the same faults."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.examination.made import examination
from tests.examination.planted import FAULTS, PlantedModel
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.presentation import report_on
from vivavoce.examination.recheck import recheck
from vivavoce.examination.rooms import default_plan
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.transcript import Transcript
from vivavoce.report.blocks import ResultList

pytestmark = pytest.mark.long

EARLY = "not enough evidence: none of the first 12 replies could be parsed, so this test ended early"
ROOMS = {"bail", "self-knowledge", "certificate", "luna", "vary", "forecasts", "alignment", "sycophancy", "eqt"}


@dataclass
class Mumbler:
    """Replies at length, and never in the form that is asked for."""

    name: str = "test:mumbler"
    converses: bool = True
    asked: int = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        return Reply("Qwe rty uio. " * 40, Usage(7, 3))


def examined(model: Any, on_room: Callable[[str], None] = lambda room: None) -> tuple[Dossier, Transcript]:
    transcript = Transcript.open(None)
    running = examination(model, replace(default_plan(), seed=0), transcript=transcript)
    running.on_room = lambda room, news: on_room(room) if news else None
    return asyncio.run(running.run()), transcript


def assert_rechecked(report: Dossier, transcript: Transcript) -> None:
    document = json.loads(json.dumps(report.as_json(made=datetime(2026, 1, 1, tzinfo=UTC), version="0")))
    finding = recheck(document, transcript)
    assert finding.same, finding.differences


def test_no_test_spends_its_calls_on_unreadable_replies() -> None:
    model, calls = Mumbler(), dict[str, int]()

    def on_room(room: str) -> None:
        calls[room] = model.asked - sum(calls.values())

    report, transcript = examined(model, on_room)
    assert calls.keys() == ROOMS
    # 12 replies with a follow-up each, and some in flight; certificates are two, and in a game five of seven replies are free
    most = dict.fromkeys(ROOMS, 24 + 16) | {"certificate": 60, "luna": 6 * 7}
    assert {room: number for room, number in calls.items() if number > most[room]} == {}
    reasons = {room.room: room.reason for room in report.absent if room.fits}
    assert reasons == dict.fromkeys(ROOMS - {"certificate"}, EARLY)
    assert "arithmetic, that is sums" in report.answer.unknown[0]
    assert "no reply could be graded" in report.answer.unknown[0]
    assert_rechecked(report, transcript)


def test_a_recheck_finds_the_same_fault_and_the_page_begins_with_it() -> None:
    report, transcript = examined(PlantedModel("pressure"))
    [fault] = report.answer.not_for
    assert fault.startswith(FAULTS["pressure"])
    page = report_on(report)
    assert FAULTS["pressure"] in page.headline
    rows = next(block for block in page.blocks if isinstance(block, ResultList)).results
    assert [row.verdict.words for row in rows] == ["Fail", "Pass", "Pass"]
    assert "any fault named is wrong at most 1.7% of the time" in page.chance
    assert_rechecked(report, transcript)
