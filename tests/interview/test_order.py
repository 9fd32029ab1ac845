"""Why answers come in drawn order: in the order of completion a slow error stays unseen."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from dataclasses import dataclass

from tests.interview.candidates import questions
from vivavoce.interview import Interview, Prompt, Reply

RUNS, LOOKED_AT, AT_ONCE = 12, 60, 100
WRONG = 0.3


@dataclass
class SlowWhenWrong:
    """Wrong 30% of the time, and three times slower then."""

    seed: int
    name: str = "bot:slow-when-wrong"

    async def answer(self, question: Prompt, /) -> Reply:
        rng = random.Random(f"{self.seed}/{question.id}")
        wrong = rng.random() < WRONG
        await asyncio.sleep((0.15 if wrong else 0.05) * rng.uniform(0.8, 1.2))
        return Reply("wrong" if wrong else "right")


async def first_in_drawn_order(seed: int) -> list[str]:
    interview = Interview(SlowWhenWrong(seed), answers=Reply, concurrency=AT_ONCE)
    seen: list[str] = []
    async with aclosing(interview.ask_in_order(questions(1000))) as stream:
        async for _, answer in stream:
            assert isinstance(answer, Reply)
            seen.append(answer.text)
            if len(seen) == LOOKED_AT:
                break
    return seen


async def first_as_completed(seed: int) -> list[str]:
    candidate = SlowWhenWrong(seed)
    tasks = [asyncio.create_task(candidate.answer(question)) for question in questions(AT_ONCE)]
    seen = [(await task).text for task in asyncio.as_completed(tasks)]
    return seen[:LOOKED_AT]


async def test_drawn_order_shows_the_true_rate_of_errors_and_completion_order_does_not() -> None:
    in_order = [seen.count("wrong") for seen in await asyncio.gather(*map(first_in_drawn_order, range(RUNS)))]
    completed = [seen.count("wrong") for seen in await asyncio.gather(*map(first_as_completed, range(RUNS)))]
    # Binomial: 12 · 60 = 720 answers, 30% wrong: 216 are expected, with a standard deviation of sqrt(720 · .3 · .7) = 12.3.
    assert abs(sum(in_order) - 216) < 3 * 12.3
    # Exactly those that are wrong among the first 60 drawn.
    by_hand = [sum(random.Random(f"{seed}/{number}").random() < WRONG for number in range(LOOKED_AT)) for seed in range(RUNS)]
    assert in_order == by_hand
    # Of 100 in flight some 70 are right and fast: they are the first 60 to arrive.
    assert sum(completed) < 216 / 10
