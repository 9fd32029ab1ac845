"""The training loop for neural predictors, and its progress."""

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
from vivavoce.generalization.predictors.predictor_settings import Training

TOGETHER: Final = 8
"""Pairs in one forward pass."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """The progress of training.

    >>> TrainingProgress(done=10, total=50, seconds=20.0).seconds_left
    80.0
    """

    done: int
    """Finished batches, over all members of an ensemble."""
    total: int
    seconds: float
    """Since the start of training."""

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the speed so far; None before the first step."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None


OnStep = Callable[[TrainingProgress], None]


def steps_of(training: Training, pairs: int) -> int:
    """Number of batches in all epochs."""
    return training.epochs * ceil(pairs / training.batch)


class Stopwatch:
    """Counts the steps of all members of an ensemble, and reports each."""

    def __init__(self, total: int, on_step: OnStep | None) -> None:
        self._total = total
        self._on_step = on_step
        self._done = 0
        self._began = time.monotonic()

    def step(self) -> None:
        """Count a finished step."""
        self._done += 1
        if self._on_step is not None:
            self._on_step(TrainingProgress(self._done, self._total, time.monotonic() - self._began))


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Training pairs as one network reads them, with their labels."""

    lengths: Sequence[int]
    """Tokens of each pair."""
    labels: Floats
    """1 for a changed belief, 0 for an unchanged one, or a teacher's chance."""
    weights: Floats
    logs: Callable[[list[int]], tuple[Any, Any]]
    """The network's log-probabilities of no change and of a change for the pairs at these indices, as torch tensors."""


def train(model: Any, examples: TrainingPairs, *, training: Training, seed: int, watch: Stopwatch) -> None:
    """Fine-tune the model in place with Adam (`kingma2015`) on the weighted cross-entropy, in an order drawn from the seed.

    Pairs of similar length in a batch share a forward pass, which affects only time and memory.

    Departure: papers on such models warm up the learning rate and let it decay. `vafa2024` mentions neither, and it is constant
    here. Raises `BadInput` if training diverges.
    """
    torch = needed("torch")
    labels, weights = (
        torch.tensor(each, dtype=torch.float32, device=training.device) for each in (examples.labels, examples.weights)
    )
    optimizer = torch.optim.Adam([weight for weight in model.parameters() if weight.requires_grad], lr=training.learning_rate)
    order = np.random.default_rng(seed)
    model.train()
    for _ in range(training.epochs):
        places = order.permutation(len(examples.lengths))
        for start in range(0, len(places), training.batch):
            batch = places[start : start + training.batch]
            optimizer.zero_grad()
            for part in by_length([examples.lengths[example] for example in batch], TOGETHER):
                indices = [int(batch[index]) for index in part]
                same, changed = examples.logs(indices)
                losses = -weights[indices] * (labels[indices] * changed + (1 - labels[indices]) * same)
                value = losses.sum() / len(batch)
                if not bool(torch.isfinite(value)):
                    raise BadInput(f"training diverged at a learning rate of {training.learning_rate:g}: use a smaller one")
                value.backward()
            optimizer.step()
            watch.step()
    model.eval()
