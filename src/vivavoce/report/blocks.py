"""The blocks of a report, and those that several reports share.

Texts are plain and may come from strangers: renderers escape them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Protocol

from vivavoce.formats.wording import clipped, count, percent
from vivavoce.report.cells import Cell, Tone, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows, Span


class FigureData(Protocol):
    """The data of a figure."""

    plot: ClassVar[str]
    """The function that draws it, as `MODULE:FUNCTION`; it is imported once something is drawn."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences; quiet ones explain what stands before them."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or its place in one.

    >>> Column("Mean metric", short="mean").label
    'mean'
    """

    head: str
    below: str = ""
    """A second line of the head."""
    short: str = ""
    """The head where there is little room, and in rows for programs; empty: the head itself."""
    about: str = ""
    """What it holds, in words for those who ask."""
    control: bool = False
    """Whether it is there to be compared with, and is set apart."""
    detail: bool = False
    """Whether it is left out where there is little room."""
    number: bool = False
    """Whether it holds numbers alone, to stand below one another in a terminal."""
    percent: int | None = None
    """Of the width of the table; None: as its contents want."""

    @property
    def label(self) -> str:
        """The head where there is little room: with its second line, where that tells it from others."""
        return "\n".join(filter(None, (self.short or self.head, self.below)))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: what it is about, and a cell a column after the first."""

    head: Cell
    cells: tuple[Cell, ...]
    kind: Literal["plain", "quiet", "control", "sum"] = "plain"
    """Quiet and control rows are there to be compared with; a sum stands below a line."""


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in rows; the first column says what each row is about."""

    columns: tuple[Column, ...]
    """With the first one."""
    rows: tuple[Row, ...]
    foot: tuple[Row, ...] = ()
    name: str = ""
    """What a wide table is, for those who cannot see it; empty for one that fits any page."""
    is_map: bool = False
    """Whether it is a map of short, coloured cells, which stay side by side on a telephone."""

    def __post_init__(self) -> None:
        wrong = next((row for row in (*self.rows, *self.foot) if len(row.cells) + 1 != len(self.columns)), None)
        if wrong is not None:
            raise ValueError(f"the row '{wrong.head.text}' has {len(wrong.cells) + 1} cells for {len(self.columns)} columns")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its data and its caption."""

    data: FigureData
    caption: str | None = None
    """None: what the plot shows, in words."""
    title: str = ""
    """Above a small plot that stands among others."""
    codes: tuple[str, ...] = ()
    """Texts to be copied, such as positions."""
    source: str = ""
    """Where it comes from, in a stranger's words."""


@dataclass(frozen=True, slots=True)
class Panels:
    """Small figures side by side."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """A number that decides, in large figures."""

    label: str
    value: str
    notes: tuple[str, ...] = ()
    """Its bound and what is required, each in a few words."""
    bar: IntervalRows | None = None
    """The number on its scale, with the line that it must reach."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """The numbers that decide, side by side; a terminal and Markdown have them in tables."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one test among several, on a line of its own."""

    verdict: Verdict
    title: str
    about: str = ""
    """What was tested, in a few words."""
    value: str = ""
    """What was measured and what is required."""
    bar: IntervalRows | None = None
    """The measured number on its scale, with the line that it must reach."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of several tests; a terminal has them in a table."""

    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Caveats:
    """What the finding does not show, each in a sentence; those on which the verdict depends come first."""

    sentences: tuple[str, ...]
    own: int = 0
    """How many of the first hold for this examination alone: these are never folded."""


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
    """A program or a command, letter by letter."""

    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A comparison of two texts: equal, removed and added parts."""

    pieces: tuple[tuple[Literal["same", "removed", "added"], str], ...]

    def __str__(self) -> str:
        return "".join(words for _, words in self.pieces)


@dataclass(frozen=True, slots=True)
class Pairs:
    """What each thing is: a question and what was replied, a name and what is behind it."""

    pairs: tuple[tuple[str, str | Difference], ...]
    second: int = 0
    """The pair that begins a second text, which stands beside the first one if there is room; 0: there is one text."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of a question."""

    options: tuple[tuple[str, str, bool], ...]
    """Letter, text, and whether the option is right by the key."""


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks below a heading; nothing at all where there are no blocks."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader opens; a terminal leaves them out."""

    summary: str
    blocks: tuple[Block, ...]
    is_open: bool = False
    main: bool = False
    """Whether it belongs to what stands before it, rather than closing the report."""


