"""How forecasts were measured against laws."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.report.tables import ABOUT_REFERENCES
from vivavoce.consistency.forecasts.report.view import View
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.laws import QUANTITIES
from vivavoce.report.blocks import Column, Fold, Row, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import method_of


def method(view: View, rows: Sequence[Summary], *, compared: bool) -> Fold:
    """The metrics of the laws, and how the numbers were found; `compared`: whether forecasters were compared."""
    of_laws = [of[0] for law in view.laws if (of := view.of_law(law))]
    metrics = tuple(Row(Cell(law_name(row.law)), (Cell(row.metric),)) for row in of_laws)
    return method_of(sentences(rows, compared=compared), Table((Column("Law"), Column("Its metric")), metrics))


def sentences(rows: Sequence[Summary], *, compared: bool) -> list[str]:
    """How the numbers were found, in sentences."""
    quantities = any(row.law in QUANTITIES for row in rows)
    probabilities = any(row.law not in QUANTITIES for row in rows)
    return [
        *(_COHERENT if probabilities else ()),
        *(_IN_ORDER if quantities else ()),
        "A metric above 0.2 is a strong contradiction. A metric of exactly 0.2 is one only on a law of your own.",
        *(_DISTANCE if probabilities else ()),
        _intervals(rows),
        *(f"{who}: {about}" for who, about in ABOUT_REFERENCES.items()),
        *(_CONTROL if any(row.law == CONTROL for row in rows) else ()),
        *(_COMPARED if compared else ()),
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
    "Two forecasters are compared on the tuples that both answered readably (a paired comparison): is the mean difference 0? "
    "p is from a bootstrap of Student’s t, in which tuples that share questions are drawn together, so that differences may be "
    "skewed. With fewer than 20 independent sets of tuples it is from bets on bounded differences, which hold for any number. "
    "Where most tuples depend on one another, it is from Student’s t test. Holm’s adjustment allows for the number of "
    "comparisons. Strong in one alone: McNemar’s exact test, or the same test where tuples share questions.",
)


def _intervals(rows: Sequence[Summary]) -> str:
    shared = " at the number of independent tuples that would be as uncertain" if any(row.shared for row in rows) else ""
    robust = ", robust to tuples that share questions" if shared else ""
    return f"Intervals are at level 95%: shares have that of Clopper and Pearson{shared}, means Student’s{robust}."
