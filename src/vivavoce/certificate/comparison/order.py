"""The order of a comparison: units as they are drawn, the same for all candidates, and what answers to each are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol as Kind

from vivavoce.certificate.comparison.protocol import Answered
from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.graders.marking import Mark
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean, as_wrong, as_zero, unit_mean
from vivavoce.scopes.unit_laws import LawTally

Said = tuple[Reply | NoAnswer, ...]
"""What a candidate answered to a unit."""


class Settings(Kind):
    """What asking depends on."""

    @property
    def questions(self) -> int | None:
        """Each candidate is asked at most so many; None: as many as it takes."""
        ...

    @property
    def unreadable(self) -> Unreadable:
        """What a reply that cannot be read is worth."""
        ...

    @property
    def repeated(self) -> Draws | None:
        """How often each question is answered, and what that is worth; None: once."""
        ...


class Order:
    """Units as they are drawn, the same for all candidates: each is drawn, put into words and graded once."""

    def __init__(self, scope: Scope[Question], config: Settings, units: Iterator[Unit]) -> None:
        self._scope, self._config = scope, config
        self._drawn = units
        self._units: dict[int, tuple[Unit, tuple[Prompt, ...]]] = {}
        """Those that were drawn and not taken yet, with their prompts, by their places."""
        self._number = self._asked = 0
        """How many units were drawn, and how many questions these are."""
        self._ended = False
        self._graded: tuple[int, dict[tuple[tuple[Reply | NoAnswer, str], ...], Answered]] = 0, {}
        self._laws = LawTally()

    def unit(self, place: int) -> Unit | None:
        """That at this place; None where there is none, or no more are to be asked."""
        return self._units[place][0] if self._reaches(place) else None

    def forget(self, place: int) -> None:
        """The unit at this place was taken, and all that are asked have been given its prompts."""
        del self._units[place]

    def _reaches(self, place: int) -> bool:
        """Draw up to this place; whether there is a unit."""
        while place >= self._number and not self._ended:
            self._draw()
        return place < self._number

    def _draw(self) -> None:
        unit, most = next(self._drawn, None), self._config.questions
        if unit is None or (most is not None and self._asked + _questions_of(unit, self._config) > most):
            self._ended = True
            return
        self._asked += _questions_of(unit, self._config)
        self._units[self._number] = unit, tuple(map(self._scope.prompt, unit))
        self._number += 1

    def prompts(self) -> Iterator[Prompt]:
        """Of all units, from the first."""
        place = 0
        while self._reaches(place):
            yield from self._units[place][1]
            place += 1

    def asked(self, place: int) -> tuple[Unit, tuple[Prompt, ...]]:
        """The unit at this place, which was drawn, and its prompts."""
        return self._units[place]

    def judged(self, place: int, said: Said, marks: Sequence[Mark]) -> Answered:
        """The answers of a candidate to the unit at this place, with the grades that a judge gave, or the rule."""
        grades = [mark.judge for mark in marks if isinstance(mark.judge, Grade)]
        return self._answered(self._units[place][0], said, grades, marks)

    def answered(self, place: int, said: Said) -> Answered:
        """The graded answers of a candidate to the unit at this place: many reply in the same words."""
        if self._graded[0] != place:
            self._graded = place, {}
        alike = tuple((one, one.met) for one in said)  # what a question met is no part of what is equal
        found = self._graded[1].get(alike)
        if found is None:
            found = self._graded[1][alike] = self._grade(self._units[place][0], said)
        return found

    def _grade(self, unit: Unit, said: Said) -> Answered:
        judged, _ = self._laws.judge(unit, self._grades(unit, said))
        return self._answered(unit, said, judged)

    def _answered(self, unit: Unit, said: Said, judged: Sequence[Grade], marks: Sequence[Mark] = ()) -> Answered:
        mean = worst = _mean_of(unit, judged, self._config)
        if any(one.met == "asked anew" for one in said):
            zeros = [
                as_zero(grade, ridiculous=False) if one.met == "asked anew" else grade
                for grade, one in zip(judged, said, strict=True)
            ]
            worst = _mean_of(unit, zeros, self._config)
        as_read = _mean_of(unit, [grade.as_read for grade in judged], self._config)
        return Answered.of(mean, said, judged, worst, as_read, marks)

    def _grades(self, unit: Unit, said: Sequence[Reply | NoAnswer]) -> list[Grade]:
        grades = [unknowable(one) or self._scope.grade(question, one) for question, one in zip(unit, said, strict=True)]
        return list(map(as_wrong, grades)) if self._config.unreadable == "wrong" else grades


def _questions_of(unit: Unit, config: Settings) -> int:
    return len(unit) if config.repeated is None else len(config.repeated.questions_of(unit))


def _mean_of(unit: Unit, grades: Sequence[Grade], config: Settings) -> UnitMean:
    if config.repeated is not None:
        return config.repeated.value(unit, grades)
    return unit_mean(grades, [question.weight for question in unit])
