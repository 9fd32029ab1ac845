"""The two kinds of scope: lists of questions, and endless generators of independent questions.

Listed questions are drawn without replacement if they all count the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes.answer_laws import LAW_SCORING
from vivavoce.scopes.question_checks import check_questions
from vivavoce.scopes.questions import Question, Unit, prompt
from vivavoce.scopes.rules import RULES
from vivavoce.scopes.score import SCORING, grade
from vivavoce.scopes.unit_laws import check_law


@dataclass(frozen=True, slots=True)
class EndlessScope:
    """Independent, identically distributed questions, or units of them."""

    name: str
    generator: str
    """Text with the generator, its version and its options; equal texts mean equal distributions."""
    generate: Callable[[np.random.Generator], Question]
    zero_is_unacceptable: bool = False
    masses: Mapping[str, float] | None = None
    """The probability of each category of question, where that is known."""
    listing: Callable[[], Iterable[tuple[Question, float]]] | None = None
    """All questions with weights proportional to their probabilities, if they are few enough to run a program on all."""
    together: Callable[[Question], Unit] | None = None
    """Makes the unit of a question, with a law over it; None: each question is its own unit, without a law."""

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the generator's words and the scoring rule."""
        return hashlib.sha256(f"{self.generator}\n{SCORING}\n{self.zero_is_unacceptable}".encode()).hexdigest()

    @property
    def can_be_unacceptable(self) -> bool:
        """True: generators know unacceptable answers to their questions."""
        return True

    @property
    def has_laws(self) -> bool:
        """Whether answers can break a law."""
        return self.together is not None

    @property
    def population(self) -> None:
        """None: draws are i.i.d."""

    @property
    def size(self) -> None:
        """None: there is no last question."""

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, forever."""
        while True:
            question = self.generate(rng)
            yield (question,) if self.together is None else self.together(question)

    def prompt(self, question: Question) -> Prompt:
        """The prompt for the candidate."""
        return prompt(question)

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """Score one answer."""
        return grade(question, answer, zero_is_unacceptable=self.zero_is_unacceptable)


_DRAWN_AT_ONCE = 1024


def units_of(questions: Sequence[Question]) -> tuple[Unit, ...]:
    """The units of a list of questions, in the order of their first questions."""
    clusters: dict[tuple[bool, str], list[Question]] = {}
    for question in questions:
        # a single question must not join a cluster that has its id as its name
        key = (True, question.cluster) if question.cluster else (False, question.id)
        clusters.setdefault(key, []).append(question)
    return tuple(tuple(members) for members in clusters.values())


@dataclass(frozen=True)
class ListedScope:
    """A list of questions in units: a cluster is a unit, and so is a question without a cluster.

    Where all questions have the same weight and all units the same size, units come in random order, each once. Otherwise
    draws are i.i.d., a unit's probability proportional to its total weight; the mean score of a unit, weighted by its
    questions' weights (`score.unit_mean`), then has the weighted mean score of all questions as its expectation.
    """

    name: str
    questions: tuple[Question, ...]
    """The questions, at least one. They are checked like those of a file (`question_checks`), including laws: `BadInput`."""
    zero_is_unacceptable: bool = False
    examples: tuple[Question, ...] = ()
    """Worked examples: a question gets those of its category, or else those without a category."""
    checked: bool = False
    """Whether to skip the checks: their reader has checked them, or others published them."""
    ignored: tuple[str, ...] = ()
    """Columns of the file that no question is made of."""
    notes: tuple[str, ...] = ()
    """Sentences on how the file was read, if needed."""
    parts: tuple[str, ...] = ()
    """Digests of its lists, if these were fixed together and are also examined separately."""

    def __post_init__(self) -> None:
        if not self.questions:
            raise BadInput("a scope needs at least one question")
        if not self.checked:
            check_questions(self.questions)
        if self.has_laws:
            for unit in self.units:
                check_law(unit)

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex of the questions in order, the worked examples and the scoring rule, without the name."""
        scoring = f"{SCORING}, {LAW_SCORING}" if self.has_laws else SCORING
        if any(question.rule for question in self.questions):
            scoring += f", {RULES}"
        # the digest, on which draws depend, has the paper's word
        named = [
            {name.replace("unacceptable", "ridiculous"): value for name, value in q.as_json().items()} for q in self.questions
        ]
        parts: list[Any] = [scoring, self.zero_is_unacceptable, named]
        if self.examples:
            parts.append([example.as_json() for example in self.examples])
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units, in the order of their first questions."""
        return units_of(self.questions)

    @cached_property
    def has_laws(self) -> bool:
        """Whether answers can break a law."""
        return any(question.law for question in self.questions)

    @cached_property
    def can_be_unacceptable(self) -> bool:
        """Whether any answer can be: a question lists or bounds such answers, has a law, or is graded."""
        return self.zero_is_unacceptable or self.has_laws or any(question.can_be_unacceptable for question in self.questions)

    @cached_property
    def by_id(self) -> Mapping[str, Question]:
        """Each question by its id."""
        return {question.id: question for question in self.questions}

    @property
    def size(self) -> int:
        """How many questions there are."""
        return len(self.questions)

    @property
    def population(self) -> int | None:
        """How many units there are if they are drawn without replacement, else None."""
        alike = len({question.weight for question in self.questions}) == 1 and len({len(unit) for unit in self.units}) == 1
        return len(self.units) if alike else None

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Each unit once in random order, or endless draws if weights or sizes differ."""
        units = self.units
        if self.population is not None:
            yield from (units[i] for i in rng.permutation(len(units)))
            return
        weights = [fsum(question.weight for question in unit) for unit in units]
        largest = max(weights)
        total = fsum(weight / largest for weight in weights)
        shares = [weight / largest / total for weight in weights]
        while True:
            yield from (units[i] for i in rng.choice(len(units), size=_DRAWN_AT_ONCE, p=shares))

    def prompt(self, question: Question) -> Prompt:
        """The prompt for the candidate."""
        return prompt(question, self._shown(question))

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """Score one answer."""
        return grade(question, answer, zero_is_unacceptable=self.zero_is_unacceptable, examples=self._shown(question))

    def _shown(self, question: Question) -> tuple[Question, ...]:
        by_category = self._examples_of
        return by_category.get(question.category) or by_category.get("", ())

    @cached_property
    def _examples_of(self) -> Mapping[str, tuple[Question, ...]]:
        categories = {example.category for example in self.examples}
        return {name: tuple(example for example in self.examples if example.category == name) for name in categories}


