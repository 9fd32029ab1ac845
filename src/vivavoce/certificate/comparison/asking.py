"""Asking candidates side by side: the same questions to all, in one order, as long as evidence is wanted.

Where a judge grades, the answers to several units are graded at once while further ones are asked; units are taken in drawn
order all the same.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from functools import partial
from typing import Any

import numpy as np

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.judging import BlindJudging, GradedUnit, Interviews
from vivavoce.certificate.comparison.order import Order, Said, Settings
from vivavoce.certificate.comparison.protocol import Answered, Protocol
from vivavoce.certificate.determinism import DeclarationCheck
from vivavoce.certificate.graders.in_order import all_together, graded_in_order
from vivavoce.certificate.graders.pace import Pace
from vivavoce.certificate.verdict import answers_topic
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import stands
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question

AskedUnit = tuple[int, Mapping[int, Said | None]]
"""The number of a unit, and by the place of each candidate what it answered; None for one that has no further answers."""


async def ask_all(
    interviews: Interviews,
    scope: Scope[Question],
    config: Settings,
    attempt: Attempt,
    evidence: PairedEvidence,
    protocol: Protocol,
    so_far: Callable[[], object],
    judging: BlindJudging | None = None,
) -> None:
    """Ask all candidates side by side, and take their answers unit by unit, until nothing more can matter.

    so_far: what would be found if nothing more came.
    judging: has answers graded by a judge; None: the scope's own rule grades them.
    """
    order = Order(scope, config, protocol.drawing.draw(np.random.default_rng(attempt.seed.number)))
    topic, firsts = answers_topic(scope.name), attempt.held.first_draws
    checks = [DeclarationCheck(one, topic, firsts.get(one.name_on_record, 0)) for one in interviews]

    def beside(place: int) -> list[Interview[Prompt, Reply]]:
        return [interviews[other] for other in wanted_of(evidence) if other != place]

    judged = judging is not None
    streams = [answers_of(check, order, partial(beside, place), remembers=judged) for place, check in enumerate(checks)]
    at_hand = all(isinstance(one.candidate, Recording) for one in interviews)
    async with (
        aclosing(_asked(streams, order, evidence, at_hand=at_hand)) as asked,
        aclosing(_graded(asked, order, judging, interviews)) as units,
    ):
        await _take_all(units, order, evidence, protocol, so_far, judging)
    for check in checks:
        await check.finish()


async def _take_all(
    units: AsyncGenerator[GradedUnit, None],
    order: Order,
    evidence: PairedEvidence,
    protocol: Protocol,
    so_far: Callable[[], object],
    judging: BlindJudging | None,
) -> None:
    """Take units until nothing more can matter."""
    unrecorded = 0
    async for one in units:
        if judging is not None and one.exhausted:
            judging.exhausted = one.exhausted
            return
        wanted = wanted_of(evidence)
        if ended := [place for place in wanted if one.answers.get(place) is None]:
            for place in ended:
                evidence.close(place)
            if len(wanted := wanted_of(evidence)) < 2:
                return
        answers = [one.answers[place] if place in wanted else None for place in range(len(protocol.questions))]
        if judging is not None:
            judging.take(answers)
        protocol.take(order.asked(one.number)[0], answers, evidence)
        order.forget(one.number)
        stands(so_far)
        unrecorded += any(answer is not None and answer.unrecorded for answer in answers)
        if 2 * unrecorded > len(protocol) or not wanted_of(evidence):
            return  # recordings have said what they can: further draws would tell next to nothing, and never end


async def _asked(
    streams: Sequence[AsyncGenerator[Said, None]], order: Order, evidence: PairedEvidence, *, at_hand: bool
) -> AsyncGenerator[AskedUnit, None]:
    """What all candidates that are still wanted answer to one unit after the other."""
    number, ended = 0, set[int]()
    async with AsyncExitStack() as stack:
        for stream in streams:
            await stack.enter_async_context(aclosing(stream))
        while len(wanted := [place for place in wanted_of(evidence) if place not in ended]) > 1:
            if order.unit(number) is None:
                return
            answers = await _next_of([streams[place] for place in wanted], at_hand=at_hand)
            ended |= {place for place, said in zip(wanted, answers, strict=True) if said is None}
            yield number, dict(zip(wanted, answers, strict=True))
            number += 1
            for place in set(wanted) - set(wanted_of(evidence)):
                await streams[place].aclose()


async def _graded(
    asked: AsyncGenerator[AskedUnit, None], order: Order, judging: BlindJudging | None, interviews: Interviews
) -> AsyncGenerator[GradedUnit, None]:
    """Units with the grades of all answers, in drawn order."""
    if judging is None:
        async for number, said in asked:
            answers = {place: None if given is None else order.answered(number, given) for place, given in said.items()}
            yield GradedUnit(number, answers)
        return
    pace = Pace(interviews, judging.judge, judging.ahead)

    def grade(number: int, said: Mapping[int, Said | None]) -> Coroutine[Any, Any, GradedUnit]:
        pace.ask()
        return judging.graded(order, number, said)

    def ready() -> bool:
        """Not ahead of a record, which may lack answers of a candidate that is not wanted any more by then."""
        return pace.ready() and not judging.judge.interview.from_record

    async with aclosing(graded_in_order(asked, grade, ahead=pace.ahead, ready=ready)) as units:
        async for one in units:
            yield one


def wanted_of(evidence: PairedEvidence) -> list[int]:
    """Who still has a pair that is not settled."""
    found: list[int] = np.unique(evidence.pairs[~evidence.settled]).tolist()
    return found


async def _next_of(streams: Sequence[AsyncGenerator[Said, None]], *, at_hand: bool) -> list[Said | None]:
    """The next answers of all, None of one that is at its end. Where one fails, or all are cancelled, none goes on alone.

    at_hand: nobody has to be waited for, so that one after the other is as quick.
    """

    async def following(stream: AsyncGenerator[Said, None]) -> Said | None:
        return await anext(stream, None)

    if at_hand:
        return [await following(stream) for stream in streams]
    return await all_together(map(following, streams))


async def answers_of(
    check: DeclarationCheck, order: Order, beside: Callable[[], Interviews] = tuple, *, remembers: bool = False
) -> AsyncGenerator[Said, None]:
    """The answers of one candidate, unit by unit in drawn order, as long as its budget lasts.

    beside: others that are asked the same.
    remembers: whether the interview tells what it had spent after each answer.
    """
    answers: list[Reply | NoAnswer] = []
    place, interview = 0, check.interview
    asked = interview.ask_in_order(
        order.prompts(), topic=check.topic, side_by_side=beside, first_draw=check.first_draw, remembers=remembers
    )
    async with aclosing(check.heard(asked)) as stream:
        async for _, answer in stream:
            answers.append(answer)
            unit = order.unit(place)
            if unit is None or len(answers) < len(unit):
                continue
            yield tuple(answers)
            answers.clear()
            place += 1


async def answered(
    interview: Interview[Prompt, Reply], scope: Scope[Question], order: Order, *, first_draw: int
) -> AsyncGenerator[Answered, None]:
    """The answers of one candidate, graded by the scope's own rule."""
    place, check = 0, DeclarationCheck(interview, answers_topic(scope.name), first_draw)
    async with aclosing(answers_of(check, order)) as stream:
        async for said in stream:
            yield order.answered(place, said)
            place += 1
