"""Candidates and the messages exchanged with them: prompts, replies, missing answers, steps of agents, model calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, TypeVar, runtime_checkable

from vivavoce.interview.forms.form import ReplyForm

Q_contra = TypeVar("Q_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)

OMITTED_AT_DEFAULT: Final = "omitted at default"
"""Key in the metadata of a rarely set field: at its default it is not written, so that records stay short."""

UNWRITTEN: Final = "unwritten"
"""Key in the metadata of a field that is never written, and so is not part of a record's key."""


class Candidate(Protocol[Q_contra, A_co]):
    """The system under examination: anything that has a stable name and answers questions.

    `answer` raises `TransportFault` when an attempt did not get through (the interview retries it), `CandidateMisconfigured`
    when no attempt ever can, and `CandidateUnreachable` when none can for now, e.g. without credit. The `hearing` of each error
    says whether the candidate may have heard the question; the default is that it has. A candidate never repairs an answer and
    never retries by itself. The cost of an answer is counted if it has a `usage`, as `Reply` has.
    A candidate that holds resources also has `async def close(self) -> None`; the code that made it closes it.
    """

    @property
    def name(self) -> str:
        """Stable from run to run: it is part of every record's key. Holds no secret."""
        ...

    async def answer(self, question: Q_contra, /) -> A_co:
        """Answer one question."""
        ...


RepeatReason = Literal["elsewhere", "same"]
"""Why a candidate may be asked again after the program ended: it runs elsewhere, so it did not end the program; or it always
gives the same answer, so asking again is not a second try."""


@runtime_checkable
class RepeatableCandidate(Protocol):
    """A candidate that may be asked a question again if the program ended before its answer came.

    For any other candidate the lost answer is an outcome of its own (`INTERRUPTED`). Asking again would give a second try to
    a candidate that ends the program whenever it would be wrong.
    """

    @property
    def asked_again(self) -> RepeatReason:
        """Why."""
        ...


def is_declared_deterministic(candidate: object) -> bool:
    """Whether the examiner declared that it gives equal answers to equal questions."""
    return getattr(candidate, "declared_deterministic", False) is True


def has_own_errors(candidate: object) -> bool:
    """Whether the examiner declared that the errors of its server are its own answers, a time-out included."""
    return getattr(candidate, "errors_are_own", False) is True


def is_deterministic(candidate: object) -> bool:
    """Whether it gives equal answers to equal questions, by its kind or by declaration, never by observation."""
    by_kind = isinstance(candidate, RepeatableCandidate) and candidate.asked_again == "same"
    return by_kind or is_declared_deterministic(candidate)


@runtime_checkable
class Recording(Protocol):
    """A candidate whose answers are known beforehand, so that no answer takes time."""

    @property
    def recorded(self) -> Mapping[str, str]:
        """All recorded answers, by question id."""
        ...


@runtime_checkable
class RepeatedRecording(Recording, Protocol):
    """A recording that may hold several answers to a question; the draw selects one of them."""

    @property
    def times(self) -> Mapping[str, int] | None:
        """The number of answers by question id; None: as many as the recording has."""
        ...

    async def answer_draw(self, question: Prompt, draw: int) -> Reply:
        """The answer with this number, from 0."""
        ...


CONCURRENCY: Final = 8
"""Default number of questions in flight."""


def usual_concurrency(candidate: object) -> int:
    """The default number of questions in flight for a candidate: its own `concurrency`, at least 1, if it has one."""
    return getattr(candidate, "concurrency", CONCURRENCY)


TIME_OUT: Final = 120.0
"""Default seconds for one attempt."""


def usual_time_out(candidate: object) -> float | None:
    """The default seconds for one attempt with a candidate: its own `time_out`, if it has one; None: no limit."""
    return getattr(candidate, "time_out", TIME_OUT)


@runtime_checkable
class EnforcesTimeout(Protocol):
    """A candidate that enforces the time-out itself, so that the time of transport does not count."""

    async def answer_within(self, question: Any, seconds: float | None, /) -> Any:
        """Like `answer`; raises `TimeoutError` if the answer takes longer."""
        ...


