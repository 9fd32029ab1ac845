"""The blocks of a report, and blocks that several reports share. Texts are plain and untrusted: renderers escape them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Protocol

from vivavoce.formats.wording import clipped, count, percent
from vivavoce.report.cells import TableCell, Tone, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows, Span


class FigureData(Protocol):
    """The data of a figure."""

    plot: ClassVar[str]
    """The function that draws it, as `MODULE:FUNCTION`; imported when a figure is drawn."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences; quiet ones explain the text before them."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    >>> Column("Mean metric", short="mean").label
    'mean'
    """

    head: str
    below: str = ""
    """A second line of the head."""
    short: str = ""
    """The head in narrow tables and in rows for programs; empty: the head itself."""
    about: str = ""
    """An explanation of the column."""
    control: bool = False
    """Whether it is a reference, which is shown separately."""
    detail: bool = False
    """Whether it is left out in narrow tables."""
    number: bool = False
    """Whether it contains only numbers, which a terminal aligns."""
    percent: int | None = None
    """Share of the table's width; None: as its contents need."""

    @property
    def label(self) -> str:
        """The head in narrow tables, with its second line if that distinguishes it from others."""
        return "\n".join(filter(None, (self.short or self.head, self.below)))


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A row of a table: its subject, and a cell for each column after the first."""

    head: TableCell
    cells: tuple[TableCell, ...]
    kind: Literal["plain", "quiet", "control", "sum"] = "plain"
    """Quiet and control rows are references; a sum is below a line."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Numbers in rows; the first column names each row."""

    columns: tuple[Column, ...]
    """All columns, including the first."""
    rows: tuple[ReportRow, ...]
    foot: tuple[ReportRow, ...] = ()
    name: str = ""
    """A description of a wide table for readers who can't see it; empty for a table that fits any page."""
    is_map: bool = False
    """Whether it is a map of short, coloured cells, which stay side by side on a phone."""

    def __post_init__(self) -> None:
        wrong = next((row for row in (*self.rows, *self.foot) if len(row.cells) + 1 != len(self.columns)), None)
        if wrong is not None:
            raise ValueError(f"the row '{wrong.head.text}' has {len(wrong.cells) + 1} cells for {len(self.columns)} columns")


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """A figure: its data and its caption."""

    data: FigureData
    caption: str | None = None
    """None: the plot's own description."""
    title: str = ""
    """Title above a small plot among others."""
    codes: tuple[str, ...] = ()
    """Texts to copy, such as positions."""
    source: str = ""
    """Its source, an untrusted text."""


