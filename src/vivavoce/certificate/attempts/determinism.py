"""Candidates that answer the same each time, and others: what a claim on recorded answers is about, and who may say so.

Take a list of questions and a candidate that answers at random. Each question asked once, the list run to its end: what is
known exactly then is the mean of these answers. The candidate's probability of a right answer lies on either side of it. So a
gate, of which the verdict is read as one on the candidate, draws questions with replacement and has each answered afresh,
unless both candidates are known to answer the same each time; a certificate and a comparison of a list say that they are about
these answers.

That a candidate answers the same each time is known by its kind or by declaration, and no number of equal answers shows it.
Other answers refute it: of a candidate of which it is declared, one of every ten questions is put twice, up to ten.
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
"""Different questions of which one is put once more to a candidate that is declared to answer the same each time."""
ASKED_TWICE: Final = 10
"""Questions that are put once more at most."""
ANSWERS, RECORDED, PERSONS = "answers", "recorded answers", "a person's answers"
PEOPLE: Final = "human:"
"""How names of people begin, who remember what they were asked."""


def about(candidates: Iterable[object], settings: Mapping[str, Any], *, each_once: bool) -> str:
    """What a claim on these candidates is about, where that is not the candidates: `ANSWERS` and so on, else empty.

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
    """Whether it may answer differently each time it is asked the same, and is no person, who is not asked twice."""
    return not is_deterministic(candidate) and not str(candidate.name).startswith(PEOPLE)


def about_in_words(what: str, candidates: int = 1, *, remedy: bool = True) -> str:
    """The same behind the name of a scope in a headline; `remedy`: with the option that tests the model.

    >>> about_in_words("answers", 2), about_in_words("answers", remedy=False), about_in_words("")
    (" (these answers; '--draws 1' tests the models)", ' (these answers)', '')
    """
    if what == ANSWERS and remedy:
        return f" (these answers; '--draws 1' tests {'the model' if candidates == 1 else 'the models'})"
    return {ANSWERS: " (these answers)", RECORDED: " (these recorded answers)", PERSONS: " (these answers)"}.get(what, "")


@dataclass(slots=True)
class DeclarationCheck:
    """Puts some questions once more to a candidate of which it is declared that it answers the same each time: one of every
    ten, as they are answered. By batch they are put together, when they are all or no more are asked.
    """

    interview: Interview[Prompt, Reply]
    topic: str
    first_draw: int = 0
    _texts: set[str] = field(default_factory=set)
    """Of different questions that were answered, until enough are chosen."""
    _replied: tuple[Prompt, Reply] | None = None
    """The first reply since the last question was chosen."""
    _chosen: int = 0
    _due: list[tuple[Prompt, Reply]] = field(default_factory=list)
    """What was chosen and is not put once more yet, with the first reply."""

    async def heard(
        self, answers: AsyncGenerator[tuple[Prompt, Reply | NoAnswer], None]
    ) -> AsyncGenerator[tuple[Prompt, Reply | NoAnswer], None]:
        """The same answers. Raises `BadInput` once one of them comes out otherwise the second time."""
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
        """Put what was chosen once more, unless that was done; one question at least. Raises `BadInput` as well."""
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
        second = await asyncio.gather(*(self._once_more(prompt) for prompt, _ in due))
        for (prompt, first), again in zip(due, second, strict=True):
            if isinstance(again, Reply) and _said(first) != _said(again):
                name = clipped(self.interview.candidate.name, 200)
                raise BadInput(
                    f"{name} does not answer the same each time: to question '{clipped(prompt.id, 80)}' it said "
                    f"'{clipped(first.text, 80)}', then '{clipped(again.text, 80)}'; leave out '?deterministic=yes'"
                )

    async def _once_more(self, prompt: Prompt) -> Reply | NoAnswer | None:
        """None where the budget has no room for it."""
        return await self.interview.ask_aside(prompt, draw=self.first_draw + 1, topic=self.topic)


def _said(reply: Reply) -> tuple[str, str]:
    return reply.text, "" if reply.further is None else reply.further.text
