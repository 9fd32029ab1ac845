"""Small Syzygy tables that tests write themselves, from our own solved endings, to be read by python-chess.

The format is Ronald de Man's, as python-chess reads it: a head, and for each side to move (of pawns for each of four files)
either one value for all positions, or blocks of a Huffman code, here one bit a position. Values are those of the side to move,
0 for lost to 4 for won. What a capture leads to is searched by whoever reads a table, so a table need not know it:

- with queen or rook White, to move, always wins; Black, to move, loses unless it captures or is stalemated, and nobody asks
  about positions without a move. A second rook changes nothing of that.
- with a pawn each position has its own bit.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import chess
import numpy as np

from vivavoce.consistency.chess.truth.retrograde import OPEN, Bools, solved

MAGIC = bytes.fromhex("71e8235d")
SPLIT, PAWNS = 1, 2
"""In the head: that both sides to move have values of their own, and that there are pawns."""
LOST, DRAWN, WON = 0, 2, 4
KING, ROOK, QUEEN, PAWN = 6, 4, 5, 1
BLACK = 8
BLOCK_BITS = 9
"""Logarithm of the positions in a block: as many bits, so 64 bytes."""
RANKS, KINGS = 6, 63 * 62
"""Of a pawn, and squares for two kings beside it."""


def write_tables(folder: Path) -> Path:
    """Write KQvK, KRvK, KRRvK and KPvK; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, men in (("KQvK", (QUEEN,)), ("KRvK", (ROOK,)), ("KRRvK", (ROOK, ROOK))):
        (folder / f"{name}.rtbw").write_bytes(_of_two_values(men))
    (folder / "KPvK.rtbw").write_bytes(_of_a_pawn())
    return folder


def _of_two_values(men: tuple[int, ...]) -> bytes:
    """White to move wins, Black to move loses."""
    head = bytearray([*MAGIC, SPLIT, 0, *(16 * man + man for man in (KING, KING | BLACK, *men))])
    head += bytes(len(head) % 2)
    return _ended(head + bytes([0x80, WON, 0x80, LOST]))


def _of_a_pawn() -> bytes:
    table = solved(chess.PAWN)
    sides = ((table.won != OPEN, (DRAWN, WON)), (table.lost == OPEN, (LOST, DRAWN)))
    head = bytearray([*MAGIC, SPLIT | PAWNS])
    for _ in range(4):
        head += bytes([0, *(16 * man + man for man in (PAWN, KING, KING | BLACK))])
    head += bytes(len(head) % 2)
    positions = RANKS * KINGS
    blocks = -(-positions >> BLOCK_BITS)
    starts, sizes, data = bytearray(), bytearray(), bytearray()
    for file in range(4):
        for bits, values in sides:
            head += struct.pack("<BBBBIBBHH", 0, BLOCK_BITS - 3, BLOCK_BITS, 0, blocks, 1, 1, 0, len(values))
            head += b"".join(bytes([value, 0xF0, 0xFF]) for value in values)  # a symbol that is one position
            starts += b"".join(struct.pack("<IH", block, 1 << BLOCK_BITS - 1) for block in range(blocks))
            sizes += struct.pack("<H", (1 << BLOCK_BITS) - 1) * blocks
            data += np.packbits(_in_order(bits, file)).tobytes().ljust(blocks << BLOCK_BITS - 3, b"\0")
    whole = head + starts + sizes
    return _ended(whole + bytes(-len(whole) % 64) + data)


def _in_order(bits: Bools, file: int) -> Bools:
    """Positions with the pawn on a file by Black's king, then White's, then the pawn's rank; kings count squares still free."""
    found = []
    for black in range(62):
        for white in range(63):
            for rank in range(1, 7):
                pawn = 8 * rank + file
                king = white + (white >= pawn)
                other = black
                for taken in sorted((pawn, king)):
                    other += other >= taken
                found.append(bits[king, pawn, other])
    return np.array(found)


def _ended(table: bytearray | bytes) -> bytes:
    """With a checksum, which nobody reads."""
    return bytes(table) + bytes(-len(table) % 64) + bytes(16)


if __name__ == "__main__":
    write_tables(Path(sys.argv[1]))
