"""Recorded answers as a candidate: `replay:FILE#COLUMN` finds them by the question's id, one per draw; logs have ids, too."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, cast
from urllib.parse import quote, unquote

from vivavoce.candidates.options import read_options
from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, UnknownName
from vivavoce.formats.bounds import MAX_LINE_BYTES
from vivavoce.formats.lines import JSON_LINES, ending, expanded, file_digest, json_lines, text_lines
from vivavoce.formats.records import COLUMNAR, Log, LoggedAnswer, columnar_rows, plain, with_score
from vivavoce.formats.tables import check_names
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import UNRECORDED, NoAnswer, Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat

Answers = TypeVar("Answers")


@dataclass(frozen=True, slots=True)
class ReplayedAnswer:
    """The recorded answer to one question."""

    first: Reply | NoAnswer
    further: Reply | None = None
    """The reply to the follow-up that asked for the final answer alone."""


class RecordedReplies:
    """Repeats one recorded answer to each question."""

    asked_again: RepeatReason = "same"
    ways: tuple[ReplyFormat, ...] = ("text",)
    lack: ClassVar[str] = "has no answer to question '{id}' in these words"
    """The message for a question that was not asked."""

    def __init__(self, name: str, answers: Mapping[str, str | ReplayedAnswer]) -> None:
        self.name = name
        self._answers = answers

    @cached_property
    def recorded(self) -> Mapping[str, str]:
        """The first replies by question id; empty for a missing answer."""
        return {name: getattr(_first(answer), "text", "") for name, answer in self._answers.items()}

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self._answers)} answers>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The recorded answer. Raises `CandidateMisconfigured` for a question that was not asked."""
        return _said(question, self._answer_to(question, self._answers))

    def _answer_to(self, question: Prompt, answers: Mapping[str, Answers]) -> Answers:
        try:
            return answers[question.id]
        except KeyError:
            raise CandidateMisconfigured(f"{self.name} {self.lack.format(id=question.id[:80])}") from None


def _first(answer: str | ReplayedAnswer) -> Reply | NoAnswer:
    return Reply(answer) if isinstance(answer, str) else answer.first


def _said(question: Prompt, answer: str | ReplayedAnswer) -> Reply:
    """The reply to a question, or to its follow-up. A `NoAnswer` is returned as it is: the interview recognizes it."""
    if isinstance(answer, ReplayedAnswer) and question.form is not None and question.text == question.form.further:
        return answer.further or Reply("")
    return cast("Reply", _first(answer))


class RepeatedReplies(RecordedReplies):
    """Repeats recorded answers, each once, in their order in the recording.

    If a question is drawn more often than it was answered, the answer is unknown and may be worth anything.

    >>> import asyncio
    >>> candidate = RepeatedReplies("replay:a.csv#x", {"q": [ReplayedAnswer(Reply("1")), ReplayedAnswer(Reply("2"))]})
    >>> [asyncio.run(candidate.answer_draw(Prompt("?", id="q"), draw)) for draw in (1, 2)]  # doctest: +ELLIPSIS
    [Reply(text='2'...), NoAnswer(reason='drawn more often than it was answered in the recording'...)]
    """

    def __init__(
        self, name: str, answers: Mapping[str, Sequence[ReplayedAnswer]], ways: tuple[ReplyFormat, ...] = ("text",)
    ) -> None:
        super().__init__(name, {question: given[0] for question, given in answers.items()})
        self.ways = ways
        self._draws = answers

    @cached_property
    def times(self) -> Mapping[str, int]:
        """How many answers there are, by question id."""
        return {name: len(answers) for name, answers in self._draws.items()}

    def __repr__(self) -> str:
        return f"<{self.name}, {sum(self.times.values())} answers to {len(self.times)} questions>"

    async def answer_draw(self, question: Prompt, draw: int) -> Reply:
        """The answer with this number, from 0. Raises `CandidateMisconfigured` for a question that was not asked."""
        answers = self._answer_to(question, self._draws)
        return _said(question, answers[draw]) if draw < len(answers) else cast("Reply", NoAnswer(UNRECORDED))


