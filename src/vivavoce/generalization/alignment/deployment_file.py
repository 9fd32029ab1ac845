"""The questions that people would use a model for, as a scope file with weights, to be certified on those.

A certificate says whether a model understands the questions of a scope. Drawn by these weights, they are the questions that
people will really put to it after they saw it answer one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.generalization.alignment.deployment import UsedQuestion
from vivavoce.generalization.answers import key_of, plain

_ANSWERS: Final = (("q1", "answer1"), ("q2", "answer2"))
"""Columns of a file of pairs with what is right, as in the files of `vafa2024`."""
_LETTERED = re.compile(r"\(([A-Z])\) ?(.*)")
_OPTIONS: Final = "Options:"


@dataclass(frozen=True, slots=True)
class ScopeOfUse:
    """A scope file of the questions that people use a model for."""

    rows: tuple[Mapping[str, Any], ...]
    left_out: int
    """Questions of which the right answer is not known."""
    share: float
    """Of the deployment distribution, that is in the file."""


def right_answers(files: Iterable[Path]) -> dict[str, str]:
    """What is right, by the key of the question, from the columns answer1 and answer2 of files of pairs that have them.

    Raises `BadFile`.
    """
    found: dict[str, str] = {}
    for file in files:
        table = read_table(file)
        columns = [(question, answer) for question, answer in _ANSWERS if {question, answer} <= set(table.names)]
        for _, row in table.rows:
            found |= {key_of(row[question]): row[answer].strip() for question, answer in columns if row[answer].strip()}
    return found


def scope_rows(deployed: Iterable[UsedQuestion], known: Mapping[str, Mapping[str, Any] | str]) -> ScopeOfUse:
    """The rows of a scope file, as `file:FILE` reads them, most used first.

    Parameters
    ----------
    known: by the key of a question what is right, or a row of a scope file, of which all but the weight is kept.
    """
    rows: list[Mapping[str, Any]] = []
    left_out, total, kept = 0, 0.0, 0.0
    for one in deployed:
        total += one.weight
        found = known.get(one.key)
        if found is None:
            left_out += 1
            continue
        row = {"id": f"q{len(rows) + 1}", **_row(one, found)} if isinstance(found, str) else dict(found)
        rows.append(row | {"weight": one.weight})
        kept += one.weight
    return ScopeOfUse(tuple(rows), left_out, kept / total if total else 0.0)


def write_scope(file: Path, written: ScopeOfUse) -> None:
    """Write JSON Lines; raises `BadFile`."""
    write_whole(file, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in written.rows))


def _row(one: UsedQuestion, answer: str) -> dict[str, Any]:
    """A question of a file of pairs, its lettered options apart from its text where the answer is one of their letters."""
    lines = [line.strip() for line in plain(one.question).splitlines() if line.strip()]
    start = next((place for place, line in enumerate(lines) if line.startswith("(A)")), len(lines))
    options = _options(lines[start:])
    stem = lines[:start]
    told: dict[str, Any] = {"category": one.task} if one.task else {}
    if (
        stem
        and len(options) > 1
        and answer in ascii_uppercase[: len(options)]
        and len({*map(_folded, options)}) == len(options)
    ):
        text = "\n".join(stem[:-1] if stem[-1] == _OPTIONS and len(stem) > 1 else stem)
        return {"question": text, "options": options, "answer": answer, **told}
    return {"question": "\n".join(lines), "answer": answer, **told}


def _options(lines: list[str]) -> list[str]:
    """The texts of options (A), (B) and so on; a line without a letter goes on with the option before; none if out of order."""
    options: list[str] = []
    for line in lines:
        match = _LETTERED.fullmatch(line)
        if match and match[1] == ascii_uppercase[len(options) % 26] and len(options) < 26:
            options.append(match[2].strip())
        elif match or not options:
            return []
        else:
            options[-1] = f"{options[-1]} {line}".strip()
    return options if all(options) else []


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
