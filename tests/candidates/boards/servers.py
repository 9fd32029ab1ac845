"""A program in Python that stands for an engine of xiangqi, good and bad, and whether Debian's is here."""

from __future__ import annotations

import stat
import sys
import textwrap
from pathlib import Path

import pytest

from tests.candidates.engines import missing

needs_fairy = pytest.mark.skipif(missing("fairy-stockfish"), reason="apt-get install fairy-stockfish")

BEGIN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
VARIANT = """
import os, re, sys, time
FILES = "abcdefghi"
def say(text):
    print(text, flush=True)
def value(rows):
    return 0
def read(fen):
    men, side, *_, full = fen.split()
    rows = [list(re.sub("[0-9]", lambda digit: "." * int(digit[0]), row)) for row in men.split("/")]
    return rows, side, int(full)
def write(rows, side, full):
    men = "/".join(re.sub(r"\\.+", lambda dots: str(len(dots[0])), "".join(row)) for row in rows)
    return f"{{men}} {{side}} - - 0 {{full}}"
def legal(fen):
    rows, side, _ = read(fen)
    step = -1 if side == "w" else 1
    return [
        f"{{FILES[x]}}{{10 - y}}{{FILES[x]}}{{10 - y - step}}"
        for y, row in enumerate(rows) for x, man in enumerate(row)
        if man.isupper() == (side == "w") and man not in ".Kk" and 0 <= y + step < 10 and rows[y + step][x] == "."
    ]
def played(fen, move):
    rows, side, full = read(fen)
    (x, y), (_, to) = ((FILES.index(file), 10 - int(rank)) for file, rank in re.findall("([a-i])([0-9]+)", move))
    rows[to][x], rows[y][x] = rows[y][x], "."
    return write(rows, "b" if side == "w" else "w", full + (side == "b"))
for line in sys.stdin:
    word, *rest = line.split() or [""]
    perft = rest[:1] == ["perft"]
    {special}
    if word == "uci":
        say("id name Fake Variant 1\\noption name UCI_Variant type combo default shogi var shogi var xiangqi\\nuciok")
    elif word == "isready":
        say("readyok")
    elif word == "position":
        fen = "{begin}" if rest[0] == "startpos" else " ".join(rest[1:7])
        for move in rest[8:]:
            fen = played(fen, move)
    elif word == "d":
        say("Fen: " + fen)
    elif perft:
        say("".join(f"{{move}}: 1\\n" for move in legal(fen)) + "\\nNodes searched: 1")
    elif word == "go":
        rows, side, _ = read(fen)
        best = legal(fen)[0]
        say(f"info depth 1 score cp {{value(rows) * (1 if side == 'w' else -1)}} nodes 1 pv {{best}}\\nbestmove {{best}}")
    elif word == "quit":
        break
"""


def variant_program(folder: Path, special: str = "pass") -> Path:
    """An engine in whose xiangqi every man but a king steps forward, and which plays the first move and values all alike.

    `special` is code in its loop, in which `word` is the command; it may replace `value`, Red's centipawns by rows of men.
    """
    file = folder / "fakefish"
    code = VARIANT.format(begin=BEGIN, special=textwrap.indent(special, "    ").strip())
    file.write_text(f"#!{sys.executable}\n{code}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file
