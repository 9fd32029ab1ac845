"""Sweeps: what a plan says, which cells it has, how a budget is divided, and who looks on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examination.made import swept
from vivavoce.errors import BadInput
from vivavoce.examination.presentation import SweepProgress
from vivavoce.examination.sweep.plan import (
    INIT,
    CellOutcome,
    SweepCell,
    SweepPlan,
    cells_of,
    handed_on,
    parts,
    read_sweep,
    sweep_of,
)
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import Progress

BOTS = 'candidates = ["bot:calculator", "bot:eliza"]\n'


def test_paths_are_relative_to_the_file_and_names_stand_beside_candidates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "plan.toml").write_text(
        'candidates = [{ candidate = "replay:a.csv#m?id=n", name = "M" }, "bot:eliza"]\n'
        'scopes = ["file:law.csv", { scope = "arithmetic", title = "Sums", passing_grade = 0.9 }]\n'
        "budget = { money = 20.0 }\n"
        "[certificate]\npassing_grade = 0.6\n[compare]\nmargin = 0.1\n"
    )
    monkeypatch.chdir(tmp_path)
    plan = read_sweep(Path("plans/plan.toml"))
    assert [(entrant.candidate, entrant.name) for entrant in plan.entrants] == [
        ("replay:plans/a.csv#m?id=n", "M"),
        ("bot:eliza", None),
    ]
    assert [
        (certificate_plan.scope, certificate_plan.title, certificate_plan.claim.passing_grade)
        for certificate_plan in plan.certificates
    ] == [("file:plans/law.csv", None, 0.6), ("arithmetic", "Sums", 0.9)]
    assert plan.compare is not None
    assert (plan.compare.margin, plan.plan.budget.budget) == (0.1, Budget(money=20.0))


def test_the_printed_plan_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(INIT)
    plan = read_sweep(tmp_path / "plan.toml")
    assert [entrant.name for entrant in plan.entrants] == [None, "GPT-4, recorded"]
    assert plan.compare is not None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("scopes = ['arithmetic']", "candidates: name some"),
        ("candidates = []\nscopes = ['arithmetic']", "candidates: name some"),
        ("candidates = [3]\nscopes = ['arithmetic']", "candidates: "),
        ("candidates = ['bot:a', 'bot:a']\nscopes = ['arithmetic']", "the candidate 'bot:a' is given twice"),
        ("candidates = ['uci:stockfish']\nscopes = ['arithmetic']", "'uci:stockfish' can't be compared by a plan"),
        ("candidates = ['gpt-4']\nscopes = ['arithmetic']", "'gpt-4' has no kind of candidate"),
        (BOTS, "scopes: name some"),
        (BOTS + "scopes = 'arithmetic'", "scopes: name some"),
        (BOTS + "scopes = [{ title = 'Sums' }]", "scopes: each is a name, or a table"),
        (BOTS + "scopes = ['arithmetic', 'arithmetic']", "scopes: 'arithmetic' is given twice"),
        (BOTS + "scopes = ['arithmetic']\n[certificate]\ndelta = 2", "delta"),
        (BOTS + "scopes = ['arithmetic']\n[certificate]\ndraws = 2", "'draws' is for a single certificate"),
        (BOTS + "scopes = ['arithmetic']\n[[certificate]]\nscope = 'x'", "write [certificate] once"),
        (BOTS + "scopes = ['arithmetic', { scope = 'intervals', delta = 0.01 }]", "delta is for the whole table"),
        (BOTS + "scopes = ['arithmetic']\nsplit_by = 'length'", "split_by: there is only 'category'"),
        (BOTS + "scopes = ['arithmetic']\n[compare]\nmargn = 0", "did you mean 'margin'?"),
        (BOTS + "scopes = ['arithmetic']\n[compare]\nmargin = 2", "margin"),
        (BOTS + "scopes = ['inspect-task:a.py@b']", "a task of Inspect is certified by itself"),
        ("candidates = ['bot:eliza']\nscopes = ['arithmetic']\n[compare]", "[compare] needs two candidates"),
        (BOTS + "scopes = ['arithmetic']\n[eqt]\nquestions = 3", "there is no key of a plan 'eqt'"),
        (BOTS + "scpes = ['arithmetic']", "did you mean 'scopes'?"),
        (BOTS + "scopes = ['arithmetic']\nbudget = { money = -1.0 }", "budget.money"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as refused:
        sweep_of(text)
    assert problem in str(refused.value)


def plan_of(candidates: int, scopes: int, *, compare: bool) -> SweepPlan:
    names = ", ".join(f"'bot:calculator?seed={number}'" for number in range(candidates))
    listed = ", ".join(f"'arithmetic?digits={number + 1}'" for number in range(scopes))
    more = "[compare]\n" if compare else ""
    return sweep_of(f"candidates = [{names}]\nscopes = [{listed}]\n{more}")


@given(st.integers(2, 5), st.integers(1, 6), st.booleans())
def test_every_candidate_has_a_cell_on_every_scope(candidates: int, scopes: int, compare: bool) -> None:
    cells = cells_of(plan_of(candidates, scopes, compare=compare), scopes)
    assert len(set(cells)) == len(cells) == candidates * scopes + compare * scopes


@given(st.integers(2, 5), st.integers(1, 6), st.booleans(), st.integers(0, 10_000), st.data())
def test_parts_and_what_is_handed_on_never_come_to_more_than_the_budget(
    candidates: int, scopes: int, compare: bool, questions: int, data: st.DataObject
) -> None:
    cells = cells_of(plan_of(candidates, scopes, compare=compare), scopes)
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


FIRST, SECOND = SweepCell("certificate", (0,), 0), SweepCell("certificate", (0,), 1)


def answered(number: int, from_record: int = 0) -> Progress:
    return Progress(number, number, from_record, 0, 0, 0, Usage(money=number / 10), 1.0, None)


def test_cells_are_added_up_and_what_is_over_took_what_it_took() -> None:
    now, result = [0.0], list[Progress]()
    progress = SweepProgress(result.append, {FIRST: 40, SECOND: 40}, clock=lambda: now[0])
    now[0] = 10.0
    progress.of(FIRST)()(answered(20))
    assert (result[-1].answered, result[-1].expected, result[-1].rate, result[-1].seconds_left) == (20, 80, 2.0, 30.0)
    assert result[-1].money_left == pytest.approx(6.0)
    progress.over(CellOutcome(FIRST))
    now[0] = 20.0
    progress.of(SECOND)()(answered(10))
    assert (result[-1].answered, result[-1].expected) == (30, 60)


def test_answers_of_a_further_round_count_once_and_as_what_they_were() -> None:
    progress = SweepProgress(lambda _: None, {FIRST: 40})
    progress.of(FIRST)()(answered(20))
    progress.of(FIRST)()(answered(25, from_record=20))  # the same 20, and five more
    assert (progress.sum.answered, progress.sum.from_record) == (25, 0)
    progress.of(FIRST)()(answered(25, from_record=25))
    assert (progress.sum.answered, progress.sum.from_record) == (25, 0)


PLAN = (
    "candidates = ['bot:calculator', 'bot:eliza']\nscopes = ['arithmetic?digits=1']\nseed = 0\n[certificate]\nquestions = 20\n"
)


def test_a_judge_grades_what_no_rule_can_and_nobody_is_compared_by_it(tmp_path: Path) -> None:
    file = tmp_path / "why.jsonl"
    file.write_text('{"id": "1", "question": "Why is the sky blue?", "rubric": "Full points for scattering."}\n')
    plan = f"candidates = ['bot:calculator', 'bot:eliza']\nscopes = ['file:{file}']\nseed = 0\n"
    with pytest.raises(BadInput, match="name a judge"):
        swept(plan)
    judged = plan + "[certificate]\njudge = 'bot:gibberish'\n"
    assert all(outcome.finding is not None for outcome in swept(judged).swept.outcomes)
    with pytest.raises(BadInput, match="has no answer but a rubric"):
        swept(judged + "[compare]\n")
