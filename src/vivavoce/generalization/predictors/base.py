"""@@@
What every predictor of belief change is, and what it is fitted to.
---
The embedder of a predictor: opened by its name, fitted where it must be, and kept beside the predictor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from vivavoce.embeddings.embedding import Embedder, Lsa, open_embedder
from vivavoce.embeddings.files import read_json, write_json
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.wording import counted
from vivavoce.generalization.pairs import Floats, Pair

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


def check_labels(pairs: Sequence[Pair], labels: Floats, teachers: Sequence[Pair]) -> None:
    """Refuse labels of one kind alone where there is no teacher (`NotEnoughEvidence`), and one without `pred` (`BadInput`)."""
    if not teachers and len(set(labels.tolist())) < 2:
        which = (
            f"the belief changed in {'all' if labels[0] else 'none'}" if labels.size else "none says whether the belief changed"
        )
        raise NotEnoughEvidence(
            f"{counted(len(pairs), 'pair')}: {which}; give pairs with a change and pairs without in 'belief_change', or a "
            "teacher's"
        )
    if any(pair.pred is None for pair in teachers):
        raise BadInput("a teacher's pair has no 'pred', the chance of a change that the teacher gives it")


ABOUT_FILE: Final = "embedder.json"


def opened_embedder(name: str, questions: Sequence[str], *, dimensions: int, seed: int) -> Embedder:
    """The embedder of that name; `lsa` is fitted on these questions. Raises what `open_embedder` raises."""
    embedder = open_embedder(name)
    return embedder.fitted(questions, dimensions=dimensions, seed=seed) if isinstance(embedder, Lsa) else embedder


def save_embedder(embedder: Embedder, folder: Path) -> None:
    """Keep its name, which has the digest of a network's weights, and of `lsa` all that it knows."""
    write_json(folder / ABOUT_FILE, {"embedder": embedder.name})
    if isinstance(embedder, Lsa):
        embedder.save(folder)


def load_embedder(folder: Path) -> Embedder:
    """What was kept there; raises `BadFile`, also for a network that is not named with its digest."""
    about = folder / ABOUT_FILE
    name = read_json(about).get("embedder")
    if not isinstance(name, str):
        raise BadFile(about, "does not name its embedder: fit the predictor again")
    if name != "lsa" and "?weights=" not in name:
        raise BadFile(about, "it does not say by its digest which model it embeds with")
    return Lsa.load(folder) if name == "lsa" else open_embedder(name)


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """One row a text. Raises `BadInput` for an embedder that gives something else than a vector of finite numbers for each."""
    vectors = embedder.embed(texts)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise BadInput(f"the embedder {embedder.name} gave no vector of finite numbers for some question: take another")
    return vectors
