"""`viva luna rate` on an export of real games and on a plain table, and `viva luna simulate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from tests.each_case import each_case
from tests.web.store.players import HONEST, account, finish, guest, machine, pair, ruined
from vivavoce.cli.luna.admin import ban, export
from vivavoce.cli.luna.ratings import rate, simulate
from vivavoce.luna.games_file import read_games
from vivavoce.luna.ratings import rated
from vivavoce.luna.rules import rating
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store.ratings import leaderboard, pseudonym, rating_of, received


def ran(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(rate, [str(argument) for argument in arguments])
    if code == 0:
        assert result.exception is None, result.output
    return result


@pytest.fixture
def site(tmp_path: Path) -> tuple[Path, Engine, list[str]]:
    """Ten games between two people and a machine; ids of players."""
    database = tmp_path / "luna.sqlite"
    engine = open_database(database)
    migrate(engine)
    with transaction(engine) as c:
        players = [account(c, "Ann"), guest(c), machine(c, "Bot")]
        for number in range(10):
            entry, other = players[number % 3], players[(number + 1) % 3]
            finish(c, pair(c, entry, other), {entry: 10.1 * number, other: 100 - 7.3 * number})
    return database, engine, [player.id for player in players]


def test_the_sites_ratings_are_those_of_its_export(site: tuple[Path, Engine, list[str]], tmp_path: Path) -> None:
    database, engine, players = site
    folder, salt = tmp_path / "games", tmp_path / "salt"
    result = CliRunner().invoke(export, ["--database", str(database), "--out", str(folder), "--salt-file", str(salt)])
    assert result.exception is None, result.output
    games = read_games(folder)
    assert len(games.guesses) == 20
    values = dict(zip(games.names, rated(games.counted, "mean").tolist(), strict=True))
    with reading(engine) as c:
        from vivavoce.web.settings import kept_secret

        secret = kept_secret(salt).encode()
        for player in players:
            by_sql, number = rating_of(c, player)
            assert number == len(received(c, player))
            assert values[pseudonym(secret, player)] == pytest.approx(by_sql, abs=1e-9)
            assert rating(received(c, player)) == pytest.approx(by_sql, abs=1e-9)
        assert sorted(row.rating for row in leaderboard(c)) == pytest.approx(sorted(values.values()))
    # the folder's CSV tables say the same as its JSON
    (folder / "games.json").unlink()
    again = read_games(folder)
    by_name = dict(zip(again.names, rated(again.counted, "mean").tolist(), strict=True))
    assert by_name == pytest.approx(values)
    engine.dispose()


def table(folder: Path) -> Path:
    file = folder / "guesses.csv"
    rows = [f"p{n % 5},p{(n + 1 + n % 4) % 5},{(17 * n) % 101}" for n in range(40)]
    rows += [f"<script>alert(1)</script>,p{n % 5},0" for n in range(5)]
    file.write_text("guesser,target,guess\n" + "\n".join(row for row in rows if row.split(",")[0] != row.split(",")[1]) + "\n")
    return file


def test_json_alone_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "ratings.html"
    result = ran(table(tmp_path), "--json", "--html", page, "--rounds", 100)
    document = json.loads(result.stdout)
    assert {*document["figures"]["players"][0]["ratings"]} == {"mean", "robust", "severity"}
    assert document["figures"]["players"][-1]["ratings"]["mean"]["value"] is None
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html
    assert html.count("<svg") <= 1
    assert "seconds" not in document


def test_the_terminal_ends_with_the_sentence(tmp_path: Path) -> None:
    out = ran(table(tmp_path), "--method", "robust", "--rounds", 100).stdout
    assert "Not shown" in out
    assert out.rstrip().splitlines()[-1].startswith("5 players have ratings from ")


def test_mistakes_are_told_in_a_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("guesser,target,guess\nann,bob,sixty\n")
    for arguments, words in (
        ((bad,), "line 2: 'guess' is 'sixty'"),
        ((table(tmp_path), "--method", "median"), "no rating 'median'"),
    ):
        assert words in str(ran(*arguments, code=1).exception)
    assert ran(tmp_path / "none.csv", code=2).exit_code == 2


def operated(command: Command, *arguments: object) -> dict[str, Any]:
    """What a command of the operator says in JSON."""
    result = CliRunner().invoke(command, [*map(str, arguments), "--json"])
    assert result.exception is None, result.output
    values: dict[str, Any] = json.loads(result.stdout)
    return values


@pytest.mark.long
def test_whom_the_site_s_own_ratings_flag_can_be_banned_and_the_guesses_be_voided(tmp_path: Path) -> None:
    database = tmp_path / "luna.sqlite"
    engine = open_database(database)
    migrate(engine)
    with transaction(engine) as c:
        cheat, honest = ruined(c)
    live = ("--database", database, "--rounds", 100)
    before = ran(*live)
    assert f"viva luna admin ban {cheat.id} --void-guesses" in before.stderr
    document = json.loads(ran(*live, "--json").stdout)
    assert {entry["player"] for entry in document["figures"]["flags"]} == {cheat.id}
    values = operated(ban, cheat.id, "--void-guesses", "--yes", "--database", database)
    assert (values["player"], values["banned"], values["voided"]) == (cheat.id, True, HONEST)
    after = json.loads(ran(*live, "--json").stdout)
    assert after["figures"]["flags"] == []
    ratings = {entry["player"]: entry["ratings"]["mean"]["value"] for entry in after["figures"]["players"]}
    with reading(engine) as c:
        for player in honest:
            mean, number = rating_of(c, player.id)
            # the guesses of the other five; the sixth was a 0
            assert (number, ratings[player.id]) == (HONEST - 1, pytest.approx(mean))
    # an export has pseudonyms, and rates alike
    operated(export, "--database", database, "--out", tmp_path / "games")
    for path in (tmp_path / "games", tmp_path / "games" / "players.csv"):
        published = json.loads(ran(path, "--rounds", 100, "--json").stdout)
        assert not {entry["player"] for entry in published["figures"]["players"]} & set(ratings)
        means = [entry["ratings"]["mean"]["value"] for entry in published["figures"]["players"]]
        assert sorted(value for value in means if value is not None) == pytest.approx(
            sorted(value for value in ratings.values() if value is not None)
        )
    assert operated(ban, cheat.id, "--undo", "--yes", "--database", database)["restored"] == HONEST
    assert json.loads(ran(*live, "--json").stdout)["figures"]["flags"] == document["figures"]["flags"]


@pytest.mark.parametrize("both", [True, False])
def test_games_or_a_database(tmp_path: Path, both: bool) -> None:
    (tmp_path / "games.csv").write_text("guesser,target,guess\nann,bob,60\n")
    arguments = (tmp_path / "games.csv", "--database", tmp_path / "luna.sqlite") if both else ()
    assert "give GAMES" in ran(*arguments, code=2).output


def test_a_site_without_finished_games_has_nobody_to_rate(tmp_path: Path) -> None:
    migrate(open_database(tmp_path / "luna.sqlite"))
    assert "no game of this site is finished" in str(ran("--database", tmp_path / "luna.sqlite", code=1).exception)


def test_two_players_are_compared(tmp_path: Path) -> None:
    table = tmp_path / "guesses.csv"
    table.write_text("guesser,target,guess\nc,ann,40\nd,ann,50\ne,ann,45\nc,bob,61\nd,bob,70\ne,bob,64\n")
    document = json.loads(ran(table, "--rounds", 200, "--difference", "ann", "bob", "--json").stdout)["figures"]["difference"]
    assert (document["players"], document["ratings"]["mean"]["value"]) == (["ann", "bob"], pytest.approx(20))  # 65 less 45
    assert "People find bob smarter than ann" in ran(table, "--rounds", 200, "--difference", "ann", "bob").stdout
    assert json.loads(ran(table, "--rounds", 200, "--json").stdout)["figures"]["difference"] is None
    for pair_of, problem in ((("ann", "zoe"), "no player 'zoe'"), (("ann", "ann"), "compared with itself")):
        assert problem in str(ran(table, "--difference", *pair_of, code=1).exception)


FEW = ("--trials", "2", "--players", "12")


def simulated(*arguments: object) -> Result:
    return CliRunner().invoke(simulate, [str(argument) for argument in arguments])


@pytest.mark.parametrize("figures", [(1, 4), pytest.param(range(1, 9), marks=pytest.mark.slow)], ids=["two", "all"])
def test_json_alone_and_a_page_with_both_readings(tmp_path: Path, figures: Sequence[int]) -> None:
    page = tmp_path / "chapter3.html"
    wanted = ["--all"] if len(figures) == 8 else [f"--figure=3.{number}" for number in figures]
    result = simulated(*wanted, "--attacks", *FEW, "--json", "--html", page, "--quiet")
    assert result.exception is None, result.output
    document = json.loads(result.stdout)
    assert [entry["figure"] for entry in document["figures"]["curves"]] == [f"3.{number}" for number in figures]
    assert all(entry["corrected"]["points"] and entry["as_published"]["points"] for entry in document["figures"]["curves"])
    assert {*document["figures"]["attacks"][0]["mean"]} == {"mean", "robust", "severity"}
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == len(figures)
    assert "Two readings" in html
    assert len(html) < 1_000_000


@pytest.mark.long
def test_the_terminal_says_where_figures_end_and_workers_change_nothing() -> None:
    result, two = (simulated("--figure", "3.3", "--figure", "3.3", *FEW, "--workers", workers) for workers in (1, 2))
    assert result.exception is None, result.output
    assert result.stdout == two.stdout
    assert result.stderr == "Figure 3.3: Some always guess 0\n"
    assert result.stdout.rstrip().splitlines()[-1].startswith("Some always guess 0: ratings end ")


def test_any_rating_may_be_played_with() -> None:
    played = ("--figure", "3.3", "--trials", "3", "--json", "--quiet", "--rating")
    slopes = [json.loads(simulated(*played, name).stdout)["figures"]["curves"][0] for name in ("mean", "robust")]
    assert slopes[1]["corrected"]["points"][3]["mean"]["value"] < 1 < slopes[0]["corrected"]["points"][3]["mean"]["value"]
    assert slopes[0]["as_published"] == slopes[1]["as_published"]


@each_case(
    ("arguments", "words"),
    [
        ((), "give --figure 3.1, --all or --attacks"),
        (("--figure", "3.9"), "there is no figure '3.9'"),
        (("--figure", "3.1", "--rating", "median"), "there is no rating 'median'"),
        (("--figure", "3.1", "--variance", "-1"), "above 0"),
    ],
)
def test_simulations_that_cannot_be_are_told_in_a_line(arguments: tuple[str, ...], words: str) -> None:
    result = simulated(*arguments, *FEW)
    assert words in result.output + str(result.exception)
    assert result.exit_code != 0
