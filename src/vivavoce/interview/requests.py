"""Requests: the wording of a question for its candidate, its digest on record, and callers that share one answer.

Also the outcome of a question, and how questions and answers are written to the record as JSON and read from it.
"""

from __future__ import annotations

import asyncio
import json
import math
import operator
from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, Generic, TypeVar, cast, get_args

from pydantic import TypeAdapter, ValidationError

from vivavoce.errors import BadInput, TranscriptDamaged, refused_parameter
from vivavoce.formats.identity import Identity
from vivavoce.interview.candidate import (
    OMITTED_AT_DEFAULT,
    UNWRITTEN,
    Candidate,
    Exchange,
    NoAnswer,
    Prompt,
    Recording,
    Reply,
    Usage,
)
from vivavoce.interview.candidate_kinds import ParameterRefuser
from vivavoce.interview.forms.form import ReplyForm, ReplyFormat
from vivavoce.interview.record import Entry, Key, Record, canonical_json, digest_of

Q = TypeVar("Q")
A = TypeVar("A")

LONGEST_REASON: Final = 300
"""Maximal characters of a recorded reason."""

_LARGEST_COUNT: Final = 2**63 - 1  # the largest integer of a database
_ANYTHING: Final[TypeAdapter[Any]] = TypeAdapter(Any)
_ABSENCE: Final = TypeAdapter(NoAnswer)


_adapter = lru_cache(maxsize=16)(TypeAdapter)
"""Creating an adapter takes as long as three questions."""


@dataclass(frozen=True, slots=True)
class QuestionOutcome(Generic[A]):
    """The outcome of a question: its answer, or why there is none, with its cost."""

    answer: A | NoAnswer
    usage: Usage
    seq: int = 0
    """Number of its record; 0 before it has one."""
    missing: str = ""
    """The question as JSON, if only the record is read and it has no answer."""
    on_record: bool = False
    """Whether it was on record before it was needed, so that the candidate was not asked."""
    again: bool = False
    """Whether an earlier run had asked it, and ended before an answer came."""
    seconds: float = 0.0
    """From the first attempt to the outcome, by its record; includes a follow-up."""
    put: object = None
    """The question as sent, if a listener needs it."""


def missing_on_record(question: str) -> QuestionOutcome[Any]:
    """The outcome of a question, given as JSON, if only the record is read and it is not there."""
    return QuestionOutcome(NoAnswer("not on record"), Usage(), missing=question)


class Notation(Generic[A]):
    """Writes answers of one type as canonical JSON, and reads them."""

    def __init__(self, answers: type[A]) -> None:
        self._answers: TypeAdapter[A] = _adapter(answers)  # type: ignore[arg-type]  # types can be hashed

    def write(self, answer: A | NoAnswer) -> tuple[QuestionOutcome[A], str]:
        """The outcome with its JSON, exactly as it will be read; an answer that JSON cannot hold becomes a `NoAnswer`."""
        if not isinstance(answer, NoAnswer):
            try:
                written = self._answers.dump_python(answer, mode="json", warnings="error", exclude=_unwritten(answer))
                text = canonical_json(written)
                return QuestionOutcome(self._answers.validate_json(text), _checked(getattr(answer, "usage", None))), text
            except (TypeError, ValueError, RecursionError) as error:
                answer = NoAnswer(bounded(f"the answer cannot be recorded: {error}"))
        return QuestionOutcome(answer, Usage()), canonical_json(
            _ABSENCE.dump_python(answer, mode="json", exclude=_unwritten(answer))
        )

    def read(self, record: Record, *, on_record: bool = False, again: bool = False) -> QuestionOutcome[A]:
        """The outcome of this record. Raises `TranscriptDamaged` if it has another type."""
        usage = Usage(record.tokens_in, record.tokens_out, record.money)
        adapter: TypeAdapter[Any] = _ABSENCE if record.kind == "no answer" else self._answers
        try:
            answer = adapter.validate_json(record.answer)
        except ValidationError:
            raise TranscriptDamaged(f"{record} has no answer of the kind that {record.candidate} gives") from None
        return QuestionOutcome(answer, usage, record.seq, on_record=on_record, again=again, seconds=record.seconds)

    def entry(
        self, key: Key, answer: A | NoAnswer, *, topic: str, question: str, asked_at: str, seconds: float = 0.0
    ) -> tuple[QuestionOutcome[A], Entry]:
        """The outcome with its record entry; `question` as canonical JSON."""
        outcome, written = self.write(answer)
        usage = outcome.usage
        return outcome, Entry(
            *key,
            topic=topic,
            question=question,
            answer=written,
            kind="no answer" if isinstance(outcome.answer, NoAnswer) else "answer",
            asked_at=asked_at,
            seconds=float(seconds),
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            money=usage.money,
        )

    def recorded(self, outcome: QuestionOutcome[A], entry: Entry, record: Record) -> QuestionOutcome[A]:
        """The outcome by the record that counts for its entry: this one, or an earlier one of another program."""
        if record.answer == entry.answer and record.asked_at == entry.asked_at:
            return replace(outcome, seq=record.seq, seconds=record.seconds)
        return self.read(record)


