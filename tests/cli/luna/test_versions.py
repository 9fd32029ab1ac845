"""`viva luna machine release`, `compare` and `plan` on a site's database, and ratings by version."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner, Result

from tests.web.store.players import MINUTE, START, account, machine, played
from vivavoce.cli.luna.machine import machine as machines
from vivavoce.cli.luna.operator import export
from vivavoce.cli.luna.rate import rate
from vivavoce.web.database import migrate, open_database, transaction
from vivavoce.web.store.versions import release


def ran(command: Command, *arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(command, [str(one) for one in arguments])
    assert (result.exit_code == 0) == (code == 0), (result.output, result.exception)
    return result


def values(command: Command, *arguments: object) -> Any:
    return json.loads(ran(command, *arguments, "--json").stdout)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight people who meet each other, and a machine of which the second version is found 20 points smarter."""
    file = tmp_path_factory.mktemp("site") / "luna.sqlite"
    engine = open_database(file)
    migrate(engine)
    rng = random.Random(0)
    with transaction(engine) as c:
        people, bot = [account(c) for _ in range(8)], machine(c, "My model")
        at = START
        for turn in range(6):
            if turn == 3:
                release(c, "My model", "2 beta", at + MINUTE / 2)
            for one, other in zip(people, people[1:] + people[:1], strict=True):
                at += MINUTE
                played(c, (one, 60 + rng.gauss(0, 8)), (other, 60 + rng.gauss(0, 8)), at)
            for one in people:
                at += MINUTE
                played(c, (one, 40 + 20 * (turn >= 3) + rng.gauss(0, 8)), (bot, 50.0), at)
    engine.dispose()
    return file


@pytest.mark.long
def test_versions_are_compared(database: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = values(machines, "compare", "my model", "--database", database, "--rounds", 200, "--html", page)
    assert [one["version"] for one in found["versions"]] == ["1", "2 beta"]
    assert [one["mean"]["n"] for one in found["versions"]] == [24, 24]
    for name in ("difference", "adjusted"):
        assert found[name]["lower"] < 20 < found[name]["upper"]
        assert found[name]["lower"] > 10
    assert found["people_of_both"] == 8
    assert "version 2 beta of My model smarter" in found["statement"].replace("my model", "My model")
    assert "robust to guesses by one person" in page.read_text(encoding="utf-8")
    back = values(machines, "compare", "My model", "--versions", "2 BETA", 1, "--database", database, "--rounds", 200)
    assert back["difference"]["value"] == pytest.approx(-found["difference"]["value"])


def test_what_cannot_be_compared(database: Path) -> None:
    for arguments, words in (
        (("My model", "--versions", 1, 3), "there is no version '3'"),
        (("nobody",), "there is no machine"),
    ):
        assert words in str(ran(machines, "compare", *arguments, "--database", database, code=1).exception)
    same = ran(machines, "compare", "My model", "--versions", 1, 1, "--database", database, code=2)
    assert "the same version twice" in same.stderr


def test_a_release_is_listed_and_is_made_once(tmp_path: Path) -> None:
    where = ("--database", tmp_path / "luna.sqlite")
    ran(machines, "add", "Bot", *where)
    assert "has one version" in str(ran(machines, "compare", "Bot", *where, code=1).exception)
    told = values(machines, "release", "Bot", "--version", "2", *where)
    assert (told["name"], told["version"], told["versions"]) == ("Bot", "2", ["1", "2"])
    assert "has a version '2' already" in str(ran(machines, "release", "Bot", "--version", "2", *where, code=1).exception)
    [listed] = values(machines, "list", *where)
    assert (listed["version"], [one["version"] for one in listed["versions"]]) == ("2", ["1", "2"])
    assert "version" in ran(machines, "list", *where).stdout
    assert "Too little" in ran(machines, "compare", "Bot", *where).stdout


def test_games_are_planned_by_the_site_s_own_deviation(database: Path) -> None:
    found = values(machines, "plan", "--difference", 5, "--database", database)
    assert (found["deviation_from"], found["guesses"]) == ("estimated", 48)
    deviations = [one["deviation"] for one in found["rows"]]
    assert deviations[0] < 8 < deviations[2]
    assert values(machines, "plan", "my model", "--database", database)["rows"] == found["rows"]
    given = values(machines, "plan", "--difference", 10, "--sd", 20, "--power", 0.9)
    assert (given["deviation_from"], given["games_for_each_version"]) == ("given", 86)
    assert values(machines, "plan")["deviation_from"] == "stated"
    assert "give --database" in ran(machines, "plan", "Bot", code=2).stderr
    assert "too" not in ran(machines, "plan", "--difference", 10, "--sd", 20).stdout.partition("about 86")[0]


def test_ratings_mix_versions_unless_asked(database: Path, tmp_path: Path) -> None:
    ran(export, "--database", database, "--out", tmp_path / "games")
    mixed = values(rate, "--database", database, "--rounds", 100)
    assert any("mixes all its versions" in one for one in mixed["caveats"])
    for place in (("--database", database), (tmp_path / "games",), (tmp_path / "games" / "players.csv",)):
        found = values(rate, *place, "--by-version", "--rounds", 100)
        assert not any("mixes all its versions" in one for one in found["caveats"])
        by_version = {
            one["player"].partition(", version ")[2]: one["ratings"]["mean"] for one in found["players"] if one["machine"]
        }
        assert {name: one["n"] for name, one in by_version.items()} == {"1": 24, "2 beta": 24}
        assert by_version["2 beta"]["value"] - by_version["1"]["value"] == pytest.approx(20, abs=8)
    table = tmp_path / "guesses.csv"
    table.write_text("guesser,target,guess\nann,bob,60\n")
    assert "knows no versions" in str(ran(rate, table, "--by-version", code=1).exception)
