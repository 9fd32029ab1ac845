"""`viva init`, and `viva.toml` as the source of defaults."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.cli.conftest import Refuses, Viva
from tests.serving import process_of
from vivavoce.cli import first_steps
from vivavoce.cli.names import read_settings, without_password

ADDRESS = "git+https://example.org/vivavoce@abc"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
"""As GitHub calls it."""


def workflow_steps() -> list[dict[str, Any]]:
    """The steps of the workflow that was written."""
    text = Path(first_steps.WORKFLOW).read_text(encoding="utf-8")
    steps: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["certify"]["steps"]
    return steps


def test_a_project_is_certified_without_options(viva: Viva) -> None:
    ended = viva("init", "--yes", "--install", ADDRESS, "--json")
    assert ended.code == 0
    assert json.loads(ended.out) == {
        "written": ["viva.toml", "questions.csv", ".github/workflows/viva.yml"],
        "install": ADDRESS,
    }
    assert tomllib.loads(Path("viva.toml").read_text())["model"] == "bot:calculator"
    certified = viva("certify", "--seed", "0", "--json")
    assert certified.code == 0
    assert json.loads(certified.out)["verdict"] == "pass"
    assert "viva: from viva.toml: model bot:calculator, scope file:questions.csv, passing_grade 0.7\n" in certified.err


def answered(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Answer the questions of `viva init`."""
    given = iter(answers)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: next(given))


