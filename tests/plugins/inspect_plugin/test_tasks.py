"""What the task is given, how Inspect finds it, and candidates as models of Inspect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig, get_model

from tests.each_case import each_case
from tests.plugins.inspect_plugin.conftest import finding
from vivavoce import inspect_tasks
from vivavoce.errors import BadInput
from vivavoce.plugins.inspect_plugin.provider import CandidateModel

pytestmark = pytest.mark.long  # importing Inspect takes seconds


@each_case(
    ("task", "given", "message"),
    [
        ("certificate", {"scope": "arithmatic"}, "did you mean 'arithmetic'"),
        ("certificate", {"passing_grade": 1.5}, "strictly between 0 and 1"),
        ("certificate", {"delta": "small"}, "-T 'delta': input should be a valid number"),
        ("certificate", {"questions": 0}, "-T 'questions': input should be greater than or equal to 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(task: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        getattr(inspect_tasks, task)(**given)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_a_candidate_as_a_model_of_inspect() -> None:
    model = get_model("viva/bot:calculator")
    output = await model.generate("What is 20 + 22?")
    assert "42" in output.completion
    assert output.usage
    await model.api.aclose()
    with pytest.raises(PrerequisiteError, match="did you mean 'calculator'"):
        get_model("viva/bot:calcluator")
    with pytest.raises(BadInput, match="can't use tools"):
        await CandidateModel("bot:calculator").generate([], [object()], "auto", GenerateConfig())  # type: ignore[list-item]


@pytest.mark.slow  # Inspect alone takes seconds to start
def test_the_command_of_inspect_finds_the_tasks_by_their_entry_point(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    command = [str(Path(sys.executable).with_name("inspect")), "eval", "vivavoce/certificate", "--model", "viva/bot:calculator"]
    given = ["-T", "unacceptable_limit=none", "-T", "questions=60", "--display", "plain", "--log-dir", "logs"]
    done = subprocess.run(
        [*command, *given], cwd=tmp_path, env={**os.environ, **nowhere}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"install again, if the entry point is new: pip install -e .\n{done.stdout}{done.stderr}"
    assert "verdict" in done.stdout
    [info] = list_eval_logs(str(tmp_path / "logs"))
    assert finding(read_eval_log(info))["verdict"] == "pass"
