"""Tasks of Inspect on the command line, in gates and plans, and after a run that was killed or interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.scorer import value_to_float

from tests.plugins.inspect_plugin.task_scope.doubler import TASKS, certified, opened
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.draws import Draws
from vivavoce.cli.viva import main
from vivavoce.examination.plan_file import digest_of_plan, plan_of
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.inspect_plugin.task_scope.candidate import TaskCandidate
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.plugins.inspect_plugin.task_scope.opening import open_task
from vivavoce.scopes import bare_scope
from vivavoce.scopes.logged import TaskScope

pytestmark = pytest.mark.long  # importing Inspect takes seconds

TASK = f"inspect-task:{TASKS}@matched"
CALCULATOR = "inspect:viva/bot:calculator"


def test_a_certificate_on_a_task_is_rechecked_from_its_record(capsys: pytest.CaptureFixture[str]) -> None:
    kept = ("--transcript", "run.sqlite")
    assert main(("certify", CALCULATOR, "--scope", TASK, *kept, "--json", "--quiet")) == 0
    document = capsys.readouterr().out
    assert json.loads(document)["verdict"] == "pass"
    Path("found.json").write_text(document)
    assert main(("recheck", "found.json", *kept, "--scope", TASK)) == 0
    assert main(("recheck", "found.json", *kept, "--scope", f"{TASK}?n=61")) == 4
    assert "is needed: give it with --scope" in capsys.readouterr().out.replace("\n  ", " ")


def test_candidates_are_compared_in_one_evaluation_with_a_log_each(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("compare", CALCULATOR, "inspect:viva/bot:eliza", "--scope", TASK, "--seed", "1", "--json", "--quiet")
    assert main((*command, "--set", "log-dir=logs")) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "better"
    logs = [read_eval_log(info) for info in list_eval_logs("logs")]
    assert {log.eval.model for log in logs} == {"viva/bot:calculator", "viva/bot:eliza"}
    assert len({log.eval.run_id for log in logs}) == 1


def test_draws_are_epochs() -> None:
    scope, candidate = opened("repeated")
    certificate, log = certified(scope, candidate, composition=Composition(draws=Draws(2)), questions=12)
    epochs = {
        (str(sample.id), sample.epoch): value_to_float()(sample.scores["match"].value)
        for sample in log.samples or ()
        if sample.scores
    }
    assert certificate.draws is not None
    # draws of a sample are its first epochs, and the mean over both is that over units, in whatever order they were drawn
    assert {epoch for _, epoch in epochs} >= {1, 2}
    assert certificate.score.value is not None
    assert 0 <= certificate.score.value <= 1
    assert np.isclose(certificate.score.value * certificate.questions, round(certificate.score.value * certificate.questions))


def test_draws_are_with_replacement() -> None:
    scope, candidate = opened("repeated")  # 12 samples
    certificate, log = certified(scope, candidate, composition=Composition(procedure="fixed", draws=Draws(2)), questions=30)
    values = np.random.default_rng(0).integers(12, size=1024)[:30]
    times = Counter(f"sum {number}" for number in values)
    assert certificate.questions == 30
    assert Counter(str(sample.id) for sample in log.samples or ()) == {name: 2 * number for name, number in times.items()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scope", "arithmetic", "--set", "trust-local"), "are for tasks: give '--scope inspect-task:"),
        (("--scope", TASK, "--scope", "arithmetic"), "which must be the only scope"),
        (("--scope", TASK, "--judge", "bot:eliza", "--rubric", "Good?"), "graded by its own scorer"),
        (("--scope", f"inspect-task:{TASKS}@agent"), "Give --set trust-local to allow that"),
    ],
)
def test_what_does_not_go_together_is_refused(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("certify", CALCULATOR, *arguments)) == 2
    assert message in capsys.readouterr().err.replace("\n", " ")


ELIZA = "inspect:viva/bot:eliza"
Printed = pytest.CaptureFixture[str]


def test_two_models_are_held_against_each_other(capsys: Printed) -> None:
    command = ("gate", CALCULATOR, "--baseline", ELIZA, "--scope", TASK, "--seed", "1", "--set", "log-dir=logs", "--json")
    assert main((*command, "--transcript", "run.sqlite")) == 0
    outerr = capsys.readouterr()
    assert json.loads(outerr.out)["verdict"] == "pass"
    assert outerr.err.count("Inspect's log: ") == 2
    Path("gate.json").write_text(outerr.out)
    assert {read_eval_log(info).eval.model for info in list_eval_logs("logs")} == {"viva/bot:calculator", "viva/bot:eliza"}
    assert main(("recheck", "gate.json", "--transcript", "run.sqlite", "--scope", TASK)) == 0
    assert main(("gate", ELIZA, "--baseline", CALCULATOR, "--scope", TASK, "--set", "log-dir=logs", "--quiet")) == 3


def test_a_baseline_may_be_what_was_answered_earlier(capsys: Printed) -> None:
    asked = ("--scope", TASK, "--seed", "2", "--set", "log-dir=logs", "--quiet")
    assert (
        main(("certify", CALCULATOR, *asked, "--transcript", "old.sqlite", "--set", "procedure=fixed", "--questions", "60"))
        == 0
    )
    before = len(list_eval_logs("logs"))
    for baseline in ("old.sqlite",):
        assert main(("gate", CALCULATOR, "--baseline", baseline, *asked, "--margin", "0.2", "--json")) == 0
        document = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert document["verdict"] == "pass"
    assert len(list_eval_logs("logs")) == before + 1  # nobody ran the baseline again


def test_what_a_gate_cannot_hold_is_refused(capsys: Printed) -> None:
    assert main(("gate", CALCULATOR, "--baseline", "bot:calculator", "--scope", TASK)) == 2
    assert "write inspect:PROVIDER/MODEL" in capsys.readouterr().err.replace("\n", " ")
    assert main(("gate", CALCULATOR, "--baseline", ELIZA, "--scope", "arithmetic", "--set", "trust-local")) == 2
    assert "are for tasks: give '--scope inspect-task:" in capsys.readouterr().err.replace("\n", " ")


PLAN = f"""\
examinations = ["certificate"]
seed = 3
[[certificate]]
scope = "inspect-task:{TASKS}@twice_scored"
scorer = "match"
[[certificate]]
scope = "arithmetic?operations=+"
unacceptable_limit = "none"
questions = 60
"""


def test_a_plan_certifies_a_task_among_other_scopes(capsys: Printed) -> None:
    Path("plan.toml").write_text(PLAN)
    assert main(("report", CALCULATOR, "--plan", "plan.toml", "--out", "out", "--dry-run")) == 0
    assert "certificate" in capsys.readouterr().err
    assert not list_eval_logs("out/logs")
    assert main(("report", CALCULATOR, "--plan", "plan.toml", "--out", "out")) == 0
    assert "Inspect's log: " in capsys.readouterr().err
    dossier = json.loads(Path("out/report.json").read_text())
    task, sums = dossier["cards"]
    assert (task["details"]["verdict"], sums["details"]["verdict"]) == ("pass", "pass")
    assert "--set scorer=match" in task["command"]
    [log] = list_eval_logs("out/logs")
    assert read_eval_log(log).status == "success"
    # killed or not, the same command asks nothing twice
    assert main(("report", CALCULATOR, "--plan", "plan.toml", "--out", "out", "--quiet")) == 0
    assert len(list_eval_logs("out/logs")) == 1
    again = ("recheck", "out", "--transcript", "out/transcript.sqlite", "--set", "scorer=match")
    assert main((*again, "--scope", f"inspect-task:{TASKS}@twice_scored")) == 0
    assert main((*again, "--scope", f"inspect-task:{TASKS}@twice_scored?n=3")) != 0


def test_a_plan_cannot_trust_for_the_user(capsys: Printed) -> None:
    Path("plan.toml").write_text(f'[[certificate]]\nscope = "inspect-task:{TASKS}@agent"\nquestions = 8\n')
    command = ("report", CALCULATOR, "--plan", "plan.toml", "--only", "certificate", "--out", "out")
    assert main(command) == 2
    assert "Give --set trust-local to allow that" in capsys.readouterr().err.replace("\n", " ")


def test_a_dry_run_runs_no_code_that_a_plan_names(capsys: Printed) -> None:
    betrayed = "from pathlib import Path\nPath('betrayed').touch()\n"
    Path("strange.py").write_text(f"{betrayed}from inspect_ai import Task, task\n@task\ndef sums():\n    return Task()\n")
    Path("stranger.py").write_text(f"{betrayed}def judge(text):\n    return text\n")
    Path("open.jsonl").write_text('{"question": "Why?", "rubric": "10: because"}\n')
    section = "[[certificate]]\nscope = '{}'\njudge = '{}'\n"
    judged = [section.format("file:open.jsonl", f"{kind}function:stranger:judge") for kind in ("", "inspect:viva/")]
    Path("plan.toml").write_text("\n".join(("[[certificate]]", "scope = 'inspect-task:strange.py@sums'", *judged)))
    command = ("report", CALCULATOR, "--plan", "plan.toml", "--only", "certificate", "--out", "out")
    assert main((*command, "--dry-run")) == 0
    output = " ".join(capsys.readouterr().err.split())
    assert "the number of samples of an Inspect task is known only to its code" in output
    assert not Path("betrayed").exists()
    assert not Path("out").exists()
    Path("plan.toml").write_text("[[certificate]]\nscope = 'inspect-task:strange.py@summs'")
    assert main((*command, "--dry-run")) == 2
    assert "'strange.py' has no task 'summs'" in capsys.readouterr().err.replace("\n", " ")
    assert not Path("betrayed").exists()
    Path("plan.toml").write_text("[[certificate]]\nscope = 'inspect-task:strange.py@sums'")
    assert main(command) == 2  # it has no samples, as its code says
    assert Path("betrayed").exists()


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (f"scope = '{TASK}'\njudge = 'bot:eliza'", "graded by its own scorer"),
        ("scope = 'arithmetic'\nscorer = 'match'", "are for an Inspect task"),
        (f"scope = '{TASK}'\n[[certificate]]\nscope = '{TASK}'", "twice: leave one out"),
    ],
)
def test_plans_that_cannot_be_meant_are_refused(section: str, message: str, capsys: Printed) -> None:
    Path("plan.toml").write_text(f"[[certificate]]\n{section}\n")
    assert main(("report", CALCULATOR, "--plan", "plan.toml", "--only", "certificate", "--dry-run")) == 2
    assert message in capsys.readouterr().err.replace("\n", " ")


def test_only_models_of_inspect_run_a_task_of_a_plan(capsys: Printed) -> None:
    Path("plan.toml").write_text(f"[[certificate]]\nscope = '{TASK}'\n")
    assert main(("report", "bot:calculator", "--plan", "plan.toml", "--only", "certificate", "--dry-run")) == 2
    assert "write inspect:PROVIDER/MODEL" in capsys.readouterr().err.replace("\n", " ")


def test_a_plans_digest_knows_the_task_and_no_folder() -> None:
    def digest(scope: str, more: str = "") -> str:
        return digest_of_plan(plan_of(f"[[certificate]]\nscope = '{scope}'\n{more}"))

    assert digest("inspect-task:a/b.py@t?n=1") == digest("inspect-task:c/b.py@t?n=1")
    assert len({digest("inspect-task:b.py@t"), digest("inspect-task:b.py@t", "scorer = 'm'"), digest("inspect-task:b/t")}) == 3
    assert bare_scope("inspect-task:inspect_evals/gsm8k?a=b/c") == "inspect-task:inspect_evals/gsm8k?a=b/c"


DEADLY = f"inspect-task:{TASKS}@deadly"


def again() -> tuple[TaskScope, TaskCandidate]:
    where = str(Path("run.sqlite").absolute())
    scope, [candidate] = open_task(DEADLY, [CALCULATOR], TaskConfig(log_dir=Path("logs")), record=where)
    return scope, candidate


def test_a_run_that_was_killed_goes_on_in_one_log(tmp_path: Path) -> None:
    command = ["certify", CALCULATOR, "--scope", DEADLY, "--transcript", "run.sqlite", "--set", "log-dir=logs", "--seed", "3"]
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
    scope, [candidate] = open_task(DEADLY, [CALCULATOR], TaskConfig(log_dir=Path("other")))
    at_once, _ = certified(scope, candidate, seed=3)
    assert (certificate.verdict, certificate.questions, certificate.path) == (at_once.verdict, at_once.questions, at_once.path)


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
