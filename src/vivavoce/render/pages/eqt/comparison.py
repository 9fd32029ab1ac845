"""What several candidates on their own explanations say on their page, next to one another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final

from vivavoce.eqt.comparison_finding import EqtComparison
from vivavoce.eqt.figures import Figures
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent
from vivavoce.render.pages.eqt.tables import Cell, called, cell, counted, share_cell
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.eqt_comparison import MOST_DRAWN, MOST_PANELS, panel, spider
from vivavoce.render.wording import breakable

MOST_CANDIDATES: Final = 24
"""In a table."""
MOST_CATEGORIES: Final = 60
TINTS: Final = (0.2, 0.4, 0.6, 0.8)
"""Shares from which a cell of the matrix is tinted more."""
OVERVIEW: Final = ("closed", "closed_originals", "open_book", "gap", "acs", "acs_rescaled")


def comparison_title(compared: EqtComparison) -> str:
    """What the page is."""
    return f"{counted(len(compared.findings), 'candidate')} on their own explanations"


def comparison_body(compared: EqtComparison, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    findings = compared.findings[:MOST_CANDIDATES]
    categories = categories_of(findings)
    web = spider(findings, categories, f"{name}w")
    return {
        "finding": compared,
        "headline": breakable(compared.headline),
        "rest": compared.others,
        "heads": [(count(number), breakable(called(one.candidate))) for number, one in enumerate(findings, 1)],
        "overview": overview(findings),
        "accuracy": by_category(findings, categories, "closed"),
        "acs": by_category(findings, categories, "acs"),
        "spider": figure(web) if web else None,
        "panels": panels(findings, categories, name),
        "matrix": matrix(compared, findings),
        "drawn": _drawn(findings),
        "left_out": _left_out(compared, findings, categories),
        "method": method(compared),
    }


def categories_of(findings: Sequence[ExplainQueryTest]) -> list[str]:
    """All categories, in the order in which they first occur."""
    return list(dict.fromkeys(one.name for finding in findings for one in finding.categories))[:MOST_CATEGORIES]


def overview(findings: Sequence[ExplainQueryTest]) -> list[tuple[str, str, list[Cell], str]]:
    """One line a candidate: number, name, figures over all its questions, how many of these are valid."""
    return [
        (
            count(number),
            breakable(called(one.candidate)),
            [cell(one.whole, what) for what in OVERVIEW],
            _valid(one),
        )
        for number, one in enumerate(findings, 1)
    ]


def by_category(
    findings: Sequence[ExplainQueryTest], categories: Sequence[str], what: str
) -> list[tuple[str, list[Cell | None]]]:
    """One figure, categories down and candidates across, over all questions last, as Table 1 of the paper has it."""
    found = [{one.name: one for one in finding.categories} for finding in findings]
    rows = [(called(name), [_found(of.get(name), what) for of in found]) for name in categories] if len(categories) > 1 else []
    return [*rows, ("All questions", [_found(finding.whole, what) for finding in findings])]


def panels(findings: Sequence[ExplainQueryTest], categories: Sequence[str], name: str) -> list[dict[str, str]]:
    """A small picture a category; one of everything where there is a single category."""
    shown = findings[:MOST_DRAWN]
    told = []
    for place, category in enumerate(categories[:MOST_PANELS]):
        rows = [
            (number, finding.candidate, one)
            for number, finding in enumerate(shown, 1)
            for one in finding.categories
            if one.name == category
        ]
        told.append({"title": called(category), **figure(panel(category, rows, f"{name}b{place}"))})
    return told


def matrix(compared: EqtComparison, findings: Sequence[ExplainQueryTest]) -> dict[str, Any] | None:
    """Who answers whose questions; None where nobody was asked another's."""
    owners = [one.candidate for one in findings]
    names = list(dict.fromkeys([*owners, *(name for one in findings for name in one.visitors)]))[:MOST_CANDIDATES]
    if not any(one.visitors for one in findings):
        return None
    found = compared.matrix
    return {
        "heads": [breakable(called(name)) for name in names],
        "lines": [
            (breakable(called(owner)), [_crossed(found[owner].get(name), own=name == owner) for name in names])
            for owner in owners
        ],
        "everywhere": [percent(compared.everywhere[name]) if name in compared.everywhere else "" for name in names]
        if compared.everywhere
        else [],
    }


def tint(share: float) -> int:
    """How much a cell is tinted, from 0 to 4.

    >>> tint(0.0), tint(0.2), tint(0.79), tint(1.0)
    (0, 1, 3, 4)
    """
    return bisect_right(TINTS, share)


def method(compared: EqtComparison) -> list[str]:
    """How the figures were found, in sentences."""
    return [
        "Each candidate explained the concepts, wrote questions on its own explanations and answered them without seeing these "
        "again; where others took part, its own page says so. So each has questions of its own, and a candidate that "
        "writes harder ones gets lower figures.",
        *(_CROSSED if any(one.visitors for one in compared.findings) else ()),
        "Intervals are at level 95% and allow for questions on one concept being alike.",
    ]


_CROSSED: Final = (
    "Who answers whose questions: the original wordings, without the explanation, in a conversation of its own. A row is one "
    "set of questions, so that figures in a row can be compared.",
)


def _found(figures: Figures | None, what: str) -> Cell | None:
    return None if figures is None else cell(figures, what)


def _crossed(estimate: Estimate | None, *, own: bool) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {"cell": share_cell(estimate), "own": own, "tint": 0 if estimate.value is None else tint(estimate.value)}


def _valid(finding: ExplainQueryTest) -> str:
    return f"{count(finding.validity.valid)} of {count(finding.validity.written)}"


def _drawn(findings: Sequence[ExplainQueryTest]) -> str:
    return f"Drawn are the first {count(MOST_DRAWN)} of {count(len(findings))}." if len(findings) > MOST_DRAWN else ""


def _left_out(compared: EqtComparison, findings: Sequence[ExplainQueryTest], categories: Sequence[str]) -> str:
    every = len({one.name for finding in findings for one in finding.categories})
    if len(compared.findings) == len(findings) and every == len(categories):
        return ""
    return (
        f"There is room for {count(len(findings))} of {count(len(compared.findings))} candidates and "
        f"{count(len(categories))} of {count(every)} categories; the JSON has all of them."
    )
