"""A record that was changed without `viva certify`: exit code 5, and the change is named."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from vivavoce.cli import main
from vivavoce.interview.record import GENESIS, RECORD_FIELDS, Record, record_digest
from vivavoce.interview.transcript import Transcript

CERTIFY = ("certify", "bot:calculator", "--scope", "arithmetic", "--unacceptable-limit", "none", "--seed", "3", "--quiet")
WRONG = json.dumps({"text": "I have no idea."}, separators=(",", ":"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of an examination that came to its verdict; its certificate is in the same folder."""
    where = tmp_path_factory.mktemp("whole") / "run.sqlite"
    with redirect_stdout(io.StringIO()) as out:
        assert main((*CERTIFY, "--transcript", str(where), "--json")) == 0
    (where.parent / "certificate.json").write_text(out.getvalue())
    return where


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "run.sqlite"))


def sql(where: Path, *statements: str) -> None:
    database = sqlite3.connect(where)
    database.executescript(";".join(statements))
    database.close()


def defined_otherwise(where: Path, old: str, new: str) -> None:
    """The same rows under another definition."""
    database = sqlite3.connect(where)
    (made,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'transcript_records'").fetchone()
    assert old in made
    columns = ", ".join(RECORD_FIELDS)
    database.executescript(
        f"ALTER TABLE transcript_records RENAME TO kept; {made.replace(old, new, 1)};"
        f"INSERT INTO transcript_records ({columns}) SELECT {columns} FROM kept; DROP TABLE kept"
    )
    database.close()


def records_of(where: Path) -> list[Record]:
    with Transcript.open(where, verified=False) as transcript:
        return list(transcript.records())


def rechain(where: Path, *, first: int, last: int | None = None, head: bool = False, answer: str = WRONG) -> None:
    """Forge the answer of one record, and give this one and those after it, up to the last, the digests that fit."""
    previous, records = GENESIS, records_of(where)
    database = sqlite3.connect(where)
    for record in records[:last]:
        forged = replace(record, answer=answer if record.seq == first else record.answer, previous=previous)
        previous = record_digest(forged)
        statement = "UPDATE transcript_records SET answer = ?, previous = ?, digest = ? WHERE seq = ?"
        database.execute(statement, (forged.answer, forged.previous, previous, forged.seq))
    if head:
        database.execute("UPDATE transcript_head SET digest = ?", (previous,))
    database.commit()
    database.close()


def swap_in_an_index_that_misses_rows(where: Path) -> None:
    """The table's own search index is replaced by the index of a copy with half of the rows."""
    database = sqlite3.connect(where)
    (made,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'transcript_records'").fetchone()
    database.executescript(
        f"{made.replace('transcript_records', 'half')}; INSERT INTO half SELECT * FROM transcript_records WHERE seq % 2"
    )
    pages = dict(database.execute("SELECT tbl_name, rootpage FROM sqlite_master WHERE type = 'index'"))
    database.execute("PRAGMA writable_schema = ON")
    for table, page in (("transcript_records", pages["half"]), ("half", pages["transcript_records"])):
        database.execute("UPDATE sqlite_master SET rootpage = ? WHERE type = 'index' AND tbl_name = ?", (page, table))
    database.commit()
    database.close()


def leave_an_edit_in_the_write_ahead_log(where: Path) -> None:
    """The file stays as it was; the changed copy is in the same folder."""
    work = where.with_name("work.sqlite")
    shutil.copy(where, work)
    database = sqlite3.connect(work)
    database.execute("PRAGMA wal_autocheckpoint = 0")
    database.execute("UPDATE transcript_records SET answer = ? WHERE seq = 5", (WRONG,))
    database.commit()
    shutil.copy(work.with_name("work.sqlite-wal"), where.with_name("run.sqlite-wal"))
    database.close()


def swap(where: Path, column: str) -> None:
    swapped = (
        f"CREATE TEMP TABLE two AS SELECT seq, {column} AS held FROM transcript_records WHERE seq IN (3, 7)",
        f"UPDATE transcript_records SET {column} = -seq WHERE seq IN (3, 7)" if column == "seq" else "SELECT 1",
        "UPDATE transcript_records SET seq = 7 WHERE seq = -3; UPDATE transcript_records SET seq = 3 WHERE seq = -7"
        if column == "seq"
        else f"UPDATE transcript_records SET {column} = (SELECT held FROM two WHERE two.seq = 10 - transcript_records.seq) "
        "WHERE seq IN (3, 7)",
    )
    sql(where, *swapped)


def statements(*given: str) -> Callable[[Path], None]:
    return lambda where: sql(where, *given)


LAST = "(SELECT max(seq) FROM transcript_records)"
RECORDS = "transcript_records"
TAMPERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "one answer": (statements(f"UPDATE {RECORDS} SET answer = '{WRONG}' WHERE seq = 5"), "record 5 was altered"),
    "all answers": (statements(f"UPDATE {RECORDS} SET answer = '{WRONG}'"), "record 1 was altered"),
    "a question": (statements(f"UPDATE {RECORDS} SET question = '\"1 + 1?\"' WHERE seq = 5"), "record 5 was altered"),
    "answers swapped": (lambda where: swap(where, "answer"), "record 3 was altered"),
    "rows swapped": (lambda where: swap(where, "seq"), "record 3 was altered"),
    "renamed": (statements(f"UPDATE {RECORDS} SET candidate = 'bot:other'"), "record 1 was altered"),
    "a blob": (statements(f"UPDATE {RECORDS} SET answer = CAST(answer AS BLOB) WHERE seq = 5"), "record 5 was altered"),
    "a type": (statements(f"UPDATE {RECORDS} SET tokens_in = 'none' WHERE seq = 5"), "record 5 was altered"),
    "a record gone": (statements(f"DELETE FROM {RECORDS} WHERE seq = 5"), "record 5 is missing"),
    "the tail": (statements(f"DELETE FROM {RECORDS} WHERE seq > 6"), "but it ends with 6"),
    "all records": (statements(f"DELETE FROM {RECORDS}"), "but it ends with 0"),
    "the head lowered": (
        statements(f"UPDATE transcript_head SET count = 6, digest = (SELECT digest FROM {RECORDS} WHERE seq = 6)"),
        "more records than its head says",
    ),
    "the head's digest": (statements(f"UPDATE transcript_head SET digest = '{'a' * 64}'"), "was rewritten"),
    "no head": (statements("DELETE FROM transcript_head"), "head is missing"),
    "two heads": (
        statements(
            "CREATE TEMP TABLE other AS SELECT * FROM transcript_head",
            "UPDATE other SET format = 9",
            "INSERT INTO transcript_head SELECT * FROM other",
        ),
        "head is missing or unreadable",
    ),
    "an extra row": (
        statements(
            f"CREATE TEMP TABLE more AS SELECT * FROM {RECORDS} WHERE seq = {LAST}",
            "UPDATE more SET draw = 1, previous = digest, seq = seq + 1",
            f"INSERT INTO {RECORDS} SELECT * FROM more",
        ),
        "more records than its head says",
    ),
    "a trigger": (
        statements(f"CREATE TRIGGER kind AFTER INSERT ON {RECORDS} BEGIN DELETE FROM {RECORDS} WHERE answer = '{WRONG}'; END"),
        "a trigger 'kind'",
    ),
    "a view": (
        statements(
            f"ALTER TABLE {RECORDS} RENAME TO kept", f"CREATE VIEW {RECORDS} AS SELECT * FROM kept WHERE answer <> '{WRONG}'"
        ),
        "its table transcript_records is missing",
    ),
    "another view": (statements(f"CREATE VIEW half AS SELECT * FROM {RECORDS}"), "a view 'half'"),
    "a collation": (
        lambda where: defined_otherwise(where, "candidate TEXT NOT NULL", "candidate TEXT NOT NULL COLLATE NOCASE"),
        "transcript_records is defined otherwise",
    ),
    "a key that replaces": (
        lambda where: defined_otherwise(where, "question_digest, draw)", "question_digest, draw) ON CONFLICT REPLACE"),
        "transcript_records is defined otherwise",
    ),
    "no key": (
        lambda where: defined_otherwise(where, ", \n\tUNIQUE (candidate, question_digest, draw)", ""),
        "transcript_records is defined otherwise",
    ),
    "an index": (statements(f"CREATE INDEX quick ON {RECORDS} (candidate) WHERE seq > 5"), "an index 'quick'"),
    "an index that misses rows": (swap_in_an_index_that_misses_rows, "structure is broken"),
    "a leftover log": (leave_an_edit_in_the_write_ahead_log, "record 5 was altered"),
    "one digest made to fit": (lambda where: rechain(where, first=5, last=5), "record 6 is not chained"),
    "all digests made to fit": (lambda where: rechain(where, first=5), "was rewritten: its head"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_no_command_goes_on_from_a_record_that_was_tampered_with(viva: Viva, whole: Path, run: Path, what: str) -> None:
    tamper, text = TAMPERED[what]
    tamper(run)
    rechecking = ("recheck", str(whole.parent / "certificate.json"), "--transcript", str(run))
    for command in ((*CERTIFY, "--transcript", str(run)), rechecking):
        ended = viva(*command)
        assert (ended.code, ended.out) == (5, "")
        assert text in ended.err
    assert viva("transcript", "verify", str(run)).code == 5


def test_an_untouched_record_goes_on(viva: Viva, run: Path) -> None:
    before = records_of(run)
    assert viva(*CERTIFY, "--transcript", str(run)).code == 0
    assert records_of(run) == before


def test_a_record_that_was_tampered_with_can_be_looked_at(viva: Viva, run: Path, tmp_path: Path) -> None:
    TAMPERED["one answer"][0](run)
    assert "I have no idea." in viva("transcript", "show", str(run), "--limit", "9").out
    assert viva("transcript", "export", str(run), str(tmp_path / "answers.csv")).code == 0


def roll_back(where: Path) -> None:
    """All after the sixth answer is taken away, and the head is one that it had."""
    TAMPERED["the tail"][0](where)
    TAMPERED["the head lowered"][0](where)


@pytest.mark.parametrize(
    ("tamper", "problem"),
    [(lambda where: rechain(where, first=5, head=True), "is not the expected one"), (roll_back, "it is cut off")],
    ids=["rewritten", "rolled back"],
)
def test_what_no_digest_tells_is_told_by_a_head_kept_elsewhere(
    viva: Viva, run: Path, tamper: Callable[[Path], None], problem: str
) -> None:
    head = viva("transcript", "verify", str(run)).out.strip()
    tamper(run)
    assert viva("transcript", "verify", str(run)).code == 0
    ended = viva("transcript", "verify", str(run), "--expect", head)
    assert ended.code == 5
    assert problem in ended.err
