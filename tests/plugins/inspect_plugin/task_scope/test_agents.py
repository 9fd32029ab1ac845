"""What an agent did: on record, in the finding and on its page, as Inspect's own log has it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from tests.plugins.inspect_plugin.task_scope.conftest import certified, doubler, opened
from tests.plugins.inspect_plugin.task_scope.tasks import USAGE
from vivavoce.interview.candidate import Reply
from vivavoce.interview.notation import Notation
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.inspect_plugin.task_scope.scores import steps_of
from vivavoce.render.page import page as page_of

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e"


def muddler(every: int = 4) -> Model:
    """Calls the tool with a text where a number belongs for every fourth sum, and says something hostile."""

    def reply(messages: list[ChatMessage], _tools: list[ToolInfo], _choice: ToolChoice, _config: GenerateConfig) -> ModelOutput:
        number = int(next(message.text for message in messages if message.role == "user").split()[2])
        results = [message for message in messages if message.role == "tool"]
        if not results:
            output = ModelOutput.for_tool_call("mockllm/model", "adder", {"number": HOSTILE if number % every == 0 else number})
            output.choices[0].message.content = f"I add {HOSTILE}"
        else:
            answer = results[0].text if results[0].error is None else "?"
            output = ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": answer})
        output.usage = USAGE
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


@pytest.mark.long
def test_the_steps_are_those_of_inspects_log() -> None:
    scope, candidate = opened("agent", trust_local=True)
    with Transcript.open("run.sqlite") as transcript:
        certificate, log = certified(scope, candidate, questions=10, transcript=transcript)
        records = [Notation(Reply).read(record).answer for record in transcript.records(candidate=candidate.name)]
    by_calls = {}
    for sample in log.samples or []:
        calls = [call for message in sample.messages for call in getattr(message, "tool_calls", None) or ()]
        results = {message.tool_call_id: message for message in sample.messages if message.role == "tool"}
        # another way to the same: the conversation, not the events
        rows = [(call.function, call.arguments, results[call.id].text) for call in calls if call.id in results]
        by_calls[sample.id] = rows
        steps = [(step.tool, json.loads(step.arguments), step.result) for step in steps_of(sample) if step.tool]
        assert steps[: len(rows)] == rows
        assert [tool for tool, *_ in steps[len(rows) :]] == ["submit"]  # of which react leaves no message
        assert sum(step.seconds for step in steps_of(sample)) <= (sample.total_time or 0) + 0.01
    assert certificate.agent is not None
    assert certificate.agent.answers == 10
    assert certificate.agent.calls == sum(len(by_calls[scope.questions[index].id]) + 1 for index in order(scope.size)[:10])
    assert certificate.agent.failed == 0
    assert all(isinstance(reply, Reply) and reply.steps for reply in records)


def order(size: int) -> list[int]:
    """Places of samples as the seed 0 draws them."""
    return [int(index) for index in np.random.default_rng(0).permutation(size)]


def test_calls_that_failed_are_counted_and_shown() -> None:
    scope, candidate = opened("agent", muddler(), trust_local=True)
    certificate, _ = certified(scope, candidate, questions=12)
    assert certificate.agent is not None
    planted = sum(int(scope.questions[index].id.split()[1]) % 4 == 0 for index in order(scope.size)[: certificate.questions])
    assert planted >= 2
    assert (certificate.agent.failed, certificate.agent.failed_answers) == (planted, planted)
    adder, submit = sorted(certificate.agent.tools, key=lambda tool: tool.tool)
    assert (adder.tool, adder.failed, submit.tool, submit.failed) == ("adder", planted, "submit", 0)
    assert adder.failing.interval.lower < planted / certificate.questions < adder.failing.interval.upper
    as_json = certificate.as_json()
    assert as_json["figures"]["agent"]["failed_calls"] == planted
    assert any("the same chance" in caveat for caveat in certificate.caveats)
    failed = next(answer for answer in certificate.worst if any(step.error for step in answer.steps))
    assert "parsing" in next(step.error for step in failed.steps if step.error)
    page = page_of([certificate], made=datetime(2026, 1, 1, tzinfo=UTC), version="0")
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count("<details") >= 12
    assert "What it did" in page
    assert "I add &lt;script&gt;" in page


def test_a_task_without_tools_leaves_no_steps() -> None:
    scope, candidate = opened("matched")
    with Transcript.open("run.sqlite") as transcript:
        certificate, _ = certified(scope, candidate, questions=5, transcript=transcript)
        assert all('"steps"' not in record.answer for record in transcript.records())
    assert certificate.agent is None
    assert "agent" not in certificate.as_json()
    assert "steps" not in json.dumps(certificate.as_json())


def test_what_scorers_do_is_no_step() -> None:
    scope, candidate = opened("graded")
    certificate, log = certified(scope, candidate, questions=5)
    assert all(len([event for event in sample.events if event.event == "model"]) == 2 for sample in log.samples or [])
    assert certificate.agent is None


def test_samples_under_way_at_the_verdict_are_told_with_their_cost() -> None:
    scope, candidate = opened("matched", doubler(lambda number: number % 10 == 3))
    certificate, log = certified(scope, candidate, seed=5)
    number, used = candidate.ran
    assert number == len(log.samples or [])
    assert number > certificate.questions
    assert used.tokens == 32 * number == sum(usage.total_tokens for usage in log.stats.model_usage.values())
    assert certificate.spending.tokens == 32 * certificate.questions


def test_a_call_that_stands_in_words_is_none_and_that_is_said() -> None:
    """As a small model behind a server wrote it that takes calls for words."""
    text = '{"name": "adder", "arguments": {"number": 3}}'

    def reply(_messages: list[ChatMessage], *_: object) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = USAGE
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    certificate, _ = certified(*opened("at_once", model, trust_local=True))
    assert certificate.agent is not None
    assert (certificate.agent.answers, certificate.agent.steps, certificate.agent.calls, certificate.agent.tools) == (
        2,
        2,
        0,
        (),
    )
    assert any(caveat.startswith("No tool was called.") for caveat in certificate.caveats)
    page = page_of([certificate], made=datetime(2026, 1, 1, tzinfo=UTC), version="0")
    assert "2 answers with 2 steps, 0 tool calls among them" in " ".join(page.split())
