"""Names as people type them, and the lists of candidates and scopes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.each_case import each_case
from vivavoce.candidates import BOTS, KINDS, open_candidate
from vivavoce.cli.inspect_runs import TASK
from vivavoce.cli.names import candidate_name, scope_name
from vivavoce.scopes import KINDS as SCOPES

BOT = "def answer(text: str) -> str:\n    return '42'\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "typed_bot.py").write_text(BOT)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "bot.py").write_text(BOT)
    (tmp_path / "support.csv").write_text("id,question,answer,topic\n1,6*7?,42,sums\n2,5*7?,35,sums\n")


def test_a_function_of_a_file_is_certified_on_a_file(viva: Viva) -> None:
    document = json.loads(viva("certify", "typed_bot.py:answer", "support.csv", "--json").out)
    assert (document["candidates"], document["figures"]["scope"]) == (["function:typed_bot:answer"], "file:support.csv")
    assert document["verdict"] == "fail"


def test_of_several_words_the_last_is_the_scope_if_it_can_only_be_one(viva: Viva) -> None:
    document = viva("compare", "calculator", "typed_bot.py:answer", "support.csv", "--json", "--quiet").values
    assert document["candidates"] == ["bot:calculator", "function:typed_bot:answer"]
    assert document["figures"]["scope"] == "file:support.csv"
    assert "Missing option '--scope'" in viva("compare", "calculator", "typed_bot.py:answer").err


def test_an_option_may_have_the_scope_as_its_value_too(viva: Viva) -> None:
    document = json.loads(viva("certify", "typed_bot.py:answer", "--set", "title=support.csv", "support.csv", "--json").out)
    assert (document["figures"]["title"], document["figures"]["scope"]) == ("support.csv", "file:support.csv")


@each_case(
    ("typed", "full"),
    [
        ("typed_bot.py:answer", "function:typed_bot:answer"),
        ("inner/bot.py:answer", "function:inner.bot:answer"),
        ("./typed_bot.py:answer", "function:typed_bot:answer"),
        ("calculator?wrong=0.1", "bot:calculator?wrong=0.1"),
        ("nothing.py:answer", "nothing.py:answer"),
        ("gpt-4o-mini", "chat:gpt-4o-mini@https://api.openai.com/v1?key=OPENAI_API_KEY"),
        ("claude-sonnet-4-0", "chat:claude-sonnet-4-0@https://api.anthropic.com/v1?key=ANTHROPIC_API_KEY"),
        ("llama3.2", "llama3.2"),
        ("chat:gpt-4o-mini@http://localhost:8000/v1", "chat:gpt-4o-mini@http://localhost:8000/v1"),
    ],
)
def test_a_candidate_in_full(typed: str, full: str) -> None:
    assert candidate_name(typed, {"OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "y"}) == full


@each_case(
    ("typed", "full"),
    [
        ("support.csv", "file:support.csv"),
        ("support.csv?match=exact", "file:support.csv?match=exact"),
        ("arithmetic?digits=2", "arithmetic?digits=2"),
        ("file:support.csv", "file:support.csv"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_a_scope_in_full(typed: str, full: str) -> None:
    assert scope_name(typed) == full


def test_address_and_model_are_printed_before_anything_is_asked(viva: Viva) -> None:
    Path("viva.toml").write_text('[models]\nsmall = "chat:m@http://127.0.0.1:9/v1"\n')
    ended = viva("try", "small", "arithmetic", "--questions", "1", "--set", "max-tries=1")
    assert ended.code == 5
    assert ended.err.startswith("viva: small is the model m at http://127.0.0.1:9/v1\n")


def test_only_a_model_is_followed_by_a_scope(viva: Viva) -> None:
    Path("certificate.json").write_text("{}")
    ended = viva("recheck", "certificate.json", "support.csv", "--transcript", "run.sqlite")
    assert (ended.code, "'support.csv' is one argument too many" in ended.err) == (2, True)


def test_a_plan_has_a_help_of_its_own(viva: Viva) -> None:
    shown = viva("compare", "--plan", "plan.toml", "--help").out
    assert ("many candidates" in viva("compare", "--help").out, "Test every candidate of a plan" in shown) == (True, True)


def test_candidates_are_listed_and_explained(viva: Viva) -> None:
    ended = viva("list", "candidates")
    assert ended.code == 0
    for kind in (*KINDS, *BOTS):
        assert kind.form in ended.out
    listed = viva("list", "candidates", "--json").rows
    assert len(listed) == len(KINDS) + len(BOTS)
    assert {"form", "example", "explanation"} == set(listed[0])


def test_every_example_of_a_bot_can_be_opened(viva: Viva) -> None:
    for row in viva("list", "candidates", "--json").rows:
        if row["example"].startswith("bot:"):
            assert open_candidate(row["example"]).name


def test_scopes_are_listed_and_explained(viva: Viva) -> None:
    out = viva("list", "scopes").out
    for kind in SCOPES:
        assert kind.form in out
        assert kind.example in out
    assert [row["form"] for row in viva("list", "scopes", "--json").rows] == [*(kind.form for kind in SCOPES), TASK[0]]
