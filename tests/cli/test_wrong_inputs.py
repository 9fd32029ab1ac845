"""Wrong inputs: each ends with exit code 2 and one line that has the wrong value, and says what to write instead."""

from __future__ import annotations

import re
import shlex
import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

FILES = {
    "support.csv": "id,question,answer\n1,6*7?,42\n2,5*7?,35\n",
    "answers.csv": "id,reply\n1,42\n",
    "empty.csv": "",
    "header.csv": "question,answer\n",
    "nul.csv": "question,answer\n6*7?,4\0002\n",
    "anser.csv": "question,anser\n6*7?,42\n",
    "twice.csv": "id,question,answer\n1,6*7?,42\n1,5*7?,35\n",
    "gap.csv": "question,answer\n6*7?,\n",
    "wide.csv": "question,answer\n6*7?,42,43\n",
    "rubric.csv": "question,rubric\nWhy?,10: it says so\n",
    "broken.jsonl": '{"question": "6*7?", "answer": \n',
    "key.jsonl": '{"answer": "42"}\n',
    "typo.jsonl": '{"question": "6*7?", "answer": "42", "optoins": ["a"]}\n',
    "broken.json": '{"verdict": ',
    "list.json": "[]",
    "page.html": "<p>Hello</p>",
    "note.txt": "hello",
    "plan.toml": "[certificate]\n",
    "broken.toml": "[certificate\n",
    "section.toml": "[certificat]\nscope = 'arithmetic'\n",
    "type.toml": "[[certificate]]\nscope = 3\n",
    "key.toml": "[[certificate]]\nscpe = 'arithmetic'\n",
    "negative.toml": "[[certificate]]\nscope = 'arithmetic'\npassing_grade = -1\n",
    "models.toml": "scopes = ['arithmetic']\n",
    "own_bot.py": "def answer(text):\n    return '42'\n",
    "broken_bot.py": "def answer(text:\n",
}
CERTIFY = "certify bot:eliza --scope intervals"
WRONG = [
    # commands and options
    ("certfy", "'certfy'", "did you mean 'viva certify'?"),
    ("consistency ches", "'ches'", "did you mean 'viva consistency chess'?"),
    ("transcript shwo run.sqlite", "'shwo'", "did you mean 'viva transcript show'?"),
    ("list canddates", "'canddates'", "did you mean 'candidates'?"),
    ("certify bot:eliza --scop intervals", "'--scop'", "did you mean '--scope'?"),
    ("certify bot:eliza", "'--scope'", "Missing option"),
    ("report", "'CANDIDATE'", "Missing argument"),
    ("certify bot:eliza intervals --scope intervals", "'intervals'", "leave it out"),
    ("compare --plan", "'--plan'", "write one after it"),
    # candidates
    ("certify bot:elisa intervals", "'elisa'", "did you mean 'eliza'?"),
    ("certify foo:bar intervals", "'foo'", "write inspect:foo/bar"),
    ("certify my-own intervals", "'my-own'", "chat:my-own@http://localhost:11434/v1"),
    ("certify gpt-4o-mini intervals", "'gpt-4o-mini'", "$OPENAI_API_KEY is not set: set it"),
    ("certify bot: intervals", "'bot:'", "write bot:NAME"),
    ("certify chat:m intervals", "'chat:m'", "write it as in chat:llama3.2@http://localhost:11434/v1"),
    ("certify chat:m@localhost:8000 intervals", "'chat:m@localhost:8000'", "http://"),
    ("certify chat:m@http://127.0.0.1:9/v1?temperatur=0 intervals", "'temperatur'", "did you mean 'temperature'?"),
    ("certify chat:m@http://127.0.0.1:9/v1?temperature=hot intervals", "'hot'", "a valid number"),
    ("certify bot:calculator?worng=0.1 intervals", "'worng'", "did you mean 'wrong'?"),
    ("certify bot:calculator?wrong=2 intervals", "'2'", "less than or equal to 1"),
    ("certify function:nowhere:answer intervals", "'nowhere'", "searched for in the current folder"),
    ("certify function:broken_bot:answer intervals", "broken_bot.py, line 1", "fix it first"),
    ("certify own_bot.py:anser intervals", "'anser'", "did you mean 'answer'?"),
    ("certify nothing.py:answer intervals", "'nothing.py'", "check the path"),
    ("certify support.csv intervals", "'support.csv'", "write replay:support.csv#COLUMN"),
    ("certify replay:answers.csv#repy intervals", "'repy'", "did you mean 'reply'?"),
    ("certify replay:nowhere.csv#reply intervals", "nowhere.csv", "check the path"),
    ("certify replay:folder#reply intervals", "folder", "must end in .csv"),
    ("certify inspect:openai intervals", "'inspect:openai'", "inspect:openai/gpt-4o"),
    ("certify uci:nofish intervals", "'uci:nofish'", "'viva consistency chess check'"),
    # scopes, and files of questions
    ("certify bot:eliza arithmatic", "'arithmatic'", "did you mean 'arithmetic'?"),
    ("certify bot:eliza intervals?digts=2", "'digts'", "There are: events"),
    ("certify bot:eliza support.csv?match=exat", "'exat'", "did you mean 'exact'?"),
    ("certify bot:eliza file:nowhere.csv", "nowhere.csv", "check the path"),
    ("certify bot:eliza file:folder", "folder", "must end in .jsonl"),
    ("certify bot:eliza note.txt", "note.txt", "must end in .jsonl"),
    ("certify bot:eliza empty.csv", "empty.csv", "holds no questions"),
    ("certify bot:eliza header.csv", "header.csv", "holds no questions"),
    ("certify bot:eliza nul.csv", "nul.csv, line 2", "save it as UTF-8"),
    ("certify bot:eliza anser.csv", "'anser'", "did you mean 'answer'?"),
    ("certify bot:eliza twice.csv", "'1'", "make it unique"),
    ("certify bot:eliza gap.csv", "gap.csv, line 2", "write ?answer=COLUMN"),
    ("certify bot:eliza wide.csv", "wide.csv, line 2", "in quotation marks"),
    ("certify bot:eliza broken.jsonl", "broken.jsonl, line 1", "write one whole object in each line"),
    ("certify bot:eliza key.jsonl", "key.jsonl, line 1", "write ?question=COLUMN"),
    ("certify bot:eliza typo.jsonl", "'optoins'", "did you mean 'options'?"),
    ("certify bot:eliza rubric.csv", "'1'", "name a judge with '--judge CANDIDATE'"),
    ("certify bot:eliza rubric.csv --judge bot:jugde", "'jugde'", "There are: calculator"),
    # values of options
    (f"{CERTIFY} --passing-grade -0.1", "'-0.1'", "give a number above 0 and below 1"),
    (f"{CERTIFY} --passing-grade 1.5", "'1.5'", "give a number above 0 and below 1"),
    (f"{CERTIFY} --delta 0", "'0'", "give a number above 0 and below 1"),
    (f"{CERTIFY} --delta nan", "'nan'", "give a number above 0 and below 1"),
    (f"{CERTIFY} --questions 2.5", "'2.5'", "give a whole number above 0"),
    (f"{CERTIFY} --seed -1", "'-1'", "give a whole number of 0 or more"),
    (f"{CERTIFY} --concurrency 0", "'0'", "give a whole number from 1 to 10,000"),
    (f"{CERTIFY} --set timeout=inf", "'inf'", "give a number above 0"),
    (f"{CERTIFY} --money -1", "'-1'", "give a number above 0"),
    (f"{CERTIFY} --unacceptable-limit never", "'never'", "or none"),
    (f"{CERTIFY} --set procedure=fixed", "'--set procedure=fixed'", "'--questions N'"),
    (f"{CERTIFY} --strata topc", "'topc'", "is not one of category"),
    (f"{CERTIFY} --transcript no/folder/run.sqlite", "no/folder/run.sqlite", "create it first"),
    (f"{CERTIFY} --transcript folder", "folder", "name a file in it"),
    (f"{CERTIFY} --html folder", "'folder'", "name a file for '--html'"),
    (f"{CERTIFY} --html no/page.html", "'no'", "create it first"),
    ("gate bot:eliza --baseline bot:eliza --scope intervals --margin 2", "'2'", "For 2% write 0.02"),
    # plans, and results
    ("compare plan.toml", "'plan.toml'", "write --plan plan.toml"),
    ("compare bot:eliza bot:calculator --scope intervals --dry-run", "'--dry-run'", "add '--plan FILE'"),
    ("compare bot:eliza bot:eliza --scope intervals", "'bot:eliza'", "name two different candidates"),
    ("compare --plan models.toml", "models.toml", 'candidates = ["bot:calculator", "bot:eliza"]'),
    ("report bot:eliza --plan nowhere.toml", "'nowhere.toml'", "check the path"),
    ("report bot:eliza --plan broken.toml", "broken.toml", "correct it there"),
    ("report bot:eliza --plan section.toml", "'certificat'", "did you mean 'certificate'?"),
    ("report bot:eliza --plan type.toml", "'3'", "should be a valid string"),
    ("report bot:eliza --plan key.toml", "'scpe'", "did you mean 'scope'?"),
    ("report bot:eliza --plan negative.toml", "'-1'", "should be greater than 0"),
    ("report bot:eliza --only certficate", "'certficate'", "did you mean 'certificate'?"),
    ("report bot:eliza --out support.csv", "'support.csv'", "name a folder for '--out'"),
    ("transcript verify nowhere.sqlite", "nowhere.sqlite", "check the path"),
    ("recheck broken.json --transcript run.sqlite", "broken.json", "give what --json printed"),
    ("recheck list.json --transcript run.sqlite", "list.json", "printed with --json"),
    ("recheck page.html --transcript run.sqlite", "page.html", "give what --json printed"),
    ("diff page.html list.json", "page.html", "give the report.json of 'viva report'"),
    ("view note.txt", "note.txt", "is not a page (.html): name one"),
    ("view nowhere.html", "nowhere.html", "check the path"),
    ("luna serve --port 99999", "'99999'", "give a whole number from 0 to 65,535"),
    ("luna admin stats --database folder", "folder", "'viva luna serve' makes one"),
    ("eqt bot:eliza --concepts maths", "'maths'", "did you mean 'math'?"),
]
SETTINGS = [
    ("modle = 'x'", "'modle'", "did you mean 'model'?"),
    ("passing_grade = 'high'", "'high'", "give a number, such as 0.8"),
    ("model = 3", "3", "give a text"),
    ("transcript = ['a']", "['a']", "give a text, such as 'run.sqlite'"),
    ("models = 3", "[models]", "such as small = 'chat:MODEL@URL'"),
    ("model = ", "viva.toml", "is not TOML"),
    ("passing_grade = 1.5", "'1.5'", "give a number above 0 and below 1"),
    ("[models]\ncalculator = 'bot:eliza'", "'calculator'", "write one of them in full"),
]
"""Texts of `viva.toml`."""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "folder").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


