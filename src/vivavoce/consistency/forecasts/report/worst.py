"""The worst tuples: what was asked, what was said, and the nearest coherent forecasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.report.tables import in_nats
from vivavoce.consistency.forecasts.report.view import View, law_label
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import clipped, count, name_of, score
from vivavoce.laws import QUANTITIES, law_named
from vivavoce.laws.builtin import FAMILIES
from vivavoce.report.blocks import Block, Card, Column, InFull, InShort, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell

PER_LAW: Final = 3
"""Tuples of one forecaster and law."""
MOST: Final = 12
"""Tuples on a page."""
MOST_IN_SHORT: Final = 3
"""Tuples in a terminal."""
MOST_STATEMENTS: Final = 12
"""Of a tuple."""
SHOWN_QUESTION: Final = 300
SHOWN_KEY: Final = 60
SHOWN_IN_SHORT: Final = 40


class Statement(NamedTuple):
    """One statement of a tuple, in words."""

    question: str
    """What was asked, else what it says logically."""
    logical: str
    """What it says logically, beside a question."""
    forecast: str
    nearest: str


def worst_contradictions(view: View, about_drawn: str) -> tuple[Block, ...]:
    """The worst tuples with what would be coherent; `about_drawn`: whose they are, where not everybody's are shown."""
    found = worst(view, view.in_full)
    if not found:
        return (Section("The worst contradictions", (InFull((Paragraph("No contradiction was found."),)),)),)
    explained = (
        "Each forecast is shown with the nearest one that would be coherent with the others. A sure profit (arbitrage, a "
        "Dutch book): somebody who trades against these forecasts, paid by the logarithmic score, wins that much whatever "
        f"happens. {about_drawn}"
    )
    cards = tuple(_card(scored, alone=view.alone) for scored in found)
    names = view.forecasters if view.few else tuple(reversed(view.in_full))
    lines = tuple(Paragraph(_line(scored, alone=view.alone)) for scored in worst(view, names, MOST_IN_SHORT))
    return (
        InFull((Section("The worst contradictions", (Paragraph(explained.strip(), quiet=True), *cards)),)),
        InShort((Section("The worst contradictions: forecasts → the nearest coherent ones", lines),)),
    )


def worst(view: View, forecasters: Sequence[str], most: int = MOST) -> list[Scored]:
    """The largest contradictions: forecasters take turns, each with the law that was shown least so far, then the larger one.

    The identical question again is left out, unless nothing else was asked.
    """
    left = {name: _of(view, name) for name in forecasters}
    laws: Counter[str] = Counter()
    found: list[Scored] = []
    while any(left.values()) and len(found) < most:
        for name in forecasters:
            if not left[name] or len(found) >= most:
                continue
            scored = min(left[name], key=lambda scored: (laws[scored.row.law], *_size(scored)))
            left[name].remove(scored)
            laws[scored.row.law] += 1
            found.append(scored)
    order = {law: place for place, law in enumerate(view.laws)}
    places = {name: place for place, name in enumerate(forecasters)}
    return sorted(found, key=lambda scored: (places[scored.row.forecaster], order[scored.row.law], -(scored.metric or 0.0)))


def statements(scored: Scored) -> list[Statement]:
    """The statements of a tuple with forecasts and the nearest coherent ones."""
    row, repair = scored.row, scored.repair or {}
    write = quantity if row.law in QUANTITIES else probability
    logical = {}
    if row.law not in QUANTITIES and row.law not in FAMILIES:
        logical = {statement.key: statement.text for statement in law_named(row.law, tuple(row.forecasts)).statements}
    found = []
    for key, forecast in row.forecasts.items():
        short = clipped(logical.get(key, key), SHOWN_KEY)
        question = clipped(" ".join(row.questions.get(key, "").split()), SHOWN_QUESTION)
        said, nearest = ("none" if value is None else write(value) for value in (forecast, repair.get(key)))
        found.append(Statement(question or short, short if question else "", said, nearest))
    return found


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


def _card(scored: Scored, *, alone: bool) -> Card:
    lines = statements(scored)
    rows = tuple(
        Row(
            Cell(line.question, below=(line.logical,) if line.logical else ()),
            (Cell(line.forecast), Cell(line.nearest, quiet=True)),
        )
        for line in lines[:MOST_STATEMENTS]
    )
    left = f"… and {count(len(lines) - MOST_STATEMENTS)} more questions" if len(lines) > MOST_STATEMENTS else ""
    costs = f"Metric {score(scored.metric or 0.0)}{', strong' if scored.strong else ''}."
    if scored.violation is not None:
        costs += f" Sure profit: {in_nats(scored.violation)} nats."
    return Card(
        (
            Table((Column("Question", percent=66), Column("Forecast"), Column("Nearest")), rows),
            Paragraph(left, quiet=True),
            Paragraph(costs, quiet=True),
        ),
        law_name(scored.row.law),
        "" if alone else name_of(scored.row.forecaster),
    )


def _line(scored: Scored, *, alone: bool) -> str:
    """A tuple in a line."""
    name = "" if alone else f"{name_of(scored.row.forecaster)}, "
    said = ", ".join(
        f"{line.logical or line.question[:SHOWN_IN_SHORT]} {line.forecast} → {line.nearest}" for line in statements(scored)[:8]
    )
    return f"{name}{law_label(scored.row.law)}, metric {score(scored.metric or 0.0)}: {said}"


def _size(scored: Scored) -> tuple[float, float]:
    """The larger, the less."""
    return (-(scored.metric or 0.0), -(scored.violation or 0.0))


def _of(view: View, forecaster: str) -> list[Scored]:
    laws = [law for law in view.laws if law != CONTROL and (forecaster, law) in view.rows] or list(view.laws)
    rows = [view.rows[forecaster, law] for law in laws if (forecaster, law) in view.rows]
    return [scored for row in rows for scored in row.worst[:PER_LAW] if scored.metric]