def takes_terminal(*candidates: object) -> bool:
    """Whether one of them uses the terminal, by its `at_terminal`, so that nothing else may write there."""
    return any(getattr(candidate, "at_terminal", False) for candidate in candidates)


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of answers so far.

    >>> Usage(tokens_in=10, tokens_out=5, money=0.001) + Usage(tokens_out=1)
    Usage(tokens_in=10, tokens_out=6, money=0.001)
    """

    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    """Cost in the currency of the candidate's prices; 0 without prices."""

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, self.money + other.money)


@runtime_checkable
class HasPrices(Protocol):
    """A candidate that knows its prices."""

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply; 0 if not given."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of a conversation: a question with its reply; in a worked example, with the right reply."""

    asked: str
    replied: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a candidate that speaks a language, with the whole conversation before it.

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
    """Worked examples, sent before the question as earlier turns (few-shot)."""
    first_tokens: int = field(default=0, metadata={OMITTED_AT_DEFAULT: True})
    """How many alternatives of the reply's first token to return with their log-probabilities; 0: none. A candidate that
    cannot do this leaves them out, or does not answer."""
    schema: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """JSON Schema of the reply, with the fields in their order, for a server that enforces it; empty: the reply is in words."""
    form: ReplyForm[Any] | None = field(default=None, metadata={UNWRITTEN: True}, compare=False)
    """How the reply must end and how it is read; the interview words this. None: the reply is taken as it is."""
    earlier: tuple[Exchange, ...] = field(default=(), metadata={OMITTED_AT_DEFAULT: True})
    """Earlier turns of this conversation, with the candidate's own replies (`requests.next_turn`); empty: it begins here."""

    @property
    def conversation(self) -> tuple[tuple[Literal["user", "assistant"], str], ...]:
        """All turns in order, the question last, without the system text."""
        rows: list[tuple[Literal["user", "assistant"], str]] = []
        for exchange in (*self.shown, *self.earlier):
            rows += [("user", exchange.asked), ("assistant", exchange.replied)]
        return (*rows, ("user", self.text))


PriorAttempt = Literal["", "turned away", "asked again", "fault"]
"""The result of an earlier attempt at the same question: nothing that matters; turned away, and by assumption unheard; a fault
of the service at the end of an earlier run, after which this run asked again; or a fault of a candidate that may have heard
it, so that any answer is a second try (see `faults`)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a candidate that speaks a language, word for word."""

    text: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """The model by the server's account; empty if it does not say."""
    finish: str = ""
    """Why the reply ended, in the server's word (`stop`, `length`, `content_filter`); empty if it does not say."""
    first_token: tuple[tuple[str, float], ...] = ()
    """Alternatives of the first token, each with its natural log-probability (at most 0); empty if not requested or not
    available."""
    thoughts: str = field(default="", metadata={OMITTED_AT_DEFAULT: True})
    """Its marked reasoning before the reply; never read as an answer."""
    steps: tuple[Step, ...] = field(default=(), metadata={OMITTED_AT_DEFAULT: True})
    """The agent's actions before it replied, in order; never read as an answer. Empty: it called no tool, or this is
    unknown."""
    further: Reply | None = field(default=None, metadata={UNWRITTEN: True})
    """The reply to the follow-up that asked for the final answer alone, a record of its own; None without a follow-up."""
    met: PriorAttempt = field(default="", metadata={UNWRITTEN: True}, compare=False)
    """The result of earlier attempts at this question, by the record of askings."""


INTERRUPTED: Final = "asked, and the program ended before an answer came"
"""Reason of a missing answer that a later run recorded, since the candidate may have ended the program itself."""
UNRECORDED: Final = "drawn more often than it was answered in the recording"
"""Reason of a missing answer in a recording, about which nothing else is known."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A missing answer. It is an outcome like any other: it is recorded, and scored by the room's rule."""

    reason: str
    """`time-out`, or the last message of the transport; never holds a secret."""
    attempts: int = 1
    met: PriorAttempt = field(default="", metadata={UNWRITTEN: True}, compare=False)
    """The same as in a reply."""
    by_service: bool = field(default=False, metadata={OMITTED_AT_DEFAULT: True})
    """Whether the service failed, so that this says nothing about the candidate."""

    @property
    def orphan(self) -> bool:
        """Whether the answer is unknown because the program ended first, or because a recording has no more."""
        return self.reason in (INTERRUPTED, UNRECORDED)


