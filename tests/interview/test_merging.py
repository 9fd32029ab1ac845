"""Merged transcripts hold what each of them held, whatever the partition and the order, or nothing is merged at all."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.errors import BadInput, TranscriptBusy, TranscriptDamaged
from vivavoce.interview import Entry, Transcript
from vivavoce.interview import merged_writing as writing
from vivavoce.interview.askings import Asking
from vivavoce.interview.clock import Clock
from vivavoce.interview.commitment import COMMITTER, committed_secret
from vivavoce.interview.copying import begin_as_copy, key_file
from vivavoce.interview.merged_rows import rechained
from vivavoce.interview.merging import TOPIC, Merged, merge
from vivavoce.interview.record import ENTRY_FIELDS, Key, Record, digest_of

NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
IN_A_FOLDER: Final = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
FOLDERS: Final = count()


def answered(number: int, answer: str = "yes", *, draw: int = 0, at: float = 0.0, kind: str = "answer", **other: str) -> Entry:
    """A question that was asked so many seconds after noon, and answered within one."""
    question = f'"question {number}"'
    entry = Entry(
        "bot:x", digest_of(question), draw, "certificate/sums", question, f'"{answer}"', "answer",
        (NOON + timedelta(seconds=at)).isoformat(), 0.5, 7, 3, 0.002,
    )  # fmt: skip
    return replace(entry, kind=kind, **other)  # type: ignore[arg-type]


def asked(entry: Entry) -> Asking:
    """That it was asked."""
    return Asking("asked", entry.key, entry.question, entry.asked_at)


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A transcript that commits to a secret and holds nothing else."""
    with Transcript.open(tmp_path / "prepared.sqlite") as transcript:
        committed_secret(transcript, "seed", clock=Clock(now=lambda: NOON - timedelta(hours=1)))
    return tmp_path / "prepared.sqlite"


def shard(prepared: Path, name: str, entries: Sequence[Entry], *, askings: Sequence[Asking] | None = None) -> str:
    """The transcript of a shard that has asked these, each asking before its answer."""
    place = prepared.with_name(name)
    shutil.copy(prepared, place)
    shutil.copy(key_file(prepared), key_file(place))
    with Transcript.open(place, verified=False) as transcript:
        for entry in entries if askings is None else ():
            transcript.append([entry], askings=[asked(entry)])
        if askings is not None:
            transcript.append(entries, askings=askings)
    return str(place)


def records(place: str | Path) -> list[Record]:
    """All but those that say what was merged."""
    with Transcript.open(place, must_exist=True) as transcript:
        return [record for record in transcript.records() if record.topic != TOPIC]


def entries_of(found: Sequence[Record]) -> list[Entry]:
    """What was asked and answered."""
    return [Entry(**{name: getattr(one, name) for name in ENTRY_FIELDS}) for one in found if one.candidate != COMMITTER]


@given(parts=st.lists(st.integers(0, 2), min_size=1, max_size=9), order=st.permutations(range(3)))
@IN_A_FOLDER
def test_any_partition_in_any_order_gives_the_same_record(prepared: Path, parts: list[int], order: list[int]) -> None:
    folder = next(FOLDERS)
    all_of_them = [answered(number, at=number) for number in range(len(parts))]
    places = [
        shard(prepared, f"{folder}-{part}.sqlite", [one for one, of in zip(all_of_them, parts, strict=True) if of == part])
        for part in range(3)
    ]
    whole = shard(prepared, f"{folder}-whole.sqlite", all_of_them)
    merged, alone = prepared.with_name(f"{folder}-merged.sqlite"), prepared.with_name(f"{folder}-alone.sqlite")
    found = merge(str(merged), [places[part] for part in order])
    merge(str(alone), [whole])
    assert entries_of(records(merged)) == all_of_them
    # to the last digest, since askings come first, and texts keep their salts
    assert records(merged) == records(alone)
    assert found.duplicates == 2  # each begins with the commitment
    with Transcript.open(merged, must_exist=True) as transcript:
        assert (transcript.orphans, transcript.asked_again) == (frozenset(), set())
        assert committed_secret(transcript, "seed").digest  # its key came with it


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=4), st.randoms(use_true_random=False))
@IN_A_FOLDER
def test_overlapping_shards_step_by_step_hold_each_answer_once(
    prepared: Path, numbers: list[list[int]], rng: random.Random
) -> None:
    folder = next(FOLDERS)
    places = [
        shard(
            prepared,
            f"{folder}-{part}.sqlite",
            [answered(number, at=10 * part + place) for place, number in enumerate(dict.fromkeys(some))],
        )
        for part, some in enumerate(numbers)
    ]
    rng.shuffle(places)
    into = str(prepared.with_name(f"{folder}-merged.sqlite"))
    steps = [merge(into, [place]) for place in places]
    before = records(into)
    again = merge(into, places)
    found = entries_of(before)
    assert sorted(one.question for one in found) == sorted({f'"question {number}"' for some in numbers for number in some})
    assert sum(one.new for one in steps) == len(before)
    assert (again.new, records(into), again.heads) == (0, before, steps[-1].heads)
    with Transcript.open(into, must_exist=True) as transcript:
        assert (transcript.orphans, transcript.asked_again) == (frozenset(), set())


