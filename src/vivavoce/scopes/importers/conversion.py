"""Converts questions from other tools' files into rows of a question file; each row is read back before it is written.

A row that would be read back as another question, or not at all, is refused with its line and the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.bounds import MAX_LINE_BYTES, count_values
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.scopes.question_checks import check_question, contradictions
from vivavoce.scopes.question_rows import Conventions, question_of, row_of
from vivavoce.scopes.questions import Question

MOST_CHARACTERS: Final = 256 << 20
"""Most characters of all rows of a file."""
_JSON_LINES: Final = Conventions(columns=(), are_cells=False, match=None)


class SourceRow(NamedTuple):
    """A question and its position in the source file."""

    source: YamlSource
    where: tuple[str | int, ...]
    name: str
    """Its name there, such as `test 3`."""
    question: Question
    example: bool = False
    """Whether it is shown as a worked example, and never asked."""

    def wrong(self, problem: str) -> BadFile:
        """The problem with it."""
        return self.source.wrong(f"{self.name}: {problem}", *self.where)


@dataclass(frozen=True, slots=True)
class Conversion:
    """A question file, and everything that was left out."""

    lines: tuple[str, ...]
    """Lines of JSON, one for each question."""
    examples: int
    """How many of these are worked examples."""
    refused: tuple[BadFile, ...]
    """A problem for each row that is left out."""
    unused: tuple[str, ...]
    """Fields that change no question and no score."""
    notes: tuple[str, ...]
    """Sentences on what else was left out."""


def converted(rows: Iterable[SourceRow | BadFile], *, unused: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Conversion:
    """The rows of a question file.

    rows: another tool's questions, and a problem instead of each question that cannot be converted.

    Raises `BadFile` if rows are too long together, and for a worked example that cannot be a row: the others would be asked
    with other examples.
    """
    kept: list[tuple[SourceRow, str]] = []
    refused: list[BadFile] = []
    ids: set[str] = set()
    room = MOST_CHARACTERS
    for row in rows:
        if isinstance(row, BadFile):
            refused.append(row)
            continue
        row = row._replace(question=_stripped(row.question))
        try:
            line = _line(row, ids)
        except BadFile as problem:
            if row.example:
                raise
            refused.append(problem)
            continue
        room -= len(line)
        if room < 0:
            raise row.source.wrong(
                f"its rows have more than {MOST_CHARACTERS:,} characters, at row {len(kept) + 1:,}: split the file"
            )
        ids.add(row.question.id)
        kept.append((row, line))
    others = {second.id: first.id for first, second in contradictions(row.question for row, _ in kept)}
    refused += [
        row.wrong(f"asks the same as question '{others[row.question.id][:80]}' with another right answer")
        for row, _ in kept
        if row.question.id in others
    ]
    kept = [(row, line) for row, line in kept if row.question.id not in others]
    lines = tuple(line for _, line in kept)
    return Conversion(lines, sum(row.example for row, _ in kept), tuple(refused), unused, notes)


def _stripped(question: Question) -> Question:
    """The question without white space at the ends of its texts, which no question file keeps."""
    texts = {name: getattr(question, name).strip() for name in ("id", "text", "category", "cluster", "rubric", "system")}
    earlier = tuple((asked.strip(), replied.strip()) for asked, replied in question.earlier)
    return replace(question, **texts, earlier=earlier)


def _line(row: SourceRow, ids: set[str]) -> str:
    """The line of a question file that is read as this question. Raises `BadFile`."""
    question = row.question
    record = _record(question, example=row.example)
    try:
        count_values(record)
        read = question_of(row_of(record, _JSON_LINES), question.id)
        check_question(read)
    except BadInput as error:
        raise row.wrong(str(error)) from None
    if question.id in ids:
        raise row.wrong(f"the id '{question.id[:80]}' is already used: give each its own")
    if read != question:
        part = next(field for field in Question.__slots__ if getattr(read, field) != getattr(question, field))
        raise row.wrong(f"a question file would change {part} to {str(getattr(read, part))[:80]!r}: write it in another way")
    line = json.dumps(record, ensure_ascii=False)
    if len(line.encode()) > MAX_LINE_BYTES:
        raise row.wrong(f"has more than {MAX_LINE_BYTES >> 20} MiB: shorten it")
    return line


def _record(question: Question, *, example: bool) -> dict[str, Any]:
    """The question as a JSON object, with a letter for each option, so that letters are not looked for inside options."""
    asked: Any = question.text
    if question.system or question.earlier or asked.startswith("[{"):
        rows = [("system", question.system)] if question.system else []
        for before, replied in question.earlier:
            rows += [("user", before), ("assistant", replied)]
        asked = [{"role": role, "content": text} for role, text in (*rows, ("user", question.text))]
    values = {
        "id": question.id,
        "question": asked,
        "options": dict(zip(question.letters, question.options, strict=True)),
        "answer": list(question.accepted) if len(question.accepted) > 1 else "".join(question.accepted),
        "category": question.category,
        "weight": None if question.weight == 1 else question.weight,
        "cluster": question.cluster,
        "rubric": question.rubric,
        "rule": json.loads(question.rule) if question.rule else None,
        "example": example,
    }
    return {name: value for name, value in values.items() if value}


def check_fields(
    source: YamlSource, given: Any, known: Iterable[str], refused: Mapping[str, str], *, where: tuple[str | int, ...]
) -> None:
    """Reject a field that would change the question or the right answer, with its name and line.

    Parameters
    ----------
    known: fields that are used, or that have no effect.
    refused: known fields that are not used here, with the remedy.
    where: the path to the object with the fields.
    """
    if not isinstance(given, Mapping):
        raise source.wrong(f"{str(given)[:80]!r} is not a list of fields: write {{name: value}}", *where)
    listed = list(known)
    for name, value in given.items():
        if name in listed:
            continue
        if name in refused and (value in (None, False) or (isinstance(value, list | dict) and not value)):
            continue  # a field that is switched off changes nothing
        if name in refused:
            raise source.wrong(f"'{str(name)[:80]}' is not used here: {refused[name]}", *where, name)
        nearest = get_close_matches(str(name), [*listed, *refused], n=1, cutoff=0.75)
        hint = f"did you mean '{nearest[0]}'?" if nearest else "leave it out if it changes nothing"
        raise source.wrong(f"unknown field '{str(name)[:80]}': {hint}", *where, name)


def fields_of(given: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    """Which of these fields are there, in the order of the file."""
    wanted = set(names)
    return tuple(name for name in given if name in wanted)
