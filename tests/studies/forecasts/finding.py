"""Findings of forecasts from rows, and the numbers of each forecaster and law side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from vivavoce.formats.interval import Estimate
from vivavoce.studies.forecasting.counting import LawDetails
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.scoring import score_each
from vivavoce.studies.forecasts import ForecastFinding, finding_of
from vivavoce.studies.study import Source


class LawRow(NamedTuple):
    """What one forecaster's tuples of one law show."""

    forecaster: str
    law: str
    n: int
    unparsed: int
    strong: Estimate
    mean: Estimate
    distance: Estimate | None
    distinct: int
    forecasts: int
    details: LawDetails


def score(
    rows: Iterable[Row],
    *,
    source: str = "",
    digest: str = "",
    compare: Sequence[tuple[str, str]] | None = None,
    seed: int = 0,
    settings: Mapping[str, object] = {},
) -> ForecastFinding:
    return finding_of(score_each(list(rows)), source=Source(source, digest), compare=compare, seed=seed, settings=settings)


def law_rows(finding: ForecastFinding) -> list[LawRow]:
    """In the order in which forecasters and laws first occur."""
    effects = {(one.treatment.subject, one.treatment.name): one for one in (*finding.effects, *finding.control)}
    found = []
    for law in finding.details.laws:
        effect = effects[law.subject, law.law]
        rate, numbers = effect.rates["strong"], effect.numbers
        found.append(
            LawRow(
                law.subject,
                law.law,
                effect.n,
                sum(effect.left_out.values()),
                Estimate(rate.least, rate.interval, rate.n),
                effect.estimates["mean"],
                effect.estimates.get("distance"),
                int(numbers["distinct"] or 0),
                int(numbers["forecasts"] or 0),
                law,
            )
        )
    return found