def question_text(question: object) -> str:
    """A question as canonical JSON, whose digest is part of the record's key.

    Fields marked as `OMITTED_AT_DEFAULT` are left out at their default, those marked as `UNWRITTEN` always. Raises `BadInput`
    for values that JSON cannot hold.

    >>> question_text(("which?", [1, 2]))
    '["which?",[1,2]]'
    """
    try:
        return canonical_json(_ANYTHING.dump_python(question, mode="json", exclude=_unwritten(question)))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"a question of type {type(question).__name__} cannot be recorded: {error}") from None


def _unwritten(value: object) -> set[str] | None:
    """Names of the fields of this value that are not written."""
    kind: Any = type(value)
    left_out = {name for name, never, default in _optional(kind) if never or getattr(value, name) == default}
    return left_out or None


@cache
def _optional(kind: Any) -> tuple[tuple[str, bool, object], ...]:
    """Fields of this type that may be left out: their names, whether they always are, and their defaults."""
    if not is_dataclass(kind):
        return ()
    marked = (field for field in fields(kind) if OMITTED_AT_DEFAULT in field.metadata or UNWRITTEN in field.metadata)
    return tuple((field.name, UNWRITTEN in field.metadata, field.default) for field in marked)


def bounded(reason: str) -> str:
    """A reason that fits the record, whatever text came from outside."""
    return reason[:LONGEST_REASON].encode("utf-8", "replace").decode()


def _checked(usage: object) -> Usage:
    """The cost by the answer's account. Raises `TypeError` or `ValueError` if it is impossible."""
    if not isinstance(usage, Usage):
        return Usage()
    tokens_in, tokens_out, money = operator.index(usage.tokens_in), operator.index(usage.tokens_out), float(usage.money)
    if not (0 <= tokens_in <= _LARGEST_COUNT and 0 <= tokens_out <= _LARGEST_COUNT and 0 <= money < math.inf):
        raise ValueError(f"it cannot have cost {tokens_in} and {tokens_out} tokens and {money} of money")
    return Usage(tokens_in, tokens_out, money)


def holds_conversation(candidate: object) -> bool:
    """Whether a candidate gets earlier turns; a recording looks up the answer to each turn by its id.

    A candidate without the reply format for it says so by `converses`.
    """
    if isinstance(candidate, Recording) or "turn" in reply_formats_of(candidate):
        return True
    return getattr(candidate, "converses", False) is True


def reply_formats_of(candidate: object) -> tuple[ReplyFormat, ...]:
    """The reply formats of a candidate, its `ways`; recordings, engines, people, bots and functions reply in words only."""
    formats: tuple[ReplyFormat, ...] = getattr(candidate, "ways", ("text",))
    return formats


def full_prompt(prompt: Prompt, reply_format: ReplyFormat = "text") -> Prompt:
    """The prompt as it is sent, with its form in words at the end; a prompt without a form does not change."""
    form = prompt.form
    if form is None:
        return prompt
    under_schema = reply_format == "schema"
    instruction = form.schema_instruction if under_schema else form.instruction
    # in the order of the form: the first field is written first, and later fields can rest on it
    schema = json.dumps(form.schema, ensure_ascii=False, separators=(",", ":")) if under_schema else ""
    return replace(prompt, text="\n\n".join(filter(None, (prompt.text, instruction))), schema=schema)


def follow_up_prompt(asked: Prompt, reply: Reply) -> Prompt:
    """The follow-up to an unparsed reply: the conversation so far, and a request for the final answer alone.

    Parameters
    ----------
    asked: the prompt as it was sent (`full_prompt`).
    """
    assert asked.form is not None
    exchange = Exchange(asked.text, reply.text)
    if asked.earlier:
        return replace(asked, text=asked.form.further, earlier=(*asked.earlier, exchange))
    return replace(asked, text=asked.form.further, shown=(*asked.shown, exchange))


