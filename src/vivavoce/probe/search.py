"""The search for failures: rounds of conversations that seem likely to fail, and repeats of those that do.

A conversation fails if its last reply is wrong although its question asked alone is not answered wrongly. A failure is repeated
at once. Once one is confirmed, its arm rests, so that calls go to other failures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Final

import numpy as np

from vivavoce.probe.arms import ArmChooser, ProbeArm, ProbeTrial, SeenQuestions
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.confirmation import FailureConfirmer, Holder, ProbeFailure, RecurrenceTest
from vivavoce.probe.conversations import Conversation, ConversationPlan
from vivavoce.probe.follow_ups import PLAIN, PlannedTurn
from vivavoce.probe.topics import Topic
from vivavoce.scopes.questions import Question

ROUND: Final = 4
"""Conversations of a round, held at once."""


@dataclass(slots=True)
class ComparedConversation:
    """A conversation, and its question asked alone as far as that is needed to judge it."""

    plan: ConversationPlan
    alone: Conversation | None = None
    talk: Conversation | None = None
    is_finished: bool = True
    """Whether no turn is missing for want of calls."""

    @property
    def failed(self) -> bool | None:
        """Whether the last reply is wrong, and the question alone is not; None if that is not known."""
        if self.plan.kind is PLAIN:
            return None if self.alone is None else self.alone.failed
        if self.alone is not None and self.alone.failed:
            return False
        return None if self.talk is None else self.talk.failed


def alone(topic: str, question: Question) -> ConversationPlan:
    """The question asked alone."""
    return ConversationPlan(topic, PLAIN, question, (PlannedTurn(question),))


async def compared(holder: Holder, plans: Sequence[ConversationPlan]) -> list[ComparedConversation]:
    """Hold these conversations, each only as far as needed.

    A conversation that begins with the question alone ends there if the reply is wrong. For any other one the question is asked
    alone only if the last reply is wrong.
    """
    pairs = [ComparedConversation(plan) for plan in plans]
    asked = [alone(plan.topic, plan.question) if plan.kind.begins_alone else plan for plan in plans]
    for pair, talk in zip(pairs, await holder.hold(asked), strict=True):
        pair.is_finished = talk is not None
        if pair.plan.kind.begins_alone:
            pair.alone = talk
        else:
            pair.talk = talk
    going = [pair for pair in pairs if _goes_on(pair)]
    asked = [pair.plan if pair.plan.kind.begins_alone else alone(pair.plan.topic, pair.plan.question) for pair in going]
    for pair, talk in zip(going, await holder.hold(asked) if asked else [], strict=True):
        pair.is_finished = talk is not None
        if pair.plan.kind.begins_alone:
            pair.talk = talk
        else:
            pair.alone = talk
    return pairs


def _goes_on(pair: ComparedConversation) -> bool:
    if not pair.is_finished or pair.plan.kind is PLAIN:
        return False
    return pair.alone is not None and pair.alone.failed is not True if pair.plan.kind.begins_alone else pair.failed is True


@dataclass(slots=True)
class ProbeSearch:
    """A search in progress, and what it has found."""

    holder: Holder
    arms: Sequence[ProbeArm]
    """All of them, with a `PLAIN` one for each topic."""
    config: ProbeConfig
    deterministic: bool = False
    """Whether the candidate gives equal answers to equal questions."""
    failures: list[ProbeFailure] = field(default_factory=list)
    """All suspected failures with their repeats, in the order in which they were found."""
    unfinished: int = 0
    """Suspected failures that no calls were left to repeat."""
    conversations: int = 0
    seen: SeenQuestions = field(default_factory=SeenQuestions)

    @property
    def confirmed(self) -> list[ProbeFailure]:
        """The confirmed failures."""
        return [failure for failure in self.failures if failure.confirmed]

    async def run(self) -> None:
        """Hold rounds until no call or no arm is left. Passes on the interview's errors."""
        chooser = ArmChooser(self.arms, self.seen, self.config.seed)
        number = 0
        while not self.holder.full and not all(arm.rests for arm in self.arms):
            await self.hold(chooser.choose(ROUND, np.random.default_rng([self.config.seed, 2, number])))
            number += 1

    async def hold(self, trials: Sequence[ProbeTrial]) -> None:
        """Hold these conversations, and repeat at most one suspected failure of each arm.

        If one of several kinds at once fails, each kind is tried by itself, and only that counts.
        """
        pairs = await compared(self.holder, [trial.plan for trial in trials])
        joined_failed = [bool(trial.arms[1:] and pair.failed) for trial, pair in zip(trials, pairs, strict=True)]
        apart = [part for trial in compress(trials, joined_failed) for part in trial.apart(self.config.seed)]
        pairs += await compared(self.holder, [part.plan for part in apart])
        suspects: dict[int, tuple[ProbeArm, Conversation]] = {}
        self.conversations += sum(pair.plan.kind is not PLAIN and pair.talk is not None for pair in pairs)
        for arm, talk in await self._alone(pairs):
            self.conversations += 1
            self._count(arm, talk, suspects)
        counted = [*(not failed for failed in joined_failed), *(True for _ in apart)]
        for trial, pair in compress(zip((*trials, *apart), pairs, strict=True), counted):
            if pair.is_finished and pair.plan.kind is not PLAIN:
                self._count_follow_up(trial, pair, suspects)
        await self._confirm(list(suspects.values()))

    def _count(self, arm: ProbeArm, talk: Conversation, suspects: dict[int, tuple[ProbeArm, Conversation]]) -> None:
        arm.held += 1
        arm.failed += talk.failed is True
        arm.unread += talk.failed is None
        if talk.failed and not arm.rests:
            suspects.setdefault(id(arm), (arm, talk))

    def _count_follow_up(
        self, trial: ProbeTrial, pair: ComparedConversation, suspects: dict[int, tuple[ProbeArm, Conversation]]
    ) -> None:
        """Count a conversation for each arm that it tries; if the question was wrong alone, just as tried."""
        if pair.talk is not None and pair.talk.failed is False and not pair.plan.kind.begins_alone:
            self.seen.passed.add(pair.plan.question.id)
        for arm in trial.arms:
            if pair.alone is not None and pair.alone.failed:
                arm.held += 1
            elif pair.talk is not None:
                self._count(arm, pair.talk, suspects)

    async def _alone(self, pairs: Sequence[ComparedConversation]) -> list[tuple[ProbeArm, Conversation]]:
        """The questions asked alone for the first time, for the topics' own arms; also those that begin other conversations."""
        own = {arm.topic.name: arm for arm in self.arms if arm.kind is PLAIN}
        first = [
            alone(pair.plan.topic, pair.plan.turns[0].question)
            for pair in pairs
            if pair.talk is not None and len(pair.plan.turns) > 1 and not pair.plan.kind.begins_alone
        ]
        result = []
        for talk in (*(pair.alone for pair in pairs), *(await self.holder.hold(first) if first else [])):
            if talk is not None and talk.question not in self.seen.alone:
                self.seen.alone[talk.question] = talk.failed
                own[talk.topic].tried.add(talk.question)
                result.append((own[talk.topic], talk))
        return result

    async def _confirm(self, suspects: Sequence[tuple[ProbeArm, Conversation]]) -> None:
        """Repeat suspected failures, first one of each kind; an arm with a confirmed one rests.

        Another suspected failure of a kind that was just confirmed is left to a later round.
        """
        test = RecurrenceTest(self.config.repeats, self.config.repeat_rate)
        confirmer = FailureConfirmer(self.holder, test, self.deterministic)
        left = list(suspects)
        while left:
            batch = {talk.kind if arm.kind is not PLAIN else id(arm): (arm, talk) for arm, talk in reversed(left)}
            chosen = list(batch.values())
            for (arm, _), failure in zip(chosen, await confirmer.confirmed([talk for _, talk in chosen]), strict=True):
                if failure is None:
                    self.unfinished += 1
                    continue
                self.failures.append(failure)
                arm.is_confirmed = failure.confirmed
                arm.rests = arm.rests or failure.confirmed
            known = {arm.kind.name for arm, _ in chosen if arm.is_confirmed and arm.kind is not PLAIN}
            done = {id(talk) for _, talk in chosen}
            left = [(arm, talk) for arm, talk in left if id(talk) not in done and arm.kind.name not in known]


async def random_examination(
    holder: Holder, topics: Sequence[Topic], config: ProbeConfig, *, deterministic: bool
) -> ProbeSearch:
    """A search that asks random questions alone, with the same repeats of what fails, until no call or question is left."""
    arms = [ProbeArm(topic, PLAIN) for topic in topics]
    search = ProbeSearch(holder, arms, config, deterministic)
    asked = [ProbeTrial((arm,), alone(arm.topic.name, question)) for arm in arms for question in arm.topic.search]
    order = np.random.default_rng([config.seed, 3]).permutation(len(asked))
    for start in range(0, len(order), ROUND):
        if holder.full:
            break
        await search.hold([asked[i] for i in order[start : start + ROUND]])
    return search
