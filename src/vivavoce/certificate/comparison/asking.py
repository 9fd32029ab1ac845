"""Asking candidates side by side: the same questions to all, in one order, as long as evidence is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing

import numpy as np

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.comparison.blocks import Blocks, Interviews, wanted_of
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.order import Order, Settings
from vivavoce.certificate.comparison.protocol import Answered, Protocol
from vivavoce.certificate.questions import Question
from vivavoce.certificate.verdict import answers_topic
from vivavoce.interview.block_sizes import BlockSize
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.interview.spectator import stands


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
    blocks = Blocks(interviews, order, evidence, protocol)
    asking = [answered(one, scope, order, blocks.of(place)) for place, one in enumerate(interviews)]
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(aclosing(one)) for one in asking]
        while (wanted := wanted_of(evidence)) and (unit := order.unit(len(protocol.units))) is not None:
            answers = await _next_of([streams[place] for place in wanted], at_hand=at_hand)
            if gone := [place for place, answer in zip(wanted, answers, strict=True) if answer is None]:
                for place in gone:
                    evidence.close(place)
                if len(wanted_of(evidence)) < 2:
                    return
            by_place = dict(zip(wanted, answers, strict=True))
            protocol.take(unit, [by_place.get(place) for place in range(len(interviews))], evidence)
            stands(so_far)
            unrecorded += any(answer is not None and answer.unrecorded for answer in answers)
            if 2 * unrecorded > len(protocol.units):
                return  # recordings have said what they can: further draws would tell next to nothing, and never end
            for place in set(wanted) - set(wanted_of(evidence)):
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


async def answered(
    interview: Interview[Prompt, Reply], scope: Scope[Question], order: Order, block: BlockSize[Reply] | None = None
) -> AsyncGenerator[Answered, None]:
    """The graded answers of one candidate, unit by unit in drawn order, as long as its budget lasts.

    block: how many further questions to ask at once, where it is asked by batch.
    """
    answers: list[Reply | NoAnswer] = []
    place, topic = 0, answers_topic(scope.name)
    async with aclosing(interview.ask_in_order(order.prompts(), topic=topic, block=block)) as stream:
        async for _, answer in stream:
            answers.append(answer)
            unit = order.unit(place)
            if unit is None or len(answers) < len(unit):
                continue
            said = tuple(answers)
            answers.clear()
            yield order.answered(place, said)
            place += 1
