"""The inputs of `stacked_logistic`: subject families and levels from task names, texts as vectors, and features of pairs.

The student of `stacked_logistic`: a Gaussian process that learns a teacher's log odds, with kernel weights by evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from math import fsum
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vivavoce.generalization.pairs import BeliefPair, Floats

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(words.split())
    for name, words in {
        "mathematics": "math mathematics algebra arithmetic statistics calculus geometry probability sums numbers counting "
        "econometrics",
        "matter": "physics chemistry astronomy electrical engineering geology",
        "life": "biology anatomy medicine medical clinical genetics virology nutrition aging health sexuality ecology",
        "society": "psychology sociology economics macroeconomics microeconomics econometrics geography politics government "
        "policy marketing management accounting business relations finance sports",
        "norms": "law jurisprudence moral ethics religions philosophy disputes scenarios causal judgement",
        "past": "history prehistory religions literature art",
        "computing": "computer machine learning programming code software cybersecurity",
        "puzzles": "logical logic deduction tracking shuffled objects lies navigate date temporal sequences reasoning colored "
        "penguins table counting fallacies formal puzzle chess",
        "language": "hyperbaton snarks names movie disambiguation translation words word grammar sentence spelling reading "
        "sarcasm",
    }.items()
}
"""Words in task names by subject, as people see subjects; a task can belong to several families, or to none."""
LEVELS: Final = {
    "elementary": -1.0,
    "primary": -1.0,
    "high": 0.0,
    "school": 0.0,
    "college": 1.0,
    "university": 1.0,
    "professional": 1.5,
}
"""School levels in task names, on our own scale."""

_WORD: Final = re.compile(r"[a-z]+")
_OF_BENCHMARKS: Final = frozenset(
    {"mmlu", "bbh", "high", "school", "college", "professional", "elementary", "two", "three", "five", "seven"}
)


def words_of_task(task: str) -> frozenset[str]:
    """The words of a task's name that describe its subject.

    >>> sorted(words_of_task("mmlu_high_school_biology"))
    ['biology']
    """
    return frozenset(_WORD.findall(task[:200].lower())) - _OF_BENCHMARKS


def name_overlap(first: str, second: str) -> float:
    """Share of words that two task names have in common, from 0 to 1.

    >>> name_overlap("mmlu_high_school_biology", "mmlu_college_biology"), name_overlap("mmlu_anatomy", "bbh_navigate")
    (1.0, 0.0)
    """
    ours, theirs = words_of_task(first), words_of_task(second)
    if first == second:
        return 1.0
    return len(ours & theirs) / max(len(ours | theirs), 1)


def families_of(tasks: Sequence[str]) -> Floats:
    """Membership [n tasks, n families]; rows have length 1, or are 0 for a name of no family.

    >>> families_of(["mmlu_virology", "xyz"]).sum(axis=1).tolist()
    [1.0, 0.0]
    """
    member = np.array([[float(bool(words_of_task(task) & set(words))) for words in FAMILIES.values()] for task in tasks])
    member = member.reshape(len(tasks), len(FAMILIES))
    return np.asarray(member / np.maximum(np.sqrt(member.sum(axis=1, keepdims=True)), 1), dtype=float)


def level_of(task: str) -> float:
    """School level from the name: -1 elementary, 0 high school or unknown, 1 college, 1.5 professional.

    >>> level_of("mmlu_college_physics"), level_of("bbh_navigate")
    (1.0, 0.0)
    """
    return max((LEVELS[word] for word in _WORD.findall(task[:200].lower()) if word in LEVELS), key=abs, default=0.0)


Integers = NDArray[np.int64]

LONGEST_READ: Final = 4_000
"""Characters of a question that are read; questions of `vafa2024` have at most 750."""
MOST_WORDS: Final = 20_000
BUCKETS: Final = 1 << 14
"""Groups of three characters are hashed into these, so that they need not be saved."""

_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_TEXT_WORD: Final = re.compile(r"[^\W\d_]{2,40}|\d+")
_OPTION: Final = re.compile(r"\(([A-Z])\)")
_MIX: Final = np.array([2_654_435_761, 2_246_822_519, 3_266_489_917], dtype=np.uint64)


def plain(question: str) -> str:
    """The question as a person reads it: without tags and entities, on one line, in lower case.

    >>> plain("<b>Is 3 &lt; 4?<br></b>(A) Yes")
    'is 3 < 4? (a) yes'
    """
    return " ".join(unescape(_TAG.sub(" ", question[: 2 * LONGEST_READ])).lower().split())[:LONGEST_READ]


def words_of(text: str) -> list[str]:
    """Words of plain text; all numbers are the same word, as people notice that there are numbers rather than which.

    >>> words_of("what is 12 over 7.5, roughly?")
    ['what', 'is', '#', 'over', '#', '#', 'roughly']
    """
    return ["#" if word.isdigit() else word for word in _TEXT_WORD.findall(text)]


def options_of(question: str) -> int:
    """How many options (A), (B), ... the question offers, counted in order; 0 without options.

    >>> options_of("Which? (A) one (B) two (C) three"), options_of("((-4 * 4)) =")
    (3, 0)
    """
    letters = _OPTION.findall(question[: 2 * LONGEST_READ].upper())
    ordered = [letter for letter, expected in zip(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", strict=False) if letter == expected]
    return len(ordered)


def threes_of(text: str) -> tuple[Integers, Integers]:
    """Buckets of a text's groups of three characters and their counts, sorted by bucket."""
    codes = np.frombuffer(f" {text} ".encode("utf-32-le", errors="replace"), dtype=np.uint32).astype(np.uint64)
    mixed = (codes[:-2] * _MIX[0] + codes[1:-1] * _MIX[1] + codes[2:] * _MIX[2]) & np.uint64(0xFFFFFFFF)
    buckets, counts = np.unique(mixed >> np.uint64(33 - BUCKETS.bit_length()), return_counts=True)
    return buckets.astype(np.int64), counts.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words and groups of three characters with their rarity (inverse document frequency) among known questions.

    >>> known = Vocabulary.of(["Which bird is red?", "Which bird is blue?", "What is 3 + 4?"])
    >>> words, threes = known.vectors(["Which bird is green?", "3 + 4 - 1"])
    >>> words.shape == (2, len(known.words)), threes.shape == (2, BUCKETS)
    (True, True)
    """

    words: tuple[str, ...]
    """In alphabetical order."""
    rarity: Floats
    """Rarity of each word, at least 1."""
    rarity_of_threes: Floats
    """Rarity of each bucket."""

    @classmethod
    def of(cls, questions: Iterable[str]) -> Vocabulary:
        """Learn from questions. Labels, order and repetition make no difference."""
        texts = sorted({plain(question) for question in questions})
        in_texts, in_threes = Counter[str](), np.zeros(BUCKETS)
        for text in texts:
            in_texts.update(set(words_of(text)))
            in_threes[threes_of(text)[0]] += 1
        kept = sorted(sorted(in_texts), key=lambda word: -in_texts[word])[:MOST_WORDS]
        words = tuple(sorted(kept))
        counts = np.array([in_texts[word] for word in words], dtype=float)
        return cls(words, 1 + np.log((1 + len(texts)) / (1 + counts)), 1 + np.log((1 + len(texts)) / (1 + in_threes)))

    def vectors(self, questions: Sequence[str]) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Two matrices with a unit row per question: by words, and by groups of three characters.

        A question without a known word has a row of zeros.
        """
        columns = {word: column for column, word in enumerate(self.words)}
        texts = [plain(question) for question in questions]
        words = []
        for text in texts:
            counted = Counter(columns[word] for word in words_of(text) if word in columns)
            words.append((np.array(list(counted), dtype=np.int64), np.array(list(counted.values()), dtype=np.int64)))
        return _unit_rows(words, self.rarity), _unit_rows([threes_of(text) for text in texts], self.rarity_of_threes)

    def rarities(self, questions: Sequence[str]) -> Floats:
        """Mean rarity of each question's words. Unknown words count as the rarest known; a question without words has 0."""
        known = dict(zip(self.words, self.rarity.tolist(), strict=True))
        rarest = max(known.values(), default=1.0)
        means = []
        for question in questions:
            words = sorted(set(words_of(plain(question))))
            means.append(fsum(known.get(word, rarest) for word in words) / max(len(words), 1))
        return np.array(means, dtype=float)


