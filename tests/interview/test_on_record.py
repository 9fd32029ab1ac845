"""What is asked, and what becomes of it, goes on record, comes back, and is not asked again."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from tests.each_case import each_case
from tests.interview.candidates import Actor, after_random_delays, at_once, collect, questions
from vivavoce.errors import BadInput, CandidateMisconfigured, NotOnRecord, TranscriptDamaged
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Entry, Key, OpenQuestion, digest_of, row_digest
from vivavoce.interview.requests import question_text
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript


async def test_an_answer_is_on_record_before_anybody_sees_it(transcript: Transcript) -> None:
    interview = Interview(after_random_delays(3), answers=Reply, transcript=transcript, concurrency=5)
    async for question, _ in interview.ask_in_order(questions(30)):
        assert any(f'"id":"{question.id}"' in record.question for record in transcript.records())
    assert transcript.verify().count == 30


async def test_what_is_on_record_costs_nothing(transcript: Transcript) -> None:
    first = Interview(at_once(Usage(3, 2, 0.5)), answers=Reply, transcript=transcript)
    once = await collect(first, questions(20))
    candidate = at_once()
    again = Interview(candidate, answers=Reply, transcript=transcript)
    assert await collect(again, questions(25)) == [*once, *((q, Reply(q.text.upper())) for q in list(questions(25))[20:])]
    assert candidate.asked == ["20", "21", "22", "23", "24"]
    assert again.progress.from_record == 20
    assert again.spending == Usage(60, 40, 10.0)
    assert transcript.head.count == 25


async def test_what_is_drawn_ahead_and_not_on_record_is_counted_as_nothing() -> None:
    with Transcript.open(None) as transcript:
        await collect(Interview(at_once(), answers=Reply, transcript=transcript), questions(5))
        again = Interview(at_once(), answers=Reply, transcript=transcript, settings=AskSettings(from_record=True))
        async with aclosing(again.ask_in_order(questions(20))) as answers:
            assert [(await anext(answers))[0].id for _ in range(5)] == ["0", "1", "2", "3", "4"]
            with pytest.raises(NotOnRecord):
                await anext(answers)
    assert (again.progress.answered, again.progress.from_record, again.progress.no_answers) == (5, 5, 0)


async def taken(candidate: Actor, transcript: Transcript, number: int, *, of: int = 100) -> None:
    """Take this many answers in order, with time to send others meanwhile, and leave."""
    interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=4)
    async with aclosing(interview.ask_in_order(questions(of))) as stream:
        for _ in range(number):
            await anext(stream)
            await asyncio.sleep(0.002)


async def test_nothing_is_sent_while_answers_on_record_are_left_to_take(transcript: Transcript) -> None:
    candidate = after_random_delays(1)
    await taken(candidate, transcript, 20, of=20)
    sent = len(candidate.asked)
    for number in (5, 19, 20):
        await taken(candidate, transcript, number)
        assert len(candidate.asked) == sent


async def test_once_an_answer_is_wanted_that_the_record_lacks_others_are_asked_ahead(transcript: Transcript) -> None:
    await taken(at_once(), transcript, 10, of=10)
    candidate = after_random_delays(1)
    await taken(candidate, transcript, 40)
    assert candidate.most_at_once == 4
    assert set(candidate.times.values()) == {1}
    assert set(map(str, range(10, 40))) <= set(candidate.asked)


async def test_whoever_asks_for_a_question_that_a_stream_holds_back_has_its_answer() -> None:
    with Transcript.open(None) as transcript:
        await taken(at_once(), transcript, 2, of=2)
        interview = Interview(at_once(), answers=Reply, transcript=transcript)
        async with aclosing(interview.ask_in_order(questions(6))) as stream:
            await anext(stream)
            assert await asyncio.wait_for(interview.ask(Prompt("question 3", id="3")), 5) == Reply("QUESTION 3")
            assert [question.id async for question, _ in stream] == ["1", "2", "3", "4", "5"]


async def test_ask_finds_on_record_what_it_asked_before() -> None:
    candidate = at_once()
    interview = Interview(candidate, answers=Reply)
    answers = [await interview.ask(Prompt("why?", id="w")) for _ in range(3)]
    assert answers == [Reply("WHY?")] * 3
    assert candidate.asked == ["w"]
    await interview.ask(Prompt("why?", id="w"), draw=1)
    assert candidate.asked == ["w", "w"]


async def test_a_stream_finds_what_ask_asked_before() -> None:
    candidate = at_once()
    interview = Interview(candidate, answers=Reply)
    await interview.ask(Prompt("question 1", id="1"))
    await collect(interview, questions(3))
    assert sorted(candidate.asked) == ["0", "1", "2"]


@dataclass(frozen=True, slots=True)
class BoardPosition:
    board: tuple[int, ...]
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class BoardEvaluation:
    win: float
    moves: tuple[str, ...]


class BoardEngine:
    name = "uci:engine"
    answers = 0

    async def answer(self, question: BoardPosition, /) -> BoardEvaluation:
        self.answers += 1
        return BoardEvaluation(sum(question.board) / 10, ("e4", "e5"))


async def test_any_values_go_on_record_and_come_back(transcript: Transcript) -> None:
    engine = BoardEngine()
    asked = [BoardPosition((1, 2)), BoardPosition((3, 4), "é\0🎓")]
    first = await collect(Interview(engine, answers=BoardEvaluation, transcript=transcript), asked)
    again = await collect(Interview(engine, answers=BoardEvaluation, transcript=transcript), asked)
    assert first == again == [(asked[0], BoardEvaluation(0.3, ("e4", "e5"))), (asked[1], BoardEvaluation(0.7, ("e4", "e5")))]
    assert engine.answers == 2
    assert next(transcript.records()).question == '{"board":[1,2],"comment":null}'


@each_case(
    "reply",
    [
        Reply("\ud800"),
        Reply("x", Usage(money=float("nan"))),
        Reply("x", Usage(tokens_in=-1)),
        Reply("x", Usage(tokens_out=2**63)),
        "no reply at all",
        None,
    ],
)
async def test_an_answer_that_cannot_be_recorded_is_none(reply: Any) -> None:
    class FixedAnswerCandidate:
        name = "bot:odd"

        async def answer(self, _: Prompt, /) -> Reply:
            answer: Reply = reply
            return answer

    with Transcript.open(None) as transcript:
        live = await Interview(FixedAnswerCandidate(), answers=Reply, transcript=transcript).ask(Prompt("?"))
        assert isinstance(live, NoAnswer)
        assert live.reason.startswith("the answer cannot be recorded")
        assert len(live.reason) <= 300
        recorded = await Interview(FixedAnswerCandidate(), answers=Reply, transcript=transcript).ask(Prompt("?"))
        assert recorded == live
        assert transcript.verify().count == 1


async def test_a_record_of_another_kind_of_answer_is_told() -> None:
    with Transcript.open(None) as transcript:
        await Interview(at_once(), answers=Reply, transcript=transcript).ask(Prompt("?"))
        wrong: Any = int
        with pytest.raises(TranscriptDamaged, match="record 1 has no answer of the kind"):
            await Interview(at_once(), answers=wrong, transcript=transcript).ask(Prompt("?"))


async def test_what_a_record_says() -> None:
    seconds = iter(range(100))
    noon = datetime(2025, 6, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    with Transcript.open(None) as transcript:
        interview = Interview(
            at_once(Usage(5, 6, 0.25)),
            answers=Reply,
            transcript=transcript,
            settings=AskSettings(clock=Clock(seconds=lambda: float(next(seconds)), now=lambda: noon)),
        )
        await interview.ask(Prompt("?", id="q"), topic="certificate/arithmetic/sums")
        (record,) = transcript.records()
    assert (record.candidate, record.topic, record.kind) == ("bot:scripted", "certificate/arithmetic/sums", "answer")
    assert record.asked_at == datetime(2025, 6, 1, 12, tzinfo=UTC).isoformat()
    assert (record.tokens_in, record.tokens_out, record.money, record.seconds) == (5, 6, 0.25, 1.0)
    assert record.question == '{"id":"q","max_tokens":null,"shown":[],"system":"","temperature":null,"text":"?"}'


async def test_a_record_that_another_process_wrote_first_stays() -> None:
    with Transcript.open(None) as transcript:
        other = Actor(at_once().behaviour)

        async def overtaken(question: Prompt) -> str:
            if not other.asked:
                await Interview(other, answers=Reply, transcript=transcript).ask(question)
            return "too late"

        interview = Interview(Actor(overtaken), answers=Reply, transcript=transcript)
        assert await collect(interview, questions(1)) == [(Prompt("question 0", id="0"), Reply("QUESTION 0"))]
        assert transcript.verify().count == 1


async def test_a_question_that_cannot_be_recorded_is_told() -> None:
    with pytest.raises(BadInput, match="of type object cannot be recorded"):
        await Interview(at_once(), answers=Reply).ask(object())  # type: ignore[arg-type]


async def test_a_file_that_is_locked_for_a_while_holds_up_the_record_but_not_the_loop(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    with Transcript.open(file) as transcript, closing(sqlite3.connect(file, isolation_level=None)) as other:
        interview = Interview(at_once(), answers=Reply, transcript=transcript)
        other.execute("BEGIN IMMEDIATE")
        asking = asyncio.create_task(interview.ask(Prompt("question")))
        turns = 0
        while turns < 30:  # 0.3 s if the loop goes round, more than the patience of 5 s if it is held up
            await asyncio.sleep(0.01)
            turns += 1
            assert not asking.done()
        assert transcript.head.count == 0
        other.execute("ROLLBACK")
        assert isinstance(await asking, Reply)
        assert transcript.head.count == 1


MakeEntry = Callable[..., Entry]
AT = "2025-06-01T12:00:00+00:00"


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "t.sqlite") if request.param == "file" else str(request.getfixturevalue("postgres_address"))


def asking(number: int, kind: str = "asked", *, candidate: str = "bot:x") -> OpenQuestion:
    question = f'"question {number}"'
    return OpenQuestion(kind, Key(candidate, digest_of(question), 0), AT)  # type: ignore[arg-type]


def run(where: str, statement: str) -> None:
    engine = create_engine(where.replace("postgresql:", "postgresql+psycopg:") if "://" in where else f"sqlite:///{where}")
    with engine.begin() as connection:
        assert connection.execute(text(statement)).rowcount > 0
    engine.dispose()


async def yes(_: Prompt) -> str:
    return "yes"


async def test_it_is_on_record_before_the_candidate_hears_it(where: str) -> None:
    open_at_asking: list[int] = []

    async def look(_: Prompt) -> str:
        with Transcript.open(where) as record:
            open_at_asking.append(len(record.orphans))
        return "yes"

    with Transcript.open(where) as transcript:
        async for _ in Interview(Actor(look), answers=Reply, transcript=transcript, concurrency=3).ask_in_order(questions(6)):
            pass
        assert len(open_at_asking) == 6
        assert min(open_at_asking) > 0
        assert transcript.verify().count == 6
        kinds = [(row.kind, len(row.of)) for row in transcript.askings()]
    assert sum(number for _, number in kinds) == 6
    assert {kind for kind, _ in kinds} == {"asked"}
    assert kinds[0] == ("asked", 3)  # what goes out together is one row
    with Transcript.open(where) as transcript:
        assert not transcript.orphans
        assert not transcript.faults


async def test_what_is_withdrawn_is_no_orphan(where: str) -> None:
    with Transcript.open(where) as transcript:
        interview = Interview(Actor(yes), answers=Reply, transcript=transcript, concurrency=4)
        async with aclosing(interview.ask_in_order(questions(50))) as answers:
            async for question, _ in answers:
                if question.id == "5":
                    break
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        answered = transcript.head.count
        numbers = {
            kind: sum(len(row.of) for row in transcript.askings() if row.kind == kind) for kind in ("asked", "withdrawn")
        }
    assert numbers["asked"] == answered + numbers["withdrawn"]


@pytest.mark.parametrize("again", [False, True])
async def test_a_question_is_noted_while_it_waits_only_of_who_is_asked_again_anyway(where: str, again: bool) -> None:
    """Three in flight and three drawn ahead: of who may have ended the program only the three can have been lost."""
    lost: list[tuple[int, int]] = []

    async def look(question: Prompt) -> str:
        if question.id == "2":  # all that are in flight have been sent
            await asyncio.sleep(0.2)  # and all that wait had time to be noted
            with Transcript.open(where) as record:
                lost.append((len(record.orphans), len(candidate.asked)))
        elif int(question.id) < 2:
            await seen.wait()
        if question.id == "2":
            seen.set()
        return "yes"

    seen = asyncio.Event()
    candidate = Actor(look)
    if again:
        candidate.asked_again = "elsewhere"  # type: ignore[attr-defined]
    with Transcript.open(where) as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=3)
        async with aclosing(interview.ask_in_order(questions(20))) as answers:
            async for question, _ in answers:
                if question.id == "7":
                    break
    assert lost == [(6 if again else 3, 3)]
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()  # what was noted and never sent is withdrawn
        numbers = Counter(kind for row in transcript.askings() for kind in [row.kind] * len(row.of))
        assert numbers["asked"] == transcript.head.count + numbers["withdrawn"]


async def test_an_interrupt_withdraws_what_is_in_flight(where: str) -> None:
    started = asyncio.Event()

    class StuckCandidate:
        name = "bot:slow"

        async def answer(self, question: Prompt, /) -> Reply:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    async def examine() -> None:
        async with aclosing(
            Interview(StuckCandidate(), answers=Reply, transcript=transcript).ask_in_order(questions(9))
        ) as answers:
            async for _ in answers:
                pass

    with Transcript.open(where) as transcript:
        task = asyncio.create_task(examine())
        await started.wait()
        task.cancel()  # as Ctrl-C does
        with pytest.raises(asyncio.CancelledError):
            await task
    with Transcript.open(where) as transcript:
        assert [(row.kind, len(row.of)) for row in transcript.askings()] == [("asked", 8), ("withdrawn", 8)]
        assert transcript.orphans == frozenset()


async def test_what_a_misconfigured_candidate_leaves_is_a_fault(where: str) -> None:
    async def wrong_key(_: Prompt) -> str:
        raise CandidateMisconfigured("wrong key")

    with Transcript.open(where) as transcript:
        interview = Interview(Actor(wrong_key), answers=Reply, transcript=transcript, concurrency=1)
        with pytest.raises(CandidateMisconfigured):
            async for _ in interview.ask_in_order(questions(3)):
                pass
    with Transcript.open(where) as transcript:
        assert transcript.orphans == frozenset()
        assert len(transcript.faults) == 1
    with Transcript.open(where) as transcript:
        interview = Interview(Actor(yes), answers=Reply, transcript=transcript)
        met = [answer.met async for _, answer in interview.ask_in_order(questions(3))]
        assert met == ["fault", "", ""]
    with Transcript.open(where) as transcript:
        assert len(transcript.faults) == 1  # whatever was answered since


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_an_orphan_is_asked_again_only_of_who_cannot_have_ended_the_program(where: str, elsewhere: bool) -> None:
    lost = question_text(list(questions(3))[2])
    with Transcript.open(where) as transcript:
        async for _ in Interview(Actor(yes), answers=Reply, transcript=transcript).ask_in_order(questions(2)):
            pass
        transcript.append([], askings=[OpenQuestion("asked", Key("bot:scripted", digest_of(lost), 0), AT)])
    candidate, rows = Actor(yes), []
    if elsewhere:
        candidate.asked_again = "elsewhere"  # type: ignore[attr-defined]
    for _ in range(2):  # from the second interview on all is on record, which the second run reads anew
        with Transcript.open(where) as transcript:
            for _ in range(2):
                interview = Interview(candidate, answers=Reply, transcript=transcript)
                rows.append(([answer async for _, answer in interview.ask_in_order(questions(3))], interview.caveats))
    for answers, caveats in rows:
        if elsewhere:
            assert answers == [Reply("yes")] * 3
            assert any("1 question was put to bot:scripted again" in caveat for caveat in caveats)
        else:
            assert isinstance(answers[2], NoAnswer)
            assert answers[2].orphan
            (caveat,) = caveats
            assert caveat.startswith(
                "1 question was put to bot:scripted by a run that ended before an answer came, and not asked"
            )
    assert len(candidate.asked) == elsewhere


async def test_what_was_asked_again_and_then_withdrawn_counts_in_the_run_that_has_the_answer_and_later(where: str) -> None:
    """Asked by a run that ended, asked again by one that was interrupted, and answered by a third: it was put twice before."""
    lost = question_text(next(iter(questions(1))))
    key = Key("bot:scripted", digest_of(lost), 0)
    for kind in ("asked", "asked", "withdrawn"):
        with Transcript.open(where) as transcript:
            transcript.append([], askings=[OpenQuestion(kind, key, AT)])
    texts = []
    for _ in range(2):
        candidate = Actor(yes)
        candidate.asked_again = "elsewhere"  # type: ignore[attr-defined]
        with Transcript.open(where) as transcript:
            interview = Interview(candidate, answers=Reply, transcript=transcript)
            assert [answer async for _, answer in interview.ask_in_order(questions(1))] == [Reply("yes")]
            texts.append(interview.caveats)
    assert texts[0] == texts[1]
    assert any("1 question was put to bot:scripted again" in caveat for caveat in texts[0])


def test_an_asking_holds_the_key_of_its_record(where: str, entry: MakeEntry) -> None:
    with Transcript.open(where) as transcript:
        transcript.append([], askings=[asking(1), asking(2)])
        assert transcript.verify().count == 0
        (record,) = transcript.append([entry(2)])
        (row,) = transcript.askings()
        assert json.loads(row.keys)[1] == [record.question_digest, 0]
        assert record.askings == f"1:{row.digest}"
        assert row_digest(row) == row.digest
    with Transcript.open(where) as transcript:
        assert transcript.orphans == {asking(1).key}


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE transcript_askings SET keys = '[]' WHERE seq = 1", "asking 1 was altered"),
        ("UPDATE transcript_askings SET kind = 'withdrawn' WHERE seq = 1", "asking 1 was altered"),
        ("UPDATE transcript_askings SET candidate = 'bot:y' WHERE seq = 2", "asking 2 was altered"),
        ("DELETE FROM transcript_askings WHERE seq = 1", "asking 1 is missing"),
        ("DELETE FROM transcript_askings WHERE seq = 3", "ends with asking 3, but it ends with 2"),
        ("DELETE FROM transcript_askings", "is not chained to the askings before it"),
        ("UPDATE transcript_head SET asked = 2", "asking 2 was rewritten|more askings than its head says"),
        ("UPDATE transcript_records SET askings = '0:' WHERE seq = 1", "record 1 was altered"),
    ],
)
def test_tampering_with_askings_is_found(where: str, entry: MakeEntry, statement: str, message: str) -> None:
    with Transcript.open(where) as transcript:
        transcript.append([], askings=[asking(1), asking(2)])
        transcript.append([entry(1)], askings=[asking(3)])
        transcript.append([], askings=[asking(3, "withdrawn")])
    run(where, statement)
    with pytest.raises(TranscriptDamaged, match=message):
        Transcript.open(where)