def sentences(message: str) -> int:
    """How many there are, without the hint to the help."""
    return len(re.split(r"[.?!] (?=[A-Z])", re.sub(r" See '[^']* --help'\.$", "", message)))


@pytest.mark.parametrize(("command", "value", "remedy"), WRONG, ids=[command for command, _, _ in WRONG])
def test_the_line_has_the_value_and_what_to_write(refuses: Refuses, command: str, value: str, remedy: str) -> None:
    message = refuses(*shlex.split(command), says=value)
    assert remedy in message
    assert sentences(message) <= 2


@pytest.mark.parametrize(("text", "value", "remedy"), SETTINGS, ids=[text for text, _, _ in SETTINGS])
def test_a_mistake_in_the_settings_is_named(refuses: Refuses, text: str, value: str, remedy: str) -> None:
    Path("viva.toml").write_text(text)
    message = refuses("certify", "calculator", "intervals", says=value)
    assert remedy in message
    assert sentences(message) <= 2


def test_a_name_of_two_things_is_refused(refuses: Refuses) -> None:
    Path("arithmetic").write_text("question,answer\n1+1?,2\n")
    assert "write one of them in full" in refuses("certify", "bot:eliza", "arithmetic", says="(file:arithmetic)")


def test_a_port_in_use_is_named(refuses: Refuses) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert "choose another --host or --port" in refuses("luna", "serve", "--port", port, says=f"127.0.0.1:{port}")


