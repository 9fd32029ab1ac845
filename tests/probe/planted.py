"""A stub that fails in planted ways: conversations are never held, and their outcomes come from a generator."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.probe.arms import Topic
from vivavoce.probe.conversations import Conversation, ConversationPlan, HeldTurn
from vivavoce.scopes.questions import Question

Faults = Mapping[tuple[str, str], float]
"""Share of questions on which a conversation fails, by topic and kind."""


def topics(number: int, size: int) -> tuple[Topic, ...]:
    """Topics with so many questions for the search, and as many new ones."""
    made = []
    for name in (f"topic {index}" for index in range(number)):
        questions = [Question(f"{name}/{i}", f"What is {i} of {name}?", ("yes it is", "no"), ("A",)) for i in range(2 * size)]
        made.append(Topic(name, tuple(questions[:size]), tuple(questions[size:])))
    return tuple(made)


def hashed(*parts: object) -> float:
    """A number between 0 and 1 that depends on these values alone."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, parts)).encode()).digest()[:6]) / 2**48


class PlantedHolder:
    """Fails on a share of the questions of a topic and kind (a `confirmation.Holder`).

    recurs: how often a question that fails does so again.
    """

    def __init__(self, faults: Faults, seed: int, *, limit: int | None = None, recurs: float = 0.9) -> None:
        self._faults, self._limit, self._recurs = faults, limit, recurs
        self.seed = seed
        self._rng = np.random.default_rng([seed, 77])
        self._asked: set[object] = set()
        self.calls = 0
        self.ended = False

    @property
    def full(self) -> bool:
        return self.ended or (self._limit is not None and self.calls >= self._limit)

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]:
        held: list[Conversation | None] = []
        for plan in plans:
            cost = len(plan.turns) if again else self._new_prompts(plan)
            if self._limit is not None and self.calls + cost > self._limit:
                self.ended = True
                held.append(None)
                continue
            self.calls += cost
            fails = self.is_faulty(plan) and (not again or self._rng.random() < self._recurs)
            turn = HeldTurn(Prompt(plan.question.text), Reply("Answer: B" if fails else "Answer: A"))
            held.append(Conversation(plan, (turn,) * len(plan.turns), fails))
        return held

    def _new_prompts(self, plan: ConversationPlan) -> int:
        """Turns that were not asked before; only first turns are shared by conversations of several kinds."""
        words = [(turn.question.id, turn.question.text, turn.text) for turn in plan.turns]
        prompts = {words[0], *((plan.kind.name, *words[:end]) for end in range(2, len(words) + 1))}
        new = prompts - self._asked
        self._asked |= new
        return len(new)

    def is_faulty(self, plan: ConversationPlan) -> bool:
        """Whether a conversation fails; one of several kinds at once does if one of them does."""
        shares = {kind: self._faults.get((plan.topic, kind), 0.0) for kind in plan.kind.name.split("+")}
        return any(share and hashed(self.seed, plan.question.id, kind) < share for kind, share in shares.items())
