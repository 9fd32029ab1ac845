"""Asking candidates side by side: the same questions to all, in one order, as long as evidence is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
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
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Grade, Scope, unknowable

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


async def ask_all(
    interviews: Interviews,
    scope: Scope[Question],
    config: Settings,
    attempt: Attempt,
    evidence: PairedEvidence,
    protocol: Protocol,
) -> None:
    """Ask all candidates side by side, and take their answers unit by unit, until nothing more can matter."""
    async with AsyncExitStack() as stack:
        seed = attempt.seed.number
        streams = [
            await stack.enter_async_context(aclosing(answered(one, scope, config, _units(scope, seed)))) for one in interviews
        ]
        units, asked = _units(scope, seed), 0
        while (wanted := _wanted(evidence, len(interviews))) and (unit := next(units, None)) is not None:
            asked += _questions_of(unit, config)
            if config.questions is not None and asked > config.questions:
                return
            answers = await _next_of([streams[place] for place in wanted])
            if gone := [place for place, answer in zip(wanted, answers, strict=True) if answer is None]:
                for place in gone:
                    evidence.close(place)
                if len(_wanted(evidence, len(interviews))) < 2:
                    return
            by_place = dict(zip(wanted, answers, strict=True))
            protocol.take(unit, [by_place.get(place) for place in range(len(interviews))], evidence)
            for place in set(wanted) - set(_wanted(evidence, len(interviews))):
                await streams[place].aclose()


async def _next_of(streams: Sequence[AsyncGenerator[Answered, None]]) -> list[Answered | None]:
    """The next answers of all, None of one that is at its end. Where one fails, or all are cancelled, none goes on alone."""

    async def following(stream: AsyncGenerator[Answered, None]) -> Answered | None:
        return await anext(stream, None)

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


def _units(scope: Scope[Question], seed: int) -> Iterator[Unit]:
    return scope.draw(np.random.default_rng(seed))


async def answered(
    interview: Interview[Prompt, Reply], scope: Scope[Question], config: Settings, units: Iterator[Unit]
) -> AsyncGenerator[Answered, None]:
    """The graded answers of one candidate, unit by unit in drawn order, as long as its budget lasts."""
    waiting: list[Unit] = []
    laws = LawTally()

    def prompts() -> Iterator[Prompt]:
        asked = 0
        for unit in units:
            asked += _questions_of(unit, config)
            if config.questions is not None and asked > config.questions:
                return
            waiting.append(unit)
            yield from map(scope.prompt, unit)

    answers: list[Reply | NoAnswer] = []
    async with aclosing(interview.ask_in_order(prompts(), topic=answers_topic(scope.name))) as stream:
        async for _, answer in stream:
            answers.append(answer)
            if len(answers) < len(waiting[0]):
                continue
            unit, said = waiting.pop(0), tuple(answers)
            answers.clear()
            grades = [unknowable(one) or scope.grade(question, one) for question, one in zip(unit, said, strict=True)]
            if config.unreadable == "wrong":
                grades = list(map(as_wrong, grades))
            judged, _ = laws.judge(unit, grades)
            yield Answered.of(_mean_of(unit, judged, config), said, judged)


def _questions_of(unit: Unit, config: Settings) -> int:
    return len(unit) if config.repeated is None else len(config.repeated.questions_of(unit))


def _mean_of(unit: Unit, grades: Sequence[Grade], config: Settings) -> UnitMean:
    if config.repeated is not None:
        return config.repeated.value(unit, grades)
    return unit_mean(grades, [question.weight for question in unit])
