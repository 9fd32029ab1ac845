"""Candidates and the messages exchanged with them: prompts, replies, missing answers, steps of agents, model calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, TypeVar, runtime_checkable

from vivavoce.interview.forms.form import Form

Q_contra = TypeVar("Q_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)

OMITTED_AT_DEFAULT: Final = "omitted at default"
"""Key in the metadata of a field that is rarely set: at its default it is not written, so that records stay short."""

UNWRITTEN: Final = "unwritten"
"""Key in the metadata of a field that is never written down, and so is no part of a record's key."""


class Candidate(Protocol[Q_contra, A_co]):
    """Who or what is examined: anything that has a stable name and answers questions.

    `answer` raises `TransportFault` when an attempt did not get through (the interview retries it), `CandidateMisconfigured`
    when no attempt ever can, and `CandidateUnreachable` when none can for now, as without credit; each says by `hearing`
    whether the question may have been heard: it was, unless that is told. It never repairs an answer and never asks twice on
    its own. What an answer cost is counted if it has a `usage`, as `Reply` has.
    A candidate that holds resources also has `async def close(self) -> None`; its maker closes it.
    """

    @property
    def name(self) -> str:
        """Stable from run to run: it is part of every record's key. Holds no secret."""
        ...

    async def answer(self, question: Q_contra, /) -> A_co:
        """Answer one question."""
        ...


Again = Literal["elsewhere", "same"]
"""Why a candidate may be asked again what it was asked by a program that then ended: it is elsewhere, so that this was not its
doing; or it says the same whenever it is asked, so that it has no second try."""


@runtime_checkable
class AskedAgain(Protocol):
    """A candidate that may be asked again what a program asked it that ended before an answer came.

    Of any other candidate that is an outcome of its own (`ORPHAN`): to ask again would be a second try for one that ends the
    program whenever it would be wrong.
    """

    @property
    def asked_again(self) -> Again:
        """Why."""
        ...


def is_declared_deterministic(candidate: object) -> bool:
    """Whether it is said of it, by whoever examines it, that it says the same whenever it is asked the same."""
    return getattr(candidate, "declared_deterministic", False) is True


def is_deterministic(candidate: object) -> bool:
    """Whether it says the same whenever it is asked the same: by its kind, or by declaration; never because it did so far."""
    by_kind = isinstance(candidate, AskedAgain) and candidate.asked_again == "same"
    return by_kind or is_declared_deterministic(candidate)


@runtime_checkable
class Recording(Protocol):
    """A candidate whose answers are known before it is asked, so that none of them has to be waited for."""

    @property
    def recorded(self) -> Mapping[str, str]:
        """All of them, by question id."""
        ...


@runtime_checkable
class RepeatedRecording(Recording, Protocol):
    """One that may hold several answers to a question, and so is told which of them is wanted."""

    @property
    def times(self) -> Mapping[str, int] | None:
        """How many, by question id; None: as many as are on record."""
        ...

    async def answer_draw(self, question: Prompt, draw: int) -> Reply:
        """The answer with this number, from 0."""
        ...


CONCURRENCY: Final = 8
"""Questions in flight, unless told otherwise."""


@runtime_checkable
class Paced(Protocol):
    """A candidate that knows how many questions it should be put at once, unless told otherwise."""

    @property
    def concurrency(self) -> int:
        """At least 1."""
        ...


def usual_concurrency(candidate: object) -> int:
    """How many questions are put to a candidate at once, unless told otherwise."""
    return candidate.concurrency if isinstance(candidate, Paced) else CONCURRENCY


TIME_OUT: Final = 120.0
"""Seconds for one attempt, unless told otherwise."""


@runtime_checkable
class Unhurried(Protocol):
    """A candidate that knows how long an answer may take, unless told otherwise."""

    @property
    def time_out(self) -> float | None:
        """Seconds; None: no limit."""
        ...


def usual_time_out(candidate: object) -> float | None:
    """Seconds that one attempt may take, unless told otherwise; None: no limit."""
    return candidate.time_out if isinstance(candidate, Unhurried) else TIME_OUT


@runtime_checkable
class KeepsTime(Protocol):
    """A candidate that limits the time of an answer where it is given, so that the way there and back does not count."""

    async def answer_within(self, question: Any, seconds: float | None, /) -> Any:
        """As `answer`; raises `TimeoutError` where the answer takes longer."""
        ...


@runtime_checkable
class AtTerminal(Protocol):
    """A candidate that may be asked where the program was started."""

    @property
    def at_terminal(self) -> bool:
        """Whether it is, so that nothing else may write there."""
        ...


def takes_terminal(*candidates: object) -> bool:
    """Whether one of them is asked where the program was started, so that no progress may be written there."""
    return any(isinstance(candidate, AtTerminal) and candidate.at_terminal for candidate in candidates)


