"""What an examination takes from the finding of any study: claims for its answer, figures to compare."""

from __future__ import annotations

from typing import Any

from vivavoce.examination.cards import Claim, Figure
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import share
from vivavoce.studies.study import StudyFinding


def claims_of(finding: StudyFinding[Any]) -> tuple[Claim, ...]:
    """The verdict if a limit was tested, else a measurement."""
    ability, test = finding.study.ability, finding.limit_test
    if test is None:
        unknown = Claim("unknown", f"{ability} (nothing could be compared)")
        return (Claim("measured", finding.headline) if finding.measured else unknown,)
    limit = share(test.limit)
    if test.verdict == "pass":
        return (Claim("trusted", f"{ability} (at most {limit} change)", test.delta),)
    if test.verdict == "fail":
        return (Claim("not", f"{ability} (more than {limit} change)", test.delta),)
    return (Claim("unknown", f"{ability} (undecided at a limit of {limit})"),)


def figures_of(finding: StudyFinding[Any]) -> tuple[Figure, ...]:
    """The rate of the study's first event under each treatment and the control, unless some cases are unknown."""
    event, what = finding.study.events[0], finding.study.list_head.lower()
    return tuple(
        Figure.of(
            f"{effect.label}: {what}",
            Estimate(None if rate.unknown else rate.least, rate.interval, rate.n),
            "share",
            finding.signature.scope_digest,
        )
        for effect in (*finding.effects, *finding.control)
        for rate in [effect.rates[event]]
    )