def _unit_rows(rows: Sequence[tuple[Integers, Integers]], rarity: Floats) -> sparse.csr_array:
    """Rows of (columns, counts) as (1 + log count) * rarity, scaled to length 1."""
    starts = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    columns = np.concatenate([np.zeros(0, dtype=np.int64), *(columns for columns, _ in rows)])
    counts = np.concatenate([np.ones(0, dtype=np.int64), *(counts for _, counts in rows)])
    values = (1 + np.log(counts)) * rarity[columns]
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    lengths = np.sqrt(np.maximum(squares[starts[1:]] - squares[starts[:-1]], 1e-12))
    return sparse.csr_array((values / np.repeat(lengths, np.diff(starts)), columns, starts), shape=(len(rows), len(rarity)))


FEATURES: Final[dict[str, str]] = {
    "words alike": "questions about the same thing share its rare words",
    "spelling alike": "they also share endings, formulas and layout, which words miss",
    "same task": "the second baseline of the paper",
    "tasks alike": "college biology and high school biology share a word of their names",
    "families alike": "anatomy and virology share none, but are one subject to most people",
    "length apart": "a riddle of ten lines and a fact of one line need different skills",
    "numbers apart": "so do a sum and a story",
    "options apart": "so do multiple choice and a free answer",
    "level up": "a failure at high school level predicts one at college level; the reverse says less",
    "rarity up": "rare words make a question look hard if no name gives its level",
    "length 1": "how much work the first question seems to be",
    "length 2": "how much work the second question seems to be",
    "numbers 1": "people expect a machine to do sums well",
    "numbers 2": "people have a firm belief about sums beforehand",
    "puzzle 1": "a puzzle needs thought and a fact needs memory: each says little about the other",
    "puzzle 2": "the same for the second question",
}
"""Each feature of a pair, and the reason for it."""
_PUZZLES: Final = list(FAMILIES).index("puzzles")


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """Pairs as inputs of the predictor, without labels."""

    sign: Floats
    """[n]: 1 after a wrong answer, -1 after a right one."""
    features: Floats
    """[n, features] in the order of `FEATURES`, not centred and not scaled."""
    families: Floats
    """[n, 2 families]: families of the first question's task, then of the second's."""
    first: sparse.csr_array
    """[n, buckets]: the first question by groups of three characters, in rows of length 1."""
    second: sparse.csr_array


