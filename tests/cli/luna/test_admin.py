"""What an operator does from the command line, on games that were played through the store."""

from __future__ import annotations

import asyncio
import csv
import json
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from tests.cli.conftest import Viva
from tests.web.databases import put_tables
from tests.web.store.players import HONEST, MINUTE, START, account, guest, machine, pair, ruined
from tests.web.store.players import played as played_out
from vivavoce.cli.luna import admin as sanctions
from vivavoce.cli.luna.admin import backup, ban, export, flags, hide, reports, stats, void
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.transcript import Transcript
from vivavoce.luna.players import _as_written as written
from vivavoce.luna.players import open_control, recorded_answers
from vivavoce.luna.rules import AnswersMove, GuessMove, QuestionsMove
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import people
from vivavoce.web.store.moderation import report
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.ratings import rating_of

NASTY = (
    "=HYPERLINK(\"http://evil\",\"x\")",
    "'quoted', \"twice\"",
    "two\r\nlines\tand a \u2028 separator",
    "\x00 nul and \x1b[31m red",
    "+1, -1, @x, ＝1, \U0001f600 ünï",
)  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "luna.sqlite"


@pytest.fixture
def engine(database: Path) -> Iterator[Engine]:
    engine = open_database(database)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def played(engine: Engine) -> dict[str, str]:
    """Two finished games, one with a machine, and one that goes on; ids by name."""
    with transaction(engine) as c:
        ann, bob, bot = account(c, "Ann"), guest(c), machine(c, "Bot")
        ids = {"ann": ann.id, "bob": bob.id, "bot": bot.id}
        for number, other in enumerate((bob, bot)):
            game = ids[f"game {number}"] = pair(c, ann, other, START + number * MINUTE)
            for player, mark in ((ann, "A"), (other, "O")):
                make_move(c, game, player, QuestionsMove(tuple(f"{mark}{n}?" for n in range(5))), START + 3 * MINUTE)
            for player in (ann, other):
                make_move(c, game, player, AnswersMove(NASTY if player is ann else tuple("abcde")), START + 4 * MINUTE)
            make_move(c, game, ann, GuessMove(20.0 + number, (1.0, None, 2.5, None, 100.0)), START + 5 * MINUTE)
            make_move(c, game, other, GuessMove(90.0), START + 6 * MINUTE)
        ids["open"] = pair(c, ann, bob, START + 9 * MINUTE)
    return ids


