"""Comparisons with a history: how many questions they save, and how often a statement is wrong, whatever the history is worth.

Recorded models: pairs of 17 models on categories of MMLU-Pro, until it is clear who is better, in the same drawn order with and
without: by the answers of the other models, and by these and the second candidate's own, as those of a recorded baseline.

Made-up lists at the boundary: both candidates have as many questions right, and the history is what an adversary would choose.

    python -m tests.validity.history_compared [--runs 4000] [--data DIR] [--pairs 40]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, RecordedAnswers, Row
from tests.validity.history import print_tables
from vivavoce.certificate.comparison.drawing import UnitPosition, paired_drawing
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement, with_known
from vivavoce.certificate.design.history import History
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

Floats = NDArray[np.float64]
PAIR: Final = ("first", "second")
SIZE: Final = 40


def evidence_of(scores: Floats, names: Sequence[str], size: int) -> PairedEvidence:
    """Of two candidates; scores: of others, shape (questions, others), none without a history."""
    questions = tuple(Question(f"{n}", f"{n}?", accepted=("A",)) for n in range(size))
    scope = ListedScope("made up", questions)
    rows = {f"{n}": tuple(float(entry) for entry in row) for n, row in enumerate(scores)}
    drawn = paired_drawing("scope", scope)
    if names:
        drawn = with_known(drawn, History(tuple(names), rows), PAIR, [(0, 1)])
    return PairedEvidence([(0, 1)], margin=0.0, delta=DELTA, means=drawn.means)


def compared(answers: Floats, order: NDArray[np.intp], scores: Floats, names: Sequence[str]) -> tuple[int, int]:
    """Questions until it is clear who is better, and who: 1 the first, -1 the second, 0 nobody.

    answers: of both, shape (questions, 2).
    """
    evidence = evidence_of(scores, names, len(answers))
    for n, position in enumerate(order, 1):
        evidence.take(answers[position], answers[position], UnitPosition(number=int(position)))
        made = evidence.made[0]
        if made[PairStatement.BETTER] or made[PairStatement.WORSE]:
            return n, 1 if made[PairStatement.BETTER] else -1
    return len(order), 0


@dataclass(frozen=True)
class EqualCandidates:
    """Two candidates that have as many questions right, and a history."""

    name: str
    history: Callable[[Floats, np.random.Generator], Floats]
    """By the answers of both; its first columns are those of the candidates by name."""
    own: int = 0
    """How many of its columns bear the names of the candidates."""


EQUALS: Final = (
    EqualCandidates("their own answers", lambda x, rng: x, own=2),
    EqualCandidates("the opposite of their own answers", lambda x, rng: 1 - x, own=2),
    EqualCandidates(
        "the difference itself", lambda x, rng: np.column_stack([(x[:, 0] > x[:, 1]), (x[:, 0] < x[:, 1])]).astype(float), own=2
    ),
    EqualCandidates("others that agree with the first", lambda x, rng: np.abs(x[:, [0]] - (rng.random((len(x), 8)) < 0.2))),
    EqualCandidates("worthless", lambda x, rng: (rng.random((len(x), 8)) < 0.5).astype(float), own=2),
    EqualCandidates("constant", lambda x, rng: np.ones((len(x), 2)), own=2),
)


def wrong(case: EqualCandidates, *, runs: int, seed: int = 1, size: int = SIZE) -> float:
    """How often one of two equals is called better."""
    number = 0
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        answers = rng.permuted(np.repeat(np.arange(2)[:, None], size // 2, axis=0).repeat(2, axis=1).astype(float), axis=0)
        scores = case.history(answers, rng)
        names = [*PAIR, *(f"other {n}" for n in range(9))]
        names = names[: scores.shape[1]] if case.own else [f"other {n}" for n in range(scores.shape[1])]
        _, who = compared(answers, rng.permutation(size), scores, names)
        number += who != 0
    return number / runs


def error_rows(runs: int) -> Iterator[Row]:
    """Of pairs of equals."""
    return ((case.name, wrong(case, runs=runs)) for case in EQUALS)


def saved(of: RecordedAnswers, *, pairs: int, own: bool, seed: int = 0, least: float = 0.03) -> Floats:
    """Questions without a history and with it, shape (comparisons, 2), of pairs that differ by this much or more.

    own: whether the second candidate's answers are in the history, too.
    """
    rng, result = np.random.default_rng(seed), []
    categories = sorted(set(of.category.tolist()))
    drawn = rng.permutation([(a, b, c) for a, b in combinations(range(len(of.names)), 2) for c in range(len(categories))])
    for first, second, category in drawn:
        rows = np.flatnonzero(of.category == categories[category])
        answers = of.right[rows][:, [first, second]]
        if abs(answers.mean(axis=0) @ [1, -1]) < least:
            continue
        others = [index for index in range(len(of.names)) if index not in (first, second)]
        names = [*(PAIR[1:] if own else ()), *(of.names[other] for other in others)]
        scores = of.right[rows][:, [*([second] if own else ()), *others]]
        order = rng.permutation(rows.size)
        result.append((compared(answers, order, scores, [])[0], compared(answers, order, scores, names)[0]))
        if len(result) == pairs:
            break
    return np.array(result, dtype=float)


def recorded_rows(of: RecordedAnswers, pairs: int) -> Iterator[Row]:
    """Of pairs of recorded models."""
    for name, own in (("the other models", False), ("these, and the second candidate's own answers", True)):
        values = saved(of, pairs=pairs, own=own)
        without, with_ = values.sum(axis=0)
        usual = np.exp(np.log(values[:, 1] / values[:, 0]).mean()) - 1
        yield name, f"{len(values)}", f"{without:.0f}", f"{with_:.0f}", f"{with_ / without - 1:+.1%}", f"{usual:+.1%}"


if __name__ == "__main__":
    heads = ("history", "comparisons", "questions without", "with", "of all", "of a usual comparison")
    errors = (("history of two equals", "one is called better"), error_rows)
    print_tables(__doc__, (heads, recorded_rows), errors, ("pairs", 200, "comparisons of recorded models"))
