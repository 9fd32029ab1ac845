"""Tasks of Inspect on the command line: certified, rechecked, compared; and draws as epochs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.scorer import value_to_float

from tests.plugins.inspect_plugin.task_scope.conftest import TASKS, certified, opened
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.draws import Draws
from vivavoce.cli.viva import main

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


@pytest.mark.long
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


@pytest.mark.long
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
        (("--scope", "arithmetic", "--set", "trust-local"), "belong to '--scope inspect-task:"),
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
