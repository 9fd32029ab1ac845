"""What forecasts measured against laws say on their page: everything the template needs, already in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vivavoce.consistency.forecasts.finding import LawConsistency
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.interview.wording import clipped, count, name_of
from vivavoce.laws import QUANTITIES
from vivavoce.render.pages.laws.pairs import MOST_COMPARISONS, by_pair, in_words, lines
from vivavoce.render.pages.laws.tables import ABOUT_REFERENCES, FEW, View, by_law, matrix, view
from vivavoce.render.pages.laws.worst import in_words as tuple_in_words
from vivavoce.render.pages.laws.worst import worst
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.laws import histogram, tallest
from vivavoce.render.replies import replies
from vivavoce.render.wording import breakable

MOST_PANELS: Final = 60
"""Histograms on a page."""


def laws_title(finding: LawConsistency) -> str:
    """What the page is."""
    names = finding.forecasters
    return f"Contradictions between forecasts of {name_of(names[0]) if len(names) == 1 else f'{count(len(names))} forecasters'}"


def laws_body(finding: LawConsistency, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    shown = view(finding)
    alone = len(finding.forecasters) == 1
    drawn_ones = shown.forecasters if len(shown.forecasters) <= FEW else tuple(dict.fromkeys(shown.extremes()))
    pairs = by_pair(finding.comparisons[:MOST_COMPARISONS])
    return {
        "finding": finding,
        "headline": breakable(finding.headline),
        "also": finding.others,
        "source": clipped(finding.source, 200) or "not named",
        "alone": alone,
        "left_out": shown.left_out,
        "by_law": by_law(shown) if alone else [],
        "matrix": None if alone else matrix(shown),
        "references": ABOUT_REFERENCES,
        "few": len(shown.forecasters) <= FEW,
        "pairs": [
            {"first": name_of(first), "second": name_of(second), "sentence": in_words(first, second, of), "lines": lines(of)}
            for first, second, of in pairs
        ],
        "panels": panels(shown, drawn_ones, name),
        "drawn": "" if len(drawn_ones) == len(shown.forecasters) else _drawn(drawn_ones),
        "worst": [tuple_in_words(one, alone=alone) for one in worst(shown, drawn_ones)],
        "replies": replies(finding.replies),
        "method": method(finding),
        "metrics": [(law_name(row.law), row.metric) for law in shown.laws for row in shown.of_law(law)[:1]],
    }


def panels(shown: View, forecasters: Sequence[str], name: str) -> list[dict[str, Any]]:
    """The histograms in groups: all laws of a single forecaster together, else the forecasters of each law."""
    rows = [row for law in shown.laws for row in shown.of_law(law) if row.forecaster in forecasters and row.n][:MOST_PANELS]
    if len(shown.forecasters) == 1:
        return [{"title": "", "plots": _plots(rows, [law_name(row.law) for row in rows], name)}] if rows else []
    groups = []
    for place, law in enumerate(shown.laws):
        of_law = [row for row in rows if row.law == law]
        if of_law:
            titles = [name_of(row.forecaster) for row in of_law]
            groups.append({"title": law_name(law), "plots": _plots(of_law, titles, f"{name}h{place}")})
    return groups


def method(finding: LawConsistency) -> list[str]:
    """How the numbers were found, in sentences."""
    quantities = any(row.law in QUANTITIES for row in finding.rows)
    probabilities = any(row.law not in QUANTITIES for row in finding.rows)
    return [
        *(_COHERENT if probabilities else ()),
        *(_IN_ORDER if quantities else ()),
        "A metric above 0.2 is a strong contradiction. A metric of exactly 0.2 is one only on a law of your own.",
        *(_DISTANCE if probabilities else ()),
        _intervals(finding.rows),
        *(f"{who}: {about}" for who, about in ABOUT_REFERENCES.items()),
        *(_CONTROL if CONTROL in finding.laws else ()),
        *(_COMPARED if finding.comparisons else ()),
    ]


_COHERENT = (
    "A tuple is a set of questions that a law relates, whatever the right answers are. Forecasts for it are coherent "
    "if some distribution over all that can happen gives each question its probability.",
)
_IN_ORDER = (
    "Quantities that can only grow, or only shrink, are set against the order of the years. The nearest series is the one in "
    "the right order with the least sum of squared changes.",
)
_DISTANCE = (
    "The distance to the nearest coherent forecasts is the least sum of Kullback-Leibler divergences from them to the "
    "forecasts, in nats, a conditional question weighted with the probability of its condition. It is also the sure profit "
    "(arbitrage, a Dutch book) of somebody who trades against the forecasts under the logarithmic score, whatever happens. "
    "It is found as a convex problem, with a bound for what its solution may lack.",
)
_CONTROL = (
    "The same question again: the identical question was put several times. It shows what is mere chance in the replies, and "
    "counts neither for the sentence at the top nor among the worst.",
)
_COMPARED = (
    "Two forecasters are compared on the tuples that both answered readably (a paired comparison). Were they alike, each "
    "difference could as well have the other sign: p is the share of outcomes at least as far from 0 when signs are flipped "
    "at random, for tuples that share questions together. Where those depend on one another too much for that, it is from "
    "Student’s t test. Holm’s adjustment allows for the number of comparisons. Strong in one alone: McNemar’s exact test, "
    "or flipped signs where tuples share questions.",
)


def _plots(rows: Sequence[Summary], titles: Sequence[str], name: str) -> list[dict[str, str]]:
    most = max(tallest(row) for row in rows)
    plots = [histogram(row, f"{name}p{place}", most=most) for place, row in enumerate(rows)]
    return [{"title": breakable(title), **figure(plot)} for title, plot in zip(titles, plots, strict=True) if plot]


def _drawn(forecasters: Sequence[str]) -> str:
    if len(forecasters) == 1:
        return f"Shown is {name_of(forecasters[0])}."
    least, most = forecasters
    return f"Shown are those who contradict themselves strongly least and most often: {name_of(least)} and {name_of(most)}."


def _intervals(rows: Sequence[Summary]) -> str:
    shared = " at the number of independent tuples that would be as uncertain" if any(row.shared for row in rows) else ""
    robust = ", robust to tuples that share questions" if shared else ""
    return f"Intervals are at level 95%: shares have that of Clopper and Pearson{shared}, means Student’s{robust}."
