"""What a task's name tells: its subject family, and the school year that it is from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from vivavoce.generalization.beliefs import Floats

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
"""Words in the names of tasks, by what people would call one subject; a task can be of several families, or of none."""
LEVELS: Final = {
    "elementary": -1.0,
    "primary": -1.0,
    "high": 0.0,
    "school": 0.0,
    "college": 1.0,
    "university": 1.0,
    "professional": 1.5,
}
"""School years that names of tasks speak of, on a scale of our own."""

_WORD: Final = re.compile(r"[a-z]+")
_OF_BENCHMARKS: Final = frozenset(
    {"mmlu", "bbh", "high", "school", "college", "professional", "elementary", "two", "three", "five", "seven"}
)


def words_of_task(task: str) -> frozenset[str]:
    """The words of a task's name that say what it is about.

    >>> sorted(words_of_task("mmlu_high_school_biology"))
    ['biology']
    """
    return frozenset(_WORD.findall(task[:200].lower())) - _OF_BENCHMARKS


def alike(first: str, second: str) -> float:
    """Share of words that the names of two tasks have in common, from 0 to 1.

    >>> alike("mmlu_high_school_biology", "mmlu_college_biology"), alike("mmlu_anatomy", "bbh_navigate")
    (1.0, 0.0)
    """
    ours, theirs = words_of_task(first), words_of_task(second)
    if first == second:
        return 1.0
    return len(ours & theirs) / max(len(ours | theirs), 1)


def families_of(tasks: Sequence[str]) -> Floats:
    """Membership [n tasks, n families], rows of length 1, or of zeros where the name tells nothing.

    >>> families_of(["mmlu_virology", "xyz"]).sum(axis=1).tolist()
    [1.0, 0.0]
    """
    member = np.array([[float(bool(words_of_task(task) & set(words))) for words in FAMILIES.values()] for task in tasks])
    member = member.reshape(len(tasks), len(FAMILIES))
    return np.asarray(member / np.maximum(np.sqrt(member.sum(axis=1, keepdims=True)), 1), dtype=float)


def level_of(task: str) -> float:
    """School year by the name: -1 elementary, 0 high school or not said, 1 college, 1.5 professional.

    >>> level_of("mmlu_college_physics"), level_of("bbh_navigate")
    (1.0, 0.0)
    """
    return max((LEVELS[word] for word in _WORD.findall(task[:200].lower()) if word in LEVELS), key=abs, default=0.0)
