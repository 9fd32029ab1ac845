"""From a file of your own to a report, and the messages if file or function is wrong."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.serving import process_of

BOT = """import json
import re


def answer(text):
    number = int(re.findall(r"order (\\d+)", text)[0])
    return str(number + 14 if number % 9 else 0)


def broken(text):
    return json.loads(text)
"""


@pytest.fixture(autouse=True)
def own_files(viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("support.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "question", "answer"])
        rows.writerows([n, f"Order {n}: when does the right of return end for order {n}?", n + 14] for n in range(60))
    Path("own_support_bot.py").write_text(BOT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_support_bot", raising=False)


CHATTY = """print("loading")


def answer(text):
    print("asked:", text)
    return "3"
"""


@pytest.mark.parametrize(
    "command",
    [
        ("certify", "function:chatty_bot:answer", "--scope", "file:support.csv"),
        ("compare", "function:chatty_bot:answer", "bot:calculator", "--scope", "file:support.csv"),
        ("gate", "function:chatty_bot:answer", "--baseline", "bot:calculator", "--scope", "file:support.csv"),
    ],
)
def test_what_a_function_prints_does_not_mix_with_the_result(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    Path("chatty_bot.py").write_text(CHATTY)
    monkeypatch.delitem(sys.modules, "chatty_bot", raising=False)
    ended = viva(*command, "--questions", "5", "--json", "--quiet")
    assert isinstance(ended.values, dict)
    assert "loading" in ended.err
    assert "asked: Order" in ended.err


def test_a_scope_of_ones_own_is_examined_without_a_plan(viva: Viva) -> None:
    asked = (
        "report", "function:own_support_bot:answer", "--only", "certificate", "--seed", "1", "--out", "d", "--quiet", "--json",
    )  # fmt: skip
    ended = viva(*asked, "--scope", "file:support.csv")
    assert ended.code == 0, ended.err
    (card,) = ended.values["cards"]
    # 53 of 60 answers are right: 0, 9, ..., 54 are not
    assert card["details"]["figures"]["scope"] == "file:support.csv"
    assert card["details"]["verdict"] == "pass"
    assert card["details"]["figures"]["score"]["lower"] <= 53 / 60 <= card["details"]["figures"]["score"]["upper"]
    assert 'scope = "file:../support.csv"' in Path("d/plan.toml").read_text()


def test_several_scopes_stand_in_place_of_those_of_the_plan(viva: Viva) -> None:
    Path("plan.toml").write_text('[[certificate]]\nscope = "intervals"\n')
    ended = viva(
        "report", "bot:calculator", "--plan", "plan.toml", "--scope", "arithmetic?digits=2", "--scope", "file:support.csv",
        "--only", "certificate", "--dry-run",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert viva("report", "bot:calculator", "--scope", "file:nowhere.csv", "--out", "n").code == 2
    assert viva("report", "bot:calculator", "--scope", "support.csv", "--out", "n").err.count("file:support.csv") == 1


def test_tables_of_spreadsheet_programs_are_read_whatever_divides_their_cells(viva: Viva) -> None:
    asked = ("certify", "function:own_support_bot:answer", "--unacceptable-limit", "none", "--seed", "1", "--quiet", "--json")
    digests = set()
    for delimiter in (",", ";", "\t"):
        with Path("other.csv").open("w", newline="", encoding="utf-8-sig") as file:
            rows = csv.writer(file, delimiter=delimiter)
            rows.writerow(["id", "question", "answer"])
            rows.writerows([n, f"Order {n}: when, by law, ends; or ended, the right of order {n}?", n + 14] for n in range(60))
        ended = viva(*asked, "--scope", "file:other.csv")
        assert ended.code == 0, ended.err
        digests.add(ended.values["figures"]["scope_digest"])
    assert len(digests) == 1  # the same questions


def test_columns_that_are_there_are_named_where_one_is_missing(viva: Viva) -> None:
    Path("people.csv").write_text("person;reply\nann;yes\n")
    ended = viva("luna", "predict", "grade", "people.csv")
    assert ended.code == 2
    assert "people.csv, line 1: no column question, answer, grade" in ended.err.replace("'", "")
    assert "it names person" in ended.err


def test_a_rubric_without_a_judge_is_refused(refuses: Refuses) -> None:
    Path("rubric.csv").write_text("id,question,rubric\na,Explain refunds.,10 points if right\n")
    says = "question 'a' of file:rubric.csv has a rubric but no answer"
    refuses("report", "bot:calculator", "--scope", "file:rubric.csv", "--out", "r", "--quiet", says=says)


def test_where_a_function_fails_is_named_by_its_own_file(viva: Viva) -> None:
    """`json.loads` fails within the standard library; the line that called it is the user's."""
    ended = viva("certify", "function:own_support_bot:broken", "--scope", "file:support.csv", "--quiet")
    assert ended.code == 5
    assert "raised JSONDecodeError" in ended.err
    assert "(own_support_bot.py, line 11)" in ended.err


