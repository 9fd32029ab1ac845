"""A sealed export holds what the transcript holds, and whatever is done to it is found."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput, TranscriptDamaged
from vivavoce.interview import sealed_transcript
from vivavoce.interview.commitment import committed_secret
from vivavoce.interview.record import Entry, Key, OpenQuestion, Record, canonical_json, digest_of
from vivavoce.interview.sealed_transcript import is_sealed, read_sealed, write_sealed
from vivavoce.interview.transcript import Transcript

AT = "2025-06-01T12:00:00+00:00"
Line = dict[str, Any]
Tampering = Callable[[list[Line]], None]


def an_entry(question: str, *, candidate: str = "bot:x", draw: int = 0, topic: str = "sums", answer: str = '"yes"') -> Entry:
    text = canonical_json(question)
    return Entry(candidate, digest_of(text), draw, topic, text, answer, "answer", AT, 0.25, 7, 3, 0.002)


def an_asking(entry: Entry) -> OpenQuestion:
    return OpenQuestion("asked", entry.key, AT)


def filled(where: Path | None) -> Transcript:
    """Six answers, two of them to one question by two candidates; one orphan; a commitment."""
    transcript = Transcript.open(where)
    committed_secret(transcript, "seed")
    entries = [an_entry(f"What is {n} + {n}?", topic=f"sums/{n % 2}", answer=f'"{2 * n}"') for n in range(4)]
    for entry in entries:
        transcript.append([entry], askings=[an_asking(entry)])
    transcript.append([an_entry("What is 0 + 0?", candidate="bot:y", topic="other"), an_entry("Who?", topic="other")])
    transcript.append([], askings=[an_asking(an_entry("Was this asked?", topic="sums/0"))])
    return transcript


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    with filled(tmp_path / "run.sqlite") as transcript:
        write_sealed(tmp_path / "whole.jsonl", transcript)
    return tmp_path / "whole.jsonl"


def lines_of(file: Path) -> list[Line]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write_lines(file: Path, lines: list[Line]) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize("name", ["export.jsonl", "export.jsonl.gz"])
def test_a_whole_export_gives_the_same_transcript_again(tmp_path: Path, name: str) -> None:
    with filled(tmp_path / "run.sqlite") as made:
        heads = write_sealed(tmp_path / name, made)
        assert is_sealed(tmp_path / name)
        assert not is_sealed(tmp_path / "run.sqlite")
    sealed = read_sealed(tmp_path / name)
    with Transcript.open(tmp_path / "run.sqlite") as transcript, sealed.transcript() as again:
        assert list(again.records()) == list(transcript.records()) == list(sealed.records)
        assert list(again.askings()) == list(transcript.askings())
        assert again.heads == transcript.heads == heads == sealed.heads
        assert again.orphans == transcript.orphans != frozenset()
        assert again.verify(transcript.head) == transcript.head


def test_the_same_transcript_gives_the_same_bytes(tmp_path: Path) -> None:
    with filled(None) as transcript:
        for name in ("a.jsonl.gz", "b.jsonl.gz"):
            write_sealed(tmp_path / name, transcript)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_what_is_appended_to_the_copy_is_chained_to_it(whole: Path) -> None:
    with read_sealed(whole).transcript() as again:
        before = again.head
        (record,) = again.append([an_entry("And?")])
        assert (record.seq, record.previous) == (before.count + 1, before.digest)
        assert again.verify() == again.head


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
"""All but half surrogate pairs, which no record holds."""


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    entries=st.lists(
        st.builds(an_entry, TEXTS, candidate=TEXTS, draw=st.integers(0, 3), topic=TEXTS, answer=TEXTS.map(canonical_json)),
        max_size=6,
    )
)
def test_any_records_go_round(tmp_path: Path, entries: list[Entry]) -> None:
    file = tmp_path / "any.jsonl"
    file.unlink(missing_ok=True)
    with Transcript.open(None) as transcript:
        for entry in entries:
            transcript.append([entry], askings=[an_asking(entry)])
        write_sealed(file, transcript)
        sealed = read_sealed(file)
        assert sealed.heads == transcript.heads
        assert list(sealed.records) == list(transcript.records())


def test_the_key_is_not_in_it(tmp_path: Path, whole: Path) -> None:
    key = (tmp_path / "run.sqlite.key").read_text().strip()
    assert len(key) == 64
    assert key.encode() not in whole.read_bytes()
    assert bytes.fromhex(key) not in whole.read_bytes()


def edit(number: int, **changes: object) -> Tampering:
    return lambda lines: lines[number].update(changes)


def swap(first: int, second: int) -> Tampering:
    def swapped(lines: list[Line]) -> None:
        lines[first], lines[second] = lines[second], lines[first]

    return swapped


def swap_texts(lines: list[Line]) -> None:
    for name in ("question", "question_digest"):
        lines[2][name], lines[3][name] = lines[3][name], lines[2][name]


def drop_last_record(lines: list[Line]) -> None:
    """The last record, and the head with it: an earlier state of the transcript."""
    del lines[7]
    lines[0] |= {"records": f"6:{lines[6]['digest']}", "lines": lines[0]["lines"] - 1}


def drop_an_asking_and_its_head(lines: list[Line]) -> None:
    del lines[8]
    count, digest = lines[0]["askings"].split(":")
    lines[0] |= {"askings": f"{int(count) - 1}:{digest}", "lines": lines[0]["lines"] - 1}


WHOLE = {
    "an answer edited": (edit(2, answer='"5"'), "record 2 was altered: its fields do not give its digest"),
    "a question edited": (edit(2, question='"What is 1 + 0?"'), "record 2 was altered"),
    "texts swapped": (swap_texts, "record 2 was altered"),
    "a digest edited": (edit(2, digest="0" * 64), "record 2 was altered"),
    "a candidate renamed": (edit(2, candidate="bot:z"), "record 2 was altered"),
    "the question's digest edited": (edit(2, question_digest="0" * 64), "record 2 was altered"),
    "records swapped": (swap(2, 3), "record 2 is missing"),
    "a record dropped": (lambda lines: lines.pop(3), "record 3 is missing"),
    "the tail dropped": (lambda lines: lines.__delitem__(slice(10, None)), "it is cut off"),
    "an asking dropped": (drop_an_asking_and_its_head, "asking 1 is missing"),
    "a line more": (lambda lines: lines.append(dict(lines[-1])), "it has more lines"),
    "a record twice": (lambda lines: lines.insert(3, dict(lines[2])), "record 3 is missing"),
    "an asking edited": (edit(8, at="2025-06-01"), "asking 1 was altered"),
    "an asking of no keys": (edit(8, keys="[]"), "asking 1 was altered"),
    "of another type": (edit(2, draw="0"), "record 2 was altered: 'draw' is no number"),
    "true for 1": (edit(3, draw=True), "record 3 was altered: 'draw' is no number"),
    "a number out of range": (edit(2, tokens_in=2**63), "'tokens_in' is out of range"),
    "not finite": (edit(2, seconds=float("inf")), "not JSON"),
    "half a surrogate pair": (edit(2, topic="\ud800"), "'topic' is not Unicode"),
    "an unknown field": (edit(2, note="x"), "the field 'note' is unknown"),
    "a field less": (lambda lines: lines[2].pop("money"), "the field 'money' is missing"),
    "a longer head": (edit(0, records=f"8:{'0' * 64}", lines=13), "record 8 is missing"),
    "another head": (edit(0, records=f"7:{'0' * 64}"), "record 7 was rewritten: its head lists another one as the last"),
    "another number of lines": (edit(0, lines=11), "do not fit the number of lines"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_tampering_is_found(whole: Path, name: str) -> None:
    tamper, problem = WHOLE[name]
    lines = lines_of(whole)
    assert read_sealed(whole).heads.records.count == 7
    tamper(lines)
    write_lines(whole, lines)
    with pytest.raises(TranscriptDamaged, match=problem):
        read_sealed(whole)


def test_only_a_later_head_shows_that_it_was_rolled_back(whole: Path) -> None:
    later = read_sealed(whole).heads.records
    lines = lines_of(whole)
    drop_last_record(lines)
    write_lines(whole, lines)
    assert read_sealed(whole).heads.records.count == 6
    with pytest.raises(TranscriptDamaged, match="7 records are expected, there are 6"):
        read_sealed(whole, expected=later)


@each_case(
    "content",
    [
        b"",
        b"[1]\n",
        b'{"sealed":1}\n',
        b'{"sealed":2,"format":2,"records":"0:%b","askings":"0:%b","lines":0}\n' % (b"0" * 64, b"0" * 64),
        b'{"sealed":1,"sealed":1}\n',
        b'{"sealed":' + b"[" * 100_000,
        b'{"sealed":1,"format":2,"records":"%b:0","askings":"0:0","lines":0}\n' % (b"9" * 30),
        b"\xff\xfe",
    ],
)
def test_what_is_no_sealed_export_is_said_in_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(content)
    with pytest.raises(BadFile) as error:
        read_sealed(file)
    assert "\n" not in str(error.value)


def test_a_packed_file_that_is_cut_off_or_grows_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    with filled(None) as transcript:
        write_sealed(file, transcript)
    packed = file.read_bytes()
    file.write_bytes(packed[:-20])
    with pytest.raises((TranscriptDamaged, BadFile), match="gzip data are damaged"):
        read_sealed(file)
    first = gzip.decompress(packed).split(b"\n")[0]
    with gzip.open(file, "wb") as stream:
        stream.write(first + b"\n")
        for _ in range(70):
            stream.write(b" " * (1 << 20))  # a line of 70 MiB in 70 KB
    with pytest.raises(TranscriptDamaged, match="more than 64 MiB"):
        read_sealed(file)


def test_a_hostile_row_of_keys_is_damage(tmp_path: Path) -> None:
    entry = an_entry("Why?")
    with Transcript.open(None) as transcript:
        transcript.append([entry], askings=[an_asking(entry)])
        write_sealed(tmp_path / "x.jsonl", transcript)
    lines = lines_of(tmp_path / "x.jsonl")
    row = lines[2]
    for keys in ("5", "[]", "[[1]]", "[[1,0]]", '[["a","0"]]', "[" * 50_000, "{}", '["a","b"]', '["ab"]'):
        fields = ["askings 3", row["candidate"], row["kind"], row["at"], keys, 1, "0" * 64]
        digest = hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode()).hexdigest()
        altered = [lines[0] | {"askings": f"1:{digest}"}, lines[1], row | {"keys": keys, "digest": digest}]
        # the record before it names the askings, so it is chained again, as somebody with the file may do
        record = Record(**altered[1])
        altered[1] = rechained(record, f"1:{digest}")
        altered[0]["records"] = f"1:{altered[1]['digest']}"
        write_lines(tmp_path / "x.jsonl", altered)
        with pytest.raises(TranscriptDamaged, match="asking 1 holds no keys"):
            read_sealed(tmp_path / "x.jsonl")


def rechained(record: Record, askings: str) -> Line:
    from dataclasses import asdict, replace

    from vivavoce.interview.record import record_digest

    changed = replace(record, askings=askings)
    return asdict(replace(changed, digest=record_digest(changed)))


def test_an_existing_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("mine")
    with filled(None) as transcript, pytest.raises(FileExistsError):
        write_sealed(tmp_path / "x.jsonl", transcript)
    assert (tmp_path / "x.jsonl").read_text() == "mine"


@pytest.mark.parametrize("limit", ["MAX_LINE_BYTES", "MAX_BYTES"])
def test_what_would_be_too_large_to_be_read_again_is_not_written(
    tmp_path: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.jsonl"
    with filled(None) as transcript:
        write_sealed(file, transcript)
        written = file.read_bytes()
        longest = max(map(len, written.splitlines(keepends=True)))
        file.unlink()
        monkeypatch.setattr(sealed_transcript, limit, (longest if limit == "MAX_LINE_BYTES" else len(written)) - 1)
        with pytest.raises(BadInput, match="limited to"):
            write_sealed(file, transcript)
        assert not file.exists()
        monkeypatch.undo()
        write_sealed(file, transcript)
    assert file.read_bytes() == written


def test_keys_are_found_in_the_copy(whole: Path) -> None:
    question = canonical_json("Who?")
    with read_sealed(whole).transcript() as again:
        (record,) = again.find_all([Key("bot:x", digest_of(question), 0)])
    assert record is not None
    assert record.question == question