@pytest.mark.long
@pytest.mark.parametrize("model", ["bot:calculator", "function:own_bot:answer", "gpt-4o-mini"])
def test_each_step_of_the_workflow_runs_as_written(
    viva: Viva, viva_begun: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """`pip` notes its arguments, and a server here has the place of the provider's; `viva` is the one that is tested."""
    Path("own_bot.py").write_text("def answer(text):\n    return eval(text.split('is ')[1].split('?')[0])\n")
    Path("requirements.txt").write_text("regex\n")
    Path("bin").mkdir()
    Path("bin/pip").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > installed\n')
    Path("bin/pip").chmod(0o755)
    answered(monkeypatch, model, "questions.csv", "0.7")
    assert viva("init", "--install", ADDRESS).code == 0
    with process_of("tests.documents.mind") as server:
        settings = Path("viva.toml").read_text().replace('"gpt-4o-mini"', f'"chat:calculator@{server}/v1"')
        Path("viva.toml").write_text(settings)
        for step in workflow_steps():
            if "run" in step:
                secrets = {name: "sk-0" for name, value in step.get("env", {}).items() if "secrets." in value}
                environment = {**os.environ, **secrets, "PATH": f"{Path('bin').absolute()}:{viva_begun}:{os.environ['PATH']}"}
                done = subprocess.run((*BASH, step["run"]), env=environment, capture_output=True, text=True, timeout=120)
                assert done.returncode == 0, done.stderr
    more = ["-r", "requirements.txt"] if model.startswith("function") else []
    assert Path("installed").read_text().splitlines() == ["install", f"vivavoce @ {ADDRESS}", *more]
    assert {file.name for file in Path().glob("viva.*")} == {"viva.toml", "viva.html", "viva.xml"}
    assert all("@" in step["uses"] for step in workflow_steps() if "uses" in step)


def test_an_unknown_address_is_a_marked_line_and_said(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_steps, "installed_from", lambda: None)
    ended = viva("init", "--yes", "--json")
    assert (ended.code, ended.values["install"]) == (0, None)
    lines = Path(first_steps.WORKFLOW).read_text().splitlines()
    marked = next(number for number, line in enumerate(lines, 1) if line.lstrip().startswith("# FILL IN"))
    assert lines[marked] == f"""      - run: "pip install 'vivavoce @ {first_steps.UNKNOWN_ADDRESS}'\""""
    assert f"viva: fill in line {marked + 1} of {first_steps.WORKFLOW}" in ended.err


def test_an_unknown_address_is_asked_for(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_steps, "installed_from", lambda: None)
    answered(monkeypatch, "inspect:openai/gpt-4o", "questions.xlsx", "0.7", ADDRESS)
    assert viva("init").code == 0
    assert f"pip install 'vivavoce[excel,models] @ {ADDRESS}'" in [step.get("run") for step in workflow_steps()]


@pytest.mark.parametrize(
    ("urls", "source", "address"),
    [
        (["Repository, https://example.org/v"], "{}", "git+https://example.org/v"),
        (["Documentation, https://example.org/d"], "{}", None),
        (
            [],
            '{"url": "https://example.org/v", "vcs_info": {"vcs": "git", "commit_id": "abc"}}',
            "git+https://example.org/v@abc",
        ),
    ],
)
def test_the_address_is_that_of_the_package(
    monkeypatch: pytest.MonkeyPatch, urls: list[str], source: str, address: str | None
) -> None:
    class Package:
        metadata = type("Metadata", (), {"get_all": lambda _, name: urls})()

        def read_text(self, _: str) -> str:
            return source

    monkeypatch.setattr("importlib.metadata.distribution", lambda _: Package())
    assert first_steps.installed_from() == address


def test_what_pip_takes_is_installed_as_it_is(viva: Viva) -> None:
    viva("init", "--yes", "--install", "vivavoce==0.1.0")
    assert "pip install vivavoce==0.1.0" in [step.get("run") for step in workflow_steps()]


def test_a_server_here_is_not_there_in_ci(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, "chat:m@http://localhost:8000/v1", "questions.csv", "0.7")
    ended = viva("init", "--install", ADDRESS)
    assert "viva: CI has no server at localhost: start one in .github/workflows/viva.yml" in ended.err
    assert [step["env"] for step in workflow_steps() if "env" in step] == []


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("chat:m@https://example.org/v1?key=MY_KEY", "MY_KEY"),
        ("chat:m@https://example.org/v1?temperature=0&key=MY_KEY", "MY_KEY"),
        ("chat:m@https://example.org/v1", "OPENAI_API_KEY"),
        ("claude-sonnet-4-0", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_model_behind_a_server_gets_its_key_from_the_secrets(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, model: str, key: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    answered(monkeypatch, model, "own.csv", "0.9")
    Path("own.csv").write_text("question,answer\n1+1?,2\n")
    assert viva("init", "--install", ADDRESS).code == 0
    assert Path("own.csv").read_text() == "question,answer\n1+1?,2\n"
    assert read_settings().values == {"model": model, "scope": "file:own.csv", "passing_grade": 0.9}
    assert [step["env"] for step in workflow_steps() if "env" in step] == [{key: f"${{{{ secrets.{key} }}}}"}]


def test_existing_files_are_refused(viva: Viva) -> None:
    Path("questions.csv").write_text("mine")
    ended = viva("init", "--yes")
    assert (ended.code, ended.out) == (2, "")
    assert "questions.csv: exists already" in ended.err
    assert (Path("questions.csv").read_text(), Path("viva.toml").exists()) == ("mine", False)


def test_the_command_line_overrides_the_file(viva: Viva) -> None:
    Path("viva.toml").write_text('model = "bot:gibberish"\nscope = "intervals"\npassing_grade = 0.99\n')
    ended = viva("certify", "bot:calculator", "arithmetic", "--passing-grade", "0.5", "--seed", "0", "--json")
    document = json.loads(ended.out)
    assert (document["candidates"], document["figures"]["scope"]) == (["bot:calculator"], "arithmetic")
    assert document["figures"]["passing_grade"] == 0.5
    assert "from viva.toml" not in ended.err


def test_no_password_of_the_file_is_printed(viva: Viva) -> None:
    transcript = "postgresql://me:open/sesame@127.0.0.1:1/x"
    Path("viva.toml").write_text(f'model = "bot:calculator"\nscope = "arithmetic"\ntranscript = "{transcript}"\n')
    for command in (("certify", "--seed", "0"), ("doctor",), ("doctor", "--json")):
        ended = viva(*command)
        assert "127.0.0.1" in ended.out + ended.err
        assert "sesame" not in ended.out + ended.err


def test_the_project_file_has_a_section_and_short_names(viva: Viva) -> None:
    Path("pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.viva]\nmodel = "small"\nscope = "arithmetic"\n'
        '[tool.viva.models]\nsmall = "bot:calculator"\n'
    )
    ended = viva("try", "--questions", "1", "--json")
    assert json.loads(ended.out)["candidate"] == "bot:calculator"
    assert "from [tool.viva] of pyproject.toml: model bot:calculator, scope arithmetic" in ended.err


def test_only_the_model_has_a_default_so_that_the_only_word_is_the_scope(viva: Viva) -> None:
    Path("viva.toml").write_text('model = "bot:calculator"\n')
    assert json.loads(viva("try", "arithmetic", "--questions", "1", "--json").out)["scope"] == "arithmetic"


def test_a_command_has_a_table_of_its_own(viva: Viva) -> None:
    Path("viva.toml").write_text(
        'model = "bot:calculator"\nscope = "arithmetic"\n\n[certify]\nname = 3\nmax_tries = 2\nstrict_faults = true\n'
        "seed = 0\n\n[consistency.bail]\nlimit = 3\n"
    )
    ended = viva("certify", "--set", "max-tries=3", "--json")
    assert (ended.code, ended.values["seed"]) == (0, 0)
    assert '"strict_faults": true' in ended.values["signature"]
    assert "3 passes" in ended.values["statement"]
    assert "name 3" in ended.err
    assert "seed 0" in ended.err
    assert "max_tries" not in ended.err  # the command line's value is used
    assert viva("try", "--questions", "1", "--json").code == 0  # the table is of another command


def test_the_file_in_the_documentation_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli" / "index.md").read_text(encoding="utf-8")
    (tmp_path / "viva.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    settings = read_settings(tmp_path)
    assert (settings.values["budget"], settings.models["small"]) == (5.0, "chat:qwen3:0.6b@http://localhost:11434/v1")
    assert settings.tables == {"certify": {"draws": 3, "timeout": 60}}


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("[certify]\ntiemout = 3", "viva.toml, [certify]: there is no setting 'tiemout'; did you mean 'timeout'?"),
        ("[certify]\ntimeout = 'soon'", "'--set timeout': 'soon' is out of range: give a number above 0"),
        ("[certify]\ntimeout = {s = 3}", "viva.toml, [certify]: timeout must be a text, a number, true or false, or a list"),
        ("[certify]\nhead = 3", "'3' is not a head"),
        ("[certify]\ntrust_local = true", "trust_local is for the command line only"),
        ("[certify]\nset = ['timeout=3']", "there is no setting 'set'"),
        ("[certify]\nquestions = [1, 2]", "give a whole number above 0"),
        ("[certfy]\ntimeout = 3", "there is no setting 'certfy'; did you mean 'certify'?"),
        (f"[certify]\nx = {'[' * 5000}", "is not TOML"),
        ("certify = 3", "viva.toml, [certify]: give a table of settings"),
    ],
)
def test_a_mistake_in_a_table_is_named(refuses: Refuses, table: str, problem: str) -> None:
    Path("viva.toml").write_text(f"{table}\n")
    refuses("certify", "bot:calculator", "arithmetic", says=problem)


def test_a_plan_brings_its_own_scopes(viva: Viva) -> None:
    Path("viva.toml").write_text('model = "bot:calculator"\nscope = "intervals"\n')
    Path("plan.toml").write_text('examinations = ["certificate"]\n[[certificate]]\nscope = "arithmetic"\nquestions = 20\n')
    assert viva("report", "--plan", "plan.toml", "--out", "out", "--quiet").code in (0, 4)
    planned = tomllib.loads(Path("out/plan.toml").read_text())["certificate"]
    assert [entry["scope"] for entry in planned] == ["arithmetic"]


def test_a_command_in_a_group_has_the_defaults_of_the_file_too(viva: Viva) -> None:
    Path("viva.toml").write_text('model = "bot:calculator"\nscope = "arithmetic"\ntranscript = "run.sqlite"\n')
    ended = viva("consistency", "teach", "--teacher", "bot:calculator")
    assert ended.code == 2
    assert "calculator can't hold a conversation" in ended.err
    assert "viva: from viva.toml: model bot:calculator, scope arithmetic, transcript run.sqlite" in ended.err


def test_no_password_is_among_the_settings() -> None:
    address = "postgresql://me:secret@db.example/viva"
    assert without_password(address) == "postgresql://db.example/viva"
    assert without_password("chat:m@https://example.org/v1") == "chat:m@https://example.org/v1"
