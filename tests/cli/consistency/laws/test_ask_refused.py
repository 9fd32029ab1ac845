"""What `viva consistency forecasts ask` refuses, in a line, before anything is asked; and a candidate that is not there."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.cli.consistency.laws.test_ask import Ask, ask, server
from tests.studies.forecasts.forecasters import probability_tuples, report
from vivavoce.studies.forecasting.tuples import write_tuples

__all__ = ["ask", "server"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "holds no tuples"),
        ("rubbish\n", "line 1: not JSON"),
        ('{"law": "neg", "questions": {"P": "Will it?"}}\n', "line 1"),
        ('{"law": "neg", "questions": {"P": "Will it?", "Q": "Will that?"}}\n', "line 1"),
        ('{"law": "nag", "questions": {"P": "Will it?", "not_P": "Not?"}}\n', "neg"),
        ('{"law": "neg", "questions": {"P": 5, "not_P": []}}\n', "line 1"),
        ('{"law": "increasing", "questions": {"soon": "How many?", "late": "How many?"}}\n', "soon"),
        ("[" * 100_000, "line 1: lists or objects are nested more than"),
    ],
)
def test_rubbish_is_refused_before_anything_is_asked(ask: Ask, tmp_path: Path, server: str, text: str, problem: str) -> None:
    (tmp_path / "tuples.jsonl").write_text(text)
    before = report(server)["requests"]
    ended = ask("steady", "--transcript", "run.sqlite")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert problem in ended.err
    assert report(server)["requests"] == before
    assert not (tmp_path / "run.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--law", "bays"), "did you mean 'bayes'"),
        (("--temperature", "hot"), "from 0 to 10, or none"),
        (("--temperature", "nan"), "from 0 to 10, or none"),
        (("--out", "missing/rows.jsonl"), "the folder 'missing' does not exist"),
        (("--out", "tuples.jsonl"), "already uses that file"),
        (("--html", "missing/page.html"), "the folder 'missing' does not exist"),
        (("--variant", "backwards"), "plain"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    ask: Ask, server: str, arguments: tuple[str, ...], problem: str
) -> None:
    before = report(server)["requests"]
    ended = ask("steady", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert problem in ended.err
    assert report(server)["requests"] == before


def test_a_candidate_out_of_reach_is_exit_code_5(viva: Viva, tmp_path: Path) -> None:
    write_tuples(tmp_path / "tuples.jsonl", list(probability_tuples(1)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound but not listening: every connection is refused
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        ended = viva(
            "consistency", "forecasts", "ask", f"chat:x@{address}", "--tuples", "tuples.jsonl", "--set", "max-tries=1", "-q"
        )
    assert (ended.code, ended.out) == (5, "")
    assert "use --transcript FILE" in ended.err
