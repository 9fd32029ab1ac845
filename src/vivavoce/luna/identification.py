"""Person or machine: what people said of whom they played, and how often they were right.

Only judgements of people count, of players who could have been either: machines' do not, nor those of players who refuse
machines, nor where the guess was voided or a machine took over a seat.

A judge who takes everybody for a person does so again and again, so judgements by one person are not independent. Intervals
are Clopper and Pearson's at the effective number of judgements, robust to what shares a judge
(`vivavoce.statistics.clustered.share_interval`); where people are judged together, also to what shares the person judged. They
are not robust to sharing a machine, and so say what other judges would find of these very machines, not of machines at large,
of which a site has too few. A bootstrap over players has no interval where all judgements agree, which is common with few.

Humanity: how often people take a player for a person, and a ladder of it.

The share of people's judgements that say person is published as it is, with its interval. With few judgements shares are
extreme by chance alone, so the ladder is by another number: the share that is expected of further judgements, were each
player's own share drawn from one beta distribution for all, people and machines alike, which is fitted to all players
(`griffiths1973`'s beta-binomial, by maximum likelihood). Nobody stands higher for being a person.

Who tells people from machines: a ladder of judges, apart from smartness.

A judgement is worth points by the quadratic rule (`brier1950`), under which nobody expects more from saying another number
than the one they believe, and the worst is finite, so that one careless "100%" does not decide a ladder, as it would by the
logarithmic rule. Openskill and Bradley-Terry know who beat whom; judges do not meet, and would lose what confidence tells.

Where most of the others are machines, saying "machine" to everybody is right mostly. So the points of a judgement count by
the kind of the one judged, people and machines half each over all judgements of a site. Then no answer that is given to
everybody, however sure, is expected to get more than 0, whatever the share of machines (a coin at 50% gets 0); certain and
always right gets 100.

Few judgements say little: the ladder is by a mean drawn towards that of all judges as far as chance explains how judges differ
(empirical Bayes, with variances between and within judges by analysis of variance).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, inf
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import betaincinv, betaln, expit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.clustered import mean_interval, share_interval

EDGES: Final = (50, 60, 70, 80, 90, 100)
"""Of confidence, in percent; the last bin has 100 in it."""
FEWEST_FOR_THIRDS: Final = 6
"""Judgements that are split into thirds."""
NOTHING: Final = Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Identification:
    """What a person said of one player, and what that player is."""

    judge: str
    target: str
    human: bool
    """Whether the target is a person."""
    said: PersonOrMachine
    characters: int | None = None
    """Of the target's answers; None where they are not known."""
    seconds: float | None = None
    """That the judge took, from the answers to the guess."""

    @property
    def right(self) -> bool:
        """Whether the target is what was said."""
        return self.said.human is self.human

    @property
    def points(self) -> float:
        """What the judgement is worth: see `PersonOrMachine.points`."""
        return self.said.points(self.human)


