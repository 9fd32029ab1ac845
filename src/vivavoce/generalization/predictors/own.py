"""Our own predictor of belief change, made for little data: what two questions have in common, and what a teacher says.

Two steps, neither with a penalty or a weight that is set by hand:

1. Where a teacher's soft labels are given, a student learns to say what the teacher would (`own_process`): no label of people
   has a part in it.
2. A logistic regression on features of the pair (`own_features`), on the subject families of both tasks (`own_tasks`) and on
   the student's log odds, which are its starting point, learns from labels (`own_logistic`). Each block of inputs has a penalty
   of its own, averaged over by its evidence. Half of the whole looks at subject families and half does not: they help with
   tasks that were asked about, and mislead about others.

It needs numpy and scipy alone; the student sees more with the sentence embeddings of a network (`StackedLogisticConfig.embedder`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import Embedder
from vivavoce.embeddings.files import read_array, read_json, write_array, write_json
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.base import check_labels
from vivavoce.generalization.predictors.config import BoostedConfig, StackedLogisticConfig
from vivavoce.generalization.predictors.embedded import load_embedder, opened_embedder, save_embedder, vectors_of
from vivavoce.generalization.predictors.own_features import FEATURES, PairFeatures, pair_features
from vivavoce.generalization.predictors.own_files import check_arrays
from vivavoce.generalization.predictors.own_logistic import AveragedLogistic
from vivavoce.generalization.predictors.own_process import MOST_TAUGHT, TeacherProcess, standardised
from vivavoce.generalization.predictors.own_tasks import FAMILIES
from vivavoce.generalization.predictors.own_text import BUCKETS, MOST_WORDS, Vocabulary

VERSION: Final = 2
"""Of the folder."""
FILE: Final = "own.json"
BLOCKS: Final = (1, len(FEATURES), 2 * len(FAMILIES), len(FEATURES), 2 * len(FAMILIES), 2)
"""Of the regression: the answer's sign; features and families, plain, then times the sign; the student's log odds, both."""
INPUTS: Final = sum(BLOCKS)
WAYS: Final[tuple[set[int], ...]] = (set(), {2, 4})
"""With subject families, and without."""
_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class StackedLogistic:
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
    student: TeacherProcess | None
    """None where no teacher's labels were given."""
    embedder: Embedder | None
    """Of what the student sees."""
    centre: Floats
    """[inputs]: their means among the labelled pairs."""
    scale: Floats
    """[inputs]: their standard deviations."""
    weights: AveragedLogistic

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """The chance of a change, one a pair, strictly between 0 and 1; labels and `pred` are not looked at."""
        chances = [np.zeros(0)]
        for start in range(0, len(pairs), _AT_ONCE):
            some = pairs[start : start + _AT_ONCE]
            inputs, offset = inputs_of(some, self.vocabulary, self.student, self.embedder)
            chances.append(self.weights.chances(standardised(inputs, self.centre, self.scale), offset))
        return np.concatenate(chances)

    def save(self, folder: Path) -> None:
        """Write words as JSON and numbers as plain arrays."""
        said = {"version": VERSION, "taught": self.student is not None, "embedded": self.embedder is not None}
        write_json(folder / FILE, {**said, "words": list(self.vocabulary.words)})
        if self.embedder is not None:
            save_embedder(self.embedder, folder)
        for name, array in _arrays(self).items():
            write_array(folder / f"own-{name}.npy", array)


def fit(
    pairs: Sequence[Pair],
    *,
    teachers: Sequence[Pair] = (),
    rng: np.random.Generator,
    config: StackedLogisticConfig = StackedLogisticConfig(),  # noqa: B008 -- frozen
) -> StackedLogistic:
    """Fit to labelled pairs, to a teacher's, or to both. Only which of too many of a teacher's pairs are learned from is drawn
    from `rng`.

    Parameters
    ----------
    pairs: those without a label lend their words alone. A pair counts by its weight; all weights are scaled so that together
        they count as many as they are worth (the effective number of `kish1965`).
    teachers: pairs with a teacher's chance as `pred`. Without labelled pairs, what is predicted is what the teacher would say.

    Raises `NotEnoughEvidence` without a teacher for labels of which all are alike, or none is there; `BadInput` for a teacher's
    pair without `pred`, or an embedder without a teacher; what `open_embedder` raises.
    """
    told = [pair for pair in pairs if pair.changed is not None and pair.weight > 0]
    labels = np.array([float(bool(pair.changed)) for pair in told])
    _check(pairs, labels, teachers, config)
    taught = drawn_of(teachers, rng)
    questions = list(dict.fromkeys(question for pair in (*pairs, *taught) for question in (pair.q1, pair.q2)))
    vocabulary = Vocabulary.of(questions)
    embedder = None
    if config.embedder:
        embedder = opened_embedder(config.embedder, sorted(questions), dimensions=BoostedConfig().dimensions, seed=0)
    student = None
    if taught:
        student = TeacherProcess.taught(pair_features(taught, vocabulary), taught, vectors_by_pair(embedder, taught), rng=rng)
    if not told:
        return StackedLogistic(
            vocabulary, student, embedder, np.zeros(INPUTS), np.ones(INPUTS), AveragedLogistic.ignorant(INPUTS)
        )
    inputs, offset = inputs_of(told, vocabulary, student, embedder)
    centre, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale[scale < 1e-9] = 1.0
    weights = np.array([pair.weight for pair in told]) / max(pair.weight for pair in told)
    weights *= weights.sum() / np.square(weights).sum()
    fitted = AveragedLogistic.over_blocks(
        standardised(inputs, centre, scale), labels, offset=offset, weights=weights, blocks=BLOCKS, ways=WAYS
    )
    return StackedLogistic(vocabulary, student, embedder, centre, scale, fitted)


