"""Base questions from files, and recipes of laws: the base questions a law needs, the statements to write, and the checks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_lines
from vivavoce.laws.law import law_named
from vivavoce.studies.config import MakingConfig


@dataclass(frozen=True, slots=True)
class StatementRecipe:
    """A statement to write or to compose."""

    key: str
    """Name in the tuple."""
    wanted: str
    """Request to the writer."""
    composed: str = ""
    """Template for the statement, with base questions in braces."""


@dataclass(frozen=True, slots=True)
class CheckerQuestion:
    """One question to the checker; yes means that the statements are right."""

    about: tuple[str, ...]
    """Statements shown to the checker besides the base questions."""
    asked: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a tuple of one law."""

    law: str
    base: tuple[str, ...]
    """Names of the base questions, P first."""
    parts: tuple[StatementRecipe, ...]
    checks: tuple[CheckerQuestion, ...]
    keys: tuple[str, ...]
    """The statements of the tuple in the law's order."""
    symmetric: bool = False
    """Whether swapping base questions leaves the tuple the same."""


_NOT_P = StatementRecipe(
    "not_P",
    "the exact opposite of P: whatever happens, one of the two is answered yes and the other no",
    "Will the answer to this question be no: “{P}”?",
)
_AND = StatementRecipe(
    "P_and_Q",
    "whether both things happen, that of P and that of Q",
    "Will the answers to both of these questions be yes: (a) “{P}” (b) “{Q}”?",
)
_OR = StatementRecipe(
    "P_or_Q",
    "whether at least one of two things happens, that of P or that of Q, perhaps both",
    "Will the answer to at least one of these questions be yes: (a) “{P}” (b) “{Q}”?",
)
_P_AND_NOT_Q = StatementRecipe(
    "P_and_not_Q",
    "whether the thing of P happens and that of Q does not",
    "Will the answer to (a) be yes and the answer to (b) no: (a) “{P}” (b) “{Q}”?",
)
_Q_AND_NOT_P = StatementRecipe(
    "Q_and_not_P",
    "whether the thing of Q happens and that of P does not",
    "Will the answer to (a) be yes and the answer to (b) no: (a) “{Q}” (b) “{P}”?",
)
_NEITHER = StatementRecipe("neither", "", "Will the answers to both of these questions be no: (a) “{P}” (b) “{Q}”?")
_ALL_THREE = StatementRecipe(
    "P_and_Q_and_R",
    "whether all three things happen, those of P, of Q and of R",
    "Will the answers to all of these questions be yes: (a) “{P}” (b) “{Q}” (c) “{R}”?",
)
_Q_GIVEN_P = StatementRecipe(
    "Q_given_P",
    "whether the thing of Q happens, on condition that that of P does; the condition stands in the question",
    "Given that the answer to “{P}” is yes: {Q}",
)
_P_GIVEN_Q = StatementRecipe(
    "P_given_Q",
    "whether the thing of P happens, on condition that that of Q does; the condition stands in the question",
    "Given that the answer to “{Q}” is yes: {P}",
)
_P_GIVEN_NOT_Q = StatementRecipe(
    "P_given_not_Q",
    "whether the thing of P happens, on condition that that of Q does not; the condition stands in the question",
    "Given that the answer to “{Q}” is no: {P}",
)
_R_GIVEN_BOTH = StatementRecipe(
    "R_given_P_and_Q",
    "whether the thing of R happens, on condition that those of P and of Q both do; the condition stands in the question",
    "Given that the answers to “{P}” and “{Q}” are both yes: {R}",
)
_CONSEQUENCE = StatementRecipe(
    "cons_P",
    "something that must be answered yes whenever P is, but is not P over again: less is claimed, or for a longer time",
)

