"""Tuples of questions that a law relates, and the tables from which they are read, with a statement a row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import ending, json_lines, write_whole
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import first_problem
from vivavoce.laws.law import BUILT_IN, QUANTITIES, law_named
from vivavoce.laws.monotone import monotonicity

MOST_STATEMENTS: Final = 50
Status = Literal["accepted", "proposed", "rejected"]

LONGEST_QUESTION: Final = 20_000
"""Characters."""

COLUMNS: Final = ("law", "group", "statement", "question")
"""Columns of a table of questions; others are ignored."""
_BY_KEYS: Final[Mapping[frozenset[str], str]] = {frozenset(law.keys): law.name for law in BUILT_IN.values()} | {
    frozenset({"P", "para_P"}): "paraphrase"
}
"""The law by the names of its statements, for files that do not name the law."""


@dataclass(frozen=True, slots=True)
class QuestionTuple:
    """The full text of related questions, one for each statement of a law."""

    law: str
    questions: Mapping[str, str]
    """Name of the statement -> the question."""
    id: str = ""
    """Identifies the tuple; forecasters are compared on tuples with the same id."""
    base: tuple[str, ...] = ()
    """Ids of its base questions; tuples that share one are not independent."""
    status: Status = "accepted"
    reason: str = ""
    """Why it was rejected, or who accepted it."""


class _TupleLine(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    law: str = Field(min_length=1, max_length=2_000)
    questions: dict[str, str] = Field(min_length=2, max_length=MOST_STATEMENTS)
    id: str = Field("", max_length=200)
    base: list[str] = Field(default_factory=list, max_length=MOST_STATEMENTS)
    status: Status = "accepted"
    reason: str = ""


def read_tuples(file: Path) -> list[QuestionTuple]:
    r"""Read the tuples of a file, plain or gzipped, in order; the line number is the id of those without one.

    Each line is `{"law": ..., "questions": {statement: question}, "id": ..., "base":
    [...]}`. Lines may also be as in research data on forecasting: `{"P": {"title": ..., "body": ...}, "not_P": {...},
    "metadata": {...}}`, where the statements identify the law.

    A table (`.csv`, `.tsv`, also gzipped) has the columns law, group, statement and question, a question a row. The group is
    the id. A spreadsheet can bring other layouts, such as the paper's files, into this form.

    Raises `BadFile` with the line for anything else.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "questions.csv")
    >>> _ = file.write_text("law,group,statement,question\nneg,7,P,Will it rain?\nneg,7,not_P,Will it stay dry?\n")
    >>> read_tuples(file)[0].questions
    {'P': 'Will it rain?', 'not_P': 'Will it stay dry?'}
    """
    lines = _of_table(file) if ending(file) in (".csv", ".tsv") else json_lines(file)
    tuples = [_tuple_of(file, number, values) for number, values in lines]
    if not tuples:
        raise BadFile(file, "holds no tuples")
    return tuples


def _of_table(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The tuples of a table in the form of JSON lines, each with the line on which it begins."""
    for line, (law, group), cells in groups_of(file, COLUMNS):
        yield line, {"law": law, "questions": {statement: cell.text for statement, cell in cells.items()}, "id": group}


def tuple_as_json(questions: QuestionTuple) -> dict[str, Any]:
    """The tuple as JSON values in the format that `read_tuples` reads.

    >>> tuple_as_json(QuestionTuple("neg", {"P": "Will it?", "not_P": "Will it not?"}, id="1"))
    {'law': 'neg', 'questions': {'P': 'Will it?', 'not_P': 'Will it not?'}, 'id': '1', 'base': [],
     'status': 'accepted', 'reason': ''}
    """
    return {
        "law": questions.law,
        "questions": dict(questions.questions),
        "id": questions.id,
        "base": list(questions.base),
        "status": questions.status,
        "reason": questions.reason,
    }


