"""`viva consistency forecasts review`: people look at the tuples that `make` has written."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.cli.conftest import Viva
from tests.cli.consistency.laws.test_make import MAKE, TUPLES, events, made, server
from tests.studies.forecasts.making.serving import GatedChatServer
from vivavoce.studies.forecasting.tuples import read_tuples

__all__ = ["events", "server"]


def test_formulas_reach_no_spreadsheet(viva: Viva, server: GatedChatServer, tmp_path: Path) -> None:
    (tmp_path / "base.jsonl").write_text(json.dumps({"question": "@SUM(1)?", "id": "=1+1"}) + "\n")
    hostile = server.candidate("hostile")
    viva(*MAKE, "--questions", "base.jsonl", "--law", "neg", "--writer", hostile, "--checker", "none")
    assert read_tuples(TUPLES)[0].questions["not_P"].startswith("=HYPERLINK")
    assert viva("consistency", "forecasts", "review", "export", "tuples.jsonl", "sheet.csv").code == 0
    cells = [cell for row in csv.reader((tmp_path / "sheet.csv").read_text("utf-8-sig").splitlines()) for cell in row]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert any(cell == "'@SUM(1)?" for cell in cells)
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t")]
    ended = viva("consistency", "forecasts", "review", "import", "tuples.jsonl", "sheet.csv", "--out", "same.jsonl")
    assert ended.code == 0
    assert read_tuples(Path("same.jsonl")) == read_tuples(TUPLES)
    checked = viva(*MAKE, "--questions", "base.jsonl", "--law", "neg", "--writer", hostile, "--json")
    # the same verdict by the megabyte is one verdict
    assert (made(checked)["accepted"], made(checked)["reasons"]) == (1, {})


def test_people_review(viva: Viva, server: GatedChatServer, events: Path, tmp_path: Path) -> None:
    viva(*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", server.candidate("writer"))
    assert viva("consistency", "forecasts", "review", "export", "tuples.jsonl", "sheet.csv").code == 0
    again = viva("consistency", "forecasts", "review", "export", "tuples.jsonl", "sheet.csv")
    assert (again.code, "may have a person's review" in again.err) == (2, True)
    sheet = tmp_path / "sheet.csv"
    rows = list(csv.DictReader(sheet.read_text("utf-8-sig").splitlines()))
    rows[1] |= {"keep": "yes", "question not_P": "Will event 1 fail to happen before 2030?"}
    rows[11] |= {"keep": "no", "reason": "too vague"}

    def save() -> None:
        with sheet.open("w", newline="") as stream:
            table = csv.DictWriter(stream, list(rows[0]))
            table.writeheader()
            table.writerows(rows)

    rows[2]["keep"], rows[3]["keep"] = "perhaps", "yes please"
    save()
    command = (
        "consistency",
        "forecasts",
        "review",
        "import",
        "tuples.jsonl",
        "sheet.csv",
        "--by",
        "Ann",
        "--out",
        "reviewed.jsonl",
    )
    wrong = viva(*command)
    assert wrong.code == 2
    assert wrong.err.splitlines()[0] == "sheet.csv, line 4: 'keep' is 'perhaps': write yes or no, or leave it empty"
    assert wrong.err.splitlines()[1].startswith("sheet.csv, line 5: 'keep' is 'yes please'")
    assert "nothing was written" in wrong.err
    assert not Path("reviewed.jsonl").exists()
    rows[2]["keep"] = rows[3]["keep"] = ""
    save()
    right = viva(*command, "--json")
    expected = {"tuples": 130, "accepted": 1, "edited": 1, "rejected": 1, "undecided": 128, "out": "reviewed.jsonl"}
    assert right.values == expected
    tuples = read_tuples(Path("reviewed.jsonl"))
    assert tuples[1].status == "accepted"
    assert tuples[1].reason.startswith("accepted by review of Ann, words changed: not_P (before: the writer refused")
    assert tuples[11].reason.startswith("rejected by review of Ann: too vague")
    assert viva(*command).code == 2, "a reviewed file is not replaced"
