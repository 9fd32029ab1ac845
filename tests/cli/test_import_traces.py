"""`viva import traces`: questions of users, and the examinations that they are for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva

pytest.importorskip("phonenumbers")

RUBRIC = "10 points: it names gravity."


def new(text: str) -> str:
    return "Because of gravity."


def old(text: str) -> str:
    return "Because of gravity." if int(text.split()[1]) % 3 else "No idea."


def judge(text: str) -> str:
    return f"Score: {10 if 'gravity' in text.split('<answer')[1] else 0}\nUnacceptable: no"


NEW, OLD, JUDGE = (f"function:{__name__}:{name}" for name in ("new", "old", "judge"))


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Eighty questions, half of which two users ask, and one of which has an address."""
    file = tmp_path / "chats.jsonl"
    asked = [f"Explain {n} to ann@example.org" if n == 7 else f"Explain {n} to Ann Lee of Zorblax" for n in range(80)]
    rows = [{"messages": [{"role": "user", "content": text}]} for text in (*asked, *(text.upper() for text in asked[::2]))]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_what_is_replaced_and_what_to_do_next(viva: Viva, chats: Path) -> None:
    ended = viva("import", "traces", str(chats), "--rubric", RUBRIC)
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert (ended.code, len(rows), sum(row.get("weight", 1) for row in rows)) == (0, 80, 120)
    assert rows[7]["question"] == "Explain 7 to [EMAIL]"
    assert rows[7]["rubric"] == RUBRIC
    assert ended.err.splitlines() == [
        "Replaced: one e-mail address, 119 names.",
        "Rare names may remain: list them with '--names FILE', and read the rows before you share them.",
        "Next: 'viva certify' on these rows with '--judge MODEL', or with '--sheet FILE' for people.",
        "Rows: 80 questions, 0 refused",
        "As a scope: file:FILE.jsonl",
    ]
    assert "Ann" not in ended.out
    Path("names.txt").write_text("Zorblax\n")
    Path("rubric.txt").write_text(RUBRIC)
    named = viva("import", "traces", str(chats), "--rubric", "rubric.txt", "--names", "names.txt", "--country", "DE")
    assert "zorblax" not in named.out.lower()


def test_certificates_as_used_and_gates_run_on_them(viva: Viva, chats: Path) -> None:
    assert viva("import", "traces", str(chats), "--rubric", RUBRIC, "--out", "q.jsonl").code == 0
    judged = ("--scope", "file:q.jsonl", "--judge", JUDGE, "--seed", "0")
    deployed = viva("certify", NEW, *judged, "--deployed", "--unacceptable-limit", "none", "--json")
    assert deployed.code == 0, deployed.err
    assert "it passes as people will use it: 100% correct" in deployed.values["statement"]
    gate = viva("gate", NEW, "--baseline", OLD, *judged, "--margin", "0.1", "--json")
    assert (gate.code, gate.values["verdict"]) == (0, "pass")


def test_options_of_other_tools_are_refused(refuses: Refuses, chats: Path) -> None:
    refuses("import", "promptfoo", "x.yaml", "--every-call", says="'--every-call' is not for promptfoo")
    refuses("import", "traces", str(chats), "--filter", "x", says="which takes --rubric, --names, --country, --every-call")
    refuses("import", "traces", str(chats), says="Missing option '--rubric'")
    refuses("import", "traces", str(chats), "--rubric", RUBRIC, "--country", "Germany", says="'GERMANY' is not a country")
