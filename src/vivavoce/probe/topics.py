"""Questions by topic: some for the search, and others that only the test of common failures may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.questions import Question, Unit

LOOKED_AT: Final = 400
"""Units of an endless scope in which its topics are looked for."""
_MOST_DRAWS: Final = 50_000
NO_TOPIC: Final = "all questions"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with its questions, each part in random order. No unit of the scope is in both."""

    name: str
    search: tuple[Question, ...]
    fresh: tuple[Question, ...]


@dataclass(slots=True)
class _Parts:
    search: list[Question] = field(default_factory=list)
    fresh: list[Question] = field(default_factory=list)


def topics_of(scope: EndlessScope | ListedScope, *, search: int, fresh: int, seed: int) -> tuple[Topic, ...]:
    """The topics of a scope, which are the categories of its questions, in alphabetical order.

    search, fresh: most questions of each topic for the search, where the scope is endless, and for new questions. One question
    of each unit is used. Half of a topic's listed questions are for the search, at least one. Questions that are
    drawn by weight count the same here. Raises `BadInput` if no question can be graded by a rule or a judge.

    >>> from vivavoce.scopes import open_scope
    >>> rows = [{"question": f"{n} + 1?", "answer": str(n + 1), "category": "sums"} for n in range(5)]
    >>> [(topic.name, len(topic.search), len(topic.fresh)) for topic in topics_of(open_scope(rows), search=9, fresh=9, seed=0)]
    [('sums', 3, 2)]
    """
    rng = np.random.default_rng([seed, 1])
    if isinstance(scope, ListedScope):
        parts = _halved((scope.units[i] for i in rng.permutation(len(scope.units))), rng)
    else:
        parts = _drawn(scope, rng, search, fresh)
    topics = tuple(Topic(name, tuple(part.search), tuple(part.fresh[:fresh])) for name, part in sorted(parts.items()))
    if not topics:
        raise BadInput(f"'{scope.name[:120]}' has no question with a known right answer")
    return topics


def _one(unit: Unit, rng: np.random.Generator) -> Question | None:
    """A question of the unit whose answers can be right or wrong by themselves."""
    usable = [question for question in unit if not question.judged_by_law]
    return usable[int(rng.integers(len(usable)))] if usable else None


def _halved(units: Iterable[Unit], rng: np.random.Generator) -> Mapping[str, _Parts]:
    parts: dict[str, _Parts] = {}
    for question in filter(None, (_one(unit, rng) for unit in units)):
        part = parts.setdefault(question.category or NO_TOPIC, _Parts())
        (part.search if len(part.search) <= len(part.fresh) else part.fresh).append(question)
    return parts


def _drawn(scope: EndlessScope, rng: np.random.Generator, search: int, fresh: int) -> Mapping[str, _Parts]:
    """Questions for all topics of the first units, each text once, in turn for the search and for new questions."""
    parts: dict[str, _Parts] = {}
    seen: set[str] = set()
    for number, unit in enumerate(islice(scope.draw(rng), _MOST_DRAWS)):
        question = _one(unit, rng)
        if question is None or question.text in seen:
            continue
        name = question.category or NO_TOPIC
        if number >= LOOKED_AT and name not in parts:
            continue
        part = parts.setdefault(name, _Parts())
        is_new = len(part.fresh) < min(fresh, len(part.search))
        if is_new or len(part.search) < search:
            (part.fresh if is_new else part.search).append(question)
            seen.add(question.text)
        if number > LOOKED_AT and all(len(p.search) == search and len(p.fresh) >= fresh for p in parts.values()):
            break
    return parts
