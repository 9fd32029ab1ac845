"""Runs all examinations that suit a candidate, the cheapest first, within one budget and one transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, TypeVar, cast

from vivavoce.errors import BadInput, CandidateMisconfigured, NotEnoughEvidence, OtherTerms, TranscriptError, VivavoceError
from vivavoce.examination.dossier import Dossier, ExaminationConduct, SkippedRoom
from vivavoce.examination.part import (
    ExaminationConfig,
    ExaminationContext,
    ExaminationCost,
    ExaminationPart,
    FindingCard,
    Nature,
    without_folders,
)
from vivavoce.examination.plan_file import bare_values, digest_of_plan, files_of
from vivavoce.examination.rooms import PARTS
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.scope import Signature
from vivavoce.report.reported import ReportedFinding, names_in

IN_WORDS: Final[Mapping[Nature, str]] = {
    "model": "a language model",
    "bot": "a built-in bot",
    "recording": "a recording",
    "engine": "a chess engine",
}
LEFT_OUT: Final = "left out by the plan"


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """An examination that will run, and its cost."""

    part: ExaminationPart
    cost_estimate: ExaminationCost


@dataclass(frozen=True, slots=True)
class ExaminationOutlook:
    """The planned examinations, shown before the first question."""

    rooms: tuple[PlannedPart, ...]
    """In the order of examination: the cheapest first."""
    absent: tuple[SkippedRoom, ...]
    files: tuple[tuple[str, str], ...] = ()
    """Name and digest of each file and scope that the plan names."""


def look_ahead(examination: ExaminationConfig, candidate: object) -> ExaminationOutlook:
    """The examinations that will run, and their costs. Raises `BadInput` for a plan with unusable entries, before anything is
    asked.
    """
    rooms, absent = [], []
    for part in PARTS:
        named = examination.plan.examinations is not None and part.room in examination.plan.examinations
        has_section = part.section is not None and examination.plan.section(part.section) is not None
        if not (part.always_listed or named or has_section):
            continue
        if examination.nature not in part.natures:
            absent.append(SkippedRoom(part.room, f"not for {IN_WORDS[examination.nature]}", fits=False))
            continue
        is_left_out = examination.plan.examinations is not None and not named
        if reason := LEFT_OUT if is_left_out else part.absent(examination, candidate):
            absent.append(SkippedRoom(part.room, reason))
        else:
            rooms.append(PlannedPart(part, part.cost_estimate(examination, candidate)))
    if not rooms:
        reasons = "; ".join(f"{room.room}: {room.reason}" for room in absent if room.reason != LEFT_OUT)
        raise BadInput(f"nothing to examine: {reasons}")
    rooms.sort(
        key=lambda planned_part: (
            planned_part.cost_estimate.money,
            planned_part.cost_estimate.tokens,
            planned_part.cost_estimate.calls,
        )
    )
    digests = {name: task.scope.digest for name, task in examination.tasks.items()}
    return ExaminationOutlook(tuple(rooms), tuple(absent), files_of(examination.plan, digests))


Found = TypeVar("Found", bound=ReportedFinding)
STOPPED: Final = "not finished: it was stopped; run the same command to continue"


@dataclass(slots=True)
class Examination:
    """A running examination; `dossier` gives the findings so far at any moment. All its state is in the transcript: another run
    over the same transcript asks only the questions that were in flight, and gets the same result.
    """

    table: ExaminationContext
    outlook: ExaminationOutlook
    on_room: Callable[[str, str], None] = lambda room, news: None
    """Called when an examination starts (without news), and when it ends."""
    unreachable: bool = False
    """Whether an examination could not be finished now, so that the same command may do more later."""
    _cards: dict[str, tuple[FindingCard, ...]] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)
    _ended: dict[str, tuple[BudgetEnd | None, ...]] = field(default_factory=dict)

    async def run(self) -> Dossier:
        """Run one examination after the other; the report names those that fail, and the others continue. Raises
        `TranscriptError`, because nothing can be kept then, `OtherTerms` for a plan that has changed, and
        `CandidateMisconfigured` before the first finding, because no examination could succeed.
        """
        for planned in self.outlook.rooms:
            room = planned.part.room
            self.on_room(room, "")
            self.table.results.enter(room)
            before = len(self.table.interviews)
            self._failed[room] = STOPPED
            try:
                rows = await planned.part.run(self.table)
            except (TranscriptError, OtherTerms):
                raise
            except NotEnoughEvidence as error:
                self._failed[room] = f"not enough evidence: {error}"
            except VivavoceError as error:
                if isinstance(error, CandidateMisconfigured) and not self._cards:
                    raise
                self._failed[room] = f"could not be examined: {error}"
                self.unreachable = True
            else:
                del self._failed[room]
                self._cards[room] = tuple(
                    _card(planned.part, finding, command, self._called(finding)) for finding, command in rows
                )
            self._ended[room] = tuple(interview.ended for interview in self.table.interviews[before:])
            self.on_room(room, self._failed.get(room) or " ".join(card.statement for card in self._cards[room]))
        return self.dossier()

    def dossier(self) -> Dossier:
        """The findings so far; examinations that were not reached are absent."""
        examination = self.table.examination
        rooms = [planned.part.room for planned in self.outlook.rooms]
        reasons: Mapping[str, str] = {room: self._failed.get(room, STOPPED) for room in rooms if room not in self._cards}
        absent = {skipped_room.room: skipped_room for skipped_room in self.outlook.absent} | {
            room: SkippedRoom(room, why) for room, why in reasons.items()
        }
        return Dossier(
            candidate=self._name(),
            name=examination.plan.name or "",
            nature=examination.nature,
            plan_digest=digest_of_plan(examination.plan),
            cards=tuple(card for part in PARTS for card in self._cards.get(part.room, ())),
            absent=tuple(absent[part.room] for part in PARTS if part.room in absent),
            spending=self.table.spending,
            conduct=ExaminationConduct(
                without_folders(examination.candidate),
                bare_values(examination.plan),
                self.outlook.files,
                {room: ended for room, ended in self._ended.items() if any(ended)},
                strict_faults=any("strict_faults" in interview.settings for interview in self.table.interviews),
                source=next(
                    (
                        str(interview.settings["source"])
                        for interview in self.table.interviews
                        if "source" in interview.settings
                    ),
                    "",
                ),
            ),
        )

    def _called(self, finding: ReportedFinding) -> Mapping[str, str]:
        """Display name by the candidate's recorded name, which for an engine only the finding has."""
        name = self.table.examination.plan.name
        return {} if name is None else {getattr(finding, "candidate", self._name()): name}

    def _name(self) -> str:
        """The recorded name; for an engine, whose full name only its evaluations have, the name in the finding."""
        if self.table.candidate is not None:
            return self.table.candidate.name
        return next(
            (name for cards in self._cards.values() for card in cards for name in names_in(card.details)),
            self.table.examination.candidate,
        )


