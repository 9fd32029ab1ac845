"""Several dossiers side by side, as a page and in the terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil, floor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.examination.cards import QUESTIONS, Figure
from vivavoce.dossier.examination.compare import MISSING, Beside, Comparison, Row
from vivavoce.dossier.examination.page import SHOWN, answer_rows
from vivavoce.dossier.page import environment
from vivavoce.interview.wording import clipped


def comparison_page(found: Comparison, *, made: datetime, version: str) -> str:
    """The page; the same dossiers, date and version give the same bytes."""
    values = {
        "title": f"{len(found.dossiers)} dossiers side by side",
        "names": [clipped(one.called, SHOWN) for one in found.dossiers],
        "answers": [{"name": clipped(one.called, SHOWN), "rows": answer_rows(one)} for one in found.dossiers],
        "rooms": _rooms(found),
        "caveats": found.caveats,
        "made": made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "version": version,
    }
    return environment().get_template("dossiers.html.j2").render(values)


def write_comparison(file: Path, found: Comparison, *, made: datetime, version: str) -> None:
    """Write the page to a file."""
    file.write_text(comparison_page(found, made=made, version=version), encoding="utf-8", errors="replace")


def print_comparison(found: Comparison, console: Console) -> None:
    """A table a room, and the differences below each row."""
    for heading, rows in _rooms(found):
        console.print(Text(f"\n{heading}", style="bold"))
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 3, 0, 0))
        table.add_column("")
        for one in found.dossiers:
            table.add_column(Text(clipped(one.called, 40)))
        for row in rows:
            table.add_row(*map(Text, (row["name"], *row["values"])))
            if any(row["beside"]):
                table.add_row(Text("  less the first", style="dim"), "", *(Text(words, style="dim") for words in row["beside"]))
        console.print(table)
    for caveat in found.caveats if len(found.dossiers) > 1 else ():
        console.print(Text(f"- {caveat}", style="dim"), soft_wrap=True)


def _rooms(found: Comparison) -> list[tuple[str, list[dict[str, Any]]]]:
    rooms = dict.fromkeys(row.room for row in found.rows)
    return [(QUESTIONS[room], [_row(row) for row in found.rows if row.room == room]) for room in rooms]


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": clipped(row.name, SHOWN),
        "values": ["not examined" if figure is None else figure.in_words for figure in row.figures],
        "beside": [_in_words(one) for one in row.beside],
    }


def _in_words(one: Beside) -> str:
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
