"""Secrets that a record commits to, in memory, in a file and on a PostgreSQL server."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.interview.at_once import ended, tell_secret
from vivavoce.errors import TranscriptDamaged, TranscriptError
from vivavoce.interview import Transcript
from vivavoce.interview import commitment as commitment_module
from vivavoce.interview.commitment import COMMITTER, CommittedSecret, committed_secret


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
        with pytest.raises(TranscriptError, match=r"t\.sqlite\.key (is gone|holds another key|holds no key)"):
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
