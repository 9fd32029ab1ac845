"""Programs in Python that stand for engines, good and bad, and which of Debian's are here."""

from __future__ import annotations

import stat
import sys
import textwrap
from pathlib import Path

import pytest

from tests.candidates.engines import missing

needs_fairy = pytest.mark.skipif(missing("fairy-stockfish"), reason="apt-get install fairy-stockfish")
needs_gnugo = pytest.mark.skipif(missing("gnugo"), reason="apt-get install gnugo")
needs_gnubg = pytest.mark.skipif(missing("gnubg"), reason="apt-get install gnubg")

GTP = """
import os, sys, time
KNOWN = {known!r}
board, told = {{}}, []
for line in sys.stdin:
    number, _, command = line.strip().partition(" ")
    told.append(command)
    word, *rest = command.split() or [""]
    reply = ""
    if word == "clear_board":
        board.clear()
    elif word == "play":
        board[rest[1]] = rest[0]
    elif word == "set_position":
        board.clear()
        board.update(zip(rest[1::2], rest[::2]))
    elif word == "name":
        reply = "Fake Go"
    elif word == "version":
        reply = "1"
    elif word == "list_commands":
        reply = "\\n".join(KNOWN)
    elif word == "estimate_score":
        black = sum(colour == "b" for colour in board.values()) - sum(colour == "w" for colour in board.values())
        reply = "0" if not black else ("B" if black > 0 else "W") + "+%.1f (upper bound: 1.0, lower: 0.0)" % abs(black)
    elif word == "quit":
        break
    {special}
    sys.stdout.write("=" + number + " " + reply + "\\n\\n")
    sys.stdout.flush()
"""


def gtp_program(folder: Path, special: str = "pass", *, known: tuple[str, ...] = ("estimate_score",)) -> Path:
    """A Go engine that counts stones; `special` is code in its loop, in which `word` is the command."""
    return program(folder / "fakego", GTP.format(known=known, special=textwrap.indent(special, "    ").strip()))


def program(file: Path, code: str) -> Path:
    """A file that can be run."""
    file.write_text(f"#!{sys.executable}\n{code}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file
