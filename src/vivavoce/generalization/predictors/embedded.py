"""The embedder of a predictor: opened by its name, fitted where it must be, and kept beside the predictor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.embeddings.embedding import Embedder, Lsa, open_embedder
from vivavoce.embeddings.files import read_json, write_json
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.beliefs import Floats

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
