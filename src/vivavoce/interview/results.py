"""Results of an interview: its answers as rows, as files, and as events for a listener."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, get_args

from vivavoce.errors import BadInput
from vivavoce.formats.lines import whole
from vivavoce.formats.records import check_columnar
from vivavoce.formats.tables import guarded_text
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.candidate_kinds import FactCase, Position
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Outcome, ParsedReply, ReplyForm
from vivavoce.interview.reading import CUT_OFF, heard, read
from vivavoce.interview.requests import QuestionOutcome, question_text

COLUMNS: Final = ("id", "question", "reply", "read as", "expected", "score", "outcome", "seconds", "tokens")
"""Columns of every file of results, in this order."""
AFTER_TURN: Final = "\n[after a further turn]\n"
"""Separates a reply from the reply to its follow-up."""
Front = Literal["examination", "scope", "candidate", "draw", "right"]
"""An optional column before these; with several answers to a question, `draw` numbers them and `right` counts right ones."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One question with its outcome.

    >>> ResultRow("q1", "2 + 2?", "Answer: 4", "4", "4", 1.0, "answer", 0.5, 12).cells
    ('q1', '2 + 2?', 'Answer: 4', '4', '4', 1.0, 'answer', 0.5, 12)
    """

    id: str
    """Its name in its scope, else its topic or number."""
    question: str
    """The question as sent, with the instruction on the reply; for a chess engine the FEN."""
    reply: str
    """Word for word; empty without a reply."""
    read_as: str
    """The parsed reply; empty if it could not be read."""
    expected: str = ""
    """The accepted answers, joined by `or`; empty if the room knows none."""
    score: float | None = None
    """None if nothing scores it, or its reply can't be graded."""
    outcome: str = Outcome.ANSWER.value
    """A word of `Outcome`; without an answer, `no answer: ` or `asked, met a fault: `, and the reason."""
    seconds: float = 0.0
    """From the first attempt to the outcome, including a follow-up."""
    tokens: int = 0
    """In both directions, including a follow-up."""
    front: tuple[str, ...] = ()
    """Values of the optional columns."""

    @property
    def cells(self) -> tuple[str | float | int | None, ...]:
        own = (self.id, self.question, self.reply, self.read_as, self.expected, self.score, self.outcome)
        return (*self.front, *own, self.seconds, self.tokens)


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    candidate: str
    settled: QuestionOutcome[Any]
    """The outcome; `put` is the question."""
    topic: str = ""
    draw: int = 0
    number: int | None = None
    """Its number among the answers of one `ask_in_order`, from 0; None for a single question."""
    asked: object = None
    """The question as the room asked it, before its form was put into words."""


@dataclass(frozen=True, slots=True)
class ResultMark:
    """A room's grading of an answer; a field that it leaves open comes from the form."""

    id: str = ""
    expected: str = ""
    score: float | None = None
    read_as: str | None = None
    outcome: Outcome | None = None
    scope: str = ""
    order: tuple[int | str, ...] = ()
    """Sort key of the row, for a room that asks many questions at once: smaller first, equal ones in order of arrival."""
    draw: str = ""
    """The number among several answers to a question: `2 of 5`."""
    right: str = ""
    """How many of these answers were right."""


Marker = Callable[[Sequence[AnswerEvent]], Sequence[ResultMark | None]]
"""A room's marks of all its answers, in the same order; None for an answer that does not count and gets no row.

Called at the end, however the run ended.
"""
AS_READ: Final = ResultMark()


@dataclass(slots=True)
class _ResultStretch:
    room: str
    marker: Marker
    heard: list[AnswerEvent]


