"""Recomputes verdict, intervals and evidence from the grades on record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from vivavoce.certificate.attempts.attempt import RecordedAttempt
from vivavoce.certificate.attempts.grades_log import Grades
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.config import Procedure, Unreadable
from vivavoce.certificate.design.drawing import (
    AsDrawn,
    Endurance,
    Population,
    Strata,
    WithReplacement,
    refuse_earlier_strata,
)
from vivavoce.certificate.evidence.importance_weighting import ImportanceWeighting
from vivavoce.certificate.run import CertificateRun, RunTerms
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Usage
from vivavoce.scopes.questions import Question, Unit

RECOMPUTED: Final = (
    "procedure", "questions", "complete", "score", "unacceptable", "unreadable", "copied", "cut_off", "after_turn",
    "no_answers", "orphans", "dont_know", "log_e_values", "path", "order", "strata", "largest_weight",
)  # fmt: skip
"""The figures of a certificate that depend only on its grades."""
_NOBODY: Final = NoAnswer("not looked at")


@dataclass(frozen=True, slots=True)
class _SizeOnlyScope:
    """A scope of which only the number of units is known."""

    name: str
    digest: str
    population: int | None
    size: int | None


def recomputed(held: RecordedAttempt, grades: Grades) -> dict[str, Any]:
    """Compute verdict, candidates, and the figures in `RECOMPUTED` from grades and the terms of their attempt.

    Raises `BadInput` for terms of several scopes, or terms that do not fit the grades.
    """
    terms = held.terms
    if terms.examination != "certificate" or len(terms.scopes) != 1:
        raise BadInput(f"an examination of the kind '{terms.examination[:80]}' can't be recomputed from its grades")
    refuse_earlier_strata(terms.settings)
    try:
        run = _run(held, grades)
        each = grades.each
        for unit in _units(grades):
            run.expect(unit)
        for grade in each:
            run.take_grade(_NOBODY, grade)
        document = run.certificate(terms.candidate, grades.exhausted, Usage(), 0).as_json()
    except (KeyError, TypeError, ValueError, IndexError, ArithmeticError) as error:
        raise BadInput(f"the grades on record do not fit the terms of their attempt ({type(error).__name__})") from None
    figures = {name: document["figures"][name] for name in RECOMPUTED if name in document["figures"]}
    return {"verdict": document["verdict"], "candidates": document["candidates"], "figures": figures}


def _run(held: RecordedAttempt, grades: Grades) -> CertificateRun:
    settings, (title, digest) = held.terms.settings, held.terms.scopes[0]
    limit = settings["unacceptable_limit"]
    criterion = Criterion(float(settings["passing_grade"]), None if limit is None else float(limit), held.delta)
    procedure, unreadable = settings.get("procedure", "sequential"), settings["unreadable"]
    if procedure not in get_args(Procedure) or unreadable not in get_args(Unreadable):
        raise ValueError
    scope = _SizeOnlyScope(title, digest, grades.population, grades.size)
    terms = RunTerms(
        procedure,
        settings.get("questions"),
        unreadable,
        Endurance(settings.get("at_least"), settings.get("spread_hours")),
        judged=settings.get("graded_by_people") is False,
        draws=Draws.of(settings),
    )
    return CertificateRun(
        cast(Any, scope), _population(settings["design"], scope, grades, terms.draws).inference(criterion, procedure), terms
    )


def _population(name: object, scope: _SizeOnlyScope, grades: Grades, draws: Draws | None) -> Population:
    strata, evenly = grades.strata, grades.evenly
    if (strata is not None, evenly is not None) != (name == Strata.name, name == "evenly"):
        raise ValueError
    if (draws is not None) is not (name == WithReplacement.name):
        raise ValueError
    if draws is not None:
        return WithReplacement(cast(Any, scope), draws)
    if strata is not None:
        return Strata(strata.names, strata.masses, strata.sizes, cast(Any, scope))
    if evenly is None:
        return AsDrawn(cast(Any, scope))
    if grades.population is None:
        raise ValueError
    return ImportanceWeighting(((Question("", ""),),) * grades.population, evenly.total, evenly.largest)


def _units(grades: Grades) -> Iterator[Unit]:
    """Units of the sizes, weights and strata of those that were asked."""
    weights = iter(grades.weights or (1.0,) * sum(grades.unit_sizes))
    strata = grades.strata
    for number, size in enumerate(grades.unit_sizes):
        category = "" if strata is None else strata.names[strata.of[number]]
        yield tuple(
            Question(f"{number}/{index}", "", category=category, weight=next(weights), cluster=str(number) if size > 1 else "")
            for index in range(size)
        )
