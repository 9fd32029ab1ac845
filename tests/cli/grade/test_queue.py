"""People grade on the site while the examination runs: a real server, people at their browsers, and a certificate."""

from __future__ import annotations

import csv
import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.cli.graders import Bot, Start, at_work, served
from vivavoce.web.database import migrate, open_database

MODULE = """
def answer(text: str) -> str:
    number = int(text.split()[1].rstrip("?"))
    return f"It is {'right' if number % 10 else 'wro-ng'} ({number})."
"""
DATABASE = ("--database", "site.sqlite")


@pytest.fixture
def certify(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The command that examines somebody who is right on nine tenths of a file of open questions."""
    module = re.sub(r"\W", "_", f"queued_{request.node.name}")
    (tmp_path / f"{module}.py").write_text(MODULE)
    lines = (json.dumps({"id": f"e{i}", "question": f"Explain {i}?", "rubric": "10: all of it"}) for i in range(60))
    (tmp_path / "essays.jsonl").write_text("\n".join(lines))
    scope = ("--scope", "file:essays.jsonl", "--ridiculous-limit", "none", "--quiet", "--json")
    return (
        *("certify", "--seed", "0", f"function:{module}:answer", *scope, "--transcript", "run.sqlite", "--batch", "5"),
        *("--queue", "site.sqlite#essays", "--poll", "0.05"),
    )


@pytest.fixture
def site(viva_copy: Start, tmp_path: Path) -> Iterator[str]:
    with served(viva_copy, "site.sqlite") as url:
        yield url


@pytest.fixture
def database(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "site.sqlite"))
    migrate(engine)
    engine.dispose()


def links(viva: Viva, url: str, people: int) -> list[str]:
    ended = viva("grade", "queue", "invite", "essays", *DATABASE, "--base-url", url, "--people", str(people), "--json")
    found: list[str] = json.loads(ended.out)["links"]
    return found


def status(viva: Viva) -> dict[str, int]:
    (found,) = json.loads(viva("grade", "queue", "status", *DATABASE, "--json").out)
    return dict(found)


@pytest.mark.long
def test_killed_and_resumed_until_there_is_a_verdict(
    viva: Viva, viva_copy: Start, site: str, certify: tuple[str, ...], tmp_path: Path
) -> None:
    assert viva("grade", "queue", "open", "essays", *DATABASE, "--double-graded", "0.5").code == 0
    ann, bob = (Bot(link, right) for link, right in zip(links(viva, site, 2), ("10", "9"), strict=True))
    with at_work(ann):
        killed = viva_copy(*certify)
        while len(ann.graded) < 4:
            assert killed.poll() is None, killed.communicate()
            time.sleep(0.02)
        killed.kill()
        killed.communicate(timeout=20)
    assert status(viva)["settled"] == 0
    with at_work(ann, bob):
        ended = viva(*certify)
    found = json.loads(ended.out)
    assert (ended.code, found["verdict"], ended.err) == (0, "understands", "")
    grading = found["grading"]
    assert grading["by"] == "people"
    assert not grading["waiting"]
    told = status(viva)
    # every answer under the verdict is settled; to what was being asked at the kill there may be no answer
    assert told["settled"] == grading["graded_by_people"] == found["questions"] - found["orphans"]
    assert found["orphans"] <= 1
    assert told["waiting"] == 0
    assert len(set(ann.graded)) == len(ann.graded)
    # what was asked again after the kill had its grades already
    assert told["answers"] <= grading["graded_by_people"] + 5 + 1
    # Bob gives 9 of 10 points where Ann gives 10: at most 0.1 apart, whoever came first
    assert 1 <= grading["agreement_of_people"]["answers"] <= told["graded_twice"]
    assert grading["agreement_of_people"]["close"]["value"] == 1
    assert viva("grade", "queue", "export", "essays", *DATABASE, "--out", "grades.csv").code == 0
    rows = list(csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == told["graded"]
    # the file gives the same verdict
    plain = certify[: certify.index("--queue")]
    again = json.loads(viva(*plain, "--grades", "grades.csv").out)
    for name in ("verdict", "questions", "score", "score_lower"):
        assert again.get(name) == found.get(name), name


@pytest.mark.slow
@pytest.mark.long
def test_ctrl_c_says_how_to_go_on(viva: Viva, viva_copy: Start, site: str, certify: tuple[str, ...]) -> None:
    viva("grade", "queue", "open", "essays", *DATABASE)
    stopped = viva_copy(*certify)
    while not status(viva)["answers"]:
        assert stopped.poll() is None, stopped.communicate()
        time.sleep(0.1)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=20)
    assert (stopped.returncode, "run the same command again" in err) == (130, True), err


def test_a_closed_queue_ends_it(viva: Viva, database: None, certify: tuple[str, ...]) -> None:
    viva("grade", "queue", "open", "essays", *DATABASE)
    assert viva("grade", "queue", "close", "essays", *DATABASE).code == 0
    ended = viva(*certify)
    found = json.loads(ended.out)
    assert (ended.code, found["verdict"], len(found["grading"]["waiting"])) == (4, "no conclusion", 5)
    assert "is closed: grades that are there count" in ended.err


def test_there_must_be_a_database(viva: Viva, certify: tuple[str, ...]) -> None:
    assert "there is no such database" in viva(*certify).err


def test_bad_input_is_one_line(viva: Viva, database: None, certify: tuple[str, ...]) -> None:
    assert "there is no queue 'essays'" in viva(*certify).err
    bare = (*certify[: certify.index("--queue")], "--queue", "site.sqlite")
    assert "name the queue: 0 are open" in viva(*bare).err
    assert viva("grade", "queue", "open", "essays", *DATABASE).code == 0
    assert "already" in viva("grade", "queue", "open", "essays", *DATABASE).err
    assert "no name for a queue" in viva("grade", "queue", "open", "Es says", *DATABASE).err
    assert "instead of" in viva(*certify, "--sheet", "s.csv").err
    assert "is for a queue" in viva(*certify[: certify.index("--queue")], "--poll", "1").err
    assert viva("grade", "queue", "invite", "none", *DATABASE).code == 2
    assert "0 of 0 answers wait" in viva("grade", "queue", "status", *DATABASE).out
    assert viva("grade", "queue", "close", "essays", *DATABASE).code == 0
    assert viva("grade", "queue", "open", "essays", *DATABASE).code == 0