@dataclass(frozen=True, slots=True)
class Panels:
    """Small figures side by side."""

    figures: tuple[ReportFigure, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """A number that decides the verdict, in large type."""

    label: str
    value: str
    notes: tuple[str, ...] = ()
    """The bound and the requirement, each in a few words."""
    bar: IntervalRows | None = None
    """The number on its scale, with the required limit."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """The numbers that decide the verdict, side by side; tables in a terminal and in Markdown."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class ResultLine:
    """The result of one test among several, on its own line."""

    verdict: VerdictLabel
    title: str
    about: str = ""
    """The test, in a few words."""
    value: str = ""
    """The measured value and the requirement."""
    bar: IntervalRows | None = None
    """The measured number on its scale, with the required limit."""


@dataclass(frozen=True, slots=True)
class ResultList:
    """The results of several tests; a terminal has them in a table."""

    results: tuple[ResultLine, ...]


@dataclass(frozen=True, slots=True)
class Caveats:
    """Limits of the finding, one sentence each; those on which the verdict depends come first."""

    sentences: tuple[str, ...]
    own: int = 0
    """How many of the first caveats are specific to this examination; these are never folded."""


@dataclass(frozen=True, slots=True)
class Items:
    """Sentences as a list."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A longer text, with its line breaks."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A program or a command, verbatim."""

    text: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A comparison of two texts: equal, removed and added parts."""

    pieces: tuple[tuple[Literal["same", "removed", "added"], str], ...]

    def __str__(self) -> str:
        return "".join(words for _, words in self.pieces)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names with their explanations, such as a question and its reply."""

    pairs: tuple[tuple[str, str | TextDifference], ...]
    second: int = 0
    """Index of the pair that starts a second text, which is shown next to the first if there is room; 0: one text."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of a question."""

    options: tuple[tuple[str, str, bool], ...]
    """Letter, text, and whether the key says that the option is right."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """Blocks below a heading; nothing if there are no blocks."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader can open; left out in a terminal."""

    summary: str
    blocks: tuple[Block, ...]
    is_open: bool = False
    main: bool = False
    """Whether it belongs to the block before it; otherwise it is at the end of the report."""


@dataclass(frozen=True, slots=True)
class CaseCard:
    """One case among several: its name and everything about it."""

    blocks: tuple[Block, ...]
    title: str = ""
    subtitle: str = ""


@dataclass(frozen=True, slots=True)
class InFull:
    """Blocks for pages and notebooks only."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class InShort:
    """Blocks for terminals only."""

    blocks: tuple[Block, ...]


Block = (
    Paragraph
    | ReportTable
    | ReportFigure
    | Panels
    | Tiles
    | ResultList
    | Caveats
    | Items
    | Passage
    | Code
    | Pairs
    | Choices
    | ReportSection
    | Fold
    | CaseCard
    | InFull
    | InShort
)


@dataclass(frozen=True, slots=True)
class VerdictLabel:
    """A verdict in a word or two, and what it means."""

    words: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Report:
    """A whole finding as blocks, in the order in which a page has them."""

    kind: str
    """The subject of the examination, in a few words."""
    title: str
    """The title, with the candidate's name."""
    headline: str
    """The result: one sentence in large letters, and any others below it."""
    blocks: tuple[Block, ...]
    statement: str
    """The whole result in plain words, the last line in a terminal."""
    signature: str = ""
    verdict: VerdictLabel | None = None
    chance: str = ""
    """The basis of the verdict and its error bound, below the headline of a page."""

    @property
    def banner(self) -> tuple[str, str]:
        """The first sentence of the headline, and the others.

        >>> Report("", "", "It passes 1 of 2 tests. Don't use it for sums.", (), "").banner
        ('It passes 1 of 2 tests.', "Don't use it for sums.")
        """
        first, *rest = re.split(r"(?<=[^\s.][.!?]) (?=\S)", self.headline, maxsplit=1)
        return first, "".join(rest)

    @property
    def tables(self) -> tuple[ReportTable, ...]:
        """All tables in order, including those in folds and cases."""
        return tuple(block for block in _every(self.blocks) if isinstance(block, ReportTable))

    @property
    def figures(self) -> tuple[ReportFigure, ...]:
        """All figures, the first one first."""
        return tuple(block for block in _every(self.blocks) if isinstance(block, ReportFigure))


def _every(blocks: Sequence[Block]) -> list[Block]:
    result: list[Block] = []
    for block in blocks:
        result.append(block)
        match block:
            case ReportSection() | Fold() | CaseCard() | InFull():
                result += _every(block.blocks)
            case Panels():
                result += block.figures
    return result


MOST_OUTCOMES: Final = 12
"""In a table."""
_NAMED: Final = 8
"""In a sentence."""


def method_of(sentences: Sequence[str], *before: Block) -> Fold:
    """The method, in a fold; `before`: blocks before the sentences."""
    return Fold("How this was found", (*before, *map(Paragraph, sentences)))


def paragraphs(*sentences: str) -> tuple[Paragraph, ...]:
    """One paragraph per non-empty sentence."""
    return tuple(Paragraph(sentence) for sentence in sentences if sentence)


def notes(*sentences: str) -> tuple[Paragraph, ...]:
    """One quiet paragraph per non-empty sentence."""
    return tuple(Paragraph(sentence, quiet=True) for sentence in sentences if sentence)


def tile_of(label: str, cell: TableCell, span: Span | None = None) -> Tile:
    """A cell in large type, with its interval and number of observations; `span`: the scale of its bar, if it has one."""
    bar = None
    interval = f"interval {cell.interval}" if cell.interval else ""
    if span is not None and isinstance(cell.value, float) and cell.bounds is not None:
        row = IntervalRow("", "", cell.value, cell.value, cell.bounds)
        bar = IntervalRows("", (row,), alt=f"{label}: {cell.text}, {interval}.", span=span)
    return Tile(label, cell.text, tuple(filter(None, (interval, cell.n))), bar)


def tiles_of(table: ReportTable, rows: Sequence[int], span: Span | None = None) -> Tiles:
    """The first numbers of some rows of a table in large type; missing rows are skipped."""
    shown = [table.rows[number] for number in rows if number < len(table.rows)]
    return Tiles(tuple(tile_of(row.head.text, row.cells[0], span) for row in shown))


def two_columns(rows: Sequence[tuple[str, str]], heads: tuple[str, str] = ("", "")) -> ReportTable:
    """A table of names and their values in words."""
    return ReportTable(
        tuple(map(Column, heads)), tuple(ReportRow(TableCell(what), (TableCell(words),)) for what, words in rows)
    )


def replies(outcomes: Mapping[str, int]) -> tuple[Block, ...]:
    """The outcomes of replies: a table on a page, a sentence in a terminal."""
    if not any(outcomes.values()):
        return ()
    rows = tuple(
        ReportRow(TableCell(why), (count_cell(number), TableCell(percent(share), share)))
        for why, number, share in ordered(outcomes)
    )
    table = ReportTable((Column("Reply"), Column("How many"), Column("Share")), rows)
    return (
        InFull((ReportSection("Outcomes of replies", (table,)),)),
        InShort(notes(unused(outcomes))),
    )


def ordered(outcomes: Mapping[str, int]) -> list[tuple[str, int, float]]:
    """Outcomes with their numbers and shares of replies, parsed ones first.

    >>> ordered({"cut off": 1, "read": 3})
    [('read', 3, 0.75), ('cut off', 1, 0.25)]
    """
    total = sum(outcomes.values())
    rows = sorted(
        ((number, why) for why, number in outcomes.items() if number),
        key=lambda outcome: (not outcome[1].startswith("read"), -outcome[0]),
    )
    rest = sum(number for number, _ in rows[MOST_OUTCOMES:])
    shown = [(clipped(why, 60), number) for number, why in rows[:MOST_OUTCOMES]] + ([("other", rest)] if rest else [])
    return [(why, number, number / total) for why, number in shown]


def unused(outcomes: Mapping[str, int]) -> str:
    """The outcomes of unparsed replies in a sentence; empty if there are none.

    >>> unused({"read": 3, "cut off": 1})
    'Replies that could not be used: cut off 1.'
    """
    left = [(why, number) for why, number in outcomes.items() if number and not why.startswith("read")]
    listed = ", ".join(f"{clipped(why, 40)} {count(number)}" for why, number in left[:_NAMED])
    return f"Replies that could not be used: {listed}." if listed else ""
