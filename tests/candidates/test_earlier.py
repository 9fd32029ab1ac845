"""What was asked earlier: transcripts, files of results, given scores and tables of answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import Expert, TalksFirst
from vivavoce.candidates import open_candidate
from vivavoce.candidates.earlier import EarlierAnswers, open_baseline, open_recordings
from vivavoce.certificate.design.history import history_of
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, ServiceFault, UnknownName
from vivavoce.interview.candidate import Candidate, NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.results import ResultRow, ResultRows, write_results
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

ROWS: list[dict[str, Any]] = [
    {"id": str(n), "question": f"Which is {n}?", "options": ["this", "that"], "answer": "A"} for n in range(12)
]


@pytest.fixture(autouse=True)
def current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a test are named without their folder."""
    monkeypatch.chdir(tmp_path)


def scope(rows: Sequence[dict[str, Any]] = ROWS) -> ListedScope:
    listed_scope = open_scope(list(rows), name="letters")
    assert isinstance(listed_scope, ListedScope)
    return listed_scope


class UnreachableExpert(Expert):
    """Gets through to nobody on one question."""

    async def answer(self, prompt: Prompt, /) -> Reply:
        if prompt.id == "3":
            raise ValueError("the line is dead")
        return await super().answer(prompt)


class UnpaidExpert(Expert):
    """Its service fails at one question until it is paid for."""

    paid = False

    async def answer(self, prompt: Prompt, /) -> Reply:
        if prompt.id == "3" and not self.paid:
            raise ServiceFault("status 402", worth_retrying=False)
        return await super().answer(prompt)


def prompts(of: ListedScope) -> list[Prompt]:
    return [of.prompt(question) for question in of.questions]


def asked(
    candidate: Candidate[Prompt, Reply], of: ListedScope, where: Path, questions: int = 12
) -> dict[str, Reply | NoAnswer]:
    """What it answers, by question; the transcript and results of all kinds are there afterwards."""

    async def ask(results: ResultRows) -> dict[str, Reply | NoAnswer]:
        with Transcript.open(where / "run.sqlite") as transcript:
            interview = Interview(candidate, answers=Reply, transcript=transcript, monitor=Monitor(results=results))
            listed = prompts(of)[:questions]
            return {prompt.id: answer async for prompt, answer in interview.ask_in_order(listed, topic="certificate/letters")}

    results = ResultRows()
    result = asyncio.run(ask(results))
    for form in ("csv", "jsonl"):
        write_results(where / f"r.{form}", results.rows)
    return result


def test_what_a_later_run_asked_again_takes_the_place_of_a_fault(tmp_path: Path) -> None:
    of, candidate = scope(), UnpaidExpert(1.0)
    for folder in ("sqlite", "csv", "jsonl"):
        (tmp_path / folder).mkdir()
    failed = asked(candidate, of, tmp_path)["3"]
    assert isinstance(failed, NoAnswer)
    assert failed.by_service
    for file in ("run.sqlite", "r.csv", "r.jsonl"):
        (lost,) = asked(open_baseline(file, prompts(of)[3:4]), scope(ROWS[3:4]), tmp_path / file.partition(".")[2]).values()
        assert isinstance(lost, NoAnswer)
        assert lost.orphan
    candidate.paid = True
    answer = asked(candidate, of, tmp_path)["3"]
    assert isinstance(answer, Reply)
    assert asyncio.run(open_baseline("run.sqlite", prompts(of)).answer(prompts(of)[3])).text == answer.text


@pytest.mark.parametrize("file", ["run.sqlite", "r.csv", "r.jsonl"])
@pytest.mark.parametrize(
    "candidate", [Expert(0.5), TalksFirst(0.5), UnreachableExpert(0.5)], ids=lambda entry: type(entry).__name__
)
def test_it_earns_what_it_earned_and_so_it_does_among_others(candidate: Expert, file: str, tmp_path: Path) -> None:
    of = scope()
    then = asked(candidate, of, tmp_path)
    (tmp_path / "again").mkdir()
    again = asked(open_baseline(file, prompts(of)), of, tmp_path / "again")
    assert then.keys() == again.keys()
    for question in of.questions:
        assert of.grade(question, again[question.id]) == of.grade(question, then[question.id])
    if isinstance(candidate, TalksFirst):
        assert any(isinstance(reply, Reply) and reply.further is not None for reply in again.values())
    if isinstance(candidate, UnreachableExpert):
        absent = again["3"]
        assert isinstance(absent, NoAnswer)
        assert "the line is dead" in absent.reason
    history = history_of(of, open_recordings(file, prompts(of)))
    assert dict(history.scores) == {question.id: (of.grade(question, then[question.id]).score,) for question in of.questions}
    if file == "run.sqlite":
        assert history.others == (candidate.name,)
        assert history.place_of(candidate.name) is not None
    else:
        assert history.others[0].startswith(f"results:{file}?sha256=")


