"""Formulas of propositional logic as people write them: `P & ~Q`, `A implies B`, `exactly one of A, B, C`.

A formula is parsed by Python's own parser, which knows these operators with the precedence that logic gives them (~ before &
before ^ before |), and only names and operators are let through; nothing is ever evaluated as code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput

Truth = NDArray[np.bool_]
"""Whether something is true in each world; one dimension."""

LONGEST = 500
"""Characters of a formula; also bounds how deep it is nested."""
EXAMPLE = "such as P, ~P, P & Q, P | ~Q or (P | Q) & R"
_COUNTED = re.compile(r"(exactly|at most|at least) one of\b(.*)", re.DOTALL)
_LINKED = re.compile(r"(.+?)\b(implies|iff)\b(.+)", re.DOTALL)


def truth(formula: str, worlds: Mapping[str, Truth]) -> Truth:
    """In which worlds the formula holds.

    Parameters
    ----------
    formula: atoms joined by `~`, `&`, `^`, `|` and brackets (or `not`, `and`, `or`).
    worlds: for each atom, in which worlds it is true.

    Raises `BadInput` for anything else, and for an atom that is not in `worlds`.

    >>> worlds = {"P": np.array([True, True, False]), "Q": np.array([True, False, False])}
    >>> truth("P & ~Q", worlds).tolist()
    [False, True, False]
    """
    return _holds(_parsed(formula), worlds, formula)


def holds(constraint: str, worlds: Mapping[str, Truth]) -> Truth:
    """In which worlds a constraint between atoms holds: a formula, `A implies B`, `A iff B`, or `exactly one of A, B, C`.

    `at most one of` and `at least one of` are constraints, too. Each part may be a formula.

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
        raise BadInput(f"'{text[:80]}' is no formula: write names joined by ~ & ^ | and brackets, {EXAMPLE}") from None


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
            raise BadInput(f"'{formula.strip()[:80]}' is no formula: only names, ~ & ^ | and brackets, {EXAMPLE}")
