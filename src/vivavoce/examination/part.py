"""The interface of a part of an examination, the state that all parts share, and findings in a report.

A finding in a report has claims, figures to compare, and the command that repeats it.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from typing import Annotated, Any, Final, Literal, Protocol

from pydantic import Field

from vivavoce.errors import NotEnoughEvidence
from vivavoce.examination.plan import Plan, PlanSection
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import percent, percent_interval, score, score_interval
from vivavoce.interview.budget import Limit, Limits, SharedBudget
from vivavoce.interview.candidate import Candidate, HasPrices, Prompt, Reply, Usage
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.forms.written_texts import Message
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress
from vivavoce.interview.reading import read
from vivavoce.interview.results import AnswerEvent, ResultRows
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import ReportedFinding

Text = Annotated[str, Field(max_length=20_000)]
"""A text in a report's file, which may come from anyone."""
# Dates of reports are never near these ends; between them, differences, percents and other time zones can be computed.
Number = Annotated[float, Field(ge=-1e6, le=1e6)] | None
Chance = Annotated[float, Field(ge=1e-15, lt=1)] | None
Count = Annotated[int, Field(ge=0, le=2**60)]
Kind = Literal["trusted", "not", "unknown", "measured"]
"""A pass, a fail (or a contradiction that was found), neither, or a measurement without a verdict."""
Unit = Literal["share", "score", "points"]
"""A rate in percent, a score from 0 to 1, or points from 0 to 100."""


@dataclass(frozen=True, slots=True)
class MeasuredFault:
    """A fault that a measurement may show; the report says it if its test holds among all tests of the report (`faults`)."""

    p: Annotated[float, Field(ge=0, le=1)]
    """P-value of "there is no such fault"."""
    words: Text
    """After "don't use it for"."""
    subject: Text


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a finding, never stronger than the finding."""

    kind: Kind
    words: Text
    """After "passes", "don't use it for" or "unknown"; a whole sentence for a measurement."""
    chance: Chance = None
    """Bound on the chance that the verdict, or any of those given together, is wrong; None without a verdict."""
    shared: bool = False
    """Whether it is instead a bound on the mean share of wrong ones among the verdicts given together."""
    subject: Text = ""
    """Its subject in a few words; empty: `words`."""
    fault: MeasuredFault | None = None
    """The fault that was tested for; None without a test."""

    json_keys = "kind words chance shared subject fault?"


@dataclass(frozen=True, slots=True)
class ComparableFigure:
    """A number that can be compared with the same number of another candidate."""

    name: Text
    value: Number
    lower: Number
    """None: no bound."""
    upper: Number
    n: Count
    unit: Unit
    asked: Text
    """Digest of the questions: only figures with the same one can be compared. Empty if unknown."""
    title: Text = ""
    """Display title; empty: `name`, by which figures are compared."""

    @property
    def titled(self) -> str:
        """Its display name."""
        return self.title or self.name

    @classmethod
    def of(cls, name: str, estimate: Estimate, unit: Unit, asked: str, *, title: str = "") -> ComparableFigure:
        """An estimate as a figure."""
        values = to_json(estimate)
        return cls(name, values["value"], values["lower"], values["upper"], values["n"], unit, asked, title)

    @property
    def in_words(self) -> str:
        """The value with its interval; "unknown" without a value.

        >>> ComparableFigure("wrong", 0.25, 0.1, 0.5, 8, "share", "").in_words
        '25% [10, 50]'
        >>> ComparableFigure("wrong", None, 0, 1, 0, "share", "").in_words
        'unknown'
        """
        if self.value is None:
            return "unknown"
        if self.lower is None or self.upper is None:
            return f"{self.shown} (no interval)"
        bounds = Interval(self.lower, self.upper)
        if self.unit == "points":
            return f"{self.shown} [{self.lower:.0f}, {self.upper:.0f}]"
        return f"{self.shown} {percent_interval(bounds) if self.unit == 'share' else score_interval(bounds)}"

    @property
    def shown(self) -> str:
        """The value alone."""
        if self.value is None:
            return "unknown"
        return {"share": percent, "score": score, "points": "{:.0f}".format}[self.unit](self.value)


@dataclass(frozen=True, slots=True)
class FindingCard:
    """One finding of a report."""

    room: str
    """Its name."""
    statement: str
    claims: tuple[Claim, ...]
    figures: tuple[ComparableFigure, ...]
    caveats: tuple[str, ...]
    command: str
    """Repeats the finding."""
    scope_digest: str
    signature: str
    details: Mapping[str, Any] = field(repr=False)
    """The finding as JSON values."""
    finding: ReportedFinding | None = field(default=None, repr=False, compare=False)
    """None if the report was read from a file."""

    json_keys = "room statement command scope_digest signature claims figures caveats details"


Nature = Literal["model", "bot", "recording", "engine"]
"""The nature of a candidate: a language model (or anything asked like one), a built-in bot, a recording, a chess engine."""
NATURES: Final[Mapping[str, Nature]] = {
    "chat": "model", "inspect": "model", "function": "model", "bot": "bot", "replay": "recording", "uci": "engine",
}  # fmt: skip
"""Kinds of candidates by the prefix of their names."""
SPEAKERS: Final[tuple[Nature, ...]] = ("model", "bot")
"""Kinds of candidates that can be asked in words."""


@dataclass(frozen=True, slots=True)
class OpenedTask:
    """An Inspect task that a plan names as a scope: its samples, and the candidate that runs them."""

    scope: Any
    candidate: Any = None
    """None: no candidate, because the answers are on record."""


@dataclass(frozen=True, slots=True)
class ExaminationConfig:
    """The candidate, the plan and the judges."""

    candidate: str
    """Name given by the caller."""
    nature: Nature
    plan: Plan
    judges: Mapping[str, object] = field(default_factory=dict, compare=False)
    """The candidates that judge, by their names in the plan; none if their cost does not matter."""
    tasks: Mapping[str, OpenedTask] = field(default_factory=dict, compare=False)
    """The Inspect tasks among the plan's scopes, by their names in the plan."""

    def command(self, *words: str) -> str:
        """A command line that can be pasted."""
        asking = self.plan.reply_format if self.nature in SPEAKERS and "--plan" not in words else None
        return shlex.join(["viva", *words, *settings({"reply-format": asking})])