def write_tuples(file: Path, tuples: Iterable[QuestionTuple]) -> None:
    """Write tuples as JSON Lines. Raises `BadFile` if that fails."""
    write_whole(
        file, "".join(json.dumps(tuple_as_json(question_tuple), ensure_ascii=False) + "\n" for question_tuple in tuples)
    )


def _tuple_of(file: Path, number: int, values: dict[str, Any]) -> QuestionTuple:
    given = values if "questions" in values else _of_research_data(file, number, values)
    try:
        line = _TupleLine.model_validate(given)
    except ValidationError as error:
        raise BadFile(file, first_problem(error), line=number) from None
    for key, text in line.questions.items():
        if not text.strip() or len(text) > LONGEST_QUESTION:
            raise BadFile(file, f"the question '{key[:40]}' is empty or above {LONGEST_QUESTION} characters", line=number)
    try:
        keys = _keys(line.law, line.questions)
    except BadInput as error:
        raise BadFile(file, str(error), line=number) from None
    ordered = {key: line.questions[key] for key in keys}
    return QuestionTuple(line.law, ordered, line.id or f"line {number}", tuple(line.base), line.status, line.reason)


def _keys(law: str, questions: Mapping[str, str]) -> tuple[str, ...]:
    """The statements in the order of the law. Raises `BadInput` if they are not the law's."""
    if law in QUANTITIES:
        monotonicity(law, dict.fromkeys(questions, 0.0))
        return tuple(questions)
    return law_named(law, tuple(questions)).keys


def _of_research_data(file: Path, number: int, values: dict[str, Any]) -> dict[str, Any]:
    """Convert a line of research data to our format; the names of the statements identify the law."""
    document = {key: value for key, value in values.items() if key != "metadata"}
    law = _BY_KEYS.get(frozenset(document))
    if law is None:
        problem = f"no 'questions' and no statements of a known law: {', '.join(map(str, values))[:200]}"
        raise BadFile(file, problem, line=number)
    try:
        base = values.get("metadata", {}).get("base_sentences", {})
        ids = [str(sentence["id"]) for sentence in base.values()]
        questions = {key: "\n\n".join(filter(None, (value["title"], value.get("body")))) for key, value in document.items()}
    except (AttributeError, KeyError, TypeError):
        raise BadFile(file, "each statement must have a 'title' and each base sentence an 'id'", line=number) from None
    return {"law": law, "questions": questions, "base": ids}


class NumberedText(NamedTuple):
    """A row's text, with its line."""

    line: int
    text: str


class Group(NamedTuple):
    """The rows of one tuple."""

    line: int
    """Line on which it begins."""
    named: tuple[str, ...]
    """The cells that identify it; the last one is the group."""
    cells: dict[str, NumberedText]
    """Cells by statement, in the order of the file."""


def groups_of(file: Path, columns: Sequence[str]) -> Iterator[Group]:
    """Group the rows of a table into tuples, in order of their first rows.

    columns: the names of the tuple, the group last; then the statement, and its value.

    Raises `BadFile` with the line for a repeated statement, too many of them, or a single one in its group.
    """
    groups: dict[tuple[str, ...], Group] = {}
    for line, row in read_table(file, columns, small=True, others=False).rows:
        *names, statement, text = (row[column].strip() for column in columns)
        named = tuple(names)
        cells = groups.setdefault(named, Group(line, named, {})).cells
        if statement in cells:
            raise BadFile(file, f"'{statement[:80]}' occurs twice in group '{names[-1][:80]}': number the groups", line=line)
        if len(cells) == MOST_STATEMENTS:
            raise BadFile(file, f"group '{names[-1][:80]}' has more than {MOST_STATEMENTS} statements", line=line)
        cells[statement] = NumberedText(line, text)
    for group in groups.values():
        if len(group.cells) == 1:
            alone = f"'{next(iter(group.cells))[:80]}' is alone in group '{group.named[-1][:80]}'"
            raise BadFile(file, f"{alone}: give a row for each statement of the law, under the same group", line=group.line)
        yield group
