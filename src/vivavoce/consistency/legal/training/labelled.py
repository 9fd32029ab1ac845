"""Cases with what the court found, as `case_records` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.consistency.legal.cases.files import Labels, case_records
from vivavoce.consistency.legal.cases.trials import LegalCase
from vivavoce.errors import BadFile

ARTICLES: Final = ("violated_articles", "VIOLATED_ARTICLES", "labels")
"""Names of the list of violated articles: of `ECtHR`, of `ECHR`, and of data sets of both on the hub."""
RATIONALES: Final = ("gold_rationales", "silver_rationales")
"""Names of the list of facts that a lawyer, or the court itself, held to matter; numbers from 0."""
MOST_ARTICLES: Final = 1_000


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """A case, and what was found in it."""

    case: LegalCase
    violation: bool
    decisive: tuple[int, ...] = ()
    """Facts that are known to decide it, by their numbers from 0; empty where none are known."""


def read_labelled(file: Path, article: str = "") -> tuple[LabelledCase, ...]:
    """The cases of a file or folder with their labels.

    A label is `violation` (true or false), or a list of violated articles: `violated_articles`, `VIOLATED_ARTICLES` or
    `labels`; a case without one is an error. The facts that decide are `decisive`, or the rationales of `ECtHR`.

    Parameters
    ----------
    article: what counts as a violation; empty: any article.

    Raises `BadFile` with the line and the remedy.
    """
    return tuple(
        LabelledCase(case, _violation(labels, article), _decisive(labels, len(case.facts)))
        for case, labels in case_records(file)
    )


def _violation(labels: Labels, article: str) -> bool:
    record = labels.record
    if "violation" in record:
        said = record["violation"]
        if article:
            raise _problem(labels, "'violation' does not say of which article: leave out --article")
        if not isinstance(said, bool) and (type(said) is not int or said not in (0, 1)):
            raise _problem(labels, f"'violation' is {str(said)[:40]!r}: give true or false")
        return bool(said)
    name = next((name for name in ARTICLES if name in record), "")
    if not name:
        alleged = "allegedly_violated_articles" in record
        raise _problem(
            labels,
            "says which articles were alleged to be violated, not which were: give 'violated_articles'"
            if alleged
            else "does not say what was found: give 'violation' (true or false), or a list 'violated_articles'",
        )
    articles = record[name]
    if not isinstance(articles, list) or len(articles) > MOST_ARTICLES:
        raise _problem(labels, f"'{name}' is {str(articles)[:40]!r}: give a list of articles, empty if none was violated")
    if not article:
        return bool(articles)
    if not all(isinstance(one, str) for one in articles):
        raise _problem(labels, f"'{name}' has numbers of classes, not names of articles: leave out --article")
    return article in articles


def _decisive(labels: Labels, facts: int) -> tuple[int, ...]:
    """The facts that decide; published rationales that point to no fact are none, our own field is an error then."""
    record: Mapping[str, Any] = labels.record
    if "decisive" in record:
        found = _numbers(record["decisive"], facts)
        if found is None:
            raise _problem(labels, f"'decisive' must be a list of numbers of facts, from 0 to {facts - 1}")
        return found
    return next((found for name in RATIONALES if (found := _numbers(record.get(name), facts))), ())


def _numbers(said: object, facts: int) -> tuple[int, ...] | None:
    if not isinstance(said, list) or not all(type(one) is int and 0 <= one < facts for one in said):
        return None
    return tuple(sorted(set(said)))


def _problem(labels: Labels, problem: str) -> BadFile:
    return BadFile(labels.file, problem, line=labels.line)