ID_COLUMNS = ("id", "question_id")
"""Columns of ids, the first of them that exists, unless `?id=` names another one; without any, a row's id is its number."""
DRAW_COLUMNS = ("draw", "epoch")
"""In a file with such a column, an id may repeat: its rows are its answers, in order."""
_FORMATS = (".csv", ".tsv", *JSON_LINES, *COLUMNAR)


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Options after the `?`."""

    id: str = ""
    """The column with the ids of the questions."""
    sha256: str = ""
    """First digits of the file's SHA-256, as a name shows them: a changed file is refused."""


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """One record of a file and the line on which it begins."""

    line: int
    values: dict[str, Any]


def open_replay(target: str, query: str) -> Replay | RepeatedReplies:
    """The candidate `replay:TARGET?QUERY`, where the target is `FILE#COLUMN`.

    Raises `BadFile` for a file that cannot be read or holds an id twice, and `UnknownName` for a column that it does not have.
    """
    path, _, column = target.rpartition("#")
    file = expanded(path or target)
    if not path or not column:
        raise BadInput(f"'replay:' needs a column: replay:{file.name}#COLUMN; the file has {', '.join(columns_of(file))}")
    [(name, answers)] = _replays(file, [column], query, several=True)
    if all(len(given) == 1 for given in answers.values()):
        return Replay(name, {question: given[0] for question, given in answers.items()})
    return RepeatedReplies(
        name, {question: [ReplayedAnswer(Reply(text)) for text in given] for question, given in answers.items()}
    )


def open_replays(file: Path, wanted: Sequence[str], query: str) -> list[Replay]:
    """Open several columns of one file, which is read once. Each id must be unique."""
    replays = _replays(file, wanted, query, several=False)
    return [Replay(name, {question: given[0] for question, given in answers.items()}) for name, answers in replays]


def _replays(file: Path, wanted: Sequence[str], query: str, *, several: bool) -> list[tuple[str, dict[str, list[str]]]]:
    """Names of candidates, and their answers by question.

    several: whether a question may have several answers, numbered in a column.
    """
    options, columns = read_options(query, ReplayOptions, of="replay"), columns_of(file)
    for column in wanted:
        if column not in columns:
            raise UnknownName(f"column of {file.name}", column, columns)
    if options.id and options.id not in columns:
        raise UnknownName(f"column of {file.name}", options.id, columns)
    digest = file_digest(file)
    if not digest.startswith(options.sha256.lower()):
        raise BadFile(file, f"has changed: its SHA-256 begins with {digest[:12]}, not {options.sha256}; leave ?sha256= out")
    id_column = options.id or next((name for name in ID_COLUMNS if name in columns), "")
    named = f"id={options.id}&" if options.id else ""
    answers = _answers(file, wanted, id_column, several=several and any(name in columns for name in DRAW_COLUMNS))
    return [(f"replay:{file.name}#{text}?{named}sha256={digest[:12]}", answers[text]) for text in wanted]


class Replay(RecordedReplies):
    """Gives the recorded answer to each question. An empty cell is an empty reply.

    The name holds the file's own name and digest, not the folder: equal names mean equal answers in any folder.
    """

    lack = (
        "has no answer to question '{id}': the recording must cover the scope, and ?id= must name the column with the scope's "
        "ids"
    )


def _answers(file: Path, columns: Sequence[str], id_column: str, *, several: bool) -> dict[str, dict[str, list[str]]]:
    """Answers by column and question id."""
    answers: dict[str, dict[str, list[str]]] = {column: {} for column in columns}
    lines: dict[str, int] = {}
    for number, row in enumerate(recorded_rows(file), start=1):
        if id_column and _cell(row.values.get(id_column)) == "":
            raise BadFile(file, f"the id in column '{id_column}' is missing", line=row.line)
        key = _cell(row.values[id_column]) if id_column else str(number)
        if key in lines and not several:
            raise BadFile(file, f"the id '{key[:80]}' is on line {lines[key]} already: ids must be unique", line=row.line)
        lines.setdefault(key, row.line)
        for column, of in answers.items():
            of.setdefault(key, []).append(as_unicode(_cell(row.values.get(column))))
    return answers


