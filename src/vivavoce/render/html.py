"""Blocks as HTML. Every text is escaped; ids begin with the name of their section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from itertools import count as counting
from typing import Final

from markupsafe import Markup, escape

from vivavoce.render.canvas import PANEL_INCHES, Drawing, Picture, drawing_of, svg
from vivavoce.render.colours import TONES
from vivavoce.render.row_plots import span_of
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Caveats,
    Choices,
    Code,
    Column,
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
    ResultLine,
    ResultList,
    TextDifference,
    Tile,
    Tiles,
    VerdictLabel,
)
from vivavoce.report.cells import TableCell
from vivavoce.report.figures import IntervalRows, Kind

_HYPHEN: Final = "\N{SOFT HYPHEN}"
_LONG: Final = {
    "benchmark": f"bench{_HYPHEN}mark",
    "understand": f"under{_HYPHEN}stand",
    "Understand": f"Under{_HYPHEN}stand",
    "conclusion": f"conclu{_HYPHEN}sion",
    "Recommended": f"Recom{_HYPHEN}mended",
    "transformations": f"transfor{_HYPHEN}mations",
}


def breakable(name: str) -> Markup:
    """A name that may be broken where its parts meet.

    >>> breakable("<b>_x")
    Markup('&lt;b&gt;_<wbr>x')
    """
    return Markup("<wbr>").join(part for part in re.split(r"(?<=[_/:])(?=\S)", name) if part)


def hyphenated(words: str) -> str:
    """Long words with soft hyphens, for the narrow columns of a telephone; few browsers know where to break English words.

    >>> hyphenated("does not understand") == "does not under\xadstand"
    True
    """
    for word, parts in _LONG.items():
        words = words.replace(word, parts)
    return words


ALL_FIGURES: Final = "All figures"
FEW_COLUMNS: Final = 3
"""Most columns of a table that fits on a phone; the rows of a wider one become cards there."""
FEW_HEADS: Final = 4
"""Columns of a map that fit a phone side by side."""
BAR_COLOURS: Final[Mapping[Kind, str]] = {
    "plain": "blue",
    "control": "blue",
    "reference": "blue",
    "good": "green",
    "bad": "vermilion",
    "open": "grey",
}
NOTHING = Markup()
NEW_LINE = Markup("\n")


@dataclass(frozen=True, slots=True)
class Place:
    """Position of blocks on a page."""

    name: str
    """Begins every id."""
    level: int
    """Level of the next heading, from 1."""
    numbers: Iterator[int] = field(default_factory=lambda: counting(1))
    """Numbers of pictures."""
    shapes: set[str] = field(default_factory=set)
    """Ids of shapes that later pictures use, too."""
    narrow: bool = False
    """Whether pictures are side by side."""

    @property
    def below(self) -> Place:
        """The same, one heading lower."""
        return replace(self, level=self.level + 1)


def report_in_html(report: Report, name: str, *, level: int = 1, brief: bool = False) -> Markup:
    """A whole report without its signature: the result with its numbers, limits, and everything else in folds.

    Parameters
    ----------
    name: begins every id in it.
    level: of its headline, from 1; what stands below it is lower.
    brief: whether limits that hold for every examination are folded, too.
    """
    position = Place(name, level)
    blocks = arranged(report.blocks)
    if brief:
        blocks = [_limits(block, least=1) if isinstance(block, Caveats) else block for block in blocks]
    kind = Markup('<p class="kind">{}</p>').format(report.kind) if report.kind else NOTHING
    return NEW_LINE.join(filter(None, [kind, _banner(report, position), blocks_in_html(blocks, position.below)]))


def _banner(report: Report, position: Place) -> Markup:
    """The result in large letters, with its other sentences below, on the colour of its verdict."""
    first, rest = report.banner
    below = Paragraph(" ".join(filter(None, (rest, report.chance))))
    parts, colour = [_heading(first, position), in_html(below, position)], "none"
    if report.verdict is not None:
        colour = TONES[report.verdict.tone].colour
        parts.insert(0, Markup('<p class="verdict">{}</p>').format(_marked(report.verdict)))
    return Markup('<div class="banner {}">\n{}\n</div>').format(colour, NEW_LINE.join(filter(None, parts)))


def _marked(verdict: VerdictLabel) -> Markup:
    tone = TONES[verdict.tone]
    return Markup('<span class="{}" aria-hidden="true">{}</span>{}').format(tone.colour, tone.mark, verdict.words)


def arranged(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a page: sections after the limits are folded, one fold each; untitled blocks together."""
    end = next((number for number, block in enumerate(blocks, 1) if isinstance(block, Caveats)), len(blocks))
    first, folds, loose = list(blocks[:end]), list[Block](), list[Block]()
    for block in _unpacked(blocks[end:]):
        match block:
            case Fold() if not block.main:
                folds.append(block)
            case ReportSection() if block.title:
                folds.append(Fold(block.title, block.blocks))
            case _:
                loose.append(block)
    return [*first, *([Fold(ALL_FIGURES, tuple(loose))] if loose else []), *folds]


