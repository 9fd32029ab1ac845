"""Reports as JSON files. Files are untrusted: their size is limited, and they are checked and never evaluated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from vivavoce.errors import BadFile, BadInput
from vivavoce.examination.cards import Claim, ComparableFigure, Count, FindingCard, Text
from vivavoce.examination.dossier import Dossier, SkippedRoom
from vivavoce.examination.part import Nature
from vivavoce.examination.rooms import Room
from vivavoce.formats.lines import write_whole
from vivavoce.formats.wording import first_problem
from vivavoce.interview.candidate import Usage
from vivavoce.report.reported import FORMAT

LARGEST: Final = 20_000_000
"""Bytes of a report."""
MOST: Final = 1_000
"""Most cards in a report, and most claims, figures and caveats in a card."""

Moment = Annotated[AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9999, 1, 1, tzinfo=UTC))]


@dataclass(frozen=True, slots=True)
class _Card:
    room: Room
    statement: Text
    claims: Annotated[tuple[Claim, ...], Field(max_length=MOST)]
    figures: Annotated[tuple[ComparableFigure, ...], Field(max_length=MOST)]
    caveats: Annotated[tuple[Text, ...], Field(max_length=MOST)]
    command: Text
    scope_digest: Text
    signature: Text
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _SkippedPart:
    room: Room
    reason: Text
    fits: bool


@dataclass(frozen=True, slots=True)
class _Usage:
    tokens_in: Count
    tokens_out: Count
    money: Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class _Figures:
    spending: _Usage


@dataclass(frozen=True, slots=True)
class _File:
    kind: Literal["report"]
    format: Literal[1]
    version: Text
    candidates: Annotated[tuple[Text], Field()]
    figures: _Figures
    made: Moment
    nature: Nature
    plan_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    cards: Annotated[tuple[_Card, ...], Field(max_length=MOST)]
    absent: Annotated[tuple[_SkippedPart, ...], Field(max_length=MOST)]
    name: Text = ""


@dataclass(frozen=True, slots=True)
class DossierFile:
    """A report as it was written, with date and version."""

    dossier: Dossier
    made: datetime
    version: str


def dossier_from_json(text: str | bytes) -> DossierFile:
    """The report in a file; its answer is recomputed from its claims, and findings are only JSON values. Raises `BadInput` for
    text that is not a report, is too large, or is from a later version.
    """
    if len(text) > LARGEST:
        raise BadInput(f"larger than {LARGEST} bytes, so it is not a report")
    try:
        file = TypeAdapter(_File).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["loc"] == ("format",) and first["type"] == "literal_error":
            raise BadInput(f"not in format {FORMAT}: read it with the version that wrote it") from None
        raise BadInput(
            f"is not a report ({first_problem(error, whole='the file')}): give the report.json of 'viva report'"
        ) from None
    return DossierFile(_dossier(file), file.made, file.version)


def read_dossier(file: Path) -> DossierFile:
    """The report in a file. Raises `BadFile`."""
    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST + 1)
    except OSError as error:
        raise BadFile(file, f"can't be read: {error.strerror or error}") from None
    try:
        return dossier_from_json(text)
    except BadInput as error:
        raise BadFile(file, str(error)) from None


def write_dossier(
    file: Path,
    dossier: Dossier,
    *,
    made: datetime,
    version: str,
    of_run: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Write the report as JSON, and return what was written.

    Parameters
    ----------
    of_run: keys of this run only, after the report: `transcript_head`, or `run`, which contains it.
    """
    values = {**dossier.as_json(made=made, version=version), **of_run}
    write_whole(file, json.dumps(values, indent=1, allow_nan=False) + "\n")
    return values


def _dossier(file: _File) -> Dossier:
    spent = file.figures.spending
    return Dossier(
        candidate=file.candidates[0],
        nature=file.nature,
        plan_digest=file.plan_digest,
        cards=tuple(FindingCard(**{name: getattr(card, name) for name in _Card.__dataclass_fields__}) for card in file.cards),
        absent=tuple(SkippedRoom(part.room, part.reason, part.fits) for part in file.absent),
        spending=Usage(spent.tokens_in, spent.tokens_out, spent.money),
        name=file.name,
    )
