"""The common parts of all predictors of belief change: protocol, training labels and embedders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np

from vivavoce.embeddings.embedding import Embedder, Lsa, open_embedder, read_json, write_json
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.wording import counted
from vivavoce.generalization.pairs import BeliefPair, Floats

EDGE: Final = 1e-6
"""The least distance of a chance from 0 and 1."""


class Predictor(Protocol):
    """Predicts for each pair the chance that the belief changes; made by fitting, or opened from a folder."""

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """One chance per pair, strictly between 0 and 1; ignores labels and `pred` of the pairs."""
        ...

    def save(self, folder: Path) -> None:
        """Write everything that `predict` needs into an existing folder, as JSON, text or safetensors, never as a pickle."""
        ...


@runtime_checkable
class UncertainPredictor(Predictor, Protocol):
    """A predictor that knows how far its chances may be off."""

    def drawn(self, pairs: Sequence[BeliefPair], number: int, *, rng: np.random.Generator) -> Floats:
        """Chances by other fits that the labels allow, [number, pairs]."""
        ...


def labels_of(pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair]) -> tuple[list[BeliefPair], Floats, Floats]:
    """The pairs with a label, their labels (0, 1 or a teacher's chance), and weights with mean 1.

    Labelled pairs count by their `weight`, and a teacher's pair counts as one. Raises `NotEnoughEvidence` without any.
    """
    labelled = [pair for pair in pairs if pair.changed is not None and pair.weight > 0]
    taught = [pair for pair in teachers if pair.pred is not None]
    if not labelled and not taught:
        raise NotEnoughEvidence("no pair has a change of belief: give at least one, in 'belief_change'")
    labels = [float(bool(pair.changed)) for pair in labelled] + [float(pair.pred or 0.0) for pair in taught]
    mean = float(np.mean([pair.weight for pair in labelled])) if labelled else 1.0
    weights = [pair.weight / mean for pair in labelled] + [1.0] * len(taught)
    return labelled + taught, np.array(labels, dtype=float), np.array(weights, dtype=float)


def check_labels(pairs: Sequence[BeliefPair], labels: Floats, teachers: Sequence[BeliefPair]) -> None:
    """Reject labels of one kind without a teacher (`NotEnoughEvidence`), and a teacher's pair without `pred` (`BadInput`)."""
    if not teachers and len(set(labels.tolist())) < 2:
        which = (
            f"the belief changed in {'all' if labels[0] else 'none'}" if labels.size else "none says whether the belief changed"
        )
        raise NotEnoughEvidence(
            f"{counted(len(pairs), 'pair')}: {which}; give pairs with a change and pairs without in 'belief_change', or a "
            "teacher's"
        )
    if any(pair.pred is None for pair in teachers):
        raise BadInput("a teacher's pair has no 'pred': write the chance of a change that the teacher predicts")


ABOUT_FILE: Final = "embedder.json"


def opened_embedder(name: str, questions: Sequence[str], *, dimensions: int, seed: int) -> Embedder:
    """The embedder with this name; `lsa` is fitted to these questions. Raises the same as `open_embedder`."""
    embedder = open_embedder(name)
    return embedder.fitted(questions, dimensions=dimensions, seed=seed) if isinstance(embedder, Lsa) else embedder


def save_embedder(embedder: Embedder, folder: Path) -> None:
    """Save its name, which contains the digest of a network's weights, and for `lsa` its contents."""
    write_json(folder / ABOUT_FILE, {"embedder": embedder.name})
    if isinstance(embedder, Lsa):
        embedder.save(folder)


def load_embedder(folder: Path) -> Embedder:
    """Open a saved embedder. Raises `BadFile`, also for a network without a digest in its name."""
    about = folder / ABOUT_FILE
    name = read_json(about).get("embedder")
    if not isinstance(name, str):
        raise BadFile(about, "does not name its embedder: fit the predictor again")
    if name != "lsa" and "?weights=" not in name:
        raise BadFile(about, "does not give the digest of its embedding model: fit the predictor again")
    return Lsa.load(folder) if name == "lsa" else open_embedder(name)


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """One row per text. Raises `BadInput` for an embedder that does not return a vector of finite numbers for each."""
    vectors = embedder.embed(texts)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise BadInput(f"the embedder {embedder.name} returned no vector of finite numbers for some question: use another")
    return vectors
