"""Reruns a sweep over its record, without asking candidates: cell after cell, by the plan in its document."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from vivavoce.certificate.attempts.attempt import RecordedAttempt
from vivavoce.certificate.attempts.log import problem_with_seed
from vivavoce.certificate.claims.claim import Verdict, brief
from vivavoce.certificate.claims.many_scopes import NAME as CERTIFICATE
from vivavoce.certificate.comparison.compare import EXAMINATION as COMPARISON
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.examination.parts.certificate import check_gradable
from vivavoce.examination.recheck.attempt import ledger
from vivavoce.examination.recheck.certificate import CannotBeRechecked
from vivavoce.examination.recheck.comparison import LIMITS, FieldDifference, blocks_drawn, in_flight
from vivavoce.examination.recheck.recorded import RECORDED, Scopes, read_again, silent
from vivavoce.examination.sweep.examiner import CellExaminer, SweepScope, Tell, with_all_together
from vivavoce.examination.sweep.plan import CellOutcome, CellTask, SweepCell, SweepPlan, sweep_of_values
from vivavoce.examination.sweep.run import RunningSweep
from vivavoce.formats.wording import capital, clipped, count, counted
from vivavoce.interview.budget import Limit, SharedBudget
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import figures_of, names_in

JUDGED: Final = "A judge graded answers: a comparison by a plan is not rechecked then, but certificates of 'viva certify' are."
INTERRUPTED: Final = (
    "It was interrupted: the same 'viva compare --plan' goes on, and what that writes at its end can be rechecked."
)
BUDGETED: Final = (
    "Its budget of tokens or money ended cells while questions were on their way, and the record does not tell which answers "
    "came first."
)
OPEN: Final = "{} may go on, by a seed that is not revealed yet."
LACKING: Final = "{} cannot be held again: a recording may lack questions."
OF_ALL: Final = ("statement", "caveats")
"""Fields about all cells together."""
MOST_CELLS: Final = 20_000
MOST_CANDIDATES: Final = 500
"""Most candidates: someone else's document must not keep this machine busy forever."""


def whose(document: Mapping[str, Any]) -> str:
    """The examined candidates, in words."""
    names = names_in(document)
    return names[0] if len(names) == 1 else f"{count(len(names))} candidates"


