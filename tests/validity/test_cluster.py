"""A candidate that is slow when it is wrong, on workers that are killed: wrong verdicts stay within delta."""

from __future__ import annotations

import asyncio

import pytest

from tests.interview.jumping import JumpingLoop
from tests.validity.cluster import CRITERION, as_completed, in_drawn_order

RUNS = 2_000
HASTY = 40


@pytest.mark.slow
@pytest.mark.study
def test_wrong_verdicts_of_a_cluster() -> None:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        falsely = sum(runner.run(in_drawn_order(run)) for run in range(RUNS))
        hastily = sum(runner.run(as_completed(run)) for run in range(HASTY))
    assert falsely <= RUNS * CRITERION.delta
    assert hastily > HASTY / 2  # the same candidate, the same test, and the wrong order
