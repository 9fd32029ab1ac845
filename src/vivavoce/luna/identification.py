"""Judgements whether a player is a person or a machine: how often they are right, and ladders of humanity and of judges.

Only judgements by people count, about players who could be either. Excluded are judgements by machines, by players who refuse
machines, with a voided guess, or after a machine took over a seat.

A judge who calls every player a person does so repeatedly, so judgements by one judge are not independent. Intervals are
Clopper and Pearson's at the effective number of judgements, robust to shared judges
(`vivavoce.statistics.clustered.share_interval`). For judged people, they are also robust to a shared person. They are not
robust to a shared machine: they cover other judges of these machines, not other machines, of which a site has too few. A
bootstrap over players has no interval if all judgements agree, which is common with few.

Humanity is how often people call a player a person.

The share of people's judgements that say "person" is published with its interval. With few judgements, extreme shares occur by
chance, so the ladder uses the expected share of further judgements. For this, one beta distribution of shares is fitted to all
players, people and machines alike (`griffiths1973`'s beta-binomial, by maximum likelihood). People get no advantage.

The ladder of judges shows who can tell people from machines, a skill separate from smartness.

A judgement gets points by the quadratic rule (`brier1950`): stating one's true belief maximises the expected points. Its worst
score is finite, so one careless "100%" does not decide a ladder, as it would with the logarithmic rule. Openskill and
Bradley-Terry need opponents; judges have none, and their confidence would be lost.

If most other players are machines, always saying "machine" is mostly right. So points are weighted by the kind of the judged
player: people and machines count half each over all judgements of a site. Then a constant answer expects at most 0 points, for
any share of machines and any confidence (a coin at 50% gets 0). A certain judge who is always right gets 100.

A few judgements are weak evidence. The ladder uses a mean shrunk towards the mean of all judges, as far as chance explains the
differences (empirical Bayes, with variances between and within judges by analysis of variance).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, inf
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, expit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.clustered import mean_interval, share_interval

EDGES: Final = (50, 60, 70, 80, 90, 100)
"""Edges of the bins of confidence in percent; the last bin includes 100."""
FEWEST_FOR_THIRDS: Final = 6
"""The fewest judgements that are split into thirds."""
NOTHING: Final = Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Identification:
    """A person's judgement of one player, and the player's true kind."""

    judge: str
    target: str
    human: bool
    """Whether the target is a person."""
    said: PersonOrMachine
    characters: int | None = None
    """Characters of the target's answers; None if unknown."""
    seconds: float | None = None
    """Seconds of the judge from the answers to the guess."""

    @property
    def right(self) -> bool:
        """Whether the judgement is right."""
        return self.said.human is self.human

    @property
    def points(self) -> float:
        """Points of the judgement: see `PersonOrMachine.points`."""
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
        """None for a judgement that does not count."""
        ...

    @property
    def seconds(self) -> tuple[float, float, float]: ...


@dataclass(frozen=True, slots=True)
class JudgementThird:
    """Judgements of machines with answers of similar length, or by judges with similar times."""

    lower: float
    upper: float
    taken_for_a_person: Estimate
    """The share of judgements "person"."""


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Judgements of about the same confidence."""

    lower: int
    upper: int
    confidence: float | None
    """Mean confidence in percent; None without judgements."""
    right: Estimate
    """The share that is right."""


def identifications(pairs: Iterable[tuple[JudgingSeat, JudgingSeat]]) -> list[Identification]:
    """The judgements that count, from pairs of a judge's seat and the other's seat."""
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
    """The share of judgements "person", with an interval for these players; no value without judgements.

    >>> from vivavoce.luna.rules import PersonOrMachine
    >>> verdicts = {name: PersonOrMachine(name == "ann", 80.0) for name in ("ann", "bob", "eve", "kim")}
    >>> # one of four, by Clopper and Pearson
    >>> called = called_human([Identification(name, "bot", False, verdict) for name, verdict in verdicts.items()])
    >>> called.value, round(called.interval.lower, 4), round(called.interval.upper, 4)
    (0.25, 0.0063, 0.8059)
    """
    return _share([judgement.said.human for judgement in judgements], _by_judge(judgements))


def called_machine(judgements: Sequence[Identification]) -> Estimate:
    """The share of judgements "machine", with an interval that also covers other people; no value without judgements."""
    return _share([not judgement.said.human for judgement in judgements], _by_both(judgements))


def mean_points(judgements: Sequence[Identification]) -> Estimate:
    """Mean points (`PersonOrMachine.points`) with Student's t interval, robust to shared judges and shared people."""
    if not judgements:
        return Estimate(None, Interval(-300.0, 100.0), 0)
    values = [judgement.points for judgement in judgements]
    try:
        lower, upper = mean_interval(values, _by_both(judgements), confidence=CONFIDENCE)
    except NotEnoughEvidence:
        lower, upper = -300.0, 100.0
    return Estimate(float(np.mean(values)), Interval(max(-300.0, lower), min(100.0, upper)), len(values))


