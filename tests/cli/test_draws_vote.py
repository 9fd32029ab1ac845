"""`--draws-claim vote` of compare and gate: real servers, votes counted again by hand from the rows, and a recheck."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest

from tests.cli.conftest import Viva
from tests.serving import process_of

NUMBER = 9
VOTES = ("--draws", str(NUMBER), "--draws-claim", "vote", "--seed", "0", "--transcript", "run.sqlite")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with process_of("tests.candidates.server") as address:
        yield address


@pytest.fixture
def scope(tmp_path: Path) -> str:
    lines = (json.dumps({"id": f"q{i}", "question": f"What is {i} + {3 * i}?", "answer": str(4 * i)}) for i in range(20))
    (tmp_path / "sums.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "file:sums.jsonl"


def by_hand(rows: list[dict[str, str]]) -> float:
    """The mean score of votes: what came most often counts, and of a tie the mean."""
    values = []
    for replies in (rows[index : index + NUMBER] for index in range(0, len(rows), NUMBER)):
        often = Counter(float(row["read as"]) for row in replies)
        tied = [answer for answer, number in often.items() if number == max(often.values())]
        values.append(mean(answer == float(replies[0]["expected"]) for answer in tied))
    return mean(values)


def test_a_vote_mends_what_single_answers_do_wrong(viva: Viva, server: str, scope: str) -> None:
    unsure, sure = f"chat:unsure@{server}/v1", f"chat:calculator@{server}/v1"
    held = ("gate", unsure, "--baseline", sure, "--scope", scope, "--margin", "0.2")
    gated = viva(*held, *VOTES, "--results", "rows.csv", "--json")
    document = json.loads(gated.out)
    assert (gated.code, document["verdict"]) == (0, "pass")  # .8 of the answers are right, 5 or more of 9 in .98 of cases
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8-sig").splitlines()))
    new, old = ([row for row in rows if row["candidate"] == name] for name in (unsure, sure))
    assert document["figures"]["difference"]["mean"] == pytest.approx(by_hand(new) - by_hand(old))
    assert document["figures"]["difference"]["lower"] < 0.98 - 1 < document["figures"]["difference"]["upper"]
    Path("gate.json").write_text(json.dumps(document), encoding="utf-8")
    assert viva("recheck", "gate.json", "--transcript", "run.sqlite", "--scope", scope).code == 0
    other = viva(*held, *VOTES, "--draws-claim", "mean")
    assert other.code == 2
    assert "vote" in other.err
    alone = viva(*held, "--draws", str(NUMBER), "--seed", "0")
    assert alone.code == 3  # .8 of single answers are right


def test_two_are_compared_on_a_page(viva: Viva, server: str, scope: str) -> None:
    unsure, sure = f"chat:unsure@{server}/v1", f"chat:calculator@{server}/v1"
    votes = ("--seed", "0", "--draws", "3", "--draws-claim", "vote")
    ended = viva("compare", sure, unsure, "--scope", scope, *votes, "--html", "page.html")
    assert "is better than" in ended.out
    page = " ".join(Path("page.html").read_text(encoding="utf-8").split())
    assert "Mean score of the vote of 3" in page
    assert "mean scores of the answers that most of 3 replies to a question agree on" in page