_OPTIONS = re.compile(r"\?(\w+=[^?]*)\Z")


def parted_options(name: str) -> tuple[str, str]:
    """A name with `?option=value&...` at its end, and what follows the "?"; a "?" elsewhere is part of the name.

    >>> parted_options("file:why?.jsonl?match=any&shots=2"), parted_options("mmlu:data#law")
    (('file:why?.jsonl', 'match=any&shots=2'), ('mmlu:data#law', ''))
    """
    match = _OPTIONS.search(name)
    return (name[: match.start()], match[1]) if match else (name, "")


def by_category(scopes: Sequence[EndlessScope | ListedScope]) -> tuple[ListedScope, ...]:
    """One scope for each category of these, in the order in which the categories first occur.

    Each is named SCOPE#CATEGORY, as files that are published by category can be opened on their own. Raises `BadInput` for an
    endless scope, for questions without a category, and for a single category.
    """
    parts: list[ListedScope] = []
    for scope in scopes:
        if not isinstance(scope, ListedScope):
            raise BadInput(f"'{scope.name}' is endless and has no categories: name its parts as scopes, one --scope each")
        if without := sum(not question.category for question in scope.questions):
            raise BadInput(f"'{scope.name}' has {without} questions without a category: give each question one")
        groups: dict[str, list[Question]] = {}
        for question in scope.questions:
            groups.setdefault(question.category, []).append(question)
        if len(groups) == 1:
            raise BadInput(f"'{scope.name}' has one category only, '{next(iter(groups))}': leave out --split-by category")
        where, options = parted_options(scope.name)
        for name, of in groups.items():
            shown = tuple(example for example in scope.examples if example.category == name) or scope.examples
            named = f"{where}#{name}{options and '?'}{options}"
            parts.append(replace(scope, name=named, questions=tuple(of), examples=shown))
    return tuple(parts)