class ResultRows:
    """The rows of one run.

    Parameters
    ----------
    front: the optional columns before the others.
    wanted: whether rows are kept.

    >>> from vivavoce.interview.candidate import Usage
    >>> results = ResultRows()
    >>> results.hear(AnswerEvent("bot:x", QuestionOutcome(Reply("4"), Usage(3, 9), seconds=0.5, put=Prompt("2 + 2?", id="q1"))))
    >>> results.rows
    [ResultRow(id='q1', question='2 + 2?', reply='4', ..., score=None, outcome='answer', seconds=0.5, tokens=12, front=())]
    """

    def __init__(self, front: tuple[Front, ...] = (), *, wanted: bool = True) -> None:
        self.front = front
        self.wanted = wanted
        self._room = ""
        self._stretches: list[_ResultStretch] = []

    def enter(self, room: str) -> None:
        """Assign the following answers to this room, without marks."""
        self._room = room
        self.mark_by(lambda heard: [AS_READ] * len(heard))

    def mark_by(self, marker: Marker) -> None:
        """Mark the following answers by this marker."""
        if not self.wanted:
            return
        self._stretches.append(_ResultStretch(self._room, marker, []))

    def hear(self, heard: AnswerEvent) -> None:
        """Add one more answer, in drawn order unless marks say otherwise."""
        if not self.wanted:
            return
        if not self._stretches:
            self.enter(self._room)
        self._stretches[-1].heard.append(heard)

    @property
    def rows(self) -> list[ResultRow]:
        rows = []
        for stretch in self._stretches:
            marks = stretch.marker(stretch.heard)
            marked = [(mark, event) for mark, event in zip(marks, stretch.heard, strict=True) if mark is not None]
            marked.sort(key=lambda pair: pair[0].order)
            rows += [self._row(stretch.room, mark, event) for mark, event in marked]
        return rows

    def _row(self, room: str, mark: ResultMark, heard: AnswerEvent) -> ResultRow:
        front = {
            "examination": room, "scope": mark.scope, "candidate": heard.candidate, "draw": mark.draw, "right": mark.right,
        }  # fmt: skip
        return replace(row_of(heard, mark), front=tuple(front[name] for name in self.front))


def row_of(heard: AnswerEvent, mark: ResultMark = AS_READ) -> ResultRow:
    question, answer, settled = heard.settled.put, heard.settled.answer, heard.settled
    read_as, outcome = _as_read(question, answer)
    named = isinstance(answer, NoAnswer) and outcome.startswith(Outcome.FAULT.value)  # it quotes the service
    if mark.outcome is not None and mark.outcome is not Outcome.NO_ANSWER and not named:
        outcome = mark.outcome.value
    own = question.id if isinstance(question, Prompt) else ""
    return ResultRow(
        id=mark.id or own or heard.topic,
        question=in_words(question),
        reply=reply_of(answer),
        read_as=read_as if mark.read_as is None else mark.read_as,
        expected=mark.expected,
        score=mark.score,
        outcome=outcome,
        seconds=settled.seconds,
        tokens=settled.usage.tokens,
    )


def in_words(value: object) -> str:
    """A question as text: a prompt's text, a position's FEN, a case's facts, or JSON."""
    match value:
        case Prompt():
            return value.text
        case Position():
            return value.fen
        case FactCase():
            return "\n".join(value.facts)
        case str():
            return value
    return question_text(value)


def reply_of(answer: object) -> str:
    """The reply in words, followed by the reply to a follow-up, or as JSON; empty for a `NoAnswer`."""
    match answer:
        case Reply():
            further = answer.further
            return answer.text if further is None else f"{answer.text}{AFTER_TURN}{further.text}"
        case NoAnswer():
            return ""
    return in_words(answer)


def absence(reason: str, *, by_service: bool = False) -> str:
    """The outcome of a question without an answer, by the reason of its `NoAnswer`, and whether the service failed.

    >>> from vivavoce.interview.candidate import INTERRUPTED
    >>> absence("time-out after 120 s"), absence(INTERRUPTED), absence("status 403", by_service=True)
    ('no answer: time-out after 120 s', 'asked, never answered', 'asked, met a fault: status 403')
    """
    if NoAnswer(reason).orphan:
        return Outcome.ORPHAN.value
    return f"{(Outcome.FAULT if by_service else Outcome.NO_ANSWER).value}: {reason}"


def _as_read(question: object, answer: object) -> tuple[str, str]:
    if isinstance(answer, NoAnswer):
        return "", absence(answer.reason, by_service=answer.by_service)
    if not isinstance(answer, Reply):
        return "", Outcome.ANSWER.value
    if isinstance(question, Prompt) and question.form is not None:
        reading = read(question, answer)
        return _said(question.form, reading), reading.outcome.value
    return "", _unformed(answer).value


def _unformed(answer: Reply) -> Outcome:
    _, problem = heard(answer)
    return Outcome.ANSWER if not problem else Outcome.CUT_OFF if problem == CUT_OFF else Outcome.UNREADABLE


def _said(form: ReplyForm[Any], reading: ParsedReply[Any]) -> str:
    if reading.outcome is Outcome.DONT_KNOW:
        return DONT_KNOW
    match reading.value:
        case None:
            return ""
        case str():
            return reading.value
        case int() | float():
            return f"{reading.value:.12g}"
        case frozenset():
            from vivavoce.interview.forms.several_options import letters

            return letters(reading.value)
    return form.write(reading.value)


