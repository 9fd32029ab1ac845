"""Two boards side by side with what the engine says about each, as one SVG that can stand in a page (Figures 2, 9 and 10)."""

from __future__ import annotations

import re
from html import escape

import chess
import chess.svg

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.describe import Side, in_words, sides
from vivavoce.formats.wording import signed
from vivavoce.render.colours import LIGHT

_SQUARE = 20
_BOARD = 8 * _SQUARE
_MARGIN = 10
"""For the names of ranks and files."""
_GAP = 22
_TITLE = 16
_BAR = 53
WIDTH = 2 * (_MARGIN + _BOARD) + _GAP
HEIGHT = _TITLE + _BOARD + _MARGIN + _BAR
_PIECE = chess.svg.SQUARE_SIZE
"""The size that pieces are drawn in."""

_INK, _QUIET, _HAIRLINE, _BLUE, _LIGHT, _DARK = (
    f"var({name}, {LIGHT.variables[name]})"
    for name in ("--ink", "--quiet", "--hairline", "--blue", "--square-light", "--square-dark")
)


def boards(comparison: Comparison, name: str) -> str:
    """Both positions, the engine's best move in each as an arrow, and both evaluations as bars from -1 to 1.

    All ids begin with `name`. Colours are the page's CSS variables, with colours for a light page in their absence; nothing
    is fetched. A best move that cannot be read is not drawn.
    """
    pair = sides(comparison)
    positions = [chess.Board(side.fen) for side in pair]
    symbols = sorted({piece.symbol() for board in positions for piece in board.piece_map().values()})
    shapes = "".join(_shape(symbol, name) for symbol in symbols)
    lefts = (_MARGIN, _MARGIN + _BOARD + _GAP + _MARGIN)
    shown = "".join(
        f'<g transform="translate({left},{_TITLE})">{_board(board, side, name)}{_bar(side)}</g>'
        for left, board, side in zip(lefts, positions, pair, strict=True)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(in_words(comparison))}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'font-family="var(--font, sans-serif)" font-size="9.5">'
        f"<defs>{shapes}</defs>{shown}</svg>"
    )


def _board(board: chess.Board, side: Side, name: str) -> str:
    dark = "".join(
        f"M{x * _SQUARE} {y * _SQUARE}h{_SQUARE}v{_SQUARE}h-{_SQUARE}z" for y in range(8) for x in range(8) if (x + y) % 2
    )
    pieces = "".join(_placed(square, piece, name) for square, piece in sorted(board.piece_map().items()))
    return (
        f'<text y="-5" fill="{_INK}">{escape(side.title)}</text>'
        f'<rect width="{_BOARD}" height="{_BOARD}" fill="{_LIGHT}"/><path d="{dark}" fill="{_DARK}"/>'
        f"{_coordinates()}{pieces}{_arrow(side.best_move)}"
    )


def _coordinates() -> str:
    ranks = "".join(f'<text x="-3" y="{(7 - i + 0.5) * _SQUARE + 2.5:g}" text-anchor="end">{i + 1}</text>' for i in range(8))
    files = "".join(
        f'<text x="{(i + 0.5) * _SQUARE:g}" y="{_BOARD + 8}" text-anchor="middle">{letter}</text>'
        for i, letter in enumerate(chess.FILE_NAMES)
    )
    return f'<g fill="{_QUIET}" font-size="7">{ranks}{files}</g>'


def _shape(symbol: str, name: str) -> str:
    """A piece to be used by its id."""
    shape = re.search(r"<g\b.*</g>", chess.svg.piece(chess.Piece.from_symbol(symbol)), flags=re.DOTALL)
    assert shape is not None
    body = re.sub(r'\s(?:id|class)="[^"]*"', "", shape[0])
    return f'<g id="{name}-{symbol}">{body}</g>'


def _placed(square: chess.Square, piece: chess.Piece, name: str) -> str:
    x, y = _corner(square)
    address = f"#{name}-{piece.symbol()}"
    return f'<use href="{address}" xlink:href="{address}" transform="translate({x},{y}) scale({_SQUARE / _PIECE:.4f})"/>'


def _arrow(move: str) -> str:
    try:
        played = chess.Move.from_uci(move)
    except ValueError:
        return ""
    if not played or played.drop:
        return ""
    half = _SQUARE / 2
    (x, y), (to_x, to_y) = _corner(played.from_square), _corner(played.to_square)
    start, end = complex(x + half, y + half), complex(to_x + half, to_y + half)
    along = (end - start) / abs(end - start)
    neck, wing = end - 9 * along, 5 * along * 1j
    head = " ".join(f"{point.real:.1f},{point.imag:.1f}" for point in (end, neck + wing, neck - wing))
    return (
        f'<g opacity="0.8"><line x1="{start.real:g}" y1="{start.imag:g}" x2="{neck.real:.1f}" y2="{neck.imag:.1f}" '
        f'stroke="{_BLUE}" stroke-width="3.2"/><polygon points="{head}" fill="{_BLUE}"/></g>'
    )


def _bar(side: Side) -> str:
    """The evaluation from -1, lost, on the left edge of the board to 1, won, on the right."""
    middle, top = _BOARD / 2, _BOARD + _MARGIN + 6
    tip = middle * (1 + max(-1.0, min(1.0, side.value)))
    left, width = min(middle, tip), abs(tip - middle)
    return (
        f'<rect y="{top}" width="{_BOARD}" height="9" fill="none" stroke="{_HAIRLINE}"/>'
        f'<rect x="{left:.1f}" y="{top}" width="{max(width, 0.8):.1f}" height="9" fill="{_BLUE}"/>'
        f'<line x1="{middle:g}" x2="{middle:g}" y1="{top - 2}" y2="{top + 11}" stroke="{_INK}"/>'
        f'<text y="{top + 22}" fill="{_INK}">{signed(side.value)} for {side.viewpoint}</text>'
        f'<text x="{_BOARD}" y="{top + 22}" text-anchor="end" fill="{_QUIET}" font-size="7.5">−1 lost · 1 won</text>'
        f"{_wins(side, top + 33)}"
    )


def _wins(side: Side, y: float) -> str:
    """Nothing where the engine does not tell how often a game is drawn."""
    return "" if side.wins is None else f'<text y="{y}" fill="{_QUIET}">{side.viewpoint} wins {100 * side.wins:.0f}%</text>'


def _corner(square: chess.Square) -> tuple[int, int]:
    return chess.square_file(square) * _SQUARE, (7 - chess.square_rank(square)) * _SQUARE
