"""The categories of a scope as scopes of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from vivavoce.errors import BadInput
from vivavoce.scopes.endless import EndlessScope
from vivavoce.scopes.listed import ListedScope
from vivavoce.scopes.questions import Question

_OPTIONS = re.compile(r"\?(\w+=[^?]*)\Z")


def parted_options(name: str) -> tuple[str, str]:
    """A name with `?option=value&...` at its end, and what follows the "?"; a "?" elsewhere is part of the name.

    >>> parted_options("file:why?.jsonl?match=any&shots=2"), parted_options("mmlu:data#law")
    (('file:why?.jsonl', 'match=any&shots=2'), ('mmlu:data#law', ''))
    """
    found = _OPTIONS.search(name)
    return (name[: found.start()], found[1]) if found else (name, "")


def by_category(scopes: Sequence[EndlessScope | ListedScope]) -> tuple[ListedScope, ...]:
    """One scope for each category of these, in the order in which the categories first occur.

    Each is named SCOPE#CATEGORY, as files that are published by category can be opened on their own. Raises `BadInput` for an
    endless scope, for questions without a category, and where there is one category only.
    """
    parts: list[ListedScope] = []
    for scope in scopes:
        if not isinstance(scope, ListedScope):
            raise BadInput(f"'{scope.name}' is endless and has no categories: name its parts as scopes, one --scope each")
        if without := sum(not question.category for question in scope.questions):
            raise BadInput(f"'{scope.name}' has {without} questions without a category: give each question one")
        groups: dict[str, list[Question]] = {}
        for question in scope.questions:
            groups.setdefault(question.category, []).append(question)
        if len(groups) == 1:
            raise BadInput(f"'{scope.name}' has one category only, '{next(iter(groups))}': leave out --split-by category")
        place, options = parted_options(scope.name)
        for name, of in groups.items():
            shown = tuple(example for example in scope.examples if example.category == name) or scope.examples
            named = f"{place}#{name}{options and '?'}{options}"
            parts.append(replace(scope, name=named, questions=tuple(of), examples=shown))
    return tuple(parts)
