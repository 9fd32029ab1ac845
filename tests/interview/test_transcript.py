"""What every transcript does, wherever it is kept."""

from __future__ import annotations

import hashlib
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.interview import Entry, Head, Transcript
from vivavoce.interview.record import GENESIS, Key, Record, chained, problem_with
from vivavoce.interview.transcript import PAGE

MakeEntry = Callable[..., Entry]


def test_a_new_transcript_is_empty_and_whole(transcript: Transcript) -> None:
    assert transcript.head == Head(0, GENESIS)
    assert list(transcript.records()) == []
    assert transcript.verify() == Head(0, GENESIS)


def test_what_was_appended_is_read_again_in_order(transcript: Transcript, entry: MakeEntry) -> None:
    entries = [entry(number, topic=f"a/{number}", answer='"é \\u0000 🎓"') for number in range(5)]
    first = transcript.append(entries[:2])
    second = transcript.append(entries[2:])
    records = list(transcript.records())
    assert records == first + second
    assert [record.seq for record in records] == [1, 2, 3, 4, 5]
    fields = Entry.__dataclass_fields__
    assert [Entry(**{name: getattr(record, name) for name in fields}) for record in records] == entries


def test_the_digest_is_sha256_over_all_other_fields_as_json(transcript: Transcript, entry: MakeEntry) -> None:
    (record,) = transcript.append([entry(1, topic="a/b")])
    # Written by hand: no blanks, all that is not ASCII escaped.
    question = hashlib.sha256(b'"question 1"').hexdigest()
    by_hand = (
        f'["record 3","bot:x","{question}",0,"a/b","\\"question 1\\"","\\"yes\\"","answer","2025-06-01T12:00:00+00:00",'
        f'0.25,7,3,0.002,1,"{"0" * 64}","0:{"0" * 64}"]'
    )
    assert record.digest == hashlib.sha256(by_hand.encode()).hexdigest()
    assert transcript.head == Head(1, record.digest)


def test_a_record_is_found_by_the_digest_of_its_own_question(entry: MakeEntry) -> None:
    assert problem_with(chained(entry(1), Head())) == ""
    of_another = chained(replace(entry(1), question_digest=entry(2).question_digest), Head())
    assert problem_with(of_another) == "its question does not give the question's digest"


def test_each_record_is_chained_to_the_one_before(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(1), entry(2)])
    transcript.append([entry(3)])
    record, two, three = transcript.records()
    assert (record.previous, two.previous, three.previous) == (GENESIS, record.digest, two.digest)
    assert transcript.verify() == Head(3, three.digest)


def test_a_record_is_found_by_candidate_question_and_draw(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(1), entry(1, draw=1), entry(2)])
    digest = entry(1).question_digest
    absent = [Key("bot:x", digest, 2), Key("bot:y", digest, 1), Key("bot:x", entry(3).question_digest, 0)]
    record, *others = transcript.find_all([Key("bot:x", digest, 1), *absent])
    assert record is not None
    assert (record.seq, record.draw) == (2, 1)
    assert others == [None] * 3


def test_of_two_records_of_one_key_the_first_stays(transcript: Transcript, entry: MakeEntry) -> None:
    (first,) = transcript.append([entry(1)])
    standing = transcript.append([entry(2), entry(1, answer='"no"'), entry(3), entry(3, answer='"no"')])
    assert [record.seq for record in standing] == [2, 1, 3, 3]
    assert standing[1] == first
    assert [record.answer for record in transcript.records()] == ['"yes"'] * 3
    assert transcript.verify().count == 3


def test_records_of_one_candidate_or_under_one_topic(transcript: Transcript, entry: MakeEntry) -> None:
    topics = ["eqt", "eqt/Graph Theory", "eqt/Graph Theory/1", "EQT/Graph Theory", "eqt2", "eqt/Graph_Theory"]
    transcript.append([entry(number, topic=topic) for number, topic in enumerate(topics)])
    transcript.append([entry(1, candidate="bot:y", topic="eqt")])
    assert [r.seq for r in transcript.records(topic="eqt")] == [1, 2, 3, 6, 7]
    assert [r.seq for r in transcript.records(topic="eqt/Graph Theory")] == [2, 3]
    assert [r.seq for r in transcript.records(candidate="bot:y")] == [7]
    assert [r.seq for r in transcript.records(candidate="bot:x", topic="eqt/Graph Theory/1")] == [3]


