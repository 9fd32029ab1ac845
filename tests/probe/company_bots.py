"""Bots that answer from the documents of made-up companies, with eight planted ways to fail.

Four ways belong to a kind of question, or to one document's tables, and show when the question is asked alone. Four belong to
how a question is put, whatever it is about. Nothing is said to the search about which is which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.companies import companies
from tests.companies.policy import KINDS, PolicyFact
from tests.probe.planted import PlantedHolder, hashed
from vivavoce.probe.arms import Topic, topics_of
from vivavoce.probe.conversations import ConversationPlan
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

FIRST = ("rental-terms.md", "benefits-handbook.html", "warranty.docx")
MOST_OF_A_KIND = 150
"""A writer that is asked for kinds in turn runs out of new questions of some kinds, and of others writes so many."""


@dataclass(frozen=True, slots=True)
class PlantedMode:
    """A way to fail."""

    name: str
    rate: float
    """Share of the facts it applies to that are answered wrongly."""
    kind: str = ""
    """The kind of conversation that shows it; empty: any, also the question alone."""
    applies: Callable[[PolicyFact], bool] = lambda _: True

    def makes_wrong(self, fact: PolicyFact, kind: str, seed: int) -> bool:
        """Whether the reply about this fact is wrong in a conversation of this kind, or of several at once."""
        is_shown = not self.kind or self.kind in kind.split("+")
        return is_shown and self.applies(fact) and hashed(seed, fact.id, self.name) < self.rate


MODES = (
    PlantedMode("overlooks exceptions", 0.4, applies=lambda fact: fact.kind == "exception"),
    PlantedMode("invents what is not stated", 0.2, applies=lambda fact: fact.kind == "not answered here"),
    PlantedMode("miscalculates", 0.08, applies=lambda fact: fact.kind == "calculation"),
    PlantedMode("misreads one document's tables", 0.02, applies=lambda fact: fact.in_table and fact.document in FIRST),
    PlantedMode("gives in to doubt", 0.3, "sure"),
    PlantedMode("misreads capitals", 0.15, "capitals"),
    PlantedMode("forgets after two other questions", 0.05, "after-two"),
    PlantedMode("misreads typing errors", 0.03, "typos"),
)


@cache
def written_questions(number: int) -> tuple[ListedScope, Mapping[str, PolicyFact]]:
    """Questions about the documents of a company, by number, and their facts by id."""
    company = companies()[number]
    rng = np.random.default_rng(number)
    by_kind = [[fact for fact in company.facts if fact.kind == kind] for kind in KINDS]
    facts = [group[i] for group in by_kind for i in rng.permutation(len(group))[:MOST_OF_A_KIND]]
    scope = open_scope([fact.row for fact in facts])
    assert isinstance(scope, ListedScope)
    return scope, {fact.id: fact for fact in facts}


def company_topics(number: int, seed: int) -> tuple[Topic, ...]:
    """The questions by kind, half of each for the search."""
    return topics_of(written_questions(number)[0], search=1_000, fresh=1_000, seed=seed)


class CompanyHolder(PlantedHolder):
    """Fails in the planted ways (a `confirmation.Holder`)."""

    def __init__(self, number: int, seed: int, *, limit: int | None = None, modes: Sequence[PlantedMode] = MODES) -> None:
        super().__init__({}, seed, limit=limit)
        self._facts, self._modes = written_questions(number)[1], modes

    def is_faulty(self, plan: ConversationPlan) -> bool:
        """Whether the conversation fails."""
        return bool(self.shown_by(plan))

    def shown_by(self, plan: ConversationPlan) -> set[str]:
        """The planted ways that make it fail."""
        fact = self._facts[plan.question.id]
        return {mode.name for mode in self._modes if mode.makes_wrong(fact, plan.kind.name, self.seed)}


def planted_rate(number: int, topic: str, kind: str, modes: Sequence[PlantedMode] = MODES) -> float:
    """The probability that a conversation of this kind fails on a question of the topic that is not wrong alone."""
    facts = [fact for fact in written_questions(number)[1].values() if fact.kind == topic]
    right_alone = [np.prod([1 - m.rate for m in modes if not m.kind and m.applies(fact)]) for fact in facts]
    if kind == "plain":
        return float(1 - np.mean(right_alone))
    right = np.prod([1 - mode.rate for mode in modes if mode.kind == kind])
    return float(np.mean(right_alone) * (1 - right))
