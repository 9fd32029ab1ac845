"""Options that an engine takes without declaring them, such as the hidden ones of lc0: passed on, unless it says no."""

from __future__ import annotations

import time
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.errors import BadInput, UnknownName

ANSWER_SECONDS: Final = 20.0
_CONTROL: Final = "vivavoce knows no such option"
"""Given along: an engine that is silent on it is silent on all."""
_NEAR: Final = 0.5
"""How alike two names are if one is a misspelling of the other, as in `UnknownName`."""


def check_undeclared(process: EngineProcess, given: Sequence[tuple[str, str]], known: Sequence[str], *, of: str) -> None:
    """See whether an engine takes options that it has not declared.

    Engines that know their options complain of others ("No such option", "Unknown option"). Whoever complains of an option that
    cannot be, but not of this one, knows it. Where none is complained of, an option is taken to be meant, unless it looks like
    another one misspelt.

    Raises `UnknownName` for an option that is refused, or is near one that there is; `BadInput` for a value of several lines.
    """
    for name, value in given:
        if not (name + value).isprintable() or not name.strip() or len(name) + len(value) > 1000:
            raise BadInput(f"the option '{name[:80]}' of {of}: name and value must be one line of printable characters")
    lines = [f"setoption name {name} value {value}\n" for name, value in (*given, (_CONTROL, "1"))]
    process.tell("".join([*lines, "isready\n"]).encode())
    said = process.read_until(b"readyok", deadline=time.monotonic() + ANSWER_SECONDS).decode("utf-8", "replace").lower()
    for name, _ in given:
        near = get_close_matches(name, known, n=1, cutoff=_NEAR)
        if name.lower() in said or (_CONTROL not in said and near):
            raise UnknownName(f"option of {of}", name, known)
