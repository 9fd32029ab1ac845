"""Holding the examination behind a dossier again over its record: all rooms, with nobody to answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vivavoce.dossier.examination.cards import Card
from vivavoce.dossier.examination.dossier import Conduct, Dossier
from vivavoce.dossier.examination.dossier_file import Filed, dossier_from_json
from vivavoce.dossier.examination.parts import Setting, Table
from vivavoce.dossier.examination.plan import Plan, Room
from vivavoce.dossier.examination.plan_file import bare_values, digest_of_plan, from_bare_values, placed
from vivavoce.dossier.examination.run import PARTS, STOPPED, Examination, Outlook, Planned, look_ahead
from vivavoce.dossier.recheck.attempt import UNFINISHED, claimed, seed_differs
from vivavoce.dossier.recheck.rechecked import Difference
from vivavoce.dossier.recheck.recorded import read_again, silent, silent_engines
from vivavoce.dossier.recheck.scopes import GENERATED, Scopes
from vivavoce.errors import BadInput, MissingExtra, NotOnRecord, OtherTerms
from vivavoce.interview.budget import Budget, Ended, Purse
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.lines import file_digest
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.wording import clipped

SECTION: Final = "examination"
"""Field of a dossier that says how it was held."""
NOT_ASKED: Final = "recording: the recording itself is no part of the record, so that its answers cannot be counted."
FAILED: Final = "could not be examined: "


@dataclass(slots=True)
class Replayed:
    """What the record gives of a dossier."""

    values: dict[str, Any]
    """The dossier as JSON values."""
    differences: list[Difference] = field(default_factory=list)
    not_rechecked: list[str] = field(default_factory=list)
    later: int = 0
    """Attempts that were begun after the dossier was written."""


def dossier_again(
    document: Mapping[str, Any], copy: Transcript, whole: Transcript, scopes: Scopes, files: Sequence[Path]
) -> Replayed:
    """The dossier that the record gives.

    Raises `BadInput` for what is no dossier, and for a file or a scope that is not at hand, with its digest.
    """
    filed = dossier_from_json(json.dumps(document))
    again = _Again(document, filed, copy, _conduct(document), files, scopes)
    return asyncio.run(again.replayed(whole))


def _conduct(document: Mapping[str, Any]) -> Conduct:
    """How it was held, as the dossier says it."""
    given = document.get(SECTION)
    try:
        assert isinstance(given, dict)
        ended = {
            room: tuple(None if one is None else Ended(str(one["limit"]), int(one["questions"])) for one in several)  # type: ignore[arg-type]
            for room, several in given.get("budget_ended", {}).items()
        }
        files = tuple((str(name), str(digest)) for name, digest in given["files"])
        return Conduct(str(given["candidate"]), dict(given["plan"]), files, ended)
    except (AssertionError, KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(
            "the dossier does not say how it was examined: it was written by an earlier version, or altered; "
            "'viva examine' over the same transcript writes it again"
        ) from None


@dataclass(slots=True)
class _Again:
    document: Mapping[str, Any]
    filed: Filed
    copy: Transcript
    conduct: Conduct
    files: Sequence[Path]
    scopes: Scopes
    _ends: list[Ended | None] = field(default_factory=list)

    async def replayed(self, whole: Transcript) -> Replayed:
        """All rooms again, one by one; what cannot be had again stands as the dossier has it, and is named."""
        plan, dossier = from_bare_values(self.conduct.plan), self.filed.dossier
        engine = dossier.nature == "engine"
        if engine and find_spec("chess") is None:
            raise MissingExtra("chess", extra="chess")
        setting = Setting(self.conduct.candidate, dossier.nature, self._found(plan))
        candidate = None if engine else silent(dossier.candidate, self.copy)
        outlook = look_ahead(setting, candidate)
        found = Replayed({})
        table = Table(
            setting, candidate, self.copy, Purse(Budget()), self._interview, silent_engines(dossier.candidate, self.copy),
            lambda progress: None,
        )  # fmt: skip
        left_out = dict(self._left_out(whole, found))
        cards: dict[Room, Sequence[Card]] = {room: dossier.of(room) for room in left_out}
        absent = {one.room: one for one in outlook.absent} | {one.room: one for one in dossier.absent if one.room in left_out}
        for planned in outlook.rooms:
            room = planned.part.room
            if room not in left_out and (part := await self._room(table, planned, found)) is not None:
                cards[room] = part.cards
                absent |= {one.room: one for one in part.absent}
        found.not_rechecked += [f"{room}: {reason}" for room, reason in left_out.items()]
        made = Dossier(
            candidate=next((str(card.details.get("candidate")) for several in cards.values() for card in several), "")
            if engine
            else dossier.candidate,
            nature=dossier.nature,
            plan_digest=digest_of_plan(plan),
            cards=tuple(card for one in PARTS for card in cards.get(one.room, ())),
            absent=tuple(absent[one.room] for one in PARTS if one.room in absent),
            spending=dossier.spending if left_out else table.spending,
            conduct=replace(self.conduct, plan=bare_values(plan)),
        )
        found.values = made.as_json(made=self.filed.made, version=self.filed.version)
        return found

    def _left_out(self, whole: Transcript, found: Replayed) -> list[tuple[Room, str]]:
        """Rooms that cannot be had again, and why; notes what is wrong with seeds, and later attempts."""
        dossier = self.filed.dossier
        rooms: list[tuple[Room, str]] = [
            (one.room, f"it was not finished then ({clipped(one.reason, 200)}).")
            for one in dossier.absent
            if one.reason == STOPPED or one.reason.startswith(FAILED)
        ]
        if dossier.nature == "recording" and dossier.of("recording"):
            rooms.append(("recording", NOT_ASKED))
        attempts = [claimed(card.details, self.copy, whole) for card in dossier.of("certificate")]
        if any(one.unfinished for one in attempts):
            rooms.append(("certificate", UNFINISHED))
        found.differences += [one for attempt in attempts for one in seed_differs(attempt)]
        found.later = sum(one.later for one in attempts)
        return rooms

    async def _room(self, table: Table, planned: Planned, found: Replayed) -> Dossier | None:
        """What the record gives of one room; None where it lacks an answer, which is noted."""
        room = planned.part.room
        self._ends = list(self.conduct.ended.get(room, ()))
        try:
            return await Examination(table, Outlook((planned,), ())).run()
        except NotOnRecord as error:
            found.differences.append(Difference(room, "answers that the figures rest on", f"lacks some: {error}"))
        except OtherTerms as error:
            found.differences.append(Difference(f"{SECTION}.plan", "the terms of the certificate", f"has others: {error}"))
        return None

    def _interview(self, **_: object) -> Interview[Prompt, Reply]:
        """For a room's next interview: the record alone, up to where the budget ended it."""
        ended = self._ends.pop(0) if self._ends else None
        asking = from_bare_values(self.conduct.plan).asking
        return read_again(self.filed.dossier.candidate, self.copy, asking=asking, budget=ended)

    def _found(self, plan: Plan) -> Plan:
        """The plan with its files where they lie here. Raises `BadInput` for one that was not given, with its digest."""
        digests: dict[str, str] = dict(self.conduct.files)

        def path(name: str) -> str:
            digest = digests.get(name, "")
            given = next((file for file in self.files if file.name == name and file_digest(file) == digest), None)
            if given is None:
                raise BadInput(
                    f"the file '{clipped(name, 200)}' with the SHA-256 {clipped(digest, 64)} is needed: give it with --file"
                )
            return str(given)

        def scope(name: str) -> str:
            generated = name.partition("?")[0] in GENERATED
            return name if generated else self.scopes.address(name, digests.get(name, ""))

        moved = placed(replace(plan, certificate=None, alignment=None), path)
        if plan.certificate is not None:
            moved = replace(moved, certificate=tuple(replace(one, scope=scope(one.scope)) for one in plan.certificate))
        if (one := plan.alignment) is not None:
            moved = replace(moved, alignment=replace(one, pairs=tuple(map(path, one.pairs)), scope=scope(one.scope)))
        return moved
