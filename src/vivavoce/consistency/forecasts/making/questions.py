"""Base questions: what further statements are made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import BadFile
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_lines

_TITLES = ("question", "title")
"""Where the question stands in a JSON line, the first that is there."""
LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class BaseQuestion:
    """A question about the future that stands for itself."""

    id: str
    """Tuples made from one question share it."""
    title: str
    """The question in one line: what forecasters are asked."""
    body: str = ""
    """How it will be decided. Writers and checkers see it, forecasters do not."""


def read_questions(file: Path) -> tuple[BaseQuestion, ...]:
    """The base questions of a file: JSON Lines with `question` or `title`, perhaps `body` and `id`; else one question a line.

    Both may be gzipped (`.gz`). Where there is no `id`, the number of the line is one; other fields are ignored. Raises
    `BadFile` with the line and the remedy.
    """
    found: list[BaseQuestion] = []
    lines: dict[str, int] = {}
    numbered = (
        ((line, _question(file, line, record)) for line, record in json_lines(file))
        if ending(file) in JSON_LINES
        else ((line, _plain(file, line, text)) for line, text in enumerate(text_lines(file), start=1) if text.strip())
    )
    for line, question in numbered:
        if question.id in lines:
            raise BadFile(file, f"id '{question.id}' is already on line {lines[question.id]}: make it unique", line=line)
        lines[question.id] = line
        found.append(question)
    if not found:
        raise BadFile(file, "holds no questions")
    return tuple(found)


def _plain(file: Path, line: int, text: str) -> BaseQuestion:
    if text.lstrip().startswith('{"'):
        raise BadFile(file, "this looks like JSON Lines: give the file a name that ends in .jsonl", line=line)
    return BaseQuestion(str(line), " ".join(text.split()))


def _question(file: Path, line: int, record: dict[str, Any]) -> BaseQuestion:
    name = next((name for name in _TITLES if record.get(name) is not None), None)
    if name is None:
        raise BadFile(file, 'has neither "question" nor "title": give one of them', line=line)
    title, body = (_text(file, line, record, field) for field in (name, "body"))
    if not title.strip():
        raise BadFile(file, f'"{name}" is empty', line=line)
    given = record.get("id")
    if given is None:
        given = line
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise BadFile(file, f'"id" is a {type(given).__name__}, it must be a text or a whole number', line=line)
    identity = str(given).strip()
    if not 0 < len(identity) <= LONGEST_ID:
        raise BadFile(file, f'"id" has {len(identity)} characters, it must have 1 to {LONGEST_ID}', line=line)
    return BaseQuestion(identity, " ".join(title.split()), body.strip())


def _text(file: Path, line: int, record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadFile(file, f'"{field}" is a {type(value).__name__}, it must be a text', line=line)
    return value
