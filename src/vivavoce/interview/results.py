"""Results of an interview: its answers as rows, as files, and as events for a listener."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib import import_module
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, Protocol, get_args

from vivavoce.errors import BadInput
from vivavoce.formats.cells import guarded_text
from vivavoce.formats.columnar import check_columnar
from vivavoce.formats.lines import whole
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.candidate_kinds import Case, Position
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Form, Outcome, Reading
from vivavoce.interview.forms.several_options import letters
from vivavoce.interview.notation import Settled, question_text
from vivavoce.interview.reading import CUT_OFF, heard, read

COLUMNS: Final = ("id", "question", "reply", "read as", "expected", "score", "outcome", "seconds", "tokens")
"""Of every file of results, in this order."""
AFTER_TURN: Final = "\n[after a further turn]\n"
"""Stands between a reply and the reply to a further turn."""
Front = Literal["room", "scope", "candidate", "draw", "right"]
"""A further column before these, where there are several: of each answer to a question its number, and how many are right."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One question and what became of it.

    >>> ResultRow("q1", "2 + 2?", "Answer: 4", "4", "4", 1.0, "answer", 0.5, 12).cells
    ('q1', '2 + 2?', 'Answer: 4', '4', '4', 1.0, 'answer', 0.5, 12)
    """

    id: str
    """Its name in its scope, else its topic or number."""
    question: str
    """As it was put, with the words on how to end the reply; of a chess engine the FEN."""
    reply: str
    """Word for word; empty where none came."""
    read_as: str
    """What the reply was taken to say; empty where it could not be read."""
    expected: str = ""
    """What is accepted, by `or`; empty where the room knows nothing."""
    score: float | None = None
    """None where nothing scores it, or its reply can't be graded."""
    outcome: str = Outcome.ANSWER.value
    """A word of `Outcome`; where no answer came, `no answer: ` or `asked, met a fault: `, and why."""
    seconds: float = 0.0
    """From the first attempt to the outcome, a further turn included."""
    tokens: int = 0
    """In both directions, a further turn included."""
    front: tuple[str, ...] = ()
    """Of the columns before the others, where the file has any."""

    @property
    def cells(self) -> tuple[str | float | int | None, ...]:
        """The values in the order of the columns."""
        own = (self.id, self.question, self.reply, self.read_as, self.expected, self.score, self.outcome)
        return (*self.front, *own, self.seconds, self.tokens)


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer as an interview handed it out."""

    candidate: str
    settled: Settled[Any]
    """What came of it; `put` is the question."""
    topic: str = ""
    draw: int = 0
    number: int | None = None
    """Which of the answers of one `ask_in_order` it is, from 0; None for one that was asked by itself."""
    asked: object = None
    """The question as the room asked it, before its form was put into words."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a room knows of an answer; what it leaves open is as the form reads it."""

    id: str = ""
    expected: str = ""
    score: float | None = None
    read_as: str | None = None
    outcome: Outcome | None = None
    scope: str = ""
    order: tuple[int | str, ...] = ()
    """Where the row stands, for a room that asks many at once: smaller first, equal ones as they were heard."""
    draw: str = ""
    """Which of the answers to a question it is, where there are several: `2 of 5`."""
    right: str = ""
    """How many of these were right."""


Marker = Callable[[Sequence[Heard]], Sequence[Mark | None]]
"""A room's marks of all that it heard, in the same order; None for an answer that counts for nothing, which gets no row.

Called when all is over, however it ended.
"""
AS_READ: Final = Mark()


@dataclass(slots=True)
class _Stretch:
    """What was heard under one marker."""

    room: str
    marker: Marker
    heard: list[Heard]


