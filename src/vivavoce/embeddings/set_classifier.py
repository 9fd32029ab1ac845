"""A classifier of several texts at once, such as the facts of a case: each text is embedded separately, with attention over
texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.attention import AttentionHead
from vivavoce.embeddings.embedding import Embedder, Lsa, open_embedder
from vivavoce.embeddings.files import (
    Floats,
    check_replaceable_folder,
    read_array,
    read_json,
    replace_folder,
    write_array,
    write_json,
)
from vivavoce.errors import BadFile

FORMAT: Final = 1
FILE: Final = "classifier.json"
"""The file that every classifier's folder has."""
_LSA: Final = "lsa"
_ARRAYS: Final = (("inner", 2), ("shift", 1), ("query", 1), ("weights", 1), ("bias", 1))


@dataclass(frozen=True, slots=True, eq=False)
class SetClassifier:
    """A frozen embedder, and a head that was trained on it."""

    embedder: Embedder
    head: AttentionHead
    about: Mapping[str, Any] = field(default_factory=dict)
    """How it was trained, as JSON values."""

    def probability(self, texts: Sequence[str]) -> float:
        """The probability of a yes."""
        return self.head.probability(self.vectors(texts))

    def attention(self, texts: Sequence[str]) -> Floats:
        """The weight of each text; weights sum to 1."""
        return self.head.attention(self.vectors(texts))

    def vectors(self, texts: Sequence[str]) -> Floats:
        """One row for each text."""
        return self.embedder.embed(texts)


def save_classifier(folder: Path, classifier: SetClassifier) -> None:
    """Save a classifier in a folder and replace an existing one: JSON and plain arrays, no pickle.

    After any error, the folder holds either the old or the new classifier.

    Raises `BadInput` for a folder that holds anything else, and `BadFile` for one that cannot be written.
    """
    check_replaceable(folder)
    replace_folder(folder, lambda new: _write(new, classifier))


def check_replaceable(folder: Path) -> None:
    """Raise `BadInput` for a place where no classifier can be saved, or only by losing something else."""
    check_replaceable_folder(folder, "classifier", lambda path: (path / FILE).is_file())


def open_classifier_folder(folder: Path) -> SetClassifier:
    """Load the classifier in a folder, without running code or unpickling.

    Raises `BadFile` for a folder without a classifier, and the errors of `open_embedder` for its embedder.
    """
    file = folder / FILE
    if not file.is_file():
        raise BadFile(folder, f"not a classifier (it has no {FILE}): 'viva consistency cases train' makes one")
    kept = read_json(file)
    if kept.get("format") != FORMAT:
        raise BadFile(file, f"format {str(kept.get('format'))[:20]}; this version reads format {FORMAT}: train it again")
    name, about = kept.get("embedder"), kept.get("about", {})
    if not isinstance(name, str) or not isinstance(about, dict):
        raise BadFile(file, "does not name the embedder of its texts: train it again")
    if name != _LSA and "?weights=" not in name:  # an untrusted file must not cause a download
        raise BadFile(file, f"names the embedder {name[:80]!r} without the digest of its weights: train it again")
    inner, shift, query, weights, bias = (read_array(folder / f"{part}.npy", dimensions) for part, dimensions in _ARRAYS)
    if inner.shape != (shift.size, weights.size) or query.size != shift.size or bias.size != 1:
        raise BadFile(file, "its arrays do not fit together: train it again")
    embedder: Embedder = Lsa.load(folder / _LSA) if name == _LSA else open_embedder(name)
    width = embedder.embed(["Is this a sentence?"]).shape[1]
    if width != weights.size:
        raise BadFile(
            file, f"its embedder gives {width} numbers for each text, but its head takes {weights.size}: train it again"
        )
    return SetClassifier(embedder, AttentionHead(inner, shift, query, weights, float(bias[0])), about)


def digest_of_folder(folder: Path) -> str:
    """SHA-256 in hex over names and contents of a classifier's files."""
    digest = hashlib.sha256()
    for file in sorted({*folder.glob("*.json"), *folder.glob("*.npy"), *folder.glob(f"{_LSA}/*")}):
        with file.open("rb") as stream:
            of_file = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{file.relative_to(folder).as_posix()}\n{of_file}\n".encode())
    return digest.hexdigest()


def _write(folder: Path, classifier: SetClassifier) -> None:
    head = classifier.head
    write_json(folder / FILE, {"format": FORMAT, "embedder": classifier.embedder.name, "about": dict(classifier.about)})
    arrays: tuple[Floats, ...] = (head.inner, head.shift, head.query, head.weights, np.array([head.bias]))
    for (part, _), array in zip(_ARRAYS, arrays, strict=True):
        write_array(folder / f"{part}.npy", array)
    if isinstance(classifier.embedder, Lsa):
        (folder / _LSA).mkdir()
        classifier.embedder.save(folder / _LSA)
