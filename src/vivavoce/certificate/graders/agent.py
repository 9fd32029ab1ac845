"""An agent's steps before it answered: tool calls, failures, and their report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

import numpy as np

from vivavoce.certificate.claims.claim import estimate_as_json
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, numbered, score, share, share_interval
from vivavoce.interview.candidate import NOTHING, NoAnswer, Reply, Step, Usage, kept_steps
from vivavoce.report.blocks import Block, Column, Fold, InFull, Pairs, ReportRow, ReportSection, ReportTable, notes
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.statistics.confidence_sequences import mean_bounds

LEVEL: Final = 0.05
"""Error rate of the intervals: one minus their level."""
MOST_SHOWN: Final = 20
"""Number of answers whose steps are kept for display."""
SHOWN_STEPS: Final = 20
"""Most characters shown of each of these."""
KEPT_CHARACTERS: Final = 600
"""Most characters kept of each text of these steps."""
MOST_TOOLS: Final = 50
"""The most tools that are counted by name; an agent may invent any number."""
OTHERS: Final = "(others)"
NO_CALLS: Final = (
    "No tool was called. Where one was needed, read the answers. A call written in words was intended, but the "
    "model, or its server, did not put it in the form of a call."
)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How often a tool was called."""

    tool: str
    calls: int
    failed: int

    json_keys = "tool calls failed_calls=failed failed_share"

    @property
    def failing(self) -> Estimate:
        """The share of calls that failed."""
        return failing(self.calls, self.failed)

    @property
    def failed_share(self) -> dict[str, float | None]:
        """The same as JSON values."""
        return estimate_as_json("value", self.failing)


@dataclass(frozen=True, slots=True)
class StepsOfAnswer:
    """The steps before one answer, as shown."""

    id: str
    score: float
    steps: tuple[Step, ...]
    usage: Usage = Usage()  # noqa: RUF009 -- frozen
    """Cost of the answer."""


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """A certificate's counts of an agent's steps. Steps that the record does not keep are not counted."""

    answers: int
    """Answers with steps."""
    steps: int
    seconds: float
    """Seconds that these steps took."""
    failed_answers: int
    """Answers with a failed call before them."""
    cut: int
    """Answers for which the record keeps only the first steps."""
    tools: tuple[ToolUse, ...]
    """The most called first."""
    shown: tuple[StepsOfAnswer, ...]
    """The first answers."""

    json_keys = (
        "answers steps seconds answers_with_failed_calls=failed_answers calls failed_calls=failed failed_share tools cut?"
    )

    @property
    def calls(self) -> int:
        """All tool calls."""
        return sum(tool.calls for tool in self.tools)

    @property
    def failed(self) -> int:
        """Failed tool calls."""
        return sum(tool.failed for tool in self.tools)

    @property
    def failing(self) -> Estimate:
        """The share of calls that failed, whatever the tool."""
        return failing(self.calls, self.failed)

    @property
    def failed_share(self) -> dict[str, float | None]:
        """The same as JSON values."""
        return estimate_as_json("value", self.failing)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of these numbers."""
        alike = (
            "The intervals of failed tool calls assume that each call fails with the same chance, whatever came before. If "
            "failures come in series, or depend on the question, they are too narrow. No verdict rests on them.",
        )
        cut = (
            f"On the way to {numbered(self.cut, 'answer')} there were more steps than a record keeps: "
            "those after the first ones are not counted.",
        )
        return (*(alike if self.calls else (NO_CALLS,)), *(cut if self.cut else ()))


def failing(calls: int, failed: int) -> Estimate:
    """The share of calls that failed, with an interval at 95% that holds at whatever moment the examination ended.

    It is the confidence sequence of `waudbysmith2024`, if each call fails with the same chance given all before.

    >>> failing(100, 10).interval.upper > 0.2, failing(0, 0).value is None
    (True, True)
    """
    if not calls:
        return Estimate(None, Interval(0.0, 1.0), 0)
    bounds = mean_bounds(np.repeat([1.0, 0.0], [failed, calls - failed]), LEVEL)
    return Estimate(failed / calls, Interval(bounds.lower, bounds.upper), calls)


def shown_steps(answer: Reply | NoAnswer) -> tuple[Step, ...]:
    """The steps before an answer that are shown."""
    if isinstance(answer, NoAnswer) or not answer.steps:
        return ()
    return kept_steps(answer.steps, limit=SHOWN_STEPS, longest=KEPT_CHARACTERS)


class AgentTally:
    """Counts steps, answer by answer."""

    def __init__(self) -> None:
        self._answers = self._steps = self._failed_answers = self._cut = 0
        self._seconds = 0.0
        self._calls: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._shown: list[StepsOfAnswer] = []

    def add(self, name: str, answer: Reply | NoAnswer, score: float) -> None:
        """Count the steps of an answer, if there are any; `name` is the question's name, `score` the answer's score."""
        if isinstance(answer, NoAnswer) or not answer.steps:
            return
        calls = [step for step in answer.steps if step.tool]
        self._answers += 1
        self._steps += len(answer.steps)
        self._seconds += fsum(step.seconds for step in answer.steps)
        self._failed_answers += any(step.error for step in calls)
        self._cut += any(step.left_out for step in answer.steps)
        for step in calls:
            tool = step.tool if step.tool in self._calls or len(self._calls) < MOST_TOOLS else OTHERS
            self._calls[tool] += 1
            self._failed[tool] += bool(step.error)
        if len(self._shown) < MOST_SHOWN:
            self._shown.append(StepsOfAnswer(name, score, shown_steps(answer), answer.usage))

    @property
    def found(self) -> AgentRecord | None:
        """The counts; None if no answer had steps."""
        if not self._answers:
            return None
        tools = sorted(self._calls.items(), key=lambda pair: (-pair[1], pair[0]))
        return AgentRecord(
            answers=self._answers,
            steps=self._steps,
            seconds=self._seconds,
            failed_answers=self._failed_answers,
            cut=self._cut,
            tools=tuple(ToolUse(name, calls, self._failed[name]) for name, calls in tools),
            shown=tuple(self._shown),
        )


SHOWN_CHARACTERS: Final = 1_200
SHOWN_NAME: Final = 100


def what_it_did(record: AgentRecord | None) -> tuple[Block, ...]:
    """The report on an agent's steps; nothing if no answer had any."""
    if record is None:
        return ()
    several = (*record.tools, ToolUse("all", record.calls, record.failed)) if len(record.tools) > 1 else record.tools
    table = (ReportTable(_COLUMNS, tuple(map(_row, several))),) if record.tools else ()
    shown = tuple(
        Fold(
            f"{clipped(answer.id, SHOWN_NAME)}, score {score(answer.score)}: {in_short(answer.steps)}{_cost(answer.usage)}",
            steps(answer.steps),
            main=True,
        )
        for answer in record.shown
    )
    first = notes(f"Those of the first {len(shown)} answers:") if len(shown) < record.answers else ()
    return (ReportSection("What it did", (*notes(_summary(record)), *table, InFull((*first, *shown)))),)