def _card(part: ExaminationPart, finding: ReportedFinding, command: str, called: Mapping[str, str]) -> FindingCard:
    """`called`: display names by names on record."""
    shown = in_names(finding, called)
    return FindingCard(
        room=part.room,
        statement=shown.statement,
        claims=part.claims(shown),
        figures=part.figures(finding),
        caveats=tuple(shown.caveats),
        command=command,
        scope_digest=finding.signature.scope_digest,
        signature=finding.signature.line,
        details=finding.as_json(),
        finding=shown,
    )


def in_names(finding: Found, called: Mapping[str, str]) -> Found:
    """The finding with recorded names replaced by display names, except in its signature. For presentation only: JSON,
    comparisons and rechecks use the original finding.
    """
    return cast(Found, _renamed(finding, called)) if called else finding


def _renamed(value: Any, called: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return called.get(value, value)
    if isinstance(value, Signature | type):
        return value
    if is_dataclass(value):
        given = ((field.name, getattr(value, field.name)) for field in fields(value) if field.init)
        changed = {name: new for name, old in given if (new := _renamed(old, called)) is not old}
        return replace(cast(Any, value), **changed) if changed else value
    if isinstance(value, Mapping):
        pairs = {_renamed(key, called): _renamed(entry, called) for key, entry in value.items()}
        return value if all(pairs.get(key) is entry for key, entry in value.items()) else pairs
    if isinstance(value, tuple | list):
        several = [_renamed(entry, called) for entry in value]
        if all(new is old for old, new in zip(value, several, strict=True)):
            return value
        return type(value)(*several) if hasattr(value, "_fields") else type(value)(several)
    return value
