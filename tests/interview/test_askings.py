"""What is asked is on record before it is sent; what became of it, too."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.interview.candidates import Actor, questions
from vivavoce.errors import CandidateMisconfigured, TranscriptDamaged
from vivavoce.interview import Entry, Interview, NoAnswer, Prompt, Reply, Transcript
from vivavoce.interview.notation import question_text
from vivavoce.interview.record import Key, OpenQuestion, digest_of, row_digest

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

    class Slow:
        name = "bot:slow"

        async def answer(self, question: Prompt, /) -> Reply:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    async def examine() -> None:
        async with aclosing(Interview(Slow(), answers=Reply, transcript=transcript).ask_in_order(questions(9))) as answers:
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


async def test_what_was_asked_again_and_then_withdrawn_counts_in_the_run_that_has_the_answer_and_later(
    where: str,
) -> None:
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
    ("statement", "said"),
    [
        ("UPDATE transcript_askings SET keys = '[]' WHERE seq = 1", "asking 1 was altered"),
        ("UPDATE transcript_askings SET kind = 'withdrawn' WHERE seq = 1", "asking 1 was altered"),
        ("UPDATE transcript_askings SET candidate = 'bot:y' WHERE seq = 2", "asking 2 was altered"),
        ("DELETE FROM transcript_askings WHERE seq = 1", "asking 1 is missing"),
        ("DELETE FROM transcript_askings WHERE seq = 3", "ends with asking 3, but with 2 in fact"),
        ("DELETE FROM transcript_askings", "is not chained to the askings before it"),
        ("UPDATE transcript_head SET asked = 2", "asking 2 was rewritten|more askings than its head says"),
        ("UPDATE transcript_records SET askings = '0:' WHERE seq = 1", "record 1 was altered"),
    ],
)
def test_tampering_with_askings_is_found(where: str, entry: MakeEntry, statement: str, said: str) -> None:
    with Transcript.open(where) as transcript:
        transcript.append([], askings=[asking(1), asking(2)])
        transcript.append([entry(1)], askings=[asking(3)])
        transcript.append([], askings=[asking(3, "withdrawn")])
    run(where, statement)
    with pytest.raises(TranscriptDamaged, match=said):
        Transcript.open(where)
