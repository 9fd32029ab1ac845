"""Tasks of Inspect as scopes: scores, the verdict of the e-process, and what an agent did, as Inspect's own log has it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.scorer import value_to_float
from inspect_ai.tool import ToolChoice, ToolInfo

from tests.plugins.inspect_plugin.task_scope.doubler import TASKS, certified, doubler, opened
from tests.plugins.inspect_plugin.task_scope.tasks import USAGE
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.interview.candidate import Reply
from vivavoce.interview.requests import Notation
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.inspect_plugin.task_scope.candidate import steps_of
from vivavoce.render.page import page as page_of

pytestmark = pytest.mark.long  # importing Inspect takes seconds


def scores(log: EvalLog, scorer: str) -> dict[tuple[str, int], Any]:
    return {(str(sample.id), sample.epoch): sample.scores[scorer].value for sample in log.samples or () if sample.scores}


def test_the_verdict_is_that_of_the_e_process_on_the_samples_in_drawn_order() -> None:
    scope, candidate = opened("matched", doubler(lambda number: number % 10 == 3))
    certificate, log = certified(scope, candidate, seed=5)
    assert (certificate.verdict, log.status) == (Verdict.PASS, "success")
    # a third way: the order of the seed, the values in the log as Inspect makes numbers of them, and the bare test
    order = [f"sum {index}" for index in np.random.default_rng(5).permutation(60)]
    given = scores(log, "match")
    test = SequentialTest(Criterion(0.7, None, 0.05 * 0.95), population=60)
    assert test.update([value_to_float()(given.get((sample, 1), "I")) for sample in order], [0] * 60) is Verdict.PASS
    number = test.n
    assert number == certificate.questions
    assert {sample for sample, _ in given} >= set(order[:number])
    assert len(given) <= number + 16  # what was under way
    assert certificate.spending.tokens_in == 30 * number


@pytest.mark.parametrize(
    ("task", "scorer"), [("matched", "match"), ("chosen", "choice"), ("graded", "model_graded_qa"), ("agent", "match")]
)
def test_the_scores_are_those_of_inspect_eval(task: str, scorer: str) -> None:
    scope, candidate = opened(task, trust_local=True)
    certificate, log = certified(scope, candidate, questions=12)
    ran = scores(log, scorer)
    ids = [sample.id for sample in log.samples or ()]
    [usual] = inspect_eval(
        f"{TASKS}@{task}", model=doubler(), sample_id=ids, log_dir="usual", display="none", log_realtime=False
    )
    assert ran == scores(usual, scorer)
    assert len(set(ran.values())) == 2, "some are right, and some are not"
    assert certificate.questions == 12
    by_id = {question.id: value_to_float()(ran[question.id, 1]) for question in scope.questions if (question.id, 1) in ran}
    order = [scope.questions[index].id for index in np.random.default_rng(0).permutation(scope.size)]
    assert certificate.score.value == pytest.approx(np.mean([by_id[entry] for entry in order[:12]]), abs=0)
    if task == "agent":
        assert all(any(message.role == "tool" for message in sample.messages) for sample in log.samples or ())


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
