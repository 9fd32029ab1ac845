"""Tasks as others write them, for a model that answers sums by `model.py`."""

from __future__ import annotations

import asyncio
import os
import signal

from inspect_ai import Epochs, Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, choice, match, mean, model_graded_qa, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, multiple_choice, solver
from inspect_ai.tool import Tool, tool
from inspect_ai.util import sandbox

USAGE = ModelUsage(input_tokens=30, output_tokens=2, total_tokens=32)


def sums(number: int) -> list[Sample]:
    return [Sample(input=f"What is {i} + {i}?", target=str(2 * i), id=f"sum {i}") for i in range(number)]


@task
def matched(n: int = 60) -> Task:
    return Task(dataset=sums(n), scorer=match(numeric=True))


@task
def without_ids() -> Task:
    return Task(dataset=[Sample(input=f"What is {i} + {i}?", target=str(2 * i)) for i in range(9)], scorer=match(numeric=True))


@task
def repeated() -> Task:
    return Task(dataset=sums(12), scorer=match(numeric=True), epochs=Epochs(3, "mean"))


@task
def chosen() -> Task:
    samples = [Sample(input=f"{i} + {i}?", choices=[str(i), str(2 * i)], target="B", id=i) for i in range(1, 41)]
    return Task(dataset=samples, solver=multiple_choice(), scorer=choice())


@task
def graded() -> Task:
    def judge(messages: list[ChatMessage], *_: object) -> ModelOutput:
        text = messages[-1].text
        right = "right" in text.rpartition("[Submission]")[2]
        output = ModelOutput.from_content("mockllm/judge", f"GRADE: {'C' if right else 'P'}")
        output.usage = USAGE
        return output

    grader = get_model("mockllm/judge", custom_outputs=judge, memoize=False)
    return Task(dataset=sums(40), scorer=model_graded_qa(model=grader, partial_credit=True))


@tool
def adder() -> Tool:
    async def execute(number: int) -> str:
        """Double a number.

        Args:
            number: What is doubled.
        """
        return (await sandbox().exec(["expr", str(number), "+", str(number)])).stdout.strip()

    return execute


@task
def agent() -> Task:
    return Task(dataset=sums(30), solver=react(tools=[adder()]), scorer=match(numeric=True), sandbox="local", message_limit=12)


@task
def at_once() -> Task:
    """An agent that ends with the first reply in which no tool is called."""
    return Task(dataset=sums(6), solver=react(tools=[adder()], submit=False), scorer=match(numeric=True), sandbox="local")


@scorer(metrics={"*": [mean()]})
def two_values() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"right": float(target.text in state.output.completion), "share": 0.125})

    return score


@scorer(metrics=[mean()])
def odd() -> Scorer:
    """An answer to sum 0 is 7, to sum 1 none, to sum 2 an error, to sum 3 nothing at all; to others a quarter."""

    async def score(state: TaskState, target: Target) -> Score | None:
        match state.sample_id:
            case "sum 0":
                return Score(value=7)
            case "sum 1":
                return Score(value="N")
            case "sum 2":
                raise RuntimeError("the scorer broke")
            case "sum 3":
                return None
        return Score(value=0.25)

    return score


@task
def oddly(first: int = 1) -> Task:
    return Task(dataset=sums(9)[first:], scorer=odd())


@task
def valued() -> Task:
    return Task(dataset=sums(20), scorer=two_values())


@task
def twice_scored() -> Task:
    return Task(dataset=sums(20), solver=generate(), scorer=[match(numeric=True), two_values()])


@solver
def deadly_at(fatal: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == fatal and os.environ.get("DEADLY"):
            os.kill(os.getpid(), signal.SIGKILL)
        if state.sample_id == fatal and os.environ.get("INTERRUPTED"):
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(600)
        return state

    return solve


@task
def deadly() -> Task:
    """The 18th sample in the order of the seed 3 ends the program, where that is wanted; two of three targets are right."""
    samples = [
        Sample(input=sample.input, target=f"{sample.target}{'0' * (i % 3 == 0)}", id=sample.id)
        for i, sample in enumerate(sums(60))
    ]
    return Task(dataset=samples, solver=[deadly_at("sum 57"), generate()], scorer=match(numeric=True))


@task
def unscored() -> Task:
    return Task(dataset=sums(3))


@task
def broken() -> Task:
    raise ValueError("no such\nfile")
