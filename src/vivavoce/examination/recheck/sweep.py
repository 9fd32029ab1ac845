"""Holding a sweep again over its record, with nobody to answer: cell after cell, by the plan that stands in its document."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from vivavoce.certificate.register import problem_with_seed
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.examination.recheck.attempt import compared_names, ledger
from vivavoce.examination.recheck.others import CannotBeRechecked
from vivavoce.examination.recheck.rechecked import Difference
from vivavoce.examination.recheck.recorded import RECORDED, silent
from vivavoce.examination.recheck.scopes import Scopes
from vivavoce.examination.sweep.cells import Cell, Outcome, Task
from vivavoce.examination.sweep.examiner import CellExaminer, Subject, Tell, with_all_together
from vivavoce.examination.sweep.plan import SweepPlan, sweep_of_values
from vivavoce.examination.sweep.run import Sweeping
from vivavoce.formats.wording import clipped
from vivavoce.interview.budget import SharedBudget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.shard import Shard
from vivavoce.interview.transcript import Transcript

IN_ROOMS: Final = "What was found in rooms is not rechecked: have each candidate's dossier of 'viva examine' rechecked."
JUDGED: Final = "Cells that a judge graded cannot be rechecked as part of a sweep."
PARTLY: Final = "Some cells are not examined yet, so that the sentences about all of them are taken as they are written."
OF_ALL: Final = ("statement", "not_examined", "unfinished", "caveats")
"""Fields about all cells together."""


def is_sweep(document: Mapping[str, Any]) -> bool:
    """Whether a sweep wrote a document."""
    return {"cells", "comparisons", "correction"} <= document.keys()


@dataclass(slots=True)
class SweptAgain:
    """What the record gives of the sweep in a document.

    Raises `BadInput` for a document without the plan of its sweep, and `CannotBeRechecked` where a judge graded.
    """

    document: Mapping[str, Any]
    copy: Transcript
    scopes: Scopes
    differences: list[Difference] = field(default_factory=list)
    not_rechecked: list[str] = field(default_factory=list)

    def values(self) -> dict[str, Any]:
        """The document that the record gives; what could not be held again as it is written."""
        self._check_lists()
        try:
            plan, subjects = self._planned()
            shard = self.document.get("shard")
            sweeping = Sweeping(
                CellExaminer(plan, subjects, self.copy, _Asks(plan), opened=self._silent(plan, subjects)),
                lambda _: lambda: lambda __: None,
                shard=None if shard is None else Shard.parse(str(shard), environment={}),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, ValidationError) as error:
            raise BadInput(f"what it says of its plan is none of a sweep of ours: {type(error).__name__}") from None
        if any(one.judge is not None for one in plan.certificates):
            raise CannotBeRechecked(JUDGED)
        hands = _FromRecord(sweeping.examiner, self._as_written(sweeping))
        try:
            made = asyncio.run(sweeping.run(hands)).as_json()
        except OverflowError:
            raise BadInput("its budget is larger than any number can be") from None
        self._note(sweeping, hands, made)
        return made

    def _check_lists(self) -> None:
        for name in ("candidates", "scopes", "cells", "comparisons"):
            listed = self.document.get(name)
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                raise BadInput(f"its '{name}' are none of a sweep of ours")
        if not self.document["candidates"]:
            raise BadInput("it names no candidates")

    def named(self, differences: Sequence[Difference]) -> list[Difference]:
        """The same, with those in a cell by that cell's name."""
        called = [one.get("called") for one in self.document["candidates"]]
        titles = {str(one.get("scope")): one.get("title") for one in self.document["scopes"]}
        names = [one.get("name") for one in self.document["candidates"]]

        def name(found: re.Match[str]) -> str:
            kind, place, rest = found[1], int(found[2]), found[3]
            part = self.document[kind][place] if place < len(self.document[kind]) else {}
            on = titles.get(str(part.get("scope")), part.get("scope"))
            candidate = part.get("candidate")
            who = called[names.index(candidate)] if candidate in names else candidate
            what = f"{who} on {on}" if kind == "cells" else f"comparison on {on}"
            return f"{clipped(what, 150)}, {rest or 'all of it'}"

        pattern = re.compile(r"(cells|comparisons)\[(\d+)\]\.?(.*)", re.DOTALL)
        return [Difference(pattern.sub(name, one.path, count=1), one.said, one.found) for one in differences]

    def _planned(self) -> tuple[SweepPlan, tuple[Subject, ...]]:
        candidates = [(str(one["name"]), str(one["called"])) for one in self.document["candidates"]]
        plan = sweep_of_values(self.document["plan"], candidates)
        subjects = tuple(
            Subject(
                plan.certificates[one["certificate"]],
                self.scopes.find(str(one["scope"]), str(one["scope_digest"])),
                str(one["title"]),
            )
            for one in self.document["scopes"]
        )
        return plan, with_all_together(subjects) if plan.together else subjects

    def _silent(self, plan: SweepPlan, subjects: Sequence[Subject]) -> dict[str, Any]:
        everything = {question.id: "" for one in subjects for question in getattr(one.scope, "questions", ())}
        found = {}
        for one in plan.entrants:
            sources = [str(held.terms.settings.get("source", "")) for held in ledger(self.copy, one.candidate)]
            found[one.candidate] = silent(one.candidate, self.copy, next(filter(None, reversed(sources)), ""), everything)
        return found

    def _as_written(self, sweeping: Sweeping) -> dict[Cell, Outcome]:
        """Of cells that could not be examined, by the document, what became of them."""
        labels = {sweeping.finding().swept.label(cell): cell for cell in sweeping.cells}
        told = self.document.get("not_examined")
        return {
            labels[one["cell"]]: Outcome(
                labels[one["cell"]], reason=str(one.get("reason")), unreachable=one.get("may_be_resumed") is True
            )
            for one in (told if isinstance(told, list) else ())
            if isinstance(one, dict) and one.get("cell") in labels
        }

    def _note(self, sweeping: Sweeping, hands: _FromRecord, made: dict[str, Any]) -> None:
        """What the record lacks, what is wrong with seeds, and what is left as it is written."""
        swept = sweeping.finding().swept
        recorded = any(name.partition(":")[0] in RECORDED for name in compared_names(self.document))
        for cell, why in hands.lacking.items():
            claims = self._claims(sweeping, cell)
            if not claims:
                self.not_rechecked += [] if PARTLY in self.not_rechecked else [PARTLY]
            elif cell.kind == "comparison" and recorded:
                self.not_rechecked.append(f"The {swept.label(cell)}: recordings may lack questions of the scope.")
            else:
                self.differences.append(Difference(swept.label(cell), "answers that its figures rest on", why))
        if any(cell.kind == "room" for cell in sweeping.cells):
            self.not_rechecked.append(IN_ROOMS)
        if self.not_rechecked or hands.lacking:
            for name, place in sorted(self._place(sweeping, cell) for cell in hands.lacking):
                if place >= 0:
                    if name == "comparisons":
                        made[name].insert(place, None)
                    made[name][place] = self.document[name][place]
            made |= {name: self.document[name] for name in ("rooms", *OF_ALL) if name in self.document}
        self.differences += self._seeds()

    def _claims(self, sweeping: Sweeping, cell: Cell) -> bool:
        """Whether the document says what was found in a cell."""
        name, place = self._place(sweeping, cell)
        if cell.kind == "comparison":
            return place >= 0
        return place >= 0 and self.document[name][place].get("verdict") is not None

    def _place(self, sweeping: Sweeping, cell: Cell) -> tuple[str, int]:
        """Where a cell stands in the document; -1 where it does not."""
        scopes = [one.get("scope") for one in self.document["scopes"]]
        name = "cells" if cell.kind == "certificate" else "comparisons"
        who = sweeping.examiner.name(cell.candidates[0])
        for place, one in enumerate(self.document[name]):
            fits = cell.kind == "comparison" or one.get("candidate") == who
            if fits and cell.scope is not None and cell.scope < len(scopes) and one.get("scope") == scopes[cell.scope]:
                return name, place
        return name, -1

    def _seeds(self) -> list[Difference]:
        names = compared_names(self.document)
        asked = [*names, " vs. ".join(sorted(names))]
        held = [(name, one) for name in asked for one in ledger(self.copy, name) if one.seed]
        problems = [(name, problem_with_seed(self.copy, one)) for name, one in held]
        return [
            Difference(f"seed of {name}", "drawn and committed to before the first question", f"that {problem}")
            for name, problem in problems
            if problem
        ]