def ran(command: object, *arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])  # type: ignore[arg-type]
    if code == 0:
        assert result.exception is None, result.output
    assert result.exit_code == code, result.output
    return result


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_an_export_has_what_was_played(database: Path, played: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "2 games with 20 answers" in ran(export, "--database", database, "--out", out).stdout
    games, seats, answers = (rows(out / name) for name in ("games.csv", "players.csv", "answers.csv"))
    assert (len(games), len(seats), len(answers)) == (2, 4, 20)
    assert games[0]["begun"] == "2026-06-14T12:00:00+00:00"
    of_ann = [row for row in seats if row["kind"] == "account"]
    # ann has no rating at first, then bob's 90; the machine's 90 does not count
    assert [(row["guess"], row["rating_before"], row["rating_after"], row["outcome"]) for row in of_ann] == [
        ("20.0", "", "90.0", "tied"), ("21.0", "90.0", "90.0", "won"),
    ]  # fmt: skip
    assert len({row["player"] for row in of_ann}) == 1
    documents = [row for row in answers if row["game"] == games[0]["game"] and row["place"] == of_ann[0]["place"]]
    assert [written(row["answer"]) for row in documents] == list(NASTY)
    assert [row["question"] for row in documents] == [f"O{n}?" for n in range(5)]
    assert not any(row["answer"].startswith(("=", "+", "-", "@")) for row in answers)
    assert all(mark not in file.read_text() for file in out.iterdir() for mark in "\x00\x1b")
    theirs = [row for row in answers if row["game"] == games[0]["game"] and row["place"] != of_ann[0]["place"]]
    assert [row["slider"] for row in theirs] == ["1.0", "", "2.5", "", "100.0"]
    assert {row["human"] for row in answers if row["game"] == games[1]["game"]} == {"true", "false"}


def test_the_whole_is_the_same_as_the_tables(database: Path, played: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran(export, "--database", database, "--out", out)
    whole = json.loads((out / "games.json").read_text())
    assert [game["game"] for game in whole] == [row["game"] for row in rows(out / "games.csv")]
    assert tuple(whole[0]["seats"][0]["answers"]) == NASTY
    flat = [
        text
        for game in whole
        for index in (0, 1)
        for pair_of in zip(game["seats"][1 - index]["questions"], game["seats"][index]["answers"], strict=True)
        for text in pair_of
    ]
    assert flat == [written(row[name]) for row in rows(out / "answers.csv") for name in ("question", "answer")]
    for file, table in ((f, rows(out / f)) for f in ("games.csv", "players.csv", "answers.csv")):
        book = (out / "codebook.md").read_text().partition(f"## {file}")[2].partition("##")[0]
        assert all(f"`{column}`" in book for column in table[0])


@pytest.mark.parametrize("file", [".", "answers.csv"])
def test_an_echo_repeats_what_people_wrote_in_an_export(
    database: Path, played: dict[str, str], tmp_path: Path, file: str
) -> None:
    out = tmp_path / "out"
    ran(export, "--database", database, "--out", out)
    # in both games Ann answered NASTY to "O0?" ... "O4?", and Bob "abcde" to "A0?" ...; the machine's answers are no people's
    answered = {(f"O{n}?", text) for n, text in enumerate(NASTY)} | {(f"A{n}?", text) for n, text in enumerate("abcde")}
    answers = recorded_answers(out / file)
    assert len(answers) == 15
    assert {(answer.question, answer.answer) for answer in answers} == answered
    echo = open_control(f"control:echo?from={out / file}")
    assert asyncio.run(echo.answer(Prompt("O0?"))).text == NASTY[0]


def test_nobody_can_be_named_from_an_export(database: Path, played: dict[str, str], tmp_path: Path) -> None:
    for name in ("one", "two"):
        ran(export, "--database", database, "--out", tmp_path / name)
    everything = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "one").iterdir())
    assert not [secret for secret in (*played.values(), "Ann", "Bot", "example.org") if secret in everything]
    assert rows(tmp_path / "one" / "players.csv")[0]["player"] != rows(tmp_path / "two" / "players.csv")[0]["player"]


def test_a_kept_salt_gives_the_same_pseudonyms(database: Path, played: dict[str, str], tmp_path: Path) -> None:
    salt = tmp_path / "salt"
    for name in ("one", "two"):
        ran(export, "--database", database, "--out", tmp_path / name, "--salt-file", salt)
    assert rows(tmp_path / "one" / "players.csv") == rows(tmp_path / "two" / "players.csv")
    assert stat.S_IMODE(salt.stat().st_mode) == 0o600


def test_what_cannot_be_exported(database: Path, played: dict[str, str], tmp_path: Path) -> None:
    ran(export, "--database", tmp_path / "none.sqlite", "--out", tmp_path / "out", code=1)
    assert not (tmp_path / "none.sqlite").exists()
    result = ran(export, "--database", database, "--out", tmp_path, code=1)
    assert "not empty" in str(result.exception)


