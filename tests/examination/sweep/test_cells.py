"""Cells: how they are divided among shards, and a budget among them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.examination.sweep.cells import Cell, Outcome, cells_of, handed_on, of_shard, parts
from vivavoce.examination.sweep.plan import SweepPlan, sweep_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.shard import Shard


def plan_of(candidates: int, scopes: int, *, compare: bool, rooms: bool) -> SweepPlan:
    names = ", ".join(f"'bot:calculator?seed={number}'" for number in range(candidates))
    listed = ", ".join(f"'arithmetic?digits={number + 1}'" for number in range(scopes))
    more = ("[compare]\n" if compare else "") + ("[luna]\n" if rooms else "")
    return sweep_of(f"candidates = [{names}]\nscopes = [{listed}]\n{more}")


@given(st.integers(2, 5), st.integers(1, 6), st.booleans(), st.booleans(), st.integers(1, 7))
def test_shards_are_all_cells_once_and_none_shares_questions_with_another(
    candidates: int, scopes: int, compare: bool, rooms: bool, of: int
) -> None:
    plan = plan_of(candidates, scopes, compare=compare, rooms=rooms)
    cells = cells_of(plan, scopes)
    assert len(cells) == candidates * scopes + compare * scopes + rooms * candidates
    shards = [of_shard(cells, Shard(number, of), scopes=scopes) for number in range(of)]
    assert sorted((cell for shard in shards for cell in shard), key=cells.index) == cells
    where = {
        (one, cell.scope, cell.room and "rooms"): {number for number, shard in enumerate(shards) if cell in shard}
        for cell in cells
        for one in cell.candidates
    }
    for cell in cells:
        for one in cell.candidates:
            mine = {number for number, shard in enumerate(shards) if cell in shard}
            assert where[one, cell.scope, cell.room and "rooms"] == mine


@given(st.integers(2, 5), st.integers(1, 6), st.booleans(), st.integers(0, 10_000), st.data())
def test_parts_and_what_is_handed_on_never_come_to_more_than_the_budget(
    candidates: int, scopes: int, compare: bool, questions: int, data: st.DataObject
) -> None:
    cells = cells_of(plan_of(candidates, scopes, compare=compare, rooms=False), scopes)
    budget = Budget(questions=questions, money=questions / 7)
    limits = parts(budget, cells, cells)
    assert sum(one.questions or 0 for one in limits.values()) <= questions
    used = {}
    for cell in cells:
        most = limits[cell].questions or 0
        asked = data.draw(st.integers(0, most))
        used[cell] = Outcome(cell, questions=asked, ended="questions" if asked == most else "")
    short = [cell for cell in cells if used[cell].ended]
    if short:
        more = handed_on(budget, used, short)
        assert all((more[cell].questions or 0) >= used[cell].questions for cell in short)
        assert (
            sum((more.get(cell) or limits[cell]).questions or 0 for cell in short)
            + sum(used[cell].questions for cell in cells if cell not in more)
            <= questions
        )


def test_a_room_of_a_candidate_stays_with_its_others() -> None:
    cells = [Cell("room", (0,), room="eqt"), Cell("room", (1,), room="eqt"), Cell("room", (0,), room="luna")]
    assert of_shard(cells, Shard(0, 2), scopes=0) == [cells[0], cells[2]]
