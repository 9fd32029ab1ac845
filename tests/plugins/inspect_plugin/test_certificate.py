"""The certificate as a task: the verdict of `viva certify`, whatever the order in which samples complete."""

from __future__ import annotations

import asyncio
import math
import random
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry as inspect_eval_retry
from inspect_ai import score as inspect_score
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Target

from tests.plugins.inspect_plugin.conftest import Run, finding, metrics
from vivavoce import inspect_tasks
from vivavoce.candidates import open_candidate
from vivavoce.certificate.attempts.attempt import UNSEEN
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.plugins.inspect_plugin.certificate import (
    NOT_COUNTED,
    CertificateTerms,
    OrderedExamination,
    certified,
    graded,
    numbers,
    samples,
)
from vivavoce.scopes import open_scope

pytestmark = pytest.mark.long  # importing Inspect takes seconds


def certificate_of(candidate: str, questions: int, *, passing_grade: float = 0.7) -> dict[str, Any]:
    """What `viva certify` finds in a first attempt that may err 5%, as an evaluation of Inspect's may."""
    interview = Interview(open_candidate(candidate), answers=Reply)
    result = certify(
        interview, open_scope("arithmetic"), Criterion(passing_grade, None, 0.05 / 0.95), questions=questions, seed=0
    )
    return asyncio.run(result).as_json()


@pytest.mark.parametrize(("wrong", "sign"), [(0.05, 1), (0.6, -1)])
def test_the_certificate_is_that_of_viva_certify(run: Run, wrong: float, sign: int) -> None:
    bot = f"bot:calculator?wrong={wrong}"
    log = run("vivavoce/certificate", f"viva/{bot}", unacceptable_limit="none", questions=60)
    values, expected = finding(log), certificate_of(bot, 60)
    assert values["verdict"] == expected["verdict"]
    for name in ("questions", "score", "unacceptable", "path", "log_e_values", "scope_digest"):
        assert values["figures"][name] == expected["figures"][name], name
    assert [caveat for caveat in values["caveats"] if caveat != NOT_COUNTED] == [
        caveat for caveat in expected["caveats"] if caveat != UNSEEN
    ]
    assert NOT_COUNTED in values["caveats"]
    assert values["seed_committed"] is False
    assert values["candidates"] == [f"inspect:viva/{bot}"]
    document = metrics(log)
    assert next(iter(document)) == "verdict"
    assert (document["verdict"], document["questions"]) == (sign, expected["figures"]["questions"])
    assert (document["score_lower"], document["score_upper"]) == (
        expected["figures"]["score"]["lower"],
        expected["figures"]["score"]["upper"],
    )
    assert document["log_e_enough"] == pytest.approx(math.log(20))
    # by hand, from the samples: their ids are their numbers in drawn order
    scores = {sample.id: sample.scores["graded"].as_dict()["score"] for sample in log.samples or [] if sample.scores}
    counted = [scores[number] for number in range(1, expected["figures"]["questions"] + 1)]
    assert document["score"] == pytest.approx(sum(float(entry or 0) for entry in counted) / len(counted))


def test_what_need_not_be_asked_is_not_asked(run: Run) -> None:
    log = run("vivavoce/certificate", "viva/bot:calculator", unacceptable_limit="none", questions=500, max_samples=4)
    assert log.results
    assert log.results.early_stopping
    stopped = log.results.early_stopping.early_stops
    # with 8 questions right of 8, (1/.7)^8 = 17.3 < 20 = 1/delta: 9 are the fewest; those in flight come on top
    assert 9 <= log.results.completed_samples <= 60
    assert log.results.completed_samples + len(stopped) == 500
    assert {stop.reason for stop in stopped} == {"pass"}
    assert log.eval.viewer
    assert log.eval.viewer.trust_content is False


