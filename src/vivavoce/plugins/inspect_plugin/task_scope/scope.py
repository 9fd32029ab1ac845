"""The samples of a task as a scope: each is drawn once, and what its scorer gave is the score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vivavoce.formats.logged import score_of
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class TaskScope:
    """Samples of a task, each of which counts the same, and comes once, in random order. Scores travel with replies."""

    name: str
    """As written on the command line."""
    version: str
    """What tells this task from any other and from an earlier version of itself: code, arguments, scorer, roles."""
    questions: tuple[Question, ...]
    """One for each sample, in the dataset's order. Its text says which version of which sample it is."""
    zero_is_ridiculous: bool = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex of the version and of the samples' texts and targets in the order of their ids."""
        samples = sorted([question.id, question.text, *question.accepted] for question in self.questions)
        strict = ["zero is ridiculous"] if self.zero_is_ridiculous else []
        return hashlib.sha256(json.dumps(["task of Inspect 1", self.version, samples, *strict]).encode()).hexdigest()

    @property
    def units(self) -> tuple[Unit, ...]:
        """Each sample by itself, in the dataset's order."""
        return tuple((question,) for question in self.questions)

    @property
    def size(self) -> int:
        """How many samples there are."""
        return len(self.questions)

    @property
    def population(self) -> int:
        """How many units there are."""
        return len(self.questions)

    @property
    def can_be_ridiculous(self) -> bool:
        """Only where a score of 0 is."""
        return self.zero_is_ridiculous

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Each sample once, in random order."""
        units = self.units
        yield from (units[place] for place in rng.permutation(len(units)))

    def prompt(self, question: Question) -> Prompt:
        """The recorded text of the question; the task's solver asks it."""
        return Prompt(question.text, id=question.id)

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """The score that the task's scorer gave; anything in [0, 1] where it gave none."""
        score = None if isinstance(answer, NoAnswer) else score_of(answer.text)
        if score is None:
            return Grade(0.0, False, Outcome.UNREADABLE, upper=1.0, maybe_ridiculous=self.zero_is_ridiculous)
        return Grade(score, self.zero_is_ridiculous and score == 0)
