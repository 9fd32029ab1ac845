"""The design of an examination: how questions are drawn, and over how many hours.

As the scope draws them (`AsDrawn`: independent draws, a finite list each once, clusters together), from strata in proportion
(`Strata`), or each once and counted by weight (`evidence.drawn_once.ImportanceWeighting`).
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from math import fsum
from typing import ClassVar, Final, Protocol

import numpy as np

from vivavoce.certificate.claims.claim import Criterion, answers_topic
from vivavoce.certificate.claims.draws import Draws, ShareInference
from vivavoce.certificate.config import Feature, Procedure, refuse
from vivavoce.certificate.evidence.inference import FixedLook, Inference
from vivavoce.certificate.evidence.stratified import StratifiedInference, StratifiedLook
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.questions import Question, Unit
from vivavoce.statistics.stratified import proportional


class Population(Protocol):
    """How the questions of a scope are drawn."""

    @property
    def name(self) -> str | None:
        """The name in the terms of an attempt; None for the scope's own way of drawing."""

    @property
    def population(self) -> int | None:
        """How many units there are if each is drawn once, else None."""

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, one after the other."""

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """Inference from the grades of units drawn in this way."""


class DrawableScope(Protocol):
    """The properties of a scope that a population needs."""

    @property
    def population(self) -> int | None: ...

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]: ...


@dataclass(frozen=True, slots=True)
class AsDrawn:
    """Units as the scope draws them."""

    scope: DrawableScope
    name: ClassVar[None] = None

    @property
    def population(self) -> int | None:
        """How many units there are if each is drawn once, else None."""
        return self.scope.population

    @property
    def settings(self) -> dict[str, object]:
        """No settings."""
        return {}

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, as the scope draws them."""
        return self.scope.draw(rng)

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """Inference from the grades of units drawn in this way."""
        return FixedLook(criterion, self.population) if procedure == "fixed" else Inference(criterion, self.population)


_DRAWN_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class ReplacedScope:
    """A scope whose units are drawn with replacement.

    >>> from vivavoce.scopes.listed_and_endless import ListedScope
    >>> scope = ListedScope("two", tuple(Question(name, f"{name}?", accepted=("1",)) for name in "ab"))
    >>> drawn = ReplacedScope(scope, times=2).draw(np.random.default_rng(1))
    >>> ["".join(question.id for question in next(drawn)) for _ in range(5)]
    ['aa', 'bb', 'bb', 'bb', 'aa']
    """

    scope: Scope[Question]
    times: int = 1
    """How often each question of a unit is asked whenever it is drawn."""
    population: ClassVar[None] = None
    """Draws are i.i.d."""

    @property
    def name(self) -> str:
        """The same as the scope's."""
        return self.scope.name

    @property
    def digest(self) -> str:
        """The same as the scope's."""
        return self.scope.digest

    @property
    def size(self) -> int | None:
        """Questions of the scope; None: there is no last one."""
        return getattr(self.scope, "size", None)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of a list."""
        return getattr(self.scope, "questions", ())

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on how a file was read."""
        return getattr(self.scope, "notes", ())

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units without an end."""
        return (unit * self.times for unit in independent_units(self.scope, rng))

    def prompt(self, question: Question) -> Prompt:
        """The prompt for the candidate."""
        return self.scope.prompt(question)

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """Score one answer by the scope's rule."""
        return self.scope.grade(question, answer)


def independent(scope: Scope[Question]) -> Scope[Question]:
    """The scope with i.i.d. draws: itself, or with its units put back after each draw."""
    return scope if scope.population is None else ReplacedScope(scope)


def independent_units(scope: DrawableScope, rng: np.random.Generator) -> Iterator[Unit]:
    """Units without an end: of a list that is drawn each once, each with the same probability, else as the scope draws."""
    units: tuple[Unit, ...] = getattr(scope, "units", ())
    if scope.population is None or not units:
        yield from scope.draw(rng)
        return
    while True:
        yield from (units[index] for index in rng.integers(len(units), size=_DRAWN_AT_ONCE))