def test_commitments_to_texts_are_those_of_the_shards(prepared: Path) -> None:
    places = [shard(prepared, f"{n}.sqlite", [answered(n, at=n)]) for n in range(3)]
    merge(str(prepared), places)
    salted = {(one.question, one.question_salt, one.answer_salt) for one in records(prepared)}
    assert all((one.question, one.question_salt, one.answer_salt) in salted for place in places for one in records(place))


def test_what_was_merged_is_on_record_with_its_head(prepared: Path) -> None:
    places = [shard(prepared, f"{n}.sqlite", [answered(n, at=n)]) for n in range(2)]
    found = merge(str(prepared), places)
    with Transcript.open(prepared, must_exist=True) as transcript:
        told = [record.question for record in transcript.records(topic=TOPIC)]
        assert transcript.heads == found.heads
    for place in places:
        with Transcript.open(place, must_exist=True) as one:
            assert sum(str(one.head) in question for question in told) == 1
    assert [(one.name, one.new, one.known) for one in found.brought] == [(place, 1, 1) for place in places]


def test_a_seed_stays_before_the_answers_though_clocks_differ(prepared: Path) -> None:
    # by the clocks of these machines the answers came before the commitment was made
    places = [shard(prepared, f"{n}.sqlite", [answered(n, at=-9_000.0 - n)]) for n in range(6)]
    merge(str(prepared.with_name("new.sqlite")), places)
    assert [one.candidate for one in records(prepared.with_name("new.sqlite"))] == [COMMITTER, *6 * ["bot:x"]]


def test_two_answers_to_one_question_are_refused_with_both_places(prepared: Path) -> None:
    shards = [shard(prepared, "a.sqlite", [answered(1), answered(2)]), shard(prepared, "b.sqlite", [answered(2, "no", at=9)])]
    into = prepared.with_name("new.sqlite")
    for places in (shards, shards[::-1]):
        with pytest.raises(BadInput, match="answered the same question twice, and differently") as refused:
            merge(str(into), places)
        assert f"record 3 of transcript {shards[0]}" in str(refused.value)
        assert f"record 2 of transcript {shards[1]}" in str(refused.value)
    assert not into.exists()
    merge(str(into), shards[:1])
    before = into.read_bytes()
    with pytest.raises(BadInput, match=f"of transcript {into} and record 2 of transcript {shards[1]} contradict"):
        merge(str(into), shards[1:])
    assert into.read_bytes() == before
    with pytest.raises(BadInput, match="contradict"):  # no answer is another answer
        merge(str(into), [shard(prepared, "c.sqlite", [answered(1, kind="no answer")])])


def test_examinations_that_were_begun_apart_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with Transcript.open(tmp_path / f"{name}.sqlite") as transcript:
            committed_secret(transcript, "seed")
    with pytest.raises(BadInput, match="each begins an examination of its own"):
        merge(str(tmp_path / "new.sqlite"), [str(tmp_path / "a.sqlite"), str(tmp_path / "b.sqlite")])


def test_the_same_answer_twice_is_counted_and_the_first_stands(prepared: Path) -> None:
    late, early = answered(1, at=9), answered(1, at=3)
    places = [shard(prepared, "a.sqlite", [late]), shard(prepared, "b.sqlite", [early, answered(2, at=4)])]
    found = merge(str(prepared), places)
    assert [(one.new, one.twice) for one in found.brought] == [(0, 1), (2, 0)]
    assert entries_of(records(prepared)) == [early, answered(2, at=4)]
    with Transcript.open(prepared) as transcript:  # who asked it for nothing has left no question open
        assert (transcript.orphans, transcript.asked_again) == (frozenset(), set())


def test_what_was_asked_and_not_answered_stays_known(prepared: Path) -> None:
    lost, other = answered(1, at=1), answered(2, at=2)
    first = shard(prepared, "a.sqlite", [other], askings=[asked(lost), asked(other)])
    merge(str(prepared.with_name("new.sqlite")), [first])
    with Transcript.open(prepared.with_name("new.sqlite")) as transcript:
        assert transcript.orphans == {lost.key}
    # another machine asked it once more: that this is a second try is known of it
    second = shard(prepared, "b.sqlite", [answered(1, at=7)])
    merge(str(prepared), [second, first])
    with Transcript.open(prepared) as transcript:
        assert (transcript.orphans, transcript.asked_again) == (frozenset(), {lost.key})


