"""`viva luna rate` on an export of real games, and on a plain table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from tests.web.store.players import account, finish, guest, machine, pair
from vivavoce.cli.luna_operator import export
from vivavoce.cli.luna_rate import rate
from vivavoce.luna.games_file import read_games
from vivavoce.luna.play import rating
from vivavoce.luna.ratings import mean_rating
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store.export import pseudonym
from vivavoce.web.store.ratings import leaderboard, rating_of, received


def ran(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(rate, [str(one) for one in arguments])
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
            one, other = players[number % 3], players[(number + 1) % 3]
            finish(c, pair(c, one, other), {one: 10.1 * number, other: 100 - 7.3 * number})
    return database, engine, [player.id for player in players]


def test_the_sites_ratings_are_those_of_its_export(site: tuple[Path, Engine, list[str]], tmp_path: Path) -> None:
    database, engine, players = site
    folder, salt = tmp_path / "games", tmp_path / "salt"
    result = CliRunner().invoke(export, ["--database", str(database), "--out", str(folder), "--salt-file", str(salt)])
    assert result.exception is None, result.output
    games = read_games(folder)
    assert len(games.guesses) == 20
    found = dict(zip(games.names, mean_rating(games.counted).tolist(), strict=True))
    with reading(engine) as c:
        from vivavoce.web.settings import kept_secret

        secret = kept_secret(salt).encode()
        for player in players:
            by_sql, number = rating_of(c, player)
            assert number == len(received(c, player))
            assert found[pseudonym(secret, player)] == pytest.approx(by_sql, abs=1e-9)
            assert rating(received(c, player)) == pytest.approx(by_sql, abs=1e-9)
        assert sorted(one.rating for one in leaderboard(c)) == pytest.approx(sorted(found.values()))
    # the folder's CSV tables say the same as its JSON
    (folder / "games.json").unlink()
    again = read_games(folder)
    by_name = dict(zip(again.names, mean_rating(again.counted).tolist(), strict=True))
    assert by_name == pytest.approx(found)
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
    found = json.loads(result.stdout)
    assert {*found["players"][0]["ratings"]} == {"mean", "robust", "severity"}
    assert found["players"][-1]["ratings"]["mean"]["value"] is None
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html
    assert html.count("<svg") <= 1
    assert "seconds" not in found


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
