"""Players come, change and leave; who leaves takes everything along but numbers."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from tests.web.store.players import MINUTE, START, account, guest, machine, moves, pair, played
from tests.web.store.whole import check_whole
from vivavoce.errors import BadInput
from vivavoce.luna.rules import IllegalMove, Phase, QuestionsMove, outcome, view
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import mails, tokens
from vivavoce.web.store.accounts import ask_for_reset, ask_to_confirm, delete_player, want_address
from vivavoce.web.store.games import Draft, drafts, load, save_draft
from vivavoce.web.store.moderation import open_reports, report
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import (
    LEFT,
    NameTaken,
    agree,
    by_email,
    change_settings,
    create_account,
    create_guest,
    player,
    seen,
    upgrade_guest,
)
from vivavoce.web.store.queue import join_queue, waiting_since
from vivavoce.web.store.ratings import history, leaderboard, rating_of
from vivavoce.web.store.tokens import open_session, session_player
from vivavoce.web.tables import KEYS, PLAYERS, TABLES

ANN = {"email": "Ann@Example.org", "password_hash": "$argon2$secret", "consent_version": "2"}


def test_a_guest_has_a_made_up_name_that_is_not_the_id(engine: Engine) -> None:
    with transaction(engine) as c:
        made = create_guest(c, consent_version="1", now=START)
        assert player(c, made.id) == made
    assert made.name.startswith("Guest of 14 June, ")
    assert made.id not in made.name
    assert (made.kind, made.consent, made.email, made.mail_on_turn, made.machines_may_step_in, made.banned) == (
        "guest", "1", None, False, True, False,
    )  # fmt: skip


def test_an_account_is_found_by_its_address(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = create_account(c, name=" Ann  Lee ", now=START, **ANN)
    with reading(engine) as c:
        assert by_email(c, "ann@EXAMPLE.org ") == (ann, "$argon2$secret")
        assert player(c, ann.id) == ann
        assert by_email(c, "bob@example.org") is None
        assert by_email(c, "\0'\ud800") is None
    assert (ann.name, ann.email, ann.mail_on_turn) == ("Ann Lee", "ann@example.org", True)
    assert "example" not in repr(ann)


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "a\0b", "a\u202eb", "Guest of 3 May, owl", "gUEST", LEFT, "\ud800"])
def test_names_that_cannot_be(engine: Engine, name: str) -> None:
    with transaction(engine) as c, pytest.raises(BadInput):
        create_account(c, name=name, now=START, **ANN)


@pytest.mark.parametrize(
    "email",
    [
        "",
        "ann",
        "@b.c",
        "a@",
        "a@b",
        "a b@c.d",
        "a@b.c" + " " * 600 + "x",
        "a@b@c.d",
        "a\n@b.c",
        "ä@b.c",
        "x" * 251 + "@b.c",
        "a,b@c.d",
        "<a@b.c>",
    ],
)
def test_addresses_that_cannot_be_are_not_repeated(engine: Engine, email: str) -> None:
    with transaction(engine) as c, pytest.raises(BadInput) as caught:
        create_account(c, name="Ann", now=START, **ANN | {"email": email})
    assert str(caught.value) == "this is no mail address of the form NAME@HOST"


def test_name_and_address_are_taken_once(engine: Engine) -> None:
    with transaction(engine) as c:
        create_account(c, name="Ann", now=START, **ANN)
        with pytest.raises(NameTaken) as same_name:
            create_account(c, name="ＡＮＮ", now=START, **ANN | {"email": "other@example.org"})
        with pytest.raises(NameTaken) as same_address:
            create_account(c, name="Bob", now=START, **ANN)
        bob = create_account(c, name="Bob", now=START, **ANN | {"email": "bob@example.org"})  # the transaction goes on
        assert player(c, bob.id) == bob
    assert (same_name.value.what, same_address.value.what) == ("name", "address")
    assert "example" not in str(same_address.value)


def test_a_guest_becomes_an_account_and_keeps_games_and_rating(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = played(c, (ann, 10.0), (bob, 30.0))
        upgraded = upgrade_guest(c, ann, name="Ann", email="ann@example.org", password_hash="$")
        assert (upgraded.id, upgraded.kind, upgraded.name, upgraded.consent) == (ann.id, "account", "Ann", ann.consent)
        assert load(c, game.id, upgraded)[0] == game
        assert rating_of(c, upgraded.id) == (30.0, 1)
        for who in (ann, upgraded):
            with pytest.raises(BadInput):
                upgrade_guest(c, who, name="Again", email="again@example.org", password_hash="$")
        with pytest.raises(NameTaken):
            upgrade_guest(c, bob, name="Bob", email="ann@example.org", password_hash="$")


def test_settings_consent_and_presence(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = guest(c)
        change_settings(c, ann, machines_may_step_in=False, mail_on_turn=True)
        agree(c, ann, consent_version="3", now=START)
        changed = player(c, ann.id)
        assert changed is not None
        assert (changed.machines_may_step_in, changed.mail_on_turn, changed.consent) == (False, True, "3")
        # known to half a minute: less is not worth writing
        assert [seen(c, ann, START + timedelta(seconds=s)) for s in (29, 30, 31, 60)] == [False, True, False, True]


@pytest.mark.parametrize("strange", ["", "\0", "\ud800", "' OR 1=1", "x" * 1000])
def test_no_player_has_a_strange_id(engine: Engine, strange: str) -> None:
    with reading(engine) as c:
        assert player(c, strange) is None


def test_who_leaves_takes_everything_along_but_numbers(engine: Engine, kept_at: str, tmp_path: Path) -> None:
    mine = "unmistakable words"
    with transaction(engine) as c:
        bob, eve = account(c), guest(c)
        ann = create_account(c, name="Unmistakable Ann", now=START, **ANN | {"email": "unmistakable@example.org"})
        over = played(c, (ann, 40.0), (bob, 80.0))
        running, other = pair(c, ann, eve), pair(c, ann, bob)
        make_move(c, running, ann, QuestionsMove((mine,) * 5), START)
        make_move(c, running, eve, moves(1.0)[0], START)
        save_draft(c, other, ann, Draft({"question1": mine}), START)
        report(c, over.id, ann, mine, START)
        mails.add(c, "unmistakable@example.org", "", "", START, player=ann.id)
        ask_for_reset(c, "unmistakable@example.org", START)
        ask_for_reset(c, "unmistakably.new@example.org", START)
        ann = want_address(c, ann, "unmistakably.new@example.org")
        ask_to_confirm(c, ann, START)
        tokens.new_key(c, "confirm", ann.id, "unmistakably.new@example.org", START)
        tokens.new_key(c, "reset", ann.id, "unmistakable@example.org", START)
        token = open_session(c, ann, START)
        join_queue(c, ann, START)
        delete_player(c, ann, START + MINUTE)
    with reading(engine) as c:
        assert player(c, ann.id) is None
        assert by_email(c, "unmistakable@example.org") is None
        assert session_player(c, token, START) is None
        assert waiting_since(c, ann) is None
        assert drafts(c, other, ann).newest.fields == {}
        assert open_reports(c) == []
        assert mails.due(c, START, 10) == []
        assert c.execute(select(KEYS)).all() == []
        assert c.execute(select(PLAYERS.c.name).where(PLAYERS.c.id == ann.id)).scalar_one() == LEFT
        # what others got from it stays: Bob's rating is Ann's guess, and he still sees how the game ended
        assert rating_of(c, bob.id) == (40.0, 1)
        assert [point.guess for point in history(c, bob.id)] == [40.0]
        game, position = load(c, over.id, bob)
        assert (game.phase(START), outcome(game, position), view(game, position, START).questions) == (Phase.OVER, "tied", None)
        assert game.seats[position].questions == over.seats[1].questions
        # nobody waits for Ann
        assert load(c, running, eve)[0].phase(START + MINUTE) is Phase.EXPIRED
        assert load(c, other, bob)[0].phase(START + MINUTE) is Phase.EXPIRED
        assert [standing.name for standing in leaderboard(c)] == [bob.name]
        rows = [repr(row) for table in TABLES.sorted_tables for row in c.execute(select(table))]
        assert not [row for row in rows if "nmistakable" in row]
    with transaction(engine) as c, pytest.raises(IllegalMove):
        make_move(c, running, eve, moves(1.0)[1], START + MINUTE)
    with transaction(engine) as c:  # both can be used again
        create_account(c, name="Unmistakable Ann", now=START, **ANN | {"email": "unmistakable@example.org"})
        bot = machine(c, "Bot")
        delete_player(c, bot, START)
        machine(c, "Bot")


def test_on_sqlite_nothing_of_who_left_is_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "site.sqlite"
    engine = open_database(file)
    migrate(engine)
    with transaction(engine) as c:
        ann, bob = create_account(c, name="Ann", now=START, **ANN), guest(c)
        game = pair(c, ann, bob)
        make_move(c, game, ann, QuestionsMove(("unmistakable words",) * 5), START)
    with transaction(engine) as c:
        delete_player(c, ann, START)
    engine.dispose()
    with sqlite3.connect(file) as plain:
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    plain.close()
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"unmistakable" not in left
    assert b"ann@example.org" not in left


def test_leaving_leaves_the_log_whole(engine: Engine) -> None:
    with transaction(engine) as c:
        people = [guest(c) for _ in range(3)]
        for number, person in enumerate(people):
            for other in people[:number]:
                played(c, (person, 10.0 * number), (other, 50.0))
        ratings = [rating_of(c, person.id) for person in people]
    assert check_whole(engine) == 18
    with transaction(engine) as c:
        delete_player(c, people[0], START)
        assert [rating_of(c, person.id) for person in people] == ratings
