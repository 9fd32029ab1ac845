"""The two machines that every site should have as a measure of the others, by name (`silver2016`, section 6.2.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.luna.echo import Echo, remembered
from vivavoce.luna.players import Gibberish

FORMS: Final = {
    "gibberish": "control:gibberish?seed=N",
    "echo": "control:echo?from=FILE|FOLDER&seed=N",
}
_OPTIONS: Final = {"gibberish": ("seed",), "echo": ("from", "seed")}


def open_control(name: str) -> Candidate[Prompt, Reply]:
    """The control of that name. Raises `UnknownName`, `BadInput`, and `BadFile` for answers that cannot be read.

    >>> open_control("control:gibberish?seed=3").name
    'control:gibberish?seed=3'
    """
    which, _, query = name.removeprefix("control:").partition("?")
    if which not in FORMS:
        raise UnknownName("control", which, FORMS)
    given: dict[str, str] = {}
    for option, value in parse_qsl(query.replace("+", "%2B"), keep_blank_values=True):
        if option not in _OPTIONS[which]:
            raise UnknownName(f"option of control:{which}", option, _OPTIONS[which])
        if option in given:
            raise BadInput(f"the option '{option}' of control:{which} is given twice: give it once")
        given[option] = value
    seed = given.get("seed", "0")
    if not (seed.isascii() and seed.isdecimal() and len(seed) < 19):
        raise BadInput(f"the seed '{seed[:80]}' is none: give a whole number, 0 or more")
    if which == "gibberish":
        return Gibberish(int(seed))
    if not given.get("from"):
        raise BadInput(f"an echo needs answers of people to repeat: {FORMS['echo']}")
    return Echo(remembered(Path(given["from"])), seed=int(seed))