@dataclass(slots=True)
class SweepRecheck:
    """The rerun of the sweep in a document.

    Raises `BadInput` for a document without the plan of its sweep, and `CannotBeRechecked` if nothing of it can be rechecked.
    """

    document: Mapping[str, Any]
    copy: Transcript
    """The record as it was when the document was written."""
    whole: Transcript
    """The record as it is now."""
    scopes: Scopes
    differences: list[FieldDifference] = field(default_factory=list)
    not_rechecked: list[str] = field(default_factory=list)
    later: int = 0
    """Attempts that started after the document was written."""

    @property
    def _figures(self) -> Mapping[str, Any]:
        return figures_of(self.document)

    def values(self) -> dict[str, Any]:
        """The document by the record; parts that could not be rerun are copied."""
        if self._figures.get("unfinished"):
            raise CannotBeRechecked(INTERRUPTED)
        try:
            plan, subjects = self._planned()
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise BadInput(f"its plan can't be read: {type(error).__name__}") from None
        hands = RecordedCellRunner(self.document, self.copy, plan, subjects)
        sweeping = RunningSweep(hands.examiner, lambda _: lambda: lambda __: None)
        swept = sweeping.finding().swept
        hands.labels = {cell: swept.label(cell) for cell in sweeping.cells}
        made = asyncio.run(sweeping.run(hands)).as_json()
        budget = plan.plan.budget
        ended = hands.lacking or hands.written.by_cost or any(outcome.ended for outcome in sweeping.outcomes.values())
        if ended and (budget.tokens is not None or budget.money is not None):
            raise CannotBeRechecked(BUDGETED)
        self.differences += [
            FieldDifference(hands.labels[cell], "answers that its figures rest on", why) for cell, why in hands.lacking.items()
        ]
        self.differences += hands.seeds()
        self.later = hands.later(self.whole)
        self._keep(made, hands)
        return made

    def named(self, differences: Sequence[FieldDifference]) -> list[FieldDifference]:
        """The same messages, with those about a cell under the cell's name."""
        called = {_figure["name"]: _figure["called"] for _figure in self._figures["candidates"]}
        titles = {_figure["scope"]: _figure["title"] for _figure in self._figures["scopes"]}

        def name(match: re.Match[str]) -> str:
            kind, index, rest = match[1], int(match[2]), match[3]
            parts = self._figures[kind]
            part = parts[index] if index < len(parts) else {}
            candidate, scope = str(part.get("candidate")), str(part.get("scope"))
            on = titles.get(scope, scope)
            what = f"{called.get(candidate, candidate)} on {on}" if kind == "cells" else f"comparison on {on}"
            return f"{clipped(what, 150)}, {rest or 'all of it'}"

        pattern = re.compile(r"^figures\.(cells|comparisons)\[(\d+)\]\.?(.*)", re.DOTALL)
        return [
            FieldDifference(pattern.sub(name, difference.path), difference.said, difference.found) for difference in differences
        ]

    def _planned(self) -> tuple[SweepPlan, tuple[SweepScope, ...]]:
        """The plan and its scopes. Any error may be raised for a document that is not one of ours."""
        document, lists = self._figures, ("candidates", "scopes", "cells", "comparisons", "not_examined")
        candidates, scopes = document["candidates"], document["scopes"]
        parts = [entry for name in lists for entry in document[name]]
        texts = [candidate[name] for candidate in candidates for name in ("name", "called")]
        texts += [scope[name] for scope in scopes for name in ("scope", "title", "scope_digest")]
        if not (all(isinstance(part, dict) for part in parts) and all(isinstance(text, str) for text in texts)):
            raise TypeError
        if not candidates:
            raise BadInput("it has no candidates")
        if len(candidates) > MOST_CANDIDATES or len(candidates) * len(scopes) > MOST_CELLS:
            raise BadInput(f"it has more than {MOST_CANDIDATES} candidates or {MOST_CELLS} cells")
        plan = sweep_of_values(document["plan"], [(candidate["name"], candidate["called"]) for candidate in candidates])
        if any(certificate_plan.judge is not None for certificate_plan in plan.certificates):
            raise CannotBeRechecked(JUDGED)
        certificates = dict(enumerate(plan.certificates))
        subjects = tuple(
            SweepScope(
                certificates[scope["certificate"]], self.scopes.find(scope["scope"], scope["scope_digest"]), scope["title"]
            )
            for scope in scopes
        )
        for subject in subjects:
            check_gradable(subject.section, subject.scope)
        whole = with_all_together(subjects) if plan.together else subjects
        return plan, whole

    def _keep(self, made: dict[str, Any], hands: RecordedCellRunner) -> None:
        """Copy into the values everything that is taken from the document, and say so."""
        kept = hands.kept
        for cell in hands.written.put(made["figures"], list(kept)):
            self.differences.append(FieldDifference(hands.labels[cell], "", "has it"))
        for why in dict.fromkeys(kept.values()):
            those = [hands.labels[cell] for cell in kept if kept[cell] == why]
            several = clipped("; ".join(those[:5]) + ("; …" if len(those) > 5 else ""), 600)
            text = why.format(f"{counted(len(those), 'cell')} ({several})")
            self.not_rechecked.append(capital(text))
        if kept:
            self.not_rechecked.append("The values of these, and of all cells together, are taken as they are written.")
            made |= {name: self.document[name] for name in OF_ALL if name in self.document}