@dataclass(frozen=True, slots=True)
class Card:
    """One case among several: what it is called, and all that belongs to it."""

    blocks: tuple[Block, ...]
    title: str = ""
    subtitle: str = ""


@dataclass(frozen=True, slots=True)
class InFull:
    """What stands only where there is room: on a page and in a notebook."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class InShort:
    """What stands only where there is little room: in a terminal."""

    blocks: tuple[Block, ...]


Block = (
    Paragraph
    | Table
    | Figure
    | Panels
    | Tiles
    | Results
    | Caveats
    | Items
    | Passage
    | Code
    | Pairs
    | Choices
    | Section
    | Fold
    | Card
    | InFull
    | InShort
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict in a word or two, and what it means."""

    words: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Report:
    """A whole finding as blocks, in the order in which a page has them."""

    kind: str
    """What has been examined, in a few words."""
    title: str
    """What it is about, with the candidate's name."""
    headline: str
    """The result in a sentence."""
    blocks: tuple[Block, ...]
    statement: str
    """The result in plain words, whole: the last word in a terminal."""
    signature: str = ""
    verdict: Verdict | None = None
    chance: str = ""
    """What the verdict rests on and how often it may be wrong, below the headline of a page."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, the first one first, those of folds and cases as well."""
        return tuple(block for block in _every(self.blocks) if isinstance(block, Table))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, the first one first."""
        return tuple(block for block in _every(self.blocks) if isinstance(block, Figure))


def _every(blocks: Sequence[Block]) -> list[Block]:
    result: list[Block] = []
    for block in blocks:
        result.append(block)
        match block:
            case Section() | Fold() | Card() | InFull():
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


def tile_of(label: str, cell: Cell, span: Span | None = None) -> Tile:
    """A cell in large figures, with its interval and number of observations; `span`: of the scale of its bar, if it has one."""
    bar = None
    interval = f"interval {cell.interval}" if cell.interval else ""
    if span is not None and isinstance(cell.value, float) and cell.bounds is not None:
        row = IntervalRow("", "", cell.value, cell.value, cell.bounds)
        bar = IntervalRows("", (row,), alt=f"{label}: {cell.text}, {interval}.", span=span)
    return Tile(label, cell.text, tuple(filter(None, (interval, cell.n))), bar)


def tiles_of(table: Table, rows: Sequence[int], span: Span | None = None) -> Tiles:
    """The first numbers of some rows of a table in large figures, without rows that it lacks."""
    shown = [table.rows[number] for number in rows if number < len(table.rows)]
    return Tiles(tuple(tile_of(row.head.text, row.cells[0], span) for row in shown))


def two_columns(rows: Sequence[tuple[str, str]], heads: tuple[str, str] = ("", "")) -> Table:
    """A table of names and their values in words."""
    return Table(tuple(map(Column, heads)), tuple(Row(Cell(what), (Cell(words),)) for what, words in rows))


def replies(outcomes: Mapping[str, int]) -> tuple[Block, ...]:
    """How replies were read: a table on a page, a sentence in a terminal."""
    if not any(outcomes.values()):
        return ()
    rows = tuple(Row(Cell(why), (count_cell(number), Cell(percent(share), share))) for why, number, share in ordered(outcomes))
    table = Table((Column("Reply"), Column("How many"), Column("Share")), rows)
    return (
        InFull((Section("What became of the replies", (table,)),)),
        InShort(notes(unused(outcomes))),
    )


def ordered(outcomes: Mapping[str, int]) -> list[tuple[str, int, float]]:
    """Outcomes with their numbers and shares of replies; parsed ones first.

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
