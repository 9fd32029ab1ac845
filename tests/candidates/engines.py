"""Engines for tests: which of Debian's are here, positions to ask them, a second road to their answers, and hostile ones."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from vivavoce.candidates.uci.engine import program_path
from vivavoce.errors import BadInput
from vivavoce.interview.candidate_kinds import Evaluation


def missing(program: str) -> bool:
    """Whether that engine is not installed."""
    try:
        program_path(program)
    except BadInput:
        return True
    return False


needs_stockfish = pytest.mark.skipif(missing("stockfish"), reason="stockfish is not installed: apt-get install stockfish")
needs_glaurung = pytest.mark.skipif(missing("glaurung"), reason="glaurung is not installed: apt-get install glaurung")
needs_gnuchess = pytest.mark.skipif(missing("gnuchess"), reason="gnuchess is not installed: apt-get install gnuchess")

OVER = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
"""Stalemate."""
MATE_IN_ONE = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"


def positions(count: int, seed: int = 0) -> list[str]:
    """FENs from random play, none of them the end of a game."""
    import random

    chess = pytest.importorskip("chess", reason="python-chess makes the positions: pip install 'vivavoce[chess]'")
    rng = random.Random(seed)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        for _ in range(rng.randrange(10, 80)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if not board.is_game_over():
            fens.append(board.fen())
    return fens


def raw_evaluations(fens: list[str], *, nodes: int, setup: str = "") -> list[Evaluation]:
    """The second road: all commands as one text through Stockfish, and its whole output read with regular expressions.

    `ucinewgame` makes it wait for the search before, so that nothing needs to be waited for here; only the end does.
    """
    asked = "".join(f"ucinewgame\nposition fen {fen}\ngo nodes {nodes}\n" for fen in fens)
    lines = f"setoption name UCI_ShowWDL value true\n{setup}isready\n{asked}ucinewgame\nisready\nquit\n"
    output = subprocess.run([program_path("stockfish")], input=lines, capture_output=True, text=True, timeout=120).stdout
    evaluations = []
    for part in re.split(r"^bestmove ", output, flags=re.MULTILINE)[:-1]:
        infos = [line for line in part.splitlines() if " score " in line]
        exact = [line for line in infos if "bound" not in line] or infos
        score = re.search(r"score (cp|mate) (\S+) wdl (\d+) (\d+) (\d+)", exact[-1])
        nodes_told = re.search(r" nodes (\d+)", infos[-1])
        assert score is not None
        assert nodes_told is not None
        wins, draws, losses = (int(score[group]) for group in (3, 4, 5))
        value = int(score[2])
        centipawns, mate = (value, None) if score[1] == "cp" else (None, value)
        evaluations.append(Evaluation((wins - losses) / 1000, "", int(nodes_told[1]), wins, draws, losses, centipawns, mate))
    moves = re.findall(r"^bestmove (\S+)", output, flags=re.MULTILINE)
    return [
        Evaluation(e.q, m, e.nodes, e.wins, e.draws, e.losses, e.centipawns, e.mate)
        for e, m in zip(evaluations, moves, strict=True)
    ]


HEAD = """\
    import os, sys, time
    def say(line):
        sys.stdout.write(line + "\\n")
        sys.stdout.flush()
    asked = 0
    fen = ""
"""
TAIL = """\
    for line in sys.stdin:
        word = line.split()[0] if line.split() else ""
        if word == "uci":
            say("id name Fake 1\\noption name Hash type spin default 16 min 1 max 64\\noption name Style type combo default "
                "Solid var Solid var Very Wild\\noption name Book File type string default <empty>\\noption name Clear Hash "
                "type button\\noption name Fancy type check default true")
            say("uciok")
        elif word == "isready":
            say("readyok")
        elif word == "position":
            fen = line
        elif word == "go":
            asked += 1
            go()
        elif word == "quit":
            break
"""


def fake(folder: Path, body: str, name: str = "fake") -> Path:
    """An engine in Python: `body` defines `go()`, which answers with `say`, and knows `fen` and how often it was asked."""
    program = folder / name
    script = "\n".join(textwrap.dedent(part) for part in (HEAD, body, TAIL))
    program.write_text(f"#!{sys.executable} -IS\n{script}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


GOOD = """
def go():
    count = sum(c.isalpha() for c in fen.split()[2])
    say(f"info depth 1 score cp {count * 10} nodes {count} pv e2e4")
    say("bestmove e2e4 ponder e7e5")
"""
"""Ten centipawns for every man on the board."""


def status(pid: int) -> list[str]:
    """State, parent and more of that process, as the kernel lists them; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_alive(pid: int) -> bool:
    """Whether that process exists and is no zombie."""
    texts = status(pid)
    return bool(texts) and texts[0] != "Z"


def parent_of(pid: int) -> int:
    """The process that started it."""
    return int(status(pid)[1])


def descendants(pid: int) -> list[int]:
    """Children of that process, and theirs."""
    children = [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and status(int(entry))[1:2] == [str(pid)]]
    return children + [below for child in children for below in descendants(child)]


def command_line(pid: int) -> str:
    """How that process was started."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""
