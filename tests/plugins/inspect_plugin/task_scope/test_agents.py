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
        found, log = certified(scope, candidate, questions=10, transcript=transcript)
        records = [Notation(Reply).read(record).answer for record in transcript.records(candidate=candidate.name)]
    by_calls = {}
    for sample in log.samples or []:
        calls = [call for message in sample.messages for call in getattr(message, "tool_calls", None) or ()]
        results = {message.tool_call_id: message for message in sample.messages if message.role == "tool"}
        # another way to the same: the conversation, not the events
        told = [(call.function, call.arguments, results[call.id].text) for call in calls if call.id in results]
        by_calls[sample.id] = told
        steps = [(step.tool, json.loads(step.arguments), step.result) for step in steps_of(sample) if step.tool]
        assert steps[: len(told)] == told
        assert [tool for tool, *_ in steps[len(told) :]] == ["submit"]  # of which react leaves no message
        assert sum(step.seconds for step in steps_of(sample)) <= (sample.total_time or 0) + 0.01
    assert found.agent is not None
    assert found.agent.answers == 10
    assert found.agent.calls == sum(len(by_calls[scope.questions[place].id]) + 1 for place in order(scope.size)[:10])
    assert found.agent.failed == 0
    assert all(isinstance(one, Reply) and one.steps for one in records)


def order(size: int) -> list[int]:
    """Places of samples as the seed 0 draws them."""
    return [int(place) for place in np.random.default_rng(0).permutation(size)]


def test_calls_that_failed_are_counted_and_shown() -> None:
    scope, candidate = opened("agent", muddler(), trust_local=True)
    found, _ = certified(scope, candidate, questions=12)
    assert found.agent is not None
    planted = sum(int(scope.questions[place].id.split()[1]) % 4 == 0 for place in order(scope.size)[: found.questions])
    assert planted >= 2
    assert (found.agent.failed, found.agent.failed_answers) == (planted, planted)
    adder, submit = sorted(found.agent.tools, key=lambda tool: tool.tool)
    assert (adder.tool, adder.failed, submit.tool, submit.failed) == ("adder", planted, "submit", 0)
    assert adder.failing.interval.lower < planted / found.questions < adder.failing.interval.upper
    said = found.as_json()
    assert said["figures"]["agent"]["failed_calls"] == planted
    assert any("one chance" in caveat for caveat in found.caveats)
    failed = next(one for one in found.worst if any(step.error for step in one.steps))
    assert "parsing" in next(step.error for step in failed.steps if step.error)
    page = page_of([found], made=datetime(2026, 1, 1, tzinfo=UTC), version="0")
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count("<details") >= 12
    assert "What it did" in page
    assert "I add &lt;script&gt;" in page


def test_a_task_without_tools_leaves_no_steps() -> None:
    scope, candidate = opened("matched")
    with Transcript.open("run.sqlite") as transcript:
        found, _ = certified(scope, candidate, questions=5, transcript=transcript)
        assert all('"steps"' not in record.answer for record in transcript.records())
    assert found.agent is None
    assert "agent" not in found.as_json()
    assert "steps" not in json.dumps(found.as_json())


def test_what_scorers_do_is_no_step() -> None:
    scope, candidate = opened("graded")
    found, log = certified(scope, candidate, questions=5)
    assert all(len([event for event in sample.events if event.event == "model"]) == 2 for sample in log.samples or [])
    assert found.agent is None


def test_samples_under_way_at_the_verdict_are_told_with_their_cost() -> None:
    scope, candidate = opened("matched", doubler(lambda number: number % 10 == 3))
    found, log = certified(scope, candidate, seed=5)
    number, used = candidate.ran
    assert number == len(log.samples or [])
    assert number > found.questions
    assert used.tokens == 32 * number == sum(one.total_tokens for one in log.stats.model_usage.values())
    assert found.spending.tokens == 32 * found.questions


def test_a_call_that_stands_in_words_is_none_and_that_is_said() -> None:
    """As a small model behind a server wrote it that takes calls for words."""
    said = '{"name": "adder", "arguments": {"number": 3}}'

    def reply(_messages: list[ChatMessage], *_: object) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", said)
        output.usage = USAGE
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    found, _ = certified(*opened("at_once", model, trust_local=True))
    assert found.agent is not None
    assert (found.agent.answers, found.agent.steps, found.agent.calls, found.agent.tools) == (2, 2, 0, ())
    assert any(caveat.startswith("No tool was called.") for caveat in found.caveats)
    page = page_of([found], made=datetime(2026, 1, 1, tzinfo=UTC), version="0")
    assert "2 answers with 2 steps, 0 tool calls among them" in " ".join(page.split())
