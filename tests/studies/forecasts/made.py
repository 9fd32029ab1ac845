"""Forecasts drawn at random, scored as a page and a terminal show them; and what is looked up in pages."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tests.studies.forecasts.finding import score
from vivavoce.laws.law import keys_of
from vivavoce.studies.forecasting.counting import ForecastFinding
from vivavoce.studies.forecasting.forecast_files import Row

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
