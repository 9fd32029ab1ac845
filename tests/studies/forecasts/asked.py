"""What a model of the server of forecasters forecasts, and how far that is from coherent, counted by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.studies.forecasts.forecasters import probability_tuples, quantity_tuples
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.config import ForecastsConfig
from vivavoce.studies.forecasting.asking import ask_forecasts
from vivavoce.studies.forecasting.forecast_files import QuestionTuple, Row
from vivavoce.studies.forecasting.planning import AskedForecasts

TUPLES = [*probability_tuples(12), *quantity_tuples(6)]


def examine(
    server: str,
    model: str,
    tuples: Sequence[QuestionTuple] = TUPLES,
    *,
    config: ForecastsConfig = ForecastsConfig(),  # noqa: B008 -- frozen
    budget: Budget = Budget(),  # noqa: B008 -- frozen
    transcript: Path | None = None,
) -> AskedForecasts:
    """What a model of the server forecasts."""

    async def ask() -> AskedForecasts:
        candidate = open_candidate(f"chat:{model}@{server}/v1")
        with Transcript.open(transcript) as kept:
            interview = Interview(candidate, answers=Reply, transcript=kept, concurrency=16, budget=budget)
            try:
                return await ask_forecasts(interview, tuples, config)
            finally:
                await close_candidate(candidate)

    return asyncio.run(ask())


def of_law(asked: AskedForecasts, law: str) -> list[Row]:
    return [row for row in asked.rows if row.law == law]


def values(row: Row) -> list[float]:
    assert None not in row.forecasts.values()
    return [value for value in row.forecasts.values() if value is not None]


def negation_gaps(asked: AskedForecasts) -> list[float]:
    return [abs(sum(values(row)) - 1) for row in of_law(asked, "neg")]


def spreads(asked: AskedForecasts, law: str) -> list[float]:
    return [max(values(row)) - min(values(row)) for row in of_law(asked, law)]
