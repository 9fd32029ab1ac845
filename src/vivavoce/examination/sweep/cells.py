"""The cells of a sweep (a candidate on a scope, all on a scope, a candidate in an examination), and their outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from vivavoce.certificate.claims.claim import ClaimFamily, MemberEvidence, Verdict
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.examination.cards import FindingCard
from vivavoce.examination.sweep.plan import SweepPlan
from vivavoce.interview.budget import Budget, Limit
from vivavoce.interview.candidate import Usage

Kind = Literal["certificate", "comparison", "room"]
NOT_BEGUN: Final = "not examined yet: the same command goes on with it"


@dataclass(frozen=True, slots=True)
class SweepCell:
    """One part of a sweep, which is examined by itself."""

    kind: Kind
    candidates: tuple[int, ...]
    """By their places in the plan; several for a comparison."""
    scope: int | None = None
    """By its place among the opened scopes; None for an examination."""
    room: str = ""


@dataclass(frozen=True, slots=True)
class CellTask:
    """A cell that is to be examined now, and how far."""

    cell: SweepCell
    budget: Budget
    """All that it may use, what is on record already included."""
    family: ClaimFamily | None = None
    """Of a certificate: the level of this round."""
    share: int = 1
    """Of a comparison: how many share delta."""
    again: bool = False
    """Whether another attempt starts."""


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """What became of a cell: a finding, or why there is none."""

    cell: SweepCell
    finding: ManyScopes | Comparison | None = None
    cards: tuple[FindingCard, ...] = ()
    """Of an examination."""
    reason: str = ""
    """Why there is no finding; empty where there is one."""
    unreachable: bool = False
    """Whether the same command may do more later."""
    questions: int = 0
    usage: Usage = field(default_factory=Usage)
    ended: Limit = ""
    """Which limit of its part of the budget ended it."""

    @property
    def evidence(self) -> MemberEvidence:
        """Of a certificate, for its family; none where there is no finding."""
        if not isinstance(self.finding, ManyScopes):
            return MemberEvidence()
        [result] = self.finding.scopes
        return MemberEvidence(result.log_e_understands, result.log_e_fails, self.finding.delta)

    @property
    def may_go_on(self) -> bool:
        """Whether a certificate stopped since its evidence was enough for the round: with a higher level it goes on."""
        return isinstance(self.finding, ManyScopes) and self.finding.scopes[0].verdict is not Verdict.UNDECIDED


def cells_of(plan: SweepPlan, scopes: int) -> list[SweepCell]:
    """All cells in the order in which they are examined: candidate by candidate, so that a server holds one model at a time.

    scopes: how many were opened, without all of them together, which come after them.
    """
    everybody = range(len(plan.entrants))
    cells = [SweepCell("certificate", (number,), scope) for number in everybody for scope in range(scopes)]
    if plan.compare is not None:
        cells += [SweepCell("comparison", tuple(everybody), scope) for scope in range(scopes + plan.together)]
    return cells + [SweepCell("room", (number,), room=room) for number in everybody for room in plan.rooms]


def parts(budget: Budget, cells: Sequence[SweepCell]) -> dict[SweepCell, Budget]:
    """A part of the budget for each of these cells, an equal one for each candidate in it: it does not matter who is fast.

    >>> cells = [SweepCell("certificate", (0,), 0), SweepCell("certificate", (1,), 0), SweepCell("comparison", (0, 1), 0)]
    >>> [part.questions for part in parts(Budget(questions=100), cells).values()]
    [25, 25, 50]
    """
    whole = sum(len(cell.candidates) for cell in cells)
    return {cell: _times(budget, len(cell.candidates) / whole) for cell in cells}


def handed_on(budget: Budget, used: dict[SweepCell, CellOutcome], short: Sequence[SweepCell]) -> dict[SweepCell, Budget]:
    """What the cells that ran short may use when what others left over is divided among them, what they have used included.

    >>> cells = [SweepCell("certificate", (0,), 0), SweepCell("certificate", (1,), 0)]
    >>> used = {cells[0]: CellOutcome(cells[0], questions=50, ended="questions"), cells[1]: CellOutcome(cells[1], questions=10)}
    >>> handed_on(Budget(questions=100), used, cells[:1])[cells[0]].questions
    90
    """
    whole = sum(len(cell.candidates) for cell in short)
    usage = sum((outcome.usage for outcome in used.values()), Usage())
    questions = sum(outcome.questions for outcome in used.values())
    left = Budget(
        None if budget.questions is None else max(0, budget.questions - questions),
        None if budget.tokens is None else max(0, budget.tokens - usage.tokens),
        None if budget.money is None else max(0.0, budget.money - usage.money),
    )
    result = {}
    for cell in short:
        more, so_far = _times(left, len(cell.candidates) / whole), used[cell]
        result[cell] = Budget(
            None if more.questions is None else more.questions + so_far.questions,
            None if more.tokens is None else more.tokens + so_far.usage.tokens,
            None if more.money is None else more.money + so_far.usage.money,
        )
    return result


def _times(budget: Budget, share: float) -> Budget:
    return Budget(
        None if budget.questions is None else int(budget.questions * share),
        None if budget.tokens is None else int(budget.tokens * share),
        None if budget.money is None else budget.money * share,
    )