Format = Literal["csv", "jsonl", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_ESCAPES: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Escapes of control characters that JSON allows unescaped."""
GROUP: Final = 10_000
"""Rows that are written to Parquet together."""


def named_format(file: Path) -> Format | None:
    """The format by the ending of a file's name.

    >>> named_format(Path("rows.CSV")), named_format(Path("rows.xlsx"))
    ('csv', None)
    """
    return next((name for name in FORMATS if file.suffix.lower() == f".{name}"), None)


def format_of(file: Path) -> Format:
    """The same, if it can be written here: raises `BadInput` and `MissingExtra`."""
    form = named_format(file)
    if form is None:
        raise BadInput(f"'{file}' ends in none of .csv, .jsonl and .parquet: give it one of these endings")
    check_format(form)
    return form


def check_format(form: Format) -> None:
    """Raise `MissingExtra` for a format whose library is not installed."""
    if form == "parquet":
        check_columnar()


def write_results(file: Path, rows: Iterable[ResultRow], *, front: Sequence[str] = (), form: Format | None = None) -> int:
    """Write a file atomically, replacing an existing one; returns the number of rows.

    CSV begins with a byte order mark, by which Excel recognizes UTF-8. No text runs as a formula: a text that looks like one
    gets an apostrophe, and control characters become pictures (`tables.unguarded` undoes both). Numbers are written as numbers.
    A missing score is an empty cell, or null.

    Parameters
    ----------
    front: names of the columns before the others.
    form: None: by the file's name.

    Raises `BadFile`, and what `format_of` raises.
    """
    form = form or format_of(file)
    with whole(file) as stream:
        return write_rows(stream, rows, front=front, form=form)


def write_rows(stream: IO[bytes], rows: Iterable[ResultRow], *, front: Sequence[str], form: Format) -> int:
    """The same into a stream."""
    columns = (*front, *COLUMNS)
    if form == "parquet":
        return _write_parquet(stream, rows, columns)
    text = TextIOWrapper(stream, encoding="utf-8-sig" if form == "csv" else "utf-8", errors="replace", newline="")
    try:
        return (_write_csv if form == "csv" else _write_lines)(text, rows, columns)
    finally:
        text.detach()


def _write_csv(text: TextIOWrapper, rows: Iterable[ResultRow], columns: Sequence[str]) -> int:
    sheet = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    sheet.writerow(columns)
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007 -- it is returned
        sheet.writerow([guarded_text(cell) if isinstance(cell, str) else cell for cell in row.cells])
    text.flush()
    return number


def _write_lines(text: TextIOWrapper, rows: Iterable[ResultRow], columns: Sequence[str]) -> int:
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007 -- it is returned
        values = dict(zip(columns, row.cells, strict=True))
        text.write(f"{line_of(values)}\n")
    text.flush()
    return number


def line_of(values: Mapping[str, Any]) -> str:
    """The values as a line of JSON with all control characters escaped.

    >>> line_of({"reply": "\\x1b[2J\\x9bé"})
    '{"reply": "\\\\u001b[2J\\\\u009bé"}'
    """
    return json.dumps(values, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)


def _write_parquet(stream: IO[bytes], rows: Iterable[ResultRow], columns: Sequence[str]) -> int:
    pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    numbers = {"score": pa.float64(), "seconds": pa.float64(), "tokens": pa.int64()}
    schema = pa.schema([(name, numbers.get(name, pa.string())) for name in columns])
    number = 0
    with parquet.ParquetWriter(stream, schema) as sink:
        for group in _groups(rows):
            number += len(group)
            columns_of_it = zip(*(row.cells for row in group), strict=True)
            arrays = [_array(pa, cells, of.type) for cells, of in zip(columns_of_it, schema, strict=True)]
            sink.write_table(pa.table(arrays, schema=schema))
    return number


def _array(pa: Any, cells: Sequence[Any], kind: Any) -> Any:
    """A column; lone surrogates, which no file can hold, become question marks."""
    try:
        return pa.array(cells, type=kind)
    except UnicodeEncodeError:
        return pa.array([_unicode(cell) for cell in cells], type=kind)


def _groups(rows: Iterable[ResultRow]) -> Iterator[list[ResultRow]]:
    waiting = iter(rows)
    while group := list(islice(waiting, GROUP)):
        yield group


def _unicode(cell: Any) -> Any:
    """A text without lone surrogates, which no file can hold."""
    return cell.encode(errors="replace").decode() if isinstance(cell, str) else cell