MOST = 100
"""The most strata: with more, each would get too few questions."""
_UNITS_AT_ONCE = 256


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
    """Units in each where they are drawn without replacement, else None: draws in a stratum are i.i.d."""
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
        """Inference from the grades of units drawn in this way."""
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


def strata_of(scope: object) -> Strata:
    """The categories of a scope as strata; within each, units are drawn once if the scope itself draws so.

    Raises `BadInput` if categories have no known masses, where there is one only, or too many, and where a cluster has
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
    once = scope.population is not None
    sizes = tuple(len(of_one) // len(scope.units[0]) for of_one in weights.values()) if once else None
    return Strata(tuple(weights), tuple((shares / shares.sum()).tolist()), sizes, scope)


def _checked(scope: EndlessScope | ListedScope, number: int) -> EndlessScope | ListedScope:
    if number < 2:
        raise BadInput(f"all questions of {scope.name} have the same category: leave out --strata")
    if number > MOST:
        raise BadInput(f"{scope.name} has {number} categories: give at most {MOST} for strata")
    return scope


def _units(scope: ListedScope, name: str, rng: np.random.Generator, *, once: bool) -> Iterator[Unit]:
    """The units of one stratum of a listed scope: each once in random order, or forever by weight."""
    units = [unit for unit in scope.units if unit[0].category == name]
    if once:
        yield from (units[i] for i in rng.permutation(len(units)))
        return
    weights = np.array([fsum(question.weight for question in unit) for unit in units])
    while True:
        yield from (units[i] for i in rng.choice(len(units), size=_UNITS_AT_ONCE, p=weights / weights.sum()))


def _sorted(scope: EndlessScope, names: tuple[str, ...], rng: np.random.Generator) -> list[Iterator[Unit]]:
    """For each stratum, the units of an endless scope that belong to it, in order."""
    drawn = scope.draw(rng)
    waiting: dict[str, deque[Unit]] = {name: deque() for name in names}

    def of(name: str) -> Iterator[Unit]:
        while True:
            while not waiting[name]:
                unit = next(drawn)
                waiting[unit[0].category].append(unit)
            yield waiting[name].popleft()

    return [of(name) for name in names]


@dataclass(frozen=True, slots=True)
class WithReplacement:
    """Units drawn with replacement: of a list each with the same probability (or by its weight), else as the scope draws.

    A question that is drawn again is answered again, N more times: an interview counts each occurrence of a prompt as a new
    draw.

    >>> from vivavoce.scopes.listed_and_endless import ListedScope
    >>> scope = ListedScope("two", tuple(Question(name, f"{name}?", accepted=("1",)) for name in "ab"))
    >>> drawn = WithReplacement(scope, Draws(2)).draw(np.random.default_rng(1))
    >>> ["".join(question.id for question in next(drawn)) for _ in range(5)]
    ['aa', 'bb', 'bb', 'bb', 'aa']
    """

    scope: DrawableScope
    draws: Draws
    name: ClassVar[str] = "with replacement"
    population: ClassVar[None] = None
    """Draws are i.i.d."""

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""
        return self.draws.settings

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Endless units, with each question repeated as often as it will be answered."""
        return map(self.draws.repeated, independent_units(self.scope, rng))

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """Inference from the grades of units drawn in this way."""
        if self.draws.claim == "share":
            return ShareInference(criterion, self.draws)
        return FixedLook(criterion, None) if procedure == "fixed" else Inference(criterion, None)


def repeated(scope: Scope[Question], draws: Draws) -> ReplacedScope:
    """The scope for comparisons on draws. Raises `BadInput` for several draws of one with laws over answers given together."""
    refuse(draws.features | ({"laws"} if getattr(scope, "has_laws", False) else frozenset[Feature]()))
    return ReplacedScope(scope, draws.number)


_TIMES = 3
"""The stream of random numbers for times, separate from those for questions, checks and examples."""
_LONGEST: Final = 24.0 * 366


