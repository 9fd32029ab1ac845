"""Deterministic and other candidates: the subject of claims on recorded answers, and the declaration of determinism and its
check.

Take a list of questions and a candidate that answers at random. If each question of the list is asked once, the mean of these
answers is known exactly, but the candidate's probability of a right answer may be higher or lower. Readers take a gate's
verdict to be about the candidate. So a gate draws questions with replacement and asks each afresh, unless both candidates are
known to answer the same each time. A certificate and a comparison of a list say that they are about these answers.

A candidate is known to answer the same each time by its kind or by declaration; no number of equal answers proves it. Different
answers disprove it: if it is declared, one of every ten questions is asked twice, up to ten.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, Reply, is_declared_deterministic, is_deterministic
from vivavoce.interview.interview import Interview

EVERY: Final = 10
"""One of this many different questions is asked again if a candidate is declared to answer the same each time."""
ASKED_TWICE: Final = 10
"""The most questions that are asked again."""
ANSWERS, RECORDED, PERSONS = "answers", "recorded answers", "a person's answers"
PEOPLE: Final = "human:"
"""Prefix of people's names; they remember the questions."""


def about(candidates: Iterable[object], settings: Mapping[str, Any], *, each_once: bool) -> str:
    """The subject of a claim on these candidates: `ANSWERS` and so on, or empty for the candidates themselves.

    settings: of its terms.
    each_once: whether each question is drawn once.
    """
    asked = list(candidates)
    sampling = any(not is_deterministic(value) for value in asked)
    if "draws" in settings or (sampling and not each_once):
        return ""
    if sampling:
        return ANSWERS if any(map(may_vary, asked)) else PERSONS
    return RECORDED if any(isinstance(value, Recording) for value in asked) else ""


def may_vary(candidate: Any) -> bool:
    """Whether it may answer the same question differently each time, and is not a person; people are not asked twice."""
    return not is_deterministic(candidate) and not str(candidate.name).startswith(PEOPLE)


def about_in_words(what: str, candidates: int = 1, *, remedy: bool = True) -> str:
    """The same for a headline, after the name of the scope; `remedy`: with the option that tests the model.

    >>> about_in_words("answers", 2), about_in_words("answers", remedy=False), about_in_words("")
    (" (these answers; '--draws 1' tests the models)", ' (these answers)', '')
    """
    if what == ANSWERS and remedy:
        return f" (these answers; '--draws 1' tests {'the model' if candidates == 1 else 'the models'})"
    return {ANSWERS: " (these answers)", RECORDED: " (these recorded answers)", PERSONS: " (these answers)"}.get(what, "")


@dataclass(slots=True)
class DeclarationCheck:
    """Asks some questions again if the candidate is declared to answer the same each time: one of every ten, as they are
    answered. By batch they are asked together, once all are chosen or no more questions come.
    """

    interview: Interview[Prompt, Reply]
    topic: str
    first_draw: int = 0
    _texts: set[str] = field(default_factory=set)
    """Ids of different questions that were answered, until enough are chosen."""
    _replied: tuple[Prompt, Reply] | None = None
    """The first reply after the last question was chosen."""
    _chosen: int = 0
    _due: list[tuple[Prompt, Reply]] = field(default_factory=list)
    """Chosen questions that are not asked again yet, with their first replies."""

    async def heard(
        self, answers: AsyncGenerator[tuple[Prompt, Reply | NoAnswer], None]
    ) -> AsyncGenerator[tuple[Prompt, Reply | NoAnswer], None]:
        """Add answers. Raises `BadInput` once a repeated answer differs."""
        async with aclosing(answers):
            async for prompt, answer in answers:
                if self._chosen < ASKED_TWICE and is_declared_deterministic(self.interview.candidate):
                    self._texts.add(prompt.text)
                    if self._replied is None and isinstance(answer, Reply):
                        self._replied = prompt, answer
                    if len(self._texts) == EVERY * (self._chosen + 1):
                        self._choose()
                        if not self.interview.drawing.by_batch or self._chosen == ASKED_TWICE:
                            await self._put_once_more()
                yield prompt, answer

    async def finish(self) -> None:
        """Ask the chosen questions again, at least one, unless that is done. Raises `BadInput` if an answer differs."""
        if not self._chosen:
            self._choose()
        await self._put_once_more()

    def _choose(self) -> None:
        self._chosen += 1
        if self._replied is not None:
            self._due.append(self._replied)
            self._replied = None

    async def _put_once_more(self) -> None:
        due, self._due = self._due, []
        draw, topic = self.first_draw + 1, self.topic
        # None where the budget has no room for it
        second = await asyncio.gather(*(self.interview.ask_aside(prompt, draw=draw, topic=topic) for prompt, _ in due))
        for (prompt, first), again in zip(due, second, strict=True):
            if isinstance(again, Reply) and _said(first) != _said(again):
                name = clipped(self.interview.candidate.name, 200)
                raise BadInput(
                    f"{name} is not deterministic: to question '{clipped(prompt.id, 80)}' it said "
                    f"'{clipped(first.text, 80)}', then '{clipped(again.text, 80)}'; leave out '?deterministic=yes'"
                )


def _said(reply: Reply) -> tuple[str, str]:
    return reply.text, "" if reply.further is None else reply.further.text
