"""The action for GitHub and the example for GitLab do what they say: their shell commands are run as they stand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
"""As GitHub calls it."""
INPUT = re.compile(r"\$\{\{ (.*?) \}\}")
QUESTIONS = "".join(f'{{"id": "q{n}", "question": "What is {n} + 1?", "answer": "{n + 1}"}}\n' for n in range(150))
BOT = """\
def answer(text):
    number = int(text.split()[2])
    return f"Answer: {number + 1}"
"""
RESULTS = ("id", "question", "reply", "read as", "expected", "score", "outcome", "seconds", "tokens")


def read(file: Path) -> Any:
    return import_module("yaml").safe_load(file.read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path: Path, viva_begun: Path) -> Path:
    """Questions, a bot, results of which half are wrong, and programs: `viva`, and `pip`, which notes what it is given."""
    (tmp_path / "questions.jsonl").write_text(QUESTIONS)
    (tmp_path / "my_bot.py").write_text(BOT)
    rows = (f"q{n},What is {n} + 1?,Answer: {n + 1 + n % 2},,,,answer,0,0" for n in range(150))
    (tmp_path / "release.csv").write_text("\n".join([",".join(RESULTS), *rows]) + "\n")
    shutil.copytree(viva_begun, programs := tmp_path / "bin")
    (programs / "pip").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > installed\n')
    (programs / "pip").chmod(0o755)
    (tmp_path / "leaving.py").write_text("import os\n\ndef answer(text):\n    os._exit(0)\n")
    return tmp_path


def run(script: str, folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **given}
    return subprocess.run((*BASH, script), cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def action(folder: Path, **inputs: str) -> tuple[int, dict[str, str]]:
    """The exit code of the action with these inputs, and its outputs."""
    read_action = read(ROOT / "action.yml")
    known = read_action["inputs"]
    assert inputs.keys() <= known.keys()
    assert all(name in inputs for name, entry in known.items() if entry.get("required"))
    values = {f"inputs.{name}": inputs.get(name, entry.get("default", "")) for name, entry in known.items()}
    values["github.action_path"] = str(ROOT)
    files = {"GITHUB_OUTPUT": str(folder / "outputs"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    code = 0
    for step in read_action["runs"]["steps"]:
        if "run" in step and code == 0:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"], "an input in a script could be a command"
            given = {name: INPUT.sub(lambda match: values[match[1]], text) for name, text in step["env"].items()}
            code = run(step["run"], folder, **files, **given).returncode
    messages = Path(files["GITHUB_OUTPUT"]).read_text().splitlines() if Path(files["GITHUB_OUTPUT"]).exists() else []
    return code, dict(line.split("=", 1) for line in messages)


@pytest.mark.long
def test_a_better_candidate_passes_and_leaves_its_files(folder: Path) -> None:
    code, outputs = action(folder, new="function:my_bot:answer", baseline="release.csv", scope="file:questions.jsonl")
    assert (code, outputs) == (0, {"code": "0", "verdict": "pass"})
    assert (folder / "installed").read_text().split() == ["install", "--quiet", "--", str(ROOT)]
    left = {file.name for file in (folder / "gate").iterdir()}
    assert {"gate.json", "gate.md", "gate.xml", "gate.html", "gate.csv", "transcript.sqlite"} <= left
    assert "**● Pass**" in (folder / "summary").read_text()
    assert ElementTree.parse(folder / "gate" / "gate.xml").getroot().get("failures") == "0"


@pytest.mark.long
def test_a_worse_candidate_fails_the_job(folder: Path) -> None:
    worse = {"new": "replay:release.csv#reply", "baseline": "function:my_bot:answer"}
    code, outputs = action(folder, **worse, scope="file:questions.jsonl", out="else where", package="a-wheel.whl")
    assert (code, outputs["verdict"]) == (3, "fail")
    assert (folder / "installed").read_text().split()[-1] == "a-wheel.whl"
    assert (folder / "else where" / "gate.xml").exists()


@pytest.mark.parametrize(("undecided", "expected"), [("fail", 4), ("pass", 0)])
@pytest.mark.long
def test_what_is_left_undecided_is_as_the_job_wants_it(folder: Path, undecided: str, expected: int) -> None:
    few = {"new": "function:my_bot:answer", "baseline": "release.csv", "scope": "file:questions.jsonl", "questions": "2"}
    code, outputs = action(folder, **few, undecided=undecided, options="--seed 1 --set unreadable=wrong")
    assert (code, outputs) == (expected, {"code": "4", "verdict": "undecided"})


@pytest.mark.long
def test_an_input_is_never_a_command_and_a_mistake_is_no_verdict(folder: Path) -> None:
    code, outputs = action(folder, new='$(touch hit)"; touch hit; "', baseline="release.csv", scope="file:questions.jsonl")
    assert (code, outputs) == (2, {"code": "2", "verdict": ""})
    assert not (folder / "hit").exists()


OWN = {"new": "function:my_bot:answer", "baseline": "release.csv", "scope": "file:questions.jsonl"}


@pytest.mark.long
def test_options_on_several_lines_all_count(folder: Path) -> None:
    code, outputs = action(folder, **OWN, questions="3", options="--set unreadable=wrong\n--seed\n7\n")
    assert (code, outputs["verdict"]) == (4, "undecided")
    assert " · seed 7 · " in json.loads((folder / "gate" / "gate.json").read_text())["signature"]


@pytest.mark.parametrize(
    "options",
    [
        "--margin 0.9", "--seed 1\n--margin=0.9", "--delta 0.5", "--baseline bot:x", "--questions 1", "--money 1",
        "--max-age 1", "-q", "--",
    ],
)  # fmt: skip
def test_options_do_not_override_the_inputs(folder: Path, options: str) -> None:
    assert action(folder, **OWN, options=options) == (2, {})


@pytest.mark.parametrize("inputs", [{"new": "--help"}, {"options": "--help"}, {"options": "-qh"}, {"baseline": "--help"}])
@pytest.mark.long
def test_help_is_no_pass(folder: Path, inputs: dict[str, str]) -> None:
    code, outputs = action(folder, **(OWN | inputs))
    assert code in (1, 2)
    assert not outputs.get("verdict")
    assert not (folder / "summary").exists()


@pytest.mark.long
def test_a_candidate_that_ends_the_process_does_not_pass_with_an_old_report(folder: Path) -> None:
    (folder / "gate").mkdir()
    (folder / "gate" / "gate.md").write_text("**● Pass**")
    assert action(folder, **(OWN | {"new": "function:leaving:answer"})) == (1, {"code": "1", "verdict": ""})


def test_undecided_is_fail_or_pass(folder: Path) -> None:
    assert action(folder, **OWN, undecided="ignore") == (2, {})


@pytest.mark.parametrize("file", ["action.yml", "docs/ci/github.yml"])
def test_other_actions_are_pinned_by_their_commit(file: str) -> None:
    used = re.findall(r"uses: (.*)", (ROOT / file).read_text())
    assert used
    assert all(
        re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|OWNER/vivavoce@COMMIT # v\S+", entry) for entry in used
    )


@pytest.mark.long
def test_the_example_for_gitlab_runs(folder: Path) -> None:
    job = read(ROOT / "docs" / "ci" / "gitlab.yml")["gate"]
    for line in (*job["before_script"], *job["script"]):
        assert run(line, folder).returncode == 0
    assert (folder / job["artifacts"]["reports"]["junit"]).exists()
    assert all((folder / name).exists() for name in job["artifacts"]["paths"])


@pytest.mark.long
def test_the_example_for_github_gives_the_action_what_it_knows(folder: Path) -> None:
    steps = read(ROOT / "docs" / "ci" / "github.yml")["jobs"]["gate"]["steps"]
    [given] = [step["with"] for step in steps if "/vivavoce@" in step.get("uses", "")]
    assert action(folder, **given) == (0, {"code": "0", "verdict": "pass"})
