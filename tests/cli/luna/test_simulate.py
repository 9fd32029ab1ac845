"""`viva luna simulate`: figures by number, all of them, and the table of attacks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vivavoce.cli.luna.rate import simulate

FEW = ("--trials", "2", "--players", "12")


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(simulate, [str(argument) for argument in arguments])


@pytest.mark.parametrize("figures", [(1, 4), pytest.param(range(1, 9), marks=pytest.mark.slow)], ids=["two", "all"])
def test_json_alone_and_a_page_with_both_readings(tmp_path: Path, figures: Sequence[int]) -> None:
    page = tmp_path / "chapter3.html"
    wanted = ["--all"] if len(figures) == 8 else [f"--figure=3.{number}" for number in figures]
    result = ran(*wanted, "--attacks", *FEW, "--json", "--html", page, "--quiet")
    assert result.exception is None, result.output
    document = json.loads(result.stdout)
    assert [entry["figure"] for entry in document["figures"]["curves"]] == [f"3.{number}" for number in figures]
    assert all(entry["corrected"]["points"] and entry["as_published"]["points"] for entry in document["figures"]["curves"])
    assert {*document["figures"]["attacks"][0]["mean"]} == {"mean", "robust", "severity"}
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == len(figures)
    assert "Two readings" in html
    assert len(html) < 1_000_000


def test_the_terminal_says_where_figures_end_and_workers_change_nothing() -> None:
    result, two = (ran("--figure", "3.3", "--figure", "3.3", *FEW, "--workers", workers) for workers in (1, 2))
    assert result.exception is None, result.output
    assert result.stdout == two.stdout
    assert result.stderr == "Figure 3.3: Some always guess 0\n"
    assert result.stdout.rstrip().splitlines()[-1].startswith("Some always guess 0: ratings end ")


def test_any_rating_may_be_played_with() -> None:
    slopes = [
        json.loads(ran("--figure", "3.3", "--trials", "3", "--rating", name, "--json", "--quiet").stdout)["figures"]["curves"][
            0
        ]
        for name in ("mean", "robust")
    ]
    assert slopes[1]["corrected"]["points"][3]["mean"]["value"] < 1 < slopes[0]["corrected"]["points"][3]["mean"]["value"]
    assert slopes[0]["as_published"] == slopes[1]["as_published"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give --figure 3.1, --all or --attacks"),
        (("--figure", "3.9"), "there is no figure '3.9'"),
        (("--figure", "3.1", "--rating", "median"), "there is no rating 'median'"),
        (("--figure", "3.1", "--variance", "-1"), "above 0"),
        (("--figure", "3.1", "--html", "/none/page.html"), "the folder"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: tuple[str, ...], words: str) -> None:
    result = ran(*arguments, *FEW)
    assert words in result.output + str(result.exception)
    assert result.exit_code != 0
