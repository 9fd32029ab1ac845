"""Whatever is done to a transcript behind its back is found, and the record is named."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from vivavoce.errors import TranscriptDamaged, TranscriptError
from vivavoce.interview.record import RECORD_FIELDS, Entry, digest_of, record_digest
from vivavoce.interview.transcript import Transcript

MakeEntry = Callable[..., Entry]
Sql = Callable[..., None]
ALTERED: dict[str, object] = {"draw": 1, "seconds": 0.250000001, "tokens_in": 8, "tokens_out": 2, "money": 0.0020000001}


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def kept(request: pytest.FixtureRequest, tmp_path: Path, entry: MakeEntry) -> str:
    """The address of a transcript with nine records."""
    address = str(tmp_path / "t.sqlite") if request.param == "file" else str(request.getfixturevalue("postgres_address"))
    with Transcript.open(address) as transcript:
        transcript.append([entry(number) for number in range(9)])
        transcript.verify()
    return address


@pytest.fixture
def sql(kept: str) -> Sql:
    """Runs a statement as someone who tampers would."""

    def run(statement: str, **values: object) -> None:
        url = kept.replace("postgresql:", "postgresql+psycopg:") if "://" in kept else f"sqlite:///{kept}"
        engine = create_engine(url)
        with engine.begin() as connection:
            assert connection.execute(text(statement), values).rowcount > 0
        engine.dispose()

    return run


def verify(kept: str) -> None:
    with Transcript.open(kept, must_exist=True) as transcript:
        transcript.verify()


@pytest.mark.parametrize(
    ("field", "seq"), [*((name, 5) for name in RECORD_FIELDS if name != "seq"), ("answer", 1), ("answer", 9)]
)
def test_each_field_of_each_record_is_protected(kept: str, sql: Sql, field: str, seq: int) -> None:
    sql(f"UPDATE transcript_records SET {field} = :value WHERE seq = :seq", value=ALTERED.get(field, "else"), seq=seq)
    with pytest.raises(TranscriptDamaged, match=f"record {seq} was altered"):
        verify(kept)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE transcript_records SET seq = 100 WHERE seq = 4", "record 4 is missing"),
        ("DELETE FROM transcript_records WHERE seq > 6", "ends with record 9, but it ends with 6"),
        ("DELETE FROM transcript_records", "ends with record 9, but it ends with 0"),
        ("DELETE FROM transcript_head", "head is missing"),
    ],
)
def test_a_number_changed_records_gone_and_a_missing_head_are_found(kept: str, sql: Sql, statement: str, words: str) -> None:
    sql(statement)
    with pytest.raises(TranscriptDamaged, match=words):
        verify(kept)


@pytest.mark.parametrize("seq", [1, 5])
def test_a_record_taken_out_is_missing(kept: str, sql: Sql, seq: int) -> None:
    sql("DELETE FROM transcript_records WHERE seq = :seq", seq=seq)
    with pytest.raises(TranscriptDamaged, match=f"record {seq} is missing"):
        verify(kept)


def test_a_gap_that_was_closed_up_is_found(kept: str, sql: Sql) -> None:
    sql("DELETE FROM transcript_records WHERE seq = 5")
    for seq in range(6, 10):
        sql("UPDATE transcript_records SET seq = :seq - 1 WHERE seq = :seq", seq=seq)
    with pytest.raises(TranscriptDamaged, match="record 5 was altered"):
        verify(kept)


def test_an_end_cut_off_together_with_the_head_is_found_by_an_expected_head(kept: str, sql: Sql) -> None:
    with Transcript.open(kept) as transcript:
        printed = transcript.head
        sixth = list(transcript.records())[5]
    sql("DELETE FROM transcript_records WHERE seq > 6")
    sql("UPDATE transcript_head SET count = 6, digest = :digest", digest=sixth.digest)
    verify(kept)  # nobody could see that from the transcript alone
    with Transcript.open(kept) as transcript, pytest.raises(TranscriptDamaged, match="9 records are expected, there are 6"):
        transcript.verify(printed)


def test_a_record_forged_with_its_own_digest_breaks_the_chain(kept: str, sql: Sql) -> None:
    with Transcript.open(kept) as transcript:
        (fifth,) = list(transcript.records())[4:5]
    fifth = replace(fifth, answer='"forged"')
    fifth = replace(fifth, digest=record_digest(fifth))
    forged = "UPDATE transcript_records SET answer = :answer, digest = :digest WHERE seq = 5"
    sql(forged, answer=fifth.answer, digest=fifth.digest)
    with pytest.raises(TranscriptDamaged, match="record 6 is not chained to the one before"):
        verify(kept)
    sql("DELETE FROM transcript_records WHERE seq > 5")
    sql("UPDATE transcript_head SET count = 5")
    with pytest.raises(TranscriptDamaged, match="record 5 was rewritten"):
        verify(kept)


def test_records_beyond_the_head_are_found(kept: str, sql: Sql, entry: MakeEntry) -> None:
    with Transcript.open(kept) as transcript:
        fifth = list(transcript.records())[4]
    sql("UPDATE transcript_head SET count = 5, digest = :digest", digest=fifth.digest)
    with pytest.raises(TranscriptDamaged, match="more records than its head says"):
        Transcript.open(kept)
    with (
        Transcript.open(kept, verified=False) as transcript,
        pytest.raises(TranscriptDamaged, match="more records than its head says"),
    ):
        transcript.append([entry(20)])


def test_a_record_altered_while_it_is_in_use_is_not_read(kept: str, sql: Sql, entry: MakeEntry) -> None:
    with Transcript.open(kept) as transcript:
        sql("UPDATE transcript_records SET answer = :answer WHERE seq = 5", answer='"no"')
        assert transcript.find_all([entry(3).key])[0] is not None
        with pytest.raises(TranscriptDamaged, match="record 5 was altered"):
            transcript.find_all([entry(4).key])
        with pytest.raises(TranscriptDamaged, match="record 5 was altered"):
            list(transcript.records())
    with Transcript.open(kept, verified=False) as transcript:  # to look at the damage
        assert [record.answer for record in transcript.records()][3:6] == ['"yes"', '"no"', '"yes"']


def test_what_another_appends_must_be_chained(kept: str, sql: Sql, entry: MakeEntry) -> None:
    with Transcript.open(kept) as transcript:
        with Transcript.open(kept) as other:
            other.append([entry(20)])
        transcript.append([entry(21)])
        with Transcript.open(kept) as other:
            other.append([entry(22)])
        sql("UPDATE transcript_records SET answer = :answer WHERE seq = 12", answer='"no"')
        with pytest.raises(TranscriptDamaged, match="record 12 was altered"):
            transcript.append([entry(23)])


def test_an_end_taken_away_while_it_is_in_use_is_found(kept: str, sql: Sql, entry: MakeEntry) -> None:
    with Transcript.open(kept) as transcript:
        sixth = list(transcript.records())[5]
        sql("DELETE FROM transcript_records WHERE seq > 6")
        sql("UPDATE transcript_head SET count = 6, digest = :digest", digest=sixth.digest)
        with pytest.raises(TranscriptDamaged, match="records after 6 were removed while it was in use"):
            transcript.append([entry(20)])


@pytest.mark.parametrize("number", [2, 4])
def test_another_format_is_refused(kept: str, sql: Sql, number: int) -> None:
    sql(f"UPDATE transcript_head SET format = {number}")
    with pytest.raises(TranscriptError, match=f"has format {number}; this program reads format 3$"):
        verify(kept)


def test_bytes_that_no_transcript_writes_are_found(tmp_path: Path, entry: MakeEntry) -> None:
    path = tmp_path / "t.sqlite"
    for value, words in [("x'00ff'", "record 2 was altered"), ("cast(x'ff' as text)", "record 2 cannot be read")]:
        with Transcript.open(path) as transcript:
            transcript.append([entry(number) for number in range(3)])
        database = sqlite3.connect(path)
        database.execute(f"UPDATE transcript_records SET answer = {value} WHERE seq = 2")
        database.commit()
        database.close()
        with pytest.raises(TranscriptDamaged, match=words):
            verify(str(path))
        path.unlink()


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of some 100 pages, closed and whole."""
    path = tmp_path_factory.mktemp("long") / "t.sqlite"
    question = '"' + "why? " * 40 + '{}"'
    with Transcript.open(path) as transcript:
        for number in range(400):
            text_of = question.format(number)
            digest = digest_of(text_of)
            transcript.append([Entry("bot:x", digest, 0, "", text_of, '"yes"', "answer", "2025-06-01", 0.25, 7, 3, 0.002)])
        transcript.verify()
    assert not path.with_name("t.sqlite-wal").exists()
    return path