@dataclass(frozen=True, slots=True)
class Endurance:
    """The fewest questions for a "pass", and the hours over which they are spread.

    It spreads the fixed number of questions, or `at_least` this many. Further ones come at the same rate.

    >>> Endurance(spread_hours=24.0).check("sequential", None)
    Traceback (most recent call last):
    vivavoce.errors.BadInput: questions spread over hours need their number: --set min-questions=N
    """

    at_least: int | None = None
    """No verdict "pass" before this many questions; earlier evidence that has disappeared does not count.

    If a finite scope has fewer questions, all of them are enough, and the verdict is exact.
    """
    spread_hours: float | None = None
    """None: each question as soon as there is room for it."""

    @property
    def settings(self) -> dict[str, object]:
        """The requested settings, for the signature of a finding."""
        given = {"at_least": self.at_least, "spread_hours": self.spread_hours}
        return {name: value for name, value in given.items() if value is not None}

    def check(self, procedure: Procedure, questions: int | None) -> None:
        """Raise `BadInput` for impossible values; `questions`: at most this many, or exactly this many with the fixed
        procedure.
        """
        if self.at_least is not None and procedure == "fixed":
            raise BadInput("the fixed procedure always asks its number of questions: leave out --set min-questions")
        if self.at_least is not None and not 1 <= self.at_least <= (questions or self.at_least):
            most = "" if questions is None else f" and at most {questions}"
            raise BadInput(f"at least {self.at_least}{most} questions: the first must be 1 or more, and not above the second")
        if self.spread_hours is None:
            return
        if not 0 < self.spread_hours <= _LONGEST:
            raise BadInput(f"the hours are {self.spread_hours}: give more than 0, and at most a year")
        if self.at_least is None and procedure != "fixed":
            raise BadInput("questions spread over hours need their number: --set min-questions=N")

    async def times(
        self,
        interview: Interview[Prompt, Reply],
        scope: Scope[Question],
        *,
        seed: int,
        questions: int | None,
        answers: int | None = None,
    ) -> Iterator[datetime] | None:
        """The earliest moment for each question, one after the other; None if they are not spread.

        answers: to each question, of a list too with replacement; None: one to each, of a list each once.

        They follow from the seed and from the moment when the examination first began. The transcript has an examiner's record
        of that moment, so a resumed examination has the same times, and asks missed questions at once.
        """
        if self.spread_hours is None:
            return None
        size = getattr(scope, "size", None) if answers is None else None
        number = min(n for n in (self.at_least, questions, size) if n is not None) * (answers or 1)
        begins = await _begun(interview, scope, f"{seed} {number} {self.spread_hours!r}")
        return moments(begins, self.spread_hours, number, np.random.default_rng([seed, _TIMES]))


def moments(begins: datetime, hours: float, number: int, rng: np.random.Generator) -> Iterator[datetime]:
    """An endless series of moments: this many at random in each period of hours.

    >>> from datetime import UTC
    >>> times = moments(datetime(2030, 1, 1, tzinfo=UTC), 1.0, 3, np.random.default_rng(0))
    >>> [next(times).strftime("%H:%M") for _ in range(6)]
    ['00:02', '00:16', '00:38', '01:00', '01:48', '01:54']
    """
    for stretch in count():
        for share in np.sort(rng.random(number)):
            yield begins + timedelta(hours=hours * (stretch + float(share)))


class _Examiner:
    """Answers when it was asked."""

    name = "examiner:clock"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply(self._clock.now().isoformat())


async def _begun(interview: Interview[Prompt, Reply], scope: Scope[Question], terms: str) -> datetime:
    """When this examination first began, from the record, or now, which is then recorded."""
    own = " ".join((interview.candidate.name, scope.digest, terms))
    prompt = Prompt(f"When did this examination begin? {hashlib.sha256(own.encode()).hexdigest()}", id="beginning")
    examiner = Interview(
        _Examiner(interview.clock),
        answers=Reply,
        transcript=interview.transcript,
        concurrency=1,
        settings=AskSettings(clock=interview.clock),
    )
    reply = await examiner.ask(prompt, topic=f"{answers_topic(scope.name)}/beginning")
    assert not isinstance(reply, NoAnswer)
    return datetime.fromisoformat(reply.text)
