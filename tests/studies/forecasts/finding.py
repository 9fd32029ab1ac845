"""Findings of forecasts from rows, and the numbers of each forecaster and law side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from vivavoce.formats.interval import Estimate
from vivavoce.studies.forecasting.counting import ForecastFinding, LawDetails
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.scoring import score_each
from vivavoce.studies.forecasts import finding_of
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
    effects = {(entry.treatment.subject, entry.treatment.name): entry for entry in (*finding.effects, *finding.control)}
    result = []
    for law in finding.details.laws:
        effect = effects[law.subject, law.law]
        rate, numbers = effect.rates["strong"], effect.numbers
        result.append(
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
    return result


def json_rows(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The treatments and controls of a document, with the numbers that tests ask for under short names."""
    return [
        {
            "forecaster": entry["subject"],
            "law": entry["name"],
            "n": entry["n"],
            "unreadable": sum(entry["left_out"].values()),
            "strong": _ends(entry["rates"]["strong"]) | {"value": entry["rates"]["strong"]["least"]},
            "mean": _ends(entry["estimates"]["mean"]),
            "violation": _ends(entry["estimates"]["distance"]) if "distance" in entry["estimates"] else None,
            "random": {"strong": entry["numbers"]["random_strong"], "mean": entry["numbers"]["random_mean"]},
            "distinct": entry["numbers"]["distinct"],
            "forecasts": entry["numbers"]["forecasts"],
        }
        for entry in (*values["figures"]["treatments"], *values["figures"]["control"])
    ]


def _ends(estimate: Mapping[str, Any]) -> dict[str, Any]:
    return dict(estimate)