def slow_where_wrong(right_of_all: int, completed: list[bool]) -> Model:
    """Most of its answers are wrong, and each of them waits until all right ones are there."""
    faulty, exact = open_candidate("bot:calculator?wrong=0.6"), open_candidate("bot:calculator")
    all_right = asyncio.Event()

    async def output(messages: list[ChatMessage], tools: object, choice: object, config: GenerateConfig) -> ModelOutput:
        prompt = Prompt(messages[-1].text)
        text, right = (await faulty.answer(prompt)).text, (await exact.answer(prompt)).text
        if text != right:
            await all_right.wait()
        completed.append(text == right)
        if sum(completed) == right_of_all:
            all_right.set()
        return mocked(text)

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def mocked(text: str) -> ModelOutput:
    """An output with its usage, without which the mock would fetch a tokenizer."""
    output = ModelOutput.from_content("mock", text)
    output.usage = ModelUsage(input_tokens=5, output_tokens=2, total_tokens=7)
    return output


def test_to_be_slow_where_one_is_wrong_changes_nothing(run: Run) -> None:
    given = {"unacceptable_limit": "none", "passing_grade": 0.8, "questions": 60}
    everywhere = {"max_samples": 60, "max_connections": 60}
    prompt = [sample.input for sample in inspect_tasks.certificate(**given).dataset]  # type: ignore[arg-type]
    faulty, exact = open_candidate("bot:calculator?wrong=0.6"), open_candidate("bot:calculator")

    async def rights() -> list[bool]:
        prompts = [Prompt(str(text)) for text in prompt]
        return [(await faulty.answer(entry)).text == (await exact.answer(entry)).text for entry in prompts]

    in_drawn_order = asyncio.run(rights())
    completed: list[bool] = []
    log = run("vivavoce/certificate", slow_where_wrong(sum(in_drawn_order), completed), **given, **everywhere)
    assert completed == sorted(completed, reverse=True)  # the right ones first
    criterion = Criterion(0.8, None)
    # whoever took answers as they came would be deceived
    assert SequentialTest(criterion).update(completed, [0] * 60) is Verdict.PASS
    assert SequentialTest(criterion).update(in_drawn_order, [0] * 60) is Verdict.FAIL
    assert finding(log)["verdict"] == "fail"
    shuffled = run("vivavoce/certificate", "viva/bot:calculator?wrong=0.6", **given, sample_shuffle=7, max_samples=3)
    assert metrics(shuffled) == metrics(log)
    assert finding(shuffled)["figures"]["path"] == finding(log)["figures"]["path"]


def terms(**changed: Any) -> dict[str, Any]:
    usual = CertificateTerms("arithmetic", 0.7, None, 0.05, 40, 0, False)
    return asdict(usual) | changed


async def scores(candidate: str, given: dict[str, Any]) -> list[SampleScore]:
    """Every question of the task, answered and graded."""
    grade, sample_scores = graded(given), []
    for sample in samples(CertificateTerms(**given)):
        reply = await open_candidate(candidate).answer(Prompt(str(sample.input)))
        state: Any = SimpleNamespace(sample_id=sample.id, output=mocked(reply.text))
        made = await grade(state, Target(""))
        assert made
        sample_scores.append(SampleScore(score=made, sample_id=sample.id))
    return sample_scores


async def test_the_metric_knows_no_order_but_that_of_the_draw() -> None:
    given = terms(passing_grade=0.75)
    all_scores = await scores("bot:calculator?wrong=0.25", given)
    metric: Any = certified(given)
    straight = metric(all_scores)
    assert straight["questions"] == 40
    for seed in range(10):
        assert metric(random.Random(seed).sample(all_scores, 40)) == straight


