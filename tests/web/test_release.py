"""Whatever somebody typed comes out of the tables as it went in, and no spreadsheet runs it."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import select

from tests.web.store.players import START, account, played
from vivavoce.errors import BadFile
from vivavoce.web.database import back_up, migrate, open_database, reading, transaction
from vivavoce.web.release import ANSWERS, CODEBOOK, GAMES, QUESTIONS, QUOTING, SEATS, WHOLE, safe, write_release, written
from vivavoce.web.store.accounts import confirm, want_address
from vivavoce.web.store.game_export import ExportedGame, ExportedSeat, exported_games
from vivavoce.web.store.people import by_email
from vivavoce.web.store.tokens import new_key
from vivavoce.web.tables import KEYS

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
FIVE = st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT)
MARK = st.none() | st.floats(0, 100)


@st.composite
def seats(draw: st.DrawFn, name: str) -> ExportedSeat:
    hidden, flag = draw(st.booleans()), draw(st.booleans())
    return ExportedSeat(
        player=name,
        kind=draw(st.sampled_from(["guest", "account", "machine"])),
        questions=None if hidden else draw(FIVE),
        answers=None if hidden else draw(FIVE),
        sliders=draw(st.tuples(MARK, MARK, MARK, MARK, MARK)),
        guess=draw(st.floats(0, 100)),
        rating_before=draw(MARK),
        rating_after=draw(MARK),
        outcome="won",
        seconds=(1.0, 2.0, 3.0),
        judged_human=draw(st.booleans()) if flag else None,
        confidence=draw(st.floats(50, 100)) if flag else None,
        right=draw(st.none() | st.booleans()) if flag else None,
    )


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def mark(text: str) -> float | None:
    return float(text) if text else None


@given(TEXT)
@example("'")
@example("''=1")
@example("\r=1")
def test_a_cell_is_safe_and_can_be_undone(text: str) -> None:
    cell = safe(text)
    assert written(cell) == text
    assert cell[0] not in "=+-@\t\r\n"
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n", quoting=QUOTING).writerow([cell, "next"])
    (row,) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert row == [cell, "next"]


@given(st.lists(st.tuples(seats("ann"), seats("bob")), max_size=3))
@pytest.mark.long
def test_tables_and_whole_hold_the_same(played: list[tuple[ExportedSeat, ExportedSeat]]) -> None:
    games = [ExportedGame(f"g{number}", NOW, NOW, both) for number, both in enumerate(played)]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        counts = write_release(out, games, now=NOW)
        assert {file.name for file in out.iterdir()} == {GAMES, SEATS, ANSWERS, QUESTIONS, WHOLE, CODEBOOK}
        whole = json.loads((out / WHOLE).read_text())
        tables = {name: rows(out / name) for name in (GAMES, SEATS, ANSWERS)}
    assert (counts.games, len(whole), len(tables[GAMES])) == (len(games), len(games), len(games))
    assert [(row["player"], float(row["guess"]), mark(row["rating_before"])) for row in tables[SEATS]] == [
        (seat.player, seat.guess, seat.rating_before) for game in games for seat in game.seats
    ]
    truths = {"true": True, "false": False, "": None}
    assert [(truths[row["judged_human"]], mark(row["confidence"]), truths[row["right"]]) for row in tables[SEATS]] == [
        (seat.judged_human, seat.confidence, seat.right) for game in games for seat in game.seats
    ]
    expected = [
        (game.game, str(index), question, answer, slider)
        for game in games
        for index, own, other in ((0, game.seats[0], game.seats[1]), (1, game.seats[1], game.seats[0]))
        if own.answers is not None and other.questions is not None
        for question, answer, slider in zip(other.questions, own.answers, other.sliders or (), strict=True)
    ]
    assert [
        (row["game"], row["place"], written(row["question"]), written(row["answer"]), mark(row["slider"]))
        for row in tables[ANSWERS]
    ] == expected
    assert counts.answers == len(expected)
    for game, entry in zip(games, whole, strict=True):
        for seat, other in zip(game.seats, entry["seats"], strict=True):
            assert other["answers"] == (None if seat.answers is None else list(seat.answers))
            assert other["sliders"] == list(seat.sliders or ())
            assert (other["judged_human"], other["confidence"], other["right"]) == (
                seat.judged_human,
                seat.confidence,
                seat.right,
            )


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("mine")
    with pytest.raises(BadFile, match="not empty"):
        write_release(tmp_path, [], now=NOW)
    assert (tmp_path / "games.csv").read_text() == "mine"
    with pytest.raises(BadFile, match="cannot be written"):
        write_release(tmp_path / "games.csv" / "deeper", [], now=NOW)


def test_addresses_and_keys_are_in_a_backup_and_in_no_export(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "site.sqlite")
    migrate(engine)
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        played(c, (ann, 40.0), (bob, 80.0))
        key = new_key(c, "confirm", want_address(c, ann, "new@example.org").id, "new@example.org", START)
        secrets = [*c.execute(select(KEYS.c.id, KEYS.c.secret_hash)).one(), key, "example.org", ann.id, ann.name]
    with reading(engine) as c:
        assert write_release(tmp_path / "out", exported_games(c, salt=b"salt"), now=NOW).games == 1
    files = [file.read_text() for file in (tmp_path / "out").iterdir()]
    assert len(files) == 6
    assert not [secret for secret in secrets for file in files if secret in file]
    engine.dispose()
    back_up(str(tmp_path / "site.sqlite"), tmp_path / "copy.sqlite")
    copy = open_database(tmp_path / "copy.sqlite")
    with transaction(copy) as c:
        assert confirm(c, key, START) is not None
        assert by_email(c, "new@example.org") is not None
    copy.dispose()