def folded_steps(done: Sequence[Step]) -> tuple[Block, ...]:
    """The steps of one answer, to be opened; nothing if there are none."""
    return (Fold(f"What it did: {in_short(done)}", steps(done), main=True),) if done else ()


def steps(done: Sequence[Step]) -> tuple[Block, ...]:
    """Steps in order."""
    pairs = [pair for number, step in enumerate(done, 1) for pair in _pairs(number, step)]
    return (Pairs(tuple(pairs)),)


def in_short(done: Sequence[Step]) -> str:
    """How many steps and calls there are, how many of these failed, and how long they took.

    >>> in_short([Step(said="Well."), Step(tool="add", error="no number", seconds=1.5)])
    '2 steps, 1 tool call (1 failed), 1.5 s'
    """
    calls, failed = sum(bool(step.tool) for step in done), sum(bool(step.error) for step in done)
    number = len(done) + sum(step.left_out for step in done)
    called = numbered(calls, "tool call") + (f" ({count(failed)} failed)" if failed else "")
    return f"{numbered(number, 'step')}, {called}, {sum(step.seconds for step in done):.1f} s"


_COLUMNS: Final = (
    Column("Tool", short="tool"),
    Column("Calls", short="calls", number=True),
    Column("Failed", short="failed", number=True),
    Column("Share that failed", short="share", number=True),
)


def _row(tool: ToolUse) -> ReportRow:
    estimate = tool.failing
    value = TableCell.of(estimate, share, share_interval)
    return ReportRow(TableCell(clipped(tool.tool, SHOWN_NAME)), (count_cell(tool.calls), count_cell(tool.failed), value))


def _summary(record: AgentRecord) -> str:
    done = f"{numbered(record.steps, 'step')}, {numbered(record.calls, 'tool call')} among them"
    answers = f"{numbered(record.answers, 'answer')} with {done}"
    failed = f"; on the way to {numbered(record.failed_answers, 'answer')} a call failed" if record.failed_answers else ""
    return f"{answers}{failed}. The steps took {record.seconds:.1f} s in all."


def _cost(usage: Usage) -> str:
    """The cost of an answer, where it was counted."""
    tokens = f", {numbered(usage.tokens, 'token')}" if usage.tokens else ""
    return f"{tokens}, {usage.money:.4g} of money" if usage.money else tokens


def _pairs(number: int, step: Step) -> list[tuple[str, str]]:
    took = f" ({step.seconds:.2f} s)" if step.seconds else ""
    text = clipped(step.said, SHOWN_CHARACTERS) or NOTHING
    result = [(f"{number}. Said{took}", text)] if step.said or not step.tool else []
    if step.tool:
        arguments = clipped(step.arguments, SHOWN_CHARACTERS)
        result.append((f"{number}. Called{took}", f"{clipped(step.tool, SHOWN_NAME)}({arguments})"))
        gave = ("Failed", step.error) if step.error else ("Result", step.result)
        result.append((gave[0], clipped(gave[1], SHOWN_CHARACTERS) or "(empty)"))
    if step.left_out:
        result.append(("Left out", numbered(step.left_out, "further step")))
    return result
