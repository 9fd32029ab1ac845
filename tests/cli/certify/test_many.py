import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.certify.test_certify import COUNTING, without_run
from tests.cli.conftest import Viva, wait_for_records

PLUS, TIMES = "arithmetic?operations=+", "arithmetic?operations=*"
QUICK = ("--ridiculous-limit", "none", "--quiet")
BOTH = ("--scope", PLUS, "--scope", TIMES, *QUICK)


@pytest.mark.parametrize(
    ("candidate", "more", "code"),
    [
        ("bot:calculator", (), 0),
        ("bot:calculator", ("--scope", "intervals"), 3),  # it knows nothing of intervals
        ("bot:calculator", ("--questions", "4"), 4),
        ("bot:gibberish", ("--correction", "fwer"), 4),  # nothing of it can be read
        ("bot:gibberish", ("--unreadable", "wrong"), 3),
    ],
)
def test_the_exit_code_is_the_verdict_on_all(viva: Viva, candidate: str, more: tuple[str, ...], code: int) -> None:
    ended = viva("certify", "--seed", "0", candidate, *BOTH, *more)
    assert ended.code == code, ended.err
    assert f"{candidate}" in ended.out.splitlines()[-1]
    assert ended.err == ""


def test_json_alone_on_standard_output(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:calculator?wrong=0.1", *BOTH, "--seed", "5", "--json", "--html", "page.html")
    document = json.loads(ended.out)
    assert ended.code == 0
    assert document["figures"]["verdicts"] == {"pass": 2, "fail": 0, "undecided": 0}
    assert [scope["scope"] for scope in document["figures"]["scopes"]] == [PLUS, TIMES]
    assert (document["figures"]["many"], document["figures"]["delta"], document["seed"]) == ("fdr", 0.05, 5)
    assert "passes 2 of 2 scopes" in Path("page.html").read_text(encoding="utf-8")


def test_each_category_is_a_scope(viva: Viva, tmp_path: Path) -> None:
    lines = [
        {"question": f"What is {a} + {b}?", "answer": a + b, "category": "odd" if a % 2 else "even"}
        for a in range(20) for b in range(20)
    ]  # fmt: skip
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    ended = viva(
        "certify", "--seed", "0", "bot:calculator", "--scope", "file:q.jsonl", "--split-by", "category", *QUICK, "--json"
    )
    document = json.loads(ended.out)
    assert ended.code == 0
    assert [scope["scope"] for scope in document["figures"]["scopes"]] == ["file:q.jsonl#even", "file:q.jsonl#odd"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--scope", "arithmetic", "--split-by", "category"), "endless"),
        (("--scope", PLUS, "--scope", PLUS), "name each scope once"),
        (("--scope", PLUS, "--scope", TIMES, "--procedure", "fixed", "--questions", "9"), "for one scope"),
        (("--scope", PLUS, "--scope", TIMES, "--strata", "category"), "same category"),
        (("--scope", PLUS, "--scope", "arithmatic"), "did you mean 'arithmetic'"),
        (("--scope", PLUS, "--scope", TIMES, "--html", "no/where.html"), "create it first"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    viva: Viva, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    ended = viva("certify", "--seed", "0", "function:counting:answer", *arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert problem in ended.err
    assert not (tmp_path / "asked.txt").exists()


@pytest.mark.long
def test_killed_it_goes_on_from_its_transcript_to_the_same_end(
    viva: Viva, tmp_path: Path, viva_copy: Callable[..., subprocess.Popen[str]]
) -> None:
    slow = ("certify", "--seed", "0", "bot:calculator?wrong=0.2&delay=0.05", *BOTH, "--json", "--transcript")
    process = viva_copy(*slow, "run.sqlite")
    wait_for_records(tmp_path / "run.sqlite", 20)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    resumed, whole = (viva(*slow, name, "--concurrency", "64") for name in ("run.sqlite", "other.sqlite"))
    assert resumed.code == whole.code == 0
    assert without_run(json.loads(resumed.out)) == without_run(json.loads(whole.out))
    assert viva("transcript", "verify", "run.sqlite").code == 0
