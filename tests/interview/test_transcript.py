"""What every transcript keeps, wherever it is kept: records, commitments, questions, replies and steps."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import stat
import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from tests.interview.processes import ended, tell_secret
from vivavoce.candidates.text import clean_steps
from vivavoce.errors import BadInput, TranscriptDamaged, TranscriptError
from vivavoce.interview import commitment as commitment_module
from vivavoce.interview.candidate import LONGEST, MOST, MOST_CHARACTERS, NoAnswer, Prompt, Reply, Step, Usage, done, kept_steps
from vivavoce.interview.commitment import COMMITTER, CommittedSecret, committed_secret
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import GENESIS, Entry, Head, Key, Record, chained, digest_of, problem_with
from vivavoce.interview.requests import Notation, Occurrences, question_text
from vivavoce.interview.schedule import Recorder
from vivavoce.interview.transcript import PAGE, Transcript

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


def test_a_secret_is_the_same_whenever_it_is_wanted_and_its_digest_alone_is_on_record(transcript: Transcript) -> None:
    assert list(transcript.records()) == []
    secret = committed_secret(transcript, "places")
    assert committed_secret(transcript, "places") == secret
    assert committed_secret(transcript, "seed").secret != secret.secret
    first, _ = transcript.records(candidate=COMMITTER)
    assert json.loads(first.answer)["sha256"] == hashlib.sha256(secret.secret).hexdigest() == secret.digest
    assert secret.secret.hex() not in repr([*transcript.records(), secret])
    assert transcript.verify().count == 2


def test_a_commitment_cost_nothing_for_nobody_was_asked(transcript: Transcript) -> None:
    committed_secret(transcript, "places")
    (record,) = transcript.records(candidate=COMMITTER)
    assert (record.seconds, record.tokens_in, record.tokens_out, record.money) == (0, 0, 0, 0)


def test_a_reopened_record_goes_on_with_its_secret(where: str | Path | None) -> None:
    if where is None:
        pytest.skip("in memory nothing is opened twice")
    secrets = []
    for _ in range(2):
        with Transcript.open(where) as transcript:
            secrets.append(committed_secret(transcript, "places"))
    assert secrets[0] == secrets[1]


def test_two_records_have_different_secrets_under_one_name(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "a.sqlite") as transcript:
        first = committed_secret(transcript, "places")
    shutil.move(tmp_path / "a.sqlite.key", tmp_path / "b.sqlite.key")  # a key that outlived its record
    with Transcript.open(tmp_path / "b.sqlite") as other:
        assert committed_secret(other, "places").secret != first.secret


def test_the_key_is_its_owners_alone(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        committed_secret(transcript, "places")
        file = tmp_path / "t.sqlite.key"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert sorted(path.name for path in tmp_path.glob("*.key*")) == ["t.sqlite.key"]
        file.chmod(0o644)
        with pytest.raises(TranscriptError, match="chmod 600"):
            committed_secret(transcript, "places")


@pytest.mark.parametrize("damage", ["gone", "other", "nonsense"])
def test_without_its_secret_an_examination_cannot_go_on(tmp_path: Path, damage: str) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        committed_secret(transcript, "places")
        file = tmp_path / "t.sqlite.key"
        match damage:
            case "gone":
                file.unlink()
            case "other":
                file.write_text("ab" * 32)
            case _:
                file.write_text("once upon a time")
        with pytest.raises(TranscriptError, match=r"t\.sqlite\.key (is gone|holds another key|does not hold a key)"):
            committed_secret(transcript, "places")
        if damage == "gone":
            assert not file.exists()  # a new key in its place would hide what happened


@pytest.mark.postgres
def test_without_its_secret_an_examination_cannot_go_on_in_postgres(postgres_address: str) -> None:
    engine = create_engine(postgres_address.replace("postgresql:", "postgresql+psycopg:"))
    with Transcript.open(postgres_address) as transcript:
        committed_secret(transcript, "places")
        with engine.begin() as connection:
            assert connection.execute(text("SELECT count(*) FROM transcript_key")).scalar() == 1
            connection.execute(text("DELETE FROM transcript_key"))
        with pytest.raises(TranscriptError, match="'transcript_key' is gone"):
            committed_secret(transcript, "places")
    engine.dispose()


def test_the_first_commitment_stands(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    first = committed_secret(transcript, "places")
    # another process that looked before the first one wrote
    looks = iter([None, *[commitment_module._commitment(transcript, "places")]])
    monkeypatch.setattr(commitment_module, "_commitment", lambda *_: next(looks))
    assert committed_secret(transcript, "places") == first
    assert transcript.head.count == 1


def test_many_processes_at_once_have_one_secret(where: str | Path | None, tmp_path: Path) -> None:
    if where is None:
        pytest.skip("a record in memory is one process's")
    files = [tmp_path / f"secret {number}" for number in range(4)]
    assert ended(tell_secret, *((str(where), file) for file in files)) == [0] * 4
    assert len({file.read_text() for file in files}) == 1


def test_a_commitment_that_is_none_is_damage(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commitment_module, "canonical_json", lambda value: json.dumps("no" if "sha256" in value else value))
    with pytest.raises(TranscriptDamaged, match="should be a commitment"):
        committed_secret(transcript, "places")


def test_numbers_are_uniform_and_depend_on_all_of_their_context() -> None:
    secret = CommittedSecret("places", bytes(range(32)))
    counts = Counter(secret.number(5, "block", t) for t in range(20_000))
    # binomial with p = 1/5: a standard deviation is 57; four of them
    assert all(abs(counts[index] - 4_000) < 4 * 57 for index in range(5))
    other = CommittedSecret("places", bytes(reversed(range(32))))
    agree = sum(secret.number(5, "block", t) == other.number(5, "block", t) for t in range(20_000))
    assert abs(agree - 4_000) < 4 * 57
    agree = sum(secret.number(5, "block", t, 0.5) == secret.number(5, "block", t, 0.25) for t in range(20_000))
    assert abs(agree - 4_000) < 4 * 57


def test_fields_that_are_rarely_set_are_written_only_where_they_are() -> None:
    written = '{"id":"q","max_tokens":null,"shown":[],"system":"","temperature":null,"text":"?"}'
    assert question_text(Prompt("?", id="q")) == written
    assert question_text(Prompt("?", id="q", first_tokens=5)) == written.replace('"id"', '"first_tokens":5,"id"')


def test_an_answer_without_the_fields_that_are_rarely_set_is_read() -> None:
    key = Key("chat:x", digest_of("?"), 0)
    written = '{"finish":"stop","model":"m","text":"4","usage":{"money":0.0,"tokens_in":7,"tokens_out":3}}'
    _, entry = Notation(Reply).entry(key, Reply("4", Usage(7, 3)), topic="", question="?", asked_at="2025-01-01", seconds=0.1)
    record = chained(replace(entry, answer=written), Head())
    assert Notation(Reply).read(record).answer == Reply("4", Usage(7, 3), "m", "stop")


class _WeighingBot:
    name = "bot:weighing"
    asked = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        return Reply("1", first_token=(("1", -0.5), (" 0", -1.25)) if question.first_tokens else ())


@pytest.mark.parametrize("prompt", [Prompt("?"), Prompt("?", first_tokens=2)])
async def test_what_was_answered_is_on_record_to_the_last_digit(prompt: Prompt) -> None:
    candidate = _WeighingBot()
    first = Interview(candidate, answers=Reply)
    answer = await first.ask(prompt)
    again = await Interview(candidate, answers=Reply, transcript=first.transcript).ask(prompt)
    assert not isinstance(answer, NoAnswer)
    assert answer == again == replace(answer, text="1")
    assert len(answer.first_token) == prompt.first_tokens
    assert candidate.asked == 1


STEPS = st.lists(
    st.builds(
        Step, said=st.text(), tool=st.text(), arguments=st.text(), result=st.text(), error=st.text(), seconds=st.floats()
    ),
    max_size=20,
)


def test_a_reply_without_steps_is_written_as_before() -> None:
    _, written = Notation(Reply).write(Reply("4"))
    # the fields that a reply had before it could have steps
    assert sorted(json.loads(written)) == ["finish", "first_token", "model", "text", "usage"]


@given(STEPS)
def test_what_is_kept_is_read_again(steps: list[Step]) -> None:
    reply = Reply("4", steps=clean_steps(steps))
    settled, written = Notation(Reply).write(reply)
    assert settled.answer == reply
    assert len(done(written)) == len(steps)


def test_long_steps_are_shortened_and_many_are_left_out() -> None:
    long = [Step(tool="t" * 999, arguments="a" * 99_999, result="r" * 99_999, error="e" * 99_999)] * 3
    assert max(len(text) for step in kept_steps(long) for text in (step.arguments, step.result, step.error)) == LONGEST + 1
    many = kept_steps([Step(said="s" * 99_999, result="r" * 99_999)] * 2_000)
    assert (len(many), many[-1].left_out, many[0].left_out) == (MOST, 2_000 - MOST, 0)
    assert sum(len(step.said) + len(step.result) for step in many) <= MOST_CHARACTERS + 2 * MOST
    # shortened once more, what was left out adds up
    again = kept_steps(many, limit=20, longest=10)
    assert (len(again), again[-1].left_out) == (20, 2_000 - 20)


def test_keys_go_before_a_cut_could_leave_a_beginning() -> None:
    text = "x" * (LONGEST - 5) + "sk-0123456789"
    assert "sk-0" not in clean_steps([Step(result=text)], "sk-0123456789")[0].result


AFTERWARDS = 20
"""Turns of the event loop after the claim, in which whoever waited for it goes on."""


async def test_all_go_on_in_their_order_once_it_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript, claimed, order = Transcript.open(None), False, list[int]()
    claim = transcript.claim

    def claiming(candidate: str) -> None:
        nonlocal claimed
        claim(candidate)
        claimed = True

    monkeypatch.setattr(transcript, "claim", claiming)
    recorder = Recorder(transcript, lambda: 0)

    async def go(number: int) -> None:
        await recorder.claim("bot:echo")
        order.append(number)

    tasks, left = list[asyncio.Task[None]](), AFTERWARDS
    while left:
        left -= claimed
        tasks.append(asyncio.create_task(go(len(tasks))))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert order == sorted(order)


@given(st.lists(st.integers(0, 30), max_size=200))
def test_counts_are_those_of_a_counter(numbers: list[int]) -> None:
    counted, occurrences = Counter[str](), Occurrences()
    for number in numbers:
        digest = sha256(str(number).encode()).hexdigest()
        assert occurrences[digest] == counted[digest]
        assert occurrences.add(digest) == counted[digest]
        counted[digest] += 1
