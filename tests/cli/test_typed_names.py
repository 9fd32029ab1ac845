"""Names as people type them, and their completion."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from tests.cli.conftest import Viva
from vivavoce.cli.names import candidate_name, scope_name
from vivavoce.cli.viva import viva as top
from vivavoce.errors import BadInput

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


def test_two_matches_are_both_named() -> None:
    Path("arithmetic").write_text("question,answer\n")
    with pytest.raises(BadInput, match=r"a file \(file:arithmetic\) and a built-in scope"):
        scope_name("arithmetic")
    Path("viva.toml").write_text('[models]\ncalculator = "bot:eliza"\n')
    with pytest.raises(BadInput, match=r"a model of viva.toml \(bot:eliza\) and a bot \(bot:calculator\)"):
        candidate_name("calculator")


def test_a_model_whose_key_is_missing_is_never_guessed(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ended = viva("certify", "gpt-4o-mini", "arithmetic")
    assert (ended.code, ended.out) == (2, "")
    assert "'gpt-4o-mini' is a model of OpenAI, and $OPENAI_API_KEY is not set" in ended.err


def test_address_and_model_are_printed_before_anything_is_asked(viva: Viva) -> None:
    Path("viva.toml").write_text('[models]\nsmall = "chat:m@http://127.0.0.1:9/v1"\n')
    ended = viva("try", "small", "arithmetic", "--questions", "1", "--set", "max-tries=1")
    assert ended.code == 5
    assert ended.err.startswith("viva: small is the model m at http://127.0.0.1:9/v1\n")


def test_a_scope_may_be_the_value_of_an_option_too(viva: Viva) -> None:
    ended = viva("certify", "bot:calculator", "intervals", "--set", "title=intervals", "--questions", "3", "--json")
    assert json.loads(ended.out)["figures"]["title"] == "intervals"


def test_only_a_model_is_followed_by_a_scope(viva: Viva) -> None:
    Path("certificate.json").write_text("{}")
    ended = viva("recheck", "certificate.json", "support.csv", "--transcript", "run.sqlite")
    assert (ended.code, "'support.csv' is one argument too many" in ended.err) == (2, True)


def test_a_plan_has_a_help_of_its_own(viva: Viva) -> None:
    shown = viva("compare", "--plan", "plan.toml", "--help").out
    assert ("many candidates" in viva("compare", "--help").out, "Test every candidate of a plan" in shown) == (True, True)


def test_a_scope_is_given_once(viva: Viva) -> None:
    ended = viva("certify", "bot:calculator", "intervals", "--scope", "arithmetic")
    assert (ended.code, "'intervals' is one argument too many" in ended.err) == (2, True)


def completed(*words: str, incomplete: str) -> list[str]:
    return [item.value for item in ShellComplete(top, {}, "viva", "_VIVA_COMPLETE").get_completions(list(words), incomplete)]


@pytest.mark.parametrize(
    ("words", "incomplete", "values"),
    [
        (("certify",), "bot:ca", ["bot:calculator"]),
        (("certify",), "ch", ["chat:"]),
        (("certify",), "replay:support.csv#to", ["replay:support.csv#topic"]),
        (("certify", "bot:eliza", "--scope"), "ari", ["arithmetic"]),
        (("certify", "bot:eliza", "--scope"), "file:sup", ["file:support.csv"]),
        (("certify", "bot:eliza", "--scope", "support.csv", "--strata"), "", ["id", "question", "answer", "topic"]),
        (("luna",), "ad", ["admin"]),
        (("list",), "sc", ["scopes"]),
    ],
)
def test_names_are_completed(words: tuple[str, ...], incomplete: str, values: list[str]) -> None:
    assert completed(*words, incomplete=incomplete) == values


def test_bash_can_read_its_script(viva: Viva) -> None:
    script = viva("completion", "bash").out
    assert "_VIVA_COMPLETE=bash_complete" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    assert viva("completion", "zsh").out.startswith("#compdef viva")
    assert "fish_complete" in viva("completion", "fish").out
