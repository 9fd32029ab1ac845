"""Turns the counts of an engine's checks into effects and a finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.consistency.chess.comparison import engine
from vivavoce.consistency.chess.counting import CheckedPositions, CheckSummary, Fit
from vivavoce.consistency.config import TELLING, THRESHOLDS
from vivavoce.formats.interval import Estimate
from vivavoce.studies.effects import Effect, Treatment
from vivavoce.studies.rates import Rate
from vivavoce.studies.study import Source, Study, StudyFinding, signature_of

OVER: Final[Mapping[float, str]] = {threshold: f"over_{threshold:g}" for threshold in THRESHOLDS}
"""Event names by threshold: the difference of the two values is larger."""
CONTRADICTED: Final = OVER[TELLING]
EVENTS: Final = (CONTRADICTED, *(event for event in OVER.values() if event != CONTRADICTED))
AT_AN_END: Final = "at_an_end"
"""Event: one of the two values is at an end of the scale."""
OTHER_MOVE: Final = "plays_otherwise"
"""Event: the best move in the second position is not the image of the best move in the first."""


@dataclass(frozen=True, slots=True)
class CheckDetails:
    """Results of one check besides its rates."""

    name: str
    """Name of the treatment."""
    check: str
    no_answers: Mapping[str, int]
    """Numbers of positions without evaluation, by reason."""
    histogram: tuple[int, ...]
    """Numbers of pairs by difference, in `BINS` bins from 0 to 2."""
    worst: tuple[Any, ...]
    """The largest differences, as comparisons of the game's type."""


@dataclass(frozen=True, slots=True)
class EngineDetails:
    """Data that only studies of engines have."""

    checks: tuple[CheckDetails, ...]
    made_forced: int
    """Positions with a forced move that were made by us, not found."""
    half_turn_only: bool
    """Whether boards were compared with their rotation by 180 degrees alone."""
    each: tuple[Any, ...]
    """All comparisons, if requested."""
    fits: tuple[Fit, ...] = ()
    """Lines fitted over numbers of nodes."""

    @property
    def kinds(self) -> frozenset[str]:
        """Names of all checks."""
        return frozenset(details.check for details in self.checks)


EngineFinding = StudyFinding[EngineDetails]


def treatments_of(names: Mapping[str, str], occasions: Mapping[str, str]) -> dict[str, Treatment]:
    """A treatment for each check, by its name.

    names: display names. occasions: when a contradiction shows.
    """
    return {check: Treatment(check, occasions[check], label=name, group=name.lower()) for check, name in names.items()}


def finding_of(
    study: Study[EngineDetails], checked: CheckedPositions[Any], treatments: Sequence[Treatment], fits: tuple[Fit, ...] = ()
) -> EngineFinding:
    """Make the finding of a study.

    treatments: one for each summary. fits: lines over numbers of nodes.
    """
    pairs = list(zip(treatments, checked.summaries, strict=True))
    return StudyFinding(
        study,
        engine(checked.candidate),
        checked.source,
        effects=tuple(effect_of(treatment, summary) for treatment, summary in pairs),
        details=EngineDetails(
            tuple(
                CheckDetails(treatment.name, summary.check, summary.no_answers, summary.histogram, summary.worst)
                for treatment, summary in pairs
            ),
            checked.made_forced,
            bool(checked.settings.get("half_turn_only")),
            checked.each,
            fits,
        ),
        signature=signature_of(
            study, checked.candidate, Source(checked.source, checked.digest), checked.seed, checked.settings
        ),
        candidates=(checked.candidate,),
    )


def effect_of(treatment: Treatment, summary: CheckSummary[Any]) -> Effect:
    """Make the effect from the counts of one check; intervals are over games."""
    shares = dict(zip(OVER.values(), summary.over, strict=True))
    shares |= {AT_AN_END: summary.saturated, OTHER_MOVE: summary.plays_otherwise}
    return Effect(
        treatment,
        summary.n,
        {event: _rate(share) for event, share in shares.items()},
        control={},
        excess={},
        scores={},
        left_out=summary.skipped,
        numbers={
            "largest": summary.largest,
            "games": summary.games,
            "no_answers": sum(summary.no_answers.values()),
        },
        estimates={"mean_difference": summary.mean_difference, "mean_signed": summary.mean_signed},
    )


def estimate_of(rate: Rate) -> Estimate:
    """A rate of these studies as an estimate; none of its cases is unknown."""
    return Estimate(rate.least, rate.interval, rate.n)


def _rate(share: Estimate) -> Rate:
    events = 0 if share.value is None else round(share.value * share.n)
    return Rate(share.n, events, 0, share.value, share.value, share.interval)
