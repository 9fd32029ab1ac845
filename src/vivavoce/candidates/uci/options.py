"""`uci:PROGRAM`: a chess engine that speaks UCI; its name has everything that its answers depend on."""

from __future__ import annotations

import math
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Annotated, Final, Literal
from urllib.parse import parse_qsl, quote, urlencode

from pydantic import Field

from vivavoce.candidates.options import UNNAMED, read_options
from vivavoce.candidates.text import shortened
from vivavoce.candidates.uci.engine import (
    CALLED,
    LICHESS_SCALE,
    MOVE_STATISTICS,
    PRESET,
    Declaration,
    DeclaredOption,
    EngineProcess,
    EngineSettings,
    declaration,
)
from vivavoce.errors import BadInput, TransportFault, UnknownName

ANSWER_SECONDS: Final = 20.0
_CONTROL: Final = "vivavoce knows no such option"
"""A nonexistent option that is sent as a test: an engine that does not report it reports none."""
_NEAR: Final = 0.5
"""The similarity from which a name counts as a misspelling of another, as in `UnknownName`."""


def check_undeclared(process: EngineProcess, given: Sequence[tuple[str, str]], known: Sequence[str], *, of: str) -> None:
    """Check whether an engine accepts options that it has not declared.

    Engines that know their options report unknown ones ("No such option", "Unknown option"). An engine that reports an
    impossible option, but not this one, knows this one. If it reports none, the option is assumed to be intended, unless it
    looks like a misspelling of another.

    Raises `UnknownName` for an option that is refused, or similar to a declared one; `BadInput` for a value of several lines.
    """
    for name, value in given:
        if not (name + value).isprintable() or not name.strip() or len(name) + len(value) > 1000:
            raise BadInput(f"the option '{name[:80]}' of {of}: name and value must be one line of printable characters")
    lines = [f"setoption name {name} value {value}\n" for name, value in (*given, (_CONTROL, "1"))]
    process.tell("".join([*lines, "isready\n"]).encode())
    text = process.read_until(b"readyok", deadline=time.monotonic() + ANSWER_SECONDS).decode("utf-8", "replace").lower()
    for name, _ in given:
        near = get_close_matches(name, known, n=1, cutoff=_NEAR)
        if name.lower() in text or (_CONTROL not in text and near):
            raise UnknownName(f"option of {of}", name, known)


NODES = 10_000
"""Default if nodes and depth are both missing."""
NODES_A_MEGABYTE = 100_000
"""Nodes per megabyte of the default hash: about half of it is full at the end. More costs time, since it is cleared before
every position.
"""

FIXED = {"Threads": "1", "MultiPV": "1", "Ponder": "false", "OwnBook": "false"}
"""UCI options that are always set if an engine declares them: otherwise its answers vary."""


@dataclass(frozen=True, slots=True)
class UciOptions:
    """Options after the `?`, apart from the engine's own."""

    nodes: Annotated[int | None, Field(ge=1, le=10**12)] = None
    """Positions to search; an engine may stop a little later, and some have no such limit. None: `NODES`, unless a depth is
    given.
    """
    depth: Annotated[int | None, Field(ge=1, le=1000)] = None
    """Stop at this depth; for engines that ignore `nodes`."""
    hash: Annotated[int | None, Field(ge=0)] = None
    """Megabytes; by default one for every 100,000 nodes."""
    wdl: Literal["engine", "moves", "logistic"] | None = None
    """The source of q: the engine's wins and losses, lc0's statistics of its moves, or centipawns.

    None: `moves` for lc0, with the settings of `engine.PRESET`, and `engine` for others; engines without WDL statistics are
    `logistic` anyway."""
    scale: Annotated[float, Field(gt=0, le=1)] = LICHESS_SCALE
    """Scale of centipawns in the logistic."""
    engine: str = ""
    """The name that the engine must report; canonical names contain it."""
    threads: Annotated[int, Field(ge=1, le=1)] = field(default=1, metadata=UNNAMED)
    """More than one thread would give different answers each time."""
    time_out: Annotated[float, Field(gt=0, le=86_400)] = field(default=60.0, metadata=UNNAMED)
    """Seconds for one position."""


@dataclass(frozen=True, slots=True)
class NamedEngine:
    """An engine that has been found, has identified itself, and accepts the options."""

    name: str
    settings: EngineSettings
    undeclared: tuple[str, ...] = ()
    """Given options that the engine does not declare."""


