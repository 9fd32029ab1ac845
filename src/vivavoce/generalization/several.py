"""What people believe once they have seen several answers, from what they believe after each one alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.generalization.beliefs import Beliefs, Floats
from vivavoce.generalization.pairs import Pair

NEAREST: Final = 0.005
"""To 0 and 1 that a belief is taken to be: beliefs in whole percents are below half a percent where they are 0."""


@dataclass(frozen=True, slots=True)
class Combined:
    """The belief about a question after all answers that were seen."""

    question: str
    answers: int
    """Different ones."""
    belief: float


def after_several(prior: ArrayLike, after_each: ArrayLike) -> Floats:
    """Belief after several observed answers, by Bayes' rule in odds.

    Each answer multiplies the odds by posterior odds / prior odds of that answer alone. This holds where the answers are
    independent of one another given whether the question in mind is answered right; answers that resemble each other are
    counted too much. `vafa2024` names the rule in its conclusion and leaves untested whether people keep to it;
    `bayes_fit` tests that.

    Parameters
    ----------
    prior: beliefs before anything was seen, shape (n,) or one number; strictly between 0 and 1.
    after_each: beliefs after each answer alone, shape (n, answers), strictly between 0 and 1.

    Returns beliefs of shape (n,).

    >>> after_several(0.5, [[0.8, 0.8]]).round(4).tolist()  # odds 4 x 4 = 16
    [0.9412]
    >>> after_several(0.6, [[0.6, 0.3]]).round(4).tolist()  # the first answer told nothing
    [0.3]
    """
    each = np.asarray(after_each, dtype=float)
    if each.ndim != 2:
        raise BadInput(f"beliefs after each answer have {each.ndim} axes; they have two: questions and answers")
    before = np.broadcast_to(np.asarray(prior, dtype=float), each.shape[:1])
    for name, values in (("prior", before), ("after an answer", each)):
        outside = values[~((values > 0) & (values < 1))]
        if outside.size:
            raise BadInput(f"the belief {name} is {outside.flat[0]}: odds need it strictly between 0 and 1")
    start = np.log(before / (1 - before))
    odds = start + (np.log(each / (1 - each)) - start[:, None]).sum(axis=1)
    return np.asarray(1 / (1 + np.exp(-odds)), dtype=float)


def combined(pairs: Iterable[Pair], prior: float) -> list[Combined]:
    """The beliefs about all second questions, by Bayes' rule in odds; the highest belief first.

    Each answer moves the log odds by what it alone does to them. Where several people saw the same answer, that is the mean of
    their shifts: it is one answer, however many saw it. It starts from the mean of the beliefs before.

    Parameters
    ----------
    pairs: one for each belief after an answer, which is `posterior`, else follows from `pred`.
    prior: the belief before, where a pair has none.

    Raises `BadInput` for a pair without a belief after the answer.

    >>> seen = [Pair("a?", "x?", "s", "s", True, prior=0.5, posterior=0.8, person=who) for who in ("ann", "bob")]
    >>> [round(one.belief, 4) for one in combined(seen, 0.5)]  # one answer, seen twice
    [0.8]
    """
    mixture = Beliefs(prior=prior)
    starts: dict[str, list[float]] = defaultdict(list)
    shifts: dict[str, dict[tuple[str, bool], list[float]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        after = pair.posterior
        if after is None and pair.pred is not None:
            after = float(mixture.after([pair.pred], [pair.previous_correct])[0])
        if after is None:
            raise BadInput("each pair needs a posterior, or a pred from which one follows: see 'viva generalization predict'")
        before = prior if pair.prior is None else pair.prior
        starts[pair.q2].append(before)
        shifts[pair.q2][(pair.q1, pair.previous_correct)].append(log_odds(after) - log_odds(before))
    found = []
    for question, by_answer in shifts.items():
        start = float(np.clip(np.mean(starts[question]), NEAREST, 1 - NEAREST))
        odds = log_odds(start) + fsum(float(np.mean(of)) for of in by_answer.values())
        found.append(Combined(question, len(by_answer), float(1 / (1 + np.exp(-odds)))))
    return sorted(found, key=lambda one: -one.belief)


def log_odds(belief: float) -> float:
    """Of a belief, which may be 0 or 1 where somebody said so.

    >>> round(log_odds(0.8), 4), log_odds(1.0) == log_odds(0.995)
    (1.3863, True)
    """
    inside = float(np.clip(belief, NEAREST, 1 - NEAREST))
    return float(np.log(inside / (1 - inside)))
