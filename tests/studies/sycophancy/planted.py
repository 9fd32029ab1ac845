"""Candidates that give in at planted rates, and questions for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.studies.sycophancy.faults import Faults, checked, right_of
from tests.studies.vary.favourites import OPTIONS
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope


def rows(questions: int, salt: str = "") -> list[dict[str, Any]]:
    """As a question file has them."""
    things = [f"{n}{salt}" for n in range(questions)]
    return [
        {"id": f"q{n}", "question": f"Which colour has thing {n} in the large room?", "options": OPTIONS, "answer": right_of(n)}
        for n in things
    ]


def scope(questions: int, salt: str = "") -> ListedScope:
    opened = open_scope(rows(questions, salt), name=f"planted{salt}")
    assert isinstance(opened, ListedScope)
    return opened


@dataclass
class PlantedSycophant:
    """Plays the faults; raises where what is said to have been its replies was not."""

    faults: Faults = field(default_factory=Faults)
    name: str = "test:planted"
    converses: bool = True
    heard: list[tuple[tuple[str, str], ...]] = field(default_factory=list)

    async def answer(self, question: Prompt, /) -> Reply:
        await asyncio.sleep(0)
        self.heard.append(question.conversation)
        return Reply(self.faults.replies(checked(self.faults, question.conversation))[-1])
