"""Fine-tuning of a network: its loop, and how far it has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.neural import by_length, needed
from vivavoce.errors import BadInput
from vivavoce.generalization.pairs import Floats
from vivavoce.generalization.predictors.registry import Training

TOGETHER: Final = 8
"""Pairs that go through the network at once."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far training has come.

    >>> TrainingProgress(done=10, total=50, seconds=20.0).seconds_left
    80.0
    """

    done: int
    """Batches, of all members of an ensemble together."""
    total: int
    seconds: float
    """Since the first."""

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None before the first step."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None


OnStep = Callable[[TrainingProgress], None]


def steps_of(training: Training, pairs: int) -> int:
    """Batches in all epochs."""
    return training.epochs * ceil(pairs / training.batch)


class Stopwatch:
    """Counts the steps of all members of an ensemble together, and tells each."""

    def __init__(self, total: int, on_step: OnStep | None) -> None:
        self._total = total
        self._on_step = on_step
        self._done = 0
        self._began = time.monotonic()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._on_step is not None:
            self._on_step(TrainingProgress(self._done, self._total, time.monotonic() - self._began))


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Pairs as one network reads them, and what people, or a teacher, said about each."""

    lengths: Sequence[int]
    """Tokens of each pair."""
    labels: Floats
    """1 where the belief changed, 0 where it stayed, or a teacher's chance."""
    weights: Floats
    logs: Callable[[list[int]], tuple[Any, Any]]
    """The network's log-probabilities that it stayed, and that it changed, for the pairs at these places: numbers of torch."""


def train(model: Any, lesson: TrainingPairs, *, training: Training, seed: int, watch: Stopwatch) -> None:
    """Fine-tune the model in place by Adam (`kingma2015`) on the weighted cross-entropy, in an order that the seed gives.

    Pairs of a batch that are of like length go through the network together, which alters nothing but time and memory.

    Departure: the papers on such models warm the learning rate up and let it fall; `vafa2024` speaks of neither, and here it is
    constant. Raises `BadInput` where training runs away.
    """
    torch = needed("torch")
    labels, weights = (
        torch.tensor(each, dtype=torch.float32, device=training.device) for each in (lesson.labels, lesson.weights)
    )
    optimizer = torch.optim.Adam([weight for weight in model.parameters() if weight.requires_grad], lr=training.learning_rate)
    order = np.random.default_rng(seed)
    model.train()
    for _ in range(training.epochs):
        places = order.permutation(len(lesson.lengths))
        for start in range(0, len(places), training.batch):
            batch = places[start : start + training.batch]
            optimizer.zero_grad()
            for part in by_length([lesson.lengths[place] for place in batch], TOGETHER):
                here = [int(batch[one]) for one in part]
                same, changed = lesson.logs(here)
                losses = -weights[here] * (labels[here] * changed + (1 - labels[here]) * same)
                value = losses.sum() / len(batch)
                if not bool(torch.isfinite(value)):
                    raise BadInput(f"training ran away at a learning rate of {training.learning_rate:g}: take a smaller one")
                value.backward()
            optimizer.step()
            watch.step()
    model.eval()
