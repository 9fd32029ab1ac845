"""The meaning of columns in a file of questions: by their names, or by `?question=prompt&answer=label` after its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from string import ascii_lowercase
from typing import Any, Final

from vivavoce.errors import BadInput

ROLES: Final = (
    "question", "options", "answer", "id", "category", "rubric", "weight", "cluster", "law", "rule", "idk_score",
    "unacceptable", "scores", "example", "turns",
)  # fmt: skip
"""Roles that can be assigned to a column."""
OPTIONS: Final = (*ROLES, "first", "after", "closed")
"""Options after the "?"."""
COLUMNS: Final = (*ROLES, "match")
"""Roles that a column's own name can give it."""
SYNONYMS: Final[Mapping[str, frozenset[str]]] = {
    "question": frozenset(
        {
            "questions", "input", "prompt", "query", "question_text", "question_stem", "stem", "problem", "instruction",
            "user_input", "user_query", "q",
        }
    ),
    "answer": frozenset(
        {
            "answers", "target", "targets", "ground_truth", "groundtruth", "ground_truths", "expected", "expected_output",
            "expected_answer", "expected_response", "expected_result", "reference", "references", "reference_answer",
            "reference_output", "ideal", "ideal_answer", "label", "gold", "gold_answer", "gold_label", "golden_answer",
            "correct", "correct_answer", "correct_answers", "correct_option", "correct_choice", "right_answer", "answer_key",
            "ans", "a",
        }
    ),
    "options": frozenset({"choices", "alternatives", "endings", "answer_options", "answer_choices"}),
    "unacceptable": frozenset({"ridiculous"}),
}  # fmt: skip
"""Other usual names of columns, as `folded` has them."""
_NO_SLIPS: Final = frozenset({"score", "role"})
"""Names for scores and speakers in results."""
_ROLE_OF: Final = {name: name for name in COLUMNS} | {other: role for role, names in SYNONYMS.items() for other in names}
_FAMILY: Final = re.compile(r"(?:(options?|choices?|opt|alternatives?|answers?|ans|sol|endings?)_?)?([a-z]|\d{1,2})")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_LETTERS: Final = re.compile(r"[\W_]+")


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """The name of a column in the form for comparison.

    >>> folded(" Ground Truth "), folded("answerKey"), folded("options[0]"), folded("ID")
    ('ground_truth', 'answer_key', 'options_0', 'id')
    """
    return _NOT_LETTERS.sub("_", _HUMP.sub("_", name.strip())).strip("_").lower()


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The roles of a file's columns."""

    columns: Mapping[str, Sequence[str]]
    """Columns by role; options may have several columns, with one option each."""
    ignored: tuple[str, ...] = ()
    """Columns that are not used."""
    note: str = ""
    """A sentence on columns that were assigned by other usual names; empty if there are none."""
    slip: tuple[str, str] | None = None
    """A column whose name looks like a misspelling of a missing one, with the message."""

    @property
    def are_own(self) -> bool:
        """Whether records already have the names of roles, and nothing else."""
        return not self.ignored and all(tuple(names) == (role,) for role, names in self.columns.items())

    def named(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record by roles; a role with several columns gets a list, with None for missing values."""
        result: dict[str, Any] = {}
        for role, columns in self.columns.items():
            if len(columns) == 1:
                value = record.get(columns[0])
                if value is not None:
                    result[role] = value
            else:
                values = [record.get(column) for column in columns]
                if any(value is not None for value in values):
                    result[role] = values
        return result


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The columns of a question's parts, if they have other names.

    >>> roles = ColumnNames(answer="right").roles(["Prompt", "A", "B", "right", "source"])
    >>> roles.named({"Prompt": "Capital of Italy?", "A": "Milan", "B": "Rome", "right": "B"})
    {'question': 'Capital of Italy?', 'options': ['Milan', 'Rome'], 'answer': 'B'}
    >>> roles.ignored, roles.note
    (('source',), 'Columns of the file were read by what they are usually called: “Prompt” as question, “A”, “B” as options.')
    """

    question: str = ""
    options: str = ""
    """One column with all of them, or several with an option each, separated by commas."""
    answer: str = ""
    id: str = ""
    category: str = ""
    rubric: str = ""
    weight: str = ""
    cluster: str = ""
    law: str = ""
    rule: str = ""
    idk_score: str = ""
    unacceptable: str = ""
    scores: str = ""
    example: str = ""
    turns: str = ""
    first: str = ""
    """The number of the first option if `answer` is an option's number: 0 or 1; `none` if it is an option's text."""
    after: str = ""
    """The mark whose last occurrence is followed by the answer, as in GSM8K."""
    closed: str = ""
    """`yes` if the accepted answers of the file are the only possible ones, so any other of them is wrong."""

    def __post_init__(self) -> None:
        if self.first not in ("", "0", "1", "none"):
            raise BadInput(
                f"first={self.first[:40]}: the number of the first option is 0 or 1; write none if numbers are options' texts"
            )
        if self.closed not in ("", "yes", "no"):
            raise BadInput(f"closed={self.closed[:40]}: write yes or no")

    @property
    def said(self) -> dict[str, tuple[str, ...]]:
        """The named columns, by role."""
        return {role: tuple(getattr(self, role).split(",")) for role in ROLES if getattr(self, role)}

    def roles(self, columns: Collection[str]) -> ColumnRoles:
        """The role of each of these columns. Raises `BadInput` if a named one is missing, or two columns could have one
        role."""
        document = self.said
        used = {column for names in document.values() for column in names}
        for column in used:
            if column not in columns:
                raise BadInput(f"no column '{column[:80]}': there are {', '.join(columns)[:200] or 'none'}")
        others = [column for column in columns if column not in used]
        values: dict[str, list[tuple[str, ...]]] = {}
        known = {_ROLE_OF.get(folded(column)) for column in others if folded(column) != "a"}
        family = () if "options" in document else _option_columns(others, has_answer="answer" in known | document.keys())
        if family:
            values["options"] = [family]
        for column in others:
            role = _ROLE_OF.get(folded(column), "")
            if role and role not in document and column not in family:
                values.setdefault(role, []).append((column,))
        for role, candidates in values.items():
            # a single letter counts only if there is no better name
            values[role] = [names for names in candidates if len(names) > 1 or len(folded(names[0])) > 1] or candidates
            if len(values[role]) > 1:
                raise BadInput(_ambiguous(role, values[role]))
        taken = {role: names[0] for role, names in values.items()}
        ignored = tuple(column for column in others if not any(column in names for names in taken.values()))
        columns_of: dict[str, Sequence[str]] = {
            role: (document | taken)[role] for role in COLUMNS if role in document or role in taken
        }
        return ColumnRoles(columns_of, ignored, _note(taken), slip_in(ignored, columns_of))


AS_THEY_ARE: Final = ColumnNames()
"""No columns are named, so their own names decide."""


def in_address(name: str) -> str:
    """The name of a column as written after the "?"."""
    return name.replace("%", "%25").replace("&", "%26").replace("?", "%3F")


def _option_columns(columns: Sequence[str], *, has_answer: bool) -> tuple[str, ...]:
    """Columns with an option each, such as A, B, C or option_1, option_2; none if there are no two of a kind."""
    families: dict[tuple[str, bool], dict[int, str]] = {}
    for column in columns:
        name = folded(column)
        match = None if name in _ROLE_OF and name != "a" else _FAMILY.fullmatch(name)
        if match:
            is_number = match[2].isdecimal()
            index = int(match[2]) if is_number else ascii_lowercase.index(match[2])
            families.setdefault((match[1] or "", is_number), {})[index] = column
    rows = [
        (stem, is_number, of)
        for (stem, is_number), of in families.items()
        if len(of) > 1 and (stem or 0 in of or (is_number and 1 in of))
    ]
    if not rows:
        return ()
    if len(rows) > 1:
        raise BadInput(_ambiguous("options", [tuple(of[index] for index in sorted(of)) for *_, of in rows]))
    stem, is_number, of = rows[0]
    places = sorted(of)
    names = tuple(of[index] for index in places)
    joined = ",".join(map(in_address, names))
    if places != list(range(places[0], places[0] + len(places))) or places[0] > is_number:
        raise BadInput(
            f"the columns {_listed(names)} look like options, but some are missing: name all of them after the file, as "
            f"?options={joined}"
        )
    if stem in ("answer", "answers", "ans") and not has_answer:
        raise BadInput(
            f"the columns {_listed(names)} could be options, or several right answers: write ?options={joined}&answer=COLUMN "
            f"after the file, or ?answer={joined}"
        )
    return names


def _ambiguous(role: str, candidates: Sequence[tuple[str, ...]]) -> str:
    named = " and ".join(_listed(names) for names in candidates)
    write = " or ".join(f"?{role}={','.join(map(in_address, names))}" for names in candidates)
    return f"the columns {named} could both be '{role}': write {write} after the file's name"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name[:40]}'" for name in names[:8]) + (" ..." if len(names) > 8 else "")


def _note(taken: Mapping[str, Sequence[str]]) -> str:
    others = {role: names for role, names in taken.items() if len(names) > 1 or folded(names[0]) != role}
    if not others:
        return ""
    text = ", ".join(
        f"{', '.join(f'“{name[:40]}”' for name in names)} as {role}"
        for role, names in sorted(others.items(), key=lambda item: COLUMNS.index(item[0]))
    )
    return f"Columns of the file were read by what they are usually called: {text}."


def slip_in(ignored: Iterable[str], roles: Collection[str]) -> tuple[str, str] | None:
    """A name that looks like a misspelling of a missing column."""
    missing = [name for name in COLUMNS if name not in roles]
    for column in ignored:
        name = column.strip().lower()
        nearest = [] if name in _NO_SLIPS else get_close_matches(name, missing, n=1, cutoff=0.75)
        if nearest:
            return column, f"unknown column '{column[:40]}': did you mean '{nearest[0]}'?"
    return None