MOST: Final = 500
"""Steps of one reply that are kept."""
LONGEST: Final = 4_000
"""Characters of one text of a step that are kept."""
MOST_CHARACTERS: Final = 200_000
"""Most characters of all steps of one reply."""
NOTHING: Final = "(nothing in words)"
"""Shown for a step without words and without a tool call: a turn that only leads to the calls after it."""
_SHORTEST: Final = 100


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that an agent did: it said something, or called a tool.

    >>> Step(tool="add", arguments='{"a": 2, "b": 2}', result="4", seconds=0.01).words
    'add({"a": 2, "b": 2}) → 4'
    """

    said: str = ""
    """The agent's words, without a tool call or before it."""
    tool: str = ""
    """The name of the tool that it called; empty: none."""
    arguments: str = ""
    """Arguments of the call, as JSON or in the agent's words."""
    result: str = ""
    """The tool's result."""
    error: str = ""
    """The error that the agent got from the call; empty: the call succeeded."""
    seconds: float = 0.0
    left_out: int = 0
    """In the last kept step: how many steps came after it."""

    @property
    def words(self) -> str:
        """The whole step on one line, of any length."""
        call = f"{self.tool}({self.arguments}) → {f'failed: {self.error}' if self.error else self.result}" if self.tool else ""
        return " ".join(" ".join(filter(None, (self.said, call))).split()) or NOTHING


def kept_steps(steps: Sequence[Step], *, limit: int = MOST, longest: int = LONGEST) -> tuple[Step, ...]:
    """The first of these steps with the first characters of their texts, as many as a record or a page is to hold.

    >>> [(step.said, step.left_out) for step in kept_steps([Step("a"), Step("b"), Step("c")], limit=2)]
    [('a', 0), ('b', 1)]
    """
    first = list(steps[:limit])
    most = max(_SHORTEST, min(longest, MOST_CHARACTERS // max(1, 4 * len(first))))
    kept = [_shortened(step, most) for step in first]
    if len(steps) > limit:
        after = sum(1 + step.left_out for step in steps[limit:])
        kept[-1] = replace(kept[-1], left_out=kept[-1].left_out + after)
    return tuple(kept)


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

    Raises `ValueError` for values that JSON cannot hold.

    >>> said('{"text":"2 + 2?","system":""}'), said('{"attempts":1,"reason":"time-out"}'), said('"plain"'), said("[1,2]")
    ('2 + 2?', 'time-out', 'plain', '[1,2]')
    """
    document = json.loads(value)
    if isinstance(document, dict):
        for field in ("text", "reason"):
            if isinstance(document.get(field), str):
                return str(document[field])
    return document if isinstance(document, str) else value


def thought(value: str) -> str:
    """The thoughts before a reply, if the record has them separately; otherwise empty. Raises `ValueError` as `said` does.

    >>> thought('{"text":"12","thoughts":"10 + 2."}'), thought('{"text":"12"}')
    ('10 + 2.', '')
    """
    document = json.loads(value)
    text = document.get("thoughts") if isinstance(document, dict) else None
    return text if isinstance(text, str) else ""


def done(value: str) -> tuple[str, ...]:
    """An agent's actions before a reply, one line per step; empty if the record has no steps. Raises `ValueError` too.

    >>> done('{"text":"4","steps":[{"tool":"add","arguments":"[2, 2]","result":"4"}]}')
    ('add([2, 2]) → 4',)
    """
    document = json.loads(value)
    steps = document.get("steps") if isinstance(document, dict) else None
    try:
        return tuple(Step(**step).words for step in steps or ())
    except TypeError:
        raise ValueError("its steps are not valid") from None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model as it is about to be sent. Holds no secret."""

    model: str
    """The model, as in the request."""
    provider: str
    """The provider, by OpenTelemetry's name if it has one."""
    address: str = ""
    """Name or number of the server's machine; empty if it is not known."""
    port: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the request, by the names of the OpenAI-compatible protocol: `temperature`, `max_tokens` and so on."""
    system: str = ""
    """The system text as sent."""


@runtime_checkable
class ModelCaller(Protocol):
    """A candidate whose every answer is one request to a remote model."""

    def call(self, question: Prompt, /) -> ModelCall:
        """The request that this question becomes."""
        ...