def load(folder: Path) -> StackedLogistic:
    """What was saved there; raises `BadFile`."""
    file = folder / FILE
    kept = read_json(file)
    words, taught, embedded = kept.get("words"), kept.get("taught"), kept.get("embedded")
    if kept.get("version") != VERSION:
        raise BadFile(file, f"version {str(kept.get('version'))[:20]}; this program reads version {VERSION}: fit it again")
    if not isinstance(words, list) or len(words) > MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise BadFile(file, f"'words' is no list of at most {MOST_WORDS} words: fit the predictor again")
    if not isinstance(taught, bool) or not isinstance(embedded, bool) or embedded > taught or len(set(words)) != len(words):
        raise BadFile(file, "does not say how it was taught, or a word is there twice: fit the predictor again")
    embedder = load_embedder(folder) if embedded else None
    arrays = _read(folder, len(words), taught, _width(embedder))
    vocabulary = Vocabulary(tuple(words), arrays["rarity"], arrays["rarity-of-threes"])
    averaged = AveragedLogistic(arrays["means"], arrays["covariances"], arrays["shares"])
    student = TeacherProcess(*(arrays[name] for name in _SHAPES_TAUGHT)) if taught else None
    return StackedLogistic(vocabulary, student, embedder, arrays["centre"], arrays["scale"], averaged)


_SHAPES: Final = {
    "rarity": (-1,), "rarity-of-threes": (BUCKETS,), "centre": (INPUTS,), "scale": (INPUTS,),
    "means": (-2, INPUTS + 1), "covariances": (-2, INPUTS + 1, INPUTS + 1), "shares": (-2,),
}  # fmt: skip
"""Of each array that is kept; -1 is for as many as there are words, -2 as there are sets of penalties."""
_SHAPES_TAUGHT: Final = {
    "taught-level": (2,), "taught-weights": (2, -4), "taught-centre": (len(FEATURES),), "taught-scale": (len(FEATURES),),
    "taught-support": (-3, len(FEATURES)), "taught-pull": (2, -3),
}  # fmt: skip
"""Of those of a student, in the order of its fields; -3 is for as many as there are pairs taught, -4 as there are inputs."""


def _read(folder: Path, words: int, taught: bool, width: int) -> dict[str, Floats]:
    """All arrays, of the shapes that they must have."""
    needed = _SHAPES | (_SHAPES_TAUGHT if taught else {})
    arrays = {name: read_array(folder / f"own-{name}.npy", len(shape)) for name, shape in needed.items()}
    inputs = 2 * BUCKETS + 2 * len(FAMILIES) + len(FEATURES) + width
    sizes = {-1: words, -2: len(arrays["shares"]), -4: inputs, -3: len(arrays["taught-support"]) if taught else 0}
    check_arrays(folder, arrays, needed, sizes, taught=taught)
    return arrays


def _arrays(own: StackedLogistic) -> dict[str, Floats]:
    arrays = {
        "rarity": own.vocabulary.rarity, "rarity-of-threes": own.vocabulary.rarity_of_threes, "centre": own.centre,
        "scale": own.scale, "means": own.weights.means, "covariances": own.weights.covariances, "shares": own.weights.shares,
    }  # fmt: skip
    if own.student is not None:
        student = own.student
        kept = (student.level, student.weights, student.centre, student.scale, student.support, student.pull)
        arrays |= dict(zip(_SHAPES_TAUGHT, kept, strict=True))
    return arrays


def _check(pairs: Sequence[Pair], labels: Floats, teachers: Sequence[Pair], config: StackedLogisticConfig) -> None:
    check_labels(pairs, labels, teachers)
    if config.embedder and not teachers:
        raise BadInput("embeddings are for what a teacher says: give a teacher's pairs, or no embedder")


def drawn_of(teachers: Sequence[Pair], rng: np.random.Generator) -> list[Pair]:
    """A teacher's pairs in an order of their own, so that theirs does not matter; not more than can be learned from."""
    ordered = sorted(teachers, key=lambda pair: (pair.q1, pair.q2, pair.previous_correct, pair.pred))
    if len(ordered) <= MOST_TAUGHT:
        return ordered
    return [ordered[index] for index in np.sort(rng.choice(len(ordered), MOST_TAUGHT, replace=False))]


def vectors_by_pair(embedder: Embedder | None, pairs: Sequence[Pair]) -> Floats | None:
    """Embeddings of both questions side by side."""
    if embedder is None:
        return None
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.q1, pair.q2)))
    vectors, place = vectors_of(embedder, texts), {text: number for number, text in enumerate(texts)}
    return np.hstack([vectors[[place[pair.q1] for pair in pairs]], vectors[[place[pair.q2] for pair in pairs]]])


def _width(embedder: Embedder | None) -> int:
    """Of both embeddings of a pair."""
    return 0 if embedder is None else 2 * vectors_of(embedder, ["How long is a vector?"]).shape[1]


def inputs_of(
    pairs: Sequence[Pair], vocabulary: Vocabulary, student: TeacherProcess | None, embedder: Embedder | None
) -> tuple[Floats, Floats]:
    """What the regression sees, [n, INPUTS], and where it starts from, [n] log odds."""
    look: PairFeatures = pair_features(pairs, vocabulary)
    sign = look.sign[:, None]
    odds: Any = np.zeros(len(sign)) if student is None else student.odds(look, vectors_by_pair(embedder, pairs))
    parts = [look.features, look.families]
    return np.hstack([sign, *parts, *(part * sign for part in parts), odds[:, None], odds[:, None] * sign]), odds
