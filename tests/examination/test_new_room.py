"""A new room takes six files and a line in each of two tables: a made-up one, added to a copy of the package."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path

import pytest

import vivavoce
from tests.begun import begun
from tests.examination.retest import EDITS, FILES, add_to


@dataclass(frozen=True, slots=True)
class NewRoom:
    """The package before and after the room was added."""

    before: Path
    after: Path

    def file(self, name: str) -> Path:
        """A file beside the copy."""
        return self.after.parent / name


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> NewRoom:
    before, after = Path(vivavoce.__file__).parent, tmp_path_factory.mktemp("added") / "vivavoce"
    shutil.copytree(before, after)
    add_to(after)
    return NewRoom(before, after)


@pytest.fixture
def viva(added: NewRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """What a command of the copy prints on standard output, run beside it."""
    monkeypatch.setenv("PYTHONPATH", str(added.after.parent))
    with begun(tmp_path) as programs:

        def call(*arguments: str) -> str:
            ended = subprocess.run([programs / "viva", *arguments], cwd=added.after.parent, capture_output=True, text=True)
            assert ended.returncode == 0, ended.stderr
            return ended.stdout

        yield call


def test_it_takes_six_files_and_three_lines_in_two(added: NewRoom) -> None:
    sources = {file.relative_to(added.after).as_posix(): file.read_text() for file in added.after.rglob("*.py")}
    there = {source: file.read_text() for source in sources if (file := added.before / source).exists()}
    assert sources.keys() - there.keys() == FILES.keys()
    assert len(FILES) <= 6
    edited = {key: changes(text, sources[key]) for key, text in there.items() if text != sources[key]}
    assert edited == {key: list(lines.values()) for key, lines in EDITS.items()}
    assert {key: len(lines) for key, lines in edited.items()} == {"examination/rooms.py": 2, "cli/viva.py": 1}


def changes(before: str, after: str) -> list[str]:
    """The lines that were added; those that went are an error."""
    messages = [line for line in ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True)) if line[0] in "+-"]
    assert all(line[0] == "+" for line in messages)
    return [line[2:] for line in messages]


@pytest.mark.long
def test_it_is_part_of_a_plan_and_its_command_finds_what_the_examination_found(
    added: NewRoom, viva: Callable[..., str]
) -> None:
    init = viva("report", "--init")
    assert "\n\n[retest]                         # the same sums several times\nrepeats = 2 " in init
    added.file("plan.toml").write_text(init.replace("repeats = 2", "repeats = 3"))
    asked = ("--plan", "plan.toml", "--only", "retest", "--out", "out")
    document = json.loads(viva("report", "bot:calculator", *asked, "--json", "--quiet"))
    assert document["examination"]["plan"]["retest"] == {"repeats": 3}
    assert "[retest]\nrepeats = 3\n" in added.file("out/plan.toml").read_text()
    [card] = document["cards"]
    assert (card["room"], card["command"]) == ("retest", "viva retest bot:calculator --repeats 3")
    [figure] = card["figures"]
    assert (figure["value"], figure["lower"], figure["n"]) == (0, 0, 8)
    assert figure["upper"] == pytest.approx(1 - 0.025 ** (1 / 8))  # where none of eight is seen 2.5% of the time
    assert "0% [0, 37] of 8 questions when asked again" in document["statement"]
    page = added.file("out/report.html").read_text()
    for shown in ("Does it answer the same when it is asked again?", "0% [0, 37]", "What is 24 + 72?", "96, 96, 96"):
        assert shown in page
    assert json.loads(viva(*shlex.split(card["command"])[1:], "--json")) == card["details"]
    assert "The same: each" in viva("recheck", "out", "--transcript", "out/transcript.sqlite")
