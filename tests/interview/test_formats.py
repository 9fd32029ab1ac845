"""A transcript of format 1 is verified, replayed and gone on with as it is."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interview.candidates import Scripted, questions
from vivavoce.errors import TranscriptDamaged
from vivavoce.interview import Entry, Interview, Prompt, Reply, Transcript

MakeEntry = Callable[..., Entry]
TABLES = """
CREATE TABLE transcript_records (
	candidate TEXT NOT NULL,\x20
	question_digest TEXT NOT NULL,\x20
	draw INTEGER NOT NULL,\x20
	topic TEXT NOT NULL,\x20
	question TEXT NOT NULL,\x20
	answer TEXT NOT NULL,\x20
	kind TEXT NOT NULL,\x20
	asked_at TEXT NOT NULL,\x20
	seconds DOUBLE NOT NULL,\x20
	tokens_in INTEGER NOT NULL,\x20
	tokens_out INTEGER NOT NULL,\x20
	money DOUBLE NOT NULL,\x20
	seq INTEGER NOT NULL,\x20
	previous TEXT NOT NULL,\x20
	digest TEXT NOT NULL,\x20
	PRIMARY KEY (seq),\x20
	UNIQUE (candidate, question_digest, draw)
);
CREATE TABLE transcript_head (
	format INTEGER NOT NULL,\x20
	count INTEGER NOT NULL,\x20
	digest TEXT NOT NULL,\x20
	PRIMARY KEY (format)
);
"""
"""As version 0.1.0 wrote them in November 2026."""


def begin(path: Path, texts: list[str]) -> None:
    """A transcript of format 1 as it was written: a record a question, by hand."""
    database = sqlite3.connect(path)
    database.executescript(TABLES)
    previous = "0" * 64
    for seq, text in enumerate(texts, start=1):
        digest = hashlib.sha256(text.encode()).hexdigest()
        answer = json.dumps({"text": f"answer {seq}"})
        fields = ["bot:scripted", digest, 0, "sums", text, answer, "answer", "2025-06-01", 0.25, 7, 3, 0.0, seq, previous]
        written = json.dumps(fields, separators=(",", ":"))
        previous = hashlib.sha256(written.encode()).hexdigest()
        database.execute(f"INSERT INTO transcript_records VALUES ({', '.join('?' * 15)})", [*fields, previous])
    database.execute("INSERT INTO transcript_head VALUES (1, ?, ?)", (len(texts), previous))
    database.commit()
    database.close()


def asked(number: int) -> str:
    """How the questions of the tests stand on record."""
    (question,) = list(questions(number + 1))[number:]
    kept: dict[str, object] = {"id": question.id, "max_tokens": None, "shown": [], "system": "", "temperature": None}
    kept["text"] = question.text
    return json.dumps(kept, separators=(",", ":"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sqlite"
    begin(path, [asked(number) for number in range(3)])
    return path


def test_it_is_verified_and_read(old: Path) -> None:
    with Transcript.open(old) as transcript:
        assert transcript.format == 1
        assert transcript.verify().count == 3
        assert [json.loads(record.answer)["text"] for record in transcript.records()] == ["answer 1", "answer 2", "answer 3"]
        assert {(record.question_salt, record.answer_salt, record.askings) for record in transcript.records()} == {("", "", "")}
        assert list(transcript.askings()) == []


async def test_an_interview_goes_on_in_the_format_that_it_has(old: Path) -> None:
    async def new(_: Prompt) -> str:
        return "new"

    candidate = Scripted(new)
    with Transcript.open(old) as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript)
        answers = [answer async for _, answer in interview.ask_in_order(questions(5))]
        said = [answer.text for answer in answers if isinstance(answer, Reply)]
        assert said == ["answer 1", "answer 2", "answer 3", "new", "new"]
        assert candidate.asked == ["3", "4"]
        assert any("does not show which questions were asked and never answered" in caveat for caveat in interview.caveats)
    database = sqlite3.connect(old)
    row = database.execute("SELECT * FROM transcript_records WHERE seq = 5").fetchone()
    database.close()
    by_hand = hashlib.sha256(json.dumps(row[:-1], separators=(",", ":")).encode()).hexdigest()
    assert row[-1] == by_hand
    with Transcript.open(old) as transcript:
        assert (transcript.format, transcript.head.count) == (1, 5)


def test_one_that_was_altered_is_found(old: Path) -> None:
    database = sqlite3.connect(old)
    database.execute("UPDATE transcript_records SET answer = '{}' WHERE seq = 2")
    database.commit()
    database.close()
    with pytest.raises(TranscriptDamaged, match="record 2 was altered"):
        Transcript.open(old)


def test_a_record_of_format_2_cannot_pass_for_one_of_format_1(tmp_path: Path, entry: MakeEntry) -> None:
    path = tmp_path / "new.sqlite"
    with Transcript.open(path) as transcript:
        transcript.append([entry(1)])
    database = sqlite3.connect(path)
    database.execute("UPDATE transcript_records SET question_salt = '', answer_salt = ''")
    database.commit()
    database.close()
    with pytest.raises(TranscriptDamaged, match="record 1 was altered: it has no salts"):
        Transcript.open(path)
    database = sqlite3.connect(path)
    database.execute("UPDATE transcript_head SET format = 1")
    database.commit()
    database.close()
    with pytest.raises(TranscriptDamaged, match="its tables were altered"):
        Transcript.open(path)
