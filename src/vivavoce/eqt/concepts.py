"""Reads lists of concepts, built in or from files, and source texts for checking explanations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.eqt.record import Concept
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_lines, whole_json
from vivavoce.formats.tables import read_table
from vivavoce.interview.forms.spellings import folded
from vivavoce.interview.forms.written_texts import LONGEST_EXPLANATION as LONGEST_SOURCE

LONGEST_NAME: Final = 200
"""Maximum number of characters in a concept's name."""
MOST_CONCEPTS: Final = 10_000
CONCEPT_FORMS: Final = (".txt", ".json", ".csv")


@cache
def all_concepts() -> tuple[Concept, ...]:
    """All concepts of the built-in list.

    >>> len(all_concepts()), all_concepts()[0]
    (280, Concept(name='Natural selection', category='biology'))
    """
    text = files("vivavoce.eqt").joinpath("concepts.txt").read_text(encoding="utf-8")
    return tuple(_headed(text.splitlines()))


def categories() -> tuple[str, ...]:
    """The categories of the built-in list, which are those of MMLU-Pro.

    >>> len(categories()), categories()[:3]
    (14, ('biology', 'business', 'chemistry'))
    """
    return tuple(dict.fromkeys(concept.category for concept in all_concepts()))


def chosen_concepts(names: Sequence[str]) -> tuple[Concept, ...]:
    """The concepts of these categories and files, without repeats; without names, the whole built-in list.

    A file is `.txt` (one concept per line, `[category]` before its concepts), `.json` ({category: [concepts]} or a list) or
    `.csv` (columns `concept` and optionally `category`).

    Raises `UnknownName` if a name is not a category or a file, and `BadFile` if a file can't be used.

    >>> len(chosen_concepts(["math", "physics"]))
    40
    """
    concepts: list[Concept] = [] if names else list(all_concepts())
    for name in names:
        if Path(name).suffix.lower() in CONCEPT_FORMS:
            concepts += read_concepts(Path(name))
        elif name.replace("_", " ").lower() in categories():
            concepts += [concept for concept in all_concepts() if concept.category == name.replace("_", " ").lower()]
        else:
            raise UnknownName("category (or file .txt, .json, .csv)", name, categories())
    return tuple(dict.fromkeys(concepts))


def drawn_concepts(concepts: Sequence[Concept], limit: int | None, *, seed: int) -> tuple[Concept, ...]:
    """Draw `limit` of these concepts at random; their order does not change. Without a limit, return all.

    >>> [concept.name for concept in drawn_concepts(chosen_concepts(["math"]), 2, seed=0)] == []
    False
    """
    if limit is None or limit >= len(concepts):
        return tuple(concepts)
    drawn = np.random.default_rng(seed).permutation(len(concepts))[:limit]
    return tuple(concepts[index] for index in sorted(drawn))


def concepts_in_words(concepts: Sequence[Concept]) -> tuple[str, str]:
    """A sentence part with the number of concepts, and the SHA-256 of the list in hex.

    >>> concepts_in_words(chosen_concepts(["math"]))[0]
    '20 concepts'
    """
    listed = "\n".join(f"{concept.category}/{concept.name}" for concept in concepts)
    return f"{len(concepts)} concept{'s' * (len(concepts) != 1)}", hashlib.sha256(listed.encode()).hexdigest()


def read_concepts(file: Path) -> list[Concept]:
    """Read the concepts of a file, in order. Raises `BadFile`."""
    form = file.suffix.lower()
    try:
        concepts = {".json": _concepts_of_json, ".csv": _of_table}.get(form, _of_text)(file)
    except BadInput as error:
        raise error if isinstance(error, BadFile) else BadFile(file, str(error)) from None
    if not concepts:
        raise BadFile(file, "holds no concepts")
    if len(concepts) > MOST_CONCEPTS:
        raise BadFile(file, f"holds {len(concepts)} concepts: {MOST_CONCEPTS} is the most")
    return concepts


def _of_text(file: Path) -> list[Concept]:
    return list(_headed(text_lines(file)))


def _concepts_of_json(file: Path) -> list[Concept]:
    values = whole_json(file)
    if isinstance(values, list):
        values = {"other": values}
    if not (isinstance(values, dict) and all(isinstance(names, list) for names in values.values())):
        raise BadFile(file, "must hold {category: [concepts]}, or a list of concepts")
    return [_concept(name, category) for category, names in values.items() for name in names]