def pair_features(pairs: Sequence[BeliefPair], vocabulary: Vocabulary) -> PairFeatures:
    """Compute the inputs for pairs.

    >>> known = Vocabulary.of(["What is 1 + 2?", "Who wrote Faust?"])
    >>> same = BeliefPair("What is 1 + 2?", "What is 1 + 2?", "sums", "sums", previous_correct=True)
    >>> row = dict(zip(FEATURES, pair_features([same], known).features[0].round(3).tolist(), strict=True))
    >>> row["words alike"], row["same task"], row["length apart"]
    (1.0, 1.0, 0.0)
    """
    questions = list(dict.fromkeys(question for pair in pairs for question in (pair.q1, pair.q2)))
    rows = {question: row for row, question in enumerate(questions)}
    numbers, two = [rows[pair.q1] for pair in pairs], [rows[pair.q2] for pair in pairs]
    words, threes = vocabulary.vectors(questions)
    surface = np.array([_surface(question) for question in questions]).reshape(-1, 3)
    rarity = vocabulary.rarities(questions)
    tasks = [(pair.source1, pair.source2) for pair in pairs]
    families = families_of([first for first, _ in tasks]), families_of([second for _, second in tasks])
    first, second = threes[numbers], threes[two]
    columns: list[Floats] = [
        _products(words[numbers], words[two]),
        _products(first, second),
        _column(a == b for a, b in tasks),
        _column(name_overlap(a, b) for a, b in tasks),
        (families[0] * families[1]).sum(axis=1),
        *np.abs(surface[numbers] - surface[two]).T,
        _column(level_of(b) - level_of(a) for a, b in tasks),
        rarity[two] - rarity[numbers],
        surface[numbers, 0], surface[two, 0], surface[numbers, 1], surface[two, 1],
        families[0][:, _PUZZLES], families[1][:, _PUZZLES],
    ]  # fmt: skip
    sign = _column(-1 if pair.previous_correct else 1 for pair in pairs)
    return PairFeatures(sign, np.column_stack(columns), np.hstack(families), first, second)