def find_engine(name: str) -> NamedEngine:
    """The engine of that name (`uci:PROGRAM?OPTIONS`); it is started once to learn its identity and options.

    The program is a path or is looked for on $PATH and in /usr/games, and may have arguments: `uci:gnuchess --uci`. The
    canonical name holds the program without its folder, the options that differ from the engine's own defaults, and what the
    engine calls itself, so that another version is another candidate.

    For lc0, `PRESET` applies, and q comes from its statistics of moves, unless the name says `wdl=engine`. An undeclared option
    is passed on if the engine does not refuse it; `NamedEngine.undeclared` lists these.

    Raises `UnknownName` for an option that the engine does not have, and `BadInput` for a value that it does not allow, for a
    program that is missing or does not speak UCI, and for an engine that the name does not match.
    """
    prefix, colon, rest = name.strip().partition(":")
    target, _, query = rest.partition("?")
    if prefix != "uci" or not colon or not target.strip():
        raise BadInput(f"'{name[:80]}' does not name an engine: write uci:PROGRAM, for example uci:stockfish?nodes=10000")
    command = _command(target)
    options, given = _read(query)
    declared = _declaration(command, given)
    identity = declared.identity or os.path.basename(command[0])
    if options.engine and options.engine != identity:
        raise BadInput(
            f"'{command[0]}' is '{identity}', but the name says '{options.engine[:80]}': leave out '&engine=' or install it"
        )
    known = {option.name.lower(): option for option in declared.options}
    nodes = NODES if options.nodes is None and options.depth is None else options.nodes
    size = _hash(options, known.get("hash"))
    by_moves = _by_moves(options, known, identity)
    wdl = options.wdl != "logistic" and "uci_showwdl" in known
    chosen = _chosen(given, known, PRESET if by_moves else {}, of=identity)
    settings = EngineSettings(
        command=command, identity=declared.identity, options=_all(known, chosen, size, wdl=wdl, by_moves=by_moves), nodes=nodes,
        depth=options.depth, wdl=wdl, scale=options.scale, time_out=options.time_out, move_statistics=by_moves,
    )  # fmt: skip
    written: dict[str, object] = {"nodes": nodes, "depth": options.depth, "hash": size, **dict(chosen)}
    if by_moves:
        written["wdl"] = "moves"
    elif not wdl:
        written |= {"wdl": "logistic", "scale": None if options.scale == LICHESS_SCALE else options.scale}
    elif identity.startswith(CALLED):
        written["wdl"] = "engine"
    undeclared = tuple(option for option, _ in chosen if option.lower() not in known)
    return NamedEngine(_canonical(command, written | {"engine": identity}), settings, undeclared)


def _by_moves(options: UciOptions, known: Mapping[str, DeclaredOption], identity: str) -> bool:
    """Whether q comes from statistics of moves."""
    if options.wdl == "moves" and MOVE_STATISTICS.lower() not in known:
        raise BadInput(f"wdl is 'moves', but {identity} has no option {MOVE_STATISTICS}: leave out 'wdl', or ask lc0")
    return options.wdl == "moves" or (options.wdl is None and identity.startswith(CALLED) and MOVE_STATISTICS.lower() in known)


def _all(
    known: Mapping[str, DeclaredOption], chosen: Sequence[tuple[str, str]], size: int | None, *, wdl: bool, by_moves: bool
) -> tuple[tuple[str, str], ...]:
    """Options sent to the engine: the fixed ones, those fixed for lc0, and the chosen ones."""
    fixed = dict(FIXED) | ({} if size is None else {"Hash": str(size)}) | {"UCI_ShowWDL": "true" if wdl else "false"}
    if by_moves:
        fixed |= {MOVE_STATISTICS: "true", **PRESET}
    taken = {option.lower() for option, _ in chosen}
    pairs = [(known[o.lower()].name, value) for o, value in fixed.items() if o.lower() in known and o.lower() not in taken]
    return (*pairs, *chosen)


def _command(target: str) -> tuple[str, ...]:
    try:
        program, *arguments = shlex.split(target)
    except ValueError as error:
        raise BadInput(f"'{target[:80]}' cannot be split into a program and its arguments: {error}") from None
    return (os.path.abspath(program) if "/" in program else program, *arguments)


