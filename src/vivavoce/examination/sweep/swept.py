"""The results of a sweep as values: verdicts by the rule for the whole table, tiers, and missing cells."""

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
    """Number of questions; None: endless."""
    digest: str
    passing_grade: float
    section: int
    """Position of its claim in the plan; categories of one scope have the same."""

    json_keys = "scope=name title scope_size=size scope_digest=digest passing_grade certificate=section"


@dataclass(frozen=True, slots=True)
class CellResult:
    """A candidate on a scope."""

    verdict: Verdict | None
    """The verdict; None if it was not, or could not be, examined."""
    result: ScopeResult | None
    why: str = ""
    """The reason why there is no verdict, as a clause."""
    questions: int = 0
    """Questions asked, including answers that came too late to count."""
    usage: Usage = field(default_factory=Usage)
    criterion: Criterion | None = None
    """The requirement; None without a result."""
    ahead: Mapping[str, Any] = field(default_factory=dict)
    """How far ahead questions were drawn, if the number of questions depends on it: settings of the signature."""


@dataclass(frozen=True)
class SweepResults:
    """All results, by positions of candidates and scopes."""

    plan: SweepPlan
    names: tuple[str, ...]
    """Recorded names of the candidates."""
    called: tuple[str, ...]
    """Display names."""
    scopes: tuple[SweptScope, ...]
    cells: tuple[SweepCell, ...]
    """All cells to examine."""
    outcomes: tuple[CellOutcome, ...]
    """Outcomes of the cells that were examined, or could not be, in the order of the cells."""

    @property
    def delta(self) -> float:
        """The bound on the share of wrong verdicts, or on the chance of any."""
        return self.plan.certificates[0].claim.delta

    @cached_property
    def became(self) -> Mapping[SweepCell, CellOutcome]:
        """The outcome of each cell that was examined, or could not be."""
        return {outcome.cell: outcome for outcome in self.outcomes}

    @cached_property
    def results(self) -> Mapping[tuple[int, int], CellResult]:
        """The result of each candidate on each scope to examine."""
        cells = [cell for cell in self.cells if cell.kind == "certificate"]
        of = self.became
        evidence = [of[cell].evidence if cell in of else MemberEvidence() for cell in cells]
        given = verdicts(evidence, self.plan.plan.correction, self.delta)
        return {
            (cell.candidates[0], cell.scope): _result(of.get(cell), verdict) for cell, verdict in zip(cells, given, strict=True)
        }

    @cached_property
    def comparisons(self) -> Mapping[int, Comparison]:
        """The comparison on each scope on which candidates were compared."""
        return {scope: comparison for scope, comparison in self._compared.items() if scope < len(self.scopes)}

    @cached_property
    def overall(self) -> Comparison | None:
        """The comparison on all scopes together, if there is one."""
        return self._compared.get(len(self.scopes))

    @cached_property
    def _compared(self) -> Mapping[int, Comparison]:
        return {outcome.cell.scope: outcome.finding for outcome in self.outcomes if isinstance(outcome.finding, Comparison)}

    @property
    def failed(self) -> tuple[CellOutcome, ...]:
        """Cells that could not be examined now."""
        return tuple(outcome for outcome in self.outcomes if outcome.unreachable)

    @property
    def unfinished(self) -> int:
        """Cells that were not reached."""
        return len(self.cells) - len(self.outcomes)

    def those(self, verdict: Verdict | None) -> int:
        """The number of certificates with that verdict."""
        return sum(result.verdict is verdict for result in self.results.values())

    def label(self, cell: SweepCell) -> str:
        """A cell in words."""
        who = self.called[cell.candidates[0]] if len(cell.candidates) == 1 else f"comparison of {len(cell.candidates)}"
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
