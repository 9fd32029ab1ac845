"""A stand-in that speaks as lc0 does, and thinks by a function that everybody can compute: the outside truth of what is read.

Its lines have the widths and signs of `Search::GetVerboseStats` and `SendUciInfo` of lc0 0.29: edges in rising order of visits,
then the node itself, from the side to move's point of view; castling as the king taking its rook, but not in `bestmove`.
"""

from __future__ import annotations

import stat
import sys
import zlib
from pathlib import Path

import chess

IDENTITY = "Lc0 v0.29.0+git.ece6f22"
OPTIONS = (
    "WeightsFile type string default <autodiscover>",
    "Threads type spin default 2 min 1 max 128",
    "NNCacheSize type spin default 200000 min 0 max 999999999",
    "MinibatchSize type spin default 256 min 1 max 1024",
    "MaxPrefetch type spin default 32 min 0 max 1024",
    "OutOfOrderEval type check default true",
    "TaskWorkers type spin default 4 min 0 max 128",
    "VerboseMoveStats type check default false",
    "SmartPruningFactor type string default 1.330000",
    "CPuct type string default 1.745000",
    "Ponder type check default true",
    "UCI_ShowWDL type check default false",
    "MultiPV type spin default 1 min 1 max 500",
)
HIDDEN = ("CPuctAtRoot", "Temperature")
"""Options that it takes, but does not list."""


def drawn(text: str) -> float:
    """A number in [0, 1) that hangs on the text alone."""
    return zlib.crc32(text.encode()) / 2**32


def value(fen: str) -> float:
    """Of its value head, for the side to move: material, and half as much again of chance."""
    board = chess.Board(fen)
    worth = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}
    balance = sum(worth[piece.piece_type] * (1 if piece.color == board.turn else -1) for piece in board.piece_map().values())
    return max(-1.0, min(1.0, balance / 40 + (drawn(fen) - 0.5) / 2))


def prior(fen: str, move: str) -> float:
    """Of its policy head, before it is made to sum to 1."""
    return 0.01 + drawn(f"policy {fen} {move}")


def searched(fen: str, move: str) -> float:
    """Q of a move after a search: minus the value head's of the position behind it."""
    board = chess.Board(fen)
    board.push_uci(move)
    return -value(board.fen())


def draws(fen: str, move: str) -> float:
    """The share of draws after a move, which leaves room for Q."""
    return round((1 - abs(searched(fen, move))) / 2, 3)


def statistics(fen: str, nodes: int) -> tuple[list[str], str, str]:
    """Lines on moves and position, the line with the score, and the best move: all that follows from `nodes` visits."""
    board = chess.Board(fen)
    moves = [move.uci() for move in board.legal_moves]
    total = sum(prior(fen, move) for move in moves)
    by_policy = sorted(moves, key=lambda move: prior(fen, move))
    if nodes == 1:
        best, q, d = by_policy[-1], value(fen), 0.5
        visits = dict.fromkeys(moves, 0)
    else:
        visited = sorted(by_policy[-(nodes - 1) :], key=lambda move: searched(fen, move))
        best = visited[-1]
        visits = dict.fromkeys(moves, 0) | dict.fromkeys(visited, 1)
        visits[best] += nodes - 1 - len(visited)
        q, d = searched(fen, best), draws(fen, best)
    lines = []
    for move in sorted(moves, key=lambda move: (visits[move], move == best)):
        head = f"{_as_rook(board, move):<5} ({moves.index(move):<4}) N: {visits[move]:>7} (+ 0) "
        head += f"(P: {100 * prior(fen, move) / total:5.2f}%) "
        if visits[move]:
            number = searched(fen, move)
            head += f"(WL: {number:8.5f}) (D: {draws(fen, move):5.3f}) (M: 90.5) (Q: {number:8.5f}) "
            tail = f"(V: {number:7.4f}) "
        else:
            head += f"(WL:  -.-----) (D: -.---) (M:  -.-) (Q: {value(fen) - 0.3:8.5f}) "
            tail = "(V:  -.----) "
        lines.append(f"{head}(U: {0.1:6.5f}) (S: {0.2:8.5f}) {tail}")
    of_node = f"node  ({len(moves):4}) N: {nodes:7} (+ 0) (P: {99.0:5.2f}%) "
    of_node += f"(WL: {value(fen):8.5f}) (D: 0.500) (M: 90.5) (Q: {value(fen):8.5f}) (V: {value(fen):7.4f}) "
    wins, losses = max(0, round(500 * (1 + q - d))), max(0, round(500 * (1 - q - d)))
    score = f"score cp {round(100 * q)} wdl {wins} {1000 - wins - losses} {losses}"
    return [*lines, of_node], score, best


def _as_rook(board: chess.Board, move: str) -> str:
    parsed = chess.Move.from_uci(move)
    if not board.is_castling(parsed):
        return move
    rook = "h" if board.is_kingside_castling(parsed) else "a"
    return move[:2] + rook + move[3]


def lc0(folder: Path, name: str = "lc0") -> Path:
    """The stand-in as a program."""
    program = folder / name
    root = Path(__file__).parents[2]
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(root)!r})\n")
    with program.open("a") as file:
        file.write("from tests.candidates.leela import speak\nspeak()\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def speak() -> None:
    """Answer as lc0 does, until told to quit."""
    fen, verbose, wdl = chess.STARTING_FEN, False, False
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "uci":
            _say(f"id name {IDENTITY}", "id author The LCZero Authors.", *(f"option name {option}" for option in OPTIONS))
            _say("uciok")
        elif word == "isready":
            _say("readyok")
        elif word == "setoption":
            option, _, given = rest.removeprefix("name ").partition(" value ")
            known = [listed.partition(" type ")[0] for listed in OPTIONS]
            if option not in (*known, *HIDDEN):
                _say(f"error Unknown option: {option}")
            verbose = given == "true" if option == "VerboseMoveStats" else verbose
            wdl = given == "true" if option == "UCI_ShowWDL" else wdl
        elif word == "position":
            fen = _after(*rest.removeprefix("fen ").split(" moves "))
        elif word == "go":
            _answer(fen, int(rest.removeprefix("nodes ")), verbose=verbose, wdl=wdl)
        elif word == "quit":
            return


def _after(start: str, moves: str = "") -> str:
    board = chess.Board(start)
    for move in moves.split():
        board.push_uci(move)
    return board.fen()


def _answer(fen: str, nodes: int, *, verbose: bool, wdl: bool) -> None:
    lines, score, best = statistics(fen, nodes)
    score = score if wdl else score.partition(" wdl ")[0]
    _say(f"info depth 1 seldepth 2 time 3 nodes {nodes} {score} nps 100 tbhits 0 pv {best}")
    if verbose:
        _say(*(f"info string {line}" for line in lines))
    _say(f"bestmove {best}")


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
