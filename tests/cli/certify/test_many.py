import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

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
    document = ended.values
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
    document = ended.values
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
def test_scopes_that_do_not_go_together_are_refused(refuses: Refuses, arguments: tuple[str, ...], problem: str) -> None:
    refuses("certify", "--seed", "0", "bot:calculator", *arguments, says=problem)
