"""Consistency of forecasts as a task: a sample is a tuple of questions."""

from __future__ import annotations

import math
from pathlib import Path

from tests.plugins.inspect_plugin.conftest import Run, finding, metrics
from tests.studies.forecasts.finding import json_rows
from vivavoce.studies.forecasting.tuples import QuestionTuple, write_tuples


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
