"""Blocks as HTML. Every text is escaped; ids begin with the name of their section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from itertools import count as counting
from typing import Final

from markupsafe import Markup, escape

from vivavoce.render.canvas import PANEL_INCHES
from vivavoce.render.colours import TONES
from vivavoce.render.drawing import Drawing, Picture, drawing_of, svg
from vivavoce.report.blocks import (
    Block,
    Card,
    Caveats,
    Choices,
    Code,
    Column,
    Difference,
    Figure,
    Fold,
    InFull,
    InShort,
    Items,
    Pairs,
    Panels,
    Paragraph,
    Passage,
    Report,
    Row,
    Section,
    Table,
    Tile,
    Tiles,
)
from vivavoce.report.cells import Cell

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


NOTHING = Markup()
NEW_LINE = Markup("\n")


@dataclass(frozen=True, slots=True)
class Place:
    """Where on a page blocks stand."""

    name: str
    """Begins every id."""
    level: int
    """Of the next heading, from 1."""
    numbers: Iterator[int] = field(default_factory=lambda: counting(1))
    """Of pictures."""
    shapes: set[str] = field(default_factory=set)
    """The ids of shapes that later pictures use, too."""
    narrow: bool = False
    """Whether pictures stand side by side."""

    @property
    def below(self) -> Place:
        """The same, one heading lower."""
        return replace(self, level=self.level + 1)


def report_in_html(report: Report, name: str, *, level: int = 1) -> Markup:
    """A whole report without its signature.

    Parameters
    ----------
    name: begins every id in it.
    level: of its headline, from 1; what stands below it is lower.
    """
    place = Place(name, level)
    kind = Markup('<p class="kind">{}</p>').format(report.kind) if report.kind else NOTHING
    return NEW_LINE.join(filter(None, [kind, _banner(report, place), blocks_in_html(report.blocks, place.below)]))


def _banner(report: Report, place: Place) -> Markup:
    """The result in large letters, on the colour of its verdict."""
    headline = _heading(report.headline, place)
    if report.verdict is None:
        return NEW_LINE.join(filter(None, [headline, in_html(Paragraph(report.chance), place)]))
    tone = TONES[report.verdict.tone]
    mark = Markup('<span class="{}" aria-hidden="true">{}</span>').format(tone.colour, tone.mark)
    verdict = Markup('<p class="verdict">{}{}</p>').format(mark, report.verdict.words)
    inner = NEW_LINE.join(filter(None, [verdict, headline, in_html(Paragraph(report.chance), place)]))
    return Markup('<div class="banner {}">\n{}\n</div>').format(tone.colour, inner)


def blocks_in_html(blocks: Sequence[Block], place: Place) -> Markup:
    """Some blocks one after the other."""
    return NEW_LINE.join(part for block in blocks if (part := in_html(block, place)))


@singledispatch
def in_html(block: object, place: Place) -> Markup:
    """One block; empty where a page leaves it out."""
    raise TypeError(f"no page knows how to show {type(block).__name__}")


@in_html.register
def _(block: Paragraph, place: Place) -> Markup:
    if not block.text:
        return NOTHING
    return (Markup('<p class="note">{}</p>') if block.quiet else Markup("<p>{}</p>")).format(block.text)


@in_html.register
def _(block: Table, place: Place) -> Markup:
    columns = Markup().join(map(_column, block.columns))
    widths = Markup().join(
        Markup("<col>") if column.percent is None else Markup('<col style="width:{}%">').format(column.percent)
        for column in block.columns
    )
    head = Markup("<thead><tr>{}</tr></thead>").format(columns) if any(column.head for column in block.columns) else NOTHING
    is_set, headed = any(column.percent for column in block.columns), bool(block.name)
    grid = Markup('<table class="grid{}">\n{}{}\n<tbody>\n{}\n</tbody>{}\n</table>').format(
        (" set" if is_set else "") + (" split" if all(column.percent for column in block.columns) else ""),
        Markup("<colgroup>{}</colgroup>").format(widths) if is_set else NOTHING,
        head,
        NEW_LINE.join(_row(row, block.columns, headed) for row in block.rows),
        Markup("\n<tfoot>\n{}\n</tfoot>").format(NEW_LINE.join(_row(row, block.columns, headed) for row in block.foot))
        if block.foot
        else NOTHING,
    )
    if not block.name:
        return grid
    return Markup('<div class="wide" role="region" tabindex="0" aria-label="{}">\n{}\n</div>').format(block.name, grid)


@in_html.register
def _(block: Figure, place: Place) -> Markup:
    drawing = drawing_of(block.data)
    if drawing is None:
        return NOTHING
    picture = Markup(_drawn(drawing, place))  # noqa: S704 - drawn here, strangers' words escaped
    if block.title:
        return Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(breakable(block.title), picture)
    codes = Markup().join(Markup("<code>{}</code>").format(code) for code in block.codes)
    source = Markup(' <span class="game">{}</span>').format(block.source) if block.source else NOTHING
    caption = drawing.alt if block.caption is None else block.caption
    return Markup("<figure{}>\n{}\n<figcaption>{}{}{}</figcaption>\n</figure>").format(
        Markup(' class="boards"') if block.codes else NOTHING, picture, caption, source, codes
    )


@in_html.register
def _(block: Panels, place: Place) -> Markup:
    figures = blocks_in_html(block.figures, replace(place, narrow=True))
    return Markup('<div class="panels">\n{}\n</div>').format(figures) if figures else NOTHING


@in_html.register
def _(block: Tiles, place: Place) -> Markup:
    return Markup('<div class="tiles">\n{}\n</div>').format(NEW_LINE.join(_tile(tile, place) for tile in block.tiles))


def _tile(tile: Tile, place: Place) -> Markup:
    notes = Markup().join(Markup("<span>{}</span>").format(note) for note in tile.notes)
    drawing = None if tile.bar is None else drawing_of(tile.bar)
    bar = NOTHING if drawing is None else Markup(_drawn(drawing, replace(place, narrow=True)))  # noqa: S704 - drawn here, strangers' words escaped
    kind = NOTHING if drawing is None else Markup(" wider")
    return Markup('<div class="tile{}"><p>{}<strong>{}</strong>{}</p>{}</div>').format(kind, tile.label, tile.value, notes, bar)


@in_html.register
def _(block: Caveats, place: Place) -> Markup:
    if not block.sentences:
        return NOTHING
    first, more = block.sentences[: block.first], block.sentences[block.first :]
    title = "One further limit" if len(more) == 1 else f"{len(more)} further limits"
    further = (Fold(title, (Items(more),), main=True),) if more else ()
    return in_html(Section("Limits", (Items(first), *further)), place)


@in_html.register
def _(block: Items, place: Place) -> Markup:
    return Markup("<ul>\n{}\n</ul>").format(
        NEW_LINE.join(Markup("<li>{}</li>").format(sentence) for sentence in block.sentences)
    )


@in_html.register
def _(block: Passage, place: Place) -> Markup:
    return Markup('<p class="text">{}</p>').format(block.text) if block.text else NOTHING


@in_html.register
def _(block: Code, place: Place) -> Markup:
    return Markup('<pre class="text">{}</pre>').format(block.text)


@in_html.register
def _(block: Pairs, place: Place) -> Markup:
    pairs = NEW_LINE.join(Markup("<dt>{}</dt><dd>{}</dd>").format(what, _words(words)) for what, words in block.pairs)
    return Markup("<dl>\n{}\n</dl>").format(pairs)


@in_html.register
def _(block: Choices, place: Place) -> Markup:
    options = (
        Markup("<li{}><b>{}</b><span><bdi>{}</bdi>{}</span></li>").format(
            Markup(' class="key"') if right else NOTHING, letter, text, Markup(" <em>✓ right</em>") if right else NOTHING
        )
        for letter, text, right in block.options
    )
    return Markup('<ul class="options">\n{}\n</ul>').format(NEW_LINE.join(options))


@in_html.register
def _(block: Section, place: Place) -> Markup:
    inner = blocks_in_html(block.blocks, place.below)
    if not inner:
        return NOTHING
    return NEW_LINE.join([_heading(block.title, place), inner]) if block.title else inner


@in_html.register
def _(block: Fold, place: Place) -> Markup:
    inner = blocks_in_html(block.blocks, place.below)
    if not inner:
        return NOTHING
    return Markup("<details{}{}>\n<summary>{}</summary>\n{}\n</details>").format(
        Markup(' class="more"') if block.main else NOTHING, Markup(" open") if block.is_open else NOTHING, block.summary, inner
    )


@in_html.register
def _(block: Card, place: Place) -> Markup:
    inner = [blocks_in_html(block.blocks, place.below)]
    if block.title:
        beneath = Markup("<span>{}</span>").format(block.subtitle) if block.subtitle else NOTHING
        inner.insert(0, Markup('<h{0} class="title">{1}{2}</h{0}>').format(place.level, block.title, beneath))
    return Markup('<div class="answer">\n{}\n</div>').format(NEW_LINE.join(inner))


@in_html.register
def _(block: InFull, place: Place) -> Markup:
    return blocks_in_html(block.blocks, place)


@in_html.register
def _(block: InShort, place: Place) -> Markup:
    return NOTHING


def _drawn(drawing: Drawing | Picture, place: Place) -> str:
    if isinstance(drawing, Picture):
        return drawing.svg(place.name, place.shapes)
    wide = replace(drawing, width_inches=PANEL_INCHES) if place.narrow else drawing
    return svg(wide, f"{place.name}f{next(place.numbers)}")


def _heading(text: str, place: Place) -> Markup:
    return Markup("<h{0}>{1}</h{0}>").format(place.level, breakable(text))


def _column(column: Column) -> Markup:
    beneath = breakable(", ".join(filter(None, ("control" if column.control else "", column.below))))
    return Markup('<th scope="col"{}{}>{}{}</th>').format(
        Markup(' class="control"') if column.control else NOTHING,
        Markup(' title="{}"').format(column.about) if column.about else NOTHING,
        hyphenated(column.head),
        Markup("<span>{}</span>").format(beneath) if beneath else NOTHING,
    )


def _row(row: Row, columns: Sequence[Column], headed: bool) -> Markup:
    """headed: whether each cell tells what its column is: on telephones the cells of a row stand one below the other."""
    cells = Markup().join(_cell(cell, column, headed) for cell, column in zip(row.cells, columns[1:], strict=True))
    kind = NOTHING if row.kind == "plain" else Markup(' class="{}"').format(row.kind)
    head = row.head
    title = Markup(' title="{}"').format(head.about) if head.about else NOTHING
    counted = ", ".join(filter(None, ("control" if row.kind == "control" and head.n else "", head.n)))
    beneath = Markup().join(Markup("<span>{}</span>").format(line) for line in (counted, *head.below) if line)
    name = head.text if " " in head.text else breakable(head.text)
    return Markup('<tr{}><th scope="row"{}>{}{}{}</th>{}</tr>').format(kind, title, _mark(head), name, beneath, cells)


def _cell(cell: Cell, column: Column, headed: bool) -> Markup:
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


def _mark(cell: Cell) -> Markup:
    if cell.tone is None:
        return NOTHING
    tone = TONES[cell.tone]
    return Markup('<b class="{}" aria-hidden="true">{}</b> ').format(tone.colour, tone.mark)


def _words(words: str | Difference) -> Markup:
    if isinstance(words, str):
        return escape(words)
    tags = {"same": Markup("{}"), "removed": Markup("<del>{}</del>"), "added": Markup("<ins>{}</ins>")}
    return Markup().join(tags[kind].format(text) for kind, text in words.pieces)