def test_what_was_asked_in_vain_is_not_merged_behind_its_answer(prepared: Path) -> None:
    lost = answered(1, at=1)
    died = shard(prepared, "died.sqlite", [], askings=[asked(lost)])
    again = shard(prepared, "again.sqlite", [answered(1, at=7)])
    merge(str(prepared), [again])
    with pytest.raises(BadInput, match="into a new transcript, where it can be seen that these were asked twice"):
        merge(str(prepared), [died])
    merge(str(prepared.with_name("new.sqlite")), [str(prepared), died])
    with Transcript.open(prepared.with_name("new.sqlite")) as transcript:
        assert transcript.asked_again == {lost.key}
    # what was merged before and is gone on with there is no reason to refuse the shard once more
    other = prepared.with_name("other.sqlite")
    merge(str(other), [died])
    with Transcript.open(other) as transcript:
        transcript.append([answered(1, at=9)], askings=[asked(answered(1, at=9))])
    assert merge(str(other), [died]).new == 0


def test_faults_come_along(prepared: Path) -> None:
    met = answered(1, at=1)
    fault = Asking("fault", met.key, met.question, met.asked_at)
    merge(str(prepared), [shard(prepared, "a.sqlite", [met], askings=[asked(met), fault])])
    with Transcript.open(prepared) as transcript:
        assert transcript.faults == {met.key}


def test_probes_need_not_reply_in_the_same_words(prepared: Path) -> None:
    places = [
        shard(prepared, f"{n}.sqlite", [answered(9, reply, topic="probe", at=n)]) for n, reply in enumerate(("Ready.", "ready"))
    ]
    refused = shard(prepared, "2.sqlite", [answered(9, "temperature", topic="probe", kind="no answer")])
    found = merge(str(prepared), places)
    assert [one.twice for one in found.brought] == [0, 1]
    with pytest.raises(BadInput, match="contradict"):
        merge(str(prepared), [refused])


TEXTS: Final = (
    "candidate", "question_digest", "topic", "question", "answer", "kind", "asked_at", "previous", "digest", "question_salt",
    "answer_salt", "askings",
)  # fmt: skip
NUMBERS: Final = ("draw", "seconds", "tokens_in", "tokens_out", "money", "seq")
OF_ASKINGS: Final = ("candidate", "kind", "at", "questions", "keys", "salt", "previous", "digest")


@given(st.data())
@settings(IN_A_FOLDER, max_examples=40)
def test_any_byte_of_any_record_that_is_altered_is_refused_by_name(prepared: Path, data: st.DataObject) -> None:
    original = prepared.with_name("original.sqlite")
    if not original.exists():
        shard(prepared, original.name, [answered(n, at=n) for n in range(3)])
    place, into = prepared.with_name("tampered.sqlite"), prepared.with_name("new.sqlite")
    shutil.copy(original, place)
    table = data.draw(st.sampled_from(["transcript_records", "transcript_askings"]))
    column = data.draw(st.sampled_from(TEXTS + NUMBERS if table == "transcript_records" else OF_ASKINGS))
    seq = data.draw(st.integers(1, 4 if table == "transcript_records" else 3))
    with closing(sqlite3.connect(place)) as connection, connection:
        (value,) = connection.execute(f"SELECT {column} FROM {table} WHERE seq = {seq}").fetchone()
        altered: object
        if isinstance(value, str):
            at = data.draw(st.integers(0, max(0, len(value) - 1)))
            other = data.draw(st.characters(min_codepoint=32, max_codepoint=126).filter(lambda one: one != value[at : at + 1]))
            altered = value[:at] + other + value[at + 1 :]
        elif column in ("seconds", "money"):
            altered = value + data.draw(st.floats(1e-9, 1.0))
        else:
            altered = value + data.draw(st.integers(7, 99))
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE seq = {seq}", (altered,))
    with pytest.raises(TranscriptDamaged) as refused:
        merge(str(into), [str(original), str(place)])
    said = str(refused.value)
    assert said.startswith(f"transcript {place} is damaged: ")
    assert ("record " if table == "transcript_records" else "asking ") in said
    assert not list(into.parent.glob("new.sqlite*"))


