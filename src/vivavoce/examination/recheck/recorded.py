"""The scopes of a record, found by address or digest, and candidates whose answers come from a record alone.

Such a candidate has the recorded name and its properties, and answers nothing itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from vivavoce.candidates.chat.options import ChatOptions, preset_of
from vivavoce.candidates.options import read_options
from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.design.extension import Extension
from vivavoce.errors import BadInput, NotAtHand, NotOnRecord
from vivavoce.examination.part import EngineOpener, OpenedTask
from vivavoce.examination.parts.chess import PLAYED_AT, SELF_PLAY_TOPIC
from vivavoce.formats.task_name import is_task
from vivavoce.formats.wording import clipped
from vivavoce.interview.budget import Budget, Limits
from vivavoce.interview.candidate import Candidate, Prompt, RepeatReason, Reply
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.drawing import BlockPlan
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.interview import Interview
from vivavoce.interview.question_runner import FURTHER_TURN
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.scope import Scope
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import BUILT_IN, open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.questions import Question

_SAME: Final = ("bot", "replay", "hf", "trained")
_DECLARED: Final = "deterministic=yes"
_ALL: Final[tuple[ReplyFormat, ...]] = ("text", "schema", "turn")
RECORDED: Final[Mapping[str, tuple[ReplyFormat, ...]]] = {
    "replay": ("text",),
    "results": ("text", "turn"),
    "transcript": ("text", "turn"),
    "log": ("text",),
}
"""Kinds of recordings, and how they can be asked."""


class SilentCandidate:
    """A candidate that is not available; its answers are on record."""

    converses: bool = True
    """A candidate that sees no earlier turns was refused before anything was asked."""

    def __init__(self, name: str, *, asked_again: RepeatReason, ways: tuple[ReplyFormat, ...], source: str = "") -> None:
        self.name = name
        self.source_digest = source
        self.asked_again = asked_again
        self.ways = ways
        self.declared_deterministic = _DECLARED in name.partition("?")[2].split("&")

    async def answer(self, question: Prompt, /) -> Reply:
        """Raises `NotOnRecord`."""
        raise NotOnRecord(f"{self.name} is not asked: the record alone is read")


class SilentServer(SilentCandidate):
    """A candidate whose server may have refused parameters."""

    def __init__(self, name: str, *, ways: tuple[ReplyFormat, ...], never_sent: frozenset[str]) -> None:
        super().__init__(name, asked_again="elsewhere", ways=ways)
        self.never_sent = never_sent


class SilentRecording(SilentCandidate):
    """A recording; the questions that it has answers to matter to comparisons only."""

    def __init__(self, name: str, *, ways: tuple[ReplyFormat, ...], recorded: Mapping[str, str]) -> None:
        super().__init__(name, asked_again="same", ways=ways)
        self.recorded = recorded

    @property
    def times(self) -> None:
        """The number of recorded answers to each question."""
        return

    async def answer_draw(self, question: Prompt, draw: int) -> Reply:
        """Raises `NotOnRecord`."""
        return await self.answer(question)


def silent(
    name: str, transcript: Transcript, source: str = "", recorded: Mapping[str, str] = MappingProxyType({})
) -> Candidate[Prompt, Reply]:
    """The candidate of that name, with that source, as recorded. Nothing of the name is opened, run or sent.

    source: the digest that its answers are on record with; empty where there is none.
    recorded: for a recording, the questions that it answers, by id.

    Raises `BadInput` for a server's name with invalid options.

    >>> silent("chat:m@http://localhost:1/v1?preset=anthropic", Transcript.open(None)).ways
    ('text', 'turn')
    """
    kind, _, rest = name.partition(":")
    if kind == "chat":
        preset = preset_of(read_options(rest.partition("?")[2], ChatOptions, of="chat"))
        never_sent = preset.never_sent if preset else frozenset[str]()
        ways: tuple[ReplyFormat, ...] = ("text", "turn") if "response_format" in never_sent else _ALL
        return SilentServer(name, ways=ways, never_sent=never_sent)
    if kind == "inspect":
        return SilentServer(name, ways=_ALL, never_sent=frozenset())
    deterministic = kind == "function" and name.partition("?")[2] == _DECLARED
    again: RepeatReason = "same" if kind in _SAME or deterministic else "elsewhere"
    if kind in RECORDED:
        return SilentRecording(name, ways=RECORDED[kind], recorded=recorded)
    known = kind in (*_SAME, "function")
    return SilentCandidate(
        name, asked_again=again, ways=("text",) if known else _ways_on_record(name, transcript), source=source
    )


def _ways_on_record(name: str, transcript: Transcript) -> tuple[ReplyFormat, ...]:
    """How an unknown kind of candidate was asked: in words, unless the record has a schema or a follow-up."""
    values: dict[ReplyFormat, None] = {"text": None}
    for record in transcript.records(candidate=name):
        if '"schema":"{' in record.question:
            values["schema"] = None
        if record.topic.endswith(FURTHER_TURN):
            values["turn"] = None
    return tuple(reply_format for reply_format in _ALL if reply_format in values)


def read_again(
    candidate: Candidate[Prompt, Reply],
    transcript: Transcript,
    *,
    asking: object,
    strict_faults: object = False,
    budget: Limits | None = None,
    concurrency: int | None = None,
    blocks: BlockPlan | None = None,
) -> Interview[Prompt, Reply]:
    """An interview that reads the record alone.

    Parameters
    ----------
    candidate: as `silent` makes it.
    asking, strict_faults: settings of the record; an unknown value counts as missing.
    concurrency: questions in flight; None: as many as usual.
    """
    reply_format: ReplyFormat | None = next((known for known in _ALL if known == asking), None)
    return Interview(
        candidate,
        answers=Reply,
        transcript=transcript,
        concurrency=concurrency,
        budget=Budget() if budget is None else budget,
        settings=AskSettings(blocks=blocks, reply_format=reply_format, strict_faults=strict_faults is True, from_record=True),
    )


class SilentEngine:
    """An engine that is not available; its evaluations are on record."""

    size = 64
    concurrency = 1

    def __init__(self, name: str) -> None:
        self.name = name

    async def answer_all(self, questions: Sequence[Position], /) -> Sequence[Evaluation]:
        """Raises `NotOnRecord`."""
        raise NotOnRecord(f"the record lacks evaluations by {self.name}, such as of {questions[0].fen}")

    async def close(self) -> None:
        """Nothing to close."""


def silent_engines(name: str, transcript: Transcript) -> EngineOpener:
    """Open the engine of that name as recorded; with another number of nodes, the engine that played the games."""

    def opened(given: str, /, *, workers: int) -> SilentEngine:
        if not given.endswith(f"nodes={PLAYED_AT}"):
            return SilentEngine(name)
        return SilentEngine(_player(name, transcript))

    return opened


def _player(name: str, transcript: Transcript) -> str:
    """The engine that played the games: the same program and options, except for nodes and hash memory."""
    played = {record.candidate for record in transcript.records(topic=SELF_PLAY_TOPIC)}
    texts = sorted(text for text in played if _unsized(text) == _unsized(name) and f"nodes={PLAYED_AT}&" in f"{text}&")
    if len(texts) != 1:
        raise NotOnRecord(f"the record has games of {len(texts)} engines that may have played for {name}")
    return texts[0]


def _unsized(name: str) -> frozenset[str]:
    program, _, query = name.partition("?")
    pairs = (pair for pair in query.split("&") if pair.partition("=")[0] not in ("nodes", "hash"))
    return frozenset((program, *pairs))


class Scopes:
    """The available scopes.

    Parameters
    ----------
    given: addresses as `viva certify --scope` takes them, or scopes themselves.

    >>> found = open_scope("arithmetic?digits=2")
    >>> Scopes(()).find("arithmetic?digits=2", found.digest).name
    'arithmetic?digits=2'
    """

    def __init__(self, given: Sequence[str | Scope[Question]], *, extension: Extension | None = None) -> None:
        self._given = given
        self._extension = extension
        self._known: dict[str, Any] | None = None

    def find(self, title: str, digest: str) -> Any:
        """The scope with that digest, under its title in the record. Raises `NotAtHand` with the digest if it is missing."""
        scope = self._all().get(digest) or self._built_in(title, digest)
        if scope is None:
            raise self._needed(title, digest)
        return self.titled(scope, title)

    def beginning(self, title: str, digest: str) -> Any:
        """The scope whose digest begins like this, under its title in the record. Raises `NotAtHand` if it is missing."""
        given = next((scope for known, scope in self._all().items() if known.startswith(digest)), None)
        whole = given.digest if given is not None else self._built_in_digest(title, digest)
        return self.find(title, whole or digest)

    def extended(self, extension: Extension) -> Scopes:
        """The same with a longer list of unacceptable answers."""
        return Scopes(self._given, extension=extension)

    def _opened(self, given: str | Scope[Question]) -> list[Any]:
        results, extension = _opened(given), self._extension
        return results if extension is None else [extension.scope(scope) for scope in results]

    @staticmethod
    def titled(scope: Any, title: str) -> Any:
        """The scope under its title in the record."""
        return replace(scope, name=title)

    @property
    def opened(self) -> Sequence[Any]:
        """The given scopes."""
        return list(self._all().values())

    def address(self, title: str, digest: str) -> str:
        """The given address of the scope with that digest; its title must match, apart from folders."""
        for given in self._given:
            if isinstance(given, str) and brief(given) == title and digest in {scope.digest for scope in _opened(given)}:
                return given
        if is_task(title) and (task := self._all().get(digest)) is not None:
            return str(task.name)
        raise self._needed(title, digest)

    def tasks(self, names: Collection[str], digests: Collection[str]) -> Mapping[str, OpenedTask]:
        """The given scopes with these names and digests that are tasks of Inspect."""
        results = (scope for scope in self.opened if is_task(scope.name) and scope.name in names and scope.digest in digests)
        return {scope.name: OpenedTask(scope) for scope in results}

    def _needed(self, title: str, digest: str) -> NotAtHand:
        given = "; none of the given scopes has it" if self._given else ""
        return NotAtHand(
            f"the scope '{clipped(title, 200)}' with the digest {clipped(digest, 64)} is needed: give it with --scope{given}"
        )

    def _all(self) -> dict[str, Any]:
        if self._known is None:
            opened = [entry for given in self._given for entry in self._opened(given)]
            parts = [part for scope in opened for part in _parts(scope)]
            self._known = {scope.digest: scope for scope in (*parts, *opened)}
        return self._known

    def _built_in_digest(self, title: str, digest: str) -> str:
        """The full digest of a built-in scope whose digest begins like this; empty for other scopes."""
        if title.partition("?")[0] not in BUILT_IN:
            return ""
        return next((scope.digest for scope in self._opened(title) if scope.digest.startswith(digest)), "")

    def _built_in(self, title: str, digest: str) -> Any:
        if title.partition("?")[0] not in BUILT_IN:
            return None
        return next((scope for scope in self._opened(title) if scope.digest == digest), None)


def _opened(given: str | Scope[Question]) -> list[Any]:
    """The scope opened under either rule for a score of 0; the digest decides which one applies."""
    if not isinstance(given, str):
        return [given]
    return [open_scope(given, zero_is_unacceptable=strict) for strict in (False, True)]


def _parts(scope: Any) -> tuple[ListedScope, ...]:
    """Its categories as scopes; none if it has no categories."""
    if not isinstance(scope, ListedScope):
        return ()
    try:
        return by_category([scope])
    except BadInput:
        return ()
