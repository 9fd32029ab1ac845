"""Rechecks of sweeps: all cells again from the record, whatever ended them, and nothing that was altered passes."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examination.made import CalculatorsAway, altered_at, places, sweeping_of, swept
from tests.examination.recheck.test_recheck import document, paths
from vivavoce.errors import BadInput
from vivavoce.examination.recheck import recheck
from vivavoce.examination.sweep.run import LocalCellRunner
from vivavoce.interview.transcript import Transcript

Made = tuple[dict[str, Any], Transcript]

CANDIDATES = 'candidates = ["bot:calculator", { candidate = "bot:calculator?wrong=0.4", name = "careless" }]\n'
SCOPES = 'scopes = [{ scope = "arithmetic?digits=2", title = "sums" }, "intervals"]\n'
SEED = "seed = 0\n"
CLAIM = '[certificate]\nunacceptable_limit = "none"\nquestions = 30\n'
COMPARED = "[compare]\nquestions = 25\n"
PLAN = CANDIDATES + SCOPES + SEED + CLAIM + COMPARED


def made(plan: str, **more: Any) -> Made:
    """The document of a sweep, and its record."""
    transcript = Transcript.open(None)
    values = document(swept(plan, transcript, **more))
    return values | {"transcript_head": str(transcript.head)}, transcript


@pytest.fixture(scope="module")
def whole() -> Made:
    return made(PLAN)


def altered(document: dict[str, Any], path: tuple[str | int, ...], new: Any) -> dict[str, Any]:
    result = altered_at(document, path if path[0] in document else ("figures", *path), new)
    assert json.dumps(result) != json.dumps(document)
    return result


@pytest.mark.parametrize(
    ("plan", "more"),
    [
        (PLAN, {}),
        pytest.param('correction = "fwer"\n' + PLAN, {"concurrency": 1}, marks=pytest.mark.long),
        pytest.param(PLAN.replace("questions = 25\n", "").replace(', "intervals"', ""), {}, marks=pytest.mark.long),
        ("budget = { questions = 90 }\n" + PLAN, {"concurrency": 7}),
        pytest.param("budget = { questions = 9 }\n" + PLAN, {}, marks=pytest.mark.long),
        (PLAN.replace('["bot:calculator"', '["bot:eliza"'), {"concurrency": 1}),  # how far one looked ahead is told
        ('candidates = ["bot:calculator"]\n' + SCOPES + CLAIM, {}),
    ],
    ids=("plan", "fwer", "endless", "budget", "little", "in flight", "one"),
)
def test_the_record_gives_the_sweep_again(plan: str, more: dict[str, Any]) -> None:
    values, transcript = made(plan, **more)
    finding = recheck(values, transcript)
    assert (finding.same, finding.differences, finding.not_rechecked) == (True, (), ())
    assert any("the budget, and the limit on questions" in caveat for caveat in finding.caveats)


def test_cells_that_may_go_on_are_named_and_all_others_rechecked() -> None:
    """Seeds that were drawn are revealed once no further question can matter."""
    values, transcript = made("budget = { questions = 90 }\n" + PLAN.replace(SEED, ""))
    finding = recheck(values, transcript)
    assert (finding.same, paths(finding)) == (False, [])
    assert "careless on sums" in finding.not_rechecked[0]
    assert "may go on, by a seed that is not revealed yet" in finding.not_rechecked[0]
    assert values["figures"]["cells"][1]["verdict"] == "fail"
    for path, new in ((("cells", 1, "verdict"), "pass"), (("cells", 2, "verdict"), "pass")):
        assert recheck(altered(values, path, new), transcript).differences
    del values["figures"]["comparisons"][0]
    assert recheck(values, transcript).differences


@pytest.mark.parametrize(
    ("path", "new", "name"),
    [
        (("cells", 2, "verdict"), "pass", "careless on sums, verdict"),
        (("cells", 1, "score", "mean"), 0.9, "calculator on intervals, score.mean"),
        (("cells", 0, "asked"), 1, "calculator on sums, asked"),
        (("comparisons", 0, "tiers"), [["bot:calculator?wrong=0.4"], ["bot:calculator"]], "comparison on sums, tiers[0][0]"),
        (("comparisons", 1, "pairs", 0, "difference", "upper"), 0.1, "comparison on intervals, pairs[0].difference.upper"),
        (("statement",), "All is well.", "statement"),
        (("caveats",), [], "caveats[0]"),
        (("signature",), "vivavoce 0.1.0", "signature"),
        (("correction",), "fwer", "figures.correction"),
        (("scopes", 0, "passing_grade"), 0.1, "figures.scopes[0].passing_grade"),
        (
            ("not_examined",),
            [{"cell": "careless on sums", "reason": "away", "may_be_resumed": True}],
            "figures.not_examined[0]",
        ),
        (("plan", "certificate", 0, "passing_grade"), 0.1, "calculator on sums"),
        (("plan", "compare", "margin"), 0.3, "comparison on intervals, questions"),
        (("plan", "seed"), 5, "calculator on sums"),
        (("plan", "correction"), "fwer", "calculator on sums"),
        (("plan", "reply_format"), "text", "calculator on sums"),
        (("transcript_head",), "1:" + "0" * 64, "transcript_head"),
    ],
)
def test_what_was_altered_is_named_by_cell(whole: Made, path: tuple[str | int, ...], new: Any, name: str) -> None:
    values, transcript = whole
    finding = recheck(altered(values, path, new), transcript)
    assert name in paths(finding)


def test_a_record_that_lacks_answers_is_named() -> None:
    values, transcript = made(PLAN)
    del values["transcript_head"]
    with transcript.copy(records=transcript.head.count // 2) as half:
        finding = recheck(values, half)
    assert any(difference.said == "answers that its figures rest on" for difference in finding.differences)
    assert any("names no head of the record" in caveat for caveat in finding.caveats)


def test_later_attempts_are_said(whole: Made) -> None:
    values, transcript = whole
    with transcript.copy() as more:
        sweeping = sweeping_of(PLAN.replace("30", "30\npassing_grade = 0.9"), more)
        sweeping.again = True
        asyncio.run(sweeping.run(LocalCellRunner(sweeping.examiner)))
        finding = recheck(values, more)
    assert (finding.same, finding.records) == (True, transcript.head.count)
    assert any(caveat.startswith("6 later attempts are now on record") for caveat in finding.caveats)


def test_who_is_away_is_taken_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    CalculatorsAway("wrong").put_in(monkeypatch)
    values, transcript = made(PLAN)
    assert len(values["figures"]["not_examined"]) == 4
    assert recheck(values, transcript).same
    assert "calculator on sums, verdict" in paths(recheck(altered(values, ("cells", 0, "verdict"), None), transcript))


def test_recordings_on_scopes_of_files_and_on_all_of_them_together(tmp_path: Path) -> None:
    rng, rows, files = random.Random(2), [], []
    for scope, size in (("a", 20), ("b", 30)):
        questions = [{"id": f"{scope}{n}", "question": f"{scope} {n}?", "answer": "1"} for n in range(size)]
        (tmp_path / f"{scope}.jsonl").write_text("\n".join(map(json.dumps, questions)))
        files.append(f"file:{tmp_path}/{scope}.jsonl")
        rows += [f"{question['id']},{int(rng.random() < 0.6)},{int(rng.random() < 0.4)}" for question in questions]
    (tmp_path / "answers.csv").write_text("\n".join(["id,x,y", *rows]))
    candidates = ", ".join(f'"replay:{tmp_path}/answers.csv#{name}"' for name in "xy")
    values, transcript = made(
        f"candidates = [{candidates}]\nscopes = {files}\n{CLAIM}[compare]\nmargin = 0.0\ntogether = true\n"
    )
    assert str(tmp_path) not in json.dumps([values["figures"]["plan"], values["figures"]["candidates"]])
    assert recheck(values, transcript, scopes=files).same
    assert "figures.overall.questions" in paths(recheck(altered(values, ("overall", "questions"), 3), transcript, scopes=files))
    with pytest.raises(BadInput, match="give it with --scope"):
        recheck(values, transcript, scopes=files[1:])


def judged(document: dict[str, Any]) -> None:
    document["figures"]["plan"]["certificate"][0]["judge"] = "bot:calculator"


def interrupted(document: dict[str, Any]) -> None:
    document["figures"]["unfinished"] = 1


@pytest.mark.parametrize(("change", "message"), [(judged, "A judge graded"), (interrupted, "It was interrupted")])
def test_what_cannot_be_rechecked_is_said(whole: Made, change: Callable[[dict[str, Any]], None], message: str) -> None:
    values, transcript = copy.deepcopy(whole[0]), whole[1]
    change(values)
    finding = recheck(values, transcript)
    assert not finding.same
    assert finding.not_rechecked[0].startswith(message)


NESTED: Any = 0
for _ in range(300):
    NESTED = [NESTED]
HOSTILE: list[Any] = [None, True, -1, 10**30, 1e308, "", "x\x1b[31m", "file:/etc/passwd", [], {}, [[]], {"x": 1}, NESTED]
TAKEN = {("plan", "budget"), ("plan", "compare", "questions"), ("plan", "certificate", 0, "questions")}
TAKEN |= {("plan", "certificate", 0, "title"), ("candidates", 0, "called"), ("candidates", 1, "called")}
TAKEN = {("figures", *path) for path in TAKEN} | {
    ("transcript_head",)
}  # without one it is said that a record that was rewritten is not seen
"""What is taken as it is written, as is said."""


@pytest.fixture(scope="module")
def small() -> Made:
    return made(PLAN.replace(', "intervals"', "").replace("30", "6").replace("25", "6"))


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(drawn=st.data())
def test_hostile_documents_are_refused_in_a_line_or_differ(small: Made, drawn: st.DataObject) -> None:
    values, transcript = small
    path = drawn.draw(st.sampled_from(list(places(values))))
    every = [altered_at(values, path, new) for new in HOSTILE]
    result = drawn.draw(st.sampled_from([document for document in every if json.dumps(document) != json.dumps(values)]))
    refused = ""
    try:
        same = recheck(result, transcript).same
    except BadInput as error:
        same, refused = False, str(error)
    assert not same or path in TAKEN or path[:3] in TAKEN
    assert "\n" not in refused


def test_a_sweep_of_more_cells_than_anybody_holds_is_refused(whole: Made) -> None:
    values, transcript = whole
    with pytest.raises(BadInput, match="more than 500 candidates"):
        recheck(values | {"figures": values["figures"] | {"candidates": values["figures"]["candidates"] * 300}}, transcript)
    with pytest.raises(BadInput, match="no candidates"):
        recheck(values | {"figures": values["figures"] | {"candidates": []}}, transcript)