def calibration(judgements: Sequence[Identification]) -> tuple[ConfidenceBin, ...]:
    """The share of right judgements by confidence, from 50 to 60 percent up to 90 to 100."""
    bins = []
    for lower, upper in pairwise(EDGES):
        inside = [judgement for judgement in judgements if lower <= judgement.said.confidence < upper + (upper == EDGES[-1])]
        mean = float(np.mean([judgement.said.confidence for judgement in inside])) if inside else None
        bins.append(ConfidenceBin(lower, upper, mean, _share([judgement.right for judgement in inside], _by_both(inside))))
    return tuple(bins)


def thirds(judgements: Sequence[Identification], of: Callable[[Identification], float | None]) -> tuple[JudgementThird, ...]:
    """How often machines pass in the lowest, middle and highest third of a quantity.

    Equal values go into the same third, so thirds may differ in size. Empty for fewer than six judgements, or if two thirds
    would be one.
    """
    known = [(value, judgement) for judgement in judgements if (value := of(judgement)) is not None]
    if len(known) < FEWEST_FOR_THIRDS:
        return ()
    cuts = np.quantile([value for value, _ in known], (1 / 3, 2 / 3), method="inverted_cdf")
    places = [int(np.searchsorted(cuts, value, side="left")) for value, _ in known]
    if len(set(places)) < 3:
        return ()
    parts = []
    for third in range(3):
        inside = [both for both, index in zip(known, places, strict=True) if index == third]
        values = [value for value, _ in inside]
        parts.append(JudgementThird(min(values), max(values), called_human([judged for _, judged in inside])))
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
    return [(judgement.judge,) for judgement in judgements]


def _by_both(judgements: Sequence[Identification]) -> list[tuple[str, ...]]:
    """The judge of each judgement, and the judged person; machines are fixed, not drawn."""
    return [
        (f"by {judgement.judge}", f"of {judgement.target}") if judgement.human else (f"by {judgement.judge}",)
        for judgement in judgements
    ]


WEAKEST: Final = 1.0
STRONGEST: Final = 1_000.0
"""Limits on the number of judgements that the prior is worth: equal shares of all players would make it infinite."""
_WIDEST: Final = 6.0
"""Limit of the log odds of the prior's mean."""


class SharePrior(NamedTuple):
    """A beta distribution of shares over players."""

    person: float
    machine: float


UNIFORM: Final = SharePrior(1.0, 1.0)
"""Intervals for a single player, which say nothing about differences between players."""


@dataclass(frozen=True, slots=True)
class Humanity:
    """How often people call a player a person."""

    player: str
    human: bool
    """Whether the player is a person."""
    share: Estimate
    """Share of judgements that say "person", with an interval that allows for repeated judgements by one judge."""
    expected: Estimate
    """The order of the ladder: the expected share of further judgements, with a 95% credible interval."""


def humanity(judgements: Sequence[Identification]) -> list[Humanity]:
    """All players judged by people, the most human first.

    >>> humanity([])
    []
    """
    about: dict[str, list[Identification]] = {}
    for received_judgement in judgements:
        about.setdefault(received_judgement.target, []).append(received_judgement)
    if not about:
        return []
    persons = [sum(judgement.said.human for judgement in received) for received in about.values()]
    prior = fit_prior(persons, [len(received) for received in about.values()])
    ladder = [
        Humanity(player, received[0].human, called_human(received), expected_share(number, len(received), prior))
        for (player, received), number in zip(about.items(), persons, strict=True)
    ]
    return sorted(
        ladder, key=lambda received_judgement: (-(received_judgement.expected.value or 0.0), received_judgement.player)
    )


