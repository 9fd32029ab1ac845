"""@@@
The checks of arrays that both versions of our own predictor read from a folder.
---
Logistic regression that knows how little it knows: averaged over penalties, and over what the weights may be.
---
Our own predictor of belief change, made for little data: what two questions have in common, and what a teacher says.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from scipy.special import expit, logsumexp

from vivavoce.embeddings.embedding import Embedder
from vivavoce.embeddings.files import read_array, read_json, write_array, write_json
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.pairs import Floats, Pair
from vivavoce.generalization.predictors.base import check_labels, load_embedder, opened_embedder, save_embedder, vectors_of
from vivavoce.generalization.predictors.registry import BoostedConfig, StackedLogisticConfig
from vivavoce.generalization.predictors.stacked_logistic_features import (
    BUCKETS,
    FAMILIES,
    FEATURES,
    MOST_WORDS,
    PairFeatures,
    Vocabulary,
    pair_features,
)
from vivavoce.generalization.predictors.stacked_logistic_student import MOST_TAUGHT, TeacherProcess, standardised


def check_arrays(
    folder: Path, arrays: Mapping[str, Floats], needed: Mapping[str, tuple[int, ...]], sizes: Mapping[int, int], *, taught: bool
) -> None:
    """Raise `BadFile` for an array of another shape, or with numbers that no fit yields.

    Parameters
    ----------
    needed: the shape of each array; sizes below 0 stand for those in `sizes`.
    taught: whether there is a student.
    """
    for name, shape in needed.items():
        if arrays[name].shape != tuple(sizes.get(size, size) for size in shape):
            raise BadFile(
                folder / f"stacked-logistic-{name}.npy",
                f"of shape {arrays[name].shape}, which does not fit: fit the predictor again",
            )
    for name in ("scale", "rarity", "rarity-of-threes", "shares", *(("taught-scale",) if taught else ())):
        if (arrays[name] < (0 if name == "shares" else 1e-300)).any():
            raise BadFile(
                folder / f"stacked-logistic-{name}.npy", "holds a number that is not above 0: fit the predictor again"
            )
    if abs(float(arrays["shares"].sum()) - 1) > 1e-6:
        raise BadFile(folder / "stacked-logistic-shares.npy", "does not sum to 1: fit the predictor again")


LEVEL_SPREAD: Final = 1.0
"""Standard deviation of the level (log odds) before any label is seen; with 10 labels it still holds back, with 100 no more."""
LARGEST: Final = 3_000.0
"""Penalty of a block, at most, where each block has its own; with some hundred labels such a block has next to no say."""
DRAWS: Final = 24
"""Sets of penalties that each way of looking is averaged over; twice as many give the same chances within some thousandths."""
_OFF: Final = 1e9
"""Penalty of a block that is not looked at."""
_LEAST: Final = 1e-4
"""Share below which a set of weights is not kept."""
_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class AveragedLogistic:
    """Weights of a logistic regression with their uncertainty, one set for each penalty.

    Each set is the mode of the posterior under a normal prior, with a normal around it (Laplace's approximation, as in
    `mackay1992`); its share is its evidence over that of all. Chances are averaged over both, which draws them towards the
    middle wherever little is known: with 20 labels a predictor of 70 weights is near the base rate, with 200 it is not.
    """

    means: Floats
    """[penalties, 1 + inputs]: the level first."""
    covariances: Floats
    """[penalties, 1 + inputs, 1 + inputs]."""
    shares: Floats
    """[penalties], of sum 1."""

    @classmethod
    def zero(cls, inputs: int) -> Self:
        """Adds nothing to the offset."""
        return cls(np.zeros((1, inputs + 1)), np.zeros((1, inputs + 1, inputs + 1)), np.ones(1))

    @classmethod
    def over_blocks(
        cls, inputs: Floats, labels: Floats, *, offset: Floats, weights: Floats, blocks: Sequence[int], ways: Sequence[set[int]]
    ) -> Self:
        """Fit to labels with a penalty of its own for each block of inputs, averaged over them by their evidence.

        Penalties are spread evenly on the logarithmic scale from 1 to `LARGEST` in all blocks at once; none is chosen by hand.

        Parameters
        ----------
        inputs: [n, inputs].
        labels: 0 or 1, [n].
        offset: log odds from elsewhere that the regression adds to, [n].
        weights: how many labels each stands for, [n].
        blocks: how many inputs each block has; `inputs` has their columns in this order.
        ways: blocks that are left out, for each way of looking; each way has the same share in all.
        """
        design = np.column_stack([np.ones(len(labels)), inputs])
        means, covariances, shares = [], [], []
        for out in ways:
            penalties = LARGEST ** _spread(DRAWS, len(blocks))
            penalties[:, sorted(out)] = _OFF
            found = [
                _mode(design, labels, offset, weights, np.concatenate([[LEVEL_SPREAD**-2], np.repeat(penalty, blocks)]))
                for penalty in penalties
            ]
            evidence = np.array([one[2] for one in found])
            means += [one[0] for one in found]
            covariances += [one[1] for one in found]
            shares += (np.exp(evidence - logsumexp(evidence)) / len(ways)).tolist()
        kept = np.flatnonzero(np.array(shares) > _LEAST)
        share = np.array(shares)[kept]
        return cls(np.array(means)[kept], np.array(covariances)[kept], share / share.sum())

    def chances(self, inputs: Floats, offset: Floats) -> Floats:
        """Of each row, strictly between 0 and 1; the mean of a logistic of a normal by the usual approximation."""
        design = np.column_stack([np.ones(len(inputs)), inputs])
        total = np.zeros(len(inputs))
        for mean, covariance, share in zip(self.means, self.covariances, self.shares, strict=True):
            unsure = np.maximum(((design @ covariance) * design).sum(axis=1), 0)
            total += share * expit((design @ mean + offset) / np.sqrt(1 + np.pi / 8 * unsure))
        return np.clip(total, 1e-4, 1 - 1e-4)


def _spread(number: int, dimensions: int) -> Floats:
    """Points that fill the unit cube evenly, [number, dimensions]: multiples of powers of a root, modulo 1 (the R sequence).

    >>> _spread(3, 1).ravel().round(3).tolist()  # by the golden ratio, from the middle on
    [0.118, 0.736, 0.354]
    """
    root = 1.5
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + np.arange(1, number + 1)[:, None] * steps) % 1.0, dtype=float)


def _mode(design: Floats, labels: Floats, offset: Floats, weights: Floats, precision: Floats) -> tuple[Floats, Floats, float]:
    """Mode, covariance there, and log evidence up to a constant; by Newton's steps, halved where they overshoot."""

    def cost(weight: Floats) -> float:
        odds = design @ weight + offset
        return float(weights @ (np.logaddexp(0, odds) - labels * odds) + 0.5 * precision @ weight**2)

    def curvature(weight: Floats) -> Floats:
        chance = expit(design @ weight + offset)
        return np.asarray((design.T * (weights * chance * (1 - chance))) @ design + np.diag(precision))

    mode = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        slope = design.T @ (weights * (expit(design @ mode + offset) - labels)) + precision * mode
        step = np.linalg.solve(curvature(mode), slope)
        size = 1.0
        while size > 1e-6 and cost(mode - size * step) > cost(mode):
            size /= 2
        mode = mode - size * step
        if np.abs(step).max() < 1e-9:
            break
    bent = curvature(mode)
    evidence = -cost(mode) + 0.5 * float(np.log(precision).sum()) - 0.5 * float(np.linalg.slogdet(bent)[1])
    return mode, np.asarray(np.linalg.inv(bent), dtype=float), evidence


VERSION: Final = 2
"""Of the folder."""
FILE: Final = "stacked_logistic.json"
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
            write_array(folder / f"stacked-logistic-{name}.npy", array)


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
        return StackedLogistic(vocabulary, student, embedder, np.zeros(INPUTS), np.ones(INPUTS), AveragedLogistic.zero(INPUTS))
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
    arrays = {name: read_array(folder / f"stacked-logistic-{name}.npy", len(shape)) for name, shape in needed.items()}
    inputs = 2 * BUCKETS + 2 * len(FAMILIES) + len(FEATURES) + width
    sizes = {-1: words, -2: len(arrays["shares"]), -4: inputs, -3: len(arrays["taught-support"]) if taught else 0}
    check_arrays(folder, arrays, needed, sizes, taught=taught)
    return arrays


def _arrays(predictor: StackedLogistic) -> dict[str, Floats]:
    arrays = {
        "rarity": predictor.vocabulary.rarity,
        "rarity-of-threes": predictor.vocabulary.rarity_of_threes,
        "centre": predictor.centre,
        "scale": predictor.scale,
        "means": predictor.weights.means,
        "covariances": predictor.weights.covariances,
        "shares": predictor.weights.shares,
    }
    if predictor.student is not None:
        student = predictor.student
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
