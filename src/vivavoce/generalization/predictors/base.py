"""What every predictor of belief change is, and how one is kept in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair


class Predictor(Protocol):
    """Gives each pair the chance that the belief changes; made by fitting, or from a folder where it was saved."""

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """The chance, one a pair, strictly between 0 and 1; uses neither labels nor `pred` of the pairs."""
        ...

    def save(self, folder: Path) -> None:
        """Write all that `predict` needs into a folder that is there, as JSON, text or safetensors: never a pickle."""
        ...