async def test_behind_a_sample_that_is_missing_nothing_counts() -> None:
    all_scores = await scores("bot:calculator", terms())
    metric: Any = certified(terms())
    assert metric(all_scores)["verdict"] == 1
    without = metric([score for score in all_scores if score.sample_id != 4])
    assert (without["verdict"], without["questions"], without["score"]) == (0, 3, 1.0)
    held_up = OrderedExamination(CertificateTerms(**terms()), "bot:x")
    for score in all_scores[4:]:
        held_up.take(int(score.sample_id or 0), score.score)
    assert held_up.finding().statement.endswith("Sample 1 never completed, so later samples do not count. After 0 questions.")
    later = SampleScore(score=(await scores("bot:gibberish", terms()))[4].score, sample_id=5)
    held_up.take(5, later.score)  # the first answer to a question stands
    held_up.take(1, all_scores[0].score)
    for score in all_scores[1:4]:
        held_up.take(int(score.sample_id or 0), score.score)
    assert held_up.finding().verdict is Verdict.PASS
    assert held_up.finding().score.value == 1.0
    assert metric([]) == {"verdict": 0, "questions": 0, "log_e_enough": pytest.approx(math.log(20))}


def test_a_limit_of_inspect_leaves_no_answer_which_the_scope_grades(run: Run) -> None:
    model = get_model("mockllm/model", custom_outputs=(mocked("Answer: 1") for _ in range(99)), memoize=False)
    log = run("vivavoce/certificate", model, unacceptable_limit="none", questions=60, token_limit=3)
    values = finding(log)
    assert (values["verdict"], values["figures"]["no_answers"]) == ("fail", values["figures"]["questions"])
    [sample, *_] = log.samples or []
    assert sample.limit
    assert sample.limit.type == "token"


def test_a_log_that_is_scored_again_says_the_same(run: Run) -> None:
    log = run("vivavoce/certificate", "viva/bot:calculator?wrong=0.3", unacceptable_limit="none", questions=20)
    given = terms(questions=20)
    again = inspect_score(log, graded(given), action="overwrite", display="none")
    assert metrics(again) == metrics(log)


class FailingCalculator:
    """A calculator that fails at its fifteenth question, once."""

    asked = 0

    async def answer(self, text: str) -> str:
        FailingCalculator.asked += 1
        if FailingCalculator.asked == 15:
            raise ValueError("a fault that no further attempt mends")
        return (await open_candidate("bot:calculator").answer(Prompt(text))).text


failing = FailingCalculator().answer


def test_an_evaluation_that_failed_goes_on_where_it_was(run: Run) -> None:
    FailingCalculator.asked = 0
    given = {"unacceptable_limit": "none", "passing_grade": 0.9, "questions": 50}
    log = run("vivavoce/certificate", f"viva/function:{__name__}:failing", **given, max_samples=2)
    assert (log.status, log.results) == ("error", None)
    [again] = inspect_eval_retry(log, log_dir="logs", display="none", max_samples=2, log_realtime=False)
    values = finding(read_eval_log(again.location))
    assert values["verdict"] == "pass"
    # all but the one that failed, the one beside it, and what was on its way when the verdict came, were asked once
    assert FailingCalculator.asked <= values["figures"]["questions"] + 8
    assert values["figures"]["path"] == certificate_of("bot:calculator", 50, passing_grade=0.9)["figures"]["path"]


def test_one_task_examines_two_models_at_once(run: Run, tmp_path: Path) -> None:
    task = inspect_tasks.certificate(unacceptable_limit="none", questions=60)
    models = ["viva/bot:calculator", "viva/bot:gibberish"]
    logs = inspect_eval(task, model=models, log_dir="logs", display="none", max_samples=8, log_realtime=False)
    document = {log.eval.model: finding(read_eval_log(log.location))["verdict"] for log in logs}
    assert document == dict(zip(models, ("pass", "undecided"), strict=True))


def test_epochs_are_no_further_questions(run: Run) -> None:
    log = run("vivavoce/certificate", "viva/bot:calculator", questions=5, epochs=2)
    assert log.status == "error"
    assert log.error
    assert "leave out --epochs" in log.error.message


def test_unknown_and_unbounded_values_are_no_metrics() -> None:
    estimates = {
        "score": Estimate(0.5, Interval(0.25, math.inf), 9),
        "gap": Estimate(None, Interval(-1.0, 1.0), 0),
        "rate": None,
    }
    assert numbers(estimates) == {"score": 0.5, "score_lower": 0.25}
