"""Answers of an earlier examination as a candidate: the same words again, and nothing that was asked otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import Expert, TalksFirst
from vivavoce.candidates.earlier import EarlierAnswers, open_baseline
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, ServiceFault, UnknownName
from vivavoce.interview.candidate import Candidate, NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.results import ResultRows, write_results
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

ROWS: list[dict[str, Any]] = [
    {"id": str(n), "question": f"Which is {n}?", "options": ["this", "that"], "answer": "A"} for n in range(12)
]


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


class Unpaid(Expert):
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


def test_what_a_later_run_asked_again_takes_the_place_of_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    of, candidate = scope(), Unpaid(1.0)
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
def test_it_earns_what_it_earned(candidate: Expert, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
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


@pytest.mark.parametrize("file", ["run.sqlite", "r.csv"])
async def test_what_was_not_asked_in_these_words_is_not_there(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
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
    with pytest.raises(BadInput, match="give a scope that is one"):
        open_baseline(str(tmp_path / "r.csv"), ())
    with pytest.raises(BadInput, match=r"no question of the scope was asked in r\.csv"):
        open_baseline(str(tmp_path / "r.csv"), [Prompt("Why?", id="other")])
    (tmp_path / "own.csv").write_text("id,answer\nq1,A\n")
    with pytest.raises(BadFile, match=r"replay:own.csv#COLUMN"):
        open_baseline(str(tmp_path / "own.csv"), prompts(of))
    (tmp_path / "own.txt").write_text("A")
    with pytest.raises(BadInput, match=r"own\.txt' is not a file of results or a transcript, which end in"):
        open_baseline(str(tmp_path / "own.txt"), prompts(of))