def _surface(question: str) -> tuple[float, float, float]:
    """Log of the length, share of digits, number of options."""
    text = plain(question)
    return float(np.log1p(len(text))), sum(map(str.isdigit, text)) / max(len(text), 1), float(options_of(question))


def _products(first: sparse.csr_array, second: sparse.csr_array) -> Floats:
    return np.asarray(first.multiply(second).sum(axis=1), dtype=float).ravel()


def _column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=float)


MOST_TAUGHT: Final = 3_000
"""Largest number of soft labels; more are sampled at random. The time grows with the cube of the number."""
MOST_TUNED: Final = 400
"""Largest number of soft labels that the kernel's weights are fitted to."""
FARTHEST: Final = 5.0
"""Largest log odds of a student: no teacher is surer than 0.7%."""
CLIP: Final = 4.0
"""Largest distance of a feature from its mean, in standard deviations."""
_CENTRE, _SPREAD = -2.0, 3.0
"""Mean and standard deviation of the prior on the logarithms of kernel weights, in squared log odds: wide for any teacher."""
_STEPS: Final = 40


class _Part(NamedTuple):
    """Inputs of a linear kernel, [n, inputs], with a scale that makes a pair's similarity to itself 1 on average."""

    inputs: Any
    scale: float


@dataclass(frozen=True, slots=True)
class TeacherProcess:
    """Predicts the log odds that the teacher would give: the mean of a Gaussian process (`rasmussen2006`).

    Two pairs are similar by the text of the first question, the text of the second, the families of their tasks, their features
    (by a linear and by a squared exponential kernel), and sentence embeddings if there are any. Each of these has one weight
    that is shared by both answers, and one that counts with the sign of the answer. All weights maximise the evidence.
    """

    level: Floats
    """[2]: log odds after a right and after a wrong answer, without further information."""
    weights: Floats
    """[2, inputs]: weights of both texts, families, features and embeddings."""
    centre: Floats
    """[features]: means among the teacher's pairs."""
    scale: Floats
    """[features]: standard deviations among the teacher's pairs."""
    support: Floats
    """[pairs, features]: the teacher's pairs in standard deviations, for the squared exponential kernel."""
    pull: Floats
    """[2, pairs]: weight of each of these pairs."""

    @classmethod
    def taught(
        cls, inputs: PairFeatures, pairs: Sequence[BeliefPair], vectors: Floats | None, *, rng: np.random.Generator
    ) -> Self:
        """Learn from pairs that hold a teacher's chance as `pred`.

        vectors: embeddings of both questions side by side, [n, 2 dimensions].
        rng: draws `MOST_TUNED` of the pairs to fit the weights to, if there are more.
        """
        chances = np.clip([pair.pred for pair in pairs], 1 / 150, 149 / 150).astype(float)
        odds = np.log(chances / (1 - chances))
        centre, scale = inputs.features.mean(axis=0), inputs.features.std(axis=0)
        scale[scale < 1e-9] = 1.0
        support = standardised(inputs.features, centre, scale)
        parts = _parts(inputs, support, vectors)
        tuned = np.arange(len(odds))
        if len(odds) > MOST_TUNED:
            tuned = np.sort(rng.choice(len(odds), MOST_TUNED, replace=False))
        weights = _weights(_kernels(parts, support, tuned), inputs.sign[tuned], odds[tuned])
        shared, signed, noise = weights[0:-1:2], weights[1:-1:2], weights[-1]
        product = np.outer(inputs.sign, inputs.sign)
        covariance = noise * np.eye(len(odds))
        for index, kernel in enumerate(_kernels(parts, support, np.arange(len(odds)))):
            covariance += (shared[index] + signed[index] * product) * kernel
        dual = linalg.cho_solve(linalg.cho_factor(covariance), odds)
        # contribution of each pair to a pair after a right answer, and after a wrong one: [2, kernels, n]
        drawn = np.array([dual * (shared[:, None] + signed[:, None] * side * inputs.sign) for side in (-1.0, 1.0)])
        linear = [
            np.asarray((part.inputs.T @ drawn[:, index].T).T / part.scale) for index, part in enumerate(parts)
        ]  # fmt: skip
        return cls(drawn[:, -1].sum(axis=1), np.hstack(linear), centre, scale, support, drawn[:, -2])

    def odds(self, inputs: PairFeatures, vectors: Floats | None) -> Floats:
        """Log odds of each pair, within `FARTHEST`."""
        after = (inputs.sign > 0).astype(int)
        features = standardised(inputs.features, self.centre, self.scale)
        columns: Any = sparse.hstack(
            [sparse.csr_array(part.inputs) for part in _parts(inputs, features, vectors)], format="csr"
        )
        both = np.asarray(columns @ self.weights.T, dtype=float) + _near(features, self.support) @ self.pull.T + self.level
        return np.asarray(np.clip(both[np.arange(len(after)), after], -FARTHEST, FARTHEST), dtype=float)


