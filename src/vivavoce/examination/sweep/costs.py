"""What the cells of a sweep will ask, about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import fsum
from typing import Final

from rich.console import Console
from rich.text import Text

from vivavoce.candidates.names import kind_of
from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.attempts.log import as_given
from vivavoce.examination.part import NATURES, CostEstimate, ExaminationConfig, priced
from vivavoce.examination.parts.certificate import TOKENS, CertificatePlan
from vivavoce.examination.sweep.cells import Cell
from vivavoce.examination.sweep.examiner import CellExaminer, why_not
from vivavoce.examination.terminal import SECONDS
from vivavoce.examination.which_rooms import look_ahead
from vivavoce.formats.wording import count, counted, duration
from vivavoce.render.terminal import table
from vivavoce.statistics.planning import rate_boundary

FEW: Final = 60
"""Questions that a verdict on the score alone takes, about, at the level of a table."""
PAIRED: Final = 300
"""Questions until a difference is significant, roughly."""


def cost_of(examiner: CellExaminer, cell: Cell) -> CostEstimate:
    """What a cell will ask. Raises `BadInput` for what a room cannot use."""
    match cell.kind:
        case "certificate":
            return _certificate(examiner, cell)
        case "comparison":
            return _comparison(examiner, cell)
    return _room(examiner, cell)


def in_all(costs: Sequence[CostEstimate]) -> CostEstimate:
    """All of these together."""
    return CostEstimate(sum(one.calls for one in costs), sum(one.tokens for one in costs), fsum(one.money for one in costs))


def _certificate(examiner: CellExaminer, cell: Cell) -> CostEstimate:
    subject = examiner.subjects[cell.scope or 0]
    section, scope = subject.section, subject.scope
    limit = as_given(section.claim.ridiculous_limit, [scope], graded=section.judge is not None)
    members = len(examiner.scopes) * len(examiner.plan.entrants)
    delta = delta_of(section.claim.delta, 1) / (members if examiner.plan.plan.correction == "fwer" else 1)
    clean = FEW if limit is None else next(islice(rate_boundary(limit, delta), 1))
    return _priced(examiner, cell.candidates[0], min(clean, section.questions, scope.population or clean))


def _comparison(examiner: CellExaminer, cell: Cell) -> CostEstimate:
    assert examiner.plan.compare is not None
    most = examiner.plan.compare.questions or PAIRED
    calls = min(PAIRED, most, examiner.subjects[cell.scope or 0].scope.population or PAIRED)
    return in_all([_priced(examiner, one, calls) for one in cell.candidates])


def _room(examiner: CellExaminer, cell: Cell) -> CostEstimate:
    entrant, plan = examiner.plan.entrants[cell.candidates[0]], examiner.plan.plan
    kept = tuple(one for one in plan.sections if not isinstance(one, CertificatePlan))
    alone = replace(plan, sections=kept, rooms=(cell.room,))
    config = ExaminationConfig(entrant.candidate, NATURES[kind_of(entrant.candidate)], alone)
    if why_not(config, cell.room):
        return CostEstimate(0)
    outlook = look_ahead(config, examiner.candidate(cell.candidates[0]))
    return in_all([planned.cost_estimate for planned in outlook.rooms])


def _priced(examiner: CellExaminer, place: int, calls: int) -> CostEstimate:
    return priced(examiner.candidate(place), calls, calls * TOKENS[0], calls * TOKENS[1])


def print_cells(labels: Mapping[Cell, str], costs: Mapping[Cell, CostEstimate], console: Console) -> None:
    """Every cell and what it will take, about."""
    made = table(("cell", "calls", "tokens", "money"))
    for column in made.columns[1:]:
        column.justify = "right"
    for cell, cost in costs.items():
        made.add_row(*map(Text, (labels[cell], *_numbers(cost))))
    console.print(made)


def print_planned(costs: Sequence[CostEstimate], console: Console, *, concurrency: int | None) -> None:
    """What all cells together will take, about; concurrency: of those who are not asked by batch, None if nobody is."""
    whole = in_all(costs)
    calls, tokens, money = _numbers(whole)
    paid = f", {money} of money" if whole.money else ""
    took = "by batches, each of which takes minutes to hours"
    if concurrency is not None:
        seconds = duration(whole.calls / concurrency * SECONDS)
        took = f"of language models ~{seconds} at about {SECONDS:g} s a call, {concurrency} at once"
    console.print(
        Text(f"{counted(len(costs), 'cell')}: {calls} calls, {tokens} tokens{paid}, less what is on record; {took}"),
        soft_wrap=True,
    )


def _numbers(cost: CostEstimate) -> tuple[str, str, str]:
    return f"~{count(cost.calls)}", f"~{count(cost.tokens)}", f"~{cost.money:.2f}" if cost.money else "–"
