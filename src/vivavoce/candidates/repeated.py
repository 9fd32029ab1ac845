"""Recordings that hold several answers to a question: each further draw of the question is the next of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from vivavoce.errors import CandidateMisconfigured
from vivavoce.interview.candidate import UNRECORDED, NoAnswer, Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question."""

    first: Reply | NoAnswer
    further: Reply | None = None
    """The reply to the further turn that asked for the final answer alone."""


class Repeated:
    """Says again what was said then, each answer once, in the order in which they stand there.

    Where a question is drawn more often than it was answered, nobody knows what would have been said: such an answer may be
    worth anything.

    >>> import asyncio
    >>> candidate = Repeated("replay:a.csv#x", {"q": [Answer(Reply("1")), Answer(Reply("2"))]})
    >>> [asyncio.run(candidate.answer_draw(Prompt("?", id="q"), draw)) for draw in (1, 2)]  # doctest: +ELLIPSIS
    [Reply(text='2'...), NoAnswer(reason='drawn more often than it was answered in the recording'...)]
    """

    asked_again: RepeatReason = "same"
    """It would say the same."""

    def __init__(self, name: str, answers: Mapping[str, Sequence[Answer]], ways: tuple[ReplyFormat, ...] = ("text",)) -> None:
        self.name = name
        self.ways = ways
        self._answers = answers

    @cached_property
    def recorded(self) -> Mapping[str, str]:
        """The first reply to each question; of an absence nothing."""
        firsts = {name: answers[0].first for name, answers in self._answers.items()}
        return {name: one.text if isinstance(one, Reply) else "" for name, one in firsts.items()}

    @cached_property
    def times(self) -> Mapping[str, int]:
        """How many answers there are, by question id."""
        return {name: len(answers) for name, answers in self._answers.items()}

    def __repr__(self) -> str:
        return f"<{self.name}, {sum(self.times.values())} answers to {len(self.times)} questions>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The first answer."""
        return await self.answer_draw(question, 0)

    async def answer_draw(self, question: Prompt, draw: int) -> Reply:
        """That with this number, from 0. Raises `CandidateMisconfigured` for a question that was not asked then."""
        answers = self._answers.get(question.id)
        if answers is None:
            raise CandidateMisconfigured(f"{self.name} has no answer to question '{question.id[:80]}' in these words")
        if draw >= len(answers):
            return cast("Reply", NoAnswer(UNRECORDED))  # an absence is one, as whoever asks can tell
        found = answers[draw]
        if question.form is not None and question.text == question.form.further:
            return found.further or Reply("")
        return cast("Reply", found.first)