@dataclass(frozen=True, slots=True)
class ExaminationCost:
    """Estimate of an examination's calls."""

    calls: int
    tokens: int = 0
    money: float = 0.0
    note: str = ""
    """The basis of the estimate, in a clause."""


class EngineOpener(Protocol):
    """Opens a chess engine by its name, in this many processes."""

    def __call__(self, name: str, /, *, workers: int) -> Any: ...


@dataclass(slots=True)
class ExaminationContext:
    """State that all parts share while an examination runs."""

    examination: ExaminationConfig
    candidate: Candidate[Prompt, Reply] | None
    """None for an engine, which is asked in batches."""
    transcript: Transcript
    shared_budget: SharedBudget
    asked_by: Callable[..., Interview[Prompt, Reply]]
    """Makes an interview of the candidate over the transcript, given `shared_budget`, `expected` and `on_progress`; or of
    another candidate under its name, given `instead`.
    """
    engines: EngineOpener | None
    """Opens chess engines; None without engines."""
    on_progress: Callable[[Progress], None]
    again: bool = False
    """Whether certificates start a new attempt if the transcript has one."""
    judged_by: Callable[[str, str], Interview[Prompt, Reply]] | None = None
    """Makes an interview with a judge within the budget, given its name in the plan and the digest of the scope."""
    interviews: list[Interview[Prompt, Reply]] = field(default_factory=list)
    _judged: dict[int, Usage] = field(default_factory=dict)
    """For the index of an interview with judged answers: the finding and the judge."""
    early_end: EarlyEnd | None = None
    """Ends the test that runs if none of its first replies can be parsed; None: nothing does."""
    ends_early: bool = True
    """Whether a test may end early; a recheck of one that did not end early, as by batch, does not either."""
    results: ResultRows = field(default_factory=partial(ResultRows, wanted=False))
    """Rows of all examinations."""

    def interview(self, expected: int | None, task: OpenedTask | None = None) -> Interview[Prompt, Reply]:
        """One more interview within the budget, with the candidate that runs an Inspect task if that is the scope."""
        given = {"shared_budget": self.shared_budget, "expected": expected, "on_progress": self.on_progress}
        if task is not None and task.candidate is not None:
            given["instead"] = task.candidate
        made = self.asked_by(**given)
        if self.early_end is not None:
            self.early_end.watch(made)
        self.interviews.append(made)
        return made

    def rests_on(self, spending: Usage) -> None:
        """Record the cost in the last interview's finding; more or less was asked ahead of the judge."""
        self._judged[len(self.interviews) - 1] = spending

    @property
    def spending(self) -> Usage:
        """The cost of all answers that were given, including recorded ones and judgements."""
        return sum((self._judged.get(index, interview.spending) for index, interview in enumerate(self.interviews)), Usage())