def fit_prior(persons: ArrayLike, judgements: ArrayLike) -> SharePrior:
    """The beta distribution with the highest likelihood of these counts; the uniform one for a single player.

    Parameters
    ----------
    persons, judgements: for each player, the number of judgements that say "person", and of all judgements.

    Raises `NotEnoughEvidence` without players.

    >>> prior = fit_prior([10, 0, 10, 0], [10, 10, 10, 10])  # all or nothing: players differ as much as possible
    >>> round(prior.person, 1), round(prior.machine, 1)
    (0.5, 0.5)
    """
    from scipy.optimize import minimize  # slow to import, and most pages of the site fit nothing

    k, n = (np.asarray(values, dtype=np.float64) for values in (persons, judgements))
    if not n.size:
        raise NotEnoughEvidence("no player was judged")
    if n.size < 2:
        return UNIFORM

    def surprise(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        a, b = _prior(at)
        return -float(np.sum(betaln(a + k, b + n - k) - betaln(a, b)))

    starts = [np.array([0.0, np.log(size)]) for size in (2.0, 20.0)]
    bounds = [(-_WIDEST, _WIDEST), (np.log(WEAKEST), np.log(STRONGEST))]
    fits = [minimize(surprise, start, method="L-BFGS-B", bounds=bounds) for start in starts]
    return _prior(min(fits, key=lambda fit: float(fit.fun)).x)


def expected_share(persons: int, judgements: int, prior: SharePrior) -> Estimate:
    """The expected share of further judgements that say "person", with a credible interval.

    >>> share = expected_share(3, 4, UNIFORM)
    >>> share.value, share.n  # (3 + 1) / (4 + 2)
    (0.6666666666666666, 4)
    """
    a, b = prior.person + persons, prior.machine + judgements - persons
    ends = (float(betaincinv(a, b, level)) for level in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(a / (a + b), Interval(*ends), judgements)


def _prior(at: ArrayLike) -> SharePrior:
    odds, size = np.asarray(at, dtype=np.float64)
    mean = float(expit(odds))
    return SharePrior(mean * float(np.exp(size)), (1 - mean) * float(np.exp(size)))


MISSING: Final = "it needs judgements of people and of machines, and several by at least one of two judges"


@dataclass(frozen=True, slots=True)
class JudgeSkill:
    """A judge on the ladder."""

    player: str
    points: Estimate
    """Mean points, with equal weight of people and machines; n judgements."""
    expected: float
    """The order of the ladder: the mean, shrunk towards the mean of all judges."""
    right: int
    """Judgements that are right."""


def judge_skills(judgements: Sequence[Identification]) -> list[JudgeSkill] | None:
    """All judges, best first; None if there is too little data to order them (`MISSING`).

    >>> judge_skills([]) is None
    True
    """
    people = sum(judgement.human for judgement in judgements)
    machines = len(judgements) - people
    if not people or not machines:
        return None
    weights = {True: len(judgements) / (2 * people), False: len(judgements) / (2 * machines)}
    by: dict[str, list[Identification]] = {}
    for own_judgement in judgements:
        by.setdefault(own_judgement.judge, []).append(own_judgement)
    scores = [np.array([weights[judgement.human] * judgement.points for judgement in own]) for own in by.values()]
    expected = shrunk(scores)
    if expected is None:
        return None
    ladder = [
        JudgeSkill(judge, _mean(own), value, sum(judgement.right for judgement in judgements))
        for (judge, judgements), own, value in zip(by.items(), scores, expected.tolist(), strict=True)
    ]
    return sorted(ladder, key=lambda own_judgement: (-own_judgement.expected, own_judgement.player))


def shrunk(groups: Sequence[Floats]) -> Floats | None:
    """Each group's mean, shrunk towards the overall mean; None for fewer than two groups, or without a group of two.

    With variance s2 within groups and t2 between them, by analysis of variance for groups of any sizes (`searle1992`), the mean
    of n values keeps the share t2 / (t2 + s2 / n) of its distance.

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