def test_figures(database: Path, played: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    document = json.loads(ran(stats, "--database", database, "--json", "--html", page).stdout)
    assert document["figures"]["players"] == {"account": 1, "guest": 1, "machine": 1}
    assert (
        document["figures"]["games_begun"],
        document["figures"]["games_finished"],
        document["figures"]["games_looked_into"],
    ) == (3, 2, 2)
    assert document["figures"]["machines"][0]["rating"]["value"] == 21.0
    assert "3 games" in page.read_text(encoding="utf-8")
    assert "In the thesis".lower() in ran(stats, "--database", database).stdout.lower()


@pytest.mark.long
def test_moderation(database: Path, engine: Engine, played: dict[str, str]) -> None:
    with transaction(engine) as c:
        bob = people.player(c, played["bob"])
        assert bob is not None
        report(c, played["game 0"], bob, "rude \x1b[2J words", START)
    (document,) = json.loads(ran(reports, "--database", database, "--json").stdout)
    assert (document["player"], document["game"]) == (played["ann"], played["game 0"])
    shown = ran(reports, "--database", database).stdout
    assert "viva luna admin ban" in shown
    assert "\x1b" not in shown
    ran(hide, document["game"], document["place"], "--database", database)
    assert json.loads(ran(export, "--database", database, "--out", database.parent / "out", "--json").stdout)["hidden"] == 1
    ran(hide, document["game"], document["place"], "--undo", "--database", database)
    for words, banned in (((), True), (("--undo",), False)):
        ran(ban, played["ann"], *words, "--yes", "--database", database)
        with reading(engine) as c:
            ann = people.player(c, played["ann"])
            assert ann is not None
            assert ann.banned is banned
    ran(reports, "--dismiss", document["id"], "--database", database)
    assert json.loads(ran(reports, "--database", database, "--json").stdout) == []
    for words in ((), ("--undo",)):
        for nobody in ("nobody", "0" * 32, "\x00"):
            assert "there is no player" in str(ran(ban, nobody, *words, "--database", database, code=1).exception)
    ran(hide, "nothing", "0", "--database", database, code=1)


def test_a_backup_is_whole_while_the_site_writes(
    database: Path, engine: Engine, played: dict[str, str], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    with transaction(engine) as c:
        guest(c)  # not yet written when the copy is made
        ran(backup, "--database", database, copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sorted(file.name for file in tmp_path.glob("copy*")) == ["copy.sqlite"]
    document = json.loads(ran(stats, "--database", copy, "--json").stdout)
    assert (document["figures"]["players"]["guest"], document["figures"]["games_finished"]) == (1, 2)
    assert "exists already" in str(ran(backup, "--database", database, copy, code=1).exception)


def test_what_cannot_be_backed_up(tmp_path: Path) -> None:
    result = ran(backup, "--database", "postgresql://ann:hunter2@db/site", tmp_path / "copy", code=1)
    assert "pg_dump" in str(result.exception)
    assert "hunter2" not in str(result.exception)
    (tmp_path / "text").write_text("no database at all, but long enough to have a header" * 9)
    assert "this is not a SQLite database" in str(
        ran(backup, "--database", tmp_path / "text", tmp_path / "copy", code=1).exception
    )
    assert not (tmp_path / "copy").exists()


ONLY_READING = [
    ("luna", "admin", "export", "--out", "out"), ("luna", "admin", "stats"), ("luna", "admin", "reports"),
    ("luna", "admin", "flags"), ("luna", "admin", "backup", "copy"),
    ("luna", "admin", "ban", "0" * 32, "--dry-run"), ("luna", "admin", "void", "0" * 32, "--dry-run"),
    ("luna", "machine", "list"),
    ("luna", "rate"), ("people", "survey", "list"), ("people", "survey", "open", "trust", "--preview"),
]  # fmt: skip
WRITING = [
    ("luna", "admin", "hide", "0" * 32, "0"), ("luna", "admin", "reports", "--dismiss", "1"),
    ("people", "survey", "close", "trust"),
    ("luna", "machine", "add", "Bot", "--renew"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", ONLY_READING + WRITING, ids=" ".join)
def test_a_file_that_is_not_a_site_s_database_is_left_as_it_is(viva: Viva, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "notes.txt").write_text("no database at all")
    (tmp_path / "empty.sqlite").touch()
    with Transcript.open(tmp_path / "run.sqlite"):
        pass
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for name, problem in (
        ("notes.txt", "this is not a SQLite database"),
        ("empty.sqlite", "is not the database of a site"),
        ("run.sqlite", "this is another program's database"),
    ):
        ended = viva(*arguments, "--database", name)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert name in ended.err
        assert problem in ended.err
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "arguments", [("luna", "admin", "stats"), ("luna", "admin", "reports"), ("people", "survey", "list")], ids=" ".join
)
def test_what_only_reads_leaves_the_database_as_it_is(viva: Viva, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = put_tables(tmp_path / "site.sqlite")
    before = file.read_bytes()
    assert viva(*arguments, "--database", "site.sqlite").code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"site.sqlite": before}
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    ended = viva(*arguments, "--database", "site.sqlite")
    assert ended.code == 2
    assert "from another version of the site: it has 9999" in ended.err


@pytest.mark.long
def test_a_player_is_dealt_with_once_it_is_said_what_that_changes(database: Path, engine: Engine) -> None:
    with transaction(engine) as c:
        cheat, honest = ruined(c)
        before = {player.id: rating_of(c, player.id)[0] for player in honest}
    where = ("--database", database)
    (document,) = json.loads(ran(flags, *where, "--json").stdout)
    assert (document["player"], document["name"], document["banned"], document["void"]["guesses"]) == (
        cheat.id,
        "Zero",
        False,
        HONEST,
    )
    assert "guesses 0: 6 of 6 guesses" in " ".join(document["evidence"])
    assert cheat.id in ran(flags, *where).stdout
    dry = json.loads(ran(void, cheat.id, "--dry-run", *where, "--json").stdout)
    assert (dry["dry_run"], dry["guesses"], len(dry["ratings"])) == (True, HONEST, HONEST)
    assert "voided" not in dry
    assert "Dry run: nothing was changed." in ran(ban, cheat.id, "--void-guesses", "--dry-run", *where).stderr
    assert "there is no terminal to ask for confirmation: give --yes" in ran(void, cheat.id, *where, code=2).stderr
    assert json.loads(ran(flags, *where, "--json").stdout) == [document]
    done = json.loads(ran(void, cheat.id, "--yes", *where, "--json").stdout)
    assert (done["voided"], done["ratings"], done["largest"]) == (HONEST, dry["ratings"], dry["largest"])
    with reading(engine) as c:
        after = {entry["player"]: entry["after"] for entry in done["ratings"]}
        assert after == pytest.approx({player.id: rating_of(c, player.id)[0] for player in honest})
        known = people.player(c, cheat.id)
        assert known is not None
        assert not known.banned
    assert json.loads(ran(flags, *where, "--json").stdout) == []
    assert json.loads(ran(void, cheat.id, "--undo", "--yes", *where, "--json").stdout)["restored"] == HONEST
    with reading(engine) as c:
        assert {player.id: rating_of(c, player.id)[0] for player in honest} == before


@pytest.mark.long
def test_who_sits_at_a_terminal_is_asked_and_told_before(
    database: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(engine) as c:
        cheat, honest = ruined(c)
        before = rating_of(c, honest[0].id)
    monkeypatch.setattr(sanctions, "_can_ask", lambda: True)
    for answer, voided in (("n", False), ("", False), ("y", True)):
        result = CliRunner().invoke(void, [cheat.id, "--database", str(database)], input=f"{answer}\n")
        assert result.stderr.startswith(
            f"Zero: Guesses that no longer count: {HONEST}. Ratings that change: {HONEST}, by up to "
        )
        assert "Void the guesses: Zero? [y/N]" in result.stderr
        assert (result.exit_code == 0) == voided
        with reading(engine) as c:
            assert (rating_of(c, honest[0].id) != before) == voided


@pytest.mark.postgres
@pytest.mark.long
def test_postgres(postgres_address: str, tmp_path: Path) -> None:
    engine = open_database(postgres_address)
    migrate(engine)
    with transaction(engine) as c:
        played_out(c, (guest(c), 10.0), (guest(c), 20.0))
    engine.dispose()
    assert json.loads(ran(stats, "--database", postgres_address, "--json").stdout)["figures"]["rating"]["value"] == 15.0
    assert "1 game with 10 answers" in ran(export, "--database", postgres_address, "--out", tmp_path / "out").stdout
