"""`viva certify` in shards: prepared, asked in parts, merged, and found on record."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Start, Viva
from tests.interview.test_merging import records
from tests.serving import process_of
from vivavoce.interview.transcript import Transcript

EXAMINED = ("certify", "bot:calculator?wrong=0.9", "--scope", "arithmetic", "--questions", "60", "--ridiculous-limit", "0.01")


def prepared(viva: Viva, *options: str) -> None:
    """Seed and order on record in `run.sqlite`."""
    ended = viva(*EXAMINED, *options, "--transcript", "run.sqlite", "--prepare", "--quiet")
    assert (ended.code, ended.err) == (0, "")


def in_shards(viva: Viva, of: int, *options: str) -> list[str]:
    """Asks all shards; their transcripts."""
    places = [f"{number}.sqlite" for number in range(of)]
    for number, place in enumerate(places):
        shard = ("--transcript", place, "--prepared", "run.sqlite", "--shard", f"{number}/{of}")
        ended = viva(*EXAMINED, *options, *shard, "--quiet")
        assert (ended.code, ended.err) == (0, "")
    return places


def test_shards_that_were_merged_print_what_one_run_prints(viva: Viva) -> None:
    one = viva(*EXAMINED, "--seed", "3", "--transcript", "one.sqlite", "--json")
    prepared(viva, "--seed", "3")
    places = in_shards(viva, 3, "--seed", "3")
    merged = viva("transcript", "merge", "run.sqlite", *places, "--json")
    counted = json.loads(merged.out)
    assert (counted["new"], counted["duplicates"], counted["answered_twice"]) == (60, 3 * 2, 0)
    together = viva(*EXAMINED, "--seed", "3", "--transcript", "run.sqlite", "--json")
    assert together.code == one.code
    alone, found = json.loads(one.out), json.loads(together.out)
    assert alone.pop("transcript_head") != found.pop("transcript_head")  # it holds the times of the answers
    assert json.dumps(found) == json.dumps(alone)
    used = found["questions"]
    assert f"60 of 60 prepared questions are on record, and the finding rests on {used}: {60 - used} (" in together.err


def test_a_stranger_rechecks_what_was_merged(viva: Viva, tmp_path: Path) -> None:
    prepared(viva)
    viva("transcript", "merge", "run.sqlite", *in_shards(viva, 2), "--quiet")
    ended = viva(*EXAMINED, "--transcript", "run.sqlite", "--json", "--quiet")
    (tmp_path / "certificate.json").write_text(ended.out)
    found = json.loads(ended.out)
    assert found["seed_committed"]
    rechecked = viva("recheck", "certificate.json", "--transcript", "run.sqlite")
    assert rechecked.code == 0, rechecked.out
    assert "is reproduced from the record" in rechecked.out


def test_each_step_says_what_it_did_and_what_it_cost(viva: Viva) -> None:
    ended = viva(*EXAMINED, "--transcript", "run.sqlite", "--prepare", "--json")
    found = json.loads(ended.out)
    assert (found["prepared"], found["attempt"], found["least_to_understand"]) == (60, 1, 337)
    assert "shards ask all 60, and what is beyond the verdict counts for nothing. 'viva plan' tells" in ended.err
    shard = ("--transcript", "1.sqlite", "--prepared", "run.sqlite", "--shard", "1/7")
    ended = viva(*EXAMINED, *shard, "--json")
    found = json.loads(ended.out)
    assert (found["shard"], found["of"], found["questions"], found["asked"], found["complete"]) == (1, 7, 9, 9, True)
    with Transcript.open("1.sqlite", must_exist=True) as transcript:
        assert found["transcript_head"] == str(transcript.head)
    assert "Answers: 9 from the record, 0 new" in viva(*EXAMINED, *shard).out


def test_a_tampered_shard_is_refused_by_name_and_nothing_is_merged(viva: Viva, tmp_path: Path) -> None:
    import sqlite3

    prepared(viva)
    places = in_shards(viva, 2)
    before = records("run.sqlite")
    with sqlite3.connect("1.sqlite") as connection:
        connection.execute("UPDATE transcript_records SET answer = replace(answer, 'Answer', 'answer') WHERE seq = 17")
    connection.close()
    ended = viva("transcript", "merge", "run.sqlite", *places)
    assert (ended.code, ended.out) == (5, "")
    assert ended.err.startswith("viva: transcript 1.sqlite is damaged: record 17 was altered")
    assert records("run.sqlite") == before
    ended = viva("transcript", "merge", "new.sqlite", *places)
    assert ended.code == 5
    assert not (tmp_path / "new.sqlite").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--prepare",), "'--prepare' is on record: give '--transcript FILE'"),
        (("--shard", "0/2"), "'--shard' is on record: give '--transcript FILE'"),
        (("--shard", "2/2", "--transcript", "s.sqlite"), "of 2 the last is 1/2"),
        (("--prepare", "--shard", "0/2", "--transcript", "s.sqlite"), "give one of them"),
        (("--prepared", "run.sqlite", "--transcript", "s.sqlite"), "give '--shard I/N'"),
        (("--shard", "0/2", "--transcript", "s.sqlite"), "there is no transcript s.sqlite: say with '--prepared FILE'"),
        (("--shard", "0/2", "--transcript", "s.sqlite", "--html", "p.html"), "leave out '--html' until all shards are merged"),
        (("--shard", "0/2", "--transcript", "s.sqlite", "--junit", "p.xml"), "leave out '--junit' until"),
        (("--prepare", "--transcript", "s.sqlite", "--results", "r.csv"), "leave out '--results' until"),
        (("--shard", "0/2", "--transcript", "s.sqlite", "--watch"), "leave out '--watch' until"),
        (("--shard", "0/2", "--transcript", "s.sqlite", "--prepared", "none.sqlite"), "'none.sqlite' does not exist"),
        (("--shard", "0/2", "--transcript", "no/s.sqlite", "--prepared", "run.sqlite"), "its folder does not exist"),
        (("--prepare", "--transcript", "s.sqlite", "--judge", "bot:eliza", "--rubric", "run.sqlite"), "leave out the judge"),
        (("--prepare", "--transcript", "s.sqlite", "--scope", "intervals"), "divide each scope by itself"),
        (("--prepare", "--transcript", "s.sqlite", "--explanations", "1"), "leave out explanations"),
    ],
)
def test_what_cannot_be_meant_is_a_line_with_the_remedy(
    viva: Viva, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "run.sqlite").touch()
    ended = viva(*EXAMINED, *options)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert not (tmp_path / "s.sqlite").exists()


def test_another_preparation_is_told_from_this_one(viva: Viva, tmp_path: Path) -> None:
    prepared(viva)
    in_shards(viva, 2)
    for name in ("run.sqlite", "run.sqlite.key"):
        (tmp_path / name).unlink()
    prepared(viva)
    ended = viva(*EXAMINED, "--transcript", "0.sqlite", "--prepared", "run.sqlite", "--shard", "0/2")
    assert ended.code == 2
    assert "0.sqlite is there, and does not begin like run.sqlite: give another --transcript, or remove it" in ended.err
    ended = viva("transcript", "merge", "run.sqlite", "0.sqlite", "1.sqlite")
    assert ended.code == 2
    assert "each begins an examination of its own" in ended.err


@pytest.mark.long
def test_a_shard_that_is_killed_again_and_again_loses_no_answer(viva_copy: Start, tmp_path: Path) -> None:
    with process_of("tests.candidates.server") as server:
        words = ("certify", f"chat:calculator@{server}/v1", "--scope", "arithmetic", "--questions", "60", "--quiet")
        done = viva_copy(*words, "--transcript", "run.sqlite", "--prepare")
        done.communicate(timeout=60)
        assert done.returncode == 0
        rng, kept = random.Random(7), 0
        shard = ("--transcript", "1.sqlite", "--prepared", "run.sqlite", "--shard", "1/2")
        for _ in range(6):
            process = viva_copy(*words, *shard)
            try:
                process.wait(rng.random() * 0.4)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.communicate()
            if (tmp_path / "1.sqlite").exists():
                with Transcript.open(tmp_path / "1.sqlite", must_exist=True) as transcript:
                    assert transcript.head.count >= kept
                    kept = transcript.head.count
        last = viva_copy(*words, *shard)
        out, _ = last.communicate(timeout=60)
        assert (last.returncode, "30 of 30 questions asked" in out) == (0, True)


@pytest.mark.long
def test_a_merge_that_is_killed_leaves_nothing_half(viva_copy: Start, viva: Viva, tmp_path: Path) -> None:
    prepared(viva)
    places = in_shards(viva, 3)
    rng = random.Random(11)
    for into in ("run.sqlite", "new.sqlite"):
        before = records(into) if (tmp_path / into).exists() else None
        for _ in range(8):
            process = viva_copy("transcript", "merge", into, *places)
            try:
                process.wait(rng.random() * 0.25)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.communicate()
            if (tmp_path / into).exists():
                found = records(into)
                assert found == before or len(found) == 60 + 3
        assert viva("transcript", "merge", into, *places).code == 0
        assert len(records(into)) == 60 + 3
    assert not list(tmp_path.glob("*.merging*"))
