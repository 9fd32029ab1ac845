"""The whole way of a product team: their own table of questions, their bot behind a server, a judge, and a dossier."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.serving import process_of

HEADING = re.compile(r"<(?:h[1-6]|title)[ >].*")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the bot and the judge listen."""
    with process_of("tests.cli.support_server") as address:
        yield f"{address}/v1"


def write_questions(file: Path, delimiter: str) -> None:
    """Sixty questions as a team writes them: numbers, options and texts, of which 15 have a rubric and no answer."""
    days = [
        (f"Goods of order {n} came on day {n}. Until which day may they be returned?", n + 14, "", "", "") for n in range(20)
    ]
    options = [(f"Item {n} broke; what is due?", "Refund", "Refund|Voucher|Nothing", "Nothing", "") for n in range(15)]
    cities = [
        (f"Which city is the branch of {name}straat in?", name, "", "", "") for name in ("Delft", "Gent", "Lille") for _ in "x"
    ]
    cities += [
        (f"Which city is the branch of {c}straat in?", f"{c}|{c.upper()}", "", "", "") for c in map("Ort{}".format, "ABCDEFG")
    ]
    why = [
        (f"Why is order {n} {kind}?", "", "", "", "10 points: names the reason; it is short")
        for n, kind in enumerate(5 * ("cold", "fragile", "late"))
    ]
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        table = csv.writer(stream, delimiter=delimiter)
        table.writerow(["question", "answer", "options", "unacceptable", "rubric"])
        table.writerows((*days, *options, *cities, *why))
    assert (len((*days, *options, *cities, *why)), len(why)) == (60, 15)


@pytest.mark.parametrize("delimiter", [";", ","])
@pytest.mark.long
def test_from_a_table_to_a_dossier(viva: Viva, tmp_path: Path, server: str, delimiter: str) -> None:
    write_questions(tmp_path / "support.csv", delimiter)
    bot, judge = (f"chat:{model}@{server}" for model in ("support", "judge"))
    asked = ("--scope", "file:support.csv", "--set", "title=Support questions", "--judge", judge)
    ahead = viva("report", bot, "--set", "name=Support bot", *asked, "--dry-run")
    assert ahead.code == 0
    assert "Support bot: planned questions" in ahead.err
    assert "~75" in ahead.err  # 60 questions, and 15 judgements
    ended = viva("report", bot, "--set", "name=Support bot", *asked, "--seed", "0", "--out", "support")
    assert ended.code == 0, ended
    assert f"Support bot passes Support questions by the judgement of {judge}" in ended.out
    assert f"● Passes\n  Support questions, by the judgement of {judge} (these answers): " in ended.out

    dossier = json.loads((tmp_path / "support/report.json").read_text())
    assert (dossier["candidates"][0].partition("?")[0], dossier["name"]) == (bot, "Support bot")
    details = dossier["cards"][0]["details"]["figures"]
    assert (details["scope"], details["title"], details["name"]) == ("file:support.csv", "Support questions", "Support bot")
    assert details["score"]["mean"] == 1.0
    grading = details["grading"]
    assert grading["graded_by_rule"] + grading["graded_by_judge"] == details["questions"]
    assert 0 < grading["graded_by_judge"] <= 15
    assert (grading["judge"].partition("?")[0], grading["unreadable_judgements"]) == (judge, 0)

    page = (tmp_path / "support/report.html").read_text()
    headings = HEADING.findall(page)
    assert "<h1>Support bot passes 1 of 1 test.</h1>" in headings
    assert "Support questions" in page.partition("Measured only")[0]
    assert not any(name in heading for heading in headings for name in ("chat:support", "support.csv"))
    assert "Scope: Support questions (file:support.csv)" in page

    # a stranger has all of it again from the record, and the same command asks nothing twice
    rechecked = viva("recheck", "support", "--transcript", "support/transcript.sqlite", "--scope", "file:support.csv")
    assert rechecked.out.startswith("● The same: "), rechecked
    rows = ("--results", "replies.csv")
    again = viva("report", bot, "--set", "name=Support bot", *asked, "--seed", "0", "--out", "support", *rows)
    assert again.code == 0
    assert "0 new" in again.out
    check_rows(tmp_path / "replies.csv", details["questions"])


def check_rows(file: Path, asked: int) -> None:
    """A row for each question of the certificate, with the expected answer and the cost."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["examination"] == "certificate"]
    assert len(rows) == len({row["id"] for row in rows}) == asked
    assert {row["outcome"] for row in rows} == {"answer"}
    assert {float(row["score"]) for row in rows} == {1.0}  # the bot is always right, and the judge kind to it
    for row in rows:
        if not row["question"].startswith("Why"):
            assert row["read as"]
            assert row["expected"]
        assert row["reply"]
        assert int(row["tokens"]) > 0
