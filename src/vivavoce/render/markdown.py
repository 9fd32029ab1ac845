"""Reports as Markdown, for tickets, chats and files under version control.

Findings in a notebook: their report as output, figures and files.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache, singledispatch
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import guarded
from vivavoce.formats.wording import showable
from vivavoce.render.canvas import Drawing, drawing_of
from vivavoce.render.canvas import plot as drawn_figure
from vivavoce.render.colours import TONES
from vivavoce.render.html import report_in_html
from vivavoce.render.page import environment, write_page
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Caveats,
    Choices,
    Code,
    Fold,
    InFull,
    InShort,
    Items,
    Pairs,
    Panels,
    Paragraph,
    Passage,
    Report,
    ReportFigure,
    ReportSection,
    ReportTable,
    ResultList,
    TextDifference,
    Tiles,
)
from vivavoce.report.cells import TableCell
from vivavoce.report.reported import ReportedFinding, rows_of
from vivavoce.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")


def report_in_markdown(report: Report) -> str:
    """A whole report; figures as descriptions.

    >>> print(report_in_markdown(Report("A check", "Of a model", "All is *well*.", (Caveats(("It was small.",)),), "")))
    A check
    <BLANKLINE>
    # All is \\*well\\*.
    <BLANKLINE>
    ## Limits
    <BLANKLINE>
    - It was small.
    <BLANKLINE>
    """
    verdict = report.verdict
    lines = [escaped(report.kind)]
    if verdict is not None:
        lines.append(f"**{TONES[verdict.tone].mark} {escaped(verdict.words)}**")
    lines += [f"# {escaped(report.headline)}", escaped(report.chance), blocks_in_markdown(report.blocks, 2)]
    if report.signature:
        lines.append(f"*{escaped(report.signature)}*")
    return showable("\n\n".join(filter(None, lines))) + "\n"


def escaped(text: str) -> str:
    """A text escaped for Markdown, on one line.

    >>> escaped("a_b\\n<c>")
    'a\\\\_b \\\\<c\\\\>'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def blocks_in_markdown(blocks: Sequence[Block], level: int) -> str:
    """Some blocks one after the other; `level`: of the next heading."""
    return "\n\n".join(filter(None, (in_markdown(block, level) for block in blocks)))


@singledispatch
def in_markdown(block: object, level: int) -> str:
    """One block; empty where it is left out."""
    raise TypeError(f"no Markdown output for {type(block).__name__}")


@in_markdown.register
def _(block: Paragraph, level: int) -> str:
    return escaped(block.text)


@in_markdown.register
def _(block: ReportTable, level: int) -> str:
    head = _line(" ".join(filter(None, (column.head, column.below))) for column in block.columns)
    rule = "|" + " --- |" * len(block.columns)
    rows = "\n".join(_line(_cell(cell) for cell in (row.head, *row.cells)) for row in (*block.rows, *block.foot))
    return f"{head}\n{rule}\n{rows}"


@in_markdown.register
def _(block: ReportFigure, level: int) -> str:
    drawing = drawing_of(block.data)
    if drawing is None:
        return ""
    codes = "".join(f"\n\n    {' '.join(code.split())}" for code in block.codes)
    return f"*{escaped(drawing.alt)}*{codes}"


@in_markdown.register
def _(block: Panels, level: int) -> str:
    return blocks_in_markdown(block.figures, level)


@in_markdown.register
def _(block: Tiles, level: int) -> str:
    return "\n".join(f"- **{escaped(tile.label)}**: {escaped(', '.join((tile.value, *tile.notes)))}" for tile in block.tiles)


@in_markdown.register
def _(block: ResultList, level: int) -> str:
    return "\n".join(
        f"- {escaped(result.verdict.words)}: **{escaped(result.title)}** "
        f"{escaped('; '.join(filter(None, (result.about, result.value))))}".rstrip()
        for result in block.results
    )


@in_markdown.register
def _(block: Caveats, level: int) -> str:
    return in_markdown(ReportSection("Limits", (Items(block.sentences),)), level) if block.sentences else ""


@in_markdown.register
def _(block: Items, level: int) -> str:
    return "\n".join(f"- {escaped(sentence)}" for sentence in block.sentences)


@in_markdown.register
def _(block: Passage, level: int) -> str:
    return "\n".join(f"> {escaped(line)}" for line in block.text.splitlines())


@in_markdown.register
def _(block: Code, level: int) -> str:
    return "\n".join(f"    {line}" for line in block.text.splitlines())


@in_markdown.register
def _(block: Pairs, level: int) -> str:
    return "\n".join(f"- **{escaped(what)}**: {_words(words)}" for what, words in block.pairs)


@in_markdown.register
def _(block: Choices, level: int) -> str:
    return "\n".join(f"- {letter}: {escaped(text)}{' ✓ right' if right else ''}" for letter, text, right in block.options)


@in_markdown.register
def _(block: ReportSection, level: int) -> str:
    inner = blocks_in_markdown(block.blocks, level + 1)
    return f"{'#' * min(level, 6)} {escaped(block.title)}\n\n{inner}" if inner and block.title else inner


@in_markdown.register
def _(block: Fold, level: int) -> str:
    return in_markdown(ReportSection(block.summary, block.blocks), level)


@in_markdown.register
def _(block: CaseCard, level: int) -> str:
    return in_markdown(ReportSection(" · ".join(filter(None, (block.title, block.subtitle))), block.blocks), level)


@in_markdown.register
def _(block: InFull, level: int) -> str:
    return blocks_in_markdown(block.blocks, level)


@in_markdown.register
def _(block: InShort, level: int) -> str:
    return ""


def _cell(cell: TableCell) -> str:
    mark = "" if cell.tone is None else TONES[cell.tone].mark
    return " ".join(filter(None, (mark, cell.words, *cell.below)))


def _line(texts: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, texts))} |"


def _words(words: str | TextDifference) -> str:
    if isinstance(words, str):
        return escaped(words)
    marks = {"same": "", "removed": "~~", "added": "**"}
    return "".join(f"{marks[kind]}{escaped(text)}{marks[kind]}" for kind, text in words.pieces)


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
