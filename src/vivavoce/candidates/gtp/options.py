"""`gtp:PROGRAM`: a Go engine that speaks GTP, by a name that holds all that its answers depend on."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from vivavoce.candidates.boards.engine import require_program
from vivavoce.candidates.boards.pool import BoardPool
from vivavoce.candidates.gtp.engine import GtpEngine, GtpSettings, Score, Viewpoint
from vivavoce.candidates.gtp.session import Session
from vivavoce.candidates.options import UNNAMED, canonical, read_options
from vivavoce.candidates.uci.idle import Made
from vivavoce.errors import BadInput, TransportFault
from vivavoce.interview.boards import Measure

SECONDS_TO_START = 60.0
"""A network may have to be loaded first."""
MEASURES: dict[Score, Measure] = {"estimate_score": "points", "kata-search_analyze": "outcome"}


@dataclass(frozen=True, slots=True)
class GtpOptions:
    """What can stand behind the `?`."""

    score: Literal["auto", "estimate_score", "kata-search_analyze"] = "auto"
    """The command that tells what a position is worth; by default the last of these that the engine knows."""
    winrate: Viewpoint = "mover"
    """Whose win rates KataGo tells, by its setting reportAnalysisWinratesAs."""
    engine: str = ""
    """What the engine must call itself, with its version; a name that was written out holds it."""
    time_out: Annotated[float, Field(gt=0, le=86_400)] = field(default=60.0, metadata=UNNAMED)
    """Seconds for one reply."""


def open_gtp(name: str, *, workers: int = 1, cluster: str | None = None) -> BoardPool:
    """Open the Go engine of that name (`gtp:gnugo --mode gtp`) in so many processes or in a cluster.

    It is started here once, to hear what it is.

    Raises `BadInput` for a program that is not there, does not speak GTP, tells no value of a position, or is not what the name
    says, and `UnknownName` for an option that there is not.
    """
    target, _, query = name.partition(":")[2].partition("?")
    options = read_options(query, GtpOptions, of="gtp")
    try:
        program, *arguments = shlex.split(target)
    except ValueError as error:
        raise BadInput(f"'{target[:80]}' cannot be split into a program and its arguments: {error}") from None
    require_program(program)
    command = (os.path.abspath(program) if "/" in program else program, *arguments)
    identity, known = _declared(command)
    if options.engine and options.engine != identity:
        raise BadInput(
            f"'{program}' is '{identity}', the name says '{options.engine[:80]}': leave out '&engine=' or install it"
        )
    score = _score(options.score, known, identity)
    settings = GtpSettings(command, identity, known, score, options.winrate, options.time_out)
    written = canonical(replace(options, score=score, engine=identity))
    shown = shlex.join((os.path.basename(program), *arguments))
    made = Made(GtpEngine, settings)
    return BoardPool(f"gtp:{shown}{written}", made, measure=MEASURES[score], workers=workers, cluster=cluster)


def _declared(command: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """What it calls itself, with its version, and the commands that it knows."""
    session = Session(command, seconds=SECONDS_TO_START)
    try:
        with session.held.asking():
            identity = session.identity()
            return identity, frozenset(session.say("list_commands").split())
    except TransportFault as fault:
        raise BadInput(
            f"'{shlex.join(command)[:200]}' does not speak GTP ({fault.reason}): give it the arguments it needs, as in "
            "'gtp:gnugo --mode gtp'"
        ) from None
    finally:
        session.held.close()


def _score(wanted: str, known: frozenset[str], identity: str) -> Score:
    usable: list[Score] = [score for score in MEASURES if score in known and wanted in ("auto", score)]
    if not usable:
        commands = wanted if wanted != "auto" else " or ".join(MEASURES)
        raise BadInput(f"'{identity}' does not tell what a position is worth: it has no command {commands}")
    return usable[-1]
