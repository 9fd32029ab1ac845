"""Rechecks within this program: budgets, judges, people, records that lack something, and dossiers of every room."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.candidates.engines import needs_stockfish
from tests.cli import pupil
from tests.examination.made import FunctionSpeaker, altered_at, examination, places
from tests.interview_settings import interview_settings
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.design.drawing import Endurance
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.graders.people import People, PersonsGrade, write_grades
from vivavoce.eqt.record import ConceptsConfig
from vivavoce.errors import BadInput, NotOnRecord, TranscriptDamaged
from vivavoce.examination.dossier import dossier_from_json
from vivavoce.examination.parts.eqt import EqtPlan
from vivavoce.examination.parts.luna import LunaPlan
from vivavoce.examination.plan import BudgetPlan, Plan
from vivavoce.examination.recheck import RecheckFinding, recheck
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.number import Number
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Head
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

SUMS = Criterion(0.7, None)
MADE = datetime(2026, 3, 1, tzinfo=UTC)


def interview(answer: Callable[[str], str], transcript: Transcript, **more: Any) -> Interview[Prompt, Reply]:
    return Interview(FunctionSpeaker(answer), answers=Reply, transcript=transcript, **interview_settings(**more))


def zeros(transcript: Transcript, *, seed: int | None = 0) -> dict[str, Any]:
    """The certificate of a candidate that answers 0 to every sum."""
    asked = interview(lambda _: "Answer: 0", transcript)
    return document(asyncio.run(certify(asked, open_scope("arithmetic"), SUMS, seed=seed)))


def judge_over(transcript: Transcript, **more: Any) -> CandidateJudge:
    """The judge of essays, who is asked on this record."""
    return CandidateJudge(Interview(FunctionSpeaker(judges, "test:judge"), answers=Reply, transcript=transcript), **more)


def essays_graded(transcript: Transcript, graders: Graders, **more: Any) -> dict[str, Any]:
    """The certificate on essays by these graders."""
    composition = Composition(grading=graders)
    return document(asyncio.run(certify(interview(explains, transcript), essays(), SUMS, composition, seed=0, **more)))


def document(finding: ReportedFinding) -> dict[str, Any]:
    """As it is written."""
    result: dict[str, Any] = json.loads(json.dumps(finding.as_json()))
    return result


def paths(finding: RecheckFinding) -> list[str]:
    return [difference.path for difference in finding.differences]


def test_a_budget_ends_it_again_at_the_same_question() -> None:
    """Each answer costs 10 tokens, and is half of the time right: 95 of them are used up after 10 answers."""
    transcript = Transcript.open(None)
    by_turns = iter(range(1_000))
    asked = interview(
        lambda _: f"Answer: {'x' if next(by_turns) % 2 else 0}", transcript, budget=Budget(tokens=95), concurrency=1
    )
    certificate = asyncio.run(certify(asked, open_scope("arithmetic"), Criterion(0.4, None), seed=0))
    values = document(certificate)
    assert certificate.questions == 11  # the look-ahead of one question was on its way
    assert values["budget_ended"] == {"limit": "tokens", "questions": 11}
    finding = recheck(values, transcript)
    assert (finding.same, paths(finding)) == (True, [])
    assert any("the budget for tokens" in caveat for caveat in finding.caveats)


def test_a_processor_that_rounds_otherwise_finds_the_same() -> None:
    """Each figure of a path is altered by its last digit, as another library for vectors would have it."""
    transcript = Transcript.open(None)
    certificate = asyncio.run(certify(interview(lambda _: "Answer: x", transcript), open_scope("arithmetic"), SUMS, seed=0))
    values = document(certificate)
    altered = 0
    for row in values["figures"]["path"]:
        row[1:] = [None if value is None else math.nextafter(value, math.inf) for value in row[1:]]
        altered += sum(value is not None for value in row[1:])
    finding = recheck(values, transcript)
    assert finding.same
    text = f"The last digits of {altered} figures differ, which agree to a billionth: processors round differently."
    assert text in finding.caveats
    values["figures"]["path"][-1][1] *= 1 + 1e-8
    assert paths(recheck(values, transcript)) == [f"figures.path[{len(values['figures']['path']) - 1}][1]"]


def test_what_the_record_lacks_is_named_and_nobody_is_asked() -> None:
    """A certificate that claims more questions than were asked: the record ends before."""
    transcript = Transcript.open(None)
    scope = open_scope("arithmetic")
    few = interview(lambda _: "Answer: 0", transcript, budget=Budget(questions=2))
    values = document(asyncio.run(certify(few, scope, SUMS, seed=0)))
    del values["budget_ended"]
    finding = recheck(values, transcript)
    assert not finding.same
    assert "lacks an answer of test:speaker to" in finding.differences[0].found


@pytest.fixture(scope="module")
def fails() -> tuple[dict[str, Any], Transcript]:
    """A certificate by a seed that was drawn, and its record."""
    transcript = Transcript.open(None)
    return zeros(transcript, seed=None), transcript


@settings(max_examples=20, deadline=None)
@given(drawn=st.data())
def test_whatever_is_altered_is_found(fails: tuple[dict[str, Any], Transcript], drawn: st.DataObject) -> None:
    words, transcript = fails
    path = drawn.draw(st.sampled_from(list(places(words))))
    values: list[Any] = [None, True, 0, 1e-9, "bot:y", [], {}]
    every = [altered_at(words, path, value) for value in values]
    altered = drawn.draw(st.sampled_from([entry for entry in every if json.dumps(entry) != json.dumps(words)]))
    if path == ("kind",):
        with pytest.raises(BadInput, match="it can't be rechecked"):
            recheck(altered, transcript)
        return
    finding = recheck(altered, transcript)
    assert not finding.same
    assert finding.differences


def test_what_was_spread_over_hours_is_not_waited_for_again() -> None:
    """Asked by a made-up clock on a day in 2030; by the real clock no moment of it has come yet."""
    transcript, now = Transcript.open(None), datetime(2030, 1, 1, tzinfo=UTC)

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += timedelta(seconds=seconds)

    clock = Clock(seconds=now.timestamp, now=lambda: now, sleep=sleep)
    asked = interview(lambda _: "Answer: 0", transcript, clock=clock, concurrency=1)
    spread = Endurance(at_least=10, spread_hours=2.0)
    values = document(asyncio.run(certify(asked, open_scope("arithmetic"), SUMS, Composition(endurance=spread), seed=0)))
    assert now.hour < 2
    assert recheck(values, transcript).same


def test_a_head_given_must_be_met() -> None:
    transcript = Transcript.open(None)
    values = zeros(transcript)
    assert recheck(values, transcript, head=transcript.head).same
    with pytest.raises(TranscriptDamaged, match="is not the expected one"):
        recheck(values, transcript, head=Head(2, "0" * 64))
    with pytest.raises(TranscriptDamaged, match="cut off"):
        recheck(values, transcript, head=Head(10_000, "0" * 64))


def essays() -> ListedScope:
    return ListedScope("file:essays.jsonl", tuple(Question(f"e{n}", f"Explain {n}?", rubric="10: right") for n in range(60)))


def explains(text: str) -> str:
    return f"It is {'wrong' if text.split()[1].rstrip('?').endswith('0') else 'right'} ({text.split()[1]})."


def judges(text: str) -> str:
    return f"Score: {8 if 'right' in text.split('<answer', 1)[1] else 3}\nUnacceptable: no"


def test_a_judge_s_certificate_comes_out_again() -> None:
    transcript = Transcript.open(None)
    values = essays_graded(transcript, Graders(judge=judge_over(transcript, draws=2)))
    assert values["verdict"] == "pass"
    assert recheck(values, transcript, scopes=[essays()]).same
    values["figures"]["grading"]["judgements"] += 1
    assert paths(recheck(values, transcript, scopes=[essays()])) == ["figures.grading.judgements"]


def test_a_rubric_is_asked_for_by_its_digest(tmp_path: Path) -> None:
    transcript = Transcript.open(None)
    values = essays_graded(transcript, Graders(judge=judge_over(transcript, rubric="10 points: right")))
    finding = recheck(values, transcript, scopes=[essays()])
    assert (finding.same, finding.differences) == (False, ())
    assert f"digest {values['figures']['grading']['rubric_digest']} is needed" in finding.not_rechecked[0]
    assert "Grades taken as recorded" in finding.not_rechecked[0]
    (tmp_path / "rubric.txt").write_text("10 points: right\n")
    assert recheck(values, transcript, scopes=[essays()], files=[tmp_path / "rubric.txt"]).same


def test_people_s_grades_are_read_from_the_record_or_from_a_file(tmp_path: Path) -> None:
    transcript = Transcript.open(None)
    grades = [PersonsGrade(f"e{n}", "", 0.0 if n % 10 == 0 else 1.0, False) for n in range(60)]
    values = essays_graded(transcript, Graders(people=People(grades)))
    assert recheck(values, transcript, scopes=[essays()]).same
    write_grades(tmp_path / "grades.csv", grades)
    assert recheck(values, transcript, scopes=[essays()], files=[tmp_path / "grades.csv"]).same
    altered = [PersonsGrade(grade.id, "", 1.0, False) for grade in grades]
    write_grades(tmp_path / "better.csv", altered)
    assert "figures.score.mean" in paths(recheck(values, transcript, scopes=[essays()], files=[tmp_path / "better.csv"]))


def test_a_judge_and_people_are_rechecked_once_their_places_are_revealed() -> None:
    transcript = Transcript.open(None)
    people = People([PersonsGrade(f"e{n}", "", 0.0 if n % 10 == 0 else 1.0, False) for n in range(60)])
    values = essays_graded(transcript, Graders(judge=judge_over(transcript), people=people, further=2))
    assert values["verdict"] != "undecided"
    assert recheck(values, transcript, scopes=[essays()]).same
    open_ = Transcript.open(None)
    waiting = essays_graded(open_, Graders(judge=judge_over(open_), people=people, further=2), questions=9)
    finding = recheck(waiting, open_, scopes=[essays()])
    assert (finding.same, finding.differences) == (False, ())
    assert "drawn secretly" in finding.not_rechecked[0]


def test_one_altered_scope_of_many_is_named() -> None:
    transcript = Transcript.open(None)
    scopes = [open_scope("arithmetic?operations=+"), open_scope("arithmetic?operations=/")]
    values = document(asyncio.run(certify(interview(lambda _: "Answer: 0", transcript), scopes, SUMS, seed=0)))
    assert recheck(values, transcript).same
    values["figures"]["scopes"][1]["verdict"] = "pass"
    values["figures"]["thresholds"]["pass"] = 0.1
    assert paths(recheck(values, transcript)) == ["figures.scopes[1].verdict", "figures.thresholds.pass"]


def held(plan: Plan, answer: Callable[[str], str] = lambda _: "Answer: 0") -> tuple[dict[str, Any], Transcript]:
    """A dossier as it is written, and its record."""
    transcript = Transcript.open(None)
    dossier = asyncio.run(examination(FunctionSpeaker(answer), plan, transcript=transcript).run())
    return json.loads(
        json.dumps(dossier.as_json(made=MADE, version="0.1.0") | {"transcript_head": str(transcript.head)})
    ), transcript


def test_a_dossier_comes_out_again_and_each_room_is_compared() -> None:
    values, transcript = held(Plan(seed=3, examinations=("certificate", "eqt", "luna"), sections=(LunaPlan(games=3),)))
    assert [card["room"] for card in values["cards"]] == ["certificate", "luna"]
    assert [room["room"] for room in values["absent"] if "ended early" in room["reason"]] == ["eqt"]
    finding = recheck(values, transcript)
    assert (finding.same, paths(finding), finding.not_rechecked) == (True, [], ())
    for steps, path in (
        (("cards", 0, "claims", 0, "kind"), "cards[0].claims[0].kind"),
        (("cards", 1, "statement"), "cards[1].statement"),
        (("cards", 1, "details", "figures", "planned"), "cards[1].details.figures.planned"),
        (("statement",), "statement"),
        (("plan_digest",), "plan_digest"),
    ):
        value: Any = values
        for step in steps:
            value = value[step]
        other = {"not": "trusted"}.get(value, "0" * 64 if path == "plan_digest" else value * 2)
        assert path in paths(recheck(altered_at(values, steps, other), transcript))


def test_a_room_that_was_not_finished_is_not_the_same() -> None:
    values, transcript = held(Plan(seed=3, examinations=("luna",), sections=(LunaPlan(games=3),)))
    stopped = values | {"cards": [], "absent": [*values["absent"]]}
    stopped["absent"] = [entry for entry in values["absent"] if entry["room"] != "luna"]
    index = next(n for n, entry in enumerate(stopped["absent"]) if entry["room"] in ("chess", "recording"))
    reason = "not finished: it was stopped; run the same command to continue"
    stopped["absent"].insert(index, {"room": "luna", "reason": reason, "fits": True})
    written = dossier_from_json(json.dumps(stopped)).dossier
    again = written.as_json(made=MADE, version="0.1.0")
    stopped |= {name: again[name] for name in ("statement", "verdict", "caveats")}
    finding = recheck(stopped, transcript)
    assert (finding.same, paths(finding)) == (False, [])
    assert finding.not_rechecked == (f"luna: it was not finished then ({reason}).",)


def test_rooms_that_a_budget_ended_end_at_the_same_question_again() -> None:
    """Seven questions for all: the games come first, and have them all."""
    values, transcript = held(
        Plan(seed=3, examinations=("eqt", "luna"), sections=(LunaPlan(games=3),), budget=BudgetPlan(questions=7))
    )
    ended = values["examination"]["budget_ended"]
    assert ended["luna"] == [{"limit": "questions", "questions": 7}]
    assert recheck(values, transcript).same
    ended["luna"][0]["questions"] = 5
    assert "cards[1]" in paths(recheck(values, transcript))


def test_where_a_budget_ended_what_was_on_its_way_a_lack_is_not_the_same() -> None:
    plan = Plan(seed=3, examinations=("eqt",), sections=(EqtPlan(ConceptsConfig(limit=2)),), budget=BudgetPlan(questions=7))
    values, transcript = held(plan, pupil.answer)
    values["examination"]["budget_ended"]["eqt"][0]["questions"] = 30
    finding = recheck(values, transcript)
    assert (finding.same, finding.differences) == (False, ())
    assert finding.not_rechecked[0].startswith("eqt: the budget ended it while several questions were in flight")


def test_a_recording_is_no_part_of_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vivavoce.cli import main

    monkeypatch.chdir(tmp_path)
    Path("answers.csv").write_text("id,small\nq1,Answer: 4\nq2,\n")
    assert main(("report", "replay:answers.csv#small", "--out", "out", "--quiet")) == 0
    with Transcript.open("out/transcript.sqlite") as transcript:
        finding = recheck(json.loads(Path("out/report.json").read_text()), transcript)
    assert (finding.same, finding.differences) == (False, ())
    assert finding.not_rechecked == ("recording: the recording itself is not in the record, so its answers can't be counted.",)


def test_a_dossier_that_does_not_say_how_it_was_held_is_refused() -> None:
    values, transcript = held(Plan(seed=3, examinations=("luna",), sections=(LunaPlan(games=3),)))
    del values["examination"]
    with pytest.raises(BadInput, match="does not say how it was examined"):
        recheck(values, transcript)


class TestFromTheRecordAlone:
    """An interview that asks nobody."""

    def replayed(self, transcript: Transcript) -> Interview[Prompt, Reply]:
        def never(_: str) -> str:
            raise AssertionError("nobody is asked")

        return Interview(FunctionSpeaker(never), answers=Reply, transcript=transcript, settings=AskSettings(from_record=True))

    def test_only_what_is_wanted_must_be_there(self) -> None:
        """Questions that were looked ahead to, and were never asked, are no lack."""
        transcript = Transcript.open(None)
        asyncio.run(interview(str.upper, transcript).ask(Prompt("one")))

        async def first() -> str:
            async for _, answer in self.replayed(transcript).ask_in_order([Prompt("one"), Prompt("two"), Prompt("three")]):
                assert isinstance(answer, Reply)
                return answer.text
            raise AssertionError

        async def second() -> None:
            async for _ in self.replayed(transcript).ask_in_order([Prompt("one"), Prompt("two")]):
                pass

        before = transcript.head
        assert asyncio.run(first()) == "ONE"
        with pytest.raises(NotOnRecord, match="lacks an answer of test:speaker"):
            asyncio.run(second())
        assert transcript.head == before

    def test_a_further_turn_that_is_not_there_is_a_lack(self) -> None:
        """Else a reply that could not be read would be taken for one to which nothing further was said."""
        transcript = Transcript.open(None)
        prompt = Prompt("2 + 2?", form=Number())
        asyncio.run(interview(lambda _: "I wonder.", transcript).ask(prompt))
        silent = self.replayed(transcript)
        silent._runner.wording.reply_formats = ("text", "turn")
        with pytest.raises(NotOnRecord):
            asyncio.run(silent.ask(prompt))

    def test_an_absence_on_record_is_an_outcome(self) -> None:
        transcript = Transcript.open(None)

        def fails(_: str) -> str:
            raise ValueError("out of order")

        asyncio.run(interview(fails, transcript).ask(Prompt("one")))
        assert isinstance(asyncio.run(self.replayed(transcript).ask(Prompt("one"))), NoAnswer)


class TestACopy:
    """The same chains in memory."""

    def test_it_holds_the_same_and_takes_what_is_written(self) -> None:
        transcript = Transcript.open(None)
        zeros(transcript)
        copy = transcript.copy()
        assert (copy.head, list(copy.records())) == (transcript.head, list(transcript.records()))
        before = transcript.head
        asyncio.run(interview(str.upper, copy).ask(Prompt("new")))
        assert (copy.head.count, transcript.head) == (before.count + 1, before)
        assert copy.verify(before).count == before.count + 1

    @pytest.mark.parametrize("records", [0, 1, 5])
    def test_its_beginning_is_what_the_record_was(self, records: int, tmp_path: Path) -> None:
        with Transcript.open(tmp_path / "run.sqlite") as transcript:
            for number in range(6):
                asyncio.run(interview(str.upper, transcript).ask(Prompt(f"question {number}")))
            heads = [Head(), *(Head(record.seq, record.digest) for record in transcript.records())]
            copy = transcript.copy(records=records)
            assert copy.verify() == heads[records]
            with pytest.raises(BadInput, match="has 6"):
                transcript.copy(records=7)


@needs_stockfish
@pytest.mark.long
def test_an_engine_s_dossier_comes_out_again_without_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vivavoce.cli import main

    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text("[chess]\nlimit = 6\n")
    assert main(("report", "uci:stockfish?nodes=500", "--plan", "plan.toml", "--out", "out", "--quiet")) == 0
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("vivavoce.candidates.uci.options.find_engine", None)
    with Transcript.open("out/transcript.sqlite") as transcript:
        words = json.loads(Path("out/report.json").read_text())
        assert recheck(words, transcript).same
        words["cards"][0]["figures"][0]["value"] += 0.01
        assert paths(recheck(words, transcript)) == ["cards[0].figures[0].value"]
