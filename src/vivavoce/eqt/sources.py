"""What the user holds to be true of each concept: texts that explanations are held against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from vivavoce.eqt.questions import Concept
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_lines, whole_json
from vivavoce.formats.tables import read_table
from vivavoce.interview.forms.spellings import folded
from vivavoce.interview.forms.written_texts import LONGEST_EXPLANATION

TEXTS: Final = (".txt", ".md")
FORMS: Final = (".csv", ".json", *JSON_LINES)
MOST: Final = 10_000


def read_sources(place: Path) -> dict[str, str]:
    """Concept, case and punctuation aside -> text.

    A folder holds a `.txt` or `.md` file a concept, named as it is, with any mark in place of a slash (`TCP_IP.txt`). A file is
    `.csv` or JSON Lines with `concept` and `text`, or `.json` ({concept: text}).

    Raises `BadFile` for what cannot be read, a concept twice, and texts that are empty or longer than 60,000 characters.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "TCP_IP.txt").write_text("Two protocols.")
    >>> read_sources(folder)
    {'tcp ip': 'Two protocols.'}
    """
    try:
        found = _of_folder(place) if place.is_dir() else _of_file(place)
        sources: dict[str, str] = {}
        for file, concept, text in found:
            if not text.strip() or len(text) > LONGEST_EXPLANATION:
                raise BadFile(
                    file, f"the source of '{concept[:80]}' must have 1 to {LONGEST_EXPLANATION:,} characters, not {len(text):,}"
                )
            if _name(concept) in sources:
                raise BadFile(file, f"the concept '{concept[:80]}' has two sources")
            sources[_name(concept)] = text.strip()
            if len(sources) > MOST:
                raise BadFile(file, f"more than {MOST:,} sources")
    except OSError as error:
        raise BadFile(place, f"cannot be read: {error.strerror or error}") from error
    if not sources:
        raise BadFile(place, "holds no sources")
    return sources


def sources_of(concepts: Sequence[Concept], sources: Mapping[str, str]) -> dict[str, str]:
    """The sources of these concepts, by name; those without one are left out. Raises `BadInput` where none has one.

    >>> sources_of([Concept("TCP/IP"), Concept("Trees")], {"tcp ip": "Two protocols."})
    {'TCP/IP': 'Two protocols.'}
    """
    found = {concept.name: sources[_name(concept.name)] for concept in concepts if _name(concept.name) in sources}
    if not found:
        first = concepts[0].name[:80] if concepts else "missing"
        raise BadInput(f"no source is named after a concept: the first one is '{first}'")
    return found


def _name(concept: str) -> str:
    """A concept as it is looked up: a file's name has another mark where a slash would be."""
    return folded(concept.replace("_", " "))


def _of_folder(folder: Path) -> Iterator[tuple[Path, str, str]]:
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() in TEXTS and file.is_file():
            yield file, file.stem, _text(file)


def _text(file: Path) -> str:
    """The words of a file, as far as a text may reach and a little further."""
    parts: list[str] = []
    length = 0
    for line in text_lines(file):
        parts.append(line)
        length += len(line)
        if length > LONGEST_EXPLANATION:
            break
    return "".join(parts)


def _of_file(file: Path) -> Iterable[tuple[Path, str, str]]:
    form = ending(file, FORMS)
    if form == ".json":
        return _of_json(file)
    if form in JSON_LINES:
        return ((file, *_pair(file, values, line)) for line, values in json_lines(file))
    rows = read_table(file, ("concept", "text"), small=True, cut=True).rows
    return ((file, *_pair(file, values, line)) for line, values in rows)


def _of_json(file: Path) -> Iterator[tuple[Path, str, str]]:
    values = whole_json(file)
    if not isinstance(values, dict):
        raise BadFile(file, "must hold {concept: text}")
    for concept, text in values.items():
        yield file, *_pair(file, {"concept": concept, "text": text}, None)


def _pair(file: Path, values: Mapping[str, object], line: int | None) -> tuple[str, str]:
    concept, text = values.get("concept"), values.get("text")
    if not isinstance(concept, str) or not isinstance(text, str) or not concept.strip():
        raise BadFile(file, "'concept' and 'text' must be texts", line=line)
    return concept, text