class SweepDocument:
    """The numbers of each cell in the document of a sweep, which must have all its lists."""

    def __init__(self, figures: Mapping[str, Any], names: Sequence[str], scopes: Sequence[str]) -> None:
        self._names, self._scopes = names, scopes
        overall = figures.get("overall")
        self._parts: dict[tuple[str, ...], Mapping[str, Any]] = {
            **{("certificate", str(figure.get("candidate")), str(figure.get("scope"))): figure for figure in figures["cells"]},
            **{("comparison", str(figure.get("scope"))): figure for figure in figures["comparisons"]},
            **({("comparison", ""): overall} if isinstance(overall, dict) else {}),
        }
        self._missing = {str(figure.get("cell")): figure for figure in figures["not_examined"]}
        self.by_cost = any(_part.get("ended_by") in ("tokens", "money") for _part in self._parts.values())
        """Whether what was used up ended any of them."""

    def of(self, cell: SweepCell) -> Mapping[str, Any]:
        """The document's values for a cell; empty without any."""
        return self._parts.get(self._key(cell), {})

    def put(self, made: dict[str, Any], cells: Sequence[SweepCell]) -> list[SweepCell]:
        """Copy the document's values for these results, which may have no verdict; returns those that the document lacks."""
        keys = {self._key(cell): self.of(cell) for cell in cells}
        for index, entry in enumerate(made["cells"]):
            document = keys.get(("certificate", entry["candidate"], entry["scope"]), {})
            made["cells"][index] = document if document.get("verdict") == Verdict.UNDECIDED.value else entry
        values = {entry["scope"]: entry for entry in made["comparisons"]}
        values |= {key[1]: document for key, document in keys.items() if key[0] == "comparison" and document}
        made["overall"] = values.pop("", made["overall"])
        made["comparisons"] = [values[scope] for scope in self._scopes if scope in values]
        return [cell for cell in cells if not self.of(cell)]

    def missing(self, cell: SweepCell, label: str) -> CellOutcome | None:
        """The outcome of a cell that could not be examined; None for other cells."""
        words = self._missing.get(label)
        if words is None:
            return None
        resumed = words.get("may_be_resumed") is True
        return replace(self.spent(cell), reason=str(words.get("reason")), unreachable=resumed)

    def spent(self, cell: SweepCell) -> CellOutcome:
        """The cost of a cell, without its findings."""
        document = self.of(cell)
        asked, tokens, money = (document.get(name) for name in ("asked", "tokens", "money"))
        usage = Usage(tokens if type(tokens) is int else 0, 0, money if type(money) is float else 0.0)
        limit: Limit = next((entry for entry in LIMITS if entry == document.get("ended_by")), "")
        return CellOutcome(cell, questions=asked if type(asked) is int else 0, usage=usage, ended=limit)

    def _key(self, cell: SweepCell) -> tuple[str, ...]:
        on = [*self._scopes, ""][cell.scope]
        return ("comparison", on) if cell.kind == "comparison" else (cell.kind, self._names[cell.candidates[0]], on)


