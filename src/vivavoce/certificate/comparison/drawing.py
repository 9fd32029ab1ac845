"""How the questions of a comparison are drawn, and the tests for each way of drawing.

By default, as the scope draws them. By weight, each question once (`importance-weighting`): with the share w_i of the total
weight among U units, and W the largest of all U w_i, D is the sum of w_i d_i. So g_i = d_i U w_i / W lies in [-1, 1] and has
the mean D / W over the scope: "D is at most c" is "the mean of g is at most c / W", drawn without replacement, and the tests of
`statistics.differences` and `statistics.plug_in` serve as they are. Two answers that are worth the same still cost nothing,
which with x = (d + 1) / 2 times the weight they would. From strata in proportion (`--strata`): `statistics.stratified`.

In each case every null has an e-process given all answers so far, which is all that the tests use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Final, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.config import Drawing, refuse
from vivavoce.certificate.design.drawing import AsDrawn, Strata, strata_of
from vivavoce.certificate.evidence.drawn_once import ImportanceWeighting, importance_weighting_of
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question, Unit
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import mean_bounds
from vivavoce.statistics.differences import difference_bounds
from vivavoce.statistics.plug_in import PairedDifferenceTests, margin_bounds
from vivavoce.statistics.stratified import StratifiedTests, stratified_difference_bounds


class UnitPosition(NamedTuple):
    """What tests need to know about a unit."""

    share: float = 1.0
    """Its weight as a share of the heaviest unit's, if answers count by weight."""
    stratum: int = 0
    number: int = 0
    """Index of the unit in its scope, if the scope has a history."""


UNWEIGHTED: Final = UnitPosition()
"""The position of a unit without weight or stratum."""


class PairTests(Protocol):
    """Evidence against the nulls of all pairs, unit by unit."""

    def take(self, least: Floats, most: Floats, position: UnitPosition) -> Floats:
        """Take the least and the most that each pair's difference may be, shape (P,); the log e-values then: (P, 4)."""

    def drop(self, pairs: NDArray[np.bool_]) -> None:
        """Drop these pairs; the others move up."""


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Units i.i.d., or each once in random order and optionally counted by weight."""

    population: int | None
    """How many units there are if each is drawn once, else None."""
    largest: float = 1.0
    """How many times its share the heaviest unit counts."""
    heaviest: float = 1.0
    """The largest `UnitPosition.share` of these units."""
    aim: float = 0.0
    """The margin that plug-in bets are made for; 0: there are none."""

    def aimed(self, margin: float) -> Self:
        """The same with plug-in bets for this margin, which is fixed before the first answer; 0: without them."""
        return replace(self, aim=margin)

    def tests(self, pairs: int, margin: float) -> PairTests:
        """Tests of all nulls for this many pairs: bets on differences, by weight."""
        return _OneByOneTests(self, pairs, margin)

    def counted(self, values: Floats, places: Sequence[UnitPosition]) -> Floats:
        """The values as tests take them, by weight, shape (..., n); their mean is the mean of the values over `largest`."""
        return (
            values if self.largest == 1 else np.minimum([position.share / self.heaviest for position in places], 1.0) * values
        )

    def mean(self, values: Floats, places: Sequence[UnitPosition]) -> float:
        """The estimate of a mean by weight from the values of at least one unit, shape (n,); exact once all were asked.

        Before that it may exceed the possible values, and is cut off there.
        """
        value = float(self.counted(values, places).mean()) * self.largest
        return value if self.largest == 1 else min(1.0, max(-1.0, value))

    def bounds(
        self, least: Floats, most: Floats, places: Sequence[UnitPosition], delta: float, *, margin: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Confidence sequences for mean differences of pairs, shape (P, n) with NaN after a pair's last: their ends, (P,).

        margin: if above 0, they are by the tests against this margin.
        """
        counted, size = [self.counted(values, places) for values in (least, most)], self.population
        if margin and self.aim:
            edge, aim = margin / self.largest, self.aim / self.largest
            low, high = margin_bounds(counted[0], counted[1], delta, margin=edge, aim=aim, population=size)
        else:
            low, high = difference_bounds(counted[0], counted[1], delta, population=size)
        return np.maximum(low * self.largest, -1.0), np.minimum(high * self.largest, 1.0)

    def score_bounds(self, least: Floats, most: Floats, places: Sequence[UnitPosition], delta: float) -> tuple[float, float]:
        """The same for the mean score of one candidate, shape (n,), as for that of a certificate."""
        low = mean_bounds(self.counted(least, places), delta, population=self.population)
        known = bool((least == most).all())
        high = low if known else mean_bounds(self.counted(most, places), delta, population=self.population)
        return float(low.lower) * self.largest, min(1.0, float(high.upper) * self.largest)


