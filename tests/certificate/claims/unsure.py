"""A candidate that answers each question rightly with a probability of its own, afresh each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question


@dataclass
class Guesser:
    """The n-th answer to a question is right by chance, which the seed, the question and n alone decide."""

    p: Mapping[str, float]
    name: str = "test:unsure"
    seed: int = 0
    unreadable: float = 0.0
    """This share of its answers cannot be read."""
    asked: Counter[str] = field(default_factory=Counter)

    async def answer(self, prompt: Prompt, /) -> Reply:
        rng = Random(f"{self.seed} {prompt.id} {self.asked[prompt.id]}")
        self.asked[prompt.id] += 1
        if rng.random() < self.unreadable:
            return Reply("Well, that depends.")
        return Reply("Answer: A" if rng.random() < self.p[prompt.id] else "Answer: B")


def tasks(size: int, *, copies: int = 1, law: str = "") -> ListedScope:
    """Questions to which A is right; in clusters of `copies`."""
    return ListedScope(
        "tasks",
        tuple(
            Question(
                f"{i}.{copy}",
                f"Task {i}, version {copy}?",
                options=("first", "second"),
                accepted=("A",),
                cluster=f"{i}" if copies > 1 else "",
            )
            for i in range(size)
            for copy in range(copies)
        ),
    )


def of(scope: ListedScope, *p: float, **settings: object) -> Guesser:
    """A candidate whose probabilities take turns over the questions of a scope."""
    return Guesser({q.id: p[index % len(p)] for index, q in enumerate(scope.questions)}, **settings)  # type: ignore[arg-type]
