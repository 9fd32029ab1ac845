"""A run that was killed, or interrupted: it goes on where it was, and there is one log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.plugins.inspect_plugin.task_scope.conftest import TASKS, certified
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.inspect_plugin.task_scope.candidate import TaskCandidate
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.plugins.inspect_plugin.task_scope.opening import open_task
from vivavoce.scopes.logged import TaskScope

CALCULATOR = "inspect:viva/bot:calculator"
NAME = f"inspect-task:{TASKS}@deadly"


def again() -> tuple[TaskScope, TaskCandidate]:
    where = str(Path("run.sqlite").absolute())
    scope, [candidate] = open_task(NAME, [CALCULATOR], TaskConfig(log_dir=Path("logs")), record=where)
    return scope, candidate


@pytest.mark.long
def test_a_run_that_was_killed_goes_on_in_one_log(tmp_path: Path) -> None:
    command = ["certify", CALCULATOR, "--scope", NAME, "--transcript", "run.sqlite", "--set", "log-dir=logs", "--seed", "3"]
    killed = subprocess.run(
        [sys.executable, "-m", "vivavoce", *command, "--quiet"], env={**os.environ, "DEADLY": "1"}, cwd=tmp_path, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    [first] = list_eval_logs(str(tmp_path / "logs"))
    before = read_eval_log(first)
    assert before.status == "started"
    ran = {sample.id for sample in before.samples or ()}
    assert ran
    scope, candidate = again()
    with Transcript.open("run.sqlite") as transcript:
        certificate, log = certified(scope, candidate, seed=3, transcript=transcript)
    [only] = list_eval_logs("logs")
    samples = log.samples or []
    assert (Path(only.name).name, log.status) == (Path(log.location).name, "success")
    assert {sample.id for sample in samples} > ran
    assert all(sample.epoch == 1 for sample in samples if sample.id not in ran)
    assert log.results
    assert log.results.completed_samples == len(samples)
    scope, [candidate] = open_task(NAME, [CALCULATOR], TaskConfig(log_dir=Path("other")))
    at_once, _ = certified(scope, candidate, seed=3)
    assert (certificate.verdict, certificate.questions, certificate.path) == (at_once.verdict, at_once.questions, at_once.path)


@pytest.mark.long
def test_an_interrupted_run_goes_on_in_one_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERRUPTED", "1")
    with Transcript.open("run.sqlite") as transcript, pytest.raises(KeyboardInterrupt):
        certified(*again(), seed=3, transcript=transcript)
    [stopped] = list_eval_logs("logs")
    before = read_eval_log(stopped)
    assert before.status in ("started", "cancelled")
    monkeypatch.delenv("INTERRUPTED")
    with Transcript.open("run.sqlite") as transcript:
        certificate, log = certified(*again(), seed=3, transcript=transcript)
    assert len(list_eval_logs("logs")) == 1
    assert (
        len(log.samples or ()) >= certificate.questions >= len([sample for sample in before.samples or () if not sample.error])
    )
