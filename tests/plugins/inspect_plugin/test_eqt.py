"""Explain, query, test as a task: a sample is a concept."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

from tests.cli import pupil
from tests.plugins.inspect_plugin.conftest import Run, finding, metrics
from vivavoce.eqt.concepts import read_concepts
from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.record import ROLES, EqtConfig
from vivavoce.eqt.score import score
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

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