@dataclass(frozen=True, slots=True)
class OverStrata:
    """Units from strata in proportion."""

    masses: tuple[float, ...]
    sizes: tuple[int, ...] | None
    """Units of each, if each is drawn once, else None: draws in a stratum are i.i.d."""

    @property
    def population(self) -> int | None:
        """How many units there are if each is drawn once, else None."""
        return None if self.sizes is None else sum(self.sizes)

    @property
    def largest(self) -> float:
        """1: strata are asked in proportion."""
        return 1.0

    def aimed(self, margin: float) -> Self:
        """The tests unchanged: there are no plug-in bets over strata."""
        return self

    def tests(self, pairs: int, margin: float) -> PairTests:
        """Bets over strata."""
        return _StratifiedTests(self, pairs, margin)

    def counted(self, values: Floats, places: Sequence[UnitPosition]) -> Floats:
        """The values unchanged."""
        return values

    def mean(self, values: Floats, places: Sequence[UnitPosition]) -> float:
        """The mean of the strata's means by mass, over the strata that were asked about."""
        strata = _strata(places)
        counts = np.bincount(strata, minlength=len(self.masses))
        asked, sums = counts > 0, np.bincount(strata, values, len(self.masses))
        masses = np.array(self.masses)[asked]
        return float(masses / masses.sum() @ (sums[asked] / counts[asked]))

    def bounds(
        self, least: Floats, most: Floats, places: Sequence[UnitPosition], delta: float, *, margin: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Bounds by bets over strata, with any margin."""
        strata = _strata(places)
        return stratified_difference_bounds(least, most, strata, delta, masses=self.masses, sizes=self.sizes)

    def score_bounds(self, least: Floats, most: Floats, places: Sequence[UnitPosition], delta: float) -> tuple[float, float]:
        """With a score s, 2 s - 1 lies in [-1, 1] as a difference does."""
        low, high = self.bounds(2 * least[None] - 1, 2 * most[None] - 1, places, delta)
        return (1 + float(low[0])) / 2, (1 + float(high[0])) / 2


Means = OneByOne | OverStrata
"""Tests and estimates of the mean over all units, for one way of drawing."""


@dataclass(frozen=True, slots=True)
class PairedDrawing:
    """How the units of a scope are drawn for all candidates."""

    source: AsDrawn | Strata | ImportanceWeighting
    means: Means
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Indices of units by the id of their first question, if the scope has a history."""

    @property
    def population(self) -> int | None:
        """How many units there are if each is drawn once, else None."""
        return self.source.population

    @property
    def kind(self) -> Drawing:
        """Its name in settings."""
        match self.source:
            case Strata():
                return "strata"
            case ImportanceWeighting():
                return "weights"
        return "scope"

    @property
    def settings(self) -> dict[str, object]:
        """For terms and signatures; nothing if units come as the scope draws them."""
        return self.source.settings

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, one after the other."""
        return self.source.draw(rng)

    def place(self, unit: Unit) -> UnitPosition:
        """What tests need to know about a unit."""
        match self.source:
            case Strata():
                return UnitPosition(stratum=self.source.of(unit))
            case ImportanceWeighting():
                return UnitPosition(self.source.share(unit))
        return UnitPosition(number=self.numbers[unit[0].id]) if self.numbers else UNWEIGHTED

    def category(self, name: str) -> OneByOne:
        """The units of one category, which come in random order like all units; each stratum is drawn by itself."""
        match self.source:
            case Strata(sizes=sizes):
                return OneByOne(None if sizes is None else sizes[self.source.names.index(name)])
            case ImportanceWeighting(units=units):
                shares = [self.source.share(unit) for unit in units if unit[0].category == name]
                return OneByOne(len(shares), max(shares) * len(shares) / fsum(shares), max(shares))
        if self.population is None:
            return OneByOne(None)
        return OneByOne(sum(unit[0].category == name for unit in getattr(self.source.scope, "units", ())) or None)


def paired_drawing(drawing: Drawing, scope: Scope[Question], draws: Draws | None = None) -> PairedDrawing:
    """How questions of this scope are drawn. Raises `BadInput` if they cannot be drawn so.

    draws: if each question is answered several times; such a scope is drawn from with replacement.

    >>> from vivavoce.scopes.listed_and_endless import ListedScope
    >>> questions = tuple(Question(f"{n}", f"{n}?", accepted=("1",), weight=n) for n in (3.0, 1.0))
    >>> drawn = paired_drawing("weights", ListedScope("two", questions))
    >>> drawn.place(questions[:1]), drawn.means.mean(np.array([1.0, 0.0]), [UnitPosition(1.0), UnitPosition(1 / 3)])
    (UnitPosition(share=1.0, stratum=0, number=0), 0.75)
    """
    if draws is not None and drawing != "scope":
        refuse({"draws", drawing})
    if drawing == "weights":
        if scope.population is not None and not isinstance(scope, ListedScope):
            raise BadInput("samples of logs count alike: leave out --set importance-weighting")
        weights = importance_weighting_of(scope)
        return PairedDrawing(weights, OneByOne(weights.population, weights.largest))
    if drawing == "strata":
        strata = strata_of(scope)
        return PairedDrawing(strata, OverStrata(strata.masses, strata.sizes))
    return PairedDrawing(AsDrawn(scope), OneByOne(scope.population))


class _OneByOneTests:
    """Bets on differences."""

    def __init__(self, means: OneByOne, pairs: int, margin: float) -> None:
        edge, aim = margin / means.largest, means.aim / means.largest
        self._tests, self._means = PairedDifferenceTests(pairs, edge, aim=aim, population=means.population), means

    def take(self, least: Floats, most: Floats, position: UnitPosition) -> Floats:
        low, high = (self._means.counted(ends[:, None], (position,)) for ends in (least, most))
        return self._tests.update(low, high)[:, :, 0].T

    def drop(self, pairs: NDArray[np.bool_]) -> None:
        self._tests.drop(pairs)


class _StratifiedTests:
    """Bets on differences over strata; one test serves for all nulls of a side."""

    def __init__(self, means: OverStrata, pairs: int, margin: float) -> None:
        self._tests = StratifiedTests(2 * pairs, means.masses, sizes=means.sizes)
        self._nulls = np.array([0.0, -margin])

    def take(self, least: Floats, most: Floats, position: UnitPosition) -> Floats:
        known = np.tile(least == most, 2)
        self._tests.update(np.concatenate([least, -most]), position.stratum, known=known)
        log_e = self._tests.log_e(np.tile(self._nulls, (known.size, 1)))
        result: Floats = log_e.reshape(2, -1, 2).transpose(1, 2, 0).reshape(-1, 4)
        return result

    def drop(self, pairs: NDArray[np.bool_]) -> None:
        self._tests.drop(np.tile(pairs, 2))


def _strata(places: Sequence[UnitPosition]) -> NDArray[np.int64]:
    return np.array([position.stratum for position in places], dtype=np.int64)