@pytest.mark.parametrize("kept_share", [0.01, 0.3, 0.6, 0.999])
def test_a_file_cut_off_by_bytes_is_found(long_file: Path, tmp_path: Path, kept_share: float) -> None:
    path = tmp_path / "cut.sqlite"
    content = long_file.read_bytes()
    path.write_bytes(content[: int(len(content) * kept_share)])
    with pytest.raises(TranscriptDamaged):
        verify(str(path))


def test_no_byte_can_change_unseen(long_file: Path, tmp_path: Path) -> None:
    rng = random.Random(20250601)
    with Transcript.open(long_file) as transcript:
        whole = list(transcript.records())
    content = long_file.read_bytes()
    count = 0
    for number in range(40):
        path = tmp_path / f"{number}.sqlite"
        position = rng.randrange(100) if number < 8 else rng.randrange(len(content))
        path.write_bytes(content[:position] + bytes([content[position] ^ rng.randrange(1, 256)]) + content[position + 1 :])
        try:
            verify(str(path))
        except TranscriptDamaged:
            count += 1
        else:  # it hit a byte that says nothing: what can be read is what was written
            with Transcript.open(path) as transcript:
                assert list(transcript.records()) == whole
    assert count > 25


def test_random_bytes_are_no_transcript(tmp_path: Path) -> None:
    path = tmp_path / "noise.sqlite"
    noise = random.Random(7).randbytes(20_000)
    path.write_bytes(noise)
    with pytest.raises(TranscriptDamaged, match="not a database"):
        Transcript.open(path)
    assert path.read_bytes() == noise


def test_another_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "addresses.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE people (name TEXT)")
    database.commit()
    database.close()
    before = path.read_bytes()
    for must_exist in (True, False):
        with pytest.raises(TranscriptDamaged, match="is a database, but not a transcript"):
            Transcript.open(path, must_exist=must_exist)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["addresses.sqlite"]


def test_a_table_dropped_is_found(long_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.sqlite"
    shutil.copy(long_file, path)
    database = sqlite3.connect(path)
    database.execute("DROP TABLE transcript_records")
    database.commit()
    database.close()
    with pytest.raises(TranscriptDamaged, match="is damaged: its table transcript_records is missing"):
        Transcript.open(path)
