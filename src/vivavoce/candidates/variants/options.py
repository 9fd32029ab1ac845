"""`uci:PROGRAM` for a game that is named by the engine's option `UCI_Variant`."""

from __future__ import annotations

import shlex

from vivavoce.candidates.boards.engine import require_program
from vivavoce.candidates.boards.pool import BoardPool
from vivavoce.candidates.uci.idle import Made
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.variants.engine import VariantEngine
from vivavoce.errors import BadInput, UnknownName

VARIANT = "UCI_Variant"


def open_variant(name: str, game: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open an engine that speaks UCI for that game (`uci:fairy-stockfish?nodes=10000`), in so many processes or in a cluster.

    The game becomes a part of its name. Raises what `find_engine` raises, and `BadInput` for an engine that does not play it.
    """
    program, _, query = name.partition("?")
    words = shlex.split(program.partition(":")[2]) or [""]
    require_program(words[0])
    pairs = [pair for pair in query.split("&") if pair]
    if any(pair.partition("=")[0].lower() == VARIANT.lower() for pair in pairs):
        raise BadInput(f"leave out '{VARIANT}': the game is {game}, as it was asked for")
    try:
        found = find_engine(f"{program}?{'&'.join([*pairs, f'{VARIANT}={game}'])}")
    except UnknownName as unknown:
        if VARIANT in str(unknown).partition(" There are")[0]:
            raise BadInput(f"'{words[0]}' plays one game only (it has no option {VARIANT}): give uci:fairy-stockfish") from None
        raise
    made = Made(VariantEngine, found.settings)
    return BoardPool(found.name, made, measure="outcome", workers=workers, cluster=cluster)
