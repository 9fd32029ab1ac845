"""The worst tuples in words: what was asked, what was said, and the nearest coherent forecasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.interview.wording import clipped, count, name_of, score
from vivavoce.laws import QUANTITIES, law_named
from vivavoce.laws.builtin import FAMILIES
from vivavoce.render.pages.laws.tables import View, in_nats

PER_LAW: Final = 3
"""Tuples of one forecaster and law."""
MOST: Final = 12
"""Tuples on a page."""
MOST_STATEMENTS: Final = 12
"""Of a tuple."""
SHOWN_QUESTION: Final = 300
SHOWN_KEY: Final = 60


def worst(shown: View, forecasters: Sequence[str], most: int = MOST) -> list[Scored]:
    """The largest contradictions: forecasters take turns, each with the law that was shown least so far, then the larger one.

    The identical question again is left out, unless nothing else was asked.
    """
    left = {name: _of(shown, name) for name in forecasters}
    laws: Counter[str] = Counter()
    found: list[Scored] = []
    while any(left.values()) and len(found) < most:
        for name in forecasters:
            if not left[name] or len(found) >= most:
                continue
            one = min(left[name], key=lambda scored: (laws[scored.row.law], *_size(scored)))
            left[name].remove(one)
            laws[one.row.law] += 1
            found.append(one)
    order = {law: place for place, law in enumerate(shown.laws)}
    places = {name: place for place, name in enumerate(forecasters)}
    return sorted(found, key=lambda one: (places[one.row.forecaster], order[one.row.law], -(one.metric or 0.0)))


def in_words(scored: Scored, *, alone: bool) -> dict[str, Any]:
    """A tuple as the page shows it; `alone`: there is only one forecaster, who needs no name."""
    law = law_name(scored.row.law)
    lines = statements(scored)
    costs = [f"Metric {score(scored.metric or 0.0)}{', strong' if scored.strong else ''}."]
    if scored.violation is not None:
        costs.append(f"Sure profit: {in_nats(scored.violation)} nats.")
    return {
        "title": law,
        "forecaster": "" if alone else name_of(scored.row.forecaster),
        "lines": lines[:MOST_STATEMENTS],
        "left": f"… and {count(len(lines) - MOST_STATEMENTS)} more questions" if len(lines) > MOST_STATEMENTS else "",
        "costs": " ".join(costs),
    }


def statements(scored: Scored) -> list[tuple[str, str, str, str]]:
    """For each statement: the question, else what it says logically; that beside a question; the forecast; the nearest."""
    row, repair = scored.row, scored.repair or {}
    write = quantity if row.law in QUANTITIES else probability
    logical = {}
    if row.law not in QUANTITIES and row.law not in FAMILIES:
        logical = {statement.key: statement.text for statement in law_named(row.law, tuple(row.forecasts)).statements}
    told = []
    for key, forecast in row.forecasts.items():
        short = clipped(logical.get(key, key), SHOWN_KEY)
        question = clipped(" ".join(row.questions.get(key, "").split()), SHOWN_QUESTION)
        said, nearest = ("none" if value is None else write(value) for value in (forecast, repair.get(key)))
        told.append((question or short, short if question else "", said, nearest))
    return told


def probability(value: float) -> str:
    """A forecast in percent, never rounded to certainty.

    >>> probability(0.125), probability(0.999), probability(1.0), probability(1e-9), probability(1 - 1e-9)
    ('12.5%', '99.9%', '100%', 'almost 0%', 'almost 100%')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    if not 1e-5 <= value <= 1 - 1e-5:
        return "almost 0%" if value < 0.5 else "almost 100%"
    return f"{100 * value:.3g}%" if value < 0.9985 else f"{100 * value:.5g}%"


def quantity(value: float) -> str:
    """A forecast of a quantity.

    >>> quantity(9.58), quantity(12_500.0).replace("\\u202f", "_"), quantity(3e20)
    ('9.58', '12_500', '3e+20')
    """
    return count(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _size(scored: Scored) -> tuple[float, float]:
    """The larger, the less."""
    return (-(scored.metric or 0.0), -(scored.violation or 0.0))


def _of(shown: View, forecaster: str) -> list[Scored]:
    laws = [law for law in shown.laws if law != CONTROL and (forecaster, law) in shown.rows] or list(shown.laws)
    rows = [shown.rows[forecaster, law] for law in laws if (forecaster, law) in shown.rows]
    return [one for row in rows for one in row.worst[:PER_LAW] if one.metric]
