"""`viva recheck` of comparisons and gates: from one record or one for each, and what is altered is found."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CliResult, Viva
from tests.cli.test_recheck import at
from vivavoce.cli import main

GOOD, POOR = "bot:calculator", "bot:calculator?wrong=0.3"
SUMS = ("--scope", "arithmetic?operations=+")
KEPT = ("--transcript", "run.sqlite")


def written(file: str, ended: CliResult) -> dict[str, Any]:
    Path(file).write_text(ended.out)
    values: dict[str, Any] = ended.values
    return values


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """What a comparison says as JSON, and its record."""
    folder = tmp_path_factory.mktemp("compared")
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(io.StringIO()) as out:
        patched.chdir(folder)
        assert main(("compare", GOOD, POOR, *SUMS, *KEPT, "--json")) == 0
    return out.getvalue(), (folder / "run.sqlite").read_bytes()


@pytest.fixture
def document(tmp_path: Path, compared: tuple[str, bytes]) -> dict[str, Any]:
    """The same, with its record in the folder where `viva` is called."""
    (tmp_path / "run.sqlite").write_bytes(compared[1])
    values: dict[str, Any] = json.loads(compared[0])
    return values


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("compare", GOOD, POOR), f"the comparison of {GOOD} against {POOR}"),
        (("compare", GOOD, POOR, "--seed", "3"), f"the comparison of {GOOD} against {POOR}"),
        (
            ("compare", POOR, "bot:gibberish", GOOD, "--set", "unreadable=wrong", "--rule", "share"),
            "against bot:gibberish against",
        ),
        (("compare", GOOD, POOR, "--draws", "3", "--set", "draws-claim=all-right"), f"the comparison of {GOOD} against {POOR}"),
        (("gate", POOR, "--baseline", GOOD), f"the gate of {POOR} instead of {GOOD}"),
        (("gate", GOOD, "--baseline", POOR, "--margin", "0.1", "--seed", "3"), f"the gate of {GOOD} instead of {POOR}"),
    ],
)
def test_it_is_the_same(viva: Viva, command: tuple[str, ...], what: str) -> None:
    written("x.json", viva(*command, *SUMS, *KEPT, "--json"))
    before = Path("run.sqlite").read_bytes()
    ended = viva("recheck", "x.json", *KEPT)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("● The same: ")
    assert what in ended.out
    assert Path("run.sqlite").read_bytes() == before


def test_a_record_for_each(viva: Viva) -> None:
    records = ("--record", "a.sqlite", "--record", "b.sqlite")
    document = written("x.json", viva("compare", GOOD, POOR, *SUMS, *records, "--json"))
    assert document["record_heads"][0] == document["transcript_head"]
    assert viva("recheck", "x.json", *records).code == 0
    printed = viva("compare", GOOD, POOR, *SUMS, *records).out
    assert "Recheck: viva recheck comparison.json --record a.sqlite --record b.sqlite, with what --json prints" in printed
    assert viva("recheck", "x.json", "--record", "a.sqlite").err.count("\n") == 1
    assert "is based on 2 records, but 1 given" in viva("recheck", "x.json", "--transcript", "a.sqlite").err
    other = viva("recheck", "x.json", "--record", "a.sqlite", "--record", "a.sqlite")
    assert (other.code, "record_heads[1]" in other.out) == (3, False)  # one record for both lacks the second one's answers
    assert "lacks some" in other.out


def test_options_are_one_or_the_other(viva: Viva, document: dict[str, Any]) -> None:
    Path("x.json").write_text(json.dumps(document))
    for given in ((), (*KEPT, "--record", "run.sqlite")):
        ended = viva("recheck", "x.json", *given)
        assert (ended.code, "or for a comparison a '--record' for each" in ended.err) == (2, True)
    three = ("--record", "run.sqlite") * 3
    assert "3 records for 2 candidates" in viva("recheck", "x.json", *three).err


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("verdict",), "worse"),
        (("difference", "lower"), 0.5),
        (("log_e", "better"), 99.0),
        (("discordant", 0, "id"), "another"),
        (("figures", "candidates", 1, "questions"), 1),
        (("candidates", 1), "bot:gibberish"),
        (("statement",), "all is well"),
        (("margin",), 0.2),
        (("seed",), 7),
        (("attempt", "terms", "settings", "delta"), 0.2),
        (("attempt", "terms", "candidate"), "x"),
        (("caveats",), []),
        (("transcript_head",), "1:" + "0" * 64),
        (("signature",), "vivavoce 0.1.0"),
        (("budget_ended",), {GOOD: {"limit": "tokens", "questions": 5}}),
        (("strict_faults",), True),
    ],
)
def test_what_was_altered_differs(viva: Viva, document: dict[str, Any], path: tuple[str | int, ...], new: Any) -> None:
    document.setdefault("budget_ended", None)
    document.setdefault("strict_faults", None)
    at(*path, value=new)(document)
    document = {name: value for name, value in document.items() if value is not None}
    Path("x.json").write_text(json.dumps(document))
    ended = viva("recheck", "x.json", *KEPT)
    assert ended.code == 3, ended.out + ended.err


@pytest.mark.parametrize(
    "given",
    [
        {"candidates": []},
        {"candidates": [5, None], "attempt": 7},
        {"candidates": [{"name": []}], "signature": 3},
        {"attempt": {"terms": {"candidate": 5}}, "record_heads": 9},
        {"budget_ended": {"bot:calculator": 5}},
        {"budget_ended": [1]},
    ],
)
def test_rubbish_is_told_in_a_line(viva: Viva, document: dict[str, Any], given: dict[str, Any]) -> None:
    Path("x.json").write_text(json.dumps(document | given))
    ended = viva("recheck", "x.json", *KEPT)
    assert ended.code in (2, 3)
    assert ended.err.count("\n") == (ended.code == 2)


def test_one_that_may_go_on_cannot_be_rechecked_yet(viva: Viva) -> None:
    written("x.json", viva("compare", GOOD, POOR, *SUMS, *KEPT, "--json", "--questions", "2"))
    ended = viva("recheck", "x.json", *KEPT)
    assert (ended.code, "the seed is not revealed" in ended.out or "its seed is not revealed" in ended.out) == (4, True)
    written("x.json", viva("compare", GOOD, POOR, *SUMS, *KEPT, "--json"))
    assert viva("recheck", "x.json", *KEPT).code == 0


def test_recordings_and_what_they_lack(viva: Viva) -> None:
    """The scope on record is what both recordings have: with them at hand it is found again, without them it is asked for."""
    Path("q.csv").write_text("id,question,answer\n" + "".join(f"{n},What is {n} + 1?,{n + 1}\n" for n in range(60)))
    Path("a.csv").write_text("id,new,old\n" + "".join(f"{n},{n + 1},{n + (n % 3 > 0)}\n" for n in range(50)))
    scope = ("--scope", "file:q.csv")
    document = written("x.json", viva("compare", "replay:a.csv#new", "replay:a.csv#old", *scope, *KEPT, "--json"))
    assert document["figures"]["left_out"] == 10
    assert viva("recheck", "x.json", *KEPT, *scope, "--file", "a.csv").code == 0
    for given in ((), scope):
        ended = viva("recheck", "x.json", *KEPT, *given)
        assert (ended.code, "also give the recording with --file" in ended.err) == (2, True)
    viva(
        "certify",
        POOR,
        *scope,
        "--set",
        "procedure=fixed",
        "--questions",
        "60",
        "--unacceptable-limit",
        "none",
        "--results",
        "r.csv",
    )
    written("g.json", viva("gate", "replay:a.csv#new", "--baseline", "r.csv", *scope, "--transcript", "g.sqlite", "--json"))
    files = ("--file", "a.csv", "--file", "r.csv")
    assert viva("recheck", "g.json", "--transcript", "g.sqlite", *scope, *files).code == 0


def test_a_record_must_begin_with_an_earlier_head(viva: Viva) -> None:
    for name, command in (("c.json", ("compare", GOOD, POOR)), ("g.json", ("gate", GOOD, "--baseline", POOR))):
        record = ("--transcript", f"{name}.sqlite")
        head = viva(*command, *SUMS, *record, "--json").values["transcript_head"]
        assert viva(*command, *SUMS, *record, "--set", f"head={head}", "--quiet").code == 0
        assert viva(*command, *SUMS, "--transcript", "new.sqlite", "--set", f"head={head}", "--quiet").code == 2


def test_sealed(viva: Viva, document: dict[str, Any]) -> None:
    Path("x.json").write_text(json.dumps(document))
    viva("transcript", "export", "run.sqlite", "all.jsonl", "--sealed")
    assert viva("recheck", "x.json", "--transcript", "all.jsonl").code == 0