def next_turn(asked: Prompt, reply: Reply, text: str, *, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
    """The next turn of a conversation, after the real one so far: the reply, and the reply to the follow-up, if any.

    Parameters
    ----------
    asked: the previous turn, as it was sent (`full_prompt`).
    text: the new question; the form is asked for again.

    >>> first = Prompt("Capital of Italy?", id="q")
    >>> next_turn(first, Reply("Rome."), "Are you sure?", id="q/sure/1").conversation
    (('user', 'Capital of Italy?'), ('assistant', 'Rome.'), ('user', 'Are you sure?'))
    """
    exchanges = [Exchange(asked.text, reply.text)]
    if reply.further is not None and asked.form is not None:
        exchanges.append(Exchange(asked.form.further, reply.further.text))
    return replace(asked, text=text, id=id, schema="", earlier=(*asked.earlier, *exchanges))


class Request(Generic[A]):
    """One question in flight, shared by all callers that asked it."""

    __slots__ = ("key", "on_new", "sharers", "task", "wanted")

    task: asyncio.Task[QuestionOutcome[A]]

    def __init__(self, key: Key) -> None:
        self.key = key
        self.sharers = 0
        self.wanted = asyncio.Event()
        """Set once the candidate may be asked."""
        self.on_new: Callable[[], None] = lambda: None
        """Called when the candidate is asked."""

    async def until_wanted(self) -> None:
        """Wait until the candidate may be asked."""
        await self.wanted.wait()
        self.on_new()


class SentQuestion(Generic[Q]):
    """One question as it is sent, with its text and digest on record."""

    __slots__ = ("digest", "given", "question", "text", "topic")

    def __init__(self, question: Q, topic: str, given: Q | None = None, *, written: tuple[str, str] | None = None) -> None:
        self.question = question
        self.given = question if given is None else given
        self.topic = topic
        self.text, self.digest = written or _written(question)

    @classmethod
    def in_form(cls, given: Q, topic: str, reply_format: ReplyFormat) -> SentQuestion[Q]:
        """A prompt with its form in words, or as a schema; recent ones are cached."""
        prompt, *written = _worded(Identity(given), reply_format)
        return cls(prompt, topic, given, written=(written[0], written[1]))


_FIELDS: Final = {
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "logprobs": "first_tokens",
    "top_logprobs": "first_tokens",
    "response_format": "schema",
}
"""Names of parameters at servers, with the fields of a prompt that set them."""
PROBE_TOPIC: Final = "probe"
PROBE: Final = "Reply with the word ready."
_DEFAULTS: Final[dict[str, Any]] = {field.name: field.default for field in fields(Prompt) if field.name in _FIELDS.values()}


class QuestionWording(Generic[Q]):
    """How questions are sent to one candidate: forms in words or as a schema, without parameters that its server refuses.

    Parameters
    ----------
    candidate: the system under examination.
    wished: the user's reply format; None: the form's own.
    probe: asks whether the server accepts a prompt's parameters, on record.
    """

    def __init__(
        self, candidate: Candidate[Q, Any], wished: ReplyFormat | None, probe: Callable[[Prompt], Awaitable[Any]]
    ) -> None:
        self.reply_formats = reply_formats_of(candidate)
        """Those that the candidate has."""
        self._wished = wished
        self._probe = probe
        self._may_refuse = isinstance(candidate, ParameterRefuser)
        never_sent = candidate.never_sent if isinstance(candidate, ParameterRefuser) else ()
        self._refused = {_FIELDS[name] for name in never_sent if name in _FIELDS}
        """Fields of prompts that are left out."""
        self._left_out: set[str] = set()
        """Those of them that a prompt had set."""
        self._taken: set[str] = set()
        self._lock = asyncio.Lock()

    @property
    def left_out(self) -> list[str]:
        """Parameters that prompts had set and the server refuses."""
        return sorted(self._left_out)

    def reply_format(self, form: ReplyForm[Any]) -> ReplyFormat:
        """The reply format for a form: words if the candidate does not have the wished one."""
        wished = form.way if self._wished is None else self._wished
        return wished if wished in self.reply_formats else "text"

    def sent(self, question: Q, topic: str) -> SentQuestion[Q]:
        """The question as it is sent: the form of a prompt becomes words, or a schema."""
        if not isinstance(question, Prompt) or question.form is None:
            return SentQuestion(question, topic)
        return SentQuestion.in_form(question, topic, self.reply_format(question.form))

    async def accepted(self, sent: SentQuestion[Q]) -> SentQuestion[Q]:
        """The question as the server accepts it, which a probe finds out if it is unknown."""
        if self._may_refuse and isinstance(sent.question, Prompt):
            await self._find_out(sent.question)
        return self._without_refused(sent)

    def digests(self, question: Q) -> set[str]:
        """All digests under which the question may be on record: for all reply formats, with and without refused parameters."""
        variants: list[SentQuestion[Q]] = [SentQuestion(question, "")]
        if isinstance(question, Prompt) and question.form is not None:
            variants = [SentQuestion.in_form(question, "", reply_format) for reply_format in get_args(ReplyFormat)]
        return {sent.digest for variant in variants for sent in (variant, self._without_refused(variant))}

    def as_sent(self, prompt: Prompt) -> Prompt:
        """A prompt as it was sent: its form in words, or as a schema if the server takes one."""
        if prompt.form is None:
            return prompt
        reply_format = self.reply_format(prompt.form)
        return full_prompt(prompt, "text" if reply_format == "schema" and "schema" in self._refused else reply_format)

    async def _find_out(self, prompt: Prompt) -> None:
        """Ask the server about the parameters of this prompt, unless they are known."""
        parameters = _parameters_of(prompt)
        if not parameters <= self._taken | self._refused:
            async with self._lock:
                while unsettled := parameters - self._taken - self._refused:
                    probe = Prompt(PROBE, id=PROBE_TOPIC, **{name: getattr(prompt, name) for name in sorted(unsettled)})
                    answer = await self._probe(probe)
                    name = _FIELDS.get(refused_parameter(answer.reason), "") if isinstance(answer, NoAnswer) else ""
                    if name in unsettled:
                        self._refused.add(name)
                    else:
                        self._taken |= unsettled
        self._left_out |= parameters & self._refused

    def _without_refused(self, sent: SentQuestion[Q]) -> SentQuestion[Q]:
        """The question without the parameters that the server is known to refuse, and in words if it takes no schema."""
        if not self._refused or not isinstance(sent.question, Prompt) or not isinstance(sent.given, Prompt):
            return sent
        in_words = sent.question.schema and "schema" in self._refused
        prompt = full_prompt(sent.given, "text") if in_words else sent.question
        accepted = replace(prompt, **{name: _DEFAULTS[name] for name in _parameters_of(prompt) & self._refused})
        return sent if accepted == sent.question else SentQuestion(cast("Q", accepted), sent.topic)


def _parameters_of(prompt: Prompt) -> set[str]:
    """The fields that set parameters of the request."""
    return {name for name, default in _DEFAULTS.items() if getattr(prompt, name) != default}


@lru_cache(maxsize=256)
def _worded(given: Identity[Any], reply_format: ReplyFormat) -> tuple[Any, str, str]:
    prompt = full_prompt(given.value, reply_format)
    return prompt, *_written(prompt)


def _written(question: object) -> tuple[str, str]:
    text = question_text(question)
    return text, digest_of(text)


_HEX_DIGITS: Final = 16
"""Compared digits of a digest, 64 bits: two of a million different questions share them with probability 3e-8. The later one
then has a higher draw number, in every run."""


class Occurrences:
    """Counts digests, in eight bytes per digest that occurs once.

    >>> drawn = Occurrences()
    >>> [drawn.add(digest) for digest in ("ab" * 32, "cd" * 32, "ab" * 32)], drawn["ab" * 32]
    ([0, 0, 1], 2)
    """

    def __init__(self) -> None:
        self._once = array("Q")
        """Ascending; repeated ones are counted separately."""
        self._repeated: Counter[int] = Counter()

    def __getitem__(self, digest: str) -> int:
        """How often a digest occurred."""
        start = int(digest[:_HEX_DIGITS], 16)
        index = bisect_left(self._once, start)
        return self._repeated[start] + (index < len(self._once) and self._once[index] == start)

    def add(self, digest: str) -> int:
        """Count a digest, and return how often it had occurred before."""
        before = self[digest]
        start = int(digest[:_HEX_DIGITS], 16)
        if before:
            self._repeated[start] += 1
        else:
            insort(self._once, start)
        return before
