import csv
import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.disks import unwritable
from vivavoce.interview.record import Entry, canonical_json, digest_of
from vivavoce.interview.storage import LARGEST_VALUE
from vivavoce.interview.transcript import Transcript

HOSTILE = "=cmd|' /C calc'!A0\x1b[2J\u202e" + "z" * 5000


def entry(number: int, answer: str, topic: str) -> Entry:
    question = canonical_json({"text": f"What is {number} + {number}?", "system": ""})
    reply = canonical_json({"text": answer})
    asked = "2025-01-01T00:00:00+00:00"
    return Entry("bot:x", digest_of(question), 0, topic, question, reply, "answer", asked, 0.25, 3, 4, 0.0)


@pytest.fixture
def run(tmp_path: Path) -> str:
    where = tmp_path / "run.sqlite"
    with Transcript.open(where) as transcript:
        transcript.append([entry(1, "2", "sums/easy"), entry(2, "4", "sums/easy"), entry(3, HOSTILE, "sums/hard")])
    return str(where)


def test_show_tells_the_story_by_topic(viva: Viva, run: str) -> None:
    ended = viva("transcript", "show", run)
    assert ended.code == 0
    order = ["sums/easy", "What is 1 + 1?", "answer: 2", "What is 2 + 2?", "sums/hard", "3 of 3 records shown"]
    assert [ended.out.index(part) for part in order] == sorted(ended.out.index(part) for part in order)
    assert ended.out.count("sums/easy") == 1


def test_show_is_bounded_and_neither_steers_the_terminal(viva: Viva, run: str) -> None:
    out = viva("transcript", "show", run).out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert len(out) < 2_000
    assert "1 of 3 records shown" in viva("transcript", "show", run, "--limit", "1").out
    assert viva("transcript", "show", run, "--full").out.count("z") == 5_000


def test_show_can_be_narrowed_and_read_by_a_program(viva: Viva, run: str) -> None:
    shown = viva("transcript", "show", run, "--topic", "sums/hard", "--json").rows
    assert [record["seq"] for record in shown] == [3]
    assert json.loads(shown[0]["answer"])["text"] == HOSTILE
    assert viva("transcript", "show", run, "--candidate", "somebody else", "--json").rows == []


def test_show_marks_thoughts_as_such(viva: Viva, tmp_path: Path) -> None:
    where = tmp_path / "thoughts.sqlite"
    record = entry(1, "2", "sums")
    with Transcript.open(where) as transcript:
        transcript.append(
            [replace(record, answer=canonical_json({"text": "2", "thoughts": "1 and 1."})), replace(record, draw=1)]
        )
    out = viva("transcript", "show", str(where)).out
    assert out.index("thoughts: 1 and 1.") < out.index("answer: 2")
    assert out.count("thoughts:") == 1


def test_verify_prints_the_head_and_holds_it_against_one_kept_elsewhere(viva: Viva, run: str) -> None:
    ended = viva("transcript", "verify", run)
    count, digest = ended.out.strip().split(":")
    assert (ended.code, count, len(digest)) == (0, "3", 64)
    assert viva("transcript", "verify", run, "--expect", f"{count}:{digest}").code == 0
    assert viva("transcript", "verify", run, "--json").values == {"count": 3, "digest": digest}
    other = hashlib.sha256(b"another").hexdigest()
    rewritten = viva("transcript", "verify", run, "--expect", f"3:{other}")
    assert rewritten.code == 5
    assert "rewritten" in rewritten.err


@pytest.mark.parametrize("head", ["3", "x:" + "a" * 64, "3:abc", "3:" + "G" * 64])
def test_a_head_that_is_not_count_and_digest_is_refused(refuses: Refuses, run: str, head: str) -> None:
    refuses("transcript", "verify", run, "--expect", head, says="COUNT:DIGEST")