def _unpacked(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        match block:
            case InFull() | ReportSection(title=""):
                yield from _unpacked(block.blocks)
            case _:
                yield block


def blocks_in_html(blocks: Sequence[Block], position: Place) -> Markup:
    """Some blocks one after the other."""
    return NEW_LINE.join(part for block in blocks if (part := in_html(block, position)))


@singledispatch
def in_html(block: object, position: Place) -> Markup:
    """One block; empty where a page leaves it out."""
    raise TypeError(f"no page output for {type(block).__name__}")


@in_html.register
def _(block: Paragraph, position: Place) -> Markup:
    if not block.text:
        return NOTHING
    return (Markup('<p class="note">{}</p>') if block.quiet else Markup("<p>{}</p>")).format(block.text)


@in_html.register
def _(block: ReportTable, position: Place) -> Markup:
    columns = Markup().join(map(_column, block.columns))
    widths = Markup().join(
        Markup("<col>") if column.percent is None else Markup('<col style="width:{}%">').format(column.percent)
        for column in block.columns
    )
    head = Markup("<thead><tr>{}</tr></thead>").format(columns) if any(column.head for column in block.columns) else NOTHING
    is_set = any(column.percent for column in block.columns)
    is_split = all(column.percent for column in block.columns)
    headed = bool(block.name) or is_split or len(block.columns) > FEW_COLUMNS
    classes = {"set": is_set, "split": is_split, "cards": headed and not block.is_map, "map": block.is_map}
    classes["few"] = block.is_map and len(block.columns) <= FEW_HEADS + 1
    sized = Markup(' style="--columns:{}"').format(len(block.columns) - 1) if block.is_map else NOTHING
    grid = Markup('<table class="{}"{}>\n{}{}\n<tbody>\n{}\n</tbody>{}\n</table>').format(
        " ".join(["grid", *(name for name, applies in classes.items() if applies)]),
        sized,
        Markup("<colgroup>{}</colgroup>").format(widths) if is_set else NOTHING,
        head,
        NEW_LINE.join(_row(row, block.columns, headed) for row in block.rows),
        Markup("\n<tfoot>\n{}\n</tfoot>").format(NEW_LINE.join(_row(row, block.columns, headed) for row in block.foot))
        if block.foot
        else NOTHING,
    )
    if not block.name or is_split or block.is_map:
        return grid
    return Markup('<div class="wide" role="group" tabindex="0" aria-label="{}">\n{}\n</div>').format(block.name, grid)


@in_html.register
def _(block: ReportFigure, position: Place) -> Markup:
    drawing = drawing_of(block.data)
    if drawing is None:
        return NOTHING
    picture = Markup(_drawn(drawing, position))  # noqa: S704 - drawn here, strangers' words escaped
    if block.title:
        return Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(breakable(block.title), picture)
    codes = Markup().join(Markup("<code>{}</code>").format(code) for code in block.codes)
    source = Markup(' <span class="game">{}</span>').format(block.source) if block.source else NOTHING
    caption = drawing.alt if block.caption is None else block.caption
    return Markup("<figure{}>\n{}\n<figcaption>{}{}{}</figcaption>\n</figure>").format(
        Markup(' class="boards"') if block.codes else NOTHING, picture, caption, source, codes
    )


@in_html.register
def _(block: Panels, position: Place) -> Markup:
    figures = blocks_in_html(block.figures, replace(position, narrow=True))
    return Markup('<div class="panels">\n{}\n</div>').format(figures) if figures else NOTHING


@in_html.register
def _(block: Tiles, position: Place) -> Markup:
    if not block.tiles:
        return NOTHING
    return Markup('<div class="tiles">\n{}\n</div>').format(NEW_LINE.join(_tile(tile, position) for tile in block.tiles))


def _tile(tile: Tile, position: Place) -> Markup:
    notes = Markup().join(Markup("<span>{}</span>").format(note) for note in tile.notes)
    bar = NOTHING if tile.bar is None else _bar(tile.bar)
    kind = NOTHING if tile.bar is None else Markup(" wider")
    return Markup('<div class="tile{}"><p>{}<strong>{}</strong>{}</p>{}</div>').format(kind, tile.label, tile.value, notes, bar)


@in_html.register
def _(block: ResultList, position: Place) -> Markup:
    return Markup('<ul class="results">\n{}\n</ul>').format(NEW_LINE.join(map(_result, block.results)))


def _result(result: ResultLine) -> Markup:
    about = Markup("<span>{}</span>").format(result.about) if result.about else NOTHING
    bar = NOTHING if result.bar is None else _bar(result.bar, labelled=False)
    return Markup('<li class="{}"><p class="pill">{}</p><p><strong>{}</strong>{}</p><div>{}<p>{}</p></div></li>').format(
        TONES[result.verdict.tone].colour, _marked(result.verdict), breakable(result.title), about, bar, result.value
    )


def _bar(data: IntervalRows, *, labelled: bool = True) -> Markup:
    """The only value of the rows on its scale: its interval, its mark, the bound of its verdict, and the required limit."""
    [row] = data.rows
    ends = [end for end in (row.least, row.most, row.interval.lower, row.interval.upper, data.limit) if end is not None]
    low, high = data.span or span_of(ends)

    def across(value: float) -> float:
        return round(100 * (min(max(value, low), high) - low) / (high - low), 1)

    left, right = across(row.interval.lower), across(row.interval.upper)
    marks = dict.fromkeys(across(value) for value in (row.least, row.most) if value is not None)
    names = [] if data.limit is None or not data.limit_label else [("", data.limit, data.limit_label)]
    names += [] if row.bound is None else [(" class=below", *row.bound)]
    small = Markup('<small{0} style="left:{1}%;transform:translateX(-{1}%)">{2}</small>')
    labels = [small.format(Markup(kind), across(value), words) for kind, value, words in names if labelled]  # noqa: S704
    limit = NOTHING if data.limit is None else Markup('<em style="left:{}%"></em>').format(across(data.limit))
    return Markup('<div class="bar {}" role="img" aria-label="{}">{}<span style="left:{}%;width:{}%"></span>{}{}</div>').format(
        BAR_COLOURS[row.kind], data.alt, Markup().join(labels), left, round(right - left, 1),
        Markup().join(Markup('<b style="left:{}%"></b>').format(mark) for mark in marks), limit,
    )  # fmt: skip


@in_html.register
def _(block: Caveats, position: Place) -> Markup:
    return in_html(_limits(block, least=3), position)


def _limits(block: Caveats, *, least: int) -> ReportSection:
    """The first limits, and the others in a fold."""
    shown = max(least, block.own)
    first, more = block.sentences[:shown], block.sentences[shown:]
    title = "One further limit" if len(more) == 1 else f"{len(more)} further limits"
    further = (Fold(title, (Items(more),), main=True),) if more else ()
    return ReportSection("Limits", (Items(first), *further) if first else ())


@in_html.register
def _(block: Items, position: Place) -> Markup:
    return Markup("<ul>\n{}\n</ul>").format(
        NEW_LINE.join(Markup("<li>{}</li>").format(sentence) for sentence in block.sentences)
    )


@in_html.register
def _(block: Passage, position: Place) -> Markup:
    return Markup('<p class="text">{}</p>').format(block.text) if block.text else NOTHING


@in_html.register
def _(block: Code, position: Place) -> Markup:
    return Markup('<pre class="text">{}</pre>').format(block.text)


@in_html.register
def _(block: Pairs, position: Place) -> Markup:
    texts = [block.pairs[: block.second], block.pairs[block.second :]] if block.second else [block.pairs]
    lists = [
        Markup("<dl>\n{}\n</dl>").format(
            NEW_LINE.join(Markup("<dt>{}</dt><dd>{}</dd>").format(what, _words(words)) for what, words in pairs)
        )
        for pairs in texts
    ]
    return Markup('<div class="sides">{}</div>').format(Markup().join(lists)) if block.second else lists[0]


@in_html.register
def _(block: Choices, position: Place) -> Markup:
    options = (
        Markup("<li{}><b>{}</b><span><bdi>{}</bdi>{}</span></li>").format(
            Markup(' class="key"') if right else NOTHING, letter, text, Markup(" <em>✓ right</em>") if right else NOTHING
        )
        for letter, text, right in block.options
    )
    return Markup('<ul class="options">\n{}\n</ul>').format(NEW_LINE.join(options))


@in_html.register
def _(block: ReportSection, position: Place) -> Markup:
    inner = blocks_in_html(block.blocks, position.below)
    if not inner:
        return NOTHING
    return NEW_LINE.join([_heading(block.title, position), inner]) if block.title else inner


@in_html.register
def _(block: Fold, position: Place) -> Markup:
    inner = blocks_in_html(block.blocks, position)
    if not inner:
        return NOTHING
    return Markup("<details{}{}>\n<summary>{}</summary>\n{}\n</details>").format(
        Markup(' class="more"') if block.main else NOTHING, Markup(" open") if block.is_open else NOTHING, block.summary, inner
    )


@in_html.register
def _(block: CaseCard, position: Place) -> Markup:
    inner = [blocks_in_html(block.blocks, position.below)]
    if block.title:
        beneath = Markup("<span>{}</span>").format(block.subtitle) if block.subtitle else NOTHING
        inner.insert(0, Markup('<h{0} class="title">{1}{2}</h{0}>').format(position.level, block.title, beneath))
    return Markup('<div class="answer">\n{}\n</div>').format(NEW_LINE.join(inner))


@in_html.register
def _(block: InFull, position: Place) -> Markup:
    return blocks_in_html(block.blocks, position)


@in_html.register
def _(block: InShort, position: Place) -> Markup:
    return NOTHING


def _drawn(drawing: Drawing | Picture, position: Place) -> str:
    if isinstance(drawing, Picture):
        return drawing.svg(position.name, position.shapes)
    wide = replace(drawing, width_inches=PANEL_INCHES) if position.narrow else drawing
    return svg(wide, f"{position.name}f{next(position.numbers)}")


def _heading(text: str, position: Place) -> Markup:
    return Markup("<h{0}>{1}</h{0}>").format(position.level, breakable(text))


def _column(column: Column) -> Markup:
    beneath = breakable(", ".join(filter(None, ("control" if column.control else "", column.below))))
    if not column.head and not beneath:
        return Markup("<td></td>")
    return Markup('<th scope="col"{}{}>{}{}</th>').format(
        Markup(' class="control"') if column.control else NOTHING,
        Markup(' title="{}"').format(column.about) if column.about else NOTHING,
        hyphenated(column.head),
        Markup("<span>{}</span>").format(beneath) if beneath else NOTHING,
    )


def _row(row: ReportRow, columns: Sequence[Column], headed: bool) -> Markup:
    """headed: whether each cell names its column, because on phones the cells of a row are below one another."""
    cells = Markup().join(_cell(cell, column, headed) for cell, column in zip(row.cells, columns[1:], strict=True))
    kind = NOTHING if row.kind == "plain" else Markup(' class="{}"').format(row.kind)
    head = row.head
    title = Markup(' title="{}"').format(head.about) if head.about else NOTHING
    counted = ", ".join(filter(None, ("control" if row.kind == "control" and head.n else "", head.n)))
    beneath = Markup().join(Markup("<span>{}</span>").format(line) for line in (counted, *head.below) if line)
    name = head.text if " " in head.text else breakable(head.text)
    return Markup('<tr{}><th scope="row"{}>{}{}{}</th>{}</tr>').format(kind, title, _mark(head), name, beneath, cells)


def _cell(cell: TableCell, column: Column, headed: bool) -> Markup:
    tint = cell.tint
    classes = [
        "control" if column.control else "",
        "quiet" if cell.quiet else "",
        _TINTS[tint.tone].format(tint.level) if tint is not None else "",
        "own" if tint is not None and tint.framed else "",
    ]
    named = " ".join(filter(None, classes))
    inner = [_mark(cell), escape(hyphenated(cell.text))]
    if cell.beside:
        inner.append((Markup(" <small>{}</small>") if cell.below else Markup(" <span>{}</span>")).format(cell.beside))
    inner += [Markup("<span>{}</span>").format(line) for line in cell.below]
    head = Markup(' data-head="{}"').format(" ".join(filter(None, (column.head, column.below)))) if headed else NOTHING
    return Markup("<td{}{}>{}</td>").format(
        Markup(' class="{}"').format(named) if named else NOTHING, head, Markup().join(inner)
    )


_TINTS = {"bad": "t{}", "plain": "b{}", "match": "match", "differ": "differ"}


def _mark(cell: TableCell) -> Markup:
    if cell.tone is None:
        return NOTHING
    tone = TONES[cell.tone]
    return Markup('<b class="{}" aria-hidden="true">{}</b> ').format(tone.colour, tone.mark)


def _words(words: str | TextDifference) -> Markup:
    if isinstance(words, str):
        return escape(words)
    tags = {"same": Markup("{}"), "removed": Markup("<del>{}</del>"), "added": Markup("<ins>{}</ins>")}
    return Markup().join(tags[kind].format(text) for kind, text in words.pieces)
