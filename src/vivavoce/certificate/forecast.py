"""A forecast, before anything is asked, for examinations of candidates that may answer differently each time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.plan import estimate_power
from vivavoce.formats.wording import count, percent, score

if TYPE_CHECKING:
    from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
    from vivavoce.certificate.comparison.evidence import Stopping

RUNS, MOST_QUESTIONS = 100, 10_000
"""The number of simulated comparisons, and the most questions of each."""
RUNS_OF_CERTIFICATES: Final = 1_000
ASSUMED: Final = 0.3
"""Share of the drawn questions that one of two has right and the other wrong: two models that are right four times of five each
differ on 32%, if their answers to a question do not depend on each other."""
APART, FROM_GRADE = 0.05, 0.1
"""The difference that is assumed where there is no margin, and how far from the passing grade a score is assumed to lie."""


@dataclass(frozen=True, slots=True)
class ForecastCase:
    """The results of simulated examinations under one assumption."""

    condition: str
    """The assumption, in a clause that begins with "if"."""
    decided: float
    """Share of the examinations with a verdict within the budget."""
    median: int | None
    """Questions until the verdict; None if fewer than half have one."""
    mean: float
    """Questions until the end, whatever it is."""

    @property
    def words(self) -> str:
        """The case in a clause."""
        half = "" if self.median is None else f", half of them within {count(self.median)} questions"
        return f"{self.condition}, {percent(self.decided)} reach a verdict{half}"


@dataclass(frozen=True, slots=True)
class QuestionForecast:
    """The forecast for several cases."""

    questions: int
    """To each candidate, at most."""
    cases: tuple[ForecastCase, ...]
    draws: int | None = None
    """Answers to each question that is drawn; None: each question of a list is asked once."""

    @property
    def words(self) -> str:
        """The forecast in sentences."""
        each = "" if self.draws in (None, 1) else f", {self.draws} answers to each"
        drawn = (
            "A candidate may answer differently each time, so questions are drawn with replacement and answered afresh"
            if self.draws
            else "A candidate may answer differently each time: this tests its answers to the list, not the model"
        )
        return (
            f"{drawn}. Expected for each candidate, at most {count(self.questions)} questions{each}: "
            f"{'; '.join(case.words for case in self.cases)}."
        )

    @property
    def answers(self) -> int:
        """Mean number of questions to each candidate, in the longest case."""
        return round(max(case.mean for case in self.cases) * (self.draws or 1))


def forecast_gate(config: GateConfig) -> QuestionForecast:
    """Simulate gates, first attempts, by the tests of `gate`.

    >>> from vivavoce.certificate.comparison.config import GateConfig
    >>> forecast = forecast_gate(GateConfig(margin=0.1, questions=500, draws=1))
    >>> [case.decided > 0.5 for case in forecast.cases]
    [True, True]
    """
    apart = config.margin or APART
    conditions = {"if both are equally good": 0.0, f"if NEW is worse by {score(apart)}": apart}
    return QuestionForecast(*_of_pair(config, conditions, "gate"), config.draws)


def forecast_comparison(config: ComparisonConfig, candidates: int, size: int | None = None) -> QuestionForecast:
    """Simulate comparisons, first attempts, by the tests of `compare`; of several candidates each pair has its part of delta.

    size: questions of a list that is asked once; None: they are drawn with replacement.

    >>> from vivavoce.certificate.comparison.config import ComparisonConfig
    >>> forecast = forecast_comparison(ComparisonConfig(margin=0.1, draws=1), 2)
    >>> [case.decided for case in forecast.cases]
    [1.0, 1.0]
    """
    apart = config.margin or APART
    both, worse = ("both", "the first") if candidates == 2 else ("two of them", "one of two")
    conditions = {f"if {both} are equally good": 0.0, f"if {worse} is worse by {score(apart)}": apart}
    shared = replace(config, delta=config.delta / comb(candidates, 2))
    return QuestionForecast(*_of_pair(shared, conditions, "any", size), config.draws)


def forecast_certificate(
    criterion: Criterion, questions: int | None, draws: int | None, *, size: int | None = None
) -> QuestionForecast:
    """Simulate certificates by the tests of `certify`, with answers that are right or wrong and never unacceptable.

    draws: answers to each question that is drawn with replacement; None: each of a list is asked once.
    size: of that list. If all of it may be asked there is always a verdict. Until then draws are simulated as independent.

    >>> forecast = forecast_certificate(Criterion(0.7, None), 500, 1)
    >>> [case.condition for case in forecast.cases]
    ['if its score is 0.80', 'if its score is 0.60']
    """
    grade, most = criterion.passing_grade, min(n for n in (MOST_QUESTIONS, questions, size) if n is not None)
    cases = []
    for assumed in (min(1.0, grade + FROM_GRADE), max(0.0, grade - FROM_GRADE)):
        power = estimate_power(criterion, score=assumed, questions=most, runs=RUNS_OF_CERTIFICATES)
        decided = 1.0 if most == size else 1 - (power.chances[Verdict.UNDECIDED].value or 0.0)
        median = power.median if decided > 1 / 2 else None
        cases.append(ForecastCase(f"if its score is {score(assumed)}", decided, median, power.mean))
    return QuestionForecast(most, tuple(cases), draws)


def _of_pair(
    config: ComparisonConfig | GateConfig,
    conditions: dict[str, float],
    rule: Stopping,
    size: int | None = None,
) -> tuple[int, tuple[ForecastCase, ...]]:
    """The most questions, and the simulated results if the first candidate is worse by this much."""
    from vivavoce.certificate.comparison.config import ComparisonPlanConfig  # certificates need none of it
    from vivavoce.certificate.comparison.plan import VERDICTS, Answers, simulate

    most, cases = min(n for n in (MOST_QUESTIONS, config.questions, size) if n is not None), []
    for condition, drop in conditions.items():
        assumed = ComparisonPlanConfig(
            drop=drop,
            score=max(0.8, drop),
            margin=config.margin,
            delta=config.delta,
            questions=most,
            size=size,
            simulations=RUNS,
        )
        answers = Answers.assumed(drop, max(ASSUMED, drop), size)
        ended, verdicts = simulate(assumed, answers, np.random.default_rng(0), rule)
        cases.append(_case(condition, ended, verdicts != VERDICTS.index("undecided")))
    return most, tuple(cases)


def _case(condition: str, ended: NDArray[np.int64], decided: NDArray[np.bool_]) -> ForecastCase:
    median = float(np.median(np.where(decided, ended, np.inf)))
    return ForecastCase(condition, float(decided.mean()), int(median) if np.isfinite(median) else None, float(ended.mean()))
