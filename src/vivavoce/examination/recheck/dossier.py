"""Reruns all examinations of a report over its record, without a candidate."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadInput, MissingExtra, NotOnRecord, OtherTerms
from vivavoce.examination.dossier import Dossier, DossierFile, ExaminationConduct, dossier_from_json
from vivavoce.examination.part import ExaminationConfig, ExaminationContext, FindingCard
from vivavoce.examination.parts.certificate import CertificatePart, CertificatePlan
from vivavoce.examination.parts.study_part import ONE_TURN
from vivavoce.examination.plan import Plan
from vivavoce.examination.plan_file import bare_values, digest_of_plan, from_bare_values
from vivavoce.examination.recheck.attempt import UNFINISHED, claimed, seed_differs
from vivavoce.examination.recheck.certificate import AMONG_JUDGEMENTS, ended_among_judgements
from vivavoce.examination.recheck.comparison import FieldDifference, blocks_drawn, budget_end, in_flight, settings_of
from vivavoce.examination.recheck.recorded import Scopes, read_again, silent, silent_engines
from vivavoce.examination.rooms import PARTS, RecordingPart
from vivavoce.examination.run import STOPPED, Examination, ExaminationOutlook, PlannedPart, look_ahead
from vivavoce.formats.lines import MATERIAL, expanded, file_digest
from vivavoce.formats.wording import clipped
from vivavoce.interview.budget import Budget, BudgetEnd, SharedBudget
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import figures_of
from vivavoce.scopes import BUILT_IN

SECTION: Final = "examination"
"""Field of a report with the settings of its run."""
NOT_ASKED: Final = "the recording itself is not in the record, so its answers can't be counted."
IN_FLIGHT: Final = (
    "the budget ended it while several questions were in flight, and the record does not show which answers came first."
)
FAILED: Final = "could not be examined: "


@dataclass(slots=True)
class ReplayedDossier:
    """The report reproduced from the record."""

    values: dict[str, Any]
    """The report as JSON values."""
    differences: list[FieldDifference] = field(default_factory=list)
    not_rechecked: list[str] = field(default_factory=list)
    later: int = 0
    """Attempts that started after the report was written."""


def dossier_again(
    document: Mapping[str, Any], copy: Transcript, whole: Transcript, scopes: Scopes, files: Sequence[Path]
) -> ReplayedDossier:
    """Reproduce a report from the record. Raises `BadInput` for a document that is not a report, and for a missing file or
    scope, with its digest.
    """
    filed = dossier_from_json(json.dumps(document))
    again = _Again(document, filed, copy, _conduct(document), files, scopes)
    return asyncio.run(again.replayed(whole))


def _conduct(document: Mapping[str, Any]) -> ExaminationConduct:
    """The conduct of the examination, from the report."""
    given = document.get(SECTION)
    try:
        assert isinstance(given, dict)
        ended = {
            room: tuple(None if entry is None else _ended(entry) for entry in several)
            for room, several in given["budget_ended"].items()
        }
        files = tuple((str(name), str(digest)) for name, digest in given["files"])
        strict, source = given.get("strict_faults") is True, str(given.get("source", ""))
        return ExaminationConduct(
            str(given["candidate"]), dict(given["plan"]), files, ended, strict_faults=strict, source=source
        )
    except (AssertionError, KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(
            "the report does not say how it was examined: 'viva report' over the same transcript writes it again"
        ) from None


def _ended(value: Mapping[str, Any]) -> BudgetEnd:
    if (end := budget_end(value)) is None:
        raise ValueError(value)
    return end


@dataclass(slots=True)
class _Again:
    document: Mapping[str, Any]
    filed: DossierFile
    copy: Transcript
    conduct: ExaminationConduct
    files: Sequence[Path]
    scopes: Scopes
    _ends: list[BudgetEnd | None] = field(default_factory=list)
    _room_now: str = ""
    """The part that runs again now."""

    async def replayed(self, whole: Transcript) -> ReplayedDossier:
        """Rerun all examinations, one by one; those that can't be reproduced are copied from the report, and named."""
        plan, dossier = from_bare_values(self.conduct.plan), self.filed.dossier
        engine = dossier.nature == "engine"
        if engine and find_spec("chess") is None:
            raise MissingExtra("chess", extra="chess")
        here = self._found(plan)
        named = {certificate_plan.scope for certificate_plan in here.sections_of(CertificatePlan)}
        tasks = self.scopes.tasks(named, {digest for _, digest in self.conduct.files})
        examination = ExaminationConfig(self.conduct.candidate, dossier.nature, here, tasks=tasks)
        outlook = look_ahead(examination, None if engine else silent(dossier.candidate, self.copy))
        replayed_dossier = ReplayedDossier({})
        taken = dict(self._left_out(outlook, whole, replayed_dossier))
        replayed_dossier.not_rechecked += [f"{room}: {reason}" for room, reason in taken.items()]
        rooms: dict[str, Dossier] = {}
        table = self._table(examination)
        # no record tells whether a candidate can hold a conversation
        omitted = {*taken, *(absent.room for absent in dossier.absent if absent.reason.endswith(ONE_TURN))}
        for planned in outlook.rooms:
            if planned.part.room not in omitted and (part := await self._room(table, planned, replayed_dossier)) is not None:
                rooms[planned.part.room] = part
        replayed_dossier.values = self._together(plan, outlook, rooms, table.spending).as_json(
            made=self.filed.made, version=self.filed.version
        )
        return replayed_dossier

    def _table(self, examination: ExaminationConfig) -> ExaminationContext:
        name = self.filed.dossier.candidate
        engine = examination.nature == "engine"
        return ExaminationContext(
            examination,
            None if engine else silent(name, self.copy),
            self.copy,
            SharedBudget(Budget()),
            self._interview,
            silent_engines(name, self.copy),
            lambda progress: None,
            judged_by=self._judge,
        )

    def _together(self, plan: Plan, outlook: ExaminationOutlook, rooms: Mapping[str, Dossier], spending: Usage) -> Dossier:
        """Rerun examinations; others as in the report."""
        dossier, planned = self.filed.dossier, {planned_part.part.room for planned_part in outlook.rooms}
        absent = {
            skipped_room.room: skipped_room
            for skipped_room in (*outlook.absent, *(skipped_room for part in rooms.values() for skipped_room in part.absent))
        }
        absent |= {
            skipped_room.room: skipped_room
            for skipped_room in dossier.absent
            if skipped_room.room in planned and skipped_room.room not in rooms
        }
        own = {room: ended for room, ended in self.conduct.budget_ended.items() if room not in rooms}
        again = {room: ended for part in rooms.values() if part.conduct for room, ended in part.conduct.budget_ended.items()}
        return replace(
            dossier,
            name=plan.name or "",
            plan_digest=digest_of_plan(plan),
            cards=tuple(card for entry in PARTS for card in (rooms.get(entry.room) or dossier).of(entry.room)),
            absent=tuple(absent[entry.room] for entry in PARTS if entry.room in absent),
            spending=spending if planned <= rooms.keys() else dossier.spending,
            conduct=replace(self.conduct, plan=bare_values(plan), budget_ended=own | again),
        )

    def _left_out(
        self, outlook: ExaminationOutlook, whole: Transcript, replayed_dossier: ReplayedDossier
    ) -> list[tuple[str, str]]:
        """Examinations that can't be reproduced, and why; also adds problems with seeds, and later attempts."""
        dossier = self.filed.dossier
        rooms: list[tuple[str, str]] = [
            (room.room, f"it was not finished then ({clipped(room.reason, 200)}).")
            for room in dossier.absent
            if room.reason == STOPPED or room.reason.startswith(FAILED)
        ]
        if any(part.part.room == RecordingPart.room for part in outlook.rooms):
            rooms.append((RecordingPart.room, NOT_ASKED))
        attempts = [claimed(card.details, self.copy, whole) for card in dossier.of(CertificatePart.room)]
        if any(claimed_attempt.unfinished for claimed_attempt in attempts):
            rooms.append((CertificatePart.room, UNFINISHED))
        replayed_dossier.differences += [difference for attempt in attempts for difference in seed_differs(attempt)]
        replayed_dossier.later = sum(claimed_attempt.later for claimed_attempt in attempts)
        return rooms

    async def _room(self, table: ExaminationContext, planned: PlannedPart, dossier: ReplayedDossier) -> Dossier | None:
        """Reproduce the finding of one examination; None (with a message) if the record lacks an answer."""
        room = self._room_now = planned.part.room
        self._ends = list(self.conduct.budget_ended.get(room, ()))
        table.ends_early = bool(self._ends) or not self.filed.dossier.of(room)
        try:
            return await Examination(table, ExaminationOutlook((planned,), ())).run()
        except NotOnRecord as error:
            if room == CertificatePart.room and any(map(ended_among_judgements, self._details)):
                dossier.not_rechecked.append(f"{room}: {AMONG_JUDGEMENTS}")
                return None
            if any(map(_left_unjudged, self.filed.dossier.of(room))):
                dossier.not_rechecked.append(f"{room}: {AMONG_JUDGEMENTS}")
                return None
            if room in self.conduct.budget_ended and room != CertificatePart.room:
                dossier.not_rechecked.append(f"{room}: {IN_FLIGHT}")
                return None
            dossier.differences.append(FieldDifference(room, "answers that the figures rest on", f"lacks some: {error}"))
        except OtherTerms as error:
            dossier.differences.append(
                FieldDifference(f"{SECTION}.plan", "the terms of the certificate", f"has others: {error}")
            )
        return None

    def _interview(self, **_: object) -> Interview[Prompt, Reply]:
        """Settings for an examination's next interview: the record alone, up to the end of the budget."""
        ended = self._ends.pop(0) if self._ends else None
        settings = [settings_of(details.get("signature")) for details in self._details]
        return read_again(
            silent(self.filed.dossier.candidate, self.copy, self.conduct.source),
            self.copy,
            asking=from_bare_values(self.conduct.plan).reply_format,
            budget=ended,
            strict_faults=self.conduct.strict_faults,
            concurrency=next(filter(None, map(in_flight, settings)), None),
            blocks=next(filter(None, map(blocks_drawn, settings)), None),
        )

    @property
    def _details(self) -> list[Mapping[str, Any]]:
        return [card.details for card in self.filed.dossier.of(CertificatePart.room)]

    def _judge(self, _: str, digest: str) -> Interview[Prompt, Reply]:
        """An interview with the judge of a scope as recorded, under its name in the finding."""
        if self._room_now != CertificatePart.room:
            return self._judge_of_study(digest)
        for card in self.filed.dossier.of(CertificatePart.room):
            grading, attempt = figures_of(card.details).get("grading"), card.details.get("attempt")
            if card.scope_digest == digest and isinstance(grading, dict) and isinstance(attempt, dict):
                try:
                    name, source = str(grading["judge"]), str(attempt["terms"]["settings"].get("judge_source", ""))
                except (KeyError, TypeError, AttributeError):
                    break
                return self._judging(name, source)
        raise NotOnRecord("the report does not say who judged")

    def _judge_of_study(self, digest: str) -> Interview[Prompt, Reply]:
        for card in self.filed.dossier.of(self._room_now):
            name = _study_details(card).get("judge")
            if card.scope_digest == digest and isinstance(name, str) and name:
                return self._judging(name, str(settings_of(card.signature).get("judge_source", "")))
        raise NotOnRecord("the report does not say who judged")

    def _judging(self, name: str, source: str) -> Interview[Prompt, Reply]:
        return read_again(silent(name, self.copy, source), self.copy, asking=from_bare_values(self.conduct.plan).reply_format)

    def _found(self, plan: Plan) -> Plan:
        """The plan with the files that are available. Raises `BadInput` for a missing one, with its digest."""
        digests: dict[str, str] = dict(self.conduct.files)

        def path(name: str) -> str:
            digest = digests.get(name, "")
            if name.startswith(MATERIAL) and file_digest(expanded(name)) == digest:
                return name
            given = next((file for file in self.files if file.name == name and file_digest(file) == digest), None)
            if given is None:
                raise BadInput(
                    f"the file '{clipped(name, 200)}' with the SHA-256 {clipped(digest, 64)} is needed: give it with --file"
                )
            return str(given)

        def scope(name: str) -> str:
            return name if name.partition("?")[0] in BUILT_IN else self.scopes.address(name, digests.get(name, ""))

        return plan.moved(path, scope)


def _left_unjudged(card: FindingCard) -> bool:
    """Whether the budget left no room for a judgement, which may be any of those in flight."""
    judgements = _study_details(card).get("judgements")
    return isinstance(judgements, dict) and bool(judgements.get("not_asked"))


def _study_details(card: FindingCard) -> Mapping[str, Any]:
    """Details of this card's study."""
    details = card.details.get("details")
    return details if isinstance(details, dict) else {}
