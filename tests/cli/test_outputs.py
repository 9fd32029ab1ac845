"""No output replaces a file that the command reads, or one that it writes otherwise, by whatever path it is named."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Viva

QUESTIONS = "question,answer\n6 * 7?,42\n"
RESULTS = '"id","question","reply","score"\n"1","6 * 7?","42",1\n'
BOT = "def answer(text):\n    return 'Answer: 42'\n"
SAID = "this command already uses that file; choose another"


@pytest.fixture
def files(viva: Viva) -> Viva:
    """A file of questions, by several paths, what was answered earlier, and a page that is no input."""
    Path("v.csv").write_text(QUESTIONS)
    Path("r.csv").write_text(RESULTS)
    Path("page.html").write_text("an earlier page")
    Path("outputs_bot.py").write_text(BOT)
    os.symlink("v.csv", "symbolic.csv")
    os.link("v.csv", "hard.csv")
    return viva


COMMANDS = {
    "certify": ("certify", "function:outputs_bot:answer"),
    "compare": ("compare", "function:outputs_bot:answer", "bot:gibberish"),
    "gate": ("gate", "function:outputs_bot:answer", "--baseline", "r.csv"),
    "vary": ("consistency", "vary", "function:outputs_bot:answer", "--vary", "typos"),
}


@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        *product(COMMANDS, ("--html", "--junit", "--results"), ("v.csv",)),
        *product(("certify",), ("--html",), ("./v.csv", "ABSOLUTE", "symbolic.csv", "hard.csv")),
    ],
)
def test_the_file_of_questions_is_never_replaced(files: Viva, command: str, option: str, name: str) -> None:
    where = str(Path("v.csv").resolve()) if name == "ABSOLUTE" else name
    ended = files(*COMMANDS[command], "--scope", "file:v.csv?match=number", option, where)
    assert (ended.code, ended.out) == (2, "")
    assert f"{option} {Path(where)}: {SAID}" in ended.err
    assert Path("v.csv").read_text() == QUESTIONS


@pytest.mark.parametrize(
    "arguments",
    [
        (*COMMANDS["gate"], "--scope", "file:v.csv", "--junit", "r.csv"),
        (*COMMANDS["gate"], "--scope", "file:v.csv", "--markdown", "r.csv"),
        ("gate", "replay:r.csv#reply", "--baseline", "bot:gibberish", "--scope", "file:v.csv", "--html", "r.csv"),
        (*COMMANDS["certify"], "--scope", "file:v.csv", "--junit", "x.xml", "--html", "x.xml"),
        (*COMMANDS["certify"], "--scope", "file:v.csv", "--transcript", "run.sqlite", "--junit", "run.sqlite"),
        (*COMMANDS["compare"], "--scope", "file:v.csv", "--markdown", "x.md", "--junit", "x.md"),
    ],
)
def test_neither_is_another_input_or_output(files: Viva, arguments: tuple[str, ...]) -> None:
    ended = files(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert SAID in ended.err
    assert (Path("r.csv").read_text(), Path("x.xml").exists(), Path("run.sqlite").exists()) == (RESULTS, False, False)


def test_neither_is_a_file_that_a_plan_names(files: Viva) -> None:
    Path("plan.toml").write_text('[[certificate]]\nscope = "file:v.csv"\n')
    Path("sweep.toml").write_text('candidates = ["bot:calculator", "bot:gibberish"]\nscopes = ["file:v.csv"]\n')
    for arguments in (
        ("report", "function:outputs_bot:answer", "--plan", "plan.toml", "--out", "out", "--results", "v.csv"),
        ("report", "function:outputs_bot:answer", "--plan", "plan.toml", "--out", "out", "--junit", "plan.toml"),
        ("compare", "--plan", "sweep.toml", "--out", "out", "--html", "v.csv"),
        ("compare", "--plan", "sweep.toml", "--out", "out", "--markdown", "v.csv"),
    ):
        ended = files(*arguments)
        assert ended.code == 2
        assert SAID in ended.err
    assert Path("v.csv").read_text() == QUESTIONS


def test_an_earlier_page_is_replaced_and_a_device_may_have_several_uses(files: Viva) -> None:
    assert files(*COMMANDS["certify"], "--scope", "file:v.csv", "--html", "page.html", "--quiet").code in (0, 4)
    assert "<html" in Path("page.html").read_text()
    ended = files(*COMMANDS["certify"], "--scope", "file:v.csv", "--html", os.devnull, "--junit", os.devnull, "--quiet")
    assert ended.code in (0, 4), ended.err