_CHECKS = {
    "not_P": "Is not_P the exact opposite of P, so that whatever happens exactly one of the two is answered yes?",
    "P_and_Q": "Is P_and_Q answered yes exactly when P and Q are both answered yes?",
    "P_or_Q": "Is P_or_Q answered yes exactly when at least one of P and Q is answered yes?",
    "P_and_not_Q": "Is P_and_not_Q answered yes exactly when P is answered yes and Q is answered no?",
    "Q_and_not_P": "Is Q_and_not_P answered yes exactly when Q is answered yes and P is answered no?",
    "neither": "Is neither answered yes exactly when P and Q are both answered no?",
    "P_and_Q_and_R": "Is P_and_Q_and_R answered yes exactly when P, Q and R are all answered yes?",
    "Q_given_P": "Does Q_given_P ask for Q on condition that P is answered yes, and on no other condition?",
    "P_given_Q": "Does P_given_Q ask for P on condition that Q is answered yes, and on no other condition?",
    "P_given_not_Q": "Does P_given_not_Q ask for P on condition that Q is answered no, and on no other condition?",
    "R_given_P_and_Q": "Does R_given_P_and_Q ask for R on condition that P and Q are both answered yes, and on no other?",
    "cons_P": "Must cons_P be answered yes whenever P is answered yes?",
}
"""Checks of statements whose names define them."""


def _recipe(law: str, base: str, parts: tuple[StatementRecipe, ...], keys: str, *, symmetric: bool = False) -> Recipe:
    checks = tuple(CheckerQuestion((part.key,), _CHECKS[part.key]) for part in parts)
    return Recipe(law, tuple(base.split()), parts, checks, tuple(keys.split()), symmetric)


_FIXED = {
    recipe.law: recipe
    for recipe in (
        _recipe("neg", "P", (_NOT_P,), "P not_P"),
        _recipe("and", "P Q", (_AND,), "P Q P_and_Q", symmetric=True),
        _recipe("or", "P Q", (_OR,), "P Q P_or_Q", symmetric=True),
        _recipe("and-or", "P Q", (_AND, _OR), "P Q P_and_Q P_or_Q", symmetric=True),
        _recipe("but", "P Q", (_Q_AND_NOT_P, _OR), "P Q_and_not_P P_or_Q"),
        _recipe("cond", "P Q", (_Q_GIVEN_P, _AND), "P Q_given_P P_and_Q"),
        _recipe("cond-cond", "P Q R", (_Q_GIVEN_P, _R_GIVEN_BOTH, _ALL_THREE), "P Q_given_P R_given_P_and_Q P_and_Q_and_R"),
        _recipe("expected-evidence", "P Q", (_P_GIVEN_Q, _P_GIVEN_NOT_Q), "P Q P_given_Q P_given_not_Q"),
        _recipe("bayes", "P Q", (_P_GIVEN_Q, _Q_GIVEN_P), "P Q P_given_Q Q_given_P", symmetric=True),
        _recipe("consequence", "P", (_CONSEQUENCE,), "P cons_P"),
    )
}
_CELLS = (_AND, _P_AND_NOT_Q, _Q_AND_NOT_P)
_COMPOSED = {name: recipe for name, recipe in _FIXED.items() if all(part.composed for part in recipe.parts)} | {
    "exclusive": _recipe("exclusive", "P Q", _CELLS, "P_and_Q P_and_not_Q Q_and_not_P", symmetric=True),
    "partition": _recipe("partition", "P Q", (*_CELLS, _NEITHER), "P_and_Q P_and_not_Q Q_and_not_P neither", symmetric=True),
}
COMPOSED_LAWS = tuple(_COMPOSED)
"""Laws whose statements templates can compose."""
MADE_LAWS = (*_FIXED, "paraphrase", "exclusive", "partition", "chain")
"""Laws whose statements a writer can propose."""


