"""Laws: statements about events, constraints between the events, and the possible worlds; with a parser and the built-in laws.

Formulas are propositional logic as people write it: `P & ~Q`, `A implies B`, `exactly one of A, B, C`. Python's own parser
reads them, since it gives these operators the precedence of logic (~ before & before ^ before |). Only names and operators are
accepted; nothing is evaluated as code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput, UnknownName

Truth = NDArray[np.bool_]
"""For each world, whether something is true; one dimension."""

LONGEST = 500
"""The most characters of a formula; this also limits its nesting."""
EXAMPLE = "such as P, ~P, P & Q, P | ~Q or (P | Q) & R"
_COUNTED = re.compile(r"(exactly|at most|at least) one of\b(.*)", re.DOTALL)
_LINKED = re.compile(r"(.+?)\b(implies|iff)\b(.+)", re.DOTALL)


def truth(formula: str, worlds: Mapping[str, Truth]) -> Truth:
    """The worlds in which the formula holds.

    Parameters
    ----------
    formula: atoms joined by `~`, `&`, `^`, `|` and brackets (or `not`, `and`, `or`).
    worlds: for each atom, the worlds in which it is true.

    Raises `BadInput` for other formulas, and for an atom that is not in `worlds`.

    >>> worlds = {"P": np.array([True, True, False]), "Q": np.array([True, False, False])}
    >>> truth("P & ~Q", worlds).tolist()
    [False, True, False]
    """
    return _holds(_parsed(formula), worlds, formula)


def holds(constraint: str, worlds: Mapping[str, Truth]) -> Truth:
    """The worlds in which a constraint holds: a formula, `A implies B`, `A iff B`, or `exactly one of A, B, C`.

    `at most one of` and `at least one of` are constraints too. Each part may be a formula.

    >>> worlds = {"P": np.array([True, True, False]), "Q": np.array([True, False, False])}
    >>> holds("P implies Q", worlds).tolist(), holds("exactly one of P, Q", worlds).tolist()
    ([True, False, True], [False, True, False])
    """
    if counted := _COUNTED.fullmatch(constraint.strip()):
        number = np.sum([truth(part, worlds) for part in counted[2].split(",")], axis=0)
        return np.asarray({"exactly": number == 1, "at most": number <= 1, "at least": number >= 1}[counted[1]])
    if linked := _LINKED.fullmatch(constraint.strip()):
        left, right = truth(linked[1], worlds), truth(linked[3], worlds)
        return ~left | right if linked[2] == "implies" else left == right
    return truth(constraint, worlds)


def atoms_of(text: str) -> list[str]:
    """The names in a formula or constraint, each once, in order.

    >>> atoms_of("exactly one of A, B & ~A")
    ['A', 'B']
    """
    counted, linked = _COUNTED.fullmatch(text.strip()), _LINKED.fullmatch(text.strip())
    parts = counted[2].split(",") if counted else [linked[1], linked[3]] if linked else [text]
    names = [node.id for part in parts for node in ast.walk(_parsed(part)) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(sorted(names, key=text.find)))


def _parsed(formula: str) -> ast.expr:
    text = formula.strip()
    if len(text) > LONGEST:
        raise BadInput(f"the formula '{text[:60]}...' is longer than {LONGEST} characters: split it")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput(f"'{text[:80]}' is not a formula: write names joined by ~ & ^ | and brackets, {EXAMPLE}") from None


def _holds(node: ast.expr, worlds: Mapping[str, Truth], formula: str) -> Truth:
    def of(part: ast.expr) -> Truth:
        return _holds(part, worlds, formula)

    match node:
        case ast.Name(id=name):
            if name not in worlds:
                raise BadInput(f"'{name}' in '{formula.strip()[:80]}' is not among the events {', '.join(worlds)[:200]}")
            return worlds[name]
        case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=operand):
            return ~of(operand)
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return of(left) & of(right)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return of(left) | of(right)
        case ast.BinOp(left=left, op=ast.BitXor(), right=right):
            return of(left) ^ of(right)
        case ast.BoolOp(op=ast.And(), values=values):
            return reduce(np.logical_and, map(of, values))
        case ast.BoolOp(op=ast.Or(), values=values):
            return reduce(np.logical_or, map(of, values))
        case _:
            raise BadInput(f"'{formula.strip()[:80]}' is not a formula: use only names, ~ & ^ | and brackets, {EXAMPLE}")


MOST_EVENTS = 16
"""The most events of a law; there are up to 2 ** 16 worlds."""
MOST_WORLDS = 1_024
"""The most worlds with different statements; with more, the solver would take minutes for a tuple."""
TRUE, FALSE, VOID = 1, 0, -1
"""Values of a statement in a world; a conditional statement is void where its condition fails."""


@dataclass(frozen=True, slots=True)
class LawStatement:
    """An event that a forecaster gives a probability for, optionally under a condition.

    >>> LawStatement("Q_given_P", "Q", given="P").text
    'Q given P'
    """

    key: str
    """Its name in the data."""
    event: str
    """A formula."""
    given: str = ""
    """The condition, a formula; empty if there is none."""

    @property
    def text(self) -> str:
        """The statement in logical form."""
        return f"{self.event} given {self.given}" if self.given else self.event


@dataclass(frozen=True, slots=True)
class Law:
    """Related statements: forecasts are coherent if some distribution over worlds gives all of them.

    >>> Law("and", (LawStatement("P", "P"), LawStatement("Q", "Q"), LawStatement("P_and_Q", "P & Q"))).line
    'and: P, Q, P_and_Q = P & Q'
    """

    name: str
    statements: tuple[LawStatement, ...]
    constraints: tuple[str, ...] = ()
    """Facts about the events, such as `P implies C`."""

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
        """Possible worlds as rows: `TRUE`, `FALSE` or `VOID` for each statement; equal worlds share a row.

        Raises `BadInput` if no world is possible, and for too many worlds.

        >>> parse_law("cond: P, Q given P, P & Q").worlds.tolist()
        [[0, -1, 0], [1, 0, 0], [1, 1, 1]]
        """
        return _worlds(self)


def parse_law(line: str) -> Law:
    """A law written by a user in one line: `[name:] statement, statement, ... [where constraint; constraint]`.

    A statement is a formula, or `formula given formula`. It may have a name, as in `not_P = ~P`; by default its text is its
    name. The law's name is the whole line if there is none before a colon.

    Raises `BadInput` for other lines, and for an impossible law: equal names of statements, more than 16 events, contradictory
    constraints, or a condition that never holds.

    >>> law = parse_law("won: P, C where P implies C")
    >>> law.name, law.keys, law.constraints
    ('won', ('P', 'C'), ('P implies C',))
    >>> parse_law("P, not_P = ~P").statements[1]
    LawStatement(key='not_P', event='~P', given='')
    """
    name, colon, rest = line.partition(":")
    body, _, known = (rest if colon else line).partition(" where ")
    statements = tuple(_statement(part) for part in body.split(","))
    constraints = tuple(part.strip() for part in known.split(";") if part.strip())
    law = Law(name.strip() if colon else line.strip(), statements, constraints)
    if len(set(law.keys)) < len(law.keys):
        raise BadInput(f"two statements of the law '{line.strip()[:80]}' have the same name: name them, as in again = P")
    _ = law.worlds
    return law


def _statement(text: str) -> LawStatement:
    key, equals, formula = text.partition("=")
    text_of_statement = (formula if equals else text).strip()
    event, *given = re.split(r"\bgiven\b", text_of_statement)
    if len(given) > 1:
        raise BadInput(f"'{text_of_statement[:80]}' has more than one 'given': join the conditions with &")
    if not event.strip() or (given and not given[0].strip()):
        raise BadInput(f"a statement is missing in '{text.strip()[:80]}': write a formula, or formula given formula")
    condition = given[0].strip() if given else ""
    return LawStatement(key.strip() if equals else text_of_statement, event.strip(), condition)


@cache
def _worlds(law: Law) -> NDArray[np.int8]:
    formulas = [part for statement in law.statements for part in (statement.event, statement.given) if part]
    atoms = list(dict.fromkeys(atom for text in (*formulas, *law.constraints) for atom in atoms_of(text)))
    if len(atoms) > MOST_EVENTS:
        raise BadInput(f"the law '{law.name[:80]}' has {len(atoms)} events; the limit is {MOST_EVENTS}")
    numbers = np.arange(1 << len(atoms))
    worlds = {atom: (numbers >> index & 1).astype(bool) for index, atom in enumerate(atoms)}
    possible = np.ones(len(numbers), dtype=bool)
    for constraint in law.constraints:
        possible &= holds(constraint, worlds)
    if not possible.any():
        raise BadInput(f"the law '{law.name[:80]}' can't hold: its constraints contradict each other")
    worlds = {atom: true[possible] for atom, true in worlds.items()}
    columns = []
    for statement in law.statements:
        true = truth(statement.event, worlds)
        columns.append(np.where(truth(statement.given, worlds), true, VOID) if statement.given else true)
    rows = np.unique(np.column_stack(columns).astype(np.int8), axis=0)
    if len(rows) > MOST_WORLDS:
        raise BadInput(f"the law '{law.name[:80]}' has {len(rows)} worlds; the limit is {MOST_WORLDS}: split it")
    if (rows == VOID).all(axis=0).any():
        raise BadInput(f"a statement of the law '{law.name[:80]}' never applies: its condition can't hold")
    rows.flags.writeable = False
    return rows


BUILT_IN: Final[Mapping[str, Law]] = {
    law.name: law
    for law in map(
        parse_law,
        (
            "neg: P, not_P = ~P",
            "and: P, Q, P_and_Q = P & Q",
            "or: P, Q, P_or_Q = P | Q",
            "and-or: P, Q, P_and_Q = P & Q, P_or_Q = P | Q",
            "but: P, Q_and_not_P = Q & ~P, P_or_Q = P | Q",
            "cond: P, Q_given_P = Q given P, P_and_Q = P & Q",
            "cond-cond: P, Q_given_P = Q given P, R_given_P_and_Q = R given P & Q, P_and_Q_and_R = P & Q & R",
            "consequence: P, cons_P = C where P implies C",
            "expected-evidence: P, Q, P_given_Q = P given Q, P_given_not_Q = P given ~Q",
            "bayes: P, Q, P_given_Q = P given Q, Q_given_P = Q given P",
        ),
    )
}
"""Laws with a fixed set of statements. The first nine, with `paraphrase`, are from Paleka et al. (2024); `bayes` is from Fluri
et al. (2024), where its events are A and B. Sources: paleka2024forecasters, fluri2024."""

QUANTITIES: Final = ("increasing", "decreasing")
"""Not laws of probability: forecasts of a quantity that can only grow, or only shrink, along the numbers that name the
statements (usually years)."""


def _same(name: str, keys: Sequence[str]) -> Law:
    return Law(name, tuple(LawStatement(key, "P") for key in keys))


def _events(constraint: str) -> Callable[[str, Sequence[str]], Law]:
    def family(name: str, keys: Sequence[str]) -> Law:
        events = [f"E{number}" for number in range(1, len(keys) + 1)]
        known = (f"{constraint} one of {', '.join(events)}",)
        return Law(name, tuple(LawStatement(key, event) for key, event in zip(keys, events, strict=True)), known)

    return family


def _chain(name: str, keys: Sequence[str]) -> Law:
    events = [f"E{number}" for number in range(1, len(keys) + 1)]
    known = tuple(f"{first} implies {second}" for first, second in pairwise(events))
    return Law(name, tuple(LawStatement(key, event) for key, event in zip(keys, events, strict=True)), known)


FAMILIES: Final[Mapping[str, Callable[[str, Sequence[str]], Law]]] = {
    "paraphrase": _same,
    "repeat": _same,
    "exclusive": _events("at most"),
    "exhaustive": _events("at least"),
    "partition": _events("exactly"),
    "chain": _chain,
}
"""Laws with any number of statements, of any names: phrasings of one event, the identical question repeated, events of which at
most one, at least one or exactly one happens, and events that each imply the next (thresholds)."""

ABOUT: Final[Mapping[str, str]] = {
    "paraphrase": "any: phrasings of one question (P, para_P, ...)",
    "repeat": "any: the identical question asked again",
    "exclusive": "any: events of which at most one happens",
    "exhaustive": "any: events of which at least one happens",
    "partition": "any: events of which exactly one happens",
    "chain": "any: events each of which implies the next",
    "increasing": "numbers such as years: a quantity that can only grow",
    "decreasing": "numbers such as years: a quantity that can only shrink",
}
"""The statements of laws with any number of them, in words."""
NAMES: Final = (*BUILT_IN, *FAMILIES, *QUANTITIES)


def keys_of(law: str) -> tuple[str, ...] | None:
    """The names of a built-in law's statements; None if they may be any.

    >>> keys_of("neg"), keys_of("paraphrase")
    (('P', 'not_P'), None)
    """
    return BUILT_IN[law].keys if law in BUILT_IN else None


def is_named(law: Law) -> bool:
    """Whether this is the built-in law with its name; False for a user's law with the same name.

    >>> is_named(law_named("neg", ["P", "not_P"])), is_named(parse_law("neg: A, B where A implies B"))
    (True, False)
    """
    family = FAMILIES.get(law.name)
    return law == (family(law.name, law.keys) if family else BUILT_IN.get(law.name))


def law_named(name: str, keys: Sequence[str]) -> Law:
    """The law with this name, for statements with these names; a law may also be written out as a line.

    Raises
    ------
    UnknownName: no such law.
    BadInput: it has other statements.

    >>> law_named("chain", ["over 100", "over 50"]).constraints
    ('E1 implies E2',)
    >>> law_named("A, B, A ^ B", ["A", "B", "A ^ B"]).keys
    ('A', 'B', 'A ^ B')
    """
    return _law(name, tuple(keys))


@cache
def _law(name: str, keys: tuple[str, ...]) -> Law:
    if name in FAMILIES:
        if len(keys) < 2:
            raise BadInput(f"the law '{name}' needs at least two statements, there is {len(keys)}")
        law = FAMILIES[name](name, keys)
        _ = law.worlds
        return law
    if name not in BUILT_IN and not set(name) & set(",:"):
        raise UnknownName("law", name, NAMES)
    law = BUILT_IN.get(name) or parse_law(name)
    if set(keys) != set(law.keys):
        raise BadInput(f"the law '{law.name[:80]}' has the statements {', '.join(law.keys)}; yours are {', '.join(keys)[:200]}")
    return law
