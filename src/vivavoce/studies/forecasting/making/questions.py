"""Base questions: reading their files, and drawing groups of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_lines

_TITLES = ("question", "title")
"""Keys for the question in a JSON line; the first one that is present counts."""
LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class BaseQuestion:
    """A question about the future that can be understood by itself."""

    id: str
    """Shared by all tuples made from this question."""
    title: str
    """The question in one line, as forecasters see it."""
    body: str = ""
    """How the question will be decided. Writers and checkers see it, forecasters don't."""


def read_questions(file: Path) -> tuple[BaseQuestion, ...]:
    """Read base questions: JSON Lines with `question` or `title`, perhaps `body` and `id`; else one question a line.

    Both may be gzipped (`.gz`). Without an `id`, the line number is the id; other fields are ignored. Raises `BadFile` with the
    line and the remedy.
    """
    questions: list[BaseQuestion] = []
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
        questions.append(question)
    if not questions:
        raise BadFile(file, "holds no questions")
    return tuple(questions)


def _plain(file: Path, line: int, text: str) -> BaseQuestion:
    if text.lstrip().startswith('{"'):
        raise BadFile(file, "this looks like JSON Lines: give the file a name that ends in .jsonl", line=line)
    return BaseQuestion(str(line), " ".join(text.split()))


def _question(file: Path, line: int, record: dict[str, Any]) -> BaseQuestion:
    name = next((name for name in _TITLES if record.get(name) is not None), None)
    if name is None:
        raise BadFile(file, 'has no "question" or "title": give one of them', line=line)
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


MOST_TUPLES = 100_000
"""Most groups made at once; a writer's calls cost money."""

Pairs = int | Literal["all"] | None
"""Number of groups: this many, all, or None (each question takes each position once)."""


def groups(
    questions: Sequence[BaseQuestion], size: int, *, pairs: Pairs, rng: np.random.Generator, symmetric: bool = False
) -> list[tuple[BaseQuestion, ...]]:
    """Groups of different base questions, in drawn order.

    By default the questions form a random circle, and each is grouped with those that follow it. So each question takes each
    position once, and which questions meet is random. A number draws this many different groups; `all` takes every one.
    `symmetric` groups that differ only in order count as one. With size 1 the questions stay as they are.

    >>> rain, snow, hail = (BaseQuestion(name, f"Will there be {name}?") for name in ("rain", "snow", "hail"))
    >>> [[q.id for q in group] for group in groups([rain, snow, hail], 2, pairs="all", rng=None, symmetric=True)]
    [['rain', 'snow'], ['rain', 'hail'], ['snow', 'hail']]

    Raises `BadInput` if there are too few questions, or too many groups.
    """
    if len(questions) < size:
        raise BadInput(f"the law needs {size} base questions in each tuple, the file has {len(questions)}: add some")
    if size == 1:
        return [(question,) for question in questions]
    if pairs is None:
        order = [questions[i] for i in rng.permutation(len(questions))]
        return [tuple(order[(i + k) % len(order)] for k in range(size)) for i in range(len(order))]
    number = math.comb(len(questions), size) if symmetric else math.perm(len(questions), size)
    wanted = number if pairs == "all" else pairs
    if wanted > number:
        raise BadInput(f"--pairs {pairs}: {len(questions)} questions make {number} groups of {size}; give --pairs all")
    if wanted > MOST_TUPLES:
        raise BadInput(f"{wanted} groups are more than {MOST_TUPLES}: give a smaller --pairs N")
    if pairs == "all":
        every = combinations(questions, size) if symmetric else permutations(questions, size)
        return list(every)
    return list(_drawn(questions, size, wanted, rng, symmetric=symmetric))


def _drawn(
    questions: Sequence[BaseQuestion], size: int, wanted: int, rng: np.random.Generator, *, symmetric: bool
) -> Iterator[tuple[BaseQuestion, ...]]:
    """Draw different groups at random: redraw repeated ones, or shuffle the whole list if most groups are wanted."""
    number = math.comb(len(questions), size) if symmetric else math.perm(len(questions), size)
    if 2 * wanted > number:
        every = list(combinations(questions, size) if symmetric else permutations(questions, size))
        yield from (every[i] for i in rng.permutation(number)[:wanted])
        return
    seen: set[tuple[int, ...]] = set()
    while len(seen) < wanted:
        drawn = tuple(int(i) for i in rng.choice(len(questions), size, replace=False))
        known = tuple(sorted(drawn)) if symmetric else drawn
        if known not in seen:
            seen.add(known)
            yield tuple(questions[i] for i in drawn)
