"""Strata of a scope: its categories, of known masses, asked in proportion."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import fsum
from typing import ClassVar

import numpy as np

from vivavoce.certificate.config import Procedure
from vivavoce.certificate.inference import Inference
from vivavoce.certificate.stratified import StratifiedInference, StratifiedLook
from vivavoce.certificate.verdict import Criterion
from vivavoce.errors import BadInput
from vivavoce.scopes.endless import EndlessScope
from vivavoce.scopes.listed import ListedScope
from vivavoce.scopes.questions import Unit
from vivavoce.statistics.stratified import proportional

MOST = 100
"""Strata at most: with more, hardly a question falls to each."""
_DRAWN_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of a scope, and how questions are drawn from them.

    >>> from vivavoce.scopes import open_scope
    >>> strata = strata_of(open_scope("arithmetic"))
    >>> strata.names, [unit[0].category for unit, _ in zip(strata.draw(np.random.default_rng(0)), range(6))]
    (('+', '-', '*'), ['+', '-', '*', '+', '-', '*'])
    """

    name: ClassVar[str] = "strata"
    """In the terms of an attempt."""
    names: tuple[str, ...]
    masses: tuple[float, ...]
    """The probability of each in the scope; above 0, adding up to 1."""
    sizes: tuple[int, ...] | None
    """Questions in each where they are drawn without replacement, else None: draws in a stratum are i.i.d."""
    _scope: EndlessScope | ListedScope = field(repr=False)

    @property
    def population(self) -> int | None:
        """Questions in all where they are drawn without replacement."""
        return None if self.sizes is None else sum(self.sizes)

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""
        return {"strata": "category"}

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """What grades of units that are drawn so show."""
        return StratifiedLook(criterion, self) if procedure == "fixed" else StratifiedInference(criterion, self)

    def of(self, unit: Unit) -> int:
        """The number of a unit's stratum."""
        return self.names.index(unit[0].category)

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, from the stratum that lags most behind its mass; within it at random."""
        scope = self._scope
        if isinstance(scope, EndlessScope):
            streams = _sorted(scope, self.names, rng)
        else:
            streams = [_units(scope, name, rng.spawn(1)[0], once=self.sizes is not None) for name in self.names]
        for stratum in proportional(self.masses, sizes=self.sizes):
            yield next(streams[stratum])


def strata_of(scope: object, *, fractions: bool = False) -> Strata:
    """The categories of a scope as strata.

    Without replacement where all questions weigh the same, none is in a cluster and every score is 0 or 1: for other values
    there is no exact likelihood, and draws are i.i.d. within each stratum.

    fractions: the test takes any value without replacement (`statistics.stratified_differences`), so that each unit is drawn
        once wherever the scope itself draws so.

    Raises `BadInput` where categories have no known masses, where there is one only, or too many, and where a cluster has
    several.
    """
    if isinstance(scope, EndlessScope):
        if scope.masses is None:
            raise BadInput(f"the masses of the categories of {scope.name} are not known: leave out --strata")
        return Strata(tuple(scope.masses), tuple(scope.masses.values()), None, _checked(scope, len(scope.masses)))
    if not isinstance(scope, ListedScope):
        raise BadInput("this scope has no categories: leave out --strata")
    weights: dict[str, list[float]] = {}
    for unit in scope.units:
        if len({question.category for question in unit}) > 1:
            raise BadInput(f"cluster '{unit[0].cluster[:80]}' has questions of several categories: strata need one for each")
        weights.setdefault(unit[0].category, []).extend(question.weight for question in unit)
    _checked(scope, len(weights))
    largest = max(max(of_one) for of_one in weights.values())
    shares = np.array([fsum(weight / largest for weight in of_one) for of_one in weights.values()])
    alike = len({question.weight for question in scope.questions}) == 1
    once = alike and all(len(unit) == 1 and unit[0].dont_know_score in (0.0, 1.0) for unit in scope.units)
    if fractions:
        once = scope.population is not None
    sizes = tuple(len(of_one) // len(scope.units[0]) for of_one in weights.values()) if once else None
    return Strata(tuple(weights), tuple((shares / shares.sum()).tolist()), sizes, scope)


def _checked(scope: EndlessScope | ListedScope, number: int) -> EndlessScope | ListedScope:
    if number < 2:
        raise BadInput(f"all questions of {scope.name} have the same category: leave out --strata")
    if number > MOST:
        raise BadInput(f"{scope.name} has {number} categories; as strata there may be at most {MOST}")
    return scope


def _units(scope: ListedScope, name: str, rng: np.random.Generator, *, once: bool) -> Iterator[Unit]:
    """The units of one stratum of a listed scope: each once in random order, or forever by weight."""
    units = [unit for unit in scope.units if unit[0].category == name]
    if once:
        yield from (units[i] for i in rng.permutation(len(units)))
        return
    weights = np.array([fsum(question.weight for question in unit) for unit in units])
    while True:
        yield from (units[i] for i in rng.choice(len(units), size=_DRAWN_AT_ONCE, p=weights / weights.sum()))


def _sorted(scope: EndlessScope, names: tuple[str, ...], rng: np.random.Generator) -> list[Iterator[Unit]]:
    """For each stratum the units of an endless scope that fall into it, as they come."""
    drawn = scope.draw(rng)
    waiting: dict[str, deque[Unit]] = {name: deque() for name in names}

    def of(name: str) -> Iterator[Unit]:
        while True:
            while not waiting[name]:
                unit = next(drawn)
                waiting[unit[0].category].append(unit)
            yield waiting[name].popleft()

    return [of(name) for name in names]
