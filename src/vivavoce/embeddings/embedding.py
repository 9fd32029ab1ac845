"""Embeddings of questions, so that similar texts have similar vectors; also the files and folders of fitted models."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadFile, BadInput, MissingExtra, NotEnoughEvidence, UnknownName
from vivavoce.formats.lines import writing

Floats = NDArray[np.float64]

MOST_BYTES: Final = 1 << 28
"""The largest file: 256 MiB."""


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object in a file; raises `BadFile`."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: no predictor writes such a file")
        value = json.loads(file.read_bytes().decode("utf-8"), parse_constant=_refused)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(file, f"not JSON in UTF-8 ({str(error)[:80]}): fit the predictor again") from None
    if not isinstance(value, dict):
        raise BadFile(file, "not a JSON object: fit the predictor again")
    return value


def write_json(file: Path, value: dict[str, Any]) -> None:
    """Write JSON values."""
    file.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def read_array(file: Path, dimensions: int) -> Floats:
    """The finite numbers in a `.npy` file; raises `BadFile`.

    It is mapped, not read, until its size is known, so a header that claims more than the file holds is refused at once.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: no predictor writes such a file")
        mapped = np.load(file, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    except Exception as error:  # numpy's header parser can raise any error
        raise BadFile(file, f"not an array of numbers ({str(error)[:80]}): fit the predictor again") from None
    if not isinstance(mapped, np.ndarray) or mapped.dtype != np.float64 or mapped.ndim != dimensions or not mapped.size:
        raise BadFile(file, f"not an array of {dimensions} dimension{'s' if dimensions > 1 else ''}: fit the predictor again")
    array = np.array(mapped, dtype=np.float64)
    if not np.isfinite(array).all():
        raise BadFile(file, "holds a number that is not finite: fit the predictor again")
    return array


def write_array(file: Path, array: Floats) -> None:
    """Write numbers as a `.npy` file."""
    np.save(file, np.ascontiguousarray(array, dtype=np.float64), allow_pickle=False)


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def replace_folder(folder: Path, write: Callable[[Path], object]) -> None:
    """Replace a folder by a newly written one.

    The new folder is first written next to the old one, so an error leaves either the old or the new content. The folder is
    missing for a moment in between; if the program stops then, the old one is next to it under a similar name.

    write: fills the empty folder that it gets. Raises `BadFile` if the folder cannot be written.
    """
    folder = folder.absolute()
    with writing(folder), _beside(folder) as beside:
        new, old = Path(beside, "new"), Path(beside, "old")
        new.mkdir()
        write(new)
        try:
            if folder.exists():
                os.replace(folder, old)
            os.replace(new, folder)
        except BaseException:
            if old.is_dir() and not folder.exists():
                os.replace(old, folder)
            raise


def check_replaceable_folder(folder: Path, what: str, holds: Callable[[Path], bool]) -> None:
    """Raise `BadInput` for a folder whose content would be lost, and `BadFile` for one that cannot be written.

    what: the kind of content, such as "classifier".
    holds: whether an existing folder holds one.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput(f"{folder} is not a folder: give another place for the {what}")
    if not folder.absolute().parent.is_dir():
        raise BadInput(f"{folder}: the folder '{folder.absolute().parent}' does not exist; create it first")
    if folder.is_dir() and any(folder.iterdir()) and not holds(folder):
        raise BadInput(f"{folder} contains something other than a {what}: give a new or empty folder")
    with writing(folder), _beside(folder.absolute()):
        pass


def _beside(folder: Path) -> AbstractContextManager[str]:
    return tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True)


EMBEDDERS: Final = ("lsa", "sentences:NAME_OR_FOLDER")
_MOST_TERMS: Final = 20_000
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
_WORDS: Final = r"(?u)\b\w+\b"


class Embedder(Protocol):
    """Turns texts into vectors; the same text always has the same vector."""

    @property
    def name(self) -> str:
        """The name by which `open_embedder` opens it again."""
        ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, of length 1 or all 0."""
        ...


def open_embedder(name: str) -> Embedder:
    """The embedder of that name: `lsa`, which must be fitted first, or `sentences:NAME_OR_FOLDER` (extra `neural`).

    Raises `UnknownName`, `MissingExtra`, and `BadInput` for a model that is not available.

    >>> open_embedder("lsa").name
    'lsa'
    """
    kind, _, model = name.partition(":")
    if name == "lsa":
        return Lsa()
    if kind != "sentences":
        raise UnknownName("embedder", name, EMBEDDERS)
    if not model:
        raise BadInput("'sentences:' needs a model: a name or a folder of sentence-transformers, such as sentences:./minilm")
    try:
        sentences = import_module("vivavoce.embeddings.neural")
        return cast(Embedder, sentences.open_sentences(model))
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "torch").partition(".")[0], extra="neural") from None