def written_recipe(law: str, config: MakingConfig = MakingConfig()) -> Recipe:  # noqa: B008 -- frozen
    """The recipe by which a writer makes tuples of a law. The configuration decides how many statements it adds.

    Raises `UnknownName` for any other law, `BadInput` for more statements than a law can have.

    >>> written_recipe("paraphrase").keys
    ('P', 'para_P', 'para_P_2', 'para_P_3')
    >>> written_recipe("but").base, written_recipe("but").keys
    (('P', 'Q'), ('P', 'Q_and_not_P', 'P_or_Q'))
    """
    match law:
        case "paraphrase":
            recipe = _paraphrase(config.paraphrases)
        case "chain":
            recipe = _chain(config.statements)
        case "exclusive" | "partition":
            recipe = _rivals(law, config.statements)
        case _:
            if law not in _FIXED:
                raise UnknownName("law for which a writer can make statements", law, MADE_LAWS)
            recipe = _FIXED[law]
    law_named(law, recipe.keys)
    return recipe


def composed_recipe(law: str) -> Recipe:
    """The recipe by which templates make tuples of a law; 'exclusive' and 'partition' are the cells of two base questions.

    >>> composed_recipe("partition").keys
    ('P_and_Q', 'P_and_not_Q', 'Q_and_not_P', 'neither')
    """
    if law in _COMPOSED:
        return _COMPOSED[law]
    if law in MADE_LAWS:
        series = "; series come from --template" if law == "chain" else ""
        raise BadInput(f"'{law}' can't be made from a template: give --writer CANDIDATE{series}")
    raise UnknownName("law that can be composed by template", law, COMPOSED_LAWS)


def composed(recipe: Recipe, base: Mapping[str, str]) -> dict[str, str]:
    """The statements of a recipe by template, with the base questions inserted word for word.

    >>> composed(composed_recipe("neg"), {"P": "Will it rain?"})
    {'not_P': 'Will the answer to this question be no: “Will it rain?”?'}
    """
    # All substitutions at once, so braces within a question stay unchanged.
    return {part.key: re.sub(r"\{([PQR])\}", lambda match: base[match[1]], part.composed) for part in recipe.parts}


def _paraphrase(number: int) -> Recipe:
    keys = ("para_P", *(f"para_P_{n}" for n in range(2, number + 1)))
    wanted = "P in other words: the same event, the same date, the same numbers; and no phrasing like another"
    asked = "Do P and {0} ask for the very same event, so that they are always answered alike?"
    checks = tuple(CheckerQuestion((key,), asked.format(key)) for key in keys)
    return Recipe("paraphrase", ("P",), tuple(StatementRecipe(key, wanted) for key in keys), checks, ("P", *keys))


def _chain(number: int) -> Recipe:
    keys = tuple(f"cons_{n}" for n in range(1, number + 1))
    pairs = tuple(zip(("P", *keys[:-1]), keys, strict=True))
    parts = tuple(
        StatementRecipe(key, f"something that must be answered yes whenever {before} is, but claims less than {before}")
        for before, key in pairs
    )
    checks = tuple(
        CheckerQuestion(
            (key,) if before == "P" else (before, key), f"Must {key} be answered yes whenever {before} is answered yes?"
        )
        for before, key in pairs
    )
    return Recipe("chain", ("P",), parts, checks, ("P", *keys))


def _rivals(law: str, number: int) -> Recipe:
    keys = tuple(f"rival_{n}" for n in range(1, number + 1))
    wanted = "another outcome of the same matter, which excludes P and each of the other statements"
    last = f"{wanted}, and leaves none out: exactly one of all is answered yes" if law == "partition" else wanted
    parts = (*(StatementRecipe(key, wanted) for key in keys[:-1]), StatementRecipe(keys[-1], last))
    how_many = "exactly one" if law == "partition" else "at most one"
    checks = (CheckerQuestion(keys, f"Whatever happens, is {how_many} of P, {', '.join(keys)} answered yes?"),)
    return Recipe(law, ("P",), parts, checks, ("P", *keys))


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
