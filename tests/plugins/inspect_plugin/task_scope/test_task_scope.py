"""Tasks of Inspect as scopes: the scores of `inspect eval`, and the verdict of the e-process on the samples in drawn order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.scorer import value_to_float

from tests.plugins.inspect_plugin.task_scope.conftest import TASKS, certified, doubler, opened
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest


def scores(log: EvalLog, scorer: str) -> dict[tuple[str, int], Any]:
    return {(str(sample.id), sample.epoch): sample.scores[scorer].value for sample in log.samples or () if sample.scores}


def test_the_verdict_is_that_of_the_e_process_on_the_samples_in_drawn_order() -> None:
    scope, candidate = opened("matched", doubler(lambda number: number % 10 == 3))
    certificate, log = certified(scope, candidate, seed=5)
    assert (certificate.verdict, log.status) == (Verdict.PASS, "success")
    # a third way: the order of the seed, the values in the log as Inspect makes numbers of them, and the bare test
    order = [f"sum {index}" for index in np.random.default_rng(5).permutation(60)]
    given = scores(log, "match")
    test = SequentialTest(Criterion(0.7, None, 0.05 * 0.9), population=60)
    assert test.update([value_to_float()(given.get((sample, 1), "I")) for sample in order], [0] * 60) is Verdict.PASS
    number = test.n
    assert number == certificate.questions
    assert {sample for sample, _ in given} >= set(order[:number])
    assert len(given) <= number + 16  # what was under way
    assert certificate.spending.tokens_in == 30 * number


@pytest.mark.parametrize(
    ("task", "scorer"), [("matched", "match"), ("chosen", "choice"), ("graded", "model_graded_qa"), ("agent", "match")]
)
def test_the_scores_are_those_of_inspect_eval(task: str, scorer: str) -> None:
    scope, candidate = opened(task, trust_local=True)
    certificate, log = certified(scope, candidate, questions=12)
    ran = scores(log, scorer)
    ids = [sample.id for sample in log.samples or ()]
    [usual] = inspect_eval(
        f"{TASKS}@{task}", model=doubler(), sample_id=ids, log_dir="usual", display="none", log_realtime=False
    )
    assert ran == scores(usual, scorer)
    assert len(set(ran.values())) == 2, "some are right, and some are not"
    assert certificate.questions == 12
    by_id = {question.id: value_to_float()(ran[question.id, 1]) for question in scope.questions if (question.id, 1) in ran}
    order = [scope.questions[index].id for index in np.random.default_rng(0).permutation(scope.size)]
    assert certificate.score.value == pytest.approx(np.mean([by_id[entry] for entry in order[:12]]), abs=0)
    if task == "agent":
        assert all(any(message.role == "tool" for message in sample.messages) for sample in log.samples or ())
