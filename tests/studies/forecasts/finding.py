"""Findings of forecasts from rows, given or drawn at random, and their numbers of each forecaster and law."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from vivavoce.formats.interval import Estimate
from vivavoce.laws.law import keys_of
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


OWN = "won: A, B where A implies B"
KEYS = {
    "paraphrase": ("P", "para_P", "para_P_2", "para_P_3"),
    "repeat": ("P", "again_1"),
    "increasing": ("2025", "2028", "2032"),
    OWN: ("A", "B"),
}
LAWS = ("neg", "paraphrase", "bayes", "and-or", OWN, "increasing", "repeat")


def rows(
    forecaster: str, laws: Sequence[str], number: int = 40, *, seed: int = 0, questions: bool = False, spread: float = 1.0
) -> list[Row]:
    """Forecasts drawn between .5 - spread / 2 and .5 + spread / 2; quantities are thousands of them."""
    draw, made = random.Random(f"{forecaster} {seed}"), []
    for law in laws:
        keys = keys_of(law) or KEYS[law]
        for index in range(number):
            document = {key: round(0.5 + spread * (draw.random() - 0.5), 2) for key in keys}
            if law == "increasing":
                document = {key: 1000 * value for key, value in document.items()}
            asked = {key: f"Will {key} of {law} {index} come to pass?" for key in keys} if questions else {}
            made.append(Row(forecaster, law, document, f"{law} {index}", questions=asked, replies={"read": 2}))
    return made


@cache
def alone(**changes: str) -> ForecastFinding:
    """One forecaster, every kind of law, a tuple that cannot be read."""
    forecast_rows = rows(changes.get("forecaster", "model"), LAWS, questions=True)
    forecast_rows[0] = replace(forecast_rows[0], forecasts={"P": None, "not_P": 0.5}, replies={"read": 1, "no number": 1})
    return score(forecast_rows, source="forecasts.jsonl", digest="ab" * 32)


@cache
def several(number: int = 2, laws: Sequence[str] = ("neg", "and", "repeat"), tuples: int = 40) -> ForecastFinding:
    """The first is far more consistent on every law, the others alike."""
    every = [row for index in range(number) for row in rows(f"model_{index}", laws, tuples, spread=1.0 if index else 0.1)]
    return score(every, source="forecasts.jsonl")
