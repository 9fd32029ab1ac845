"""Findings in a notebook: their report as output, figures and files."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import guarded
from vivavoce.render.drawing import Drawing, drawing_of
from vivavoce.render.drawing import plot as drawn_figure
from vivavoce.render.html import report_in_html
from vivavoce.render.markdown import report_in_markdown
from vivavoce.render.page import environment, write_page
from vivavoce.report.blocks import Report
from vivavoce.report.reported import ReportedFinding, rows_of
from vivavoce.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH: Final = "46rem"
"""Width of a finding among other output."""
COMPACT: Final = """
& { line-height: 1.35; }
.grid { font-size: .875rem; }
h4, h5 { margin: .65rem 0 .2rem; }
p { margin: 0 0 .4rem; }
li { margin-bottom: .2rem; }
table { margin-top: .25rem; }
th, td { padding: .2rem .5rem .2rem 0; }
details { margin-top: .5rem; padding: .25rem 0; }
.more:not(.more + .more) { margin-top: .5rem; }
.banner { padding: .6rem 1rem; margin: .4rem 0; }
.tiles { margin: .4rem 0; }
.banner h3 { font-size: 1.35rem; }
.tile { padding: .5rem .75rem; }
.tile p { font-size: .8125rem; }
.bar { margin: .75rem .5rem .25rem 0; }
"""
"""A finding takes about a screen of a notebook."""
KINDS: Final = (".html", ".json", ".md", ".csv")


def in_notebook(report: Report) -> str:
    """The report as HTML within other output: its style applies only to itself, and it needs no script."""
    name = f"v{sha256(f'{report.signature} {report.headline}'.encode(errors='replace')).hexdigest()[:8]}"
    body = report_in_html(report, name, level=3, brief=True)
    return str(Markup('<div class="vivavoce">\n<style>{}</style>\n{}\n</div>').format(Markup(_style()), body))  # noqa: S704


def drawn(report: Report, number: int) -> Figure:
    """One of the report's plots; boards are for pages only. Raises `NotEnoughEvidence` if there is too little to draw."""
    figures = [drawing for figure in report.figures if isinstance(drawing := drawing_of(figure.data), Drawing)]
    if number >= len(figures):
        raise NotEnoughEvidence(f"this finding has {len(figures)} plots: give a smaller number")
    return drawn_figure(figures[number])


def saved(finding: ReportedFinding, file: Path) -> None:
    """Write a finding in the format of the file's extension: page, JSON, Markdown, or the first table. Raises `BadInput` for
    other extensions.
    """
    match file.suffix:
        case ".html":
            write_page(file, [finding], made=datetime.now(UTC), version=__version__)
        case ".json":
            write_whole(file, json.dumps(finding.as_json(), allow_nan=False))
        case ".md":
            write_whole(file, report_in_markdown(finding.report()))
        case ".csv":
            write_whole(file, _as_csv(finding.report()))
        case other:
            raise BadInput(f"'{other}' is not a format for findings: use one of {', '.join(KINDS)}")


def _as_csv(report: Report) -> str:
    rows = rows_of(report.tables[0]) if report.tables else []
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0] if rows else ())
    writer.writeheader()
    writer.writerows({name: guarded(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows)
    return out.getvalue()


@cache
def _style() -> str:
    """The page's style, restricted to the report (nested CSS)."""
    css = environment().get_template("page.css").render()
    css = re.sub(r"(?<!\S)(:root|html|body) \{", "& {", css)
    return f".vivavoce {{\n{css}\n{COMPACT}\n& {{ max-width: {WIDTH}; padding: .25rem 1rem; }}\n}}"