@dataclass(frozen=True, slots=True)
class Usage:
    """What answers have cost so far.

    >>> Usage(tokens_in=10, tokens_out=5, money=0.001) + Usage(tokens_out=1)
    Usage(tokens_in=10, tokens_out=6, money=0.001)
    """

    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    """In the currency of the prices that were given with the candidate; 0 where none were."""

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, self.money + other.money)


@runtime_checkable
class Priced(Protocol):
    """A candidate that knows its prices."""

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply; 0 where none was given."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of a conversation: a question with the reply that was given, or in an example the one that is wanted."""

    asked: str
    replied: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is put to a candidate that speaks a language: a conversation of its own, of which all is sent that was said before.

    >>> Prompt("2 + 3?", shown=(Exchange("1 + 1?", "2"),)).conversation
    (('user', '1 + 1?'), ('assistant', '2'), ('user', '2 + 3?'))
    """

    text: str
    system: str = ""
    id: str = ""
    """Name of the question in its scope; recorded answers are found by it. Not sent to a model."""
    temperature: float | None = None
    """None: the candidate's own setting."""
    max_tokens: int | None = None
    """None: the candidate's own setting."""
    shown: tuple[Exchange, ...] = ()
    """Worked examples, said before the question as if they had been a conversation (few-shot)."""
    first_tokens: int = field(default=0, metadata={OMITTED_AT_DEFAULT: True})
    """How many alternatives of the reply's first token are wanted with their log-probabilities; 0: none. A candidate that
    cannot tell them leaves them out, or does not answer."""
    schema: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """JSON Schema of the reply as JSON, its fields in the order in which they are to be written, for a server that enforces it;
    empty: the reply is in words."""
    form: Form[Any] | None = field(default=None, metadata={UNWRITTEN: True}, compare=False)
    """How the reply is to end and how it is read; the interview puts it into words. None: the reply is taken as it is."""
    earlier: tuple[Exchange, ...] = field(default=(), metadata={OMITTED_AT_DEFAULT: True})
    """Earlier turns of this conversation, with the candidate's own replies (`requests.next_turn`); empty: it begins here."""

    @property
    def conversation(self) -> tuple[tuple[Literal["user", "assistant"], str], ...]:
        """Who says what, the question last; the system text is not among it."""
        said: list[tuple[Literal["user", "assistant"], str]] = []
        for exchange in (*self.shown, *self.earlier):
            said += [("user", exchange.asked), ("assistant", exchange.replied)]
        return (*said, ("user", self.text))


Met = Literal["", "turned away", "asked anew", "fault"]
"""What an earlier attempt at the same question came to: nothing that matters; it was turned away, by what is taken for granted
unheard; a fault of the service at the end of an earlier run, so that this run asked anew; or a fault of a candidate that may
have heard it, so that any answer is that of a second try (see `faults`)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a candidate that speaks a language said, word for word."""

    text: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """The model that the server says it used; empty where it does not say."""
    finish: str = ""
    """Why the reply ended, in the server's word (`stop`, `length`, `content_filter`); empty where it does not say."""
    first_token: tuple[tuple[str, float], ...] = ()
    """What the first token might have been, each with its natural log-probability (at most 0); empty where that was not asked
    for, or is not told."""
    thoughts: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """What it thought aloud before it replied, and marked as such; never read as an answer."""
    steps: tuple[Step, ...] = field(default=(), metadata={OMITTED_AT_DEFAULT: True})
    """What an agent did before it replied, in order; never read as an answer. Empty: it called no tool, or nobody knows."""
    further: Reply | None = field(default=None, metadata={UNWRITTEN: True})
    """The reply to the further turn that asked for the final answer alone, a record of its own; None where there was none."""
    met: Met = field(default="", metadata={UNWRITTEN: True}, compare=False)
    """What happened to the question before it was put for the last time, by the record of askings; not what was said."""


ORPHAN: Final = "asked, and the program ended before an answer came"
"""Reason of an absence that a later run put on record: of a candidate that may have ended the program itself."""
UNRECORDED: Final = "drawn more often than it was answered in the recording"
"""Reason of an absence of which nobody knows more either."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No answer came. An outcome like any other: it is recorded, and scored by the room's rule."""

    reason: str
    """`time-out`, or what the transport said last; never holds a secret."""
    attempts: int = 1
    met: Met = field(default="", metadata={UNWRITTEN: True}, compare=False)
    """As of a reply."""
    by_service: bool = field(default=False, metadata={OMITTED_AT_DEFAULT: True})
    """Whether the service failed, not the candidate, so that this says nothing about it."""

    @property
    def orphan(self) -> bool:
        """Whether nobody knows what the answer would have been: the program that asked ended first, or a recording did."""
        return self.reason in (ORPHAN, UNRECORDED)


