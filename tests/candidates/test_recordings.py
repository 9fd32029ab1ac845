"""What others did, from transcripts, files of results, given scores and tables of answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.candidates.test_earlier import UnreachableExpert, asked, prompts, scope
from tests.certificate.candidates import Expert, TalksFirst
from vivavoce.candidates import open_candidate
from vivavoce.candidates.recordings import open_recordings
from vivavoce.certificate.design.history import history_of
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.interview.candidate import Reply
from vivavoce.interview.results import ResultRow, write_results


@pytest.mark.parametrize("file", ["run.sqlite", "r.csv", "r.jsonl"])
@pytest.mark.parametrize(
    "candidate", [Expert(0.5), TalksFirst(0.5), UnreachableExpert(0.5)], ids=lambda entry: type(entry).__name__
)
def test_others_earn_what_they_earned(candidate: Expert, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    of = scope()
    then = asked(candidate, of, tmp_path)
    history = history_of(of, open_recordings(file, prompts(of)))
    earned = {question.id: (of.grade(question, then[question.id]).score,) for question in of.questions}
    assert dict(history.scores) == earned
    if file == "run.sqlite":
        assert history.others == (candidate.name,)
        assert history.holds(candidate.name)
    else:
        assert history.others[0].startswith(f"results:{file}?sha256=")


def test_a_parquet_file_of_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    of = scope()
    rows = [
        ResultRow(prompt.id, prompt.text, "Answer: A", "A", "A", 1.0, front=(who,))
        for prompt in prompts(of)[:4]
        for who in ("old", "new")
    ]
    write_results(tmp_path / "r.parquet", rows, front=("candidate",))
    history = history_of(of, open_recordings("r.parquet", prompts(of)))
    assert (history.others, history.known) == (("new", "old"), 4)
    assert [entry.name for entry in open_recordings("r.parquet#old", prompts(of))] == ["old"]
    with pytest.raises(UnknownName, match="neither"):
        open_recordings("r.parquet#neither", prompts(of))
    (tmp_path / "none.parquet").write_text("PAR1 but no more")
    with pytest.raises(BadFile, match="Parquet"):
        open_recordings("none.parquet", prompts(of))


def test_a_table_of_answers_holds_every_column_that_may_be_a_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.csv").write_text("question_id,category,answer,big,small\n0,x,A,A,B\n1,x,A,A,\n7,x,A,B,A\n")
    of = scope()
    recordings = open_recordings("all.csv", prompts(of))
    # by the name that the column has as a candidate, so that a candidate is found in its own history
    assert [entry.name for entry in recordings] == [open_candidate(f"replay:all.csv#{name}").name for name in ("big", "small")]
    assert dict(history_of(of, recordings).scores) == {"0": (1.0, 0.0), "1": (1.0, 0.0), "7": (0.0, 1.0)}
    assert [entry.name for entry in open_recordings("replay:all.csv#big", prompts(of))] == [recordings[0].name]
    by_other_id = "all.csv#big?id=question_id"
    assert [entry.name for entry in open_recordings(by_other_id, prompts(of))] == [open_candidate(f"replay:{by_other_id}").name]
    [key] = open_recordings("all.csv#answer", prompts(of))
    assert key.answers["0"] == Reply("A")
    (tmp_path / "key.csv").write_text("id,answer\n0,A\n")
    with pytest.raises(BadInput, match="looks like a candidate"):
        open_recordings("key.csv", prompts(of))
    with pytest.raises(UnknownName, match="huge"):
        open_recordings("all.csv#huge", prompts(of))


def test_given_scores_count_where_no_rule_grades(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": "0", "question": "Why?", "rubric": "A reason."}, {"id": "1", "question": "2 + 2?", "answer": "4"}]
    of = scope(rows)
    (tmp_path / "cheap.csv").write_text("id,score\n0,0.25\n1,0.5\n")
    [given] = open_recordings("cheap.csv", prompts(of))
    assert dict(history_of(of, [given]).scores) == {"0": (0.25,), "1": (0.5,)}
    words = {prompt.id: prompt.text for prompt in prompts(of)}
    write_results(
        tmp_path / "r.csv",
        [ResultRow("0", words["0"], "So.", "So.", "", 0.75), ResultRow("1", words["1"], "Answer: 4", "4", "4", 0.1)],
    )
    # the rule grades what it can; what somebody gave is for the rest
    assert dict(history_of(of, open_recordings("r.csv", prompts(of))).scores) == {"0": (0.75,), "1": (1.0,)}
    (tmp_path / "bad.csv").write_text("id,score\n0,1.5\n")
    with pytest.raises(BadFile, match=r"1\.5.*line 2|line 2.*1\.5"):
        open_recordings("bad.csv", prompts(of))


def test_other_words_are_another_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked(Expert(0.5), scope(), tmp_path)
    reworded = scope([{"id": "0", "question": "Which one is 0?", "options": ["this", "that"], "answer": "A"}])
    for file in ("run.sqlite", "r.csv"):
        with pytest.raises(BadInput, match="in its current words"):
            open_recordings(file, prompts(reworded))


@pytest.mark.parametrize("address", ["none.sqlite", "none.csv", "none.txt"])
def test_what_is_not_there_is_told(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match="none"):
        open_recordings(address, prompts(scope()))


def test_hostile_cells_are_words_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": "0", "m": "=cmd|' /C calc'!A0"}, {"id": "1", "m": {"a": ["Answer: A"]}}, {"id": "2", "m": "\x1b[2J\u202e"}]
    (tmp_path / "h.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    of = scope()
    history = history_of(of, open_recordings("h.jsonl", prompts(of)))
    assert set(history.scores) == {"0", "1", "2"}
    assert all(0 <= (score or 0) <= 1 for row in history.scores.values() for score in row)
