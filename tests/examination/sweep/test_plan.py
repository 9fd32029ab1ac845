"""Plans of sweeps: what they say, and what is refused with value and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import BadInput
from vivavoce.examination.sweep.plan import INIT, read_sweep, sweep_of
from vivavoce.interview.budget import Budget

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
        "[certificate]\npassing_grade = 0.6\n[compare]\nmargin = 0.1\n[eqt]\nquestions = 2\n"
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
    ] == [
        ("file:plans/law.csv", None, 0.6),
        ("arithmetic", "Sums", 0.9),
    ]
    assert plan.compare is not None
    assert (plan.compare.margin, plan.rooms, plan.plan.budget.budget) == (0.1, ("eqt",), Budget(money=20.0))


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
        (BOTS, "nothing to test: name scopes = [...]"),
        (BOTS + "scopes = 'arithmetic'", "scopes: name some"),
        (BOTS + "scopes = [{ title = 'Sums' }]", "scopes: each is a name, or a table"),
        (BOTS + "scopes = ['arithmetic', 'arithmetic']", "scopes: 'arithmetic' is given twice"),
        (BOTS + "[certificate]\ndelta = 0.1", "[certificate] needs scopes"),
        (BOTS + "scopes = ['arithmetic']\n[certificate]\ndelta = 2", "delta"),
        (BOTS + "scopes = ['arithmetic']\n[certificate]\ndraws = 2", "'draws' is for one certificate by itself"),
        (BOTS + "scopes = ['arithmetic']\n[[certificate]]\nscope = 'x'", "write [certificate] once"),
        (BOTS + "scopes = ['arithmetic', { scope = 'intervals', delta = 0.01 }]", "delta is for the whole table"),
        (BOTS + "scopes = ['arithmetic']\nsplit_by = 'length'", "split_by: there is only 'category'"),
        (BOTS + "scopes = ['arithmetic']\n[compare]\nmargn = 0", "did you mean 'margin'?"),
        (BOTS + "scopes = ['arithmetic']\n[compare]\nmargin = 2", "margin"),
        (BOTS + "scopes = ['inspect-task:a.py@b']", "a task of Inspect is certified by itself"),
        (BOTS + "[compare]\n[luna]\n", "[compare] needs scopes"),
        ("candidates = ['bot:eliza']\nscopes = ['arithmetic']\n[compare]", "[compare] needs two candidates"),
        (BOTS + "scopes = ['arithmetic']\n[eqt]\nquestion = 3", "did you mean 'questions'?"),
        (BOTS + "scpes = ['arithmetic']", "did you mean 'scopes'?"),
        (BOTS + "scopes = ['arithmetic']\nbudget = { money = -1.0 }", "budget.money"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as refused:
        sweep_of(text)
    assert problem in str(refused.value)
