"""What the answers of a file show only together: decimal signs, empty cells, and numbers of options in a second column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.column_names import folded
from vivavoce.certificate.scopes.question_records import Records
from vivavoce.errors import BadFile
from vivavoce.formats.numbers import as_number

_THOUSANDS: Final = re.compile(r"\D*[1-9]\d{0,2}\.\d{3}\D*")
_WITH_POINT: Final = re.compile(r"\D*\d*\.\d+\D*")
_NOTHING: Final = frozenset({"None", "NA"})
"""What programs write for a cell that is empty, and people for an answer."""
_INDEX: Final = re.compile(r"(?:(?:correct|right|gold)_)?(?:answer|label|option|choice|target|correct|gold)_(?:index|idx)")
_WHOLE: Final = re.compile(r"\d{1,3}(?:\.0+)?")


def check_columns(records: Records) -> None:
    """Refuse a table of promptfoo, whose answers are assertions. Raises `BadFile`."""
    if any(column.strip().startswith("__expected") for column in records.columns):
        raise BadFile(
            records.file,
            "'__expected' is promptfoo's column of assertions: name this file in the 'tests' of a configuration, and convert "
            "that by viva import promptfoo promptfooconfig.yaml",
            line=records.head,
        )


def check_answers(records: Records, questions: Sequence[Question], lines: Mapping[str, int]) -> None:
    """Refuse free answers that other answers of the file show to be meant otherwise. Raises `BadFile`."""
    free = [one for one in questions if not one.options and one.accepted and one.match in (None, "number")]
    answers = [(answer, lines[question.id]) for question in free for answer in question.accepted]
    empty = next(((answer, line) for answer, line in answers if answer in _NOTHING), None)
    if empty and any(answer not in _NOTHING for answer, _ in answers):
        problem = f"an answer is '{empty[0]}', as programs write an empty cell: leave it empty"
        raise BadFile(records.file, f"{problem}, or give 'match' exact if it is meant", line=empty[1])
    points = [(answer, line) for answer, line in answers if _WITH_POINT.fullmatch(answer) and as_number(answer) is not None]
    doubtful = [(answer, line) for answer, line in points if _THOUSANDS.fullmatch(answer)]
    if doubtful and len(doubtful) == len(points) and (records.semicolons or all(".000" in answer for answer, _ in doubtful)):
        answer, line = doubtful[0]
        whole, short = answer.replace(".", ""), answer.replace(".000", "")
        raise BadFile(
            records.file,
            f"the answer '{answer[:40]}' may be {whole[:40]}, as the point parts thousands where a comma is the decimal sign: "
            f"write {whole[:40]} or {short[:40]}{'0' if short == answer else ''}, or give 'match' exact if it is a text",
            line=line,
        )


def check_indices(records: Records, ignored: Iterable[str], questions: Sequence[Question], lines: Mapping[str, int]) -> None:
    """Refuse a second column that says by number which option is right, and says another one. Raises `BadFile`."""
    column = next((name for name in ignored if _INDEX.fullmatch(folded(name))), None)
    if column is None:
        return
    rows = dict(records.rows)
    firsts: set[int] = set()
    for question in questions:
        line = lines[question.id]
        number = _whole(rows[line].get(column))
        if number is None or len(question.accepted) != 1 or question.accepted[0] not in question.letters:
            continue
        first = number - ascii_uppercase.index(question.accepted[0])
        firsts.add(first)
        if len(firsts) > 1 or first not in (0, 1):
            raise BadFile(
                records.file,
                f"'{column[:40]}' is {number}, but the answer is option {question.accepted[0]}: correct one of them, or leave "
                f"'{column[:40]}' out",
                line=line,
            )


def _whole(value: Any) -> int | None:
    text = "" if isinstance(value, bool) else str(value).strip()
    return int(float(text)) if _WHOLE.fullmatch(text) else None
