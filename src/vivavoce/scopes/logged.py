"""Samples of another program as a scope: those that several logs share, or those of a task to run.

Each is drawn once, and has the score of its log or task.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.formats.records import Log, LoggedAnswer, score_of
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit


@dataclass(frozen=True)
class SampleScope:
    """Samples of a task, which all count the same, each once in random order. Scores travel with replies."""

    name: str
    units: tuple[Unit, ...]
    """One unit for each sample."""
    zero_is_unacceptable: bool = field(default=False, kw_only=True)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """All questions."""
        return tuple(question for unit in self.units for question in unit)

    @property
    def size(self) -> int:
        """Number of questions."""
        return len(self.questions)

    @property
    def population(self) -> int:
        """Number of samples."""
        return len(self.units)

    @property
    def can_be_unacceptable(self) -> bool:
        """Whether a score of 0 is unacceptable."""
        return self.zero_is_unacceptable

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Each unit once, in random order."""
        yield from (self.units[index] for index in rng.permutation(len(self.units)))

    def prompt(self, question: Question) -> Prompt:
        """The recorded text of the question; a task's solver asks it."""
        return Prompt(question.text, id=question.id)

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """The score in the reply; without one, anything in [0, 1]."""
        score = None if isinstance(answer, NoAnswer) else score_of(answer.text)
        if score is None:
            return Grade(0.0, False, Outcome.UNREADABLE, upper=1.0, maybe_unacceptable=self.zero_is_unacceptable)
        return Grade(score, self.zero_is_unacceptable and score == 0)


@dataclass(frozen=True)
class LoggedScope(SampleScope):
    """Samples of logs. A unit is one sample with all of its epochs, and its score is their mean.

    Epochs are no evidence about further samples.
    """

    scorer: str
    left_out: int
    """Samples that some log lacks, or has with another input or target."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex of samples, epochs, inputs and targets in the order of their ids, and of the scorer's name."""
        parts = [[question.id, question.text, *question.accepted] for question in self.questions]
        return hashlib.sha256(json.dumps(["samples of logs 1", self.scorer, parts]).encode()).hexdigest()


@dataclass(frozen=True)
class TaskScope(SampleScope):
    """Samples of a task, in the dataset's order. The text of a question identifies the sample and its version."""

    version: str
    """Identifies this version of this task: code, arguments, scorer, roles."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex of the version and of the samples' texts and targets in the order of their ids."""
        samples = sorted([question.id, question.text, *question.accepted] for question in self.questions)
        strict = ["zero is unacceptable"] if self.zero_is_unacceptable else []
        return hashlib.sha256(json.dumps(["task of Inspect 1", self.version, samples, *strict]).encode()).hexdigest()


def samples_in_common(logs: Sequence[Log], *, by_draw: bool = False) -> tuple[LoggedScope, Mapping[tuple[str, int], str]]:
    """The samples that all logs have in common, and for each sample and epoch the id of its question.

    A sample is matched by its id, and must have the same input and target in all logs; only epochs that all logs have count.

    by_draw: each sample is one question, and the epochs of a log are its draws, in any number.

    Raises `BadInput` for logs of different scorers, and for none in common.
    """
    scorers = {log.scorer: log.file for log in logs}
    if len(scorers) > 1:
        (name, here), (other, there), *_ = scorers.items()
        raise BadInput(f"{here} is scored by '{name}' and {there} by '{other}': scores of different scorers cannot be compared")
    by_log = [_by_sample(log) for log in logs]
    every = dict.fromkeys(sample for samples in by_log for sample in samples)
    common = [sample for sample in every if _same([samples.get(sample) for samples in by_log])]
    if not common:
        same_id = sum(all(sample in samples for samples in by_log) for sample in every)
        why = f": {same_id} have the same id, and another input or target" if same_id else ": their ids are others"
        raise BadInput(f"{' and '.join(log.file for log in logs)} have no sample in common{why}")
    ids: dict[tuple[str, int], str] = {}
    units: list[Unit] = []
    for sample in sorted(common):
        epochs = sorted(set.intersection(*(set(samples[sample]) for samples in by_log)))
        first = by_log[0][sample]
        if by_draw:
            ids |= {(sample, epoch): sample for samples in by_log for epoch in samples[sample]}
            units.append((_question(first[epochs[0]], sample, several=False),))
            continue
        ids |= {(sample, epoch): sample if epochs == [1] else f"{sample} (epoch {epoch})" for epoch in epochs}
        units.append(tuple(_question(first[epoch], ids[sample, epoch], several=len(epochs) > 1) for epoch in epochs))
    if not by_draw and len(set(ids.values())) < len(ids):
        raise BadInput(f"samples of {logs[0].file} have ids that end like those of epochs: rename them")
    tasks = "+".join(dict.fromkeys(log.task.rpartition("/")[2] for log in logs))
    return LoggedScope(f"samples of {tasks}", tuple(units), logs[0].scorer, len(every) - len(common)), ids


def _by_sample(log: Log) -> dict[str, dict[int, LoggedAnswer]]:
    by_sample: defaultdict[str, dict[int, LoggedAnswer]] = defaultdict(dict)
    for answer in log.answers:
        by_sample[answer.sample][answer.epoch] = answer
    return dict(by_sample)


def _same(epochs: Sequence[Mapping[int, LoggedAnswer] | None]) -> bool:
    """Whether all have the sample, in an epoch that all have, with one input and one target."""
    there = [epoch for epoch in epochs if epoch is not None]
    if len(there) < len(epochs) or not set.intersection(*map(set, there)):
        return False
    return len({(answer.asked, answer.target) for epoch in there for answer in epoch.values()}) == 1


def _question(answer: LoggedAnswer, id_: str, *, several: bool) -> Question:
    return Question(id_, answer.asked, accepted=(answer.target,), cluster=answer.sample if several else "")
