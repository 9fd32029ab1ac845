"""Reports as Markdown, for tickets, chats and files under version control."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Final

from vivavoce.formats.wording import showable
from vivavoce.render.colours import TONES
from vivavoce.render.drawing import drawing_of
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
