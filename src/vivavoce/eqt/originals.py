"""Questions of a benchmark, such as MMLU-Pro, that concepts are taken from and written questions are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.eqt.benchmark_file import category_name
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import json_lines
from vivavoce.interview.forms.written_question import MultipleChoice

MOST: Final = 200_000
LONGEST: Final = 60_000
"""Characters of a question with its options."""


@dataclass(frozen=True, slots=True)
class Original:
    """One question of a benchmark."""

    id: str
    category: str
    question: MultipleChoice


def read_originals(file: Path) -> tuple[Original, ...]:
    """The questions of a JSON Lines file, also gzipped, with `question`, `options`, `answer` (a letter), and perhaps
    `category` and `question_id`, as MMLU-Pro is published. Raises `BadFile`.

    >>> import json, tempfile
    >>> file = Path(tempfile.mkdtemp(), "q.jsonl")
    >>> line = {"question_id": 7, "category": "Computer_Science", "question": "2 + 3?", "options": ["5", "6"], "answer": "A"}
    >>> _ = file.write_text(json.dumps(line))
    >>> read_originals(file)[0].id, read_originals(file)[0].category
    ('7', 'computer science')
    """
    found: list[Original] = []
    ids: set[str] = set()
    for line, values in json_lines(file):
        try:
            original = _original(values, line)
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
        if original.id in ids:
            raise BadFile(file, f"the question '{original.id[:80]}' is there twice", line=line)
        ids.add(original.id)
        found.append(original)
        if len(found) > MOST:
            raise BadFile(file, f"more than {MOST:,} questions", line=line)
    if not found:
        raise BadFile(file, "holds no questions")
    return tuple(found)


def _original(values: Mapping[str, Any], line: int) -> Original:
    stem, options, answer = (values.get(name) for name in ("question", "options", "answer"))
    if not isinstance(stem, str) or not stem.strip():
        raise BadInput("'question' must be a text")
    if not isinstance(options, list) or not 1 <= len(options) <= len(ascii_uppercase):
        raise BadInput("'options' must be a list of 1 to 26 texts")
    if not all(isinstance(option, str) for option in options):
        raise BadInput("'options' must be texts")
    if len(stem) + sum(map(len, options)) > LONGEST:
        raise BadInput(f"the question has more than {LONGEST:,} characters")
    place = ascii_uppercase.find(answer.strip()) if isinstance(answer, str) and len(answer.strip()) == 1 else -1
    if not 0 <= place < len(options):
        raise BadInput(f"'answer' is {str(answer)[:40]!r}: it must be the letter of an option")
    name, category = values.get("question_id", line), values.get("category", "other")
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(category, str):
        raise BadInput("'question_id' and 'category' must be texts")
    question = MultipleChoice(stem.strip(), tuple(options), frozenset([place]))
    return Original(str(name)[:200], category_name(category[:200]) or "other", question)
