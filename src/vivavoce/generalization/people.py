"""How much people differ in how readily they change a belief: a logistic model with a random effect for each person.

    logit P(person j changes at pair i) = a + b x_i + sigma z_j,    z_j standard normal,

where x_i is the log-odds that a predictor gave the pair, if it gave any. `vafa2024` studies all people together and names
their differences as a limit; labels with a person's pseudonym, as your own surveys yield, allow this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, expit, log_expit, logsumexp

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair
from vivavoce.statistics.roots import root

FEWEST: Final = 5
"""People, each with at least two answers."""
POINTS: Final = 41
"""Of Gauss-Hermite quadrature; ample for a sigma up to `LARGEST`."""
LARGEST: Final = 5.0
"""Log-odds; beyond it every person always changes or never does."""


@dataclass(frozen=True, slots=True)
class Differences:
    """What the random effect is."""

    sigma: Estimate
    """Standard deviation between people in log-odds, by maximum likelihood; n is the number of people."""
    p: float
    """That people do not differ at all: likelihood ratio, halved since sigma cannot be negative (`self1987`)."""
    typical: Interval
    """Chance to change, at an average pair, of a person at the 5th and one at the 95th percentile."""
    answers: int


class _Data(NamedTuple):
    changed: NDArray[np.bool_]
    features: Floats
    person: NDArray[np.int64]


def differences(pairs: Sequence[Pair], *, confidence: float = 0.95) -> Differences:
    """Fit the random effect to pairs that say who changed a belief; pairs without a person or a label are left aside.

    Raises `NotEnoughEvidence` for fewer than five people with two answers each, or where all answers agree.
    """
    from scipy.optimize import minimize_scalar  # to import it takes longer than to draw a page, and pages import this

    data = _data(pairs)
    people = int(data.person.max()) + 1 if data.person.size else 0
    if people < FEWEST or data.changed.all() or not data.changed.any():
        raise NotEnoughEvidence(
            f"{people} people with two answers or more, {int(data.changed.sum())} of {data.changed.size} answers a change; "
            f"differences between people need {FEWEST} people and both kinds of answers"
        )
    best = minimize_scalar(
        lambda value: -_profile(data, value)[0], bounds=(0, LARGEST), method="bounded", options={"xatol": 1e-3}
    )
    sigma = float(best.x)
    (top, (start, *slopes)), (flat, _) = _profile(data, sigma), _profile(data, 0.0)
    if flat >= top:  # the likelihood falls from 0 on
        sigma, top = 0.0, flat
    average = start + float(np.dot(slopes, data.features[:, 1:].mean(axis=0)))
    ends = (1 / (1 + np.exp(-(average + side * 1.6449 * sigma))) for side in (-1, 1))
    return Differences(
        sigma=Estimate(sigma, _interval(data, sigma, top, confidence), people),
        p=float(chdtrc(1, max(2 * (top - flat), 0))) / (2 if top > flat else 1),
        typical=Interval(*(float(end) for end in ends)),
        answers=data.changed.size,
    )


def log_likelihood(changed: NDArray[np.bool_], linear: Floats, person: NDArray[np.int64], sigma: float) -> tuple[float, Floats]:
    """Log-likelihood of a logistic model with a normal random effect, by Gauss-Hermite quadrature, and its slope in `linear`.

    Parameters
    ----------
    changed: outcomes, shape (n,).
    linear: their log-odds for a person of the middle, shape (n,).
    person: number of the person of each, from 0.

    >>> value, slope = log_likelihood(np.array([True, False]), np.zeros(2), np.array([0, 1]), 0.0)
    >>> round(value, 6), round(2 * float(np.log(0.5)), 6), slope.round(3).tolist()
    (-1.386294, -1.386294, [0.5, -0.5])
    """
    nodes, weights = hermegauss(POINTS)
    signs = np.where(changed, 1.0, -1.0)[:, None]
    logits = signs * (linear[:, None] + sigma * nodes)  # answers x nodes
    by_person = np.zeros((int(person.max()) + 1, POINTS))
    np.add.at(by_person, person, log_expit(logits))
    by_person += np.log(weights / weights.sum())
    each = logsumexp(by_person, axis=1)
    posterior = np.exp(by_person - each[:, None])  # of the nodes, for each person
    return float(each.sum()), (posterior[person] * signs * expit(-logits)).sum(axis=1)


def _data(pairs: Sequence[Pair]) -> _Data:
    named: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.person and pair.changed is not None:
            named.setdefault(pair.person, []).append(pair)
    groups = [group for group in named.values() if len(group) > 1]
    kept = list(chain.from_iterable(groups))
    columns = [np.ones(len(kept))]
    if kept and all(pair.pred is not None for pair in kept):
        chance = np.clip([pair.pred or 0.0 for pair in kept], 1e-6, 1 - 1e-6)
        columns.append(np.log(chance / (1 - chance)))
    person = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return _Data(np.array([bool(pair.changed) for pair in kept]), np.column_stack(columns), person)


def _profile(data: _Data, sigma: float) -> tuple[float, tuple[float, ...]]:
    """The highest log-likelihood at this sigma, and the other parameters there."""
    from scipy.optimize import minimize

    def loss(beta: Floats) -> tuple[float, Floats]:
        value, slope = log_likelihood(data.changed, data.features @ beta, data.person, sigma)
        return -value, -(data.features.T @ slope)

    share = data.changed.mean()
    first = np.zeros(data.features.shape[1])
    first[0] = np.log(share / (1 - share))
    if first.size > 1:
        first[:2] = 0.0, 1.0
    found = minimize(loss, first, jac=True, method="BFGS", options={"gtol": 1e-4})
    return -float(found.fun), tuple(float(value) for value in found.x)


def _interval(data: _Data, sigma: float, top: float, confidence: float) -> Interval:
    """By profile likelihood: all sigma that are not far below the highest point."""
    fall = float(chdtri(1, 1 - confidence)) / 2

    def above(value: float) -> float:
        return _profile(data, value)[0] - top + fall

    lower = 0.0 if sigma == 0 or above(0.0) >= 0 else root(above, 0.0, sigma, xtol=1e-3)
    upper = LARGEST if above(LARGEST) >= 0 else root(above, sigma, LARGEST, xtol=1e-3)
    return Interval(lower, upper)
