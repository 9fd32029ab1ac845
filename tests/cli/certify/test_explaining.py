"""`viva certify --explanations`, `--set explanation-file`, `--set explain-again`."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva, in_full
from vivavoce.interview.transcript import Transcript

SCOPE = ("--scope", "arithmetic?digits=1&operations=+*", "--unacceptable-limit", "0.02", "--set", "checks=500", "--quiet")
EXPLAINS = "bot:calculator?explains=multiplication"


def test_a_procedure_is_asked_for_and_halves_the_questions(viva: Viva, tmp_path: Path) -> None:
    ended = viva(
        "certify",
        "--seed",
        "0",
        EXPLAINS,
        *in_full(SCOPE),
        "--explanations",
        "1",
        "--transcript",
        "t.sqlite",
        "--html",
        "page.html",
    )
    assert ended.code == 0
    assert "together with 1 procedure, passes" in ended.out
    assert "program, request 1" in ended.out
    assert "def covers(question)" in (tmp_path / "page.html").read_text(encoding="utf-8")
    # the request is on record like any other question
    assert (
        "certificate/arithmetic?digits=1&operations=+*/explanations"
        in viva("transcript", "export", "t.sqlite", "--records").out
    )


@pytest.mark.long
def test_from_files(viva: Viva, tmp_path: Path) -> None:
    products = {f"What is {a} * {b}?": a * b for a in range(10) for b in range(10)}
    (tmp_path / "products.json").write_text(json.dumps(products))
    sums = "def covers(q): return q['category'] == '+'\ndef answer(q): return eval(q['text'][8:-1])\n"
    (tmp_path / "sums.py").write_text(sums)
    files = ("--set", "explanation-file=products.json", "--set", "explanation-file=sums.py")
    ended = viva("certify", "--seed", "0", "bot:gibberish", *SCOPE, *files, "--json")
    document = ended.values
    assert ended.code == 0  # all is explained, so that nothing was asked of it
    assert document["figures"]["explained"]["standing"] == 2
    assert document["figures"]["explained"]["asked"] == 0
    assert [entry["kind"] for entry in document["figures"]["explained"]["explanations"]] == ["table", "program"]


@pytest.mark.parametrize(
    ("covered", "answer", "code", "verdict", "score"),
    [
        ("True", "eval(q['text'][8:-1])", 0, "pass", 1.0),
        # some question is left, and gibberish answers it
        ("q['category'] == '+'", "eval(q['text'][8:-1])", 4, "undecided", None),
    ],
)
@pytest.mark.long
def test_a_fixed_number_where_a_program_answers_everything(
    viva: Viva,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    covered: str,
    answer: str,
    code: int,
    verdict: str,
    score: float | None,
) -> None:
    monkeypatch.setattr("vivavoce.certificate.explanations.examine.IDLE", 5_000)  # so many in vain, and it gives up
    (tmp_path / "full.py").write_text(f"def covers(q): return {covered}\ndef answer(q): return {answer}\n")
    fixed = ("--set", "procedure=fixed", "--questions", "30", "--set", "explanation-file=full.py", "--json")
    ended = viva("certify", "--seed", "0", "bot:gibberish", *SCOPE, *fixed)
    document = ended.values
    assert (ended.code, document["verdict"]) == (code, verdict)
    if score is not None:
        assert document["figures"]["score"] == {"mean": score, "lower": score, "upper": score}
        assert (document["figures"]["questions"], document["figures"]["explained"]["asked"]) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--set", "explanation-file=missing.py"), "missing.py"),
        (("--set", "explanation-file=words.txt"), "not a program (.py) or a table"),
        (("--set", "explanation-file=empty.py"), "empty.py"),
        (("--explanations", "0"), "--explanations"),
        ((), "--explanations N"),
        (("--explanations", "1", "--scope", "intervals"), "for one scope"),
        (("--set", "explain-again=1", "--set", "procedure=fixed", "--questions", "5"), "asked for again"),
    ],
)
def test_explanations_that_cannot_be_had_are_refused(
    refuses: Refuses, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "words.txt").write_text("x")
    (tmp_path / "empty.py").write_text("\n")
    refuses("certify", "--seed", "0", EXPLAINS, *SCOPE, *arguments, says=problem)


@pytest.mark.slow
def test_killed_it_goes_on_with_the_same_procedures(
    viva: Viva, tmp_path: Path, viva_copy: Callable[..., subprocess.Popen[str]]
) -> None:
    asked = (*SCOPE, "--explanations", "1", "--json", "--concurrency", "2")
    whole = viva("certify", "--seed", "0", EXPLAINS, *asked).values
    for seconds in (2.0, 3.0, 4.0):
        with viva_copy("certify", "--seed", "0", f"{EXPLAINS}&delay=0.1", *asked, "--transcript", "kept.sqlite") as process:
            time.sleep(seconds)
            process.kill()
            process.communicate()
    ended = viva("certify", "--seed", "0", EXPLAINS, *asked, "--transcript", "kept.sqlite")
    again = ended.values
    assert again.pop("transcript_head")
    assert again.pop("origins").keys() == whole.pop("origins").keys()
    assert again == whole
    with Transcript.open(tmp_path / "kept.sqlite") as transcript:
        answers = sum(record.candidate.startswith("bot:") for record in transcript.records(topic="certificate"))
    # every answer once, and what was ahead: at most the look-ahead of 4 at the verdict
    assert answers <= whole["figures"]["explained"]["asked"] + 1 + 4  # 1: the procedure itself is an answer, too
