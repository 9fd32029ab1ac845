"""What the columns of somebody else's file mean: `?question=prompt&options=choices&answer=label&first=0` behind its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.errors import BadInput

TOLD: Final = ("question", "options", "answer", "id", "category")
"""What a name can be told of."""
OPTIONS: Final = (*TOLD, "first", "after")
"""What may stand behind the "?"."""
_NUMBER = re.compile(r"\d{1,3}")


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Where a record has what a question is made of, if not under that name.

    >>> names = ColumnNames(question="prompt", options="choices", answer="label", first="0")
    >>> names.completed(names.named({"prompt": "Capital of Italy?", "choices": ["Milan", "Rome"], "label": 1}))
    {'question': 'Capital of Italy?', 'options': ['Milan', 'Rome'], 'answer': 'B'}
    >>> ColumnNames(after="####").completed({"question": "What is 6 times 7?", "answer": "6 * 7 = 42 #### 42"})["answer"]
    '42'
    """

    question: str = ""
    options: str = ""
    """One column with a list (or with a `text` and a `label` for each, as ARC has it), or several with an option each,
    separated by commas."""
    answer: str = ""
    id: str = ""
    category: str = ""
    first: str = ""
    """The number of the first option where `answer` is a number of an option: 0 or 1."""
    after: str = ""
    """The mark behind which the answer stands, at its last place, as in GSM8K."""

    def __post_init__(self) -> None:
        if self.first not in ("", "0", "1"):
            raise BadInput(f"first={self.first[:40]}: the number of the first option is 0 or 1")

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are told of."""
        return tuple(column for name in TOLD if getattr(self, name) for column in getattr(self, name).split(","))

    def check(self, columns: Collection[str]) -> None:
        """Raises `BadInput` where a file with these columns lacks one that is told of."""
        for column in self.columns:
            if column not in columns:
                raise BadInput(f"no column '{column[:80]}': there are {', '.join(columns)[:200] or 'none'}")

    def named(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The record with the names of questions in place of its own."""
        told = {name: getattr(self, name).split(",") for name in TOLD if getattr(self, name)}
        found = {name: value for name, value in record.items() if name not in told and name not in self.columns}
        for name, columns in told.items():
            there = [record[column] for column in columns if column in record]
            if there:
                found[name] = there if len(columns) > 1 else there[0]
        return found

    def completed(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A named record with a letter as the answer where options are numbered or labelled, and without what precedes a mark.

        Raises `BadInput` for an answer without the mark, and one that is no number, or no label, of an option.
        """
        found = dict(record)
        labels = None
        if isinstance(options := found.get("options"), Mapping) and {"text", "label"} <= set(options):
            found["options"], labels = list(options["text"]), [str(label) for label in options["label"]]
        if "answer" in found:
            found["answer"] = self._answer(found["answer"], labels, len(found.get("options") or ()))
        return found

    def _answer(self, answer: Any, labels: list[str] | None, options: int) -> Any:
        if isinstance(answer, list):
            return [self._answer(one, labels, options) for one in answer]
        if self.after:
            before, mark, behind = str(answer).rpartition(self.after)
            if not mark:
                raise BadInput(f"'answer' has no '{self.after[:40]}': {(before or behind)[:80]!r}")
            answer = behind.strip()
        if labels is not None:
            if str(answer) not in labels[: len(ascii_uppercase)]:
                raise BadInput(f"'answer' is '{str(answer)[:80]}', which is none of the labels {', '.join(labels)[:200]}")
            return ascii_uppercase[labels.index(str(answer))]
        if self.first and options:
            place = int(answer) - int(self.first) if _NUMBER.fullmatch(str(answer)) else -1
            if not 0 <= place < min(options, len(ascii_uppercase)):
                raise BadInput(f"'answer' is '{str(answer)[:80]}', which is no number of an option from {self.first} on")
            return ascii_uppercase[place]
        return answer


AS_THEY_ARE: Final = ColumnNames()
"""Columns have the names of questions."""
