"""A model that doubles numbers, and is wrong where it is told to be, on tasks as others write them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from tests.plugins.inspect_plugin.task_scope.tasks import USAGE
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.inspect_plugin.task_scope.candidate import TaskCandidate
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.plugins.inspect_plugin.task_scope.opening import open_task
from vivavoce.scopes.logged import TaskScope

ONE_BY_ONE = Composition()
TASKS = Path(__file__).with_name("tasks.py")


def doubler(wrong: Callable[[int], bool] = lambda number: number % 3 == 1) -> Model:
    """Doubles the last number of the question; with a tool, by the tool; among choices, by the letter."""

    def reply(messages: list[ChatMessage], tools: list[ToolInfo], _choice: ToolChoice, _config: GenerateConfig) -> ModelOutput:
        asked = next(message.text for message in messages if message.role == "user")
        number = int(re.findall(r"\d+ \+ (\d+)\?", asked)[-1])
        text = str(2 * number + wrong(number))
        if any(info.name == "adder" for info in tools):
            output = _by_tool(messages, number, text)
        elif "choices" in asked or "ANSWER: $LETTER" in asked:
            output = ModelOutput.from_content("mockllm/model", f"ANSWER: {'A' if wrong(number) else 'B'}")
        else:
            output = ModelOutput.from_content("mockllm/model", f"{'' if wrong(number) else 'right: '}{text}")
        output.usage = USAGE
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def _by_tool(messages: list[ChatMessage], number: int, text: str) -> ModelOutput:
    if any(message.role == "tool" for message in messages):
        doubled = next(message.text for message in messages if message.role == "tool")
        answer = doubled if doubled == text else text
        return ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": answer})
    return ModelOutput.for_tool_call("mockllm/model", "adder", {"number": number})


def opened(task: str, model: Model | None = None, **config: Any) -> tuple[TaskScope, TaskCandidate]:
    scope, [candidate] = open_task(
        f"inspect-task:{TASKS}@{task}",
        [("inspect:mockllm/model", model or doubler())],
        TaskConfig(log_dir=Path("logs"), **config),
    )
    return scope, candidate


def certified(
    scope: TaskScope,
    candidate: TaskCandidate,
    *,
    seed: int = 0,
    transcript: Transcript | None = None,
    composition: Composition = ONE_BY_ONE,
    **given: Any,
) -> tuple[Certificate, EvalLog]:
    """The certificate, and the log of Inspect read back from its file."""

    async def examine() -> Certificate:
        interview = Interview(candidate, answers=Reply, transcript=transcript, settings=AskSettings(time_out=None))
        try:
            return await certify(interview, scope, Criterion(0.7, None), composition, seed=seed, **given)
        finally:
            await candidate.close()

    certificate = asyncio.run(examine())
    [log] = candidate.logs
    return certificate, read_eval_log(log)
