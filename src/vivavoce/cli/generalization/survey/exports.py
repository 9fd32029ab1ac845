"""What the commands read of exports of surveys: folders, or tables of pairs by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.generalization.survey.responses import SurveyResponse


@dataclass(frozen=True, slots=True)
class Exports:
    """Answers of one or several places."""

    responses: Sequence[SurveyResponse]
    """With pseudonyms as they are: exports have different ones."""
    columns: frozenset[str]
    """That some of the tables have."""
    source: str
    digest: str


def read_places(places: Sequence[Path]) -> Exports:
    """The answers of all places, in their order. Raises `BadFile`, with the line."""
    from hashlib import sha256

    from vivavoce.formats.lines import file_digest
    from vivavoce.formats.tables import read_table
    from vivavoce.generalization.pairs import NEEDED
    from vivavoce.generalization.survey.responses import read_responses

    responses: list[SurveyResponse] = []
    columns: set[str] = set()
    digests = []
    for place in places:
        file = place / "pairs.csv" if place.is_dir() else place
        responses += read_responses(file)
        columns |= set(read_table(file, NEEDED).names)
        digests.append(file_digest(file))
    digest = digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()
    return Exports(responses, frozenset(columns), ", ".join(place.name for place in places), digest)


def is_count(number: object) -> bool:
    """Whether it can be a number of respondents."""
    return type(number) is int and number >= 0


def whole_export(file: Path) -> dict[str, Any]:
    """The JSON file of an export. Raises `BadFile`."""
    from vivavoce.errors import BadFile
    from vivavoce.formats.lines import whole_json

    told = whole_json(file)
    if not isinstance(told, dict):
        raise BadFile(file, "is no export of a survey (a list or a word): 'survey export' writes one")
    return told
