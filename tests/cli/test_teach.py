"""`viva consistency teach` against a real chat server with a pupil and teachers whose effect is planted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.examination.teaching.serving import SAYS, serving
from tests.serving import ChatServer
from tests.studies.sycophancy.faults import right_of
from tests.studies.vary.favourites import OPTIONS

SCOPE = ("--scope", "file:things.jsonl", "--seed", "0")


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def things(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{n}", "question": f"Which colour has thing {n} in the room?", "options": OPTIONS, "answer": right_of(str(n))}
        for n in range(120)
    ]
    (tmp_path / "things.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(("teacher", "verdict"), [("good", "better"), ("dull", "equivalent"), ("misleading", "worse")])
def test_what_the_dialogue_changed_is_what_was_planted(viva: Viva, server: ChatServer, teacher: str, verdict: str) -> None:
    arguments = ("--teacher", server.candidate(teacher), *SCOPE, "--json", "--quiet")
    ended = viva("consistency", "teach", server.candidate("pupil"), *arguments)
    assert (ended.code, ended.err) == (0, "")
    values = ended.values
    assert values["verdict"] == values["figures"]["comparison"]["verdict"] == verdict
    assert [turn["teacher"] for turn in values["figures"]["dialogue"]] == [f"{SAYS[teacher]} ({n})" for n in (1, 2, 3)]
    assert [turn["candidate"] for turn in values["figures"]["dialogue"]] == [
        f"I have to think about that ({n})." for n in (1, 2, 3)
    ]
    assert len(values["figures"]["shown_to_teacher"]) == 3
    asked = {value["id"] for value in values["figures"]["comparison"]["figures"]["discordant"]}
    assert not asked & {*values["figures"]["shown_to_teacher"]}
    assert values["figures"]["comparison"]["figures"]["scope_size"] == 117


def test_the_page_tells_the_dialogue_and_a_second_run_asks_nothing(viva: Viva, server: ChatServer) -> None:
    # one at a time: what is in flight when the verdict falls has been heard, and is on no record
    asked = (*SCOPE, "--transcript", "run.sqlite", "--concurrency", "1")
    command = ("consistency", "teach", server.candidate("pupil"), "--teacher", server.candidate("good"), *asked)
    first = viva(*command, "--html", "page.html", "--dialogue-turns", "2")
    assert first.code == 0
    assert "is better on" in first.out
    assert "After a dialogue of 2 turns" in first.out
    assert re.search(r"is \+0\.\d+, shown to be above \+0\.\d+; above 0 is required\. After", first.out.replace("\n", " "))
    page = Path("page.html").read_text()
    assert "Which rule holds for all things?" in page
    assert "I have to think about that (2)." in page
    before = server.seen()
    again = viva(*command, "--dialogue-turns", "2", "--quiet")
    assert server.seen() == before
    assert again.out.splitlines()[0].removeprefix("● ") in first.out.replace("\n", " ")
    longer = viva(*command, "--dialogue-turns", "3", "--json", "--quiet")
    new = server.seen() - before
    assert sum("colour has thing" not in json.loads(name)[-1][1] for name in new) == 2  # the third turn of each of both
    assert len(longer.values["figures"]["dialogue"]) == 3


def test_what_it_wrote_is_rechecked_and_a_turn_that_was_altered_is_found(viva: Viva, server: ChatServer) -> None:
    command = (
        "consistency",
        "teach",
        server.candidate("pupil"),
        "--teacher",
        server.candidate("good"),
        *SCOPE,
        "--transcript",
        "run.sqlite",
    )
    made = viva(*command, "--json", "--quiet").out
    Path("made.json").write_text(made)
    rechecking = ("--transcript", "run.sqlite", "--scope", "file:things.jsonl")
    same = viva("recheck", "made.json", *rechecking)
    assert (same.code, same.out.startswith("● The same")) == (0, True)
    for before, after, path in [
        ("I have to think about that (2).", "Now I see.", "figures.dialogue[1].candidate"),
        (f"{SAYS['good']} (3)", "So it is.", "figures.dialogue[2].teacher"),
        ("is better on", "is worse on", "statement"),
    ]:
        assert before in made
        Path("altered.json").write_text(made.replace(before, after))
        differs = viva("recheck", "altered.json", *rechecking, "--json")
        assert differs.code == 3
        assert path in {entry["path"] for entry in differs.values["differences"]}


def test_a_teacher_who_falls_silent_is_told(viva: Viva, server: ChatServer) -> None:
    ended = viva(
        "consistency", "teach", server.candidate("pupil"), "--teacher", server.candidate("mute"), *SCOPE, "--json", "--quiet"
    )
    assert ended.values["figures"]["broken_off"] == "the teacher said nothing in turn 2"
    assert len(ended.values["figures"]["dialogue"]) == 1
    assert any("ended early: the teacher said nothing in turn 2" in caveat for caveat in ended.values["caveats"])


def test_a_dry_run_shows_what_the_teacher_is_told_and_asks_nothing(viva: Viva, server: ChatServer) -> None:
    before = server.seen()
    ended = viva("consistency", "teach", server.candidate("pupil"), "--teacher", server.candidate("good"), *SCOPE, "--dry-run")
    assert (ended.code, server.seen()) == (0, before)
    assert ended.out.count("Which colour has thing") == 3
    assert "6 calls for the dialogue" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bot:calculator", "--teacher", "bot:eliza"), "can't hold a conversation"),
        (("bot:calculator",), "Missing option '--teacher'"),
        (("chat:x@http://localhost:1/v1", "--teacher", "bot:eliza", "--examples", "120"), "would see 120"),
        (("chat:x@http://localhost:1/v1", "--teacher", "bot:eliza", "--dialogue-turns", "21"), "21"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: tuple[str, ...], message: str) -> None:
    refuses("consistency", "teach", *arguments, *SCOPE, says=message)