@pytest.mark.parametrize("file", ["run.sqlite", "r.csv"])
async def test_what_was_not_asked_in_these_words_is_not_there(file: str, tmp_path: Path) -> None:
    await asyncio.to_thread(asked, Expert(0.5), scope(), tmp_path, 8)
    changed = scope([*ROWS[:2], {**ROWS[2], "question": "Which is two?"}, *ROWS[3:]])
    candidate = open_baseline(file, prompts(changed))
    assert isinstance(candidate, EarlierAnswers)
    assert sorted(candidate.recorded) == [str(n) for n in range(8) if n != 2]
    with pytest.raises(CandidateMisconfigured, match="no answer to question '2'"):
        await candidate.answer(prompts(changed)[2])


def test_names_hold_the_answers_digest_and_not_the_folder(tmp_path: Path) -> None:
    of = scope()
    asked(Expert(0.5), of, tmp_path)
    first = open_baseline(str(tmp_path / "run.sqlite"), prompts(of)).name
    assert first.startswith("transcript:run.sqlite#test:knows?sha256=")
    asked(Expert(0.9, name="test:other"), of, tmp_path)  # in the same record: the answers of the first are as they were
    assert open_baseline(f"{tmp_path / 'run.sqlite'}#test:knows", prompts(of)).name == first
    assert open_baseline(f"{tmp_path / 'run.sqlite'}#test:other", prompts(of)).name != first
    with pytest.raises(BadInput, match=r"several candidates.*#CANDIDATE.*test:knows, test:other"):
        open_baseline(str(tmp_path / "run.sqlite"), prompts(of))
    with pytest.raises(UnknownName, match="test:nobody"):
        open_baseline(f"{tmp_path / 'run.sqlite'}#test:nobody", prompts(of))


def test_formulas_in_a_spreadsheet_are_the_texts_that_they_were(tmp_path: Path) -> None:
    class Formal(Expert):
        async def answer(self, prompt: Prompt, /) -> Reply:
            return Reply("=A")

    of = scope([{"id": "=1", "question": "@home?", "options": ["this", "that"], "answer": "A"}])
    asked(Formal(1.0), of, tmp_path)
    candidate = open_baseline(str(tmp_path / "r.csv"), prompts(of))
    assert isinstance(candidate, EarlierAnswers)
    assert candidate.recorded == {"=1": "=A"}


def test_other_names_are_those_of_candidates(tmp_path: Path) -> None:
    assert open_baseline("bot:calculator", ()).name == "bot:calculator"
    of = scope()
    asked(Expert(0.5), of, tmp_path)
    with pytest.raises(BadInput, match="give a list"):
        open_baseline(str(tmp_path / "r.csv"), ())
    with pytest.raises(BadInput, match=r"no question of the scope was asked in r\.csv"):
        open_baseline(str(tmp_path / "r.csv"), [Prompt("Why?", id="other")])
    (tmp_path / "own.csv").write_text("id,answer\nq1,A\n")
    with pytest.raises(BadFile, match=r"replay:own.csv#COLUMN"):
        open_baseline(str(tmp_path / "own.csv"), prompts(of))
    (tmp_path / "own.txt").write_text("A")
    with pytest.raises(BadInput, match=r"own\.txt' is not a file of results or a transcript, which end in"):
        open_baseline(str(tmp_path / "own.txt"), prompts(of))


@pytest.mark.long
def test_a_parquet_file_of_results(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
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


def test_a_table_of_answers_holds_every_column_that_may_be_a_candidate(tmp_path: Path) -> None:
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


def test_given_scores_count_where_no_rule_grades(tmp_path: Path) -> None:
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


def test_other_words_are_another_question(tmp_path: Path) -> None:
    asked(Expert(0.5), scope(), tmp_path)
    reworded = scope([{"id": "0", "question": "Which one is 0?", "options": ["this", "that"], "answer": "A"}])
    for file in ("run.sqlite", "r.csv"):
        with pytest.raises(BadInput, match="in its current words"):
            open_recordings(file, prompts(reworded))


@pytest.mark.parametrize("address", ["none.sqlite", "none.csv", "none.txt"])
def test_what_is_not_there_is_told(address: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="none"):
        open_recordings(address, prompts(scope()))


def test_hostile_cells_are_words_alone(tmp_path: Path) -> None:
    rows = [{"id": "0", "m": "=cmd|' /C calc'!A0"}, {"id": "1", "m": {"a": ["Answer: A"]}}, {"id": "2", "m": "\x1b[2J\u202e"}]
    (tmp_path / "h.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    of = scope()
    history = history_of(of, open_recordings("h.jsonl", prompts(of)))
    assert set(history.scores) == {"0", "1", "2"}
    assert all(0 <= (score or 0) <= 1 for row in history.scores.values() for score in row)