class ExaminationPart(ABC):
    """One kind of examination; `rooms.PARTS` lists them."""

    room: str
    """Its name on the command line, in plans and in reports."""
    question: str
    """The question that it answers, in a reader's words."""
    section: type[PlanSection] | None
    """Its settings in a plan; None without any."""
    init: str
    """Its lines in the plan of `viva report --init`, as comments if it needs a file; empty without a section."""
    natures: tuple[Nature, ...] = SPEAKERS
    """The candidates that it is for."""
    always_listed: bool = True
    """Whether a report names it as not examined if the plan does not name it."""

    def absent(self, examination: ExaminationConfig, candidate: object) -> str:
        """The reason why it can't run although it suits the candidate, and what it needs; empty if it can."""
        return ""

    @abstractmethod
    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> ExaminationCost:
        """Its expected calls. Reads and checks the plan's files: raises `BadInput` before anything is asked."""

    @abstractmethod
    async def run(self, table: ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """The findings, each with the command that repeats it. Raises what interviews raise, and `NotEnoughEvidence` without a
        result.
        """

    @abstractmethod
    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """The claims of a finding of this examination."""

    def figures(self, finding: Any) -> tuple[ComparableFigure, ...]:
        """Its numbers."""
        return ()


def in_all(costs: Sequence[ExaminationCost], note: str = "") -> ExaminationCost:
    """The sum of these costs."""
    return ExaminationCost(
        sum(cost.calls for cost in costs), sum(cost.tokens for cost in costs), fsum(cost.money for cost in costs), note
    )


def priced(candidate: object, calls: int, tokens_in: int, tokens_out: int, note: str = "") -> ExaminationCost:
    """The cost of calls at the candidate's own prices."""
    price_in, price_out = candidate.prices if isinstance(candidate, HasPrices) else (0.0, 0.0)
    return ExaminationCost(calls, tokens_in + tokens_out, (tokens_in * price_in + tokens_out * price_out) / 1e6, note)


def options(values: Mapping[str, object]) -> list[str]:
    """Options of a command line, in order; None leaves one out."""
    return [word for name, value in values.items() if value is not None for word in (f"--{name}", str(value))]


def settings(values: Mapping[str, object]) -> list[str]:
    """Settings of a command line, in order; None leaves one out."""
    return [word for name, value in values.items() if value is not None for word in ("--set", f"{name}={value}")]


_FILED: Final = ("replay", "uci", "file", "mmlu", "mmlu-pro", "bbh")
"""Kinds of candidates and scopes that name a file or a folder."""


def without_folders(word: str) -> str:
    """A word of a command line without the folders of its file.

    >>> without_folders("replay:/home/me/answers.csv#gpt-4"), without_folders("arithmetic?operations=*/")
    ('replay:answers.csv#gpt-4', 'arithmetic?operations=*/')
    """
    kind, colon, where = word.partition(":") if ":" in word else ("", "", word)
    if colon and kind not in _FILED:
        return word
    end = min((mark for mark in map(where.find, "?#") if mark >= 0), default=len(where))
    return f"{kind}{colon}{where[where.rfind('/', 0, end) + 1 :]}"


@contextmanager
def ending_early(table: ExaminationContext, *, keeps: bool = False) -> Iterator[None]:
    """End the test of this block if none of its first replies can be parsed.

    keeps: whether the block's finding says so itself; otherwise raise `NotEnoughEvidence` then.
    """
    early_end = EarlyEnd()
    table.early_end = early_end if table.ends_early else None
    try:
        yield
    finally:
        table.early_end = None
    if early_end.is_reached and not keeps:
        raise NotEnoughEvidence(f"none of the first {FIRST} replies could be parsed, so this test ended early")


FIRST: Final = 12
"""If one reply in four can be parsed, none of so many can in 3% of cases."""


@dataclass(slots=True)
class EarlyEnd:
    """The replies to a test so far; missing ones, which are the service's, don't count, nor do free texts."""

    replies: int = 0
    any_parsed: bool = False
    is_reached: bool = False
    """Whether none of the first replies could be parsed; a later one, which was in flight, changes nothing."""

    def watch(self, interview: Interview[Any, Any]) -> None:
        """End this interview as if its budget were used up; batches are asked in one go and never end early."""
        if not interview.drawing.by_batch:
            interview.budget = _WatchedLimits(interview.budget, self)


@dataclass(slots=True)
class _WatchedLimits:
    """The limits of an interview, and an early end."""

    limits: Limits
    end: EarlyEnd
    by_answers = True

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        return self.limits.reached(questions=questions, usage=usage) or ("questions" if self.end.is_reached else "")

    def heard(self, event: AnswerEvent) -> None:
        answer = event.settled.answer
        if not self.end.any_parsed and isinstance(event.asked, Prompt) and isinstance(answer, Reply):
            form = event.asked.form
            if form is None or isinstance(form, Message):
                return  # any text can be one, so this one shows nothing
            parsed = read(event.asked, answer)
            is_parsed = not parsed.outcome.unread
            if is_parsed and isinstance(form, ShortText) and not parsed.strict:
                return
            self.end.replies += 1
            self.end.any_parsed = is_parsed
            self.end.is_reached |= not self.end.any_parsed and self.end.replies >= FIRST