class Results:
    """The rows of one run.

    Parameters
    ----------
    front: which columns stand before the others.
    wanted: without that nothing is kept.

    >>> from vivavoce.interview.candidate import Usage
    >>> results = Results()
    >>> results.hear(Heard("bot:x", Settled(Reply("4"), Usage(3, 9), seconds=0.5, put=Prompt("2 + 2?", id="q1"))))
    >>> results.rows
    [ResultRow(id='q1', question='2 + 2?', reply='4', ..., score=None, outcome='answer', seconds=0.5, tokens=12, front=())]
    """

    def __init__(self, front: tuple[Front, ...] = (), *, wanted: bool = True) -> None:
        self.front = front
        self.wanted = wanted
        self._room = ""
        self._stretches: list[_Stretch] = []

    def enter(self, room: str) -> None:
        """What is heard from here on is of that room, and is not marked yet."""
        self._room = room
        self.mark_by(lambda heard: [AS_READ] * len(heard))

    def mark_by(self, marker: Marker) -> None:
        """What is heard from here on is marked by it."""
        if not self.wanted:
            return
        self._stretches.append(_Stretch(self._room, marker, []))

    def hear(self, heard: Heard) -> None:
        """One more answer, in drawn order unless marks say otherwise."""
        if not self.wanted:
            return
        if not self._stretches:
            self.enter(self._room)
        self._stretches[-1].heard.append(heard)

    @property
    def rows(self) -> list[ResultRow]:
        """All that was heard and counts for something."""
        found = []
        for stretch in self._stretches:
            marks = stretch.marker(stretch.heard)
            marked = [(mark, one) for mark, one in zip(marks, stretch.heard, strict=True) if mark is not None]
            marked.sort(key=lambda pair: pair[0].order)
            found += [self._row(stretch.room, mark, one) for mark, one in marked]
        return found

    def _row(self, room: str, mark: Mark, heard: Heard) -> ResultRow:
        front = {
            "room": room, "scope": mark.scope, "candidate": heard.candidate, "draw": mark.draw, "right": mark.right,
        }  # fmt: skip
        return replace(row_of(heard, mark), front=tuple(front[name] for name in self.front))


def row_of(heard: Heard, mark: Mark = AS_READ) -> ResultRow:
    """The row of an answer with these marks."""
    question, answer, settled = heard.settled.put, heard.settled.answer, heard.settled
    read_as, outcome = _as_read(question, answer)
    named = isinstance(answer, NoAnswer) and outcome.startswith(Outcome.FAULT.value)  # with the service's own words
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
    """A question as one would read it: a prompt's text, a position's FEN, a case's facts, else JSON."""
    match value:
        case Prompt():
            return value.text
        case Position():
            return value.fen
        case Case():
            return "\n".join(value.facts)
        case str():
            return value
    return question_text(value)


def reply_of(answer: object) -> str:
    """What was said, with the reply to a further turn behind the first, or as JSON; empty for a `NoAnswer`."""
    match answer:
        case Reply():
            further = answer.further
            return answer.text if further is None else f"{answer.text}{AFTER_TURN}{further.text}"
        case NoAnswer():
            return ""
    return in_words(answer)


def absence(reason: str, *, by_service: bool = False) -> str:
    """The outcome of a question that got no answer, by the reason of the `NoAnswer`, and whether the service failed.

    >>> from vivavoce.interview.candidate import ORPHAN
    >>> absence("time-out after 120 s"), absence(ORPHAN), absence("status 403", by_service=True)
    ('no answer: time-out after 120 s', 'asked, never answered', 'asked, met a fault: status 403')
    """
    if NoAnswer(reason).orphan:
        return Outcome.ORPHAN.value
    return f"{(Outcome.FAULT if by_service else Outcome.NO_ANSWER).value}: {reason}"


def _as_read(question: object, answer: object) -> tuple[str, str]:
    """What the answer was taken to say, and the outcome."""
    if isinstance(answer, NoAnswer):
        return "", absence(answer.reason, by_service=answer.by_service)
    if not isinstance(answer, Reply):
        return "", Outcome.ANSWER.value
    if isinstance(question, Prompt) and question.form is not None:
        reading = read(question, answer)
        return _said(question.form, reading), reading.outcome.value
    return "", _unformed(answer).value


