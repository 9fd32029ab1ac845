"""Transcripts sealed for a stranger."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

pytestmark = pytest.mark.long  # importing Inspect takes seconds


RUN = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--unacceptable-limit", "none", "--quiet", "--json")


@pytest.fixture
def sealed_head(viva: Viva) -> str:
    """Heads and records of an examination with a seed that was drawn."""
    assert viva(*RUN, "--transcript", "run.sqlite").code in (0, 3)
    return viva("transcript", "verify", "run.sqlite").out.strip()


@pytest.mark.parametrize("name", ["sealed.jsonl", "sealed.jsonl.gz"])
def test_an_export_is_verified_and_shown_like_the_transcript(viva: Viva, sealed_head: str, name: str) -> None:
    ended = viva("transcript", "export", "run.sqlite", name, "--sealed")
    assert (ended.code, ended.out) == (0, "")
    assert f"sealed in {name}, head {sealed_head}" in ended.err
    assert viva("transcript", "verify", name, "--expect", sealed_head).out.strip() == sealed_head
    for arguments in (("--full",), ("--topic", "certificate", "--limit", "3"), ("--candidate", "vivavoce", "--json")):
        shown = viva("transcript", "show", name, *arguments)
        assert shown.code == 0
        assert shown.out == viva("transcript", "show", "run.sqlite", *arguments).out


def test_an_altered_export_is_refused_by_name_of_the_record(viva: Viva, sealed_head: str) -> None:
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed")
    file = Path("sealed.jsonl")
    text = file.read_text()
    wrong = text.replace("Answer: ", "Answer: 1", 1)
    assert wrong != text
    file.write_text(wrong)
    for command in ("verify", "show"):
        ended = viva("transcript", command, "sealed.jsonl")
        assert ended.code == 5
        assert "record 3 was altered" in ended.err
        assert ended.err.count("\n") == 1


def test_the_key_is_not_in_it(viva: Viva, sealed_head: str) -> None:
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed")
    text = Path("sealed.jsonl").read_text()
    assert Path("run.sqlite.key").read_text().strip() not in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--sealed",), "name one"),
        (("x.jsonl", "--sealed", "--topic", "certificate"), "leave out the other options"),
        (("x.csv", "--sealed"), "does not end in .jsonl or .jsonl.gz"),
        (("run.sqlite.jsonl", "--sealed"), "exists already"),
    ],
)
def test_files_that_cannot_hold_an_export_are_refused(
    refuses: Refuses, sealed_head: str, arguments: tuple[str, ...], problem: str
) -> None:
    Path("run.sqlite.jsonl").write_text("mine")
    refuses("transcript", "export", "run.sqlite", *arguments, says=problem)
