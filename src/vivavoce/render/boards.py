"""Two boards side by side, with captions, as one SVG for a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Final

from vivavoce.errors import MissingExtra
from vivavoce.render import canvas
from vivavoce.render.canvas import Picture
from vivavoce.render.colours import LIGHT
from vivavoce.report.figures import Board, Boards

WIDTH: Final = 350
"""Width of the picture: on a phone its letters appear slightly larger."""
GAP, EDGE = 10, 10
"""Space between the boards, and on the left of a chessboard for rank numbers."""
SIDE: Final = (WIDTH - GAP) / 2 - EDGE
"""Width and height of a board."""
CELL: Final = SIDE / 8
SIZE, LINE = 12, 15
"""Size of letters, and distance of lines."""
PIECE = 45
"""Width of a piece."""
BOARD: Final = "board"
"""Part of the id of the empty chessboard."""
BAR = 9
"""Height of the bar of a value."""
INK, QUIET, HAIRLINE, BLUE, LIGHT_SQUARE, DARK_SQUARE = (
    f"var({name}, {LIGHT.variables[name]})"
    for name in ("--ink", "--quiet", "--hairline", "--blue", "--square-light", "--square-dark")
)
"""The page's CSS variables, with colours for a light page in their absence; nothing is fetched."""


def drawing(data: Boards) -> Picture:
    """Both positions."""
    return Picture(partial(svg, data), data.alt)


def svg(data: Boards, name: str, known: set[str]) -> str:
    """Both boards as SVG; all ids begin with `name`. Raises `MissingExtra` for chess pieces without python-chess.

    known: the ids of chess pieces and of the empty chessboard that are drawn elsewhere on the page; further ones are added.
    """
    heads = [canvas.wrapped(board.title, inches=SIDE / 72) for board in data.boards]
    top = 3 + LINE * max(map(len, heads))
    shown, height = [], 0.0
    for index, (board, head) in enumerate(zip(data.boards, heads, strict=True)):
        left = index * (WIDTH + GAP) / 2 + EDGE
        words = [(line, at > 0) for at, text in enumerate(board.words) for line in canvas.wrapped(text, inches=SIDE / 72)]
        below = top + SIDE + LINE + 2
        parts = [_text(line, 0, LINE * at + 11, INK) for at, line in enumerate(head)]
        parts += [f'<g transform="translate(0,{top})">{"".join(_drawn(board, name))}</g>']
        if board.value is not None:
            parts.append(_bar(board.value, SIDE, below))
            below += BAR + 6
        parts += [_text(line, 0, below + 10 + LINE * at, QUIET if quiet else INK) for at, (line, quiet) in enumerate(words)]
        shown.append(f'<g transform="translate({left:g},0)">{"".join(parts)}</g>')
        height = max(height, below + LINE * len(words) + 4)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(data.alt)}" '
        'xmlns="http://www.w3.org/2000/svg" '
        f'font-family="var(--font, sans-serif)" font-size="{SIZE}">{_shapes(data, name, known)}{"".join(shown)}</svg>'
    )


def _text(text: str, x: float, y: float, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _bar(value: float, width: float, top: float) -> str:
    """The value from −1 on the left edge of the board to 1 on the right."""
    middle = width / 2
    tip = middle * (1 + max(-1.0, min(1.0, value)))
    return (
        f'<rect y="{top:g}" width="{width:g}" height="{BAR}" fill="none" stroke="{HAIRLINE}"/>'
        f'<rect x="{min(middle, tip):.1f}" y="{top:g}" width="{max(abs(tip - middle), 0.8):.1f}" height="{BAR}" fill="{BLUE}"/>'
        f'<line x1="{middle:g}" x2="{middle:g}" y1="{top - 2:g}" y2="{top + BAR + 2:g}" stroke="{INK}"/>'
    )


def _drawn(board: Board, name: str) -> Iterator[str]:
    yield f'<use href="#{name}-{BOARD}"/>'
    for row, pieces in enumerate(board.rows):
        for column, piece in enumerate(pieces):
            if piece:
                yield f'<use href="#{name}-{piece}" x="{column * CELL:g}" y="{row * CELL:g}"/>'
    if board.arrow is not None:
        yield _arrow(*board.arrow)


def _chessboard() -> str:
    """Light and dark squares, and the names of ranks and files."""
    rows = "".join(f"M{0 if row % 2 else CELL:g} {(row + 0.5) * CELL:g}H{SIDE:g}" for row in range(8))
    squares = f'<rect width="{SIDE:g}" height="{SIDE:g}" fill="{LIGHT_SQUARE}"/>'
    squares += f'<path d="{rows}" stroke="{DARK_SQUARE}" stroke-width="{CELL:g}" stroke-dasharray="{CELL:g}"/>'
    middles = [(index + 0.5) * CELL for index in range(8)]
    ranks = "".join(f'<text x="-2" y="{y + 4:.1f}">{8 - position}</text>' for position, y in enumerate(middles))
    files = "".join(f'<text x="{x:.1f}" y="{SIDE + 12:g}">{"abcdefgh"[position]}</text>' for position, x in enumerate(middles))
    return f'{squares}<g fill="{QUIET}"><g text-anchor="end">{ranks}</g><g text-anchor="middle">{files}</g></g>'


def _arrow(begin: tuple[int, int], end: tuple[int, int]) -> str:
    start, stop = (complex((column + 0.5) * CELL, (row + 0.5) * CELL) for column, row in (begin, end))
    along = (stop - start) / abs(stop - start)
    neck, wing = stop - 9 * along, 5 * along * 1j
    head = " ".join(f"{point.real:.1f},{point.imag:.1f}" for point in (stop, neck + wing, neck - wing))
    return (
        f'<g opacity="0.8"><line x1="{start.real:.1f}" y1="{start.imag:.1f}" x2="{neck.real:.1f}" y2="{neck.imag:.1f}" '
        f'stroke="{BLUE}" stroke-width="3.2"/><polygon points="{head}" fill="{BLUE}"/></g>'
    )


def _shapes(data: Boards, name: str, known: set[str]) -> str:
    """The empty chessboard and the pieces that the page does not have yet, to be used by their ids."""
    every = {piece for board in data.boards for row in board.rows for piece in row if piece}
    new = sorted(piece for piece in every if f"{name}-{piece}" not in known)
    shapes = [_shape(piece, name) for piece in new]
    if f"{name}-{BOARD}" not in known:
        shapes.append(f'<g id="{name}-{BOARD}">{_chessboard()}</g>')
    known.update(f"{name}-{shape}" for shape in (*new, BOARD))
    return f"<defs>{''.join(shapes)}</defs>" if shapes else ""


def _shape(piece: str, name: str) -> str:
    try:
        import chess.svg
    except ModuleNotFoundError:
        raise MissingExtra("chess", extra="chess") from None
    match = re.search(r"<g\b.*</g>", chess.svg.piece(chess.Piece.from_symbol(piece)), flags=re.DOTALL)
    assert match is not None
    body = re.sub(r'\s(?:id|class)="[^"]*"', "", match[0])
    return f'<g id="{name}-{piece}" transform="scale({CELL / PIECE:.4f})">{body}</g>'
