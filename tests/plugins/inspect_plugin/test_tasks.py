"""What the tasks are given, how Inspect finds them, and what consistency and explain-query-test find as tasks."""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig, get_model

from tests.cli import pupil
from tests.each_case import each_case
from tests.plugins.inspect_plugin.conftest import Run, finding, metrics
from tests.studies.forecasts.finding import json_rows
from vivavoce import inspect_tasks
from vivavoce.eqt.concepts import read_concepts
from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.record import ROLES, EqtConfig
from vivavoce.eqt.score import score
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.plugins.inspect_plugin.provider import CandidateModel
from vivavoce.studies.forecasting.tuples import QuestionTuple, write_tuples

pytestmark = pytest.mark.long  # importing Inspect takes seconds


@each_case(
    ("task", "given", "message"),
    [
        ("certificate", {"scope": "arithmatic"}, "did you mean 'arithmetic'"),
        ("certificate", {"passing_grade": 1.5}, "strictly between 0 and 1"),
        ("certificate", {"delta": "small"}, "-T 'delta': input should be a valid number"),
        ("certificate", {"questions": 0}, "-T 'questions': input should be greater than or equal to 1"),
        ("eqt", {"concepts": "maths"}, "did you mean 'math'"),
        ("eqt", {"options": 11}, "-T 'options'"),
        ("consistency", {"tuples": "nowhere.jsonl"}, "nowhere.jsonl"),
        ("consistency", {"variant": "plane"}, "-T 'variant': input should be 'plain'"),
        ("consistency", {"temperature": 11}, "less than or equal to 10"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(task: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        getattr(inspect_tasks, task)(**given)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_terms_may_be_lists_and_none() -> None:
    assert len(inspect_tasks.eqt(concepts=["math", "physics"], temperature="none").dataset) == 40
    both = [[sample.input for sample in inspect_tasks.eqt(concepts="math", seed=seed).dataset] for seed in (0, 1)]
    assert sorted(map(str, both[0])) == sorted(map(str, both[1]))
    assert both[0] != both[1]


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


def forecaster(prompt: str) -> str:
    """Gives 80% to everything, and to rain nothing that can be read."""
    return "I cannot say." if "rain" in prompt else "Likely.\n[Answer] 0.8"


def test_consistency_scores_each_tuple_by_its_law(run: Run, tmp_path: Path) -> None:
    tuples = [
        QuestionTuple("neg", {"P": f"Will it {what}?", "not_P": f"Will it not {what}?"}, id=what) for what in ("snow", "rain")
    ]
    told_twice = QuestionTuple("paraphrase", {"P": "Will it snow?", "para_P": "Is snow to fall?"}, id="two")
    left_out = QuestionTuple("neg", {"P": "Will it hail?", "not_P": "Will it not hail?"}, id="new", status="proposed")
    write_tuples(tmp_path / "tuples.jsonl", [*tuples, told_twice, left_out])
    log = run("vivavoce/consistency", f"viva/function:{__name__}:forecaster", tuples="tuples.jsonl", repeats=1, control=1)
    document, values = metrics(log), finding(log)
    # |.8 + .8 - 1| = .6, and above .2 it is strong; highest less lowest of (.8, .8) is 0
    assert (document["Negation: metric"], document["Negation: strong"], document["Negation: tuples"]) == (0.6, 1, 1)
    assert (document["Negation: unreadable"], document["Paraphrase: metric"]) == (1, 0)
    assert document["The same question again: tuples"] + document["The same question again: unreadable"] == 1
    assert {row["law"] for row in json_rows(values)} == {"neg", "paraphrase", "repeat"}
    assert values["scope"] == "tuples.jsonl"
    by_tuple = {sample.metadata["tuple"]["id"]: sample.scores["lawful"] for sample in log.samples or [] if sample.scores}
    assert set(by_tuple) == {"snow", "rain", "two"}
    assert by_tuple["snow"].answer == "P: 0.8\nnot_P: 0.8"
    unread = by_tuple["rain"].as_dict()["metric"]
    assert isinstance(unread, float)
    assert math.isnan(unread)


def copyist(prompt: str) -> str:
    """Says a line that the printed prompts show; where they are ours, what it thinks."""
    return "[Answer] 0.5" if "[Q]" in prompt else forecaster(prompt)


def test_prompts_may_be_the_printed_ones_and_copies_are_counted(run: Run) -> None:
    model = f"viva/function:{__name__}:copyist"
    log = run("vivavoce/consistency", model, repeats=1, control=0, prompts="printed")
    assert metrics(log)["Negation: metric"] == 0
    [words] = [entry for entry in finding(log)["caveats"] if entry.startswith("The printed prompts show numbers")]
    assert words.endswith("That is so for 7 of 7 replies; they count as forecasts.")
    own = run("vivavoce/consistency", model, repeats=1, control=0)
    assert metrics(own)["Negation: metric"] == 0.6
    assert not any("printed prompts" in entry for entry in finding(own)["caveats"])


def test_consistency_can_be_tried_without_a_file(run: Run) -> None:
    log = run("vivavoce/consistency", f"viva/function:{__name__}:forecaster", repeats=1, control=0)
    assert metrics(log)["Negation: metric"] == 0.6
    assert len(log.samples or []) == 3


PUPIL = "viva/function:tests.cli.pupil:answer"


def test_eqt_is_that_of_viva_eqt(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("[math]\nTrees\nRings\n")
    log = run("vivavoce/eqt", PUPIL, concepts="two.txt", questions=10, paraphrases=1, checks=False)
    values, document = finding(log), metrics(log)
    # it remembers rules up to 20 and is asked about 4, 8, ..., 40: half
    assert (document["closed"], document["open_book"], document["gap"]) == (0.5, 1.0, 0.5)

    class Pupil:
        name = f"inspect:{PUPIL}"

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply(pupil.answer(question.text))

    interview = Interview(Pupil(), answers=Reply)
    concepts = read_concepts(tmp_path / "two.txt")
    record = asyncio.run(explain_query_test(dict.fromkeys(ROLES, interview), concepts, EqtConfig(10, 1, checks=False)))
    [expected] = finding_of([score(record)]).as_json()["figures"]["results"]
    [result] = values["figures"]["results"]
    assert result["whole"] == expected["whole"]
    assert result["calls"] == expected["calls"]
    assert {sample.metadata["concept"]["name"] for sample in log.samples or []} == {"Trees", "Rings"}
    calls = [event for sample in log.samples or [] for event in sample.events if event.event == "model"]
    assert len(calls) == expected["calls"]  # each call stands in Inspect's own log


def test_a_limit_of_inspect_ends_a_concept_and_is_told(run: Run) -> None:
    log = run("vivavoce/eqt", PUPIL, concepts="math", questions=3, paraphrases=0, limit=2, turn_limit=5)
    assert [sample.limit and sample.limit.type for sample in log.samples or []] == ["turn", "turn"]
    assert "no concept was completed" in finding(log)["nothing found"]
    [nothing] = metrics(log).values()
    assert math.isnan(nothing)  # and not 0


def test_roles_of_inspect_take_their_parts(run: Run) -> None:
    roles = {"answerer": "viva/function:tests.cli.pupil:forgetful"}
    log = run("vivavoce/eqt", PUPIL, concepts="math", questions=2, paraphrases=0, checks=False, limit=1, model_roles=roles)
    [result] = finding(log)["figures"]["results"]
    assert result["roles"]["answerer"] == f"inspect:{roles['answerer']}"
    assert result["roles"]["explainer"] == f"inspect:{PUPIL}"
    assert metrics(log)["closed"] == 0
