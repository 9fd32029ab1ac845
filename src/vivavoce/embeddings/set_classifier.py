"""A classifier of several texts at once, such as the facts of a case: each text is embedded separately, with attention over
texts. An attention head weighs the vectors and classifies their mean with logistic regression.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from vivavoce.embeddings.embedding import (
    Embedder,
    Floats,
    Lsa,
    check_replaceable_folder,
    open_embedder,
    read_array,
    read_json,
    replace_folder,
    write_array,
    write_json,
)
from vivavoce.errors import BadFile


@dataclass(frozen=True, slots=True, eq=False)
class AttentionHead:
    """Attention over vectors, and logistic regression on their weighted mean.

    With vectors x_i: u_i = tanh(W x_i + b), attention a = softmax of u_i · v, probability = logistic of w · Σ a_i x_i + c
    (`yang2016`). The order of the vectors does not matter.

    >>> head = AttentionHead(np.eye(2), np.zeros(2), np.array([9.0, 0.0]), np.array([4.0, -4.0]), 0.0)
    >>> vectors = np.eye(2)
    >>> head.attention(vectors).round(3).tolist(), round(head.probability(vectors), 3)
    ([0.999, 0.001], 0.982)
    """

    inner: Floats
    """W: one row for each inner unit."""
    shift: Floats
    """b: one number for each inner unit."""
    query: Floats
    """v: one number for each inner unit."""
    weights: Floats
    """w: one number for each dimension of the vectors."""
    bias: float
    """c."""

    @classmethod
    def random(cls, dimensions: int, units: int, rng: np.random.Generator) -> AttentionHead:
        """An initial head: almost equal attention to all vectors, and no decision."""
        return cls(
            rng.standard_normal((units, dimensions)) / np.sqrt(dimensions),
            np.zeros(units),
            0.1 * rng.standard_normal(units) / np.sqrt(units),
            np.zeros(dimensions),
            0.0,
        )

    @classmethod
    def from_numbers(cls, numbers: Floats, dimensions: int, units: int) -> AttentionHead:
        """The head whose `numbers` these are."""
        ends = np.cumsum([units * dimensions, units, units, dimensions])
        inner, shift, query, weights, bias = np.split(numbers, ends)
        return cls(inner.reshape(units, dimensions), shift, query, weights, float(bias[0]))

    @property
    def numbers(self) -> Floats:
        """All parameters in one array, for an optimiser."""
        return np.concatenate([self.inner.ravel(), self.shift, self.query, self.weights, [self.bias]])

    @property
    def dimensions(self) -> int:
        """Dimensions of its input vectors."""
        return int(self.weights.size)

    def attention(self, vectors: Floats) -> Floats:
        """The weight of each row; weights sum to 1."""
        return _softmax(np.tanh(vectors @ self.inner.T + self.shift) @ self.query, np.zeros(1, dtype=np.intp))

    def probability(self, vectors: Floats) -> float:
        """The probability of a yes."""
        return float(expit(self.attention(vectors) @ (vectors @ self.weights) + self.bias))


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Several sets of vectors, one after another in one table; no set is empty."""

    vectors: Floats
    starts: NDArray[np.intp]
    """The first row of each."""

    @classmethod
    def of(cls, sets: Sequence[Floats]) -> Sets:
        """These sets."""
        sizes = [len(values) for values in sets]
        return cls(np.concatenate(list(sets)), np.cumsum([0, *sizes[:-1]], dtype=np.intp))

    @property
    def owners(self) -> NDArray[np.intp]:
        """The set that each row belongs to."""
        sizes = np.diff([*self.starts, len(self.vectors)])
        return np.repeat(np.arange(self.starts.size), sizes)


def loss_and_gradient(head: AttentionHead, sets: Sets, truth: Floats, penalty: float) -> tuple[float, Floats]:
    """The mean log loss of the head over sets, with a penalty on its weights, and its gradient by the head's `numbers`.

    The penalty is half of `penalty` times the sum of squares of all parameters except shift and bias.

    Parameters
    ----------
    truth: 0 or 1 for each set.

    >>> head = AttentionHead.random(2, 3, np.random.default_rng(0))
    >>> loss, gradient = loss_and_gradient(head, Sets.of([np.eye(2)]), np.ones(1), 0.0)
    >>> round(loss, 6), gradient.size == head.numbers.size  # no decision yet: log 2
    (0.693147, True)
    """
    x, starts, owners = sets.vectors, sets.starts, sets.owners
    units = np.tanh(x @ head.inner.T + head.shift)
    attention = _softmax(units @ head.query, starts)
    reach = x @ head.weights
    margin = np.add.reduceat(attention * reach, starts)
    logit = margin + head.bias
    loss = float(np.mean(np.logaddexp(0, logit) - truth * logit))
    error = (expit(logit) - truth) / truth.size
    to_mean = error[owners] * attention
    to_score = to_mean * (reach - margin[owners])
    to_inner = to_score[:, None] * head.query * (1 - units**2)
    loss += penalty / 2 * fsum(float(np.sum(part**2)) for part in (head.inner, head.query, head.weights))
    gradient = AttentionHead(
        to_inner.T @ x + penalty * head.inner,
        to_inner.sum(axis=0),
        units.T @ to_score + penalty * head.query,
        x.T @ to_mean + penalty * head.weights,
        float(error.sum()),
    )
    return loss, gradient.numbers


def _softmax(scores: Floats, starts: NDArray[np.intp]) -> Floats:
    """Softmax within each set."""
    sizes = np.diff([*starts, scores.size])
    weights = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    shares: Floats = weights / np.repeat(np.add.reduceat(weights, starts), sizes)
    return shares


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
