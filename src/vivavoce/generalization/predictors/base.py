"""What every predictor of belief change is, and what it is fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair

EDGE: Final = 1e-6
"""Chances keep this distance from 0 and 1."""


class Predictor(Protocol):
    """Gives each pair the chance that the belief changes; made by fitting, or from a folder where it was saved."""

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """The chance, one a pair, strictly between 0 and 1; uses neither labels nor `pred` of the pairs."""
        ...

    def save(self, folder: Path) -> None:
        """Write all that `predict` needs into a folder that is there, as JSON, text or safetensors: never a pickle."""
        ...


def labels_of(pairs: Sequence[Pair], teachers: Sequence[Pair]) -> tuple[list[Pair], Floats, Floats]:
    """All pairs that tell something, what they tell (0, 1 or a teacher's chance), and weights with mean 1.

    Labelled pairs are weighed by their `weight`; a teacher's pair counts as one. Raises `NotEnoughEvidence` where none is left.
    """
    told = [pair for pair in pairs if pair.changed is not None and pair.weight > 0]
    taught = [pair for pair in teachers if pair.pred is not None]
    if not told and not taught:
        raise NotEnoughEvidence("no pair says whether the belief changed; a predictor needs at least 1, in 'belief_change'")
    labels = [float(bool(pair.changed)) for pair in told] + [float(pair.pred or 0.0) for pair in taught]
    mean = float(np.mean([pair.weight for pair in told])) if told else 1.0
    weights = [pair.weight / mean for pair in told] + [1.0] * len(taught)
    return told + taught, np.array(labels, dtype=float), np.array(weights, dtype=float)
