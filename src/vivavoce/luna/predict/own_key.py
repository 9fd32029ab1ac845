"""An answer key of one's own: for each question one or several right answers, from a table.

The table is CSV in UTF-8 (tabs where the name ends in `.tsv`) with the columns `question`, `reference` and, if wished,
`reference2`, `reference3` and so on; a row a question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.asked import normalised
from vivavoce.luna.predict.answers import People
from vivavoce.luna.tables import Row, rows_of

References = Mapping[str, tuple[str, ...]]
"""Right answers by question."""
MOST: Final = 20
"""Right answers to a question."""
LONGEST: Final = 5_000
"""Characters of one, and of a question."""
_COLUMN: Final = re.compile(r"reference(\d{0,2})")


def read_key(path: Path) -> References:
    """The right answers of a table. Raises `BadFile`, with the line where there is one."""
    found: dict[str, tuple[str, ...]] = {}
    for row in rows_of(path, ("question", "reference")):
        question = row.name("question", LONGEST)
        if question in found:
            raise row.wrong("this question has a row already: put further right answers into reference2, reference3 ...")
        found[question] = references_in(row)
        if not found[question]:
            raise row.wrong("no right answer: fill in 'reference', or leave the row out")
    if not found:
        raise BadFile(path, "no row below the names of the columns: give a right answer")
    return found


def references_in(row: Row) -> tuple[str, ...]:
    """The right answers in a row, in the order of their columns' numbers; none where there are no such columns."""
    columns = [name for name in row.cells if _COLUMN.fullmatch(name)]
    if len(columns) > MOST:
        raise row.wrong(f"{len(columns)} columns of right answers; {MOST} is the most")
    ordered = sorted(columns, key=lambda name: int(name.removeprefix("reference") or 1))
    found = tuple(text for name in ordered if (text := row.cells[name].strip()))
    longest = max(map(len, found), default=0)
    if longest > LONGEST:
        raise row.wrong(f"a right answer has {longest} characters; {LONGEST} is the most")
    return found


def with_key(people: People, key: References) -> People:
    """The people, who are to be compared with this key; questions that it does not have keep what they had.

    A question is found by its name or text as it is, or else but for case, blanks and punctuation. Raises `BadInput` for a key
    of other questions altogether.

    >>> from vivavoce.luna.predict.answers import Answer, people_of
    >>> people = people_of([Answer("Ann", "Capital of France?", "paris", 1.0)])
    >>> dict(with_key(people, {"capital of france": ("Paris",)}).references)
    {'Capital of France?': ('Paris',)}
    """
    alike = {normalised(question): right for question, right in key.items()}
    found = {
        question: key.get(question) or alike[normalised(question)]
        for question in people.questions
        if question in key or normalised(question) in alike
    }
    if not found:
        raise BadInput(f"the answer key has none of the {len(people.questions)} questions that were answered: name them alike")
    return replace(people, references={**people.references, **found})
