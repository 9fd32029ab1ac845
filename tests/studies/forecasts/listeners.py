"""Forecasters that hear what was said before, and what the instructions say; with planted beliefs and faults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.studies.forecasts.forecasters import coherent, in_class
from vivavoce.errors import CandidateUnreachable
from vivavoce.interview.candidate import Exchange, Prompt, Reply
from vivavoce.studies.forecasting.forecast_files import QuestionTuple

_EVENT = re.compile(r"event (\d+)")
_SAID = re.compile(r"Answer: ([\d.]+)%")


def had(prompt: Prompt) -> list[Exchange]:
    """What was really said before, behind the one worked example."""
    return list(prompt.earlier)


def question_of(text: str) -> str:
    return text.removeprefix("Question: ").partition("\n")[0]


def negations(number: int, *, begin: int = 1) -> list[QuestionTuple]:
    """Pairs of an event and its negation."""
    return [
        QuestionTuple(
            "neg", {"P": f"Will event {n} happen?", "not_P": f"Will event {n} not happen?"}, id=f"neg {n}", base=(f"event {n}",)
        )
        for n in range(begin, begin + number)
    ]


def deaf_metric(tuples: Sequence[QuestionTuple]) -> list[float]:
    """By hand: whoever does not hear "not" gives p twice, and |p + p - 1| is the metric."""
    return [abs(2 * coherent(question_tuple.questions["P"]) - 1) for question_tuple in tuples]


def written(value: float) -> str:
    return f"I have thought about what speaks for it and what speaks against it.\nAnswer: {100 * value:.4f}%"


@dataclass
class Listener:
    """Alone it does not hear "not". Where it has been asked about the same event before, it says what goes with that."""

    name: str = "test:listener"
    listens: bool = True
    mends: str = ""
    """Words of instructions by which it hears "not" even alone."""
    harms: str = ""
    """Words of instructions by which its conditional forecasts go wrong."""
    stops_after: int | None = None
    ways: tuple[str, ...] = ("text", "turn")
    asked_again: str = "elsewhere"
    asked: list[Prompt] = field(default_factory=list)

    async def answer(self, question: Prompt, /) -> Reply:
        if self.stops_after is not None and len(self.asked) == self.stops_after:
            raise CandidateUnreachable("the line is dead")
        self.asked.append(question)
        return Reply(written(self.belief(question)))

    def belief(self, prompt: Prompt) -> float:
        question = question_of(prompt.text)
        before = had(prompt)
        if self.harms and self.harms in prompt.system and question.startswith("Given"):
            return 0.05 + 0.9 * in_class(int(_EVENT.findall(question)[0]), 2)
        heard = " ".join(question_of(exchange.asked) for exchange in before if exchange.asked.startswith("Question: "))
        if self.listens and before and " not " in question + heard:
            match = _SAID.search(before[-1].replied)
            assert match is not None
            return 1 - float(match[1]) / 100
        hears = bool(self.mends) and self.mends in prompt.system
        return coherent(question, hears_not=hears)
