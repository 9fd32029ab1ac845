"""`viva consistency forecasts score` and `viva list rules`: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.studies.forecasts.finding import json_rows
from vivavoce.cli.groups import forecasts, list_
from vivavoce.errors import VivavoceError

ROWS: list[dict[str, Any]] = [
    {"forecaster": "a", "law": "neg", "forecasts": {"P": 0.5, "not_P": 0.9}, "id": "1"},
    {"forecaster": "b", "law": "neg", "forecasts": {"not_P": 0.5, "P": 0.5}, "id": "1"},
    {"forecaster": "a", "law": "won", "forecasts": {"P": 0.6, "C": 0.2}, "id": "1"},
    {"forecaster": "a", "law": "increasing", "forecasts": {"2025": 5, "2026": 4, "2027": 6}, "id": "2"},
    {"forecaster": "a", "law": "neg", "forecasts": {"P": None, "not_P": 0.9}, "id": "2"},
]
OWN = ("--law", "won: P, C where P implies C")


def run(*arguments: object) -> Result:
    """The command with these arguments; bad input is raised, as it is by the group."""
    return CliRunner().invoke(forecasts, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Five rows of two forecasters."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_json_alone_is_on_standard_output(file: Path) -> None:
    values = json.loads(run("score", file, *OWN, "--json").stdout)
    assert [(row["forecaster"], row["law"], row["n"], row["unreadable"]) for row in json_rows(values)] == [
        ("a", "neg", 1, 1), ("b", "neg", 1, 0), ("a", "won: P, C where P implies C", 1, 0), ("a", "increasing", 1, 0),
    ]  # fmt: skip
    assert json_rows(values)[0]["mean"]["value"] == pytest.approx(0.4)
    assert [(value["first"], value["second"], value["n"]) for value in values["figures"]["comparisons"]] == [("a", "b", 1)]


def test_each_tuple_is_written_in_the_order_of_the_file(file: Path, tmp_path: Path) -> None:
    run("score", file, *OWN, "--details", tmp_path / "each.jsonl", "--json")
    each = [json.loads(line) for line in (tmp_path / "each.jsonl").read_text().splitlines()]
    assert [(entry["line"], entry["forecaster"], entry["law"].partition(":")[0]) for entry in each] == [
        (1, "a", "neg"), (2, "b", "neg"), (3, "a", "won"), (4, "a", "increasing"), (5, "a", "neg"),
    ]  # fmt: skip
    # -2 ln(sqrt(.5 * .1) + sqrt(.5 * .9)): the closed form for a negation
    assert each[0]["violation"] == pytest.approx(0.22314355, abs=1e-7)
    assert each[0]["gap"] < 1e-6
    assert each[0]["repair"]["P"] + each[0]["repair"]["not_P"] == pytest.approx(1)
    assert each[0]["frequentist"] == pytest.approx(0.4 / (0.25 + 0.09 + 0.001) ** 0.5)
    assert (each[0]["metric"], each[0]["strong"], each[0]["unreadable"]) == (0.4, True, [])
    assert each[1]["violation"] == 0
    assert each[2]["frequentist"] is None
    assert each[2]["repair"]["P"] == pytest.approx(each[2]["repair"]["C"], abs=1e-5)
    # Ranks 2 1 3 against 1 2 3: D = 2, rho = 1 - 12 / 24 = .5
    assert (each[3]["metric"], each[3]["violation"], each[3]["repair"]) == (
        pytest.approx(0.25), None, {"2025": 4.5, "2026": 4.5, "2027": 6.0},
    )  # fmt: skip
    assert each[4] | {"line": 5} == each[4]
    assert (each[4]["violation"], each[4]["metric"], each[4]["unreadable"]) == (None, None, ["P"])


@pytest.mark.long
def test_people_read_a_table_and_a_page(file: Path, tmp_path: Path) -> None:
    done = run("score", file, *OWN, "--html", tmp_path / "page.html")
    assert done.exit_code == 0
    assert "Negation" in done.stdout
    assert "won" in done.stdout
    assert "Page: " in done.stdout
    assert "<!doctype html>" in (tmp_path / "page.html").read_text().lower()


def test_a_table_of_research_data_is_read(tmp_path: Path) -> None:
    path = tmp_path / "forecasts.csv.gz"
    with gzip.open(path, "wt", newline="") as out:
        table = csv.writer(out)
        table.writerow(["run", "checker", "row", "keys", "probs", "v_default"])
        table.writerow(["m_tuples_x", "AndOr", "0", "P|Q|P_and_Q|P_or_Q", "0.5|0.6|0.2|0.7", "9"])
        table.writerow(["m_tuples_x", "Neg", "1", "P|not_P", "0.5|", ""])
    values = json.loads(run("score", path, "--json").stdout)
    assert [(row["law"], row["n"], row["unreadable"], row["mean"]["value"]) for row in json_rows(values)] == [
        ("and-or", 1, 0, pytest.approx(0.2)), ("neg", 0, 1, None),
    ]  # fmt: skip


def test_laws_come_from_a_file_too(file: Path, tmp_path: Path) -> None:
    laws = tmp_path / "laws.txt"
    laws.write_text("# ours\n\nwon: P, C where P implies C\n")
    assert run("score", file, "--laws", laws, "--json").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "no law 'won'"),
        (["--law", "neg: A, B"], "there is a law 'neg' already"),
        (["--law", "x: A,"], "a statement is missing"),
        ([*OWN, "--compare", "a", "z"], "no forecaster 'z'"),
        (["--laws", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_what_cannot_be_is_refused(file: Path, arguments: list[str], problem: str) -> None:
    with pytest.raises(VivavoceError, match=problem):
        run("score", file, *arguments)


def test_places_that_cannot_be_written_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    for option in ("--details", "--html"):
        done = run("score", tmp_path / "none.jsonl", option, tmp_path / "no" / "where")
        assert done.exit_code == 2
        assert f"{option} " in done.stderr


def test_the_laws_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    listed = CliRunner().invoke(list_, ["rules"]).stdout
    assert "P, Q_given_P = Q given P, P_and_Q = P & Q" in listed
    values = json.loads(CliRunner().invoke(list_, ["rules", "--json"]).stdout)
    assert {value["name"] for value in values} >= {"neg", "bayes", "paraphrase", "partition", "decreasing"}
    assert "won: P, C where P implies C" in run("score", "--help").stdout