COLUMNS = ["id", "question", "reply", "read as", "expected", "score", "outcome", "seconds", "tokens"]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_export_has_a_row_a_question_with_the_columns_of_results(viva: Viva, run: str, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"answers.{form}"
    if form == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
    assert viva("transcript", "export", run, str(file)).code == 0
    if form == "parquet":
        rows = parquet.read_table(file).to_pylist()
    else:
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = list(csv.DictReader(text)) if form == "csv" else [json.loads(line) for line in text]
    assert list(rows[0]) == COLUMNS
    assert [row["question"] for row in rows] == [f"What is {n} + {n}?" for n in (1, 2, 3)]
    guarded = "'" + HOSTILE.replace("\x1b", "␛") if form == "csv" else HOSTILE  # no spreadsheet runs it, and no terminal
    assert [row["reply"] for row in rows] == ["2", "4", guarded]
    assert [row["id"] for row in rows] == ["sums/easy", "sums/easy", "sums/hard"]  # of questions without a name the topic
    assert [(float(row["seconds"]), int(row["tokens"])) for row in rows] == 3 * [(0.25, 7)]
    # of how they were read, and of their worth, this record says nothing
    assert {(row["read as"], row["expected"], row["score"] or None, row["outcome"]) for row in rows} == {("", "", None, "")}


def test_export_names_the_candidates_where_there_are_several_and_leaves_out_the_examiners_own(
    viva: Viva, run: str, tmp_path: Path
) -> None:
    absence = canonical_json({"reason": "time-out after 9 s", "attempts": 1})
    with Transcript.open(run) as transcript:
        other = replace(entry(1, "3", "sums/easy"), candidate="bot:y", answer=absence, kind="no answer")
        transcript.append([other, replace(entry(5, "x", "attempts"), candidate="vivavoce")])
    assert viva("transcript", "export", run, "all.jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert list(rows[0]) == ["candidate", *COLUMNS]
    assert [row["candidate"] for row in rows] == ["bot:x", "bot:x", "bot:x", "bot:y"]
    assert (rows[3]["reply"], rows[3]["outcome"]) == ("", "no answer: time-out after 9 s")
    viva("transcript", "export", run, "one.jsonl", "--candidate", "bot:y")
    assert list(json.loads((tmp_path / "one.jsonl").read_text())) == COLUMNS


def test_export_tells_the_grades_that_the_record_holds(viva: Viva, tmp_path: Path) -> None:
    asked = ("--unacceptable-limit", "none", "--seed", "0", "--quiet", "--transcript", "run.sqlite", "--results", "run.jsonl")
    viva("certify", "bot:calculator?wrong=0.2", "--scope", "arithmetic", *asked)
    viva("transcript", "export", "run.sqlite", "exported.jsonl")
    document = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    rows = {row["id"]: row for row in map(json.loads, (tmp_path / "exported.jsonl").read_text().splitlines())}
    assert {row["score"] for row in document} == {0.0, 1.0}
    for row in document:
        unknown = {"read as": "", "expected": ""}
        assert rows[row["id"]] == row | unknown
    # some were asked ahead, and count for nothing
    assert all(row["score"] is None for name, row in rows.items() if name not in {row["id"] for row in document})


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_export_keeps_every_field_of_every_record(viva: Viva, run: str, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"answers.{form}"
    assert viva("transcript", "export", run, str(file), "--records").code == 0
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text)) if form == "csv" else [json.loads(line) for line in text]
    with Transcript.open(run) as transcript:
        kept = list(transcript.records())
    assert [row["digest"] for row in rows] == [record.digest for record in kept]
    assert [row["answer"] for row in rows] == [record.answer for record in kept]


def test_export_to_standard_output_and_by_format(viva: Viva, run: str, tmp_path: Path) -> None:
    assert len(viva("transcript", "export", run).out.splitlines()) == 3
    assert viva("transcript", "export", run, str(tmp_path / "out.txt"), "--format", "csv").code == 0
    assert (tmp_path / "out.txt").read_text(encoding="utf-8-sig").startswith('"id","question"')
    refused = viva("transcript", "export", run, "--format", "parquet")
    assert refused.code == 2
    assert "name a FILE" in refused.err or "vivavoce[parquet]" in refused.err
    assert "give another --format" in viva("transcript", "export", run, "x.parquet", "--records").err


def test_export_never_writes_over_anything(viva: Viva, run: str, tmp_path: Path) -> None:
    before = Path(run).read_bytes()
    ended = viva("transcript", "export", run, run, "--format", "csv")
    assert ended.code == 2
    assert "exists already" in ended.err
    assert Path(run).read_bytes() == before
    assert "give --format" in viva("transcript", "export", run, str(tmp_path / "answers.xls")).err


def test_a_second_run_that_has_something_to_ask_ends_with_5_while_the_first_goes_on(viva: Viva, tmp_path: Path) -> None:
    asked = ("--scope", "arithmetic", "--unacceptable-limit", "none", "--seed", "0", "--quiet", "--transcript", "run.sqlite")
    with Transcript.open(tmp_path / "run.sqlite") as first:
        first.claim("bot:calculator")
        ended = viva("certify", "bot:calculator", *asked)
        assert (ended.code, ended.out) == (5, "")
        assert "another run asks bot:calculator with it" in ended.err
        assert viva("certify", "bot:calculator?wrong=0.01", *asked).code == 0  # another candidate
    assert viva("certify", "bot:calculator", *asked).code == 0


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_only_reads_needs_no_permission_to_write(viva: Viva, tmp_path: Path, what: str) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    with Transcript.open(folder / "run.sqlite") as transcript:
        transcript.append([entry(1, "2", "sums")])
        head = str(transcript.head)
    with unwritable(folder if what == "folder" else folder / "run.sqlite"):
        assert viva("transcript", "verify", "kept/run.sqlite").out == f"{head}\n"
        assert "answer: 2" in viva("transcript", "show", "kept/run.sqlite").out
        assert viva("transcript", "export", "kept/run.sqlite").values["reply"] == "2"
        assert viva("transcript", "export", "kept/run.sqlite", "sealed.jsonl", "--sealed").code == 0
    assert [file.name for file in folder.iterdir()] == ["run.sqlite"]


def test_a_record_too_large_for_the_memory_is_named_and_not_read(viva: Viva, run: str) -> None:
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute("UPDATE transcript_records SET question = zeroblob(?) WHERE seq = 2", (LARGEST_VALUE + 1,))
    for command in (("verify",), ("show", "--json"), ("export",)):
        ended = viva("transcript", command[0], run, *command[1:])
        assert ended.code == 5
        assert f"no record may have more than {LARGEST_VALUE:,} bytes" in ended.err
    assert "record 2 cannot be read" in viva("transcript", "verify", run).err
