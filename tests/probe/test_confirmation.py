"""Suspected failures are repeated until a test decides, whose error is counted path by path, and are shortened afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest

from tests.probe.planted import topics
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.probe.arms import ProbeTrial, plan_of
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.confirmation import FailureConfirmer, ProbeFailure, ProbeSearch, RecurrenceTest
from vivavoce.probe.conversations import Conversation, ConversationPlan, HeldTurn
from vivavoce.probe.follow_ups import KINDS, PLAIN
from vivavoce.probe.probe import arms_of

TOPICS = topics(3, 40)
SETTINGS = [(8, 0.1), (8, 0.3), (5, 0.05), (12, 0.25), (2, 0.2), (3, 0.3)]


def decision(test: RecurrenceTest, path: Sequence[bool]) -> tuple[bool, int]:
    """What is decided along a path of repeats, and after how many."""
    for n in range(1, len(path) + 1):
        decided = test.decided(sum(path[:n]), n)
        if decided is not None:
            return decided, n
    raise AssertionError("nothing is decided")


@pytest.mark.parametrize(("repeats", "rate"), SETTINGS)
def test_a_rare_failure_is_confirmed_with_at_most_the_level(repeats: int, rate: float) -> None:
    """Over all paths, stopping included; and never less often than by the exact test after all repeats."""
    test = RecurrenceTest(repeats, rate)
    fixed = {k for k in range(1, repeats + 1) if sum(_density(i, repeats, rate) for i in range(k, repeats + 1)) <= 0.05}
    probability = 0.0
    for path in product((False, True), repeat=repeats):
        confirmed, _ = decision(test, path)
        probability += confirmed * rate ** sum(path) * (1 - rate) ** (repeats - sum(path))
        assert confirmed or sum(path) not in fixed
    assert probability <= 0.05


def _density(k: int, n: int, p: float) -> float:
    return comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(("repeats", "rate"), SETTINGS)
def test_no_repeat_is_asked_that_could_have_been_spared(repeats: int, rate: float) -> None:
    """Repeats that are asked at once end where a decision is first possible, whatever they show."""
    test = RecurrenceTest(repeats, rate)
    for path in product((False, True), repeat=repeats):
        n = 0
        while test.decided(sum(path[:n]), n) is None:
            n += test.next_repeats(sum(path[:n]), n)
        assert n == decision(test, path)[1]


def test_too_few_repeats_to_confirm_anything_are_refused() -> None:
    """Three of three have a probability of .027 at most if a failure recurs with .3, two of two have .09."""
    assert ProbeConfig(repeats=3, repeat_rate=0.3).repeats == 3
    with pytest.raises(BadInput, match="at least 3 repeats"):
        ProbeConfig(repeats=2, repeat_rate=0.3)


def test_the_interval_holds_the_rate_although_repeats_stop_early() -> None:
    """Of 400 failures that recur with a probability, at most 5% have an interval without it."""
    test, rng = RecurrenceTest(8, 0.1), np.random.default_rng(0)
    for rate in (0.1, 0.4, 0.9):
        missed = 0
        for _ in range(400):
            path = [bool(value) for value in rng.random(8) < rate]
            _, n = decision(test, path)
            missed += rate not in failure(sum(path[:n]), n).rate.interval
        assert missed <= 0.05 * 400
    assert ProbeFailure(failure(0, 1).conversation, 0, 0, confirmed=True, always=True).rate.value is None


def failure(recurred: int, repeats: int) -> ProbeFailure:
    talk = Conversation(ConversationPlan("t", PLAIN, TOPICS[0].search[0], ()), (), failed=True)
    return ProbeFailure(talk, recurred, repeats, confirmed=True)


class FailsAfterTurns:
    """Fails if the last turn still has the needed ones before it (a `Holder` of conversations about texts)."""

    def __init__(self, needed: frozenset[str], recurs: Sequence[bool] = ()) -> None:
        self._needed, self._recurs = needed, list(recurs)
        self.calls = self.repeats = 0
        self.full = False

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]:
        self.calls += len(plans)
        self.repeats += again * len(plans)
        return [self._held(plan, again=again) for plan in plans]

    def _held(self, plan: ConversationPlan, *, again: bool) -> Conversation:
        texts = {turn.question.text for turn in plan.turns[:-1]}
        turns = tuple(HeldTurn(replace(_PROMPT, text=turn.text or turn.question.text), _REPLY) for turn in plan.turns)
        recurs = self._recurs.pop(0) if again and self._recurs else True
        return Conversation(plan, turns, bool(texts) and self._needed <= texts and recurs)


_PROMPT, _REPLY = Prompt(""), Reply("Answer: B")


def after_two() -> ConversationPlan:
    plan = plan_of(TOPICS[0], next(kind for kind in KINDS if kind.name == "after-two"), TOPICS[0].search[0], seed=0)
    assert plan is not None
    return plan


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("needed", [0, 1])
async def test_a_failure_is_shortened_to_the_turns_it_needs(needed: int, deterministic: bool) -> None:
    plan = after_two()
    holder = FailsAfterTurns(frozenset({plan.turns[needed].question.text}))
    search = ProbeSearch(holder, arms_of(TOPICS), ProbeConfig(), deterministic=deterministic)
    arm = next(arm for arm in search.arms if arm.kind is plan.kind)
    await search.hold([ProbeTrial((arm,), plan)])
    (failure,) = [entry for entry in search.failures if entry.conversation.kind == "after-two"]
    kept = [turn.question.text for turn in failure.conversation.plan.turns]
    assert kept == [plan.turns[needed].question.text, plan.question.text]
    assert (failure.repeats, failure.recurred) == ((0, 0) if deterministic else (2, 2)), "the shortened one is repeated, too"


async def test_only_a_confirmed_failure_is_shortened() -> None:
    plan = after_two()
    holder = FailsAfterTurns(frozenset(), recurs=[False] * 8)
    (talk,) = await holder.hold([plan])
    assert talk is not None
    holder.calls = 0
    (failure,) = await FailureConfirmer(holder, RecurrenceTest(8, 0.1)).confirmed([talk])
    assert failure is not None
    assert (failure.confirmed, failure.recurred, failure.repeats) == (False, 0, 6)
    assert (holder.calls, holder.repeats) == (6, 6)


async def test_a_shortened_failure_that_does_not_recur_is_left_as_it_was() -> None:
    plan = after_two()
    holder = FailsAfterTurns(frozenset({plan.turns[1].question.text}), recurs=[True, True, *[False] * 6])
    (talk,) = await holder.hold([plan])
    assert talk is not None
    (failure,) = await FailureConfirmer(holder, RecurrenceTest(8, 0.1)).confirmed([talk])
    assert failure is not None
    assert (failure.conversation.plan, failure.recurred, failure.repeats) == (talk.as_held, 2, 2)
