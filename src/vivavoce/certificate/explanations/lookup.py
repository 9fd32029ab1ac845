"""Explanations that are tables: what one looks up, from question to answer, in a file (section 5 of `leytonbrown2024`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vivavoce.certificate.explanations.procedures import Kind
from vivavoce.certificate.explanations.sandbox.program import Ruling
from vivavoce.errors import BadFile
from vivavoce.formats.lines import whole_json
from vivavoce.formats.tables import read_table as read_rows
from vivavoce.interview.forms.plain import fold
from vivavoce.scopes.questions import Question

MOST_BYTES = 64 * 1024**2


@dataclass(frozen=True)
class Table:
    """A table of questions and answers. It covers exactly the questions that stand in it, in these words.

    Case and white space do not count. Nothing in it is evaluated.

    >>> table = Table("sums.csv", {"What is 1 + 1?": "2"})
    >>> table.rulings([Question("a", "what is 1 +  1?"), Question("b", "What is 2 + 2?")])
    (Ruling(covers=True, answer='2', failure=''), Ruling(covers=False, answer='', failure=''))
    """

    source: str
    answers: Mapping[str, str]

    @property
    def kind(self) -> Kind:
        """`table`."""
        return "table"

    @cached_property
    def digest(self) -> str:
        """Of its rows, sorted."""
        return hashlib.sha256(json.dumps(sorted(self.answers.items())).encode()).hexdigest()

    @property
    def text(self) -> str:
        """Its rows as JSON Lines."""
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in self.answers.items())

    def rulings(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """What stands in it."""
        found = (self._folded.get(fold(question.text)) for question in questions)
        return tuple(Ruling(False, "") if answer is None else Ruling(True, answer) for answer in found)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        return {fold(question): answer for question, answer in self.answers.items()}


def read_table(file: Path) -> Table:
    """A table from a file: a JSON object from questions to answers, or CSV with the columns `question` and `answer`.

    Raises `BadFile` for another form, for a file of more than 64 MiB, and for a question with two answers.
    """
    if file.is_file() and file.stat().st_size > MOST_BYTES:
        raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: leave out what is not asked")
    rows = _from_json(file) if file.suffix.lower() == ".json" else _from_csv(file)
    answers: dict[str, str] = {}
    seen: dict[str, str] = {}
    for line, question, answer in rows:
        if seen.setdefault(fold(question), answer) != answer:
            raise BadFile(file, f"the question '{question[:80]}' has two answers: keep one", line=line)
        answers[question] = answer
    if not answers:
        raise BadFile(file, "no question in it: give at least one")
    return Table(file.name, answers)


def _from_json(file: Path) -> Iterator[tuple[int | None, str, str]]:
    value = whole_json(file)
    if not isinstance(value, dict):
        raise BadFile(file, 'must be a JSON object from questions to answers, such as {"What is 1 + 1?": 2}')
    for question, answer in value.items():
        if isinstance(answer, bool) or not isinstance(answer, str | int | float):
            raise BadFile(file, f"the answer to '{question[:80]}' must be a text or a number")
        yield None, question, str(answer)


def _from_csv(file: Path) -> Iterator[tuple[int | None, str, str]]:
    for line, row in read_rows(file, ("question", "answer"), others=False).rows:
        yield line, row["question"], row["answer"]
