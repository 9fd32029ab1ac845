"""Workers and the process that counts are killed at random: the finding is that of one process that nobody disturbs."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.cluster.daskers import Daskers, asked, daskers, wait_until_asked
from vivavoce.certificate.attempts.determinism import ASKED_TWICE, EVERY
from vivavoce.interview.transcript import Transcript

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="Dask is not installed: pip install 'vivavoce[cluster]'"
)
WORKERS = 4
NAME = "function:sums:answer?deterministic=yes"


@dataclass(frozen=True)
class Scale:
    """How much is asked, and how often somebody is killed."""

    questions: int
    delay: float
    time_out: float
    kills: int
    pause: tuple[float, float]
    """Seconds between two kills."""


def command(scale: Scale, *more: str) -> list[str]:
    scope = ["--scope", "arithmetic?operations=+-*", "--seed", "5"]
    fixed = ["--set", "procedure=fixed", "--questions", str(scale.questions)]
    return ["certify", NAME, *scope, *fixed, "--set", f"timeout={scale.time_out}", "--json", "--quiet", *more]


def finding(out: Path) -> tuple[str, dict[str, Any]]:
    """All but what is of the run, as it was printed, and that."""
    document = json.loads(out.read_text())
    run = document.pop("run", {})
    return json.dumps(document), run


def killed(cluster: Daskers, scale: Scale, transcript: Path, out: Path) -> list[tuple[float, str]]:
    """The examination, during which somebody is killed so often; when, and who."""
    rng, kills = random.Random(3), list[tuple[float, str]]()
    arguments = command(scale, "--cluster", cluster.address, "--transcript", str(transcript))
    counting = cluster.count(arguments, out)
    wait_until_asked(cluster.folder, 1)
    while len(kills) < scale.kills:
        counting.join(rng.uniform(*scale.pause))
        assert counting.is_alive(), out.with_suffix(".err").read_text()
        index = rng.randrange(WORKERS + 1)
        kills.append((time.time(), "worker" if index < WORKERS else "counter"))
        if index < WORKERS:
            cluster.kill(index)
        else:
            before = sum(map(len, asked(cluster.folder).values()))
            counting.kill()
            counting.join()
            counting = cluster.count(arguments, out)
            wait_until_asked(cluster.folder, before + 1)
    counting.join(300)
    assert counting.exitcode in (0, 3, 4), out.with_suffix(".err").read_text()
    return kills


def check(tmp_path: Path, scale: Scale) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    with daskers(whole, 0, DELAY="0") as alone:
        process = alone.count(command(scale), whole / "one.json")
        process.join(300)
        assert process.exitcode in (0, 3, 4), (whole / "one.err").read_text()
    with daskers(tmp_path, WORKERS, DELAY=str(scale.delay)) as cluster:
        kills = killed(cluster, scale, tmp_path / "run.sqlite", tmp_path / "run.json")
        text, run = finding(tmp_path / "run.json")
    expected, _ = finding(whole / "one.json")
    assert text == expected
    assert json.loads(text)["figures"]["no_answers"] > 0  # some time out
    counter_kills = sum(who == "counter" for _, who in kills)
    assert run["answers"]["from_record"] > 0 < counter_kills < scale.kills

    questions, longest = asked(tmp_path), scale.time_out + 2
    tested = min(ASKED_TWICE, scale.questions // EVERY)
    more = [moment for moments in questions.values() for moment in sorted(moments)[:-1]]
    # others than those that test what is declared of it were on their way when somebody was killed
    assert sum(not any(moment <= when <= moment + longest for when, _ in kills) for moment in more) <= tested
    # a worker has one question, and may hold an answer that nobody has fetched; the counter has all of theirs
    assert len(more) <= 2 * (scale.kills - counter_kills) + 2 * WORKERS * counter_kills + tested
    with Transcript.open(tmp_path / "run.sqlite", must_exist=True) as transcript:
        assert len(questions) <= transcript.verify().count


@pytest.mark.long
def test_killed_a_few_times(tmp_path: Path) -> None:
    check(tmp_path, Scale(questions=100, delay=0.1, time_out=1, kills=6, pause=(0.1, 0.6)))


@pytest.mark.slow
def test_killed_twenty_times(tmp_path: Path) -> None:
    check(tmp_path, Scale(questions=300, delay=0.5, time_out=4, kills=20, pause=(0.5, 2.0)))


@pytest.mark.long
def test_of_who_might_say_something_else_the_next_time_it_is_a_second_try(tmp_path: Path) -> None:
    arguments = ["certify", "function:sums:answer", "--scope", "arithmetic?operations=+", "--seed", "5", "--questions", "8"]
    with daskers(tmp_path, 1, DELAY="30") as cluster:
        counting = cluster.count([*arguments, "--json", "--quiet", "--cluster", cluster.address], tmp_path / "run.json")
        wait_until_asked(tmp_path, 1)
        cluster.environment["DELAY"] = "0"
        cluster.kill(0)  # while it answers
        counting.join(120)
        assert counting.exitcode in (0, 3, 4), (tmp_path / "run.err").read_text()
    text, run = finding(tmp_path / "run.json")
    assert json.loads(text)["figures"]["faults"] == run["questions"]["heard_twice"] == run["workers"]["lost"] == 1


@pytest.mark.long
def test_where_workers_join_late_they_ask_and_the_finding_is_the_same(tmp_path: Path) -> None:
    scale = Scale(questions=60, delay=0.1, time_out=1, kills=0, pause=(0, 0))
    whole = tmp_path / "whole"
    whole.mkdir()
    with daskers(whole, 0, DELAY="0") as alone:
        process = alone.count(command(scale), whole / "one.json")
        process.join(300)
    with daskers(tmp_path, 1, DELAY=str(scale.delay)) as cluster:
        counting = cluster.count(command(scale, "--cluster", cluster.address), tmp_path / "run.json")
        wait_until_asked(tmp_path, 3)
        cluster.add(2)
        counting.join(300)
    text, run = finding(tmp_path / "run.json")
    assert text == finding(whole / "one.json")[0]
    assert run["workers"] == {"seen": 3, "lost": 0, "refused": {}}
    times = [len(moments) for moments in asked(tmp_path).values()]
    assert (max(times), times.count(2)) == (2, scale.questions // EVERY)  # these test what is declared of it
