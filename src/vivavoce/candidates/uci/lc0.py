"""Leela Chess Zero (lc0): settings for reproducible answers, and its statistics of every move."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.candidates.text import shortened
from vivavoce.errors import TransportFault

CALLED: Final = "Lc0 "
"""Prefix of its `id name`."""
MOVE_STATISTICS: Final = "VerboseMoveStats"
"""The UCI option that makes it report statistics of every move."""
PRESET: Final[Mapping[str, str]] = {
    "SmartPruningFactor": "0",
    "OutOfOrderEval": "false",
    "TaskWorkers": "0",
    "MinibatchSize": "1",
    "MaxPrefetch": "0",
    "NNCacheSize": "200000",
}
"""Table 5 of `fluri2024`, besides one thread and `VerboseMoveStats`: no answer depends on timing, at the cost of speed."""

_LINE = re.compile(
    rb"info string (node|[a-h][1-8][a-h][1-8][nbrq]?) +\( *\d{1,6} *\) +N: +(\d{1,15}) \(\+ *\d{1,9}\) "
    rb"\(P: +(\d{1,3}\.\d+)%\) ((?:\([A-Z]{1,2}: +-?[\d.-]+ *\) ?)+)(?:\([TWL]\) ?)?"
)
_VALUE = re.compile(rb"\(([A-Z]{1,2}): +(-?\d+\.\d+) *\)")
_CASTLING: Final[Mapping[bytes, bytes]] = {b"e1g1": b"e1h1", b"e1c1": b"e1a1", b"e8g8": b"e8h8", b"e8c8": b"e8a8"}
"""Castling: in statistics the king takes its rook, in `bestmove` it moves two squares."""


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """lc0's statistics of one move (an edge of its tree), or of the position itself, from the side to move's point of view."""

    move: str
    """In UCI notation; `node` for the position itself."""
    visits: int
    prior: float
    """Probability by its policy head, in [0, 1]; for the position: the total over visited moves."""
    q: float
    """Expected outcome in [-1, 1]; of a move that was not visited a mere default."""
    wl: float | None
    """Wins less losses; None if the move was not visited."""
    draws: float | None
    v: float | None
    """Output of its value head; None if it is no longer in the cache."""


def read_statistics(line: bytes) -> MoveStatistics | None:
    """One line as lc0 prints it (`Search::GetVerboseStats`, release 0.29 to 0.32); None for any other line.

    >>> read_statistics(
    ...     b"info string e2e4  (322 ) N:     123 (+ 0) (P: 12.50%) (WL:  0.03125) (D: 0.400) (M: 95.2) (Q:  0.03125) "
    ...     b"(U: 0.01000) (S:  0.04125) (V:  0.0280) ")
    MoveStatistics(move='e2e4', visits=123, prior=0.125, q=0.03125, wl=0.03125, draws=0.4, v=0.028)
    """
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        return None
    values = {name: float(value) for name, value in _VALUE.findall(match[4])}
    q = values.get(b"Q")
    if q is None or abs(q) > 1 or abs(values.get(b"WL", 0.0)) > 1 or float(match[3]) > 100:
        return None
    return MoveStatistics(
        move=match[1].decode(), visits=int(match[2]), prior=float(match[3]) / 100, q=q,
        wl=values.get(b"WL"), draws=values.get(b"D"), v=values.get(b"V"),
    )  # fmt: skip


def statistics_of(output: bytes, best_move: str) -> MoveStatistics:
    """The statistics of the move that was chosen, or of the position where no move was visited (one node).

    So q is the value of the best move (appendix B.2 of `fluri2024`). With a single node, where only the policy head chooses the
    move, q comes from the value head. Raises `TransportFault` if the engine sent no such statistics.
    """
    castling = _CASTLING.get(best_move.encode(), b"").decode()
    lines = {line.move: line for text in output.split(b"\n") if (line := read_statistics(text)) is not None}
    chosen = lines.get(best_move) or lines.get(castling)
    if chosen is None or chosen.visits == 0:
        chosen = lines.get("node")
    if chosen is None or (chosen.move != "node" and chosen.wl is None):
        raise TransportFault(
            f"the engine reported no statistics for its move {shortened(best_move, 10)}: its option {MOVE_STATISTICS} has no "
            "effect",
            worth_retrying=False,
        )
    return chosen
