"""Questions of a scope as subjects of variation: drawn as a certificate draws them, put and read by the scope's own rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

import numpy as np

from vivavoce.certificate.answer_laws import answer_law
from vivavoce.certificate.questions import Question, Unit
from vivavoce.consistency.invariance.clusters import Cluster, variations, vary
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.scope import Grade


class Varied(Protocol):
    """What must be known of a scope."""

    @property
    def population(self) -> int | None: ...

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]: ...

    def prompt(self, question: Question) -> Prompt: ...

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade: ...


@dataclass(frozen=True, slots=True)
class ScopeSubject:
    """A question of a scope that is varied (`consistency.invariance.clusters.Subject`)."""

    scope: Varied
    question: Question
    unit: int
    """The number of the draw that it came with."""

    @property
    def id(self) -> str:
        """The question's."""
        return self.question.id

    @property
    def wording(self) -> Wording:
        """As it stands in the scope."""
        return Wording(self.question.text, self.question.options)

    @property
    def free_text(self) -> bool:
        """Whether answers are texts, neither options nor numbers."""
        return not self.question.options and not self.question.numeric

    def prompt(self, wording: Wording, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
        """What the candidate is asked, as a certificate puts it; for the question as it is the very same prompt."""
        return self.scope.prompt(replace(self.question, id=id, text=wording.text, options=wording.options))

    def said(self, wording: Wording, answer: str) -> str:
        """Of an option its text in the question as it is; of a free answer that is right, the first of those accepted."""
        if self.question.options:
            place = self.question.letters.index(answer)
            return self.question.options[wording.original_place(place)]
        form = self.question.form
        if form is None or not self.question.accepted:
            return answer
        right = self.scope.grade(self.question, Reply(form.write(answer))).score == 1
        return self.question.accepted[0] if right else answer

    def differ(self, said: Sequence[str]) -> bool:
        """Whether these break the law `same`: numbers are compared as numbers, others as texts."""
        return bool(answer_law("same", len(said)).broken(said))


def subjects_of(scope: Varied, config: InvarianceConfig) -> list[ScopeSubject]:
    """The questions of the first units that the scope draws by the seed.

    Raises `BadInput` for a question whose answers nobody but a grader can compare.
    """
    return _subjects(scope, islice(scope.draw(np.random.default_rng(config.seed)), config.questions))


def population_of(scope: Varied, config: InvarianceConfig) -> int | None:
    """How many units of the scope can be varied, where each is drawn once and that can be told without a writer; else None."""
    if scope.population is None or any(one.kind.written for one in variations(config)):
        return None
    everything = vary(_subjects(scope, scope.draw(np.random.default_rng(config.seed))), config)
    return len({_unit(cluster) for cluster in everything if cluster.variants})


def _unit(cluster: Cluster) -> int:
    return cluster.subject.unit


def _subjects(scope: Varied, units: Iterator[Unit]) -> list[ScopeSubject]:
    found = [ScopeSubject(scope, question, number) for number, unit in enumerate(units) for question in unit]
    open_ended = next((one.question for one in found if one.question.open_ended), None)
    if open_ended is not None:
        raise BadInput(
            f"question '{open_ended.id[:80]}' is open-ended: answers that only a grader can judge cannot be compared"
        )
    return found
