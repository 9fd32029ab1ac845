"""Scopes with laws to which nobody knows the answers, and a candidate that contradicts itself where it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question


def pair(number: int, law: str = "same", *, right: tuple[str, ...] = (), **more: object) -> tuple[Question, Question]:
    """Two questions with a law over them."""
    return tuple(  # type: ignore[return-value]
        Question(
            f"{number}.{direction}",
            f"How many in {number}, counted {direction}?",
            (),
            right,
            cluster=f"c{number}",
            law=law,
            **more,  # type: ignore[arg-type]
        )
        for direction in ("up", "down")
    )


def pairs(size: int, **more: object) -> ListedScope:
    return ListedScope("pairs", tuple(question for number in range(size) for question in pair(number, **more)))  # type: ignore[arg-type]


@dataclass
class AnswersById:
    """Answers each question as told by its id."""

    said: Callable[[str], str]
    name: str = "test:says"

    async def answer(self, prompt: Prompt, /) -> Reply:
        return Reply(f"Answer: {self.said(prompt.id)}")


def contradicts(*numbers: int) -> AnswersById:
    """Says 5 to everything, but 6 to the second question of these pairs."""
    return AnswersById(lambda asked: "6" if asked.endswith("down") and int(asked.partition(".")[0]) in numbers else "5")
