"""What a reader of another tool's file hands over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any, NamedTuple

from vivavoce.certificate.questions import Question
from vivavoce.formats.yaml_file import Source

MOST_CHARACTERS = 256 << 20
"""Characters of all questions of a file, with what is put before each."""


class Read(NamedTuple):
    """The questions of a file, and what of it was not needed."""

    questions: tuple[Question, ...]
    examples: tuple[Question, ...] = ()
    """Worked examples."""
    unused: tuple[str, ...] = ()
    """Fields that change no question and no score here."""
    checked: bool = False
    """Whether the questions need no check any more, or none at all since others published them."""
    ignored: tuple[str, ...] = ()
    """Columns that no question is made of."""
    notes: tuple[str, ...] = ()
    """How the file was read, in sentences, where that needs saying."""


def bounded(source: Source, questions: Iterable[Question]) -> tuple[Question, ...]:
    """Questions as they are made; a file in which many rows share long texts grows by that. Raises `BadFile`."""
    kept: list[Question] = []
    room = MOST_CHARACTERS
    for question in questions:
        room -= len(question.text) + len(question.system) + len(question.rule) + sum(map(len, chain(*question.earlier)))
        if room < 0:
            problem = f"its questions have more than {MOST_CHARACTERS:,} characters, at question {len(kept) + 1:,}"
            raise source.wrong(f"{problem}: shorten what stands before each, or split the file")
        kept.append(question)
    return tuple(kept)


def check_fields(
    source: Source, given: Any, known: Iterable[str], refused: Mapping[str, str], *, where: tuple[str | int, ...]
) -> None:
    """Refuse a field that would change what is asked or what is right, by its name and line.

    Parameters
    ----------
    known: fields that are used, or that change nothing.
    refused: known fields that are not used here, with the remedy.
    where: the steps to what holds the fields.
    """
    if not isinstance(given, Mapping):
        raise source.wrong(f"{str(given)[:80]!r} stands where fields are named: write {{name: value}}", *where)
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