def test_a_transcript_of_another_model_is_refused(viva: Viva, refuses: Refuses) -> None:
    asked = ("intervals", "--questions", "3", "--seed", "0", "--quiet", "--json")
    viva("certify", "bot:eliza", *asked, "--transcript", "eliza.sqlite")
    Path("other.json").write_text(viva("certify", "bot:timekeeper", *asked, "--transcript", "other.sqlite").out)
    message = refuses("recheck", "other.json", "--transcript", "eliza.sqlite", says="bot:timekeeper")
    assert "give the transcript of that run" in message


@pytest.mark.parametrize("file", ["support.csv", "note.txt"])
def test_a_file_that_is_not_a_transcript_ends_with_5(viva: Viva, file: str) -> None:
    ended = viva("certify", "bot:eliza", "intervals", "--transcript", file)
    assert (ended.code, ended.out) == (5, "")
    assert ended.err == f"viva: transcript {file} cannot be read: file is not a database; name another file\n"


def test_bytes_of_spreadsheets_are_no_mistake(viva: Viva) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        Path("support.csv").write_text(FILES["support.csv"], encoding=encoding)
        assert viva("try", "bot:eliza", "support.csv", "--questions", "1").code == 0, encoding


def test_there_are_as_many_as_promised() -> None:
    assert len(WRONG) + len(SETTINGS) >= 78
