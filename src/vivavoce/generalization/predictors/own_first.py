"""The first version of our own predictor of belief change, kept as it was: what it was fitted to before says the same.

Two steps, both linear, neither with a choice left to the user:

1. Where a teacher's soft labels are given, a student learns to say what the teacher would (`own_teacher`).
2. A logistic regression on features of the pair (`own_features`), on the subject families of both tasks (`own_tasks`) and on
   the student's word, with the student's log odds as its starting point, learns from labels (`own_logistic`). Penalties and
   weights are averaged over rather than chosen, so that few labels leave the student, or the base rate, where it was.

`own` has come after it: there the teacher is learnt from by a Gaussian process, and penalties are not set by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.embeddings.files import read_array, read_json, write_array, write_json
from vivavoce.errors import BadFile
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.base import check_told
from vivavoce.generalization.predictors.own_features import FEATURES, Look, look_at
from vivavoce.generalization.predictors.own_files import check_arrays
from vivavoce.generalization.predictors.own_logistic import Averaged
from vivavoce.generalization.predictors.own_tasks import FAMILIES
from vivavoce.generalization.predictors.own_teacher import MOST_TAUGHT, Student
from vivavoce.generalization.predictors.own_text import BUCKETS, MOST_WORDS, Vocabulary

FILE: Final = "own.json"
INPUTS: Final = 1 + 2 * (len(FEATURES) + 2 * len(FAMILIES)) + 2
"""Of the regression: the answer's sign; features and families, plain and times the sign; the student's word, the same."""
STRICTNESS: Final = np.concatenate(
    [
        [1.0],
        np.repeat([1.0, 2.0], [len(FEATURES), 2 * len(FAMILIES)]),
        np.repeat([2.0, 4.0], [len(FEATURES), 2 * len(FAMILIES)]),
        [0.1, 0.1],
    ]
)
"""Penalties: what counts alike after both answers before what does not, likeness before single subjects, the student first."""
_AT_ONCE: Final = 20_000
_FARTHEST: Final = 4.0
"""Standard deviations from the mean that a feature is taken to be at most."""


@dataclass(frozen=True, slots=True)
class Own:
    """A predictor as it was fitted.

    >>> asked = {"What is 3 + 4?": "sums", "What is 9 - 5?": "sums", "Who wrote Faust?": "books", "Who wrote Emma?": "books"}
    >>> seen = [(a, b, asked[a], asked[b]) for a in asked for b in asked if a != b]
    >>> pairs = [Pair(*pair, right, belief_change=pair[2] == pair[3]) for pair in seen for right in (True, False)]
    >>> predictor = fit(pairs, rng=np.random.default_rng(0))
    >>> near = Pair("What is 6 + 1?", "What is 2 + 8?", "sums", "sums", previous_correct=True)
    >>> far = Pair("What is 6 + 1?", "Who wrote Ulysses?", "sums", "books", previous_correct=True)
    >>> [bool(chance > 0.5) for chance in predictor.predict([near, far])]
    [True, False]
    """

    vocabulary: Vocabulary
    student: Student | None
    """None where no teacher's labels were given."""
    centre: Floats
    """[inputs]: their means among the labelled pairs."""
    scale: Floats
    """[inputs]: their standard deviations."""
    weights: Averaged

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """The chance of a change, one a pair, strictly between 0 and 1; labels and `pred` are not looked at."""
        chances = [np.zeros(0)]
        for start in range(0, len(pairs), _AT_ONCE):
            inputs, offset = _inputs(look_at(pairs[start : start + _AT_ONCE], self.vocabulary), self.student)
            chances.append(self.weights.chances(_standard(inputs, self.centre, self.scale), offset))
        return np.concatenate(chances)

    def save(self, folder: Path) -> None:
        """Write words as JSON and numbers as plain arrays."""
        write_json(folder / FILE, {"words": list(self.vocabulary.words), "taught": self.student is not None})
        for name, array in _arrays(self).items():
            write_array(folder / f"own-{name}.npy", array)


