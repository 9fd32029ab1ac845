"""Words and groups of characters of the answers to one question, and how near an answer is to what people say there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
from scipy import sparse

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.texts import plain

MOST: Final = 20_000
"""Words, and as many groups of characters, of one question: the commonest."""
LONGEST: Final = 1_000
"""Characters of an answer that are looked at."""
_FLOOR: Final = 0.01
"""Nearness of an answer that nobody comes near."""


@dataclass(frozen=True, slots=True)
class Space:
    """Where the answers to one question lie: each a row of length 1, half words (1 or 2), half groups of 2 to 5 characters."""

    terms: tuple[tuple[str, ...], tuple[str, ...]]
    """Words, and groups of characters, in the order of the alphabet."""
    rarity: FloatArray
    """Of each term, the words first."""
    centre: FloatArray
    """The mean row of all people."""

    @classmethod
    def of(cls, texts: Sequence[str], counts: FloatArray) -> tuple[Space, sparse.csr_array]:
        """The space of these answers, and their rows in it; nobody's rating has a part in it.

        Parameters
        ----------
        texts: distinct ones, as `read` gives them.
        counts: how many people gave each.
        """
        terms, rarity, blocks = [], [], []
        for counter in _counters():
            try:
                blocks.append(sparse.csr_array(counter.fit_transform(texts)))
            except ValueError:  # scikit-learn's "empty vocabulary": no text has any term
                blocks.append(sparse.csr_array((len(texts), 0)))
                terms.append(())
                continue
            terms.append(tuple(counter.get_feature_names_out().tolist()))
            rarity.append(counter.idf_)
        rows = _beside(blocks)
        centre = np.asarray(rows.T @ (counts / counts.sum()), dtype=float)
        return cls((terms[0], terms[1]), np.concatenate([np.zeros(0), *rarity]), centre), rows

    def rows(self, texts: Sequence[str]) -> sparse.csr_array:
        """One row a text; of length 0 for one without a known term."""
        ends = (0, len(self.terms[0]), self.rarity.size)
        blocks = []
        for counter, terms, start, end in zip(_counters(), self.terms, ends, ends[1:], strict=False):
            if not terms:
                blocks.append(sparse.csr_array((len(texts), 0)))
                continue
            counter.set_params(vocabulary=terms)
            counter.idf_ = self.rarity[start:end]
            blocks.append(sparse.csr_array(counter.transform(texts)))
        return _beside(blocks)

    def nearness(self, rows: sparse.csr_array) -> FloatArray:
        """Logarithm of the mean likeness to all answers, as groups of characters are alike.

        What many say in many spellings is near, nonsense is far.
        """
        words = len(self.terms[0])
        return np.asarray(np.log(_FLOOR + 2 * (rows[:, words:] @ self.centre[words:])), dtype=float)

    def state(self) -> dict[str, Any]:
        """Terms, rarity and centre."""
        return {"terms": [list(terms) for terms in self.terms], "rarity": self.rarity, "centre": self.centre}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Space:
        """The space that gave this state; raises `BadInput`."""
        words, groups = (tuple(map(str, terms)) for terms in state["terms"])
        rarity, centre = (np.asarray(state[name], dtype=float) for name in ("rarity", "centre"))
        if rarity.shape != centre.shape or rarity.shape != (len(words) + len(groups),):
            raise BadInput("the state of a space of answers has not one rarity for each term")
        if not (np.isfinite(rarity).all() and np.isfinite(centre).all() and (rarity >= 0).all() and (centre >= 0).all()):
            raise BadInput("the state of a space of answers holds a number below 0, or none")
        if any(list(terms) != sorted(set(terms)) for terms in (words, groups)):
            raise BadInput("the state of a space of answers holds a term twice, or out of order")
        return cls((words, groups), rarity, centre)


def read(texts: Iterable[str]) -> list[str]:
    """Texts as a space takes them."""
    return [plain(text[:LONGEST]) for text in texts]


def _beside(blocks: Sequence[sparse.csr_array]) -> sparse.csr_array:
    return sparse.csr_array(sparse.hstack(blocks) / np.sqrt(2))


def _counters() -> tuple[Any, Any]:
    try:
        text = import_module("sklearn.feature_extraction.text")
    except ModuleNotFoundError:
        raise MissingExtra("scikit-learn", extra="text") from None
    settings = {"sublinear_tf": True, "max_features": MOST}
    words = text.TfidfVectorizer(tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), **settings)
    return words, text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), **settings)
