"""`viva init`, and `viva.toml` as the source of defaults."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.cli.conftest import Viva
from vivavoce.cli.settings_file import read_settings
from vivavoce.errors import BadFile

ADDRESS = "git+https://example.org/vivavoce@abc"


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


def test_the_workflow_installs_and_certifies(viva: Viva) -> None:
    viva("init", "--yes", "--install", ADDRESS)
    steps = yaml.safe_load(Path(".github/workflows/viva.yml").read_text())["jobs"]["certify"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert commands == [f'pip install "vivavoce @ {ADDRESS}"', "viva certify --html viva.html --junit viva.xml"]
    assert all("@" in step["uses"] for step in steps if "uses" in step)
    assert viva(*commands[1].split()[1:]).code == 0


def test_a_model_behind_a_server_gets_its_key_from_the_secrets(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["chat:m@https://example.org/v1?key=MY_KEY", "own.csv", "0.9"])
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: next(answers))
    Path("own.csv").write_text("question,answer\n1+1?,2\n")
    assert viva("init", "--install", ADDRESS).code == 0
    assert Path("own.csv").read_text() == "question,answer\n1+1?,2\n"
    assert read_settings().values == {
        "model": "chat:m@https://example.org/v1?key=MY_KEY", "scope": "file:own.csv", "passing_grade": 0.9
    }  # fmt: skip
    steps = yaml.safe_load(Path(".github/workflows/viva.yml").read_text())["jobs"]["certify"]["steps"]
    assert [step["env"] for step in steps if "env" in step] == [{"MY_KEY": "${{ secrets.MY_KEY }}"}]


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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("modle = 'x'", "there is no setting 'modle'; did you mean 'model'?"),
        ("passing_grade = 'high'", "passing_grade is 'high': give a number"),
        ("model = 3", "model is 3: give a text"),
        ("models = 3", r"\[models\] has a candidate for each name"),
        ("model = ", "cannot be read as TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "viva.toml").write_text(text)
    with pytest.raises(BadFile, match=problem):
        read_settings(tmp_path)


def test_a_plan_brings_its_own_scopes(viva: Viva) -> None:
    Path("viva.toml").write_text('model = "bot:calculator"\nscope = "intervals"\n')
    Path("plan.toml").write_text('examinations = ["certificate"]\n[[certificate]]\nscope = "arithmetic"\nquestions = 20\n')
    assert viva("report", "--plan", "plan.toml", "--out", "out", "--quiet").code in (0, 4)
    planned = tomllib.loads(Path("out/plan.toml").read_text())["certificate"]
    assert [entry["scope"] for entry in planned] == ["arithmetic"]
