"""Asking candidates side by side: the same questions to all, in one order, as long as evidence is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Protocol as Kind

import numpy as np

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.protocol import Answered, Protocol
from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.score import UnitMean, as_wrong, unit_mean
from vivavoce.certificate.unit_laws import LawTally
from vivavoce.certificate.verdict import answers_topic
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.interview.spectator import stands

Interviews = Sequence[Interview[Prompt, Reply]]


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
        self._units: list[Unit] = []
        self._prompts: list[tuple[Prompt, ...]] = []
        self._asked = 0
        self._graded: tuple[int, dict[tuple[tuple[Reply | NoAnswer, str], ...], Answered]] = 0, {}
        self._laws = LawTally()

    def unit(self, place: int) -> Unit | None:
        """That at this place; None where there is none, or no more are to be asked."""
        if place == len(self._units):
            unit, most = next(self._drawn, None), self._config.questions
            if unit is None or (most is not None and self._asked + _questions_of(unit, self._config) > most):
                return None
            self._asked += _questions_of(unit, self._config)
            self._units.append(unit)
            self._prompts.append(tuple(map(self._scope.prompt, unit)))
        return self._units[place]

    def prompts(self) -> Iterator[Prompt]:
        """Of all units, from the first."""
        place = 0
        while self.unit(place) is not None:
            yield from self._prompts[place]
            place += 1

    def answered(self, place: int, said: tuple[Reply | NoAnswer, ...]) -> Answered:
        """The graded answers of a candidate to the unit at this place: many reply in the same words."""
        if self._graded[0] != place:
            self._graded = place, {}
        alike = tuple((one, one.met) for one in said)  # what a question met is no part of what is equal
        found = self._graded[1].get(alike)
        if found is None:
            found = self._graded[1][alike] = self._grade(self._units[place], said)
        return found

    def _grade(self, unit: Unit, said: tuple[Reply | NoAnswer, ...]) -> Answered:
        grades = [unknowable(one) or self._scope.grade(question, one) for question, one in zip(unit, said, strict=True)]
        if self._config.unreadable == "wrong":
            grades = list(map(as_wrong, grades))
        judged, _ = self._laws.judge(unit, grades)
        return Answered.of(_mean_of(unit, judged, self._config), said, judged)


async def ask_all(
    interviews: Interviews,
    scope: Scope[Question],
    config: Settings,
    attempt: Attempt,
    evidence: PairedEvidence,
    protocol: Protocol,
    so_far: Callable[[], object],
) -> None:
    """Ask all candidates side by side, and take their answers unit by unit, until nothing more can matter.

    so_far: what would be found if nothing more came.
    """
    order = Order(scope, config, protocol.drawing.draw(np.random.default_rng(attempt.seed.number)))
    at_hand, unrecorded = all(isinstance(one.candidate, Recording) for one in interviews), 0
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(aclosing(answered(one, scope, order))) for one in interviews]
        while (wanted := _wanted(evidence, len(interviews))) and (unit := order.unit(len(protocol.units))) is not None:
            answers = await _next_of([streams[place] for place in wanted], at_hand=at_hand)
            if gone := [place for place, answer in zip(wanted, answers, strict=True) if answer is None]:
                for place in gone:
                    evidence.close(place)
                if len(_wanted(evidence, len(interviews))) < 2:
                    return
            by_place = dict(zip(wanted, answers, strict=True))
            protocol.take(unit, [by_place.get(place) for place in range(len(interviews))], evidence)
            stands(so_far)
            unrecorded += any(answer is not None and answer.unrecorded for answer in answers)
            if 2 * unrecorded > len(protocol.units):
                return  # recordings have said what they can: further draws would tell next to nothing, and never end
            for place in set(wanted) - set(_wanted(evidence, len(interviews))):
                await streams[place].aclose()


async def _next_of(streams: Sequence[AsyncGenerator[Answered, None]], *, at_hand: bool) -> list[Answered | None]:
    """The next answers of all, None of one that is at its end. Where one fails, or all are cancelled, none goes on alone.

    at_hand: nobody has to be waited for, so that one after the other is as quick.
    """

    async def following(stream: AsyncGenerator[Answered, None]) -> Answered | None:
        return await anext(stream, None)

    if at_hand:
        return [await following(stream) for stream in streams]
    tasks = [asyncio.create_task(following(stream)) for stream in streams]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _wanted(evidence: PairedEvidence, candidates: int) -> list[int]:
    """Who still has a pair that is not settled."""
    open_ = set(evidence.pairs[~evidence.settled].ravel().tolist())
    return [place for place in range(candidates) if place in open_]


async def answered(interview: Interview[Prompt, Reply], scope: Scope[Question], order: Order) -> AsyncGenerator[Answered, None]:
    """The graded answers of one candidate, unit by unit in drawn order, as long as its budget lasts."""
    answers: list[Reply | NoAnswer] = []
    place = 0
    async with aclosing(interview.ask_in_order(order.prompts(), topic=answers_topic(scope.name))) as stream:
        async for _, answer in stream:
            answers.append(answer)
            unit = order.unit(place)
            if unit is None or len(answers) < len(unit):
                continue
            said = tuple(answers)
            answers.clear()
            yield order.answered(place, said)
            place += 1


def _questions_of(unit: Unit, config: Settings) -> int:
    return len(unit) if config.repeated is None else len(config.repeated.questions_of(unit))


def _mean_of(unit: Unit, grades: Sequence[Grade], config: Settings) -> UnitMean:
    if config.repeated is not None:
        return config.repeated.value(unit, grades)
    return unit_mean(grades, [question.weight for question in unit])
