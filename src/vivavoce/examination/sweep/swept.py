"""The results of a sweep as values: verdicts by the rule of the whole table, tiers, other findings, and missing cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from vivavoce.certificate.claims.claim import Criterion, MemberEvidence, Verdict, verdicts
from vivavoce.certificate.claims.many_scopes import BLOCKS, IN_FLIGHT
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.examination.sweep.plan import NOT_BEGUN, CellOutcome, SweepCell, SweepPlan
from vivavoce.formats.wording import counted, share
from vivavoce.interview.candidate import Usage


@dataclass(frozen=True, slots=True)
class SweptScope:
    """A scope of a sweep."""

    name: str
    title: str
    """Display name."""
    size: int | None
    """Its questions; None: endless."""
    digest: str
    passing_grade: float
    section: int
    """The place in the plan of what is claimed of it; categories of one scope share theirs."""

    json_keys = "scope=name title scope_size=size scope_digest=digest passing_grade certificate=section"


@dataclass(frozen=True, slots=True)
class CellResult:
    """A candidate on a scope."""

    verdict: Verdict | None
    """None: it has not been examined, or could not be."""
    result: ScopeResult | None
    why: str = ""
    """Why there is no verdict, in a clause."""
    questions: int = 0
    """That were asked, those included that came too late to count."""
    usage: Usage = field(default_factory=Usage)
    criterion: Criterion | None = None
    """What is required; None where there is no result."""
    ahead: Mapping[str, Any] = field(default_factory=dict)
    """How far questions were drawn ahead, where on that it depends how many were asked: settings of the signature."""


@dataclass(frozen=True)
class SweepResults:
    """All that was found, by places of candidates and scopes."""

    plan: SweepPlan
    names: tuple[str, ...]
    """Of the candidates, as on record."""
    called: tuple[str, ...]
    """Display names."""
    scopes: tuple[SweptScope, ...]
    cells: tuple[SweepCell, ...]
    """All that were to be examined."""
    outcomes: tuple[CellOutcome, ...]
    """Of those that were examined, or could not be, in the order of the cells."""

    @property
    def delta(self) -> float:
        """What bounds the share of wrong verdicts, or the chance of any; there are certificates."""
        return self.plan.certificates[0].claim.delta

    @cached_property
    def became(self) -> Mapping[SweepCell, CellOutcome]:
        """What became of each cell that was examined, or could not be."""
        return {outcome.cell: outcome for outcome in self.outcomes}

    @cached_property
    def results(self) -> Mapping[tuple[int, int], CellResult]:
        """Of each candidate on each scope that was to be examined."""
        cells = [cell for cell in self.cells if cell.kind == "certificate"]
        if not cells:
            return {}
        others = len(self.names) * len(self.scopes) - len(cells)
        of = self.became
        evidence = [of[cell].evidence if cell in of else MemberEvidence() for cell in cells] + [MemberEvidence()] * others
        given = verdicts(evidence, self.plan.plan.correction, self.delta)
        return {
            (cell.candidates[0], cell.scope or 0): _result(of.get(cell), verdict)
            for cell, verdict in zip(cells, given, strict=False)
        }

    @cached_property
    def comparisons(self) -> Mapping[int, Comparison]:
        """Of each scope on which candidates were compared."""
        return {scope: comparison for scope, comparison in self._compared.items() if scope < len(self.scopes)}

    @cached_property
    def overall(self) -> Comparison | None:
        """On all scopes together, where candidates were compared on them."""
        return self._compared.get(len(self.scopes))

    @cached_property
    def _compared(self) -> Mapping[int, Comparison]:
        return {
            outcome.cell.scope or 0: outcome.finding for outcome in self.outcomes if isinstance(outcome.finding, Comparison)
        }

    @property
    def rooms(self) -> tuple[CellOutcome, ...]:
        """Findings of examinations."""
        return tuple(outcome for outcome in self.outcomes if outcome.cell.kind == "room")

    @property
    def failed(self) -> tuple[CellOutcome, ...]:
        """Cells that could not be examined now."""
        return tuple(outcome for outcome in self.outcomes if outcome.unreachable)

    @property
    def unfinished(self) -> int:
        """Cells that were not reached."""
        return len(self.cells) - len(self.outcomes)

    def those(self, verdict: Verdict | None) -> int:
        """How many certificates have that verdict."""
        return sum(result.verdict is verdict for result in self.results.values())

    def label(self, cell: SweepCell) -> str:
        """A cell in words."""
        who = self.called[cell.candidates[0]] if len(cell.candidates) == 1 else f"comparison of {len(cell.candidates)}"
        if cell.scope is None:
            return f"{who} in {cell.room}"
        return f"{who} on {self.scopes[cell.scope].title if cell.scope < len(self.scopes) else 'all scopes together'}"


def _result(outcome: CellOutcome | None, verdict: Verdict) -> CellResult:
    if outcome is None:
        return CellResult(None, None, NOT_BEGUN)
    if not isinstance(outcome.finding, ManyScopes):
        return CellResult(None, None, outcome.reason)
    [result] = outcome.finding.scopes
    result = replace(result, verdict=verdict)
    settings, beyond = outcome.finding.signature.settings, outcome.questions != result.questions
    ahead = {name: settings[name] for name in (IN_FLIGHT, BLOCKS) if name in settings and beyond}
    criterion = outcome.finding.criterion
    why = _why(outcome, result, criterion)
    return CellResult(verdict, result, why, outcome.questions, outcome.usage, criterion, ahead)


def _why(outcome: CellOutcome, result: ScopeResult, criterion: Criterion) -> str:
    if result.verdict is not Verdict.UNDECIDED:
        return ""
    if outcome.ended:
        return f"budget: its part of the {outcome.ended} is used up"
    if result.unexamined:
        return result.why_not
    if outcome.may_go_on:
        return "enough evidence for a verdict by itself, but not for one among so many"
    sentence, limit = f"the evidence of {counted(result.questions, 'question')} is not sufficient", criterion.unacceptable_limit
    if limit is None or result.unacceptable.interval.upper <= limit or result.score.interval.lower < criterion.passing_grade:
        return sentence
    return f"{sentence}: up to {share(result.unacceptable.interval.upper)} of the answers may be unacceptable"