@pytest.mark.parametrize("there", [False, True])
def test_a_merge_that_fails_on_the_way_has_changed_nothing(
    prepared: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    into = prepared if there else prepared.with_name("new.sqlite")
    places = [shard(prepared, f"{n}.sqlite", [answered(10 * n + k, at=k) for k in range(5)]) for n in range(3)]
    before = sorted(path.name for path in prepared.parent.iterdir())
    kept = records(into) if there else []
    number = count()

    def breaks(*arguments: object) -> Record:
        if next(number) == 7:
            raise KeyboardInterrupt
        return rechained(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "rechained", breaks)
    monkeypatch.setattr(writing, "PAGE", 3)
    with pytest.raises(KeyboardInterrupt):
        merge(str(into), places)
    left = {path.name for path in prepared.parent.iterdir()} - set(before)
    assert left <= {f"{into.name}.lock", f"{into.name}.key"}
    if there:
        assert records(into) == kept
    monkeypatch.undo()
    assert merge(str(into), places).new == 15 + (not there)


def test_two_merges_into_one_transcript_do_not_meet(prepared: Path) -> None:
    place = shard(prepared, "a.sqlite", [answered(1)])
    with writing.merging_into(str(prepared)), pytest.raises(TranscriptBusy, match="another merge writes to it"):
        merge(str(prepared), [place])
    assert merge(str(prepared), [place]).new == 1


def test_what_was_written_meanwhile_is_not_overlooked(prepared: Path) -> None:
    place, busy = shard(prepared, "a.sqlite", [answered(1)]), False

    def told(*_: int) -> None:
        nonlocal busy
        if not busy:
            busy = True
            with Transcript.open(prepared) as transcript:
                transcript.append([answered(2)])

    with pytest.raises(TranscriptBusy, match="merge once more"):
        merge(str(prepared), [place], told=told)
    assert merge(str(prepared), [place]).new == 1


def test_what_cannot_be_meant_is_refused(prepared: Path, tmp_path: Path) -> None:
    place = shard(prepared, "a.sqlite", [answered(1)])
    for into, places, said in (
        (str(prepared), [place, place], "stands there twice"),
        (place, [place], "stands there twice"),
        (str(prepared), [], "nothing to merge"),
        (str(prepared), [str(tmp_path / "none.sqlite")], "no such transcript"),
        (str(tmp_path / "none" / "new.sqlite"), [place], "its folder does not exist"),
    ):
        with pytest.raises(BadInput, match=said):
            merge(into, places)


def test_the_key_of_one_preparation_goes_with_it_and_keys_of_several_do_not(prepared: Path, tmp_path: Path) -> None:
    merge(str(tmp_path / "new.sqlite"), [shard(prepared, "a.sqlite", [answered(1)])])
    assert key_file(tmp_path / "new.sqlite").read_text() == key_file(prepared).read_text()
    assert key_file(tmp_path / "new.sqlite").stat().st_mode & 0o777 == 0o600
    places = []
    for number in range(2):
        with Transcript.open(tmp_path / f"apart{number}.sqlite") as transcript:
            committed_secret(transcript, f"seed {number}")
            places.append(transcript.name)
    merge(str(tmp_path / "both.sqlite"), places)
    assert not key_file(tmp_path / "both.sqlite").exists()


def test_a_copy_begins_like_the_prepared_one_and_goes_on_from_it(prepared: Path, tmp_path: Path) -> None:
    place = Path(shard(prepared, "a.sqlite", [answered(1)]))
    merge(str(prepared), [str(place)])  # it has grown since
    begin_as_copy(prepared, place)
    assert entries_of(records(place)) == [answered(1)]
    other = tmp_path / "other.sqlite"
    with Transcript.open(other) as transcript:
        committed_secret(transcript, "seed")
    with pytest.raises(BadInput, match=r"a\.sqlite is there, and does not begin like .*other\.sqlite"):
        begin_as_copy(other, place)


def test_what_is_copied_may_lie_on_a_disk_that_cannot_be_written(prepared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mounted"
    folder.mkdir()
    begin_as_copy(prepared, folder / "p.sqlite")
    key_file(folder / "p.sqlite").chmod(0o440)  # as a secret of Kubernetes is mounted
    kept = sorted(path.name for path in folder.iterdir())
    folder.chmod(0o500)
    try:
        begin_as_copy(folder / "p.sqlite", tmp_path / "shard.sqlite")
    finally:
        folder.chmod(0o700)
    assert sorted(path.name for path in folder.iterdir()) == kept
    with Transcript.open(tmp_path / "shard.sqlite", must_exist=True) as transcript:
        assert committed_secret(transcript, "seed").digest


@pytest.mark.postgres
def test_shards_are_merged_into_a_database_that_was_prepared(postgres_address: str, tmp_path: Path) -> None:
    with Transcript.open(postgres_address) as transcript:
        transcript.append([answered(1)])
    with Transcript.open(tmp_path / "a.sqlite") as transcript:
        transcript.append([answered(2)], askings=[asked(answered(2))])
    found: Merged = merge(postgres_address, [str(tmp_path / "a.sqlite")])
    assert found.new == 1
    assert merge(postgres_address, [str(tmp_path / "a.sqlite")]).new == 0
    assert entries_of(records(postgres_address)) == [answered(1), answered(2)]


def test_a_key_is_a_key_of_three_parts() -> None:
    assert answered(1, draw=2).key == Key("bot:x", digest_of('"question 1"'), 2)