def _read(query: str) -> tuple[UciOptions, dict[str, str]]:
    """Our options, and the engine's own as given; ours may be written as in UCI (`Hash`)."""
    ours = {option.name for option in fields(UciOptions)}
    pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)
    own = [(option.lower(), value) for option, value in pairs if option.lower() in ours]
    options = read_options(urlencode(own, quote_via=quote), UciOptions, of="uci")
    given = {option: value for option, value in pairs if option.lower() not in ours}
    if len({option.lower() for option in given}) + len(own) < len(pairs):
        raise BadInput("an option of the engine is given twice: give it once")
    return options, given


def _declaration(command: tuple[str, ...], given: Mapping[str, str]) -> Declaration:
    """The engine's declaration; it is also asked about given options that it does not declare."""
    process = EngineProcess(command)
    try:
        declared = declaration(process)
        known = {option.name.lower() for option in declared.options}
        others = [(option, value) for option, value in given.items() if option.lower() not in known]
        if others:
            ours = [f.name for f in fields(UciOptions)]
            of = declared.identity or os.path.basename(command[0])
            check_undeclared(process, others, [*ours, *(option.name for option in declared.options)], of=of)
        return declared
    except TransportFault as fault:
        raise BadInput(
            f"'{shlex.join(command)[:200]}' does not speak UCI ({fault.reason}): add the arguments that it needs"
        ) from None
    finally:
        process.end()


def _hash(options: UciOptions, declared: DeclaredOption | None) -> int | None:
    """Megabytes; None for an engine without that option."""
    if declared is None:
        if options.hash is not None:
            raise BadInput("the engine has no option 'Hash': leave out 'hash'")
        return None
    if options.hash is not None:
        return int(_allowed(str(options.hash), declared))
    least, most = declared.least or 1, declared.most or 2**25
    return max(least, min(most, math.ceil((options.nodes or NODES) / NODES_A_MEGABYTE)))


def _chosen(
    given: Mapping[str, str], known: Mapping[str, DeclaredOption], preset: Mapping[str, str], *, of: str
) -> list[tuple[str, str]]:
    """The engine's own options that are not at their defaults, by their declared names in alphabetic order."""
    chosen = []
    fixed = {option.lower() for option in FIXED}
    preset = {option.lower(): value for option, value in preset.items()}
    for spelt, value in sorted(given.items(), key=lambda pair: pair[0].lower()):
        option = spelt.lower()
        if option not in known:
            chosen.append((spelt, value))
            continue
        if option in fixed:
            raise BadInput(f"the option '{known[option].name}' of {of} is fixed: another value would make answers vary")
        if option in ("uci_showwdl", MOVE_STATISTICS.lower()):
            raise BadInput(
                f"the option '{known[option].name}' of {of} follows from wdl=engine, wdl=moves or wdl=logistic: give that"
            )
        allowed = _allowed(value, known[option])
        if allowed != preset.get(option, known[option].default):
            chosen.append((known[option].name, allowed))
    return chosen


def _allowed(value: str, option: DeclaredOption) -> str:
    """The value in the engine's form; `BadInput` if it is not allowed."""

    def refusal(remedy: str) -> BadInput:
        return BadInput(f"the option '{option.name}' of the engine is '{shortened(value, 80)}': {remedy}")

    if not value.isprintable() or len(value) > 1000:
        raise refusal("it must be one line of printable characters")
    match option.kind:
        case "check":
            if value.lower() not in ("true", "false"):
                raise refusal("give true or false")
            return value.lower()
        case "spin":
            bounds = f"from {option.least} to {option.most}"
            if not (value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 20):
                raise refusal(f"give a whole number {bounds}")
            if not (option.least is None or int(value) >= option.least) or not (
                option.most is None or int(value) <= option.most
            ):
                raise refusal(f"give a whole number {bounds}")
            return str(int(value))
        case "combo":
            choices = {choice.lower(): choice for choice in option.choices}
            if value.lower() not in choices:
                raise refusal(f"give one of {', '.join(option.choices)}")
            return choices[value.lower()]
        case "button":
            raise refusal("it is a button, not a setting: leave it out")
        case _:
            return value or "<empty>"


def _canonical(command: tuple[str, ...], options: dict[str, object]) -> str:
    program = shlex.join((os.path.basename(command[0]), *command[1:]))
    pairs = [f"{quote(o, safe=' /:,()')}={quote(str(v), safe=' /:,()')}" for o, v in options.items() if v is not None]
    return f"uci:{program}?{'&'.join(pairs)}"
