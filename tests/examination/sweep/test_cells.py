"""Cells: which there are, and how a budget is divided among them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.examination.sweep.cells import CellOutcome, cells_of, handed_on, parts
from vivavoce.examination.sweep.plan import SweepPlan, sweep_of
from vivavoce.interview.budget import Budget


def plan_of(candidates: int, scopes: int, *, compare: bool, rooms: bool) -> SweepPlan:
    names = ", ".join(f"'bot:calculator?seed={number}'" for number in range(candidates))
    listed = ", ".join(f"'arithmetic?digits={number + 1}'" for number in range(scopes))
    more = ("[compare]\n" if compare else "") + ("[luna]\n" if rooms else "")
    return sweep_of(f"candidates = [{names}]\nscopes = [{listed}]\n{more}")


@given(st.integers(2, 5), st.integers(1, 6), st.booleans(), st.booleans())
def test_every_candidate_has_a_cell_on_every_scope_and_in_every_room(
    candidates: int, scopes: int, compare: bool, rooms: bool
) -> None:
    cells = cells_of(plan_of(candidates, scopes, compare=compare, rooms=rooms), scopes)
    assert len(set(cells)) == len(cells) == candidates * scopes + compare * scopes + rooms * candidates


@given(st.integers(2, 5), st.integers(1, 6), st.booleans(), st.integers(0, 10_000), st.data())
def test_parts_and_what_is_handed_on_never_come_to_more_than_the_budget(
    candidates: int, scopes: int, compare: bool, questions: int, data: st.DataObject
) -> None:
    cells = cells_of(plan_of(candidates, scopes, compare=compare, rooms=False), scopes)
    budget = Budget(questions=questions, money=questions / 7)
    limits = parts(budget, cells)
    assert sum(limit.questions or 0 for limit in limits.values()) <= questions
    used = {}
    for cell in cells:
        most = limits[cell].questions or 0
        asked = data.draw(st.integers(0, most))
        used[cell] = CellOutcome(cell, questions=asked, ended="questions" if asked == most else "")
    short = [cell for cell in cells if used[cell].ended]
    if short:
        more = handed_on(budget, used, short)
        assert all((more[cell].questions or 0) >= used[cell].questions for cell in short)
        assert (
            sum((more.get(cell) or limits[cell]).questions or 0 for cell in short)
            + sum(used[cell].questions for cell in cells if cell not in more)
            <= questions
        )