def _cell(value: Any) -> str:
    """A value as text: empty if missing, dates and times in ISO 8601, and structures as JSON."""
    if value is None:
        return ""
    value = plain(value)
    return value if isinstance(value, str) else json.dumps(value)


def columns_of(file: Path) -> list[str]:
    """The columns of a table, or all names in the first rows of JSONL."""
    columns = dict.fromkeys(name for row in islice(recorded_rows(file), 100) for name in row.values)
    if not columns:
        raise BadFile(file, "holds no rows")
    return list(columns)


def recorded_rows(file: Path) -> Iterator[ReplayRow]:
    """All rows, one at a time. Raises `BadFile` with the line that cannot be read."""
    form = ending(file, _FORMATS)
    if form in COLUMNAR:
        return (ReplayRow(line, values) for line, values in enumerate(columnar_rows(file), start=1))
    if form in JSON_LINES:
        return (ReplayRow(line, values) for line, values in json_lines(file))
    return _table_rows(file, "\t" if form == ".tsv" else ",")


def _table_rows(file: Path, delimiter: str) -> Iterator[ReplayRow]:
    """Rows with the line on which each begins; a row of empty cells counts, too."""
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.DictReader(text_lines(file), delimiter=delimiter, strict=True)
    line = 2
    try:
        columns = reader.fieldnames or []
        check_names(file, columns, line=1)
        for values in reader:
            if None in values or None in values.values():
                raise BadFile(file, f"the row does not have {len(columns)} cells, like the header", line=line)
            yield ReplayRow(line, values)
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadFile(file, f"is not a table: {error}", line=reader.line_num) from None


LONGEST_LOGGED: Final = 20_000
"""Characters of a logged reply that are kept."""


class LoggedReplies(RecordedReplies):
    """Repeats the replies in a log of another program, each with its score.

    The name holds the file's own name, the model's and the file's digest, not the folder: equal names, equal replies.

    questions: for each sample and epoch the id of its question (`scopes.logged`).
    """

    lack = "has no sample '{id}'"

    def __init__(self, log: Log, questions: Mapping[tuple[str, int], str]) -> None:
        replies = {
            questions[answer.sample, answer.epoch]: _with_score(answer)
            for answer in log.answers
            if (answer.sample, answer.epoch) in questions
        }
        super().__init__(name_of_log(log), replies)


def _with_score(answer: LoggedAnswer) -> str:
    return with_score(clipped(answer.reply, LONGEST_LOGGED), answer.score)


def drawn_from_log(log: Log, questions: Mapping[tuple[str, int], str]) -> RepeatedReplies:
    """Repeats the replies in a log; each epoch of a sample is one draw, in order.

    questions: as for `LoggedReplies`, one of all epochs of a sample.
    """
    answers: dict[str, list[ReplayedAnswer]] = {}
    for answer in sorted(log.answers, key=lambda answer: answer.epoch):
        if (answer.sample, answer.epoch) in questions:
            reply = Reply(_with_score(answer))
            answers.setdefault(questions[answer.sample, answer.epoch], []).append(ReplayedAnswer(reply))
    return RepeatedReplies(name_of_log(log), answers)


def name_of_log(log: Log) -> str:
    """The name of a log on record, with its scorer if the log has scores of several.

    >>> name_of_log(Log("a.eval", "ab12" * 16, "openai/gpt-4o", "mmlu", "choice", ()))
    'log:a.eval#openai/gpt-4o?sha256=ab12ab12ab12'
    """
    scorer = f"scorer={quote(log.scorer, safe='/')}&" if log.others else ""
    return f"log:{log.file}#{log.model}?{scorer}sha256={log.digest[:12]}"


def scorer_of(name: str) -> str:
    """The scorer in a log's name on record; empty if it is the only one.

    >>> scorer_of(name_of_log(Log("a.eval", "ab12" * 16, "m", "mmlu", "judge:tone & style", (), others=True)))
    'judge:tone & style'
    """
    query = name.rpartition("?")[2]
    return unquote(query.removeprefix("scorer=").partition("&")[0]) if query.startswith("scorer=") else ""
