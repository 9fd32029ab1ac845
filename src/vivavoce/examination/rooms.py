"""The table of all examinations, from which names, questions and sections of plans are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import GetPydanticSchema
from pydantic_core.core_schema import CoreSchema, literal_schema

from vivavoce.examination.part import ExaminationPart
from vivavoce.examination.parts.alignment import AlignmentPart
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.examination.parts.chess import ChessPart
from vivavoce.examination.parts.eqt import EqtPart
from vivavoce.examination.parts.luna import LunaPart
from vivavoce.examination.parts.recording import RecordingPart
from vivavoce.examination.parts.studies import STUDY_PARTS
from vivavoce.examination.plan import PlanSection

PARTS: Final[tuple[ExaminationPart, ...]] = (
    CertificatePart(),
    EqtPart(),
    *STUDY_PARTS,
    AlignmentPart(),
    LunaPart(),
    ChessPart(),
    RecordingPart(),
)
"""All examinations, in the order of a report."""
QUESTIONS: Final[Mapping[str, str]] = {part.room: part.question for part in PARTS}
"""By the names of the examinations."""
SECTIONS: Final[Mapping[str, type[PlanSection]]] = {part.room: part.section for part in PARTS if part.section is not None}
"""Sections of plans, by their names."""


def _among_rooms(_: Any, __: Any) -> CoreSchema:
    return literal_schema(list(QUESTIONS))


Room = Annotated[str, GetPydanticSchema(_among_rooms)]
"""The name of an examination, read from a file."""
