"""Humanity: how often people take a player for a person, and a ladder of it.

The share of people's judgements that say person is published as it is, with its interval. With few judgements shares are
extreme by chance alone, so the ladder is by another number: the share that is expected of further judgements, were each
player's own share drawn from one beta distribution for all, people and machines alike, which is fitted to all players
(`griffiths1973`'s beta-binomial, by maximum likelihood). Nobody stands higher for being a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import betaincinv, betaln, expit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.identification import Identification, called_human

WEAKEST: Final = 1.0
STRONGEST: Final = 1_000.0
"""Bounds of how many judgements the prior is worth: players who all have the same share would make it endless."""
_WIDEST: Final = 6.0
"""Of the logarithm of the odds of the prior's mean."""


class Prior(NamedTuple):
    """A beta distribution of shares over players."""

    person: float
    machine: float


UNIFORM: Final = Prior(1.0, 1.0)
"""For a single player: of one nobody can say how players differ."""


@dataclass(frozen=True, slots=True)
class Humanity:
    """How often people take a player for a person."""

    player: str
    human: bool
    """Whether the player is one."""
    share: Estimate
    """Of judgements that say person, with an interval that allows for judges who judged the player several times."""
    expected: Estimate
    """By which players are ordered: the share of further judgements, with a 95% credible interval."""


def humanity(judgements: Sequence[Identification]) -> list[Humanity]:
    """All who were judged by people, the most human first.

    >>> humanity([])
    []
    """
    about: dict[str, list[Identification]] = {}
    for one in judgements:
        about.setdefault(one.target, []).append(one)
    if not about:
        return []
    persons = [sum(one.said.human for one in received) for received in about.values()]
    prior = fit_prior(persons, [len(received) for received in about.values()])
    found = [
        Humanity(player, received[0].human, called_human(received), expected_share(number, len(received), prior))
        for (player, received), number in zip(about.items(), persons, strict=True)
    ]
    return sorted(found, key=lambda one: (-(one.expected.value or 0.0), one.player))


def fit_prior(persons: ArrayLike, judgements: ArrayLike) -> Prior:
    """The beta distribution under which these counts are likeliest; the uniform one for a single player.

    Parameters
    ----------
    persons, judgements: of each player, how many judgements say person, and how many there are.

    Raises `NotEnoughEvidence` where there is no player.

    >>> prior = fit_prior([10, 0, 10, 0], [10, 10, 10, 10])  # all or nothing: players differ as much as they can
    >>> round(prior.person, 1), round(prior.machine, 1)
    (0.5, 0.5)
    """
    k, n = (np.asarray(values, dtype=np.float64) for values in (persons, judgements))
    if not n.size:
        raise NotEnoughEvidence("nobody was judged")
    if n.size < 2:
        return UNIFORM

    def surprise(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        a, b = _prior(at)
        return -float(np.sum(betaln(a + k, b + n - k) - betaln(a, b)))

    starts = [np.array([0.0, np.log(size)]) for size in (2.0, 20.0)]
    bounds = [(-_WIDEST, _WIDEST), (np.log(WEAKEST), np.log(STRONGEST))]
    found = [minimize(surprise, start, method="L-BFGS-B", bounds=bounds) for start in starts]
    return _prior(min(found, key=lambda one: float(one.fun)).x)


def expected_share(persons: int, judgements: int, prior: Prior) -> Estimate:
    """The share of further judgements that will say person, with a credible interval.

    >>> found = expected_share(3, 4, UNIFORM)
    >>> found.value, found.n  # (3 + 1) / (4 + 2)
    (0.6666666666666666, 4)
    """
    a, b = prior.person + persons, prior.machine + judgements - persons
    ends = (float(betaincinv(a, b, level)) for level in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(a / (a + b), Interval(*ends), judgements)


def _prior(at: ArrayLike) -> Prior:
    odds, size = np.asarray(at, dtype=np.float64)
    mean = float(expit(odds))
    return Prior(mean * float(np.exp(size)), (1 - mean) * float(np.exp(size)))
