"""Person or machine: what people said of whom they played, and how often they were right.

Only judgements of people count, of players who could have been either: machines' do not, nor those of players who refuse
machines, nor where the guess was voided or a machine took over a seat.

A judge who takes everybody for a person does so again and again, so judgements by one person are not independent. Intervals
are Clopper and Pearson's at the effective number of judgements, robust to what shares a judge
(`vivavoce.statistics.clustered.share_interval`); where people are judged together, also to what shares the person judged. They
are not robust to sharing a machine, and so say what other judges would find of these very machines, not of machines at large,
of which a site has too few. A bootstrap over players has no interval where all judgements agree, which is common with few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.rules import Judgement
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
    said: Judgement
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
        """What the judgement is worth: see `Judgement.points`."""
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
class Part:
    """Judgements of machines that answered about as much, or whose judges took about as long."""

    lower: float
    upper: float
    passed: Estimate
    """Share of them that say person."""


@dataclass(frozen=True, slots=True)
class Bin:
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
            Judgement(own.judged_human, own.confidence),
            None if other.answers is None else sum(map(len, other.answers)),
            own.seconds[2],
        )
        for own, other in pairs
        if own.kind != "machine" and not own.voided
        if own.judged_human is not None and own.confidence is not None and own.right is not None
    ]


def called_human(judgements: Sequence[Identification]) -> Estimate:
    """The share that say person, with an interval for these very players; without value where there is none.

    >>> from vivavoce.luna.rules import Judgement
    >>> said = [Identification(judge, "bot", False, Judgement(judge == "ann", 80.0)) for judge in ("ann", "bob", "eve", "kim")]
    >>> found = called_human(said)  # one of four, by Clopper and Pearson
    >>> found.value, round(found.interval.lower, 4), round(found.interval.upper, 4)
    (0.25, 0.0063, 0.8059)
    """
    return _share([one.said.human for one in judgements], _by_judge(judgements))


def called_machine(judgements: Sequence[Identification]) -> Estimate:
    """The share that say machine, with an interval for other people, too; without value where there is none."""
    return _share([not one.said.human for one in judgements], _by_both(judgements))


def mean_points(judgements: Sequence[Identification]) -> Estimate:
    """Points on average (`Judgement.points`), with Student's t interval, robust to sharing a judge or a person judged."""
    if not judgements:
        return Estimate(None, Interval(-300.0, 100.0), 0)
    values = [one.points for one in judgements]
    try:
        lower, upper = mean_interval(values, _by_both(judgements), confidence=CONFIDENCE)
    except NotEnoughEvidence:
        lower, upper = -300.0, 100.0
    return Estimate(float(np.mean(values)), Interval(max(-300.0, lower), min(100.0, upper)), len(values))


def calibration(judgements: Sequence[Identification]) -> tuple[Bin, ...]:
    """How often judgements of each confidence are right, from 50 to 60 percent up to 90 to 100."""
    found = []
    for lower, upper in pairwise(EDGES):
        inside = [one for one in judgements if lower <= one.said.confidence < upper + (upper == EDGES[-1])]
        mean = float(np.mean([one.said.confidence for one in inside])) if inside else None
        found.append(Bin(lower, upper, mean, _share([one.right for one in inside], _by_both(inside))))
    return tuple(found)


def thirds(judgements: Sequence[Identification], of: Callable[[Identification], float | None]) -> tuple[Part, ...]:
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
        parts.append(Part(min(values), max(values), called_human([one for _, one in inside])))
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