def test_counts_answers_and_knows_candidates(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(1), entry(2), replace(entry(3), kind="no answer"), entry(4, candidate="bot:y")])
    assert (transcript.answers("bot:x"), transcript.answers("bot:y"), transcript.answers("bot:z")) == (2, 1, 0)
    assert (transcript.knows("bot:x"), transcript.knows("bot:z")) == (True, False)


def test_a_failed_append_leaves_nothing(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(1)])
    with pytest.raises(TypeError, match="floats"):
        transcript.append([entry(2), replace(entry(3), seconds=1)])
    assert transcript.verify().count == 1


def test_numbers_come_back_to_the_last_bit(transcript: Transcript, entry: MakeEntry) -> None:
    odd = replace(entry(1), seconds=0.1 + 0.2, money=5e-324, tokens_in=2**63 - 1)
    transcript.append([odd])
    (record,) = transcript.records()
    assert (record.seconds, record.money, record.tokens_in) == (0.30000000000000004, 5e-324, 9223372036854775807)
    transcript.verify()


def test_pages_join_without_a_seam(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(number) for number in range(2 * PAGE)])
    assert [record.seq for record in transcript.records()] == list(range(1, 2 * PAGE + 1))
    assert transcript.verify().count == 2 * PAGE


def test_reading_may_go_on_while_others_write(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(number) for number in range(PAGE + 1)])
    seen: list[Record] = []
    for record in transcript.records():
        if record.seq == 1:
            transcript.append([entry(PAGE + 1)])
        seen.append(record)
    assert [record.seq for record in seen] == list(range(1, PAGE + 3))


def test_an_expected_head_tells_what_the_chain_cannot(transcript: Transcript, entry: MakeEntry) -> None:
    transcript.append([entry(1), entry(2)])
    kept = transcript.head
    transcript.append([entry(3)])
    assert transcript.verify(kept).count == 3  # it may have grown
    assert transcript.verify(Head()).count == 3
    with pytest.raises(TranscriptDamaged, match="record 2 is not the expected one"):
        transcript.verify(Head(2, "f" * 64))
    with pytest.raises(TranscriptDamaged, match="4 records are expected, there are 3"):
        transcript.verify(Head(4, kept.digest))


def test_reading_takes_constant_memory(tmp_path: Path, entry: MakeEntry) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        for start in range(0, 10 * PAGE, PAGE):
            transcript.append([entry(number, answer=f'"{"x" * 500}"') for number in range(start, start + PAGE)])
        tracemalloc.start()
        assert sum(1 for _ in transcript.records()) == 10 * PAGE
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # 1,000 records of about 2 KB are held at once, and the page before; all 10,000 would be about 20 MB.
    assert peak < 8e6


def test_what_is_closed_is_there_again(tmp_path: Path, entry: MakeEntry) -> None:
    path = tmp_path / "t.sqlite"
    with Transcript.open(path) as transcript:
        transcript.append([entry(1)])
        head = transcript.head
    with Transcript.open(str(path), must_exist=True) as transcript:
        assert transcript.verify(head) == head
        assert repr(transcript) == f"Transcript('{path}')"


@pytest.mark.postgres
def test_what_is_closed_is_there_again_on_postgres(postgres_address: str, entry: MakeEntry) -> None:
    with Transcript.open(postgres_address) as transcript:
        transcript.append([entry(1)])
        head = transcript.head
    with Transcript.open(postgres_address, must_exist=True) as transcript:
        assert transcript.verify(head) == head


@pytest.mark.postgres
def test_nothing_is_made_for_whoever_only_reads_postgres(postgres_address: str) -> None:
    with pytest.raises(BadInput, match="no such transcript"):
        Transcript.open(postgres_address, must_exist=True)
    with pytest.raises(BadInput, match="no such transcript"):  # the first look made no table
        Transcript.open(postgres_address, must_exist=True)
