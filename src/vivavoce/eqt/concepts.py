"""Concepts to examine on: the project's own list, 14 categories of 20, or the user's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.eqt.questions import Concept
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import text_lines, whole_json
from vivavoce.formats.tables import read_table

LONGEST: Final = 200
"""Characters of a concept's name."""
MOST: Final = 10_000
FORMS: Final = (".txt", ".json", ".csv")


@cache
def all_concepts() -> tuple[Concept, ...]:
    """The built-in list.

    >>> len(all_concepts()), all_concepts()[0]
    (280, Concept(name='Natural selection', category='biology'))
    """
    text = files("vivavoce.eqt").joinpath("concepts.txt").read_text(encoding="utf-8")
    return tuple(_headed(text.splitlines()))


def categories() -> tuple[str, ...]:
    """The categories of the built-in list, those of MMLU-Pro.

    >>> len(categories()), categories()[:3]
    (14, ('biology', 'business', 'chemistry'))
    """
    return tuple(dict.fromkeys(concept.category for concept in all_concepts()))


def chosen_concepts(names: Sequence[str]) -> tuple[Concept, ...]:
    """The concepts of these categories and files, each once; all that are built in where nothing is named.

    A file is `.txt` (a concept a line, `[category]` before its concepts), `.json` ({category: [concepts]} or a list) or `.csv`
    (columns `concept` and perhaps `category`).

    Raises `UnknownName` for what is neither a category nor a file, and `BadFile`.

    >>> len(chosen_concepts(["math", "physics"]))
    40
    """
    found: list[Concept] = [] if names else list(all_concepts())
    for name in names:
        if Path(name).suffix.lower() in FORMS:
            found += read_concepts(Path(name))
        elif name.replace("_", " ").lower() in categories():
            found += [concept for concept in all_concepts() if concept.category == name.replace("_", " ").lower()]
        else:
            raise UnknownName("category (or file .txt, .json, .csv)", name, categories())
    return tuple(dict.fromkeys(found))


def drawn_concepts(concepts: Sequence[Concept], limit: int | None, *, seed: int) -> tuple[Concept, ...]:
    """This many of these at random, in their order; all where no limit is below their number.

    >>> [concept.name for concept in drawn_concepts(chosen_concepts(["math"]), 2, seed=0)] == []
    False
    """
    if limit is None or limit >= len(concepts):
        return tuple(concepts)
    drawn = np.random.default_rng(seed).permutation(len(concepts))[:limit]
    return tuple(concepts[place] for place in sorted(drawn))


def named(concepts: Sequence[Concept]) -> tuple[str, str]:
    """How many there are, in words, and a SHA-256 in hex of which.

    >>> named(chosen_concepts(["math"]))[0]
    '20 concepts'
    """
    listed = "\n".join(f"{concept.category}/{concept.name}" for concept in concepts)
    return f"{len(concepts)} concept{'s' * (len(concepts) != 1)}", hashlib.sha256(listed.encode()).hexdigest()


def read_concepts(file: Path) -> list[Concept]:
    """The concepts of a file, in their order. Raises `BadFile`."""
    form = file.suffix.lower()
    try:
        found = {".json": _of_json, ".csv": _of_table}.get(form, _of_text)(file)
    except BadInput as error:
        raise error if isinstance(error, BadFile) else BadFile(file, str(error)) from None
    if not found:
        raise BadFile(file, "holds no concepts")
    if len(found) > MOST:
        raise BadFile(file, f"holds {len(found)} concepts: {MOST} is the most")
    return found


def _of_text(file: Path) -> list[Concept]:
    return list(_headed(text_lines(file)))


def _of_json(file: Path) -> list[Concept]:
    values = whole_json(file)
    if isinstance(values, list):
        values = {"other": values}
    if not (isinstance(values, dict) and all(isinstance(names, list) for names in values.values())):
        raise BadFile(file, "must hold {category: [concepts]}, or a list of concepts")
    return [_concept(name, category) for category, names in values.items() for name in names]


def _of_table(file: Path) -> list[Concept]:
    found = []
    for number, values in read_table(file, ["concept"], small=True, cut=True).rows:
        try:
            found.append(_concept(values["concept"], values.get("category") or "other"))
        except BadInput as error:
            raise BadFile(file, str(error), line=number) from None
    return found


def _headed(lines: Iterable[str]) -> Iterable[Concept]:
    category = "other"
    for line in map(str.strip, lines):
        if line.startswith("[") and line.endswith("]"):
            category = line[1:-1].strip()
        elif line and not line.startswith("#"):
            yield _concept(line, category)


def _concept(name: object, category: str) -> Concept:
    if not isinstance(name, str) or not name.strip():
        raise BadInput(f"a concept must be a text, not {str(name)[:40]!r}")
    if len(name) > LONGEST or len(category) > LONGEST:
        raise BadInput(f"the concept '{name[:40]}...' is longer than {LONGEST} characters")
    return Concept(name.strip(), category.strip().replace("_", " ").lower() or "other")
