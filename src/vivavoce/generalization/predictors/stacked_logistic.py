"""The predictor `stacked-logistic`, for few labels: logistic regression on features of a pair, stacked on a teacher's student.

It has two steps, and no penalty or weight is set by hand:

1. With a teacher's soft labels, a student learns to predict them (`stacked_logistic_features`). It sees no labels of people.
2. A Bayesian logistic regression (Laplace), averaged over penalties, learns from labels. Its inputs are features of the pair,
   subject families of both tasks (`stacked_logistic_features`) and the student's log odds, which are its offset. Each block of
   inputs has its own penalty, averaged by evidence. Half of the average uses subject families and half does not, as they help
   with tasks among the labels and mislead about others.

It needs numpy and scipy only. With sentence embeddings (`StackedLogisticConfig.embedder`) the student sees more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from scipy.special import expit, logsumexp

from vivavoce.embeddings.embedding import Embedder, read_array, read_json, write_array, write_json
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import (
    BoostedConfig,
    StackedLogisticConfig,
    check_labels,
    load_embedder,
    opened_embedder,
    save_embedder,
    vectors_of,
)
from vivavoce.generalization.predictors.stacked_logistic_features import (
    BUCKETS,
    FAMILIES,
    FEATURES,
    MOST_TAUGHT,
    MOST_WORDS,
    PairFeatures,
    TeacherProcess,
    Vocabulary,
    pair_features,
    standardised,
)


def check_arrays(
    folder: Path, arrays: Mapping[str, Floats], needed: Mapping[str, tuple[int, ...]], sizes: Mapping[int, int], *, taught: bool
) -> None:
    """Raise `BadFile` for an array of the wrong shape, or with impossible numbers.

    needed: shape of each array; a size below 0 is looked up in `sizes`.
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
"""Prior standard deviation of the intercept (log odds); it matters with 10 labels, and no longer with 100."""
LARGEST: Final = 3_000.0
"""Largest penalty of a block; with some hundred labels such a block has almost no influence."""
DRAWS: Final = 24
"""Sets of penalties per selection of blocks; twice as many change the chances by a few thousandths."""
_OFF: Final = 1e9
"""Penalty of a block that is left out."""
_LEAST: Final = 1e-4
"""Smallest share of a set of weights that is kept."""
_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class AveragedLogistic:
    """Weights of a logistic regression with their uncertainty, one set for each set of penalties.

    Each set is the mode of the posterior under a normal prior, with a normal around it (Laplace's approximation, as in
    `mackay1992`). Its share is its evidence divided by the sum of all. Chances are averaged over both, which moves them to
    the middle if little is known: with 20 labels a predictor of 70 weights is near the base rate, with 200 it is not.
    """

    means: Floats
    """[penalties, 1 + inputs]: the intercept first."""
    covariances: Floats
    """[penalties, 1 + inputs, 1 + inputs]."""
    shares: Floats
    """[penalties], with sum 1."""

    @classmethod
    def zero(cls, inputs: int) -> Self:
        """Weights that add nothing to the offset."""
        return cls(np.zeros((1, inputs + 1)), np.zeros((1, inputs + 1, inputs + 1)), np.ones(1))

    @classmethod
    def over_blocks(
        cls,
        inputs: Floats,
        labels: Floats,
        *,
        offset: Floats,
        weights: Floats,
        blocks: Sequence[int],
        left_out: Sequence[set[int]],
    ) -> Self:
        """Fit to labels with a penalty for each block of inputs, averaged over penalties by evidence.

        Penalties are spread evenly on the logarithmic scale from 1 to `LARGEST` in all blocks jointly.

        inputs: [n, inputs].
        labels: 0 or 1, [n].
        offset: log odds that the regression adds to, [n].
        weights: weight of each label, [n].
        blocks: number of inputs of each block, in the order of the columns of `inputs`.
        left_out: selections of blocks to leave out; all selections have the same share.
        """
        design = np.column_stack([np.ones(len(labels)), inputs])
        means, covariances, shares = [], [], []
        for omitted in left_out:
            penalties = LARGEST ** _spread(DRAWS, len(blocks))
            penalties[:, sorted(omitted)] = _OFF
            fits = [
                _mode(design, labels, offset, weights, np.concatenate([[LEVEL_SPREAD**-2], np.repeat(penalty, blocks)]))
                for penalty in penalties
            ]
            evidence = np.array([log_evidence for _, _, log_evidence in fits])
            means += [mode for mode, _, _ in fits]
            covariances += [covariance for _, covariance, _ in fits]
            shares += (np.exp(evidence - logsumexp(evidence)) / len(left_out)).tolist()
        kept = np.flatnonzero(np.array(shares) > _LEAST)
        share = np.array(shares)[kept]
        return cls(np.array(means)[kept], np.array(covariances)[kept], share / share.sum())

    def chances(self, inputs: Floats, offset: Floats) -> Floats:
        """The chance of each row, strictly between 0 and 1, by the usual approximation of the mean of a logistic-normal."""
        design = np.column_stack([np.ones(len(inputs)), inputs])
        total = np.zeros(len(inputs))
        for mean, covariance, share in zip(self.means, self.covariances, self.shares, strict=True):
            unsure = np.maximum(((design @ covariance) * design).sum(axis=1), 0)
            total += share * expit((design @ mean + offset) / np.sqrt(1 + np.pi / 8 * unsure))
        return np.clip(total, 1e-4, 1 - 1e-4)

    def drawn(self, inputs: Floats, offset: Floats, number: int, rng: np.random.Generator) -> Floats:
        """The chance of each row by weights drawn from the posterior, [number, n]: their spread is the error of the fit."""
        design = np.column_stack([np.ones(len(inputs)), inputs])
        sets = rng.choice(len(self.shares), number, p=self.shares)
        weights = np.array([rng.multivariate_normal(self.means[index], self.covariances[index]) for index in sets])
        return np.asarray(expit(weights @ design.T + offset), dtype=float)


