"""How common are the confirmed failures? New questions of each mode, and claims that hold together.

A mode is a topic with a kind of conversation in which a failure is confirmed. Modes are fixed before the first new question is
asked. Each has an e-process against "it happens on at most this share of questions"; the e-BH rule selects R of K modes, and
the intervals of those are confidence sequences at level 1 - delta R / K, which keep the expected share of wrong intervals among
them at most delta (`wang2022`, `xu2024`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.probe.arms import plan_of
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.confirmation import Holder, ProbeFailure
from vivavoce.probe.conversations import ConversationPlan
from vivavoce.probe.follow_ups import FollowUpKind
from vivavoce.probe.search import compared
from vivavoce.probe.topics import Topic
from vivavoce.statistics.confidence_sequences import mean_bounds, rate_above
from vivavoce.statistics.multiple import e_bh

BLOCK: Final = 20
"""New questions of each mode that are asked at once."""


@dataclass(frozen=True, slots=True)
class ModeCounts:
    """What happened with new questions of a mode."""

    failed: int
    asked: int
    unknown: int = 0
    """Conversations whose outcome is not known; they count as right where a failure is tested."""
    log_e: float = 0.0
    """Logarithm of the e-value against "the mode is not common"."""


@dataclass(frozen=True, slots=True)
class FailureMode:
    """A topic with a kind of conversation in which a failure is confirmed."""

    topic: str
    kind: FollowUpKind
    example: ProbeFailure
    """The confirmed failure that made it a mode."""
    counts: ModeCounts
    common: bool = False
    """Whether it is shown that the mode is common."""
    share: Estimate = field(default_factory=lambda: Estimate(None, Interval(0.0, 1.0), 0))
    """Share of new questions on which it happens; the interval is known for common modes."""

    json_keys = "topic kind_name common share counts example"

    @property
    def kind_name(self) -> str:
        """The name of the kind."""
        return self.kind.name


def selected(counts: Sequence[ModeCounts], *, common: float, delta: float) -> list[tuple[bool, Interval | None]]:
    """Which modes are common, each with its interval; None for those that are not selected.

    >>> chosen = selected([ModeCounts(12, 30, log_e=9.0), ModeCounts(0, 30, log_e=-1.0)], common=0.05, delta=0.05)
    >>> [is_common for is_common, _ in chosen], chosen[0][1].lower > 0.05, chosen[1][1]
    ([True, False], True, None)
    """
    if not counts:
        return []
    rejected = set(e_bh([entry.log_e for entry in counts], delta))
    level = delta * len(rejected) / len(counts)
    return [(True, _interval(entry, level)) if index in rejected else (False, None) for index, entry in enumerate(counts)]


def _interval(counts: ModeCounts, level: float) -> Interval:
    """Bounds on the share, whatever the unknown outcomes are."""
    lower, upper = (
        mean_bounds([1.0] * failed + [0.0] * (counts.asked - failed), level)
        for failed in (counts.failed, counts.failed + counts.unknown)
    )
    return Interval(lower.lower, upper.upper)


@dataclass(slots=True)
class _ModeTest:
    """A mode whose new questions are being asked."""

    topic: str
    kind: FollowUpKind
    example: ProbeFailure
    plans: list[ConversationPlan]
    values: list[bool | None] = field(default_factory=list)
    log_e: float = 0.0

    @property
    def counts(self) -> ModeCounts:
        known = [value for value in self.values if value is not None]
        return ModeCounts(sum(known), len(self.values), len(self.values) - len(known), self.log_e)


async def ask_new_questions(
    holder: Holder, topics: Mapping[str, Topic], failures: Sequence[ProbeFailure], config: ProbeConfig
) -> list[FailureMode]:
    """Ask new questions of all modes of these confirmed failures, in equal steps.

    If the budget runs out, the questions of the unfinished step count for no mode. Passes on the interview's errors.
    """
    tests = [_test_of(topics[failure.conversation.topic], failure, config) for failure in failures]
    while not holder.full:
        going = [test for test in tests if len(test.values) < len(test.plans)]
        if not going:
            break
        blocks = [test.plans[len(test.values) : len(test.values) + BLOCK] for test in going]
        pairs = await compared(holder, [plan for block in blocks for plan in block])
        if not all(pair.is_finished for pair in pairs):
            break
        outcomes = [pair.failed for pair in pairs]
        for test, block in zip(going, blocks, strict=True):
            test.values += outcomes[: len(block)]
            outcomes = outcomes[len(block) :]
            process = rate_above(config.common)
            process.update([float(value is True) for value in test.values])
            test.log_e = process.log_e
    chosen = selected([test.counts for test in tests], common=config.common, delta=config.delta)
    return [_mode_of(test, is_common, interval) for test, (is_common, interval) in zip(tests, chosen, strict=True)]


def _test_of(topic: Topic, failure: ProbeFailure, config: ProbeConfig) -> _ModeTest:
    kind = failure.conversation.plan.kind
    plans = [plan_of(topic, kind, question, config.seed) for question in topic.fresh[: config.fresh]]
    return _ModeTest(topic.name, kind, failure, [plan for plan in plans if plan is not None])


def _mode_of(test: _ModeTest, is_common: bool, interval: Interval | None) -> FailureMode:
    counts = test.counts
    known = counts.asked - counts.unknown
    value = counts.failed / known if known else None
    share = Estimate(value, Interval(0.0, 1.0) if interval is None else interval, known)
    return FailureMode(test.topic, test.kind, test.example, counts, is_common, share)
