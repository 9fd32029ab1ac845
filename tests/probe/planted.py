"""A stub that fails in planted ways: conversations are never held, and their outcomes come from a generator."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.probe.conversations import Conversation, ConversationPlan, HeldTurn
from vivavoce.probe.topics import Topic
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


class PlantedHolder:
    """Fails on a share of the questions of a topic and kind (a `search.Holder`).

    recurs: how often a question that fails does so again.
    """

    def __init__(self, faults: Faults, seed: int, *, limit: int | None = None, recurs: float = 0.9) -> None:
        self._faults, self._seed, self._limit, self._recurs = faults, seed, limit, recurs
        self._rng = np.random.default_rng([seed, 77])
        self._asked: set[str] = set()
        self.calls = 0
        self.ended = False

    @property
    def full(self) -> bool:
        return self.ended or (self._limit is not None and self.calls >= self._limit)

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]:
        held: list[Conversation | None] = []
        for plan in plans:
            if self.full:
                self.ended = True
                held.append(None)
                continue
            self.calls += self._cost(plan, again=again)
            fails = self._is_faulty(plan) and (not again or self._rng.random() < self._recurs)
            turn = HeldTurn(Prompt(plan.question.text), Reply("Answer: B" if fails else "Answer: A"))
            held.append(Conversation(plan, (turn,) * len(plan.turns), fails))
        return held

    def _cost(self, plan: ConversationPlan, *, again: bool) -> int:
        """Turns, without a first one that was asked before."""
        if again:
            return len(plan.turns)
        known = 0
        for index, turn in enumerate(plan.turns):
            name = turn.question.id if index == 0 and turn.question.text == plan.question.text else f"{plan}"
            known += index == 0 and name in self._asked
            self._asked.add(name)
        return len(plan.turns) - known

    def _is_faulty(self, plan: ConversationPlan) -> bool:
        share = self._faults.get((plan.topic, plan.kind.name), 0.0)
        digest = hashlib.sha256(f"{self._seed}/{plan.question.id}/{plan.kind.name}".encode()).digest()
        return int.from_bytes(digest[:6]) / 2**48 < share
