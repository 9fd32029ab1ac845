"""What a certificate says of an agent that is a function: counts by hand, intervals by the confidence sequence, the record."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from tests.validity.test_agents import Agent, agent_scope
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.graders.agent import MOST_SHOWN, MOST_TOOLS, AgentTally
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Step, Usage
from vivavoce.interview.interview import Interview
from vivavoce.render.console import print_report
from vivavoce.render.page import page
from vivavoce.statistics.confidence_sequences import mean_bounds


def certified(candidate: Any, **given: Any) -> Certificate:
    interview = Interview(candidate, answers=Reply)
    certificate: Certificate = asyncio.run(certify(interview, agent_scope(), Criterion(0.7, None), seed=0, **given))
    return certificate


def test_counts_are_those_of_the_steps() -> None:
    tally = AgentTally()
    tally.add("a", Reply("1", steps=(Step(said="Well.", seconds=1), Step(tool="add", result="1", seconds=0.5))), 1.0)
    tally.add("b", Reply("2", steps=(Step(tool="add", error="no"), Step(tool="add", error="no"), Step(tool="log"))), 0.0)
    tally.add("c", Reply("3"), 1.0)
    tally.add("d", NoAnswer("time-out"), 0.0)
    record = tally.found
    assert record is not None
    # by hand: five steps of two answers, four calls, two of them failed, both on the way to b
    assert (record.answers, record.steps, record.calls, record.failed, record.failed_answers) == (2, 5, 4, 2, 1)
    assert (record.seconds, [(use.tool, use.calls, use.failed) for use in record.tools]) == (
        1.5,
        [("add", 3, 2), ("log", 1, 0)],
    )
    assert [(answer.id, answer.score) for answer in record.shown] == [("a", 1.0), ("b", 0.0)]


def test_an_agent_that_makes_up_tools_fills_no_table() -> None:
    tally = AgentTally()
    for number in range(200):
        tally.add(str(number), Reply("", steps=(Step(tool=f"tool {number}", error="no such tool"),)), 0.0)
    record = tally.found
    assert record is not None
    assert (len(record.tools), record.calls, record.failed, len(record.shown)) == (MOST_TOOLS + 1, 200, 200, MOST_SHOWN)


def test_the_intervals_are_the_confidence_sequence_of_the_calls_in_order() -> None:
    certificate = certified(Agent(seed=3))
    assert certificate.agent is not None
    assert certificate.agent.calls >= certificate.questions
    flags = [float(call) for answer in Agent(seed=3).replies(certificate) for call in answer]
    assert (len(flags), sum(flags)) == (certificate.agent.calls, certificate.agent.failed)
    bounds = mean_bounds(flags, 0.05)
    estimate = certificate.agent.failing
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((bounds.lower, bounds.upper), abs=1e-9)


def test_a_function_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    def agent(prompt: Prompt) -> Reply:
        number = int(prompt.text.split()[2])
        failed = number % 4 == 0
        call = Step(tool="add", arguments=json.dumps([number, 1]), error="busy" if failed else "", result=str(number + 1))
        return Reply(f"Answer: {number + 1 + failed}", Usage(20, 5, 0.25), steps=(Step(said="I add."), call))

    certificate = certified(open_candidate(agent))
    assert certificate.agent is not None
    assert certificate.score.value is not None
    assert certificate.agent.failed == pytest.approx((1 - certificate.score.value) * certificate.questions)
    assert all(answer.steps for answer in certificate.worst)
    print_report(certificate.report(), Console(width=200))
    shown = capsys.readouterr().out
    assert "What it did" in shown
    assert "I add." not in shown  # steps of single answers are on the page
    html = page([certificate], made=datetime(2026, 1, 1, tzinfo=UTC), version="0")
    assert "2 steps, 1 tool call, 0.0 s, 25 tokens, 0.25 of money</summary>" in html
    assert "2 steps, 1 tool call (1 failed), 0.0 s, 25 tokens" in html
    assert html.count("I add.") >= 20


def test_steps_that_are_none_are_no_answer() -> None:
    certificate = certified(open_candidate(lambda text: Reply("Answer: 1", steps=("a", "b"))), questions=3)  # type: ignore[arg-type]
    assert (certificate.replies.no_answers, certificate.agent) == (3, None)
