"""Several dossiers side by side, as a page and in the terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil, floor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from vivavoce.examination.cards import Figure
from vivavoce.examination.compare import MISSING, Comparison, FigureDifference, Row
from vivavoce.examination.page import SHOWN, answer_rows
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.lines import write_whole
from vivavoce.formats.wording import clipped
from vivavoce.render.console import print_report
from vivavoce.render.html import report_in_html
from vivavoce.render.page import environment
from vivavoce.render.terminal import table
from vivavoce.report.cells import listed


def comparison_page(found: Comparison, *, made: datetime, version: str) -> str:
    """The page; the same dossiers, date and version give the same bytes."""
    values = {
        "title": _title(found),
        "names": [clipped(one.called, SHOWN) for one in found.dossiers],
        "answers": [
            {"name": clipped(one.called, SHOWN), "rows": answer_rows(one), "guarantee": one.answer.guarantee}
            for one in found.dossiers
        ],
        "rooms": _rooms(found),
        "paired": [
            (one.called, report_in_html(one.report(), f"p{number}", level=2))
            for number, one in enumerate(found.paired.scopes, 1)
        ],
        "caveats": found.caveats,
        "made": made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "version": version,
    }
    return environment().get_template("dossiers.html.j2").render(values)


def write_comparison(file: Path, found: Comparison, *, made: datetime, version: str) -> None:
    """Write the page to a file."""
    write_whole(file, comparison_page(found, made=made, version=version))


def print_comparison(found: Comparison, console: Console) -> None:
    """A table a room, and the differences below each row."""
    for heading, rows in _rooms(found):
        console.print(Text(f"\n{heading}", style="bold"))
        made = table(("", *(clipped(one.called, 40) for one in found.dossiers)))
        for row in rows:
            made.add_row(*map(Text, (row["name"], *row["values"])))
            if any(row["beside"]):
                made.add_row(*map(Text, ("  minus the first", "", *row["beside"])), style="dim")
        console.print(made)
    for one in found.paired.scopes:
        console.print(Text(f"\nThe same questions: {one.called}", style="bold"))
        print_report(one.report(), console)
    for caveat in found.caveats if len(found.dossiers) > 1 else ():
        console.print(Text(f"- {caveat}", style="dim"), soft_wrap=True)


def _title(found: Comparison) -> str:
    """What each of a few candidates may be trusted for is the question; more are counted."""
    if len(found.dossiers) > 3:
        return f"What may each of {len(found.dossiers)} candidates be trusted for?"
    names = [one.called for one in found.dossiers]
    return f"What may {listed(names)} be trusted for?"


def _rooms(found: Comparison) -> list[tuple[str, list[dict[str, Any]]]]:
    rooms = dict.fromkeys(row.room for row in found.rows)
    return [(QUESTIONS[room], [_row(row) for row in found.rows if row.room == room]) for room in rooms]


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": clipped(row.titled, SHOWN),
        "values": ["not examined" if figure is None else figure.in_words for figure in row.figures],
        "beside": [_in_words(one) for one in row.beside],
    }


def _in_words(one: FigureDifference) -> str:
    if one.difference is None:
        return "" if one.why_not == MISSING else one.why_not
    return _difference(one.difference) + ("" if one.beyond_chance else ", may be chance")


def _difference(figure: Figure) -> str:
    """With its sign, in points of percent or of the scale, the interval rounded outwards.

    >>> _difference(Figure("x", -0.125, -0.301, 0.05, 9, "share", ""))
    '−12 points [−31, +5]'
    """
    scale = {"share": 100, "score": 100, "points": 1}[figure.unit]
    value, lower, upper = (scale * (bound or 0.0) for bound in (figure.value, figure.lower, figure.upper))
    return f"{_signed(round(value))} points [{_signed(floor(round(lower, 9)))}, {_signed(ceil(round(upper, 9)))}]"


def _signed(number: int) -> str:
    return f"{'+' if number > 0 else '−' if number < 0 else ''}{abs(number)}"
