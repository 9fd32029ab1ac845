"""`viva certify --deployed` and its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """300 questions of which people ask the first 60 five times as often, and a candidate that does not know those."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "all_but_the_first.py").write_text(
        "def answer(text: str) -> str:\n"
        "    number = int(text.split()[1].rstrip('?'))\n"
        "    return f'Answer: {number}' if number >= 60 else '<script>alert(1)</script>\\nAnswer: -7'\n"
    )
    rows = ({"id": f"q{n}", "question": f"Number {n}?", "answer": n, "weight": 5 if n < 60 else 1} for n in range(300))
    (tmp_path / "used.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return f"file:{tmp_path / 'used.jsonl'}"


KNOWS_THE_REST = "function:all_but_the_first:answer"


def test_two_verdicts_in_words_in_json_and_on_a_page(viva: Viva, scope: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    given = (KNOWS_THE_REST, "--scope", scope, "--unacceptable-limit", "none", "--deployed", "--html", str(page))
    ended = viva("certify", "--seed", "0", *given, "--quiet")
    assert ended.code == 3
    assert "it fails as people will use it: " in " ".join(ended.out.split())
    ended = viva("certify", "--seed", "0", *given, "--json")
    values = ended.values
    assert (ended.code, values["figures"]["whole"]["verdict"], values["figures"]["deployed"]["verdict"]) == (3, "pass", "fail")
    text = page.read_text()
    assert "Pass as a whole; fail as used" in text
    assert "<script>alert" not in text


def test_started_again_it_asks_nothing_twice(viva: Viva, scope: str, tmp_path: Path) -> None:
    given = (KNOWS_THE_REST, "--scope", scope, "--unacceptable-limit", "none", "--deployed", "--json")
    kept = ("--transcript", str(tmp_path / "run.sqlite"))
    first, again = (viva("certify", "--seed", "0", *given, *kept).values for _ in range(2))
    assert first["transcript_head"] == again["transcript_head"]
    assert first["statement"] == again["statement"]


def test_what_the_weights_cost_is_said_before(viva: Viva, scope: str) -> None:
    # the heaviest counts 5 * 300 / 540 = 2.78 times its share
    limit = ("--unacceptable-limit", "0.01")
    ended = viva("certify", "--seed", "0", "bot:eliza", "--scope", scope, "--deployed", "--questions", "2", *limit)
    assert ended.code == 4
    assert "The heaviest question counts 2.78 times its share" in ended.err
    assert "Within 2 questions no pass is possible" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scope", "arithmetic"), "endless"),
        (("--strata", "category"), "leave out other designs"),
        (
            (
                "--set",
                "importance-weighting",
            ),
            "leave out other designs",
        ),
        (("--scope", "intervals"), "two verdicts each"),
    ],
)
def test_what_does_not_go_together(viva: Viva, scope: str, arguments: tuple[str, ...], words: str) -> None:
    own = () if arguments == ("--scope", "arithmetic") else ("--scope", scope)
    ended = viva("certify", "--seed", "0", "bot:gibberish", *own, *arguments, "--deployed")
    assert ended.code == 2
    assert words in " ".join(ended.err.split())


def test_weights_that_are_alike_are_refused(refuses: Refuses, tmp_path: Path) -> None:
    (tmp_path / "alike.jsonl").write_text('{"question": "1?", "answer": 1}\n{"question": "2?", "answer": 2}\n')
    refuses("certify", "bot:gibberish", "--scope", "file:alike.jsonl", "--deployed", says="viva people deploy")