class RecordedCellRunner:
    """Examines cells from the record alone."""

    def __init__(
        self, document: Mapping[str, Any], copy: Transcript, plan: SweepPlan, subjects: tuple[SweepScope, ...]
    ) -> None:
        self.labels: dict[SweepCell, str] = {}
        """The cells in words."""
        self.lacking: dict[SweepCell, str] = {}
        """Those of which the record has not all, and what it has."""
        self.kept: dict[SweepCell, str] = {}
        """Those that are taken as they are written, and why."""
        self._held: dict[tuple[str, ...], list[RecordedAttempt]] = {}
        self._copy, self._names = copy, [entrant.candidate for entrant in plan.entrants]
        self._scopes = [subject.scope for subject in subjects]
        self.written = SweepDocument(
            figures_of(document), self._names, [subject.scope.name for subject in subjects if not subject.together]
        )
        self.examiner = CellExaminer(plan, subjects, copy, self, opened={name: self._silent(name) for name in self._names})
        self._now: Mapping[str, Any] = {}
        """What the document says of the cell that is examined at present."""

    async def carry_out(
        self, tasks: Sequence[CellTask], tell: Callable[[SweepCell], Callable[[], Tell]]
    ) -> AsyncIterator[CellOutcome]:
        """The outcomes in the order of the tasks."""
        for task in tasks:
            yield await self._outcome(task, tell(task.cell))

    def interview(
        self, candidate: Any, transcript: Transcript, *, shared_budget: SharedBudget, **_: object
    ) -> Interview[Prompt, Reply]:
        """An interview that reads the record alone."""
        return read_again(
            candidate,
            transcript,
            asking=self.examiner.plan.plan.reply_format,
            strict_faults=any(
                attempt.terms.settings.get("strict_faults") is True for attempt in self.held([candidate.name])[-1:]
            ),
            budget=shared_budget.share(),
            concurrency=in_flight(self._now),
            blocks=blocks_drawn(self._now),
        )

    def held(self, names: Sequence[str], scopes: Sequence[Any] | None = None) -> list[RecordedAttempt]:
        """The attempts of a candidate's certificates, or of a comparison of several candidates, on these scopes or on any."""
        key = tuple(sorted(names))
        if key not in self._held:
            self._held[key] = self._attempts(key, self._copy)
        known = [(brief(entry.name), entry.digest) for entry in (self._scopes if scopes is None else scopes)]
        return [attempt for attempt in self._held[key] if any(map(attempt.terms.meets, known))]

    def _attempts(self, names: Sequence[str], record: Transcript) -> list[RecordedAttempt]:
        """The attempts in a record on any scope of the sweep."""
        kind, known = (
            CERTIFICATE if len(names) == 1 else COMPARISON,
            [(brief(_scope.name), _scope.digest) for _scope in self._scopes],
        )
        held = [attempt for attempt in ledger(record, names) if sorted(attempt.terms.examined) == sorted(names)]
        return [attempt for attempt in held if attempt.terms.examination == kind and any(map(attempt.terms.meets, known))]

    def seeds(self) -> list[FieldDifference]:
        """Messages on seeds that differ from the commitment on record."""
        of = ((names, attempt) for names in self._examined for attempt in self.held(names) if attempt.seed)
        problems = [(names, problem_with_seed(self._copy, attempt)) for names, attempt in of]
        return [
            FieldDifference(
                f"seed of {' against '.join(names)}", "drawn and committed to before the first question", f"that {problem}"
            )
            for names, problem in problems
            if problem
        ]

    def later(self, whole: Transcript) -> int:
        """Number of attempts that were added to the record since then."""
        return sum(len(self._attempts(names, whole)) - len(self.held(names)) for names in self._examined)

    @property
    def _examined(self) -> list[list[str]]:
        """Each candidate alone, and all together if they are compared."""
        return [*([name] for name in self._names), *([self._names] if self.examiner.plan.compare is not None else [])]

    def _silent(self, name: str) -> Candidate[Prompt, Reply]:
        source = [str(attempt.terms.settings.get("source") or "") for attempt in self.held([name])]
        everything = {question.id: "" for scope in self._scopes for question in getattr(scope, "questions", ())}
        return silent(name, self._copy, (source or [""])[-1], everything)

    async def _outcome(self, task: CellTask, tell: Callable[[], Tell]) -> CellOutcome:
        cell, label = task.cell, self.labels[task.cell]
        missing, names = self.written.missing(cell, label), [self._names[candidate] for candidate in cell.candidates]
        if self._may_go_on(self.held(names, [self._scopes[cell.scope]])):
            return missing or self._kept(task, OPEN)
        self._now = self.written.of(cell)
        try:
            result = await self.examiner.from_record(task, tell)
            why = "lacks some"
        except OtherTerms as error:
            result, why = None, f"has other terms: {error}"
        if (outcome := result or missing) is not None:
            return outcome
        if cell.kind == "comparison" and any(name.partition(":")[0] in RECORDED for name in names):
            return self._kept(task, LACKING)
        self.lacking[cell] = why
        return CellOutcome(cell, reason=why)

    def _kept(self, task: CellTask, why: str) -> CellOutcome:
        """The outcome of a cell as the document has it, within this part of the budget; `why` is noted."""
        self.kept[task.cell], spent = why, self.written.spent(task.cell)
        most = spent.questions if task.budget.questions is None else task.budget.questions
        return replace(spent, questions=min(spent.questions, most))

    @staticmethod
    def _may_go_on(held: Sequence[RecordedAttempt]) -> bool:
        """Whether the last attempt has a drawn seed that is not revealed yet."""
        return bool(held) and held[-1].seed is None and not isinstance(held[-1].terms.settings["seed"], int)