def _spread(number: int, dimensions: int) -> Floats:
    """Points that fill the unit cube evenly, [number, dimensions]: multiples of powers of a root, modulo 1 (the R sequence).

    >>> _spread(3, 1).ravel().round(3).tolist()  # multiples of the golden ratio, from the middle
    [0.118, 0.736, 0.354]
    """
    root = 1.5
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + np.arange(1, number + 1)[:, None] * steps) % 1.0, dtype=float)


def _mode(design: Floats, labels: Floats, offset: Floats, weights: Floats, precision: Floats) -> tuple[Floats, Floats, float]:
    """Mode, covariance at the mode, and log evidence up to a constant, by Newton's steps, halved if they overshoot."""

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
"""Version of the saved files."""
FILE: Final = "stacked_logistic.json"
BLOCKS: Final = (1, len(FEATURES), 2 * len(FAMILIES), len(FEATURES), 2 * len(FAMILIES), 2)
"""Sizes of input blocks: the answer's sign; features and families, plain, then times the sign; the student's log odds, both."""
INPUTS: Final = sum(BLOCKS)
LEFT_OUT: Final[tuple[set[int], ...]] = (set(), {2, 4})
"""Blocks left out: none, and subject families."""
_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class StackedLogistic:
    """The fitted predictor.

    >>> asked = {"What is 3 + 4?": "sums", "What is 9 - 5?": "sums", "Who wrote Faust?": "books", "Who wrote Emma?": "books"}
    >>> seen = [(a, b, asked[a], asked[b]) for a in asked for b in asked if a != b]
    >>> pairs = [BeliefPair(*pair, right, belief_change=pair[2] == pair[3]) for pair in seen for right in (True, False)]
    >>> predictor = fit(pairs, rng=np.random.default_rng(0))
    >>> near = BeliefPair("What is 6 + 1?", "What is 2 + 8?", "sums", "sums", previous_correct=True)
    >>> far = BeliefPair("What is 6 + 1?", "Who wrote Ulysses?", "sums", "books", previous_correct=True)
    >>> [bool(chance > 0.5) for chance in predictor.predict([near, far])]
    [True, False]
    """

    vocabulary: Vocabulary
    student: TeacherProcess | None
    """None without a teacher."""
    embedder: Embedder | None
    """Embeds questions for the student."""
    centre: Floats
    """[inputs]: means among the labelled pairs."""
    scale: Floats
    """[inputs]: standard deviations among the labelled pairs."""
    weights: AveragedLogistic

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """The chance of a change, one per pair, strictly between 0 and 1; ignores labels and `pred`."""
        chances = [np.zeros(0)]
        for start in range(0, len(pairs), _AT_ONCE):
            part = pairs[start : start + _AT_ONCE]
            inputs, offset = inputs_of(part, self.vocabulary, self.student, self.embedder)
            chances.append(self.weights.chances(standardised(inputs, self.centre, self.scale), offset))
        return np.concatenate(chances)

    def drawn(self, pairs: Sequence[BeliefPair], number: int, *, rng: np.random.Generator) -> Floats:
        """Chances by other fits that the labels allow, [number, pairs]."""
        inputs, offset = inputs_of(pairs, self.vocabulary, self.student, self.embedder)
        return self.weights.drawn(standardised(inputs, self.centre, self.scale), offset, number, rng)

    def save(self, folder: Path) -> None:
        """Write words as JSON and numbers as plain arrays."""
        parts = {"version": VERSION, "taught": self.student is not None, "embedded": self.embedder is not None}
        write_json(folder / FILE, {**parts, "words": list(self.vocabulary.words)})
        if self.embedder is not None:
            save_embedder(self.embedder, folder)
        for name, array in _arrays(self).items():
            write_array(folder / f"stacked-logistic-{name}.npy", array)


