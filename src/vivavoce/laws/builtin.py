"""The laws that have a name, and the families of laws with as many statements as there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from vivavoce.errors import BadInput, UnknownName
from vivavoce.laws.law import Law, Statement, parse_law

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
"""Laws with a fixed set of statements. The first nine, with `paraphrase`, are those of Paleka et al. (2024); `bayes` is that of
Fluri et al. (2024), there of the events A and B. Sources: paleka2024forecasters, fluri2024."""

QUANTITIES: Final = ("increasing", "decreasing")
"""Not laws of probability: what is forecast is a quantity that can only grow, or only shrink, along the numbers that are the
statements' names (years, as a rule)."""


def _same(name: str, keys: Sequence[str]) -> Law:
    return Law(name, tuple(Statement(key, "P") for key in keys))


def _events(constraint: str) -> Callable[[str, Sequence[str]], Law]:
    def family(name: str, keys: Sequence[str]) -> Law:
        events = [f"E{number}" for number in range(1, len(keys) + 1)]
        known = (f"{constraint} one of {', '.join(events)}",)
        return Law(name, tuple(Statement(key, event) for key, event in zip(keys, events, strict=True)), known)

    return family


def _chain(name: str, keys: Sequence[str]) -> Law:
    events = [f"E{number}" for number in range(1, len(keys) + 1)]
    known = tuple(f"{first} implies {second}" for first, second in pairwise(events))
    return Law(name, tuple(Statement(key, event) for key, event in zip(keys, events, strict=True)), known)


FAMILIES: Final[Mapping[str, Callable[[str, Sequence[str]], Law]]] = {
    "paraphrase": _same,
    "repeat": _same,
    "exclusive": _events("at most"),
    "exhaustive": _events("at least"),
    "partition": _events("exactly"),
    "chain": _chain,
}
"""Laws with any number of statements under any names: phrasings of one event, the identical question asked again, events of
which at most one, at least one or exactly one happens, and events each of which implies the next (thresholds)."""

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
"""The statements of laws that take any number of them, in words."""
NAMES: Final = (*BUILT_IN, *FAMILIES, *QUANTITIES)


def keys_of(law: str) -> tuple[str, ...] | None:
    """The names of the statements of a built-in law; None where they may be any.

    >>> keys_of("neg"), keys_of("paraphrase")
    (('P', 'not_P'), None)
    """
    return BUILT_IN[law].keys if law in BUILT_IN else None


def is_named(law: Law) -> bool:
    """Whether it is the law of that name; False for a user's own, which may be called the same.

    >>> is_named(law_named("neg", ["P", "not_P"])), is_named(parse_law("neg: A, B where A implies B"))
    (True, False)
    """
    family = FAMILIES.get(law.name)
    return law == (family(law.name, law.keys) if family else BUILT_IN.get(law.name))


def law_named(name: str, keys: Sequence[str]) -> Law:
    """The law of that name for statements of these names; a law may also be written out in place of a name.

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
        raise BadInput(f"the law '{law.name[:80]}' has the statements {', '.join(law.keys)}; given are {', '.join(keys)[:200]}")
    return law
