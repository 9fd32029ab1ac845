"""Which values are scores, what is unreadable, and what cannot be a scope."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util import package as inspect_package
from inspect_ai._util.entrypoints import clear_entry_points_state
from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score

from tests.each_case import each_case
from tests.plugins.inspect_plugin.conftest import DISTRIBUTIONS
from tests.plugins.inspect_plugin.task_scope.doubler import TASKS, certified, doubler, opened
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.errors import BadFile, BadInput, CandidateUnreachable, UnknownName
from vivavoce.interview.candidate import Usage
from vivavoce.plugins.inspect_plugin.task_scope.candidate import reply_of, score
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.plugins.inspect_plugin.task_scope.opening import open_task

pytestmark = pytest.mark.long  # importing Inspect takes seconds


def sample(value: Any = None, **more: Any) -> EvalSample:
    scores = {} if value is None else {"mine": Score(value=value)}
    return EvalSample(id="a", epoch=1, input="?", target="t", scores=scores, **more)


@each_case(
    ("value", "expected"),
    [
        ("C", 1), ("I", 0), ("P", 0.5), (True, 1), (0.3, 0.3), (1, 1), ("0.7", 0.7), ("yes", 1),
        ("N", None), (float("nan"), None), (None, None),
    ],
)  # fmt: skip
def test_values_are_scores_as_inspect_reads_them_but_no_answer_is_none(value: Any, expected: float | None) -> None:
    assert score(sample(value), "mine") == expected


def test_a_score_that_stands_beside_an_error_is_none() -> None:
    error = EvalError(message="it\nbroke with sk-0123456789", traceback="", traceback_ansi="")
    broken = sample("C", error=error)
    assert score(broken, "mine") is None
    assert reply_of(broken, "mine", {}, key="sk-0123456789").text.startswith("(it broke with ")
    assert "sk-0123456789" not in reply_of(broken, "mine", {}, key="sk-0123456789").text


@each_case("value", [7, -0.1, "good", [1, 0]])
def test_what_is_no_score_ends_the_examination(value: Any) -> None:
    with pytest.raises(BadInput, match="only scores from 0 to 1"):
        score(sample(value), "mine")


def test_of_several_values_one_is_named() -> None:
    several = sample({"tone": 0.25, "style": 1})
    assert score(several, "mine:tone") == 0.25
    with pytest.raises(BadInput, match="mine:tone, mine:style"):
        score(several, "mine")
    with pytest.raises(UnknownName, match="mine:tone"):
        score(several, "mine:tune")


def test_all_models_are_paid_for_at_their_prices() -> None:
    used = {
        "openai/a": ModelUsage(input_tokens=1000, output_tokens=100, input_tokens_cache_read=500),
        "openai/judge": ModelUsage(input_tokens=10, output_tokens=1, total_cost=0.5),
    }
    # by hand: (1000 + 500) / 1e6 * 2 + 100 / 1e6 * 10 = 0.004
    usage = reply_of(sample("C", model_usage=used), "mine", {"openai/a": (2.0, 10.0)}).usage
    assert (usage.tokens_in, usage.tokens_out) == (1510, 101)
    assert usage.money == pytest.approx(0.504)


def test_errors_and_no_answers_are_unreadable_and_the_rest_counts() -> None:
    scope, candidate = opened("oddly")
    certificate, log = certified(scope, candidate, composition=Composition(procedure="fixed"), questions=8)
    assert len(log.samples or ()) == 8
    # of 8 samples: N, an error of the scorer, no score at all, and five times 0.25
    assert (certificate.replies.unreadable, certificate.replies.no_answers) == (3, 0)
    assert certificate.score_range is not None
    assert (certificate.score_range.lower, certificate.score_range.upper) == (5 * 0.25 / 8, (5 * 0.25 + 3) / 8)
    assert certificate.spending == Usage(8 * 30, 8 * 2)


def test_a_score_of_seven_ends_the_examination_in_a_line() -> None:
    with pytest.raises(BadInput, match="sample 'sum 0' of the task: its score is 7"):
        certified(*opened("oddly?first=0"), composition=Composition(procedure="fixed"), questions=9)


def test_a_model_that_never_replies_is_unreachable() -> None:
    def failing(*_: object) -> ModelOutput:
        raise ConnectionError("no route")

    with pytest.raises(CandidateUnreachable, match="no route"):
        certified(*opened("matched", get_model("mockllm/model", custom_outputs=failing, memoize=False)))


def test_a_value_of_several_scorers_counts() -> None:
    certificate, _ = certified(*opened("twice_scored", scorer="two_values:share"))
    assert certificate.score.value == 0.125


@each_case(
    ("task", "config", "message"),
    [
        ("agent", {}, "'tasks.py@agent' has the sandbox 'local', which does not isolate.*--set trust-local"),
        ("twice_scored", {}, "several scorers: name one with --set scorer=NAME, of match, two_values"),
        ("matched", {"scorer": "mtch"}, "no scorer of tasks.py@matched 'mtch'; did you mean 'match'"),
        ("unscored", {}, "has no scorer"),
        ("broken", {}, "can't make the task 'tasks.py@broken': no such file"),
        ("nothing", {}, "can't make the task 'tasks.py@nothing'"),
        ("matched?m=3", {}, "no argument of tasks.py@matched 'm'.*There are: n"),
        ("matched?n=3&n=4", {}, "has n twice"),
        ("matched?n=0", {}, "has no samples"),
        ("matched", {"model_role": ("grader",)}, "ROLE=PROVIDER/MODEL"),
    ],
)
def test_what_cannot_be_a_scope_is_refused_in_a_line(task: str, config: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        opened(task, **config)
    assert "\n" not in str(refused.value)


@each_case(
    ("name", "message"),
    [
        ("inspect-task:", "names no task"),
        ("inspect-task:nowhere.py@a", "nowhere.py: is not a file"),
        (f"inspect-task:{TASKS}", "names a file but no task"),
        ("inspect-task:inspect_evals/nothing", "no installed package has the task 'inspect_evals/nothing'"),
    ],
)
def test_names_of_no_task_are_refused(name: str, message: str) -> None:
    with pytest.raises((BadInput, BadFile), match=message):
        open_task(name, [])


def test_only_models_of_inspect_run_tasks() -> None:
    with pytest.raises(BadInput, match=r"write inspect:PROVIDER/MODEL, or inspect:viva/bot:calculator for a candidate"):
        open_task(f"inspect-task:{TASKS}@matched", ["bot:calculator"])
    with pytest.raises(BadInput, match="leave out 'system'"):
        open_task(f"inspect-task:{TASKS}@matched", ["inspect:viva/bot:calculator?system=Hi"])


def test_a_task_that_chooses_its_samples_is_refused() -> None:
    with pytest.raises(BadInput, match="chooses its samples while it runs"):
        open_task("inspect-task:vivavoce/certificate", [])


def test_an_installed_task_is_a_scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site-packages"
    package, about = site / "ownevals", site / "ownevals-1.0.dist-info"
    package.mkdir(parents=True)
    about.mkdir()
    shutil.copy(TASKS, package / "__init__.py")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ownevals\nVersion: 1.0\n")
    (about / "top_level.txt").write_text("ownevals\n")
    (about / "entry_points.txt").write_text("[inspect_ai]\nownevals = ownevals\n")
    (about / "RECORD").write_text("ownevals/__init__.py,,\n")
    clear_entry_points_state()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(inspect_package, "packages_distributions", lambda: {**DISTRIBUTIONS(), "ownevals": ["ownevals"]})
    given = [("inspect:mockllm/model", doubler(lambda number: number % 10 == 3))]
    scope, [candidate] = open_task("inspect-task:ownevals/matched?n=30", given, TaskConfig(log_dir=Path("logs")))
    certificate, log = certified(scope, candidate)
    assert (certificate.verdict, log.eval.task) == (Verdict.PASS, "ownevals/matched")
    assert scope.questions[0].text.startswith("ownevals/matched, sample sum 0 (")


def test_the_scope_changes_with_code_arguments_scorer_and_roles(tmp_path: Path) -> None:
    shutil.copy(TASKS, tmp_path / "tasks.py")

    def digest(task: str = "twice_scored", **config: Any) -> str:
        return open_task(f"inspect-task:{tmp_path / 'tasks.py'}@{task}", [], TaskConfig(**config))[0].digest

    first = digest(scorer="match")
    assert digest(scorer="match") == first
    others = {
        digest(scorer="two_values:share"),
        digest(scorer="match", model_role=("grader=viva/bot:eliza",)),
        digest("matched"),
    }
    others |= {digest("matched?n=7"), first}
    assert len(others) == 5
    with (tmp_path / "tasks.py").open("a") as file:
        file.write("# another version\n")
    assert digest(scorer="match") not in others


def test_ids_are_those_of_inspect_and_messages_have_no_part_in_the_digest() -> None:
    scope, _ = opened("without_ids")
    assert [question.id for question in scope.questions] == [str(number) for number in range(1, 10)]
    assert opened("without_ids")[0].digest == scope.digest


def test_options_of_the_name_reach_the_model() -> None:
    task = f"inspect-task:{TASKS}@matched?n=2"
    scope, [candidate] = open_task(task, ["inspect:viva/bot:calculator?temperature=0.5"], TaskConfig(log_dir=Path("logs")))
    _, log = certified(scope, candidate)
    config = log.plan.config
    assert (config.temperature, config.max_retries, log.eval.model) == (0.5, 5, "viva/bot:calculator")
    assert candidate.name == "inspect:viva/bot:calculator?temperature=0.5"