def fit(
    pairs: Sequence[BeliefPair],
    *,
    teachers: Sequence[BeliefPair] = (),
    rng: np.random.Generator,
    config: StackedLogisticConfig = StackedLogisticConfig(),  # noqa: B008 -- frozen
) -> StackedLogistic:
    """Fit to labelled pairs, to a teacher's pairs, or to both. `rng` only samples a teacher's pairs if there are too many.

    pairs: pairs without a label contribute words only. A pair counts by its weight; the weights are scaled so that their sum
        is the effective number of `kish1965`.
    teachers: pairs with a teacher's chance as `pred`. Without labelled pairs, the prediction is the student's.

    Raises `NotEnoughEvidence` without a teacher if there are no labels or all are equal, `BadInput` for a teacher's pair
    without `pred` or an embedder without a teacher, and the errors of `open_embedder`.
    """
    labelled = [pair for pair in pairs if pair.changed is not None and pair.weight > 0]
    labels = np.array([float(bool(pair.changed)) for pair in labelled])
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
    if not labelled:
        return StackedLogistic(vocabulary, student, embedder, np.zeros(INPUTS), np.ones(INPUTS), AveragedLogistic.zero(INPUTS))
    inputs, offset = inputs_of(labelled, vocabulary, student, embedder)
    centre, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale[scale < 1e-9] = 1.0
    weights = np.array([pair.weight for pair in labelled]) / max(pair.weight for pair in labelled)
    weights *= weights.sum() / np.square(weights).sum()
    fitted = AveragedLogistic.over_blocks(
        standardised(inputs, centre, scale), labels, offset=offset, weights=weights, blocks=BLOCKS, left_out=LEFT_OUT
    )
    return StackedLogistic(vocabulary, student, embedder, centre, scale, fitted)


def load(folder: Path) -> StackedLogistic:
    """Open a saved predictor. Raises `BadFile`."""
    file = folder / FILE
    saved = read_json(file)
    words, taught, embedded = saved.get("words"), saved.get("taught"), saved.get("embedded")
    if saved.get("version") != VERSION:
        raise BadFile(file, f"has version {str(saved.get('version'))[:20]}, not {VERSION}: fit the predictor again")
    if not isinstance(words, list) or len(words) > MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise BadFile(file, f"'words' is not a list of at most {MOST_WORDS} words: fit the predictor again")
    if not isinstance(taught, bool) or not isinstance(embedded, bool) or embedded > taught or len(set(words)) != len(words):
        raise BadFile(file, "does not say how it was taught, or repeats a word: fit the predictor again")
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
"""Shapes of saved arrays; -1 is the number of words, -2 the number of sets of penalties."""
_SHAPES_TAUGHT: Final = {
    "taught-level": (2,), "taught-weights": (2, -4), "taught-centre": (len(FEATURES),), "taught-scale": (len(FEATURES),),
    "taught-support": (-3, len(FEATURES)), "taught-pull": (2, -3),
}  # fmt: skip
"""Shapes of a student's arrays, in the order of its fields; -3 is the number of a teacher's pairs, -4 of inputs."""


def _read(folder: Path, words: int, taught: bool, width: int) -> dict[str, Floats]:
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


def _check(pairs: Sequence[BeliefPair], labels: Floats, teachers: Sequence[BeliefPair], config: StackedLogisticConfig) -> None:
    check_labels(pairs, labels, teachers)
    if config.embedder and not teachers:
        raise BadInput("an embedder is given without a teacher: give a teacher's pairs, or no embedder")


def drawn_of(teachers: Sequence[BeliefPair], rng: np.random.Generator) -> list[BeliefPair]:
    """A teacher's pairs in a fixed order, at most `MOST_TAUGHT`."""
    ordered = sorted(teachers, key=lambda pair: (pair.q1, pair.q2, pair.previous_correct, pair.pred))
    if len(ordered) <= MOST_TAUGHT:
        return ordered
    return [ordered[index] for index in np.sort(rng.choice(len(ordered), MOST_TAUGHT, replace=False))]


def vectors_by_pair(embedder: Embedder | None, pairs: Sequence[BeliefPair]) -> Floats | None:
    """Embeddings of both questions side by side."""
    if embedder is None:
        return None
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.q1, pair.q2)))
    vectors, rows = vectors_of(embedder, texts), {text: row for row, text in enumerate(texts)}
    return np.hstack([vectors[[rows[pair.q1] for pair in pairs]], vectors[[rows[pair.q2] for pair in pairs]]])


def _width(embedder: Embedder | None) -> int:
    """Dimensions of both embeddings of a pair."""
    return 0 if embedder is None else 2 * vectors_of(embedder, ["How long is a vector?"]).shape[1]


def inputs_of(
    pairs: Sequence[BeliefPair], vocabulary: Vocabulary, student: TeacherProcess | None, embedder: Embedder | None
) -> tuple[Floats, Floats]:
    """The inputs of the regression, [n, INPUTS], and its offset, [n] log odds."""
    inputs: PairFeatures = pair_features(pairs, vocabulary)
    sign = inputs.sign[:, None]
    odds: Any = np.zeros(len(sign)) if student is None else student.odds(inputs, vectors_by_pair(embedder, pairs))
    parts = [inputs.features, inputs.families]
    return np.hstack([sign, *parts, *(part * sign for part in parts), odds[:, None], odds[:, None] * sign]), odds