@dataclass(frozen=True, slots=True)
class _Asks:
    """Makes interviews that read the record alone."""

    plan: SweepPlan

    def interview(
        self, candidate: Any, transcript: Transcript, *, shared_budget: SharedBudget, **_: object
    ) -> Interview[Prompt, Reply]:
        return Interview(
            candidate,
            answers=Reply,
            transcript=transcript,
            budget=shared_budget.share(),
            asking=self.plan.plan.reply_format,
            from_record=True,
        )


class _FromRecord:
    """Examines cells from the record alone."""

    def __init__(self, examiner: CellExaminer, written: Mapping[Cell, Outcome]) -> None:
        self._examiner = examiner
        self._written = written
        self.lacking: dict[Cell, str] = {}
        """Those of which the record has not all, and why, for whoever has the document."""

    async def carry_out(self, tasks: Sequence[Task], tell: Callable[[Cell], Callable[[], Tell]]) -> AsyncIterator[Outcome]:
        """The outcomes in the order of the tasks."""
        for task in tasks:
            yield await self._outcome(task, tell)

    async def _outcome(self, task: Task, tell: Callable[[Cell], Callable[[], Tell]]) -> Outcome:
        cell = task.cell
        if cell.scope is None:
            return self._written.get(cell, Outcome(cell, reason=IN_ROOMS))
        try:
            found = await self._examiner.from_record(task, tell(cell))
        except OtherTerms as error:
            self.lacking[cell] = f"has other terms: {error}"
            return Outcome(cell, reason=self.lacking[cell])
        if found is None and cell not in self._written:
            self.lacking[cell] = "lacks some"
        return self._written.get(cell, Outcome(cell, reason="lacks some")) if found is None else found
