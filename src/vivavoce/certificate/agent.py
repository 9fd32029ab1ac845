"""What an agent did on its way to its answers: steps, tool calls, and how often a call failed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

import numpy as np

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import NoAnswer, Reply, Step, Usage, kept_steps
from vivavoce.statistics.mean import mean_bounds

LEVEL: Final = 0.05
"""Error rate of the intervals: one minus their level."""
MOST_SHOWN: Final = 20
"""Answers whose steps are kept to be shown."""
SHOWN_STEPS: Final = 20
"""Of each of these."""
SHOWN_CHARACTERS: Final = 600
"""Of each text of these steps."""
MOST_TOOLS: Final = 50
"""Tools that are counted by name; an agent may call as many as it makes up."""
OTHERS: Final = "(others)"
NO_CALLS: Final = (
    "No tool was called. Where one was needed, read the answers: a call that stands there in words was wanted, and either the "
    "model or the server that it is behind did not put it in the form of a call."
)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How often a tool was called."""

    tool: str
    calls: int
    failed: int

    @property
    def failing(self) -> Estimate:
        """The share of calls that failed."""
        return failing(self.calls, self.failed)


@dataclass(frozen=True, slots=True)
class StepsOfAnswer:
    """What was done for one answer, as far as it is shown."""

    id: str
    score: float
    steps: tuple[Step, ...]
    usage: Usage = Usage()  # noqa: RUF009 -- frozen
    """What the answer cost."""


@dataclass(frozen=True, slots=True)
class AgentFound:
    """What a certificate says of what an agent did. Of steps that its record does not keep nothing is counted."""

    answers: int
    """Those with steps."""
    steps: int
    seconds: float
    """That these steps took."""
    failed_answers: int
    """On the way to which a call failed."""
    cut: int
    """Answers of whose steps the record keeps the first alone."""
    tools: tuple[ToolUse, ...]
    """The most called first."""
    shown: tuple[StepsOfAnswer, ...]
    """Of the first answers."""

    @property
    def calls(self) -> int:
        """All tool calls."""
        return sum(tool.calls for tool in self.tools)

    @property
    def failed(self) -> int:
        """Those that failed."""
        return sum(tool.failed for tool in self.tools)

    @property
    def failing(self) -> Estimate:
        """The share of calls that failed, whatever the tool."""
        return failing(self.calls, self.failed)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What these numbers do not show."""
        alike = (
            "The intervals of failed tool calls take each call to fail with one chance, whatever came before. Where calls fail "
            "in rows, or on some questions more often than on others, they are too narrow. No verdict rests on them.",
        )
        cut = (
            f"On the way to {count(self.cut)} answer{'' if self.cut == 1 else 's'} there were more steps than a record keeps: "
            "those after the first ones are not counted.",
        )
        return (*(alike if self.calls else (NO_CALLS,)), *(cut if self.cut else ()))

    def as_json(self) -> dict[str, Any]:
        """As JSON values; what is shown of single answers is on the page alone."""
        return {
            "answers": self.answers,
            "steps": self.steps,
            "seconds": self.seconds,
            "answers_with_failed_calls": self.failed_answers,
            **_values(self.calls, self.failed),
            "tools": [{"tool": tool.tool, **_values(tool.calls, tool.failed)} for tool in self.tools],
            **({"cut": self.cut} if self.cut else {}),
        }


def failing(calls: int, failed: int) -> Estimate:
    """The share of calls that failed, with an interval at 95% that holds at whatever moment the examination ended.

    It is the confidence sequence of `waudbysmith2024` for calls that fail with one chance each, given all before.

    >>> failing(100, 10).interval.upper > 0.2, failing(0, 0).value is None
    (True, True)
    """
    if not calls:
        return Estimate(None, Interval(0.0, 1.0), 0)
    bounds = mean_bounds(np.repeat([1.0, 0.0], [failed, calls - failed]), LEVEL)
    return Estimate(failed / calls, Interval(bounds.lower, bounds.upper), calls)


def shown_steps(answer: Reply | NoAnswer) -> tuple[Step, ...]:
    """The steps before an answer, as far as they are shown."""
    if isinstance(answer, NoAnswer) or not answer.steps:
        return ()
    return kept_steps(answer.steps, limit=SHOWN_STEPS, longest=SHOWN_CHARACTERS)


def _values(calls: int, failed: int) -> dict[str, Any]:
    share = failing(calls, failed)
    return {
        "calls": calls,
        "failed_calls": failed,
        "failed_share": {"value": share.value, "lower": share.interval.lower, "upper": share.interval.upper},
    }


class AgentTally:
    """Counts steps, answer by answer."""

    def __init__(self) -> None:
        self._answers = self._steps = self._failed_answers = self._cut = 0
        self._seconds = 0.0
        self._calls: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._shown: list[StepsOfAnswer] = []

    def add(self, name: str, answer: Reply | NoAnswer, score: float) -> None:
        """Count the steps of an answer, if there are any; `name`: of its question, `score`: what it earned."""
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
    def found(self) -> AgentFound | None:
        """What was counted; None where no answer had steps."""
        if not self._answers:
            return None
        tools = sorted(self._calls.items(), key=lambda one: (-one[1], one[0]))
        return AgentFound(
            answers=self._answers,
            steps=self._steps,
            seconds=self._seconds,
            failed_answers=self._failed_answers,
            cut=self._cut,
            tools=tuple(ToolUse(name, calls, self._failed[name]) for name, calls in tools),
            shown=tuple(self._shown),
        )
