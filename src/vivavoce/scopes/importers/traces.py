"""Converts what users asked an application into rows of a question file: from traces, chats and logs.

A conversation gives one row: the first question of its user, with the system prompt. Questions that are equal but for white
space and case are one row, whose weight is how often they were asked. So questions are drawn as users ask them. What the model
replied then is not read, since nothing says whether it was right: a rubric does that for all questions.

Alternatively each call is a row, with the turns before it. Calls of one conversation, or of one trace where none is named, are
a cluster then: they say much the same.

Identifiers of people are replaced before anything is written (`deidentification`), in error messages, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, whole_json
from vivavoce.formats.records import ROWS, records
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.scopes.importers.conversion import Conversion, SourceRow, converted
from vivavoce.scopes.importers.spans import CALLS, EXPORT, OPERATION, SpanCall, calls_of_export
from vivavoce.scopes.question_rows import QuestionMessages, conversation_of
from vivavoce.scopes.questions import LONGEST_RUBRIC, Question

ASKED: Final = ("messages", "question", "prompt")
"""Columns of a file of chats, one of which has what was asked."""
CONVERSATIONS: Final = ("conversation_id", "session_id", "thread_id")
"""Columns that name the conversation of a row; without one, each row is its own."""
_SYSTEM: Final = ("system", "developer")
_ID: Final = 12
"""Hexadecimal digits of a question's id."""

Replace = Callable[[str], str]
"""Replaces identifiers of people in a text, such as a `Deidentifier`."""


def from_calls(file: Path, calls: Iterable[SpanCall], rubric: str, hide: Replace, *, every_call: bool = False) -> Conversion:
    """The questions of users among these calls, such as those of `calls_of`.

    Parameters
    ----------
    file: where they are from.
    rubric: what earns points, for a judge or for people.
    hide: replaces identifiers of people.
    every_call: whether each call is a question, with the turns before it, and not only the first question of a conversation.

    Raises `BadFile` without calls, and `BadInput` for a rubric that is empty or too long.
    """
    if not 0 < len(rubric.strip()) <= LONGEST_RUBRIC:
        raise BadInput(f"a rubric of {len(rubric.strip()):,} characters: give 1 to {LONGEST_RUBRIC:,}")
    listed = list(calls)
    if not listed:
        raise BadFile(file, f"has no span of a model call ({OPERATION} {', '.join(CALLS)})")
    return converted(_every_call(listed, rubric, hide) if every_call else _first_questions(listed, rubric, hide))


def is_log(file: Path) -> bool:
    """Whether the file is a log of Inspect: by its name, or by what is in a `.json` file."""
    if file.suffix == ".json":
        value = whole_json(file)
        return isinstance(value, Mapping) and EXPORT not in value and "eval" in value
    return file.suffix == ".eval"


def calls_of(file: Path) -> Iterator[SpanCall]:
    """The calls in a file of traces (OTLP in JSON), or the rows of a file of chats. Raises `BadFile`."""
    form = ending(file, ROWS)
    if form == ".json" and isinstance(value := whole_json(file), Mapping):
        yield from calls_of_export(YamlSource(file, None), value)
        return
    for line, record in records(file):
        source = YamlSource(file, None, first=line)
        if form in JSON_LINES and EXPORT in record:
            yield from calls_of_export(source, record)
        else:
            yield _chat(source, line, record)


def _chat(source: YamlSource, line: int, record: Mapping[str, Any]) -> SpanCall:
    """A row of a file of chats; a request of a batch has its messages in `body`."""
    body = record.get("body")
    values = {**body, **record} if isinstance(body, Mapping) else record
    asked = next((values[name] for name in ASKED if values.get(name) not in (None, "")), None)
    if not any(name in values for name in ASKED):
        raise source.wrong(
            f"is not an export of traces: it needs '{EXPORT}', as in OTLP's JSON; a row of chats has one of {', '.join(ASKED)}"
        )
    conversation = next((str(values[name]) for name in CONVERSATIONS if values.get(name) not in (None, "")), "")
    messages = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    problem = f"nothing in {', '.join(name for name in ASKED if name in values)}" if asked is None else ""
    return SpanCall(source, f"row {line}", str(line), conversation, 0, messages, problem)


def _first_questions(calls: Sequence[SpanCall], rubric: str, hide: Replace) -> Iterator[SourceRow | BadFile]:
    """A row for each different question that a user asked first, and a problem for each conversation without one."""
    conversations: dict[str, SpanCall] = {}
    for index, call in enumerate(calls):
        name = f"named {call.conversation}" if call.conversation else f"own {index}"
        earlier = conversations.get(name)
        if earlier is None or (bool(call.problem), call.start) < (bool(earlier.problem), earlier.start):
            conversations[name] = call
    rows: dict[str, SourceRow] = {}
    times: Counter[str] = Counter()
    for call in conversations.values():
        try:
            first = _hidden(_first(_readable(call)), hide)
        except BadInput as error:
            yield _problem(call, error, hide)
            continue
        folded = canonical_json([" ".join(text.split()).casefold() for text in (first.system, first.asked)])
        question = Question(digest_of(folded)[:_ID], first.asked, rubric=rubric, system=first.system)
        rows.setdefault(folded, SourceRow(call.source, (), hide(call.name), question))
        times[folded] += 1
    for folded, row in rows.items():
        yield row._replace(question=replace(row.question, weight=float(times[folded])))


def _every_call(calls: Sequence[SpanCall], rubric: str, hide: Replace) -> Iterator[SourceRow | BadFile]:
    """A row for each call, with the turns before it."""
    sizes = Counter(call.conversation for call in calls if call.conversation)
    # a conversation's name may be a person's, so clusters are numbered
    clusters = {name: f"c{number}" for number, name in enumerate(sizes, 1)}
    for call in calls:
        try:
            messages = _hidden(conversation_of(_readable(call)), hide)
        except BadInput as error:
            yield _problem(call, error, hide)
            continue
        cluster = clusters[call.conversation] if sizes[call.conversation] > 1 else ""
        id_ = hide(call.id)
        question = Question(
            id_, messages.asked, cluster=cluster, rubric=rubric, system=messages.system, earlier=messages.earlier
        )
        yield SourceRow(call.source, (), hide(call.name), question)


def _readable(call: SpanCall) -> Any:
    if call.problem:
        raise BadInput(call.problem)
    return call.messages


def _first(messages: Any) -> QuestionMessages:
    """The first question of the user, with the system prompt. Raises `BadInput`."""
    if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
        return conversation_of(messages)  # which says what is needed
    system = [message for message in messages[:1] if message.get("role") in _SYSTEM]
    asked = next((message for message in messages if message.get("role") == "user"), None)
    if asked is None:
        raise BadInput("has no message of the user: give conversations that a user began")
    return conversation_of([*system, asked])


def _hidden(messages: QuestionMessages, hide: Replace) -> QuestionMessages:
    """All texts without identifiers of people."""
    earlier = tuple((hide(asked), hide(replied)) for asked, replied in messages.earlier)
    return QuestionMessages(hide(messages.asked), hide(messages.system), earlier)


def _problem(call: SpanCall, error: BadInput, hide: Replace) -> BadFile:
    return call.source.wrong(f"{hide(call.name)}: {error}")
