"""Reports in the terminal: as much as fits, a note on omitted rows, and the result last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from vivavoce.formats.wording import clipped, count
from vivavoce.render.colours import TONES
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
    ReportRow,
    ReportSection,
    ReportTable,
    ResultList,
    TextDifference,
    Tiles,
)
from vivavoce.report.cells import TableCell

LONGEST_SENTENCE: Final = 4_000
"""Characters of a title, which may contain an untrusted name."""
LONGEST_PASSAGE: Final = 1_200
MOST_ROWS: Final = 30
FEW_ROWS: Final = 5
"""Most rows with which a table too wide for the terminal keeps its intervals, in any number of parts."""
FOLDED: Final = 3
"""Most columns with which a table that is too wide is folded, not divided."""
MOST_PARTS: Final = 2
"""Most parts with which a table of more rows keeps them."""
LONGEST_HEAD: Final = 44
"""Most characters in the first column of a table."""
GAP: Final = 2


@dataclass(slots=True)
class Screen:
    """A terminal for a report, with some blocks kept for its end."""

    console: Console
    caveats: list[str] = field(default_factory=list)
    indent: int = 0

    def say(self, text: Text) -> None:
        """Words, broken into lines."""
        for line in text.wrap(self.console, max(20, self.console.width - self.indent)):
            line.rstrip()
            self.console.print(Text(" " * self.indent) + line, soft_wrap=True)


def print_report(report: Report, console: Console) -> None:
    """A whole report: as much as fits, caveats, and the statement last."""
    screen = Screen(console)
    print_blocks(report.blocks, screen)
    if screen.caveats:
        console.print(Text("\nNot shown", style="dim"))
        print_blocks((Items(tuple(screen.caveats)),), Screen(console))
    console.print()
    print_statement(report, console)


def print_statement(report: Report, console: Console) -> None:
    """The statement alone: the mark of the verdict, and the result in plain words."""
    mark = Text()
    if report.verdict is not None:
        tone = TONES[report.verdict.tone]
        mark = Text(f"{tone.mark} ", style=tone.style)
    console.print(mark + Text(clipped(report.statement, LONGEST_SENTENCE), style="bold"), soft_wrap=True)


def print_blocks(blocks: Sequence[Block], screen: Screen) -> None:
    """Some blocks one after the other, an empty line between two tables."""
    before: Block | None = None
    for block in blocks:
        if isinstance(before, ReportTable) and isinstance(block, ReportTable):
            screen.console.print()
        on_screen(block, screen)
        before = block if _is_shown(block, headed=True) else before


@singledispatch
def on_screen(block: object, screen: Screen) -> None:
    """Print one block; nothing for blocks that only pages show."""
    raise TypeError(f"no terminal output for {type(block).__name__}")


@on_screen.register(ReportFigure)
@on_screen.register(Tiles)
@on_screen.register(ResultList)
@on_screen.register(Panels)
@on_screen.register(Fold)
@on_screen.register(InFull)
def _(block: ReportFigure | Tiles | ResultList | Panels | Fold | InFull, screen: Screen) -> None:
    pass


@on_screen.register
def _(block: InShort, screen: Screen) -> None:
    print_blocks(block.blocks, screen)


@on_screen.register
def _(block: Paragraph, screen: Screen) -> None:
    if block.text:
        screen.say(Text(clipped(block.text, LONGEST_SENTENCE), style="dim" if block.quiet else ""))


@on_screen.register
def _(block: Caveats, screen: Screen) -> None:
    screen.caveats += block.sentences


@on_screen.register
def _(block: Items, screen: Screen) -> None:
    for sentence in block.sentences:
        Screen(screen.console, indent=max(2, screen.indent)).say(Text(clipped(sentence, LONGEST_SENTENCE)))


@on_screen.register(Passage)
@on_screen.register(Code)
def _(block: Passage | Code, screen: Screen) -> None:
    screen.say(Text(clipped(block.text, LONGEST_PASSAGE)))


@on_screen.register
def _(block: Pairs, screen: Screen) -> None:
    for what, words in block.pairs:
        text = _struck(words) if isinstance(words, TextDifference) else Text(clipped(words, LONGEST_PASSAGE))
        screen.say(Text(f"{what}: ", style="dim") + text)


@on_screen.register
def _(block: Choices, screen: Screen) -> None:
    for letter, text, right in block.options:
        screen.say(Text(f"{letter} {clipped(text, LONGEST_PASSAGE)}{'  ✓ right' if right else ''}"))


@on_screen.register
def _(block: ReportSection, screen: Screen) -> None:
    if not _shown(block.blocks):
        return
    heads = bool(block.title) and _shown(block.blocks, headed=False)
    if heads:
        screen.console.print(Text(f"\n{block.title}", style="dim"))
    print_blocks(block.blocks, Screen(screen.console, screen.caveats, 2 if heads else screen.indent))


@on_screen.register
def _(block: CaseCard, screen: Screen) -> None:
    head = " · ".join(filter(None, (block.title, block.subtitle)))
    if head:
        screen.say(Text(head))
    print_blocks(block.blocks, Screen(screen.console, screen.caveats, screen.indent + (2 if head else 0)))


@on_screen.register
def _(block: ReportTable, screen: Screen) -> None:
    rows = [*block.rows[:MOST_ROWS], *block.foot]
    width = screen.console.width - screen.indent
    shown = [index for index, column in enumerate(block.columns) if not column.detail]
    labels = [*(block.columns[position].label for position in shown), *(("n",) if any(row.head.n for row in rows) else ())]
    cells, intervals = [_cells(row, shown, intervals=True) for row in rows], True
    if len(block.rows) > FEW_ROWS and len(list(_parts(labels, cells, width))) > MOST_PARTS:
        cells, intervals = [_cells(row, shown, intervals=False) for row in rows], False
    for places in _parts(labels, cells, width):
        headed = any(labels[position] for position in places)
        grid = RichTable(box=None, pad_edge=False, show_header=headed, header_style="dim", padding=(0, GAP, 0, 0))
        for position in places:
            right = position < len(shown) and block.columns[shown[position]].number
            grid.add_column(Text(labels[position]), overflow="fold", justify="right" if right else "left")
        for row, texts in zip(rows, cells, strict=True):
            grid.add_row(*(Text.assemble(*texts[position]) for position in places), style="" if row.kind == "plain" else "dim")
        screen.console.print(Padding(grid, (0, 0, 0, screen.indent), expand=False))
    if len(block.rows) > MOST_ROWS:
        left = f"… and {count(len(block.rows) - MOST_ROWS)} more; the page and the JSON have all."
        screen.say(Text(left, style="dim"))
    if not intervals and any(cell.interval for row in rows for cell in row.cells):
        screen.say(Text("Intervals are on the page and in the JSON.", style="dim"))


Styled = list[tuple[str, str]]
"""The parts of a cell, each with its style."""


def _cells(row: ReportRow, shown: Sequence[int], *, intervals: bool) -> list[Styled]:
    """The cells of a row in these columns, and how many observations are behind them."""
    cells = (row.head, *row.cells)
    styled = [_styled(cells[index], head=index == 0, intervals=intervals) for index in shown]
    return [*styled, [(row.head.n.removeprefix("n = "), "")]]


def _styled(cell: TableCell, *, head: bool = False, intervals: bool = True) -> Styled:
    text = cell.short or cell.text
    if head and cell_len(text) > LONGEST_HEAD:
        text = f"{text[: LONGEST_HEAD - 13]}…{text[-12:]}"
    beside = cell.beside if intervals and not head else ""
    mark: Styled = [] if cell.tone is None else [(f"{TONES[cell.tone].mark} ", TONES[cell.tone].style)]
    return [*mark, (" ".join(filter(None, (text, beside))), "")]


def _widths(labels: Sequence[str], cells: Sequence[Sequence[Styled]]) -> list[int]:
    return [
        max(
            [
                *(cell_len(line) for line in label.splitlines()),
                *(sum(cell_len(text) for text, _ in row[index]) for row in cells),
            ]
        )
        for index, label in enumerate(labels)
    ]


def _parts(labels: Sequence[str], cells: Sequence[Sequence[Styled]], width: int) -> Iterator[list[int]]:
    """The columns that fit next to each other; each part repeats the first one. A column that is too wide is folded."""
    if len(labels) <= FOLDED:
        yield [*range(len(labels))]
        return
    first, *others = _widths(labels, cells)
    part, used = [0], first
    for index, needed in enumerate(others, 1):
        if len(part) > 1 and used + GAP + needed > width:
            yield part
            part, used = [0], first
        part.append(index)
        used += GAP + needed
    yield part


def _shown(blocks: Sequence[Block], *, headed: bool = True) -> bool:
    """Whether a terminal shows any of these; `headed`: blocks with their own heading count as well."""
    return any(_is_shown(block, headed=headed) for block in blocks)


def _is_shown(block: Block, *, headed: bool) -> bool:
    match block:
        case ReportSection(title=title):
            return (headed or not title) and _shown(block.blocks, headed=headed)
        case InShort():
            return _shown(block.blocks, headed=headed)
        case Paragraph(text=text):
            return bool(text)
        case ReportFigure() | Tiles() | ResultList() | Panels() | Fold() | InFull() | Caveats():
            return False
    return True


def _struck(words: TextDifference) -> Text:
    styles = {"same": "", "removed": "strike", "added": "underline"}
    return Text.assemble(*((clipped(text, LONGEST_PASSAGE), styles[kind]) for kind, text in words.pieces))
