"""The search for failures: Thompson sampling over topics and kinds of conversation, and repeats of what it finds.

An arm is a topic with a kind of conversation. Its failure rate starts as Beta(1, 1); each round draws a rate for every arm and
holds a conversation of the arm with the largest, `ROUND` times. A conversation fails if its last reply is wrong although the
question asked alone was not answered wrongly. A failure is shortened and repeated at once; once one is confirmed, its arm
rests, so that calls go to failures of other kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from scipy.special import betainc

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.probe.config import REPEAT_LEVEL, ProbeConfig
from vivavoce.probe.conversations import Conversation, ConversationPlan
from vivavoce.probe.follow_ups import PLAIN, FollowUpKind, rng_of
from vivavoce.probe.topics import Topic
from vivavoce.scopes.questions import Question
from vivavoce.statistics.bounds import clopper_pearson_upper

ROUND: Final = 8
"""Conversations of a round, held at once."""


class Holder(Protocol):
    """Holds conversations (`conversations.ConversationHolder`)."""

    @property
    def calls(self) -> int: ...

    @property
    def full(self) -> bool: ...

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]: ...


@dataclass(slots=True)
class ProbeArm:
    """A topic with a kind of conversation, and what the search has seen of it."""

    topic: Topic
    kind: FollowUpKind
    held: int = 0
    """Questions tried, with those that were answered wrongly alone and so were not followed up."""
    unread: int = 0
    """Of these, conversations whose outcome is not known."""
    failed: int = 0
    tried: int = 0
    """Questions used."""
    rests: bool = False
    """Whether a failure of it is confirmed, or no question is left."""
    is_confirmed: bool = False

    def next_plan(self, seed: int) -> ConversationPlan | None:
        """A conversation about the next question to which the kind applies; None if none is left."""
        questions = self.topic.search
        while self.tried < len(questions):
            question = questions[self.tried]
            self.tried += 1
            plan = plan_of(self.topic, self.kind, question, seed)
            if plan is not None:
                return plan
        self.rests = True
        return None


def plan_of(topic: Topic, kind: FollowUpKind, question: Question, seed: int) -> ConversationPlan | None:
    """The conversation of this kind about a question; None if the kind does not apply to it.

    A rule of another tool grades whole replies, so it can't grade the reply to "Why?".
    """
    turns = kind.make(question, topic.search, rng_of(question, kind.name, seed))
    return None if turns is None or (question.rule and turns[-1].text) else ConversationPlan(topic.name, kind, question, turns)


@dataclass(frozen=True, slots=True)
class ProbeFailure:
    """A suspected failure with its repeats."""

    conversation: Conversation
    """The shortest conversation that shows it."""
    recurred: int
    """Repeats that failed."""
    repeats: int
    """Repeats; 0 for a candidate that gives equal answers to equal questions."""
    confirmed: bool
    always: bool = False
    """Whether a repeat would show nothing new, since equal questions get equal answers."""
    same_words: bool = False
    """Whether all repeats ended in the same words, so that they show little more than one would."""

    json_keys = "conversation recurred repeats confirmed always same_words rate"

    @property
    def rate(self) -> Estimate:
        """How often the conversation fails, with the interval of `clopper1934`; unknown without repeats."""
        if not self.repeats:
            return Estimate(None, Interval(0.0, 1.0), 0)
        n, k = self.repeats, self.recurred
        level = 0.025
        return Estimate(
            k / n, Interval(1 - clopper_pearson_upper(n - k, n, level), clopper_pearson_upper(k, n, level)), self.repeats
        )


def recurs(failed: int, repeats: int, rate: float, level: float = REPEAT_LEVEL) -> bool:
    """Whether the exact one-sided binomial test rejects that a failure recurs with at most this probability.

    >>> [recurs(k, 8, 0.1) for k in (2, 3)]  # P(at least 2 of 8) = .187, P(at least 3 of 8) = .038
    [False, True]
    """
    return failed > 0 and float(betainc(failed, repeats - failed + 1, rate)) <= level


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
    _alone: dict[str, bool | None] = field(default_factory=dict)
    """Whether a question asked alone was answered wrongly, by id."""

    @property
    def confirmed(self) -> list[ProbeFailure]:
        """The confirmed failures."""
        return [failure for failure in self.failures if failure.confirmed]

    async def run(self) -> None:
        """Hold rounds until no call or no arm is left. Passes on the interview's errors."""
        number = 0
        while not self.holder.full and not all(arm.rests for arm in self.arms):
            await self.hold(self._chosen(np.random.default_rng([self.config.seed, 2, number])))
            number += 1

    def _chosen(self, rng: np.random.Generator) -> list[tuple[ProbeArm, ConversationPlan]]:
        """The conversations of a round."""
        chosen: list[tuple[ProbeArm, ConversationPlan]] = []
        for _ in range(ROUND):
            open_arms = [arm for arm in self.arms if not arm.rests]
            if not open_arms:
                break
            rates = rng.beta([1 + arm.failed for arm in open_arms], [1 + arm.held - arm.failed for arm in open_arms])
            arm = open_arms[int(np.argmax(rates))]
            plan = arm.next_plan(self.config.seed)
            if plan is not None:
                chosen.append((arm, plan))
        return chosen

    async def hold(self, chosen: Sequence[tuple[ProbeArm, ConversationPlan]]) -> None:
        """Hold these conversations, and repeat at most one suspected failure of each arm."""
        suspects: dict[int, tuple[ProbeArm, Conversation]] = {}
        for arm, conversation in (*await self._ask_alone(chosen), *await self._follow_up(chosen)):
            self.conversations += 1
            arm.held += 1
            arm.failed += conversation.failed is True
            arm.unread += conversation.failed is None
            if conversation.failed and not arm.rests:
                suspects.setdefault(id(arm), (arm, conversation))
        await self._repeat(list(suspects.values()))

    async def _ask_alone(self, chosen: Sequence[tuple[ProbeArm, ConversationPlan]]) -> list[tuple[ProbeArm, Conversation]]:
        """Ask all questions alone that were not asked yet; these count for the topic's own arm."""
        own = {arm.topic.name: arm for arm in self.arms if arm.kind is PLAIN}
        new = {plan.question.id: (arm, plan) for arm, plan in chosen if plan.question.id not in self._alone}
        plans = [plan_of(arm.topic, PLAIN, plan.question, self.config.seed) for arm, plan in new.values()]
        held = await self.holder.hold([plan for plan in plans if plan is not None])
        result = []
        for (arm, plan), conversation in zip(new.values(), held, strict=True):
            if conversation is not None:
                self._alone[plan.question.id] = conversation.failed
                result.append((own[arm.topic.name], conversation))
        return result

    async def _follow_up(self, chosen: Sequence[tuple[ProbeArm, ConversationPlan]]) -> list[tuple[ProbeArm, Conversation]]:
        """Hold the conversations about questions that were not answered wrongly alone; the others count as tried."""
        asked = [(arm, plan) for arm, plan in chosen if arm.kind is not PLAIN and plan.question.id in self._alone]
        going = [(arm, plan) for arm, plan in asked if not self._alone[plan.question.id]]
        for arm, plan in asked:
            arm.held += self._alone[plan.question.id] is True
        held = await self.holder.hold([plan for _, plan in going])
        return [(arm, talk) for (arm, _), talk in zip(going, held, strict=True) if talk is not None]

    async def _repeat(self, suspects: Sequence[tuple[ProbeArm, Conversation]]) -> None:
        """Shorten and repeat suspected failures; an arm with a confirmed one rests."""
        shortest = await self._shortened([conversation for _, conversation in suspects])
        number = 0 if self.deterministic else self.config.repeats
        plans = [conversation.as_held for conversation in shortest for _ in range(number)]
        held = await self.holder.hold(plans, again=True) if plans else []
        for index, ((arm, _), conversation) in enumerate(zip(suspects, shortest, strict=True)):
            again = held[number * index : number * (index + 1)]
            if any(talk is None for talk in again):
                self.unfinished += 1
                continue
            recurred = sum(talk is not None and talk.failed is True for talk in again)
            confirmed = self.deterministic or recurs(recurred, number, self.config.repeat_rate)
            words = {talk.turns[-1].replied for talk in (conversation, *again) if talk is not None}
            self.failures.append(
                ProbeFailure(conversation, recurred, number, confirmed, self.deterministic, number > 0 and len(words) == 1)
            )
            arm.is_confirmed = confirmed
            arm.rests = arm.rests or confirmed

    async def _shortened(self, suspects: Sequence[Conversation]) -> list[Conversation]:
        """Leave out earlier turns one after the other, as long as the last reply is still wrong."""
        shortest = list(suspects)
        indices = [0 if _leaves_out(talk, 0) else 1 for talk in shortest]
        while going := [i for i, talk in enumerate(shortest) if _leaves_out(talk, indices[i])]:
            held = await self.holder.hold([shortest[i].as_held.without(indices[i]) for i in going])
            for i, talk in zip(going, held, strict=True):
                if talk is not None and talk.failed:
                    shortest[i] = talk
                else:
                    indices[i] += 1
        return shortest


def _leaves_out(talk: Conversation, index: int) -> bool:
    """Whether the turn may be left out: not the last one, and not the question that a follow-up is about."""
    turns = talk.plan.turns
    return len(turns) > 2 and index < len(turns) - 1 and (index > 0 or not turns[-1].text)


async def random_examination(
    holder: Holder, topics: Sequence[Topic], config: ProbeConfig, *, deterministic: bool
) -> ProbeSearch:
    """A search that asks random questions alone, with the same repeats of what fails, until no call or question is left."""
    arms = [ProbeArm(topic, PLAIN) for topic in topics]
    search = ProbeSearch(holder, arms, config, deterministic)
    plans = [(arm, plan_of(arm.topic, PLAIN, question, config.seed)) for arm in arms for question in arm.topic.search]
    asked = [(arm, plan) for arm, plan in plans if plan is not None]
    order = np.random.default_rng([config.seed, 3]).permutation(len(asked))
    for start in range(0, len(order), ROUND):
        if holder.full:
            break
        await search.hold([asked[i] for i in order[start : start + ROUND]])
    return search