class JudgingSeat(Protocol):
    """One player's part of a finished game."""

    @property
    def player(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def answers(self) -> tuple[str, ...] | None: ...
    @property
    def voided(self) -> bool: ...
    @property
    def judged_human(self) -> bool | None: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def right(self) -> bool | None:
        """None for a judgement that counts nothing."""
        ...

    @property
    def seconds(self) -> tuple[float, float, float]: ...


@dataclass(frozen=True, slots=True)
class JudgementThird:
    """Judgements of machines that answered about as much, or whose judges took about as long."""

    lower: float
    upper: float
    passed: Estimate
    """Share of them that say person."""


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Judgements of about the same confidence."""

    lower: int
    upper: int
    confidence: float | None
    """Their mean, in percent; None for none."""
    right: Estimate
    """Share of them that are right."""


def identifications(pairs: Iterable[tuple[JudgingSeat, JudgingSeat]]) -> list[Identification]:
    """The judgements that count, of pairs of a judge's seat and the other's."""
    return [
        Identification(
            own.player,
            other.player,
            other.kind != "machine",
            PersonOrMachine(own.judged_human, own.confidence),
            None if other.answers is None else sum(map(len, other.answers)),
            own.seconds[2],
        )
        for own, other in pairs
        if own.kind != "machine" and not own.voided
        if own.judged_human is not None and own.confidence is not None and own.right is not None
    ]


def called_human(judgements: Sequence[Identification]) -> Estimate:
    """The share that say person, with an interval for these very players; without value where there is none.

    >>> from vivavoce.luna.rules import PersonOrMachine
    >>> verdicts = {name: PersonOrMachine(name == "ann", 80.0) for name in ("ann", "bob", "eve", "kim")}
    >>> found = called_human([Identification(name, "bot", False, verdict) for name, verdict in verdicts.items()])  # one of four, by Clopper and Pearson
    >>> found.value, round(found.interval.lower, 4), round(found.interval.upper, 4)
    (0.25, 0.0063, 0.8059)
    """
    return _share([one.said.human for one in judgements], _by_judge(judgements))


def called_machine(judgements: Sequence[Identification]) -> Estimate:
    """The share that say machine, with an interval for other people, too; without value where there is none."""
    return _share([not one.said.human for one in judgements], _by_both(judgements))


def mean_points(judgements: Sequence[Identification]) -> Estimate:
    """Points on average (`PersonOrMachine.points`), with Student's t interval, robust to sharing a judge or a person judged."""
    if not judgements:
        return Estimate(None, Interval(-300.0, 100.0), 0)
    values = [one.points for one in judgements]
    try:
        lower, upper = mean_interval(values, _by_both(judgements), confidence=CONFIDENCE)
    except NotEnoughEvidence:
        lower, upper = -300.0, 100.0
    return Estimate(float(np.mean(values)), Interval(max(-300.0, lower), min(100.0, upper)), len(values))


def calibration(judgements: Sequence[Identification]) -> tuple[ConfidenceBin, ...]:
    """How often judgements of each confidence are right, from 50 to 60 percent up to 90 to 100."""
    found = []
    for lower, upper in pairwise(EDGES):
        inside = [one for one in judgements if lower <= one.said.confidence < upper + (upper == EDGES[-1])]
        mean = float(np.mean([one.said.confidence for one in inside])) if inside else None
        found.append(ConfidenceBin(lower, upper, mean, _share([one.right for one in inside], _by_both(inside))))
    return tuple(found)


def thirds(judgements: Sequence[Identification], of: Callable[[Identification], float | None]) -> tuple[JudgementThird, ...]:
    """How often machines pass in the lowest third of something, in the middle one, and in the highest.

    What is as large as another goes into the same third, so thirds need not be of the same size. Empty for fewer than six
    judgements, or where two thirds would be one.
    """
    known = [(value, one) for one in judgements if (value := of(one)) is not None]
    if len(known) < FEWEST_FOR_THIRDS:
        return ()
    cuts = np.quantile([value for value, _ in known], (1 / 3, 2 / 3), method="inverted_cdf")
    places = [int(np.searchsorted(cuts, value, side="left")) for value, _ in known]
    if len(set(places)) < 3:
        return ()
    parts = []
    for third in range(3):
        inside = [both for both, place in zip(known, places, strict=True) if place == third]
        values = [value for value, _ in inside]
        parts.append(JudgementThird(min(values), max(values), called_human([one for _, one in inside])))
    return tuple(parts)


def _share(hits: Sequence[bool], groups: Sequence[tuple[str, ...]]) -> Estimate:
    if not hits:
        return Estimate(None, NOTHING, 0)
    try:
        bounds = Interval(*share_interval(hits, groups, confidence=CONFIDENCE))
    except NotEnoughEvidence:
        bounds = NOTHING
    return Estimate(float(np.mean(hits)), bounds, len(hits))


def _by_judge(judgements: Sequence[Identification]) -> list[tuple[str, ...]]:
    return [(one.judge,) for one in judgements]


def _by_both(judgements: Sequence[Identification]) -> list[tuple[str, ...]]:
    """Of each judgement the judge, and the person judged: machines are those of this site, not drawn."""
    return [(f"by {one.judge}", f"of {one.target}") if one.human else (f"by {one.judge}",) for one in judgements]


WEAKEST: Final = 1.0
STRONGEST: Final = 1_000.0
"""Bounds of how many judgements the prior is worth: players who all have the same share would make it endless."""
_WIDEST: Final = 6.0
"""Of the logarithm of the odds of the prior's mean."""


class SharePrior(NamedTuple):
    """A beta distribution of shares over players."""

    person: float
    machine: float


UNIFORM: Final = SharePrior(1.0, 1.0)
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


def fit_prior(persons: ArrayLike, judgements: ArrayLike) -> SharePrior:
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


def expected_share(persons: int, judgements: int, prior: SharePrior) -> Estimate:
    """The share of further judgements that will say person, with a credible interval.

    >>> found = expected_share(3, 4, UNIFORM)
    >>> found.value, found.n  # (3 + 1) / (4 + 2)
    (0.6666666666666666, 4)
    """
    a, b = prior.person + persons, prior.machine + judgements - persons
    ends = (float(betaincinv(a, b, level)) for level in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(a / (a + b), Interval(*ends), judgements)


def _prior(at: ArrayLike) -> SharePrior:
    odds, size = np.asarray(at, dtype=np.float64)
    mean = float(expit(odds))
    return SharePrior(mean * float(np.exp(size)), (1 - mean) * float(np.exp(size)))


MISSING: Final = "it needs people's judgements of people and of machines, and several by at least one of two judges"


@dataclass(frozen=True, slots=True)
class JudgeSkill:
    """A judge on the ladder."""

    player: str
    points: Estimate
    """Mean, people and machines weighing the same; n judgements."""
    expected: float
    """By which judges are ordered: drawn towards the mean of all."""
    right: int
    """Judgements that are right."""


def judge_skills(judgements: Sequence[Identification]) -> list[JudgeSkill] | None:
    """All judges, best first; None where there is too little to order them (`MISSING`).

    >>> judge_skills([]) is None
    True
    """
    people = sum(one.human for one in judgements)
    machines = len(judgements) - people
    if not people or not machines:
        return None
    weights = {True: len(judgements) / (2 * people), False: len(judgements) / (2 * machines)}
    by: dict[str, list[Identification]] = {}
    for one in judgements:
        by.setdefault(one.judge, []).append(one)
    scores = [np.array([weights[one.human] * one.points for one in made]) for made in by.values()]
    expected = shrunk(scores)
    if expected is None:
        return None
    found = [
        JudgeSkill(judge, _mean(own), value, sum(one.right for one in made))
        for (judge, made), own, value in zip(by.items(), scores, expected.tolist(), strict=True)
    ]
    return sorted(found, key=lambda one: (-one.expected, one.player))


def shrunk(groups: Sequence[Floats]) -> Floats | None:
    """The mean of each group, drawn towards the mean of all observations; None for fewer than two groups, or no group of two.

    With the variance within groups s2 and between them t2, by analysis of variance for groups of any sizes (`searle1992`), the
    mean of n keeps the share t2 / (t2 + s2 / n) of its distance.

    >>> shrunk([np.array([0.0, 2.0]), np.array([4.0, 6.0])]).tolist()  # s2 = 2, t2 = (16 - 2) / 2 = 7
    [1.25, 4.75]
    """
    sizes = np.array([group.size for group in groups])
    total, number = int(sizes.sum()), len(groups)
    if number < 2 or total == number:
        return None
    means = np.array([group.mean() for group in groups])
    overall = float(sizes @ means) / total
    within = fsum(float(((group - mean) ** 2).sum()) for group, mean in zip(groups, means, strict=True)) / (total - number)
    between = float(sizes @ (means - overall) ** 2) / (number - 1)
    typical = (total - float(sizes @ sizes) / total) / (number - 1)
    spread = max(0.0, (between - within) / typical)
    if spread == 0:
        return np.full(number, overall)
    return np.asarray(overall + spread / (spread + within / sizes) * (means - overall))


def _mean(scores: Floats) -> Estimate:
    if scores.size < 2 or np.ptp(scores) == 0:
        return Estimate(float(scores.mean()), Interval(-inf, inf), int(scores.size))
    bounds = mean_interval(scores, [()] * scores.size, confidence=CONFIDENCE)
    return Estimate(float(scores.mean()), Interval(*bounds), int(scores.size))
