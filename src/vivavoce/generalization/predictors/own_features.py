"""What two questions have to do with each other, in numbers: the features of our own predictor, and why each is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import sparse

from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.own_tasks import FAMILIES, alike, families_of, level_of
from vivavoce.generalization.predictors.own_text import Vocabulary, options_of, plain

FEATURES: Final[dict[str, str]] = {
    "words alike": "two questions about one thing share its rare words",
    "spelling alike": "and its endings, formulas and layout, which words miss",
    "same task": "the second baseline of the paper",
    "tasks alike": "college biology and high school biology share a name",
    "families alike": "anatomy and virology do not, and are one subject to most people",
    "length apart": "a riddle of ten lines and a fact of one line ask for other skills",
    "numbers apart": "so do a sum and a story",
    "options apart": "and so do choosing and answering freely",
    "level up": "who fails high school fails college; the other way round says less",
    "rarity up": "rare words make a question look hard where no name tells its level",
    "length 1": "how much work the first looks like",
    "length 2": "how much work the second does",
    "numbers 1": "sums are what people expect of a machine, right or wrong",
    "numbers 2": "and of which they believe to know beforehand how it does",
    "puzzle 1": "a puzzle needs thought, a fact needs memory: the one says little of the other",
    "puzzle 2": "the same from the other side",
}
"""Each feature of a pair, and why it is looked at."""
_PUZZLES: Final = list(FAMILIES).index("puzzles")


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """Pairs as our own predictor sees them; labels have no part in it."""

    sign: Floats
    """[n]: 1 after a wrong answer, -1 after a right one."""
    features: Floats
    """[n, features], those of `FEATURES`, neither centred nor scaled."""
    families: Floats
    """[n, 2 families]: of the first question's task, and of the second's."""
    first: sparse.csr_array
    """[n, buckets]: the first question by groups of three characters, rows of length 1."""
    second: sparse.csr_array


def pair_features(pairs: Sequence[Pair], vocabulary: Vocabulary) -> PairFeatures:
    """All that is known of pairs before any label.

    >>> known = Vocabulary.of(["What is 1 + 2?", "Who wrote Faust?"])
    >>> same = Pair("What is 1 + 2?", "What is 1 + 2?", "sums", "sums", previous_correct=True)
    >>> row = dict(zip(FEATURES, pair_features([same], known).features[0].round(3).tolist(), strict=True))
    >>> row["words alike"], row["same task"], row["length apart"]
    (1.0, 1.0, 0.0)
    """
    questions = list(dict.fromkeys(question for pair in pairs for question in (pair.q1, pair.q2)))
    place = {question: index for index, question in enumerate(questions)}
    one, two = [place[pair.q1] for pair in pairs], [place[pair.q2] for pair in pairs]
    words, threes = vocabulary.vectors(questions)
    surface = np.array([_surface(question) for question in questions]).reshape(-1, 3)
    rarity = vocabulary.rarities(questions)
    tasks = [(pair.source1, pair.source2) for pair in pairs]
    families = families_of([first for first, _ in tasks]), families_of([second for _, second in tasks])
    first, second = threes[one], threes[two]
    columns: list[Floats] = [
        _products(words[one], words[two]),
        _products(first, second),
        _column(a == b for a, b in tasks),
        _column(alike(a, b) for a, b in tasks),
        (families[0] * families[1]).sum(axis=1),
        *np.abs(surface[one] - surface[two]).T,
        _column(level_of(b) - level_of(a) for a, b in tasks),
        rarity[two] - rarity[one],
        surface[one, 0], surface[two, 0], surface[one, 1], surface[two, 1],
        families[0][:, _PUZZLES], families[1][:, _PUZZLES],
    ]  # fmt: skip
    sign = _column(-1 if pair.previous_correct else 1 for pair in pairs)
    return PairFeatures(sign, np.column_stack(columns), np.hstack(families), first, second)


def _surface(question: str) -> tuple[float, float, float]:
    """Log of its length, share of digits, number of options."""
    text = plain(question)
    return float(np.log1p(len(text))), sum(map(str.isdigit, text)) / max(len(text), 1), float(options_of(question))


def _products(first: sparse.csr_array, second: sparse.csr_array) -> Floats:
    """Row by row."""
    return np.asarray(first.multiply(second).sum(axis=1), dtype=float).ravel()


def _column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=float)
