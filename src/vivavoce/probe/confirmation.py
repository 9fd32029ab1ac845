"""Confirms suspected failures: each is repeated until an exact test decides, and is shortened once it is confirmed.

The search for failures: rounds of conversations that seem likely to fail, and repeats of those that do.

A conversation fails if its last reply is wrong although its question asked alone is not answered wrongly. A failure is repeated
at once. Once one is confirmed, its arm rests, so that calls go to other failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, Final, Protocol

import numpy as np
from scipy.special import betainc

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.probe.arms import ArmChooser, ProbeArm, ProbeTrial, SeenQuestions, Topic
from vivavoce.probe.config import REPEAT_LEVEL, ProbeConfig
from vivavoce.probe.conversations import Conversation, ConversationPlan
from vivavoce.probe.follow_ups import PLAIN, PlannedTurn
from vivavoce.scopes.made_questions import MADE, ProbeRecord
from vivavoce.scopes.questions import Question
from vivavoce.statistics.confidence_sequences import mean_bounds

RATE_LEVEL: Final = 0.05
"""1 minus the level of intervals for how often a failure recurs."""


class Holder(Protocol):
    """Holds conversations (`conversations.ConversationHolder`)."""

    @property
    def calls(self) -> int: ...

    @property
    def full(self) -> bool: ...

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]: ...


@dataclass(frozen=True, slots=True)
class ProbeFailure:
    """A suspected failure with its repeats."""

    conversation: Conversation
    """The shortest conversation that is confirmed to show it."""
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
        """How often the conversation fails, with an interval that holds whenever repeats stop; unknown without repeats."""
        if not self.repeats:
            return Estimate(None, Interval(0.0, 1.0), 0)
        bounds = mean_bounds([1.0] * self.recurred + [0.0] * (self.repeats - self.recurred), RATE_LEVEL)
        return Estimate(self.recurred / self.repeats, Interval(bounds.lower, bounds.upper), self.repeats)


def tail(failed: int, repeats: int, rate: float) -> float:
    """The probability of at least so many failures.

    >>> [round(tail(k, 8, 0.1), 3) for k in (2, 3)]
    [0.187, 0.038]
    """
    return float(betainc(failed, repeats - failed + 1, rate)) if failed else 1.0


@dataclass(frozen=True, slots=True)
class RecurrenceTest:
    """Whether a failure recurs with more than a given probability, decided as soon as the repeats so far decide it.

    It is confirmed if its first `at_once` repeats fail, or `needed` of all. Together these have at most the level as their
    probability if the failure recurs with the given one, by the binomial distribution.

    >>> test = RecurrenceTest(8, 0.1)
    >>> test.at_once, test.needed, [test.decided(k, n) for k, n in ((2, 2), (1, 2), (3, 5), (0, 6))]
    (2, 3, [True, None, True, False])
    """

    repeats: int
    """Repeats at most."""
    rate: float
    level: float = REPEAT_LEVEL
    needed: int = field(init=False)
    at_once: int = field(init=False)

    def __post_init__(self) -> None:
        counts = range(1, self.repeats + 1)
        needed = next((k for k in counts if tail(k, self.repeats, self.rate) <= self.level), self.repeats + 1)
        left = self.level - (tail(needed, self.repeats, self.rate) if needed <= self.repeats else 0.0)
        object.__setattr__(self, "needed", needed)
        object.__setattr__(self, "at_once", next((m for m in counts if self.rate**m <= left), needed))

    def decided(self, recurred: int, repeats: int) -> bool | None:
        """Whether it is confirmed after these repeats; None if more are needed."""
        if recurred >= self.needed or recurred == repeats >= self.at_once:
            return True
        may_be_at_once = recurred == repeats and self.at_once <= self.repeats
        return None if may_be_at_once or recurred + self.repeats - repeats >= self.needed else False

    def next_repeats(self, recurred: int, repeats: int) -> int:
        """The fewest further repeats that may decide it."""
        spare = recurred + self.repeats - repeats - self.needed
        wanted = self.needed - recurred
        if recurred == repeats:
            wanted = min(wanted, self.at_once - repeats)
        return max(1, min(wanted, spare + 1, self.repeats - repeats))


@dataclass(slots=True)
class _Repeats:
    conversation: Conversation
    outcomes: list[Conversation] = field(default_factory=list)
    is_unfinished: bool = False

    @property
    def recurred(self) -> int:
        return sum(talk.failed is True for talk in self.outcomes)


@dataclass(frozen=True, slots=True)
class FailureConfirmer:
    """Repeats and shortens suspected failures."""

    holder: Holder
    test: RecurrenceTest
    deterministic: bool = False
    """Whether the candidate gives equal answers to equal questions, so that repeats would show nothing."""

    async def confirmed(self, suspects: Sequence[Conversation]) -> list[ProbeFailure | None]:
        """Repeat these suspected failures, and shorten those that are confirmed; None for those that calls ran out for."""
        failures = await self._repeated(suspects)
        return [await self._shortened(f) if f is not None and f.confirmed else f for f in failures]

    async def _repeated(self, suspects: Sequence[Conversation]) -> list[ProbeFailure | None]:
        """Repeat all of them at once, as often as each needs."""
        if self.deterministic:
            return [ProbeFailure(talk, 0, 0, confirmed=True, always=True) for talk in suspects]
        series = [_Repeats(talk) for talk in suspects]
        while going := [entry for entry in series if not entry.is_unfinished and self._decided(entry) is None]:
            numbers = [self.test.next_repeats(entry.recurred, len(entry.outcomes)) for entry in going]
            plans = [e.conversation.as_held for e, number in zip(going, numbers, strict=True) for _ in range(number)]
            held = iter(await self.holder.hold(plans, again=True))
            for entry, number in zip(going, numbers, strict=True):
                talks = [next(held) for _ in range(number)]
                entry.outcomes += [talk for talk in talks if talk is not None]
                entry.is_unfinished = None in talks
        return [None if entry.is_unfinished else self._failure(entry) for entry in series]

    def _decided(self, entry: _Repeats) -> bool | None:
        return self.test.decided(entry.recurred, len(entry.outcomes))

    def _failure(self, entry: _Repeats) -> ProbeFailure:
        words = {talk.turns[-1].replied for talk in (entry.conversation, *entry.outcomes)}
        return ProbeFailure(
            entry.conversation,
            entry.recurred,
            len(entry.outcomes),
            confirmed=self._decided(entry) is True,
            same_words=bool(entry.outcomes) and len(words) == 1,
        )

    async def _shortened(self, failure: ProbeFailure) -> ProbeFailure:
        """Leave out earlier turns one after the other, as long as the failure without them is confirmed, too."""
        index = 0 if _leaves_out(failure.conversation, 0) else 1
        while _leaves_out(failure.conversation, index):
            (talk,) = await self.holder.hold([failure.conversation.as_held.without(index)])
            (shorter,) = await self._repeated([talk]) if talk is not None and talk.failed else [None]
            if shorter is not None and shorter.confirmed:
                failure = shorter
            else:
                index += 1
        return failure


def _leaves_out(talk: Conversation, index: int) -> bool:
    """Whether the turn may be left out: not the last one, and not the question that a follow-up is about."""
    turns = talk.plan.turns
    return len(turns) > 2 and index < len(turns) - 1 and (index > 0 or not turns[-1].text)


def failure_rows(failures: Iterable[ProbeFailure], *, candidate: str, scope: str) -> list[dict[str, Any]]:
    """Confirmed failures as rows of a question file, so that a later version is asked the same again.

    Those whose question has a rule of another tool are left out, because no file can hold it. Earlier turns are kept with
    the candidate's replies, word for word.
    """
    kept = [failure for failure in failures if not failure.conversation.plan.turns[-1].question.rule]
    made = ProbeRecord(candidate=candidate, scope=scope, failures=len(kept)).model_dump()
    return [{**_row(failure, number), MADE: made} for number, failure in enumerate(kept, start=1)]


def _row(failure: ProbeFailure, number: int) -> dict[str, Any]:
    talk = failure.conversation
    planned, last = talk.plan.turns[-1], talk.turns[-1]
    question = planned.question
    text = last.prompt.text if planned.text else question.text
    if planned.text and question.options:  # the file lists the options, and whoever asks adds them
        text = text.partition("\n\n(A) ")[0]
    asked: Any = text
    if last.prompt.earlier or last.prompt.system:
        messages = [{"role": "system", "content": last.prompt.system}] if last.prompt.system else []
        for exchange in last.prompt.earlier:
            messages += [{"role": "user", "content": exchange.asked}, {"role": "assistant", "content": exchange.replied}]
        asked = [*messages, {"role": "user", "content": text}]
    row = {
        "id": f"{number}/{question.id}/{talk.kind}",
        "question": asked,
        "options": list(question.options),
        "answer": list(question.accepted),
        "category": talk.topic,
        "unacceptable": list(question.unacceptable),
        "rubric": question.rubric,
        "match": question.match,
        "idk_score": question.dont_know_score,
        "scores": dict(question.scores),
    }
    return {name: value for name, value in row.items() if value}


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
