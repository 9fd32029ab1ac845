"""`gnubg:PROGRAM`: GNU Backgammon, by a name that holds all that its answers depend on."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field

from vivavoce.candidates.backgammon.engine import GnubgEngine, GnubgSettings
from vivavoce.candidates.boards.engine import require_program
from vivavoce.candidates.boards.pool import BoardPool
from vivavoce.candidates.options import UNNAMED, canonical, read_options
from vivavoce.candidates.uci.idle import Made
from vivavoce.errors import BadInput, TransportFault

FLAGS = ("--tty", "--quiet", "--no-rc")
"""In a terminal, without sounds, and without anybody's settings."""


@dataclass(frozen=True, slots=True)
class GnubgOptions:
    """What can stand behind the `?`."""

    plies: Annotated[int, Field(ge=0, le=3)] = 0
    """Rolls that it looks ahead; none: its network alone."""
    engine: str = ""
    """What it must call itself; a name that was written out holds it."""
    time_out: Annotated[float, Field(gt=0, le=86_400)] = field(default=60.0, metadata=UNNAMED)
    """Seconds for one evaluation."""


def open_gnubg(name: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open GNU Backgammon (`gnubg:gnubg?plies=0`) in so many processes or in a cluster.

    It is started here once, to hear what it is.

    Raises `BadInput` for a program that is not there or is not GNU Backgammon, and `UnknownName` for an option that there is
    not.
    """
    program, _, query = name.partition(":")[2].partition("?")
    options = read_options(query, GnubgOptions, of="gnubg")
    require_program(program)
    command = (os.path.abspath(program) if "/" in program else program, *FLAGS)
    settings = GnubgSettings(command, options.plies, options.time_out)
    first = GnubgEngine(settings)
    try:
        identity = first.listen()
    except TransportFault as fault:
        raise BadInput(f"'{shlex.join(command)[:200]}' does not answer as GNU Backgammon does ({fault.reason})") from None
    finally:
        first.close()
    if options.engine and options.engine != identity:
        raise BadInput(
            f"'{program}' is '{identity}', the name says '{options.engine[:80]}': leave out '&engine=' or install it"
        )
    written = canonical(replace(options, engine=identity))
    made = Made(GnubgEngine, replace(settings, identity=identity))
    shown = f"gnubg:{os.path.basename(program)}{written}"
    return BoardPool(shown, made, measure="equity", workers=workers, cluster=cluster)