def _of_table(file: Path) -> list[Concept]:
    result = []
    for number, values in read_table(file, ["concept"], small=True, cut=True).rows:
        try:
            result.append(_concept(values["concept"], values.get("category") or "other"))
        except BadInput as error:
            raise BadFile(file, str(error), line=number) from None
    return result


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
    if len(name) > LONGEST_NAME or len(category) > LONGEST_NAME:
        raise BadInput(f"the concept '{name[:40]}...' is longer than {LONGEST_NAME} characters")
    return Concept(name.strip(), category.strip().replace("_", " ").lower() or "other")


TEXT_ENDINGS: Final = (".txt", ".md")
SOURCE_FORMS: Final = (".csv", ".json", *JSON_LINES)
MOST_SOURCES: Final = 10_000


def read_sources(path: Path) -> dict[str, str]:
    """Read source texts; returns a mapping from concept (ignoring case and punctuation) to text.

    A folder contains one `.txt` or `.md` file per concept, named after it, with `_` for a slash (`TCP_IP.txt`). A file is
    `.csv` or JSON Lines with `concept` and `text`, or `.json` ({concept: text}).

    Raises `BadFile` for an unreadable file, a repeated concept, and a text that is empty or longer than 60,000 characters.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "TCP_IP.txt").write_text("Two protocols.")
    >>> read_sources(folder)
    {'tcp ip': 'Two protocols.'}
    """
    try:
        rows = _sources_of_folder(path) if path.is_dir() else _sources_of_file(path)
        sources: dict[str, str] = {}
        for file, concept, text in rows:
            if not text.strip() or len(text) > LONGEST_SOURCE:
                raise BadFile(
                    file, f"the source of '{concept[:80]}' must have 1 to {LONGEST_SOURCE:,} characters, not {len(text):,}"
                )
            if _lookup_name(concept) in sources:
                raise BadFile(file, f"the concept '{concept[:80]}' has two sources")
            sources[_lookup_name(concept)] = text.strip()
            if len(sources) > MOST_SOURCES:
                raise BadFile(file, f"more than {MOST_SOURCES:,} sources")
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror or error}") from error
    if not sources:
        raise BadFile(path, "holds no sources")
    return sources


def sources_of(concepts: Sequence[Concept], sources: Mapping[str, str]) -> dict[str, str]:
    """The source texts of these concepts by name; raises `BadInput` if no concept has one.

    >>> sources_of([Concept("TCP/IP"), Concept("Trees")], {"tcp ip": "Two protocols."})
    {'TCP/IP': 'Two protocols.'}
    """
    result = {
        concept.name: sources[_lookup_name(concept.name)] for concept in concepts if _lookup_name(concept.name) in sources
    }
    if not result:
        first = concepts[0].name[:80] if concepts else "missing"
        raise BadInput(f"no source has the name of a concept, such as '{first}': name sources after concepts")
    return result


def _lookup_name(concept: str) -> str:
    return folded(concept.replace("_", " "))


def _sources_of_folder(folder: Path) -> Iterator[tuple[Path, str, str]]:
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() in TEXT_ENDINGS and file.is_file():
            yield file, file.stem, _source_text(file)


def _source_text(file: Path) -> str:
    """Read slightly more than `LONGEST_SOURCE` characters."""
    parts: list[str] = []
    length = 0
    for line in text_lines(file):
        parts.append(line)
        length += len(line)
        if length > LONGEST_SOURCE:
            break
    return "".join(parts)


def _sources_of_file(file: Path) -> Iterator[tuple[Path, str, str]]:
    form = ending(file, SOURCE_FORMS)
    rows: Iterable[tuple[int | None, Mapping[str, object]]]
    if form == ".json":
        texts = whole_json(file)
        if not isinstance(texts, dict):
            raise BadFile(file, "must hold {concept: text}")
        rows = [(None, {"concept": concept, "text": text}) for concept, text in texts.items()]
    elif form in JSON_LINES:
        rows = json_lines(file)
    else:
        rows = read_table(file, ("concept", "text"), small=True, cut=True).rows
    for line, values in rows:
        concept, text = values.get("concept"), values.get("text")
        if not isinstance(concept, str) or not isinstance(text, str) or not concept.strip():
            raise BadFile(file, "'concept' and 'text' must be non-empty texts", line=line)
        yield file, concept, text
