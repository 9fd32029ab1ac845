"""`uci:PROGRAM` for a game that is named by the engine's option `UCI_Variant`."""

from __future__ import annotations

import shlex

from vivavoce.candidates.boards.pool import BoardPool
from vivavoce.candidates.uci.idle import Made
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.variants.engine import VariantEngine
from vivavoce.errors import BadInput, UnknownName

VARIANT = "UCI_Variant"
PLAYED_AT = 1_000
"""Nodes a move of an engine that plays for positions: sensible games at a small part of the cost."""


def player_of(name: str) -> str:
    """The name of the same engine as it plays for positions, with few nodes.

    >>> player_of("uci:fairy-stockfish?nodes=81000&hash=1")
    'uci:fairy-stockfish?hash=1&nodes=1000'
    """
    program, _, query = name.partition("?")
    others = [pair for pair in query.split("&") if pair and pair.partition("=")[0].lower() not in ("nodes", "depth")]
    return f"{program}?{'&'.join([*others, f'nodes={PLAYED_AT}'])}"


def open_variant(name: str, game: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open an engine that speaks UCI for that game (`uci:fairy-stockfish?nodes=10000`); who opens it closes it.

    The game becomes a part of its name. There are so many engine processes; with the address of a Dask scheduler
    (`tcp://scheduler:8786`) there is one for each of its threads, and `workers` does not count. The package and the engine must
    be installed there.

    Raises what `find_engine` raises, and `BadInput` for an engine that does not play that game; with a cluster also
    `MissingExtra` without Dask, and `CandidateUnreachable` if no scheduler answers.
    """
    program, _, query = name.strip().partition("?")
    prefix, _, command = program.partition(":")
    if prefix != "uci" or not command.strip():
        raise BadInput(f"'{name[:80]}' names no engine that plays {game}: write for example uci:fairy-stockfish")
    pairs = [pair for pair in query.split("&") if pair]
    if any(pair.partition("=")[0].lower() == VARIANT.lower() for pair in pairs):
        raise BadInput(f"leave out '{VARIANT}': the game is {game}, as it was asked for")
    try:
        found = find_engine(f"{program}?{'&'.join([*pairs, f'{VARIANT}={game}'])}")
    except UnknownName as unknown:
        if VARIANT in str(unknown).partition(" There are")[0]:
            called = shlex.split(command)[0]
            raise BadInput(f"'{called}' plays one game only (it has no option {VARIANT}): give uci:fairy-stockfish") from None
        raise
    return BoardPool(found.name, Made(VariantEngine, found.settings), workers=workers, cluster=cluster)