def _unformed(answer: Reply) -> Outcome:
    """The outcome of a reply that is taken as it is."""
    _, problem = heard(answer)
    return Outcome.ANSWER if not problem else Outcome.CUT_OFF if problem == CUT_OFF else Outcome.UNREADABLE


def _said(form: Form[Any], reading: Reading[Any]) -> str:
    """What was read, in words."""
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
            return letters(reading.value)
    return form.write(reading.value)


Format = Literal["csv", "jsonl", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_ESCAPES: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Of control characters that JSON takes as they are."""
GROUP: Final = 10_000
"""Rows that are written to Parquet together."""


def named_format(file: Path) -> Format | None:
    """The format that a file's name asks for.

    >>> named_format(Path("rows.CSV")), named_format(Path("rows.xlsx"))
    ('csv', None)
    """
    return next((name for name in FORMATS if file.suffix.lower() == f".{name}"), None)


def format_of(file: Path) -> Format:
    """The same, of a file that can be written here: raises `BadInput` and `MissingExtra`."""
    form = named_format(file)
    if form is None:
        raise BadInput(f"'{file}' ends in none of .csv, .jsonl and .parquet: give it one of these endings")
    check_format(form)
    return form


def check_format(form: Format) -> None:
    """Refuse a format for which something is not installed: raises `MissingExtra`."""
    if form == "parquet":
        check_columnar()


def write_results(file: Path, rows: Iterable[ResultRow], *, front: Sequence[str] = (), form: Format | None = None) -> int:
    """Write a file as a whole or not at all, in place of one that is there; returns how many rows it has.

    CSV begins with a byte order mark, by which Excel knows UTF-8, and no text of it is run as a formula: one that begins like
    one has an apostrophe before it, and control characters are pictures (`cells.unguarded` undoes both). Numbers are written as
    numbers. A score that there is none of is an empty cell, or null.

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
    """The values as a line of JSON; no control character stands in it as it is.

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
    """A column; halves of surrogate pairs, which no file can hold, become question marks."""
    try:
        return pa.array(cells, type=kind)
    except UnicodeEncodeError:
        return pa.array([_unicode(cell) for cell in cells], type=kind)


def _groups(rows: Iterable[ResultRow]) -> Iterator[list[ResultRow]]:
    waiting = iter(rows)
    while group := list(islice(waiting, GROUP)):
        yield group


def _unicode(cell: Any) -> Any:
    """A text without halves of surrogate pairs, which no file can hold."""
    return cell.encode(errors="replace").decode() if isinstance(cell, str) else cell


UNDER_WAY: Final = "under way"
"""In place of what ended an examination, where its finding is made while it goes on."""


class Spectator(Protocol):
    """Somebody who looks on. Must be quick, and raise nothing."""

    def heard(self, heard: Heard) -> None:
        """An answer was handed out."""
        ...

    def stands(self, finding: Callable[[], object]) -> None:
        """Answers were taken. `finding` makes what would be found if no more came; it takes time, and is called now or not."""
        ...


spectator: ContextVar[Spectator | None] = ContextVar("spectator", default=None)
"""Who looks on at what is examined in this context."""


def stands(finding: Callable[[], object]) -> None:
    """Tell whoever looks on how the examination stands."""
    found = spectator.get()
    if found is not None:
        found.stands(finding)


def ended_by(exhausted: str) -> str:
    """Why no more questions came, in a clause; `exhausted`: the limit that was reached, or `UNDER_WAY`.

    >>> ended_by("money"), ended_by(UNDER_WAY)
    ('the budget for money is used up', 'it is under way')
    """
    return "it is under way" if exhausted == UNDER_WAY else f"the budget for {exhausted} is used up"