def fit(pairs: Sequence[Pair], *, teachers: Sequence[Pair] = (), rng: np.random.Generator) -> Own:
    """Fit to labelled pairs, to a teacher's, or to both. Only which of too many of
    a teacher's pairs are learned from is drawn from `rng`.

    Parameters
    ----------
    pairs: those without a label lend their words alone. A pair counts by its weight; all weights are scaled so that together
        they count as many as they are worth (the effective number of `kish1965`).
    teachers: pairs with a teacher's chance as `pred`. Without labelled pairs, what is predicted is what the teacher would say.

    Raises `NotEnoughEvidence` without a teacher for labels of which all are alike, or none is there; `BadInput` for a teacher's
    pair without `pred`.
    """
    told = [pair for pair in pairs if pair.changed is not None and pair.weight > 0]
    labels = np.array([float(bool(pair.changed)) for pair in told])
    check_told(pairs, labels, teachers)
    if len(teachers) > MOST_TAUGHT:
        ordered = sorted(teachers, key=lambda pair: (pair.q1, pair.q2, pair.previous_correct, pair.pred))
        teachers = [ordered[index] for index in np.sort(rng.choice(len(ordered), MOST_TAUGHT, replace=False))]
    vocabulary = Vocabulary.of(question for pair in (*pairs, *teachers) for question in (pair.q1, pair.q2))
    student = Student.taught(look_at(teachers, vocabulary), teachers) if teachers else None
    if not told:
        return Own(vocabulary, student, np.zeros(INPUTS), np.ones(INPUTS), Averaged.ignorant(INPUTS))
    inputs, offset = _inputs(look_at(told, vocabulary), student)
    centre, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale[scale < 1e-9] = 1.0
    weights = np.array([pair.weight for pair in told]) / max(pair.weight for pair in told)
    weights *= weights.sum() / np.square(weights).sum()
    fitted = Averaged.fit(_standard(inputs, centre, scale), labels, offset=offset, weights=weights, strictness=STRICTNESS)
    return Own(vocabulary, student, centre, scale, fitted)


def load(folder: Path) -> Own:
    """What was saved there; raises `BadFile`."""
    file = folder / FILE
    kept = read_json(file)
    words, taught = kept.get("words"), kept.get("taught")
    if not isinstance(words, list) or len(words) > MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise BadFile(file, f"'words' is no list of at most {MOST_WORDS} words: fit the predictor again")
    if not isinstance(taught, bool) or len(set(words)) != len(words):
        raise BadFile(file, "does not say whether it was taught, or a word is there twice: fit the predictor again")
    needed = _SHAPES | (_SHAPES_TAUGHT if taught else {})
    arrays = {name: read_array(folder / f"own-{name}.npy", len(shape)) for name, shape in needed.items()}
    sizes = {-1: len(words), -2: len(arrays["shares"])}
    check_arrays(folder, arrays, needed, sizes, taught=taught)
    vocabulary = Vocabulary(tuple(words), arrays["rarity"], arrays["rarity-of-threes"])
    averaged = Averaged(arrays["means"], arrays["covariances"], arrays["shares"])
    student = Student(*(arrays[name] for name in _SHAPES_TAUGHT)) if taught else None
    return Own(vocabulary, student, arrays["centre"], arrays["scale"], averaged)


_SHAPES: Final = {
    "rarity": (-1,), "rarity-of-threes": (BUCKETS,), "centre": (INPUTS,), "scale": (INPUTS,),
    "means": (-2, INPUTS + 1), "covariances": (-2, INPUTS + 1, INPUTS + 1), "shares": (-2,),
}  # fmt: skip
"""Of each array that is kept; -1 is for as many as there are words, -2 as there are penalties."""
_SHAPES_TAUGHT: Final = {
    "taught-level": (2,), "taught-weights": (2, 2 * BUCKETS + 2 * len(FAMILIES) + len(FEATURES)),
    "taught-centre": (len(FEATURES),), "taught-scale": (len(FEATURES),),
}  # fmt: skip
"""Of those of a student, in the order of its fields."""


def _arrays(own: Own) -> dict[str, Floats]:
    arrays = {
        "rarity": own.vocabulary.rarity, "rarity-of-threes": own.vocabulary.rarity_of_threes, "centre": own.centre,
        "scale": own.scale, "means": own.weights.means, "covariances": own.weights.covariances, "shares": own.weights.shares,
    }  # fmt: skip
    if own.student is not None:
        student = own.student
        arrays |= dict(zip(_SHAPES_TAUGHT, (student.level, student.weights, student.centre, student.scale), strict=True))
    return arrays


def _inputs(look: Look, student: Student | None) -> tuple[Floats, Floats]:
    """What the regression sees, [n, INPUTS], and where it starts from, [n] log odds."""
    sign = look.sign[:, None]
    seen = np.hstack([look.features, look.families])
    odds, part = student.odds(look) if student is not None else (np.zeros(len(sign)), np.zeros(len(sign)))
    return np.hstack([sign, seen, seen * sign, part[:, None], part[:, None] * sign]), odds


def _standard(inputs: Floats, centre: Floats, scale: Floats) -> Floats:
    """In standard deviations; what lies far beyond all that was seen is taken to lie at a border."""
    return np.clip((inputs - centre) / scale, -_FARTHEST, _FARTHEST)
