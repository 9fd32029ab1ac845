"""Two versions of a machine, before and after: how far do people's guesses of them lie apart?

The same people may guess both versions, and one version several times, so that their guesses go together. The difference of
the two means therefore has the standard error that is robust to that (`statistics.two_groups`): Welch's where everybody guessed
once, the paired one where everybody guessed both, and right between the two, where neither of them is.

Who guessed may differ between versions, and some people guess higher than others of everybody. The adjusted difference takes
that away by what these people guessed of all other players: it is that of the `severity` ratings (`rating_fit`) with each
version as a player of its own, with Student's t around it and the deviation of a bootstrap that draws people with all that
they guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Final, Protocol

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.finding import Signature
from vivavoce.luna.config import VersionsConfig
from vivavoce.luna.machine_compare_finding import MachineComparison, VersionMean
from vivavoce.luna.ratings import METHODS, Guesses, rated
from vivavoce.luna.rules import HIGHEST
from vivavoce.statistics.clustered import mean_interval
from vivavoce.statistics.two_groups import mean_difference
from vivavoce.version import __version__

CONFIDENCE: Final = 0.95
METHOD: Final = "severity"
FEWEST: Final = 5
"""People who guessed each version, for the adjusted difference: with fewer a bootstrap has too little to draw from."""
_AT_ONCE: Final = 1 << 19
"""Guesses, over all rounds, that are weighed at one time."""
UNKNOWN: Final = Interval(-inf, inf)


class GuessOfVersion(Protocol):
    """What a person guessed of one version."""

    @property
    def guesser(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def guess(self) -> float: ...


@dataclass(frozen=True, slots=True)
class OnSite:
    """All guesses of people on a site, for what else those who guessed the machine guess of others."""

    guesses: Guesses
    places: tuple[int, int]
    """The players that are the two versions."""


def compare_versions(
    machine: str,
    versions: tuple[str, str],
    guesses: Sequence[GuessOfVersion],
    site: OnSite | None = None,
    config: VersionsConfig = VersionsConfig(),  # noqa: B008 -- frozen
    *,
    source: str = "",
) -> MachineComparison:
    """How far people's guesses of the second version lie above those of the first.

    Parameters
    ----------
    guesses: of people alone, and none that is voided; those of other versions are left aside.
    site: for the adjusted difference; without it there is none.
    source: where the games are from, for the signature.
    """
    both = [one for one in guesses if one.version in versions]
    people = [{one.guesser for one in both if one.version == version} for version in versions]
    return MachineComparison(
        machine=machine,
        versions=(_mean(versions[0], both), _mean(versions[1], both)),
        people_of_both=len(people[0] & people[1]),
        difference=_difference(versions, both),
        adjusted=_adjusted(site, config) if site is not None and min(map(len, people)) >= FEWEST else None,
        signature=Signature(
            version=__version__,
            examination="luna machine compare",
            candidate=machine,
            scope=source,
            scope_digest="",
            seed=config.seed,
            settings={"versions": list(versions), "rounds": config.rounds, "confidence": CONFIDENCE},
        ),
    )


def _mean(version: str, guesses: Sequence[GuessOfVersion]) -> VersionMean:
    own = [one for one in guesses if one.version == version]
    values, people = [one.guess for one in own], [one.guesser for one in own]
    if not values:
        return VersionMean(version, Estimate(None, UNKNOWN, 0), 0)
    interval = UNKNOWN
    if np.ptp(values) > 0 and len(set(people)) > 1:
        lower, upper = mean_interval(values, [(person,) for person in people], confidence=CONFIDENCE)
        interval = Interval(max(0.0, lower), min(HIGHEST, upper))
    return VersionMean(version, Estimate(float(np.mean(values)), interval, len(values)), len(set(people)))


def _difference(versions: tuple[str, str], guesses: Sequence[GuessOfVersion]) -> tuple[Estimate, float] | None:
    """With its p-value; None where there is too little."""
    second = [one.version == versions[1] for one in guesses]
    try:
        found = mean_difference([one.guess for one in guesses], second, [one.guesser for one in guesses], confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return None
    return Estimate(found.value, Interval(*found.bounds), len(guesses)), found.p


def _adjusted(site: OnSite, config: VersionsConfig) -> Estimate | None:
    """Of the ratings without severity; None where the guesses of a version all have no other beside them."""
    guesses, (first, second) = site.guesses, site.places
    ratings = rated(guesses, METHOD)
    value = float(ratings[second] - ratings[first])
    people, numbered = np.unique(guesses.guesser, return_inverse=True)
    rng = np.random.default_rng(config.seed)
    drawn: list[float] = []
    step = max(1, _AT_ONCE // max(1, len(guesses)))
    for start in range(0, config.rounds, step):
        rows = min(step, config.rounds - start)
        weight = rng.multinomial(people.size, np.full(people.size, 1 / people.size), size=rows)[:, numbered].astype(float)
        found = METHODS[METHOD].refit(guesses.weighted(weight), ratings)
        drawn += (found[:, second] - found[:, first]).tolist()
    kept = np.array(drawn)[np.isfinite(drawn)]
    if kept.size < config.rounds / 2:
        return None
    in_version = [np.unique(guesses.guesser[guesses.target == place]).size for place in site.places]
    number = min(in_version)
    half = float(stdtrit(number - 1, (1 + CONFIDENCE) / 2)) * sqrt(number / (number - 1)) * float(kept.std())
    return Estimate(value, Interval(value - half, value + half), int(np.isin(guesses.target, site.places).sum()))