def test_a_quotation_mark_that_is_never_closed_is_named_by_the_line_where_it_opens(viva: Viva) -> None:
    good = 'id,question,answer\n1,"What is 1 + 1,\nthen?",2\n2,What is 2 + 2?,4\n'
    Path("good.csv").write_text(good)
    assert viva("certify", "bot:calculator", "--scope", "file:good.csv", "--unacceptable-limit", "none", "--quiet").code != 2
    Path("bad.csv").write_text(good.replace("2,What", '2,"What'))
    ended = viva("certify", "bot:calculator", "--scope", "file:bad.csv", "--quiet")
    assert ended.code == 2
    assert "bad.csv, line 4: not a table: a quotation mark in this row is never closed" in ended.err


@pytest.mark.parametrize(("written", "meant"), [('"30%"', 0.3), ('"2.5%"', 0.025), ("0.3", 0.3)])
def test_a_forecast_may_be_a_percentage(viva: Viva, written: str, meant: float) -> None:
    Path("said.jsonl").write_text(f'{{"forecaster": "me", "law": "neg", "forecasts": {{"P": {written}, "not_P": 0.9}}}}\n')
    ended = viva("consistency", "forecasts", "score", "said.jsonl", "--details", "each.jsonl")
    assert ended.code == 0, ended.err
    each = json.loads(Path("each.jsonl").read_text().splitlines()[0])
    assert each["forecasts"]["P"] == meant


@pytest.mark.parametrize("written", ['"30"', '"a third"', '"130%"', '"%"'])
def test_a_forecast_that_is_no_percentage_is_refused(refuses: Refuses, written: str) -> None:
    Path("said.jsonl").write_text(f'{{"forecaster": "me", "law": "neg", "forecasts": {{"P": {written}, "not_P": 0.9}}}}\n')
    refuses("consistency", "forecasts", "score", "said.jsonl", says="said.jsonl, line 1")


TIDY = "forecaster,law,group,statement,probability\n"


def test_a_forecast_a_row_is_the_same_as_a_tuple_a_line(viva: Viva) -> None:
    """Groups may be mixed, and are kept apart by forecaster and law; an empty cell is a forecast that could not be read."""
    rows = (
        "me,neg,1,P,30%", "you,neg,1,P,0.5", "me,neg,1,not_P,0.9", "you,neg,1,not_P,0.5", "me,neg,2,P,", "me,neg,2,not_P,.2",
    )  # fmt: skip
    Path("said.csv").write_text(TIDY + "\n".join(rows) + "\n")
    lines = (
        {"forecaster": "me", "law": "neg", "id": "1", "forecasts": {"P": 0.3, "not_P": 0.9}},
        {"forecaster": "you", "law": "neg", "id": "1", "forecasts": {"P": 0.5, "not_P": 0.5}},
        {"forecaster": "me", "law": "neg", "id": "2", "forecasts": {"P": None, "not_P": 0.2}},
    )
    Path("said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    each = []
    for file in ("said.csv", "said.jsonl"):
        ended = viva("consistency", "forecasts", "score", file, "--details", f"{file}.each")
        assert ended.code == 0, ended.err
        tuples = [json.loads(line) for line in Path(f"{file}.each").read_text().splitlines()]
        each.append([{name: value for name, value in entry.items() if name != "line"} for entry in tuples])
    assert each[0] == each[1]


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        ("me,neg,1,P,0.3\nme,neg,1,P,0.4\n", 3, "'P' occurs twice in group '1'"),
        ("me,neg,1,P,0.3\nme,neg,1,notp,0.4\n", 2, "has the statements P, not_P; yours are P, notp"),
        ("me,neg,1,P,maybe\nme,neg,1,not_P,0.3\n", 2, "'probability' is 'maybe'"),
        ('me,neg,1,P,"0,3"\nme,neg,1,not_P,0.3\n', 2, "'probability' is '0,3'"),
        ("me,neg,1,P,130%\nme,neg,1,not_P,0\n", 2, "is not a probability"),
        ("me,neg,1,P,0.3\n", 2, "'P' is alone in group '1'"),
        (",neg,1,P,0.3\n,neg,1,not_P,0.3\n", 2, "'forecaster'"),
        ("me,nag,1,P,0.3\nme,nag,1,not_P,0.3\n", 2, "did you mean 'neg'"),
    ],
)
def test_rows_that_are_no_forecasts_are_refused_with_their_line(refuses: Refuses, rows: str, line: int, problem: str) -> None:
    Path("said.csv").write_text(TIDY + rows)
    refuses("consistency", "forecasts", "score", "said.csv", says=f"said.csv, line {line}: ")
    refuses("consistency", "forecasts", "score", "said.csv", says=problem)


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
    assert f"Support questions, by the judgement of {judge}" in ended.out
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