def plain_text(question: str) -> str:
    """The question as a person reads it: without tags and with single spaces.

    >>> plain_text("<b>Is 2 &lt; 3?<br></b>(A) yes<br>(B) no")
    'Is 2 < 3? (A) yes (B) no'
    """
    return " ".join(unescape(_TAG.sub(" ", question)).split())


class Lsa:
    """Latent semantic analysis (`deerwester1990`): TF-IDF of words and pairs of words, reduced to a few dimensions.

    It knows only the words of the texts that it was fitted on, and ignores all others. With few texts it separates subjects,
    not meanings; a sentence embedding does better if one is installed.

    >>> texts = ["What is 2 + 2?", "What is 3 + 5?", "Who wrote Hamlet?", "Who wrote Faust?"]
    >>> vectors = Lsa().fitted(texts, dimensions=2).embed(texts)
    >>> bool(vectors[0] @ vectors[1] > 0.9 > 0.1 > vectors[0] @ vectors[2])
    True
    """

    name = "lsa"

    def __init__(self, terms: Sequence[str] = (), weights: Floats | None = None, axes: Floats | None = None) -> None:
        self._terms = list(terms)
        self._weights = weights
        self._axes = axes
        self._counter: Any = None

    def fitted(self, texts: Sequence[str], *, dimensions: int, seed: int = 0) -> Lsa:
        """Fit it to these texts; the result depends only on the texts and their order.

        dimensions: at most.

        Raises `NotEnoughEvidence` for fewer than two different texts or words.
        """
        distinct = list(dict.fromkeys(map(plain_text, texts)))
        smallest = 2 if len(distinct) >= 50 else 1
        counter = _counter(None, smallest=smallest)
        try:
            counts = counter.fit_transform(distinct)
        except ValueError:
            lack = "no word in common" if smallest > 1 else "no words"
            raise NotEnoughEvidence(
                f"{len(distinct)} different questions with {lack}; an embedding needs some in common"
            ) from None
        terms = list(counter.get_feature_names_out())
        rank = min(dimensions, len(distinct) - 1, len(terms) - 1)
        if rank < 1:
            raise NotEnoughEvidence(f"{len(distinct)} different questions; an embedding needs at least 2 with different words")
        decomposition = import_module("sklearn.decomposition")
        svd = decomposition.TruncatedSVD(rank, algorithm="randomized", n_iter=7, random_state=seed)
        svd.fit(counts)
        return Lsa(terms, np.asarray(counter.idf_, dtype=float), np.asarray(svd.components_, dtype=float))

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, of length 1, or all 0 for a text without known words."""
        if self._weights is None or self._axes is None:
            raise BadInput("the embedder 'lsa' has no vocabulary yet: fit it on the questions first")
        if self._counter is None:
            self._counter = _counter(self._terms, smallest=1)
            self._counter.idf_ = self._weights
        if not texts:
            return np.zeros((0, len(self._axes)))
        rows = np.asarray(self._counter.transform([plain_text(text) for text in texts]) @ self._axes.T, dtype=float)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.where(lengths > 1e-12, rows / np.maximum(lengths, 1e-12), 0.0)

    def save(self, folder: Path) -> None:
        """Write words as JSON and numbers as plain arrays."""
        assert self._weights is not None
        assert self._axes is not None
        write_json(folder / "terms.json", {"terms": self._terms})
        write_array(folder / "weights.npy", self._weights)
        write_array(folder / "axes.npy", self._axes)

    @staticmethod
    def load(folder: Path) -> Lsa:
        """Load a saved embedder; raises `BadFile`."""
        file = folder / "terms.json"
        terms = read_json(file).get("terms")
        if not (isinstance(terms, list) and terms and all(isinstance(term, str) for term in terms)):
            raise BadFile(file, "has no list of words under 'terms': fit the predictor again")
        weights, axes = read_array(folder / "weights.npy", 1), read_array(folder / "axes.npy", 2)
        if len(set(terms)) < len(terms) or weights.size != len(terms) or axes.shape[1] != len(terms):
            raise BadFile(file, f"{len(terms)} words, but {weights.size} weights and axes of {axes.shape[1]}: fit it again")
        return Lsa(terms, weights, axes)


def _counter(terms: list[str] | None, *, smallest: int) -> Any:
    """Counts words and pairs of words; `terms` None: those that occur in at least this many of the texts it is fitted on."""
    try:
        text = import_module("sklearn.feature_extraction.text")
    except ModuleNotFoundError:
        raise MissingExtra("scikit-learn", extra="text") from None
    return text.TfidfVectorizer(
        vocabulary=terms, ngram_range=(1, 2), token_pattern=_WORDS, sublinear_tf=True, min_df=smallest, max_features=_MOST_TERMS
    )