MOST: Final = 500
"""Steps of one reply that are kept."""
LONGEST: Final = 4_000
"""Characters of one text of a step that are kept."""
MOST_CHARACTERS: Final = 200_000
"""Of all steps of one reply."""
NOTHING: Final = "(nothing in words)"
"""What a step is shown as in which nothing was said, and no tool called: a turn that only leads to the calls after it."""
_SHORTEST: Final = 100


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that an agent did: it said something, or called a tool.

    >>> Step(tool="add", arguments='{"a": 2, "b": 2}', result="4", seconds=0.01).words
    'add({"a": 2, "b": 2}) → 4'
    """

    said: str = ""
    """What it said, without calling a tool or before it does."""
    tool: str = ""
    """The name of the tool that it called; empty: none."""
    arguments: str = ""
    """Of the call: as JSON, or as the agent wrote them."""
    result: str = ""
    """What the tool gave back."""
    error: str = ""
    """Why the call failed, as the agent was told; empty: it did not."""
    seconds: float = 0.0
    left_out: int = 0
    """Of the last step that is kept: how many came after it."""

    @property
    def words(self) -> str:
        """All of it on one line, whatever its length."""
        call = f"{self.tool}({self.arguments}) → {f'failed: {self.error}' if self.error else self.result}" if self.tool else ""
        return " ".join(" ".join(filter(None, (self.said, call))).split()) or NOTHING


def kept_steps(steps: Sequence[Step], *, limit: int = MOST, longest: int = LONGEST) -> tuple[Step, ...]:
    """The first of these steps with the first characters of their texts, as many as a record or a page is to hold.

    >>> [(step.said, step.left_out) for step in kept_steps([Step("a"), Step("b"), Step("c")], limit=2)]
    [('a', 0), ('b', 1)]
    """
    first = list(steps[:limit])
    most = max(_SHORTEST, min(longest, MOST_CHARACTERS // max(1, 4 * len(first))))
    found = [_shortened(step, most) for step in first]
    if len(steps) > limit:
        after = sum(1 + step.left_out for step in steps[limit:])
        found[-1] = replace(found[-1], left_out=found[-1].left_out + after)
    return tuple(found)


def _shortened(step: Step, most: int) -> Step:
    return replace(
        step,
        said=_cut(step.said, most),
        tool=_cut(step.tool, _SHORTEST),
        arguments=_cut(step.arguments, most),
        result=_cut(step.result, most),
        error=_cut(step.error, most),
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def said(value: str) -> str:
    """The text of a prompt or a reply, the reason of an absence, else the JSON itself.

    Raises `ValueError` for what is no JSON.

    >>> said('{"text":"2 + 2?","system":""}'), said('{"attempts":1,"reason":"time-out"}'), said('"plain"'), said("[1,2]")
    ('2 + 2?', 'time-out', 'plain', '[1,2]')
    """
    found = json.loads(value)
    if isinstance(found, dict):
        for field in ("text", "reason"):
            if isinstance(found.get(field), str):
                return str(found[field])
    return found if isinstance(found, str) else value


def thought(value: str) -> str:
    """The thoughts before a reply, where the record has them apart from it; else nothing. Raises `ValueError` as `said` does.

    >>> thought('{"text":"12","thoughts":"10 + 2."}'), thought('{"text":"12"}')
    ('10 + 2.', '')
    """
    found = json.loads(value)
    told = found.get("thoughts") if isinstance(found, dict) else None
    return told if isinstance(told, str) else ""


def done(value: str) -> tuple[str, ...]:
    """What an agent did before a reply, a line a step; nothing where the record says nothing. Raises `ValueError` likewise.

    >>> done('{"text":"4","steps":[{"tool":"add","arguments":"[2, 2]","result":"4"}]}')
    ('add([2, 2]) → 4',)
    """
    found = json.loads(value)
    steps = found.get("steps") if isinstance(found, dict) else None
    try:
        return tuple(Step(**step).words for step in steps or ())
    except TypeError:
        raise ValueError("its steps are none") from None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model as it is about to be sent. Holds no secret."""

    model: str
    """As it stands in the request."""
    provider: str
    """Who offers it, by OpenTelemetry's list of names where that has one."""
    address: str = ""
    """Name or number of the server's machine; empty where it is not known."""
    port: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the request sets, by the names of the OpenAI-compatible protocol: `temperature`, `max_tokens` and so on."""
    system: str = ""
    """The system text, as it is sent."""


@runtime_checkable
class CallsModel(Protocol):
    """A candidate each of whose answers is one request to a model that is elsewhere."""

    def call(self, question: Prompt, /) -> ModelCall:
        """The request that this question becomes."""
        ...
