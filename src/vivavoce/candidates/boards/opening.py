"""From the name of an engine and a game to engines that play it."""

from __future__ import annotations

from vivavoce.candidates.boards.pool import BoardPool
from vivavoce.errors import BadInput

FORMS = {
    "xiangqi": "uci:fairy-stockfish",
    "shogi": "uci:fairy-stockfish",
    "go": "gtp:gnugo --mode gtp",
    "backgammon": "gnubg:gnubg",
}
"""How an engine of each game is named, with one that Debian has."""
PLAYED_AT = 1_000
"""Nodes a move of an engine that plays for positions: sensible games at a small part of the cost."""


def player_of(name: str, game: str) -> str:
    """The name of the same engine as it plays for positions: one that counts nodes with few of them, others as they are.

    >>> player_of("uci:fairy-stockfish?nodes=81000&hash=1", "shogi")
    'uci:fairy-stockfish?hash=1&nodes=1000'
    >>> player_of("gtp:gnugo --mode gtp", "go")
    'gtp:gnugo --mode gtp'
    """
    if FORMS[game].partition(":")[0] != "uci":
        return name
    program, _, query = name.partition("?")
    others = [pair for pair in query.split("&") if pair and pair.partition("=")[0].lower() not in ("nodes", "depth")]
    return f"{program}?{'&'.join([*others, f'nodes={PLAYED_AT}'])}"


def open_board_engine(name: str, game: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open the engine of that name for that game, in this many processes; who opens it closes it.

    With the address of a Dask scheduler (`tcp://scheduler:8786`) there is one engine for each of its threads, and `workers`
    does not count; the package and the engine must be installed there.

    Raises `BadInput` for a name that is none of an engine of that game, for a program that is not there, and what the engine's
    own kind raises; with a cluster also `MissingExtra` without Dask, and `CandidateUnreachable` if no scheduler answers.
    """
    wanted = FORMS[game]
    prefix = name.strip().partition(":")[0]
    if prefix != wanted.partition(":")[0] or not name.partition(":")[2].partition("?")[0].strip():
        raise BadInput(f"'{name[:80]}' names no engine that plays {game}: write for example {wanted}")
    match prefix:
        case "uci":
            from vivavoce.candidates.variants.options import open_variant

            return open_variant(name.strip(), game, workers=workers, cluster=cluster)
        case "gtp":
            from vivavoce.candidates.gtp.options import open_gtp

            return open_gtp(name.strip(), workers=workers, cluster=cluster)
        case _:
            from vivavoce.candidates.backgammon.options import open_gnubg

            return open_gnubg(name.strip(), workers=workers, cluster=cluster)
