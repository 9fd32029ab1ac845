"""Recorded answers as a candidate: `replay:FILE#COLUMN` looks them up by the question's id, one answer for each draw."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, cast

from vivavoce.candidates.options import read_options
from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, UnknownName
from vivavoce.formats.binary_tables import COLUMNAR, columnar_rows
from vivavoce.formats.bounds import MAX_LINE_BYTES
from vivavoce.formats.lines import JSON_LINES, ending, expanded, file_digest, json_lines, text_lines
from vivavoce.formats.records import plain
from vivavoce.formats.tables import check_names
from vivavoce.interview.candidate import UNRECORDED, NoAnswer, Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat


@dataclass(frozen=True, slots=True)
class ReplayedAnswer:
    """What came of one question."""

    first: Reply | NoAnswer
    further: Reply | None = None
    """The reply to the further turn that asked for the final answer alone."""


class RepeatedAnswers:
    """Repeats recorded answers, each once, in their order in the recording.

    A question may be drawn more often than it was answered. Such an answer is unknown and may be
    worth anything.

    >>> import asyncio
    >>> candidate = RepeatedAnswers("replay:a.csv#x", {"q": [ReplayedAnswer(Reply("1")), ReplayedAnswer(Reply("2"))]})
    >>> [asyncio.run(candidate.answer_draw(Prompt("?", id="q"), draw)) for draw in (1, 2)]  # doctest: +ELLIPSIS
    [Reply(text='2'...), NoAnswer(reason='drawn more often than it was answered in the recording'...)]
    """

    asked_again: RepeatReason = "same"
    """It would say the same."""

    def __init__(
        self, name: str, answers: Mapping[str, Sequence[ReplayedAnswer]], ways: tuple[ReplyFormat, ...] = ("text",)
    ) -> None:
        self.name = name
        self.ways = ways
        self._answers = answers

    @cached_property
    def recorded(self) -> Mapping[str, str]:
        """The first reply to each question; of an absence nothing."""
        firsts = {name: answers[0].first for name, answers in self._answers.items()}
        return {name: one.text if isinstance(one, Reply) else "" for name, one in firsts.items()}

    @cached_property
    def times(self) -> Mapping[str, int]:
        """How many answers there are, by question id."""
        return {name: len(answers) for name, answers in self._answers.items()}

    def __repr__(self) -> str:
        return f"<{self.name}, {sum(self.times.values())} answers to {len(self.times)} questions>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The first answer."""
        return await self.answer_draw(question, 0)

    async def answer_draw(self, question: Prompt, draw: int) -> Reply:
        """That with this number, from 0. Raises `CandidateMisconfigured` for a question that was not asked then."""
        answers = self._answers.get(question.id)
        if answers is None:
            raise CandidateMisconfigured(f"{self.name} has no answer to question '{question.id[:80]}' in these words")
        if draw >= len(answers):
            return cast("Reply", NoAnswer(UNRECORDED))  # the caller recognizes an absence
        found = answers[draw]
        if question.form is not None and question.text == question.form.further:
            return found.further or Reply("")
        return cast("Reply", found.first)


ID_COLUMNS = ("id", "question_id")
"""Where ids are looked for, in this order, unless `?id=` names another column; else a row's id is its number from 1."""
DRAW_COLUMNS = ("draw", "epoch")
"""In a file with such a column, an id may repeat: its rows are its answers, in order."""
_FORMATS = (".csv", ".tsv", *JSON_LINES, *COLUMNAR)


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Options after the `?`."""

    id: str = ""
    """The column with the ids of the questions."""
    sha256: str = ""
    """First digits of the file's SHA-256, as a name shows them: a file that has changed since is refused."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file and the line on which it begins."""

    line: int
    values: dict[str, Any]


def open_replay(target: str, query: str) -> Replay | RepeatedAnswers:
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
    return RepeatedAnswers(
        name, {question: [ReplayedAnswer(Reply(text)) for text in given] for question, given in answers.items()}
    )


def open_replays(file: Path, wanted: Sequence[str], query: str) -> list[Replay]:
    """The same of several columns of one file, which is read once, and holds no id twice."""
    replays = _replays(file, wanted, query, several=False)
    return [Replay(name, {question: given[0] for question, given in answers.items()}) for name, answers in replays]


def _replays(file: Path, wanted: Sequence[str], query: str, *, several: bool) -> list[tuple[str, dict[str, list[str]]]]:
    """Names, and answers by question.

    several: whether a question may have more than one, where a column says which each of them is.
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
    return [(f"replay:{file.name}#{one}?{named}sha256={digest[:12]}", answers[one]) for one in wanted]


class Replay:
    """Gives the recorded answer to each question. An empty cell is an empty reply.

    The name holds the file's own name and digest, not the folder: equal names mean equal answers in any folder.
    """

    asked_again: RepeatReason = "same"
    """It would say the same."""

    def __init__(self, name: str, answers: dict[str, str]) -> None:
        self.name = name
        self._answers = answers

    @property
    def recorded(self) -> Mapping[str, str]:
        """All answers, by question id."""
        return self._answers

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self._answers)} answers>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The answer on record. Raises `CandidateMisconfigured` for a question that the file does not have."""
        try:
            return Reply(self._answers[question.id])
        except KeyError:
            raise CandidateMisconfigured(
                f"{self.name} has no answer to question '{question.id[:80]}': the recording must cover the scope, and ?id= "
                f"must name the column with the scope's ids"
            ) from None


def _answers(file: Path, columns: Sequence[str], id_column: str, *, several: bool) -> dict[str, dict[str, list[str]]]:
    """Answers by column and question id."""
    answers: dict[str, dict[str, list[str]]] = {column: {} for column in columns}
    lines: dict[str, int] = {}
    for number, row in enumerate(recorded_rows(file), start=1):
        if id_column and _cell(row.values.get(id_column)) == "":
            raise BadFile(file, f"the id in column '{id_column}' is missing", line=row.line)
        key = _cell(row.values[id_column]) if id_column else str(number)
        if key in lines and not several:
            raise BadFile(file, f"the id '{key[:80]}' stands on line {lines[key]} already: ids must be unique", line=row.line)
        lines.setdefault(key, row.line)
        for column, of in answers.items():
            of.setdefault(key, []).append(as_unicode(_cell(row.values.get(column))))
    return answers


def _cell(value: Any) -> str:
    """A value as text; what is missing is empty, dates and times are as in ISO 8601, and a structure is written as JSON."""
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


def recorded_rows(file: Path) -> Iterator[Row]:
    """All rows, one at a time; what cannot be read is a `BadFile` that names the line."""
    form = ending(file, _FORMATS)
    if form in COLUMNAR:
        return (Row(line, values) for line, values in enumerate(columnar_rows(file), start=1))
    if form in JSON_LINES:
        return (Row(line, values) for line, values in json_lines(file))
    return _table_rows(file, "\t" if form == ".tsv" else ",")


def _table_rows(file: Path, delimiter: str) -> Iterator[Row]:
    """Rows with the line on which each begins; one whose cells are all empty is a row like any other."""
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.DictReader(text_lines(file), delimiter=delimiter, strict=True)
    line = 2
    try:
        columns = reader.fieldnames or []
        check_names(file, columns, line=1)
        for values in reader:
            if None in values or None in values.values():
                raise BadFile(file, f"the row has not {len(columns)} cells, as the header has", line=line)
            yield Row(line, values)
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadFile(file, f"is not a table: {error}", line=reader.line_num) from None
