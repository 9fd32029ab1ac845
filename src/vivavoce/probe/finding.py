"""The finding of a probe, and its report.

How common are the confirmed failures? New questions of each mode, and claims that hold together.

A mode is a topic with a kind of conversation in which a failure is confirmed. Modes are fixed before the first new question is
asked. Each has an e-process against "it happens on at most this share of questions"; the e-BH rule selects R of K modes, and
the intervals of those are confidence sequences at level 1 - delta R / K, which keep the expected share of wrong intervals among
them at most delta (`wang2022`, `xu2024`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, numbered, percent, showable
from vivavoce.interview.scope import Signature
from vivavoce.probe.arms import Topic, plan_of
from vivavoce.probe.config import REPEAT_LEVEL, ProbeConfig
from vivavoce.probe.confirmation import Holder, ProbeFailure, compared
from vivavoce.probe.conversations import Conversation, ConversationPlan
from vivavoce.probe.follow_ups import FollowUpKind
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Caveats,
    Column,
    Pairs,
    Report,
    ReportRow,
    ReportSection,
    ReportTable,
    method_of,
    notes,
    paragraphs,
)
from vivavoce.report.cells import TableCell, count_cell, share_cell
from vivavoce.report.reported import ReportedFinding
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


KIND = "probe"
SHOWN = 5
"""Suspected failures that the report shows."""
FEW_NEW = 30
"""Fewest new questions of a mode without a caveat."""


@dataclass(frozen=True, slots=True)
class KindCounts:
    """What the search saw of one kind of conversation, over all topics."""

    kind: str
    about: str
    held: int
    """Questions tried, also at once with other kinds."""
    unread: int
    """Of these, conversations whose outcome is not known."""
    failed: int
    confirmed: int


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """What a search, or a random examination, has asked and found."""

    calls: int
    conversations: int
    suspected: int
    modes: tuple[str, ...]
    """Topic and kind of each confirmed failure."""


@dataclass(frozen=True)
class ProbeFinding(ReportedFinding):
    """What a probe found, and how often it happens."""

    candidate: str
    scope: str
    config: ProbeConfig
    topics: tuple[str, ...]
    modes: tuple[FailureMode, ...]
    """The most frequent first; common ones before others."""
    unconfirmed: tuple[ProbeFailure, ...]
    """Suspected failures that did not recur often enough."""
    kinds: tuple[KindCounts, ...]
    search: SearchCounts
    random: SearchCounts | None
    """None if no random questions were asked."""
    signature: Signature
    new_calls: int = 0
    """Calls for new questions of the modes."""
    unfinished: int = 0
    """Suspected failures that no calls were left to repeat."""
    exhausted: str = ""
    """The limit of the budget that ended the questions; empty if none did."""
    examiner: str = ""
    judge: str = ""
    deterministic: bool = False
    asked_so: tuple[str, ...] = ()
    """Caveats on how it was asked."""

    json_keys = "scope topics modes unconfirmed kinds search random new_calls unfinished exhausted examiner judge deterministic"

    @property
    def common(self) -> tuple[FailureMode, ...]:
        """The modes that are shown to be common."""
        return tuple(mode for mode in self.modes if mode.common)

    @property
    def headline(self) -> str:
        """What fails, and how often."""
        held = numbered(self.search.conversations, "conversation")
        if not self.modes:
            return f"No failure is confirmed in {held} with {self.candidate}."
        confirmed = f"{self.candidate} fails in {numbered(len(self.modes), 'confirmed way')}, found in {held}."
        if not self.config.fresh:
            return confirmed
        limit = percent(self.config.common)
        if not self.common:
            return f"{confirmed} None is shown to be common: {limit} or more of new questions."
        first = self.common[0]
        cell = share_cell(first.share)
        such = f"{count(len(self.common))}, such as on" if len(self.common) > 1 else "on"
        named = f"{_quoted(first.topic)}, when {first.kind.about}, {cell.text} {cell.interval} of new questions fail"
        return f"{confirmed} Shown to be common: {such} {named}."

    @property
    def statement(self) -> str:
        """The result in plain words."""
        ended = f" The budget of {self.exhausted} ran out before the end." if self.exhausted else ""
        return f"{self.headline}{ended}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the finding does not show."""
        few = any(0 < mode.counts.asked < FEW_NEW for mode in self.modes)
        return tuple(
            filter(
                None,
                (
                    "What the search found is never an estimate: it looked for failures. Only shares of new questions are.",
                    f"Suspected failures that were not repeated, as no calls were left: {count(self.unfinished)}."
                    if self.unfinished
                    else "",
                    "Some failures had fewer than 30 new questions: not shown to be common does not mean rare." if few else "",
                    f"{self.candidate} gives equal answers to equal questions, so a repeat shows nothing new: such a failure "
                    "happens always with the same words."
                    if self.deterministic and self.modes
                    else "",
                    "Repeats in the same words each time show little more than one repeat would."
                    if any(mode.example.same_words for mode in self.modes)
                    else "",
                    "A model that errs at random from time to time shows such failures, too." if not self.deterministic else "",
                    "The examiner's words may mislead, and so make a failure: read the conversations." if self.examiner else "",
                    f"Answers are graded by {self.judge}, which makes mistakes." if self.judge else "",
                    *self.asked_so,
                ),
            )
        )

    def report(self) -> Report:
        """The whole finding as blocks."""
        cases = tuple(_card(mode.example, mode) for mode in self.modes)
        unconfirmed = tuple(_card(failure) for failure in self.unconfirmed[:SHOWN])
        return self.reported(
            "Follow-up examination",
            f"Probe of {self.candidate} on {self.scope}",
            *((self._modes(),) if self.modes else ()),
            Caveats(self.caveats, own=1),
            ReportSection("Confirmed failures in full", cases),
            ReportSection("Compared with random questions", self._beside()),
            ReportSection("Looked for", self._looked_for()),
            ReportSection(f"Suspected, not confirmed ({count(len(self.unconfirmed))})", unconfirmed),
            method_of(self._method()),
        )

    def provenance(self) -> dict[str, Any]:
        """The seed and the settings."""
        return {"seed": self.signature.seed, "settings": self.config}

    def _modes(self) -> ReportTable:
        columns = (
            Column("Topic"),
            Column("When"),
            Column("Share of new questions", short="share"),
            Column("New questions", short="new", number=True),
            Column("Recurred"),
            Column(f"Common ({percent(self.config.common)} or more)", short="common"),
        )
        return ReportTable(columns, tuple(map(self._row, self.modes)), name="Confirmed failures by topic and kind")

    def _row(self, mode: FailureMode) -> ReportRow:
        share = share_cell(mode.share) if mode.common else TableCell("not asked", known=False)
        if not mode.common and mode.share.value is not None:
            share = TableCell(f"{count(mode.counts.failed)} of {count(mode.share.n)}", mode.share.value)
        common = "yes" if mode.common else "not shown" if mode.counts.asked else "not tested"
        return ReportRow(
            TableCell(mode.topic),
            (
                TableCell(mode.kind.about),
                share,
                count_cell(mode.counts.asked),
                TableCell(_recurred(mode.example)),
                TableCell(common, tone="bad" if mode.common else "open"),
            ),
        )

    def _beside(self) -> tuple[Block, ...]:
        if self.random is None:
            return ()
        only = set(self.search.modes) - set(self.random.modes)
        rows = [("follow-ups", self.search), ("random questions, asked alone", self.random)]
        table = ReportTable(
            tuple(map(Column, ("Examination", "Calls", "Conversations", "Ways to fail confirmed"))),
            tuple(
                ReportRow(TableCell(name), tuple(map(count_cell, (search.calls, search.conversations, len(search.modes)))))
                for name, search in rows
            ),
        )
        few = self.random.calls < self.search.calls
        return (
            table,
            *paragraphs(f"Found by follow-ups alone: {count(len(only))} of {count(len(self.search.modes))}."),
            *notes("There were no further questions to ask at random." if few and not self.exhausted else ""),
        )

    def _looked_for(self) -> tuple[Block, ...]:
        rows = tuple(
            ReportRow(TableCell(entry.about), tuple(map(count_cell, (entry.held, entry.unread, entry.failed, entry.confirmed))))
            for entry in self.kinds
        )
        columns = (
            Column("When"),
            Column("Questions tried", short="tried"),
            Column("Not parsed", short="not parsed"),
            Column("Failed", short="failed"),
            Column("Ways to fail confirmed", short="confirmed"),
        )
        about = f"Topics: {', '.join(map(_quoted, self.topics[:20]))}{' and others' if len(self.topics) > 20 else ''}."
        return (ReportTable(columns, rows), *notes(about))

    def _method(self) -> Sequence[str]:
        config, common, delta = self.config, percent(self.config.common), percent(self.config.delta)
        repeats, level, rate = count(config.repeats), percent(REPEAT_LEVEL), percent(config.repeat_rate)
        again = (
            f"A failure is repeated with new replies, {repeats} times at most. A one-sided exact test at level {level} decides "
            f"whether it recurs in more than {rate} of repeats; each is tested by itself. Intervals for repeats are confidence "
            "sequences at level 95%."
        )
        return (
            "The search draws topics and kinds of conversation by Thompson sampling (thompson1933) from a hierarchical beta "
            "model: topics of one kind resemble each other. It tries several wordings or follow-ups at once, and each by "
            "itself only if that fails. A conversation fails if its last reply is wrong, and the question asked alone was "
            "not answered wrongly. Replies that can't be read are never failures. A confirmed failure is shortened by "
            "leaving out earlier turns, as long as it is confirmed without them (zeller2002). Its topic and kind are not "
            "searched further.",
            "Equal questions get equal answers, so nothing was repeated." if self.deterministic else again,
            "Topics and kinds of confirmed failures are fixed before new questions are asked, which the search never used; "
            "they count as a sample of their topic. A failure is common if an e-process shows that its share is above "
            f"{common}. The e-BH rule (wang2022) keeps the expected share of wrong claims among these at most {delta}. If R "
            f"of K failures are common, their intervals are confidence sequences at level 1 - {delta} R / K (xu2024).",
        )


def _recurred(failure: ProbeFailure) -> str:
    if failure.always:
        return "always"
    cell = share_cell(failure.rate)
    same = ", in the same words" if failure.same_words else ""
    return f"{count(failure.recurred)} of {count(failure.repeats)}{same}: {cell.words}"


def _card(failure: ProbeFailure, mode: FailureMode | None = None) -> CaseCard:
    talk = failure.conversation
    recurred = _recurred(failure)
    return CaseCard(
        (Pairs(tuple(_lines(talk))),), f"{_quoted(talk.topic)}, when {talk.plan.kind.about}", f"recurred: {recurred}"
    )


def _lines(talk: Conversation) -> list[tuple[str, str]]:
    lines = []
    for turn in talk.turns:
        lines += [("asked", showable(turn.prompt.text)), ("replied", showable(turn.replied))]
    return [*lines, ("right", showable(talk.answer) or "by the judge")]


def _quoted(text: str) -> str:
    return f"“{showable(text)}”"