def standardised(features: Floats, centre: Floats, scale: Floats) -> Floats:
    """Features in standard deviations, clipped at `CLIP`."""
    return np.clip((features - centre) / scale, -CLIP, CLIP)


def _parts(inputs: PairFeatures, features: Floats, vectors: Floats | None) -> list[_Part]:
    """The linear kernels. Rows of texts, families and vectors have length 1; features are in standard deviations."""
    parts = [_Part(inputs.first, 1.0), _Part(inputs.second, 1.0), _Part(inputs.families, 2.0)]
    parts.append(_Part(features, float(features.shape[1])))
    if vectors is not None:
        half = vectors.shape[1] // 2
        parts += [_Part(vectors[:, :half], 1.0), _Part(vectors[:, half:], 1.0)]
    return parts


def _near(features: Floats, support: Floats) -> Floats:
    """The squared exponential kernel, which falls to exp(-1) at the average distance of features."""
    apart = np.square(features).sum(axis=1)[:, None] + np.square(support).sum(axis=1) - 2 * features @ support.T
    return np.asarray(np.exp(-np.maximum(apart, 0) / (2 * features.shape[1])), dtype=float)


def _kernels(parts: Sequence[_Part], support: Floats, indices: NDArray[np.intp]) -> list[Floats]:
    """Kernel matrices: the linear ones, the squared exponential one and the constant, in this order."""
    linear = []
    for part in parts:
        rows = part.inputs[indices]
        product: Any = rows @ rows.T
        dense: Floats = np.asarray(product if isinstance(product, np.ndarray) else product.toarray(), dtype=np.float64)
        linear.append(dense / part.scale)
    return [*linear, _near(support[indices], support[indices]), np.ones((len(indices), len(indices)))]


def _weights(kernels: Sequence[Floats], sign: Floats, odds: Floats) -> Floats:
    """Weights that maximise the evidence, alternately shared and signed, and the noise: [2 kernels + 1]."""
    from scipy.optimize import minimize

    product = np.outer(sign, sign)
    every = [each for kernel in kernels for each in (kernel, kernel * product)]

    def cost(logs: Floats) -> tuple[float, Floats]:
        weights = np.exp(logs)
        total = weights[-1] * np.eye(len(odds))
        for weight, kernel in zip(weights, every, strict=False):
            total += weight * kernel
        factor = linalg.cho_factor(total, lower=True)
        inverse = linalg.cho_solve(factor, np.eye(len(odds)))
        dual = inverse @ odds
        value = 0.5 * float(odds @ dual) + float(np.log(np.diag(factor[0])).sum())
        bent = inverse - np.outer(dual, dual)
        slope = np.array([0.5 * float((bent * kernel).sum()) for kernel in every] + [0.5 * float(np.trace(bent))]) * weights
        off = (logs - _CENTRE) / _SPREAD
        return value + 0.5 * float(off @ off), slope + off / _SPREAD

    optimum = minimize(
        cost, np.full(len(every) + 1, _CENTRE), jac=True, method="L-BFGS-B", bounds=[(-9.0, 4.0)] * (len(every) + 1),
        options={"maxiter": _STEPS},
    )  # fmt: skip
    return np.asarray(np.exp(optimum.x), dtype=float)
