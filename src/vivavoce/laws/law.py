"""A law: statements over events, what is known about the events, and the worlds that follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput
from vivavoce.laws.formula import atoms_of, holds, truth

MOST_EVENTS = 16
"""Of one law; there are up to 2 ** 16 worlds."""
MOST_WORLDS = 1_024
"""That tell the statements apart; more would take the solver minutes a tuple."""
TRUE, FALSE, VOID = 1, 0, -1
"""What a statement can be in a world; a conditional one is void where its condition fails."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a forecaster gives a probability for.

    >>> Statement("Q_given_P", "Q", given="P").text
    'Q given P'
    """

    key: str
    """Its name in the data."""
    event: str
    """A formula."""
    given: str = ""
    """The condition, a formula; empty for a plain event."""

    @property
    def text(self) -> str:
        """The statement in logical form."""
        return f"{self.event} given {self.given}" if self.given else self.event


@dataclass(frozen=True, slots=True)
class Law:
    """Related statements: forecasts for them are coherent if some distribution over worlds gives all of them.

    >>> Law("and", (Statement("P", "P"), Statement("Q", "Q"), Statement("P_and_Q", "P & Q"))).line
    'and: P, Q, P_and_Q = P & Q'
    """

    name: str
    statements: tuple[Statement, ...]
    constraints: tuple[str, ...] = ()
    """What is known about the events, such as `P implies C`."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of its statements."""
        return tuple(statement.key for statement in self.statements)

    @property
    def line(self) -> str:
        """The law in one line, as `parse_law` reads it."""
        parts = ", ".join(s.text if s.key == s.text else f"{s.key} = {s.text}" for s in self.statements)
        known = f" where {'; '.join(self.constraints)}" if self.constraints else ""
        return f"{self.name}: {parts}{known}"

    @property
    def worlds(self) -> NDArray[np.int8]:
        """Worlds that can be, as rows: for each statement `TRUE`, `FALSE` or `VOID`; worlds that look the same are one row.

        Raises `BadInput` where no world is left, and where there are too many.

        >>> parse_law("cond: P, Q given P, P & Q").worlds.tolist()
        [[0, -1, 0], [1, 0, 0], [1, 1, 1]]
        """
        return _worlds(self)


def parse_law(line: str) -> Law:
    """A law that a user wrote in a line: `[name:] statement, statement, ... [where constraint; constraint]`.

    A statement is a formula, or `formula given formula`; it may be named, as in `not_P = ~P`, and is else called as it is
    written. The law's name is the line itself where none stands before a colon.

    Raises `BadInput` for anything else, and for a law that cannot be: statements of one name, more than 16 events, constraints
    that leave no world, a condition that never holds.

    >>> law = parse_law("won: P, C where P implies C")
    >>> law.name, law.keys, law.constraints
    ('won', ('P', 'C'), ('P implies C',))
    >>> parse_law("P, not_P = ~P").statements[1]
    Statement(key='not_P', event='~P', given='')
    """
    name, colon, rest = line.partition(":")
    body, _, known = (rest if colon else line).partition(" where ")
    statements = tuple(_statement(part) for part in body.split(","))
    constraints = tuple(part.strip() for part in known.split(";") if part.strip())
    law = Law(name.strip() if colon else line.strip(), statements, constraints)
    if len(set(law.keys)) < len(law.keys):
        raise BadInput(f"two statements of the law '{line.strip()[:80]}' have one name: name them, as in again = P")
    _ = law.worlds
    return law


def _statement(text: str) -> Statement:
    key, equals, formula = text.partition("=")
    said = (formula if equals else text).strip()
    event, *given = re.split(r"\bgiven\b", said)
    if len(given) > 1:
        raise BadInput(f"'{said[:80]}' has more than one 'given': join the conditions with &")
    if not event.strip() or (given and not given[0].strip()):
        raise BadInput(f"a statement is missing in '{text.strip()[:80]}': write a formula, or formula given formula")
    condition = given[0].strip() if given else ""
    return Statement(key.strip() if equals else said, event.strip(), condition)


@cache
def _worlds(law: Law) -> NDArray[np.int8]:
    formulas = [part for statement in law.statements for part in (statement.event, statement.given) if part]
    atoms = list(dict.fromkeys(atom for text in (*formulas, *law.constraints) for atom in atoms_of(text)))
    if len(atoms) > MOST_EVENTS:
        raise BadInput(f"the law '{law.name[:80]}' has {len(atoms)} events: {MOST_EVENTS} is the most")
    numbers = np.arange(1 << len(atoms))
    worlds = {atom: (numbers >> place & 1).astype(bool) for place, atom in enumerate(atoms)}
    possible = np.ones(len(numbers), dtype=bool)
    for constraint in law.constraints:
        possible &= holds(constraint, worlds)
    if not possible.any():
        raise BadInput(f"the law '{law.name[:80]}' leaves no world: its constraints contradict each other")
    worlds = {atom: true[possible] for atom, true in worlds.items()}
    columns = []
    for statement in law.statements:
        true = truth(statement.event, worlds)
        columns.append(np.where(truth(statement.given, worlds), true, VOID) if statement.given else true)
    rows = np.unique(np.column_stack(columns).astype(np.int8), axis=0)
    if len(rows) > MOST_WORLDS:
        raise BadInput(f"the law '{law.name[:80]}' has {len(rows)} worlds: {MOST_WORLDS} is the most; split it")
    if (rows == VOID).all(axis=0).any():
        raise BadInput(f"a statement of the law '{law.name[:80]}' is void in every world: its condition never holds")
    rows.flags.writeable = False
    return rows
