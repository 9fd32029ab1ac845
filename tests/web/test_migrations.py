"""A database of an older version of the site is brought up to date with all that is in it."""

from __future__ import annotations

from importlib.resources import files

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, text

from tests.web.store.players import START
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import outbox
from vivavoce.web.store.accounts import confirm
from vivavoce.web.store.keys import make
from vivavoce.web.store.letters import prepared
from vivavoce.web.store.people import by_email, create_account, player
from vivavoce.web.store.ratings import rating_of
from vivavoce.web.store.sessions import hashed, session_player
from vivavoce.web.tables import TABLES

WHEN = "2026-06-14 12:00:00.000000"
PEOPLE = """INSERT INTO players (id, kind, name, name_key, email, password_hash, created, consent, consented,
  machines_may_step_in, mail_on_turn, banned, left_at, changes, moves, move_seconds) VALUES
  ('a1', 'account', 'Ann', 'ann', 'ann@example.org', '$argon2', :at, '1', :at, :yes, :yes, :no, NULL, 7, 3, 90.5),
  ('b2', 'guest', 'Guest of 14 June, owl', NULL, NULL, NULL, :at, '1', :at, :yes, :no, :no, NULL, 6, 3, 60.0),
  ('c3', 'account', 'Somebody who left', NULL, NULL, NULL, :at, NULL, NULL, :yes, :no, :no, :at, 0, 0, 0.0)"""
GAME = "INSERT INTO games (id, state, begun, expires, finished) VALUES ('g1', 'over', :at, :at, :at)"
SEATS = """INSERT INTO seats (game, place, player, opponent, human, questions, answers, guess, asked, answered, guessed, hidden,
  finished, received, received_from_human, rating_before, rating_after, outcome) VALUES
  ('g1', 0, 'a1', 'b2', :yes, '["\\\\ud800?"]', '["!"]', 40.0, :at, :at, :at, :no, :at, 80.0, :yes, NULL, 80.0, 'tied'),
  ('g1', 1, 'b2', 'a1', :yes, '["?"]', '["!"]', 80.0, :at, :at, :at, :no, :at, 40.0, :yes, NULL, 40.0, 'tied')"""
OTHERS = (
    "INSERT INTO presence (player, seen) VALUES ('a1', :at), ('b2', :at)",
    "INSERT INTO sessions (token_hash, player, expires) VALUES (:hash, 'a1', '2026-08-13 12:00:00.000000')",
    """INSERT INTO outbox (player, recipient, subject, body, created, due, attempts) VALUES
       ('a1', 'ann@example.org', 'It is your turn', 'b', :at, :at, 0)""",
)
GONE = {"moves", "move_seconds"}  # of players: nobody is chosen by speed any more
RULES_THEN = {"question_count": 5, "longest_text": 5000, "days": 3.0}
TABLES_THEN = ("players", "games", "seats", "presence", "sessions", "outbox", "locks")


def taken_to(engine: Engine, revision: str) -> None:
    """The tables as that revision left them."""
    config = Config()
    config.set_main_option("script_location", str(files("vivavoce.web") / "migrations"))
    config.set_main_option("path_separator", "os")
    with transaction(engine) as c:
        config.attributes["connection"] = c
        (command.upgrade if revision != "-1" else command.downgrade)(config, revision)


@pytest.fixture
def old(address: str) -> Engine:
    """A database as the first version of the site left it, with two people who have played, and one who has left."""
    engine = open_database(address)
    taken_to(engine, "0001")
    given = {"at": WHEN if "://" not in address else START, "yes": True, "no": False, "hash": hashed("token")}
    with transaction(engine) as c:
        for statement in (PEOPLE, GAME, SEATS, *OTHERS):
            c.execute(text(statement), {name: value for name, value in given.items() if f":{name}" in statement})
    return engine


def rows(engine: Engine) -> dict[str, list[dict[str, object]]]:
    with reading(engine) as c:
        return {
            name: sorted((dict(row) for row in c.execute(text(f"SELECT * FROM {name}")).mappings()), key=repr)
            for name in TABLES_THEN
        }


def test_nothing_is_lost_on_the_way_from_the_first_version(old: Engine) -> None:
    before = rows(old)
    assert [len(before[name]) for name in TABLES_THEN] == [3, 1, 2, 2, 1, 1, 1]
    migrate(old)
    after = rows(old)
    with reading(old) as c:
        assert compare_metadata(MigrationContext.configure(c), TABLES) == []
    for name in TABLES_THEN:
        assert len(after[name]) == len(before[name])
        for row, then in zip(after[name], before[name], strict=True):
            kept = {column: value for column, value in then.items() if column not in GONE}
            assert row | kept == row  # what was there is there
            assert all(row[added] == RULES_THEN[added] for added in row.keys() & RULES_THEN.keys())
            assert not any(row[added] for added in row.keys() - then.keys() - RULES_THEN.keys() - {"ready"})
            if name == "seats":  # nobody is asked in games that had begun
                assert row["ready"] == after["games"][0]["begun"]
    old.dispose()


def test_addresses_of_settled_mail_are_forgotten_and_no_others(old: Engine) -> None:
    taken_to(old, "0004")
    with transaction(old) as c:
        outbox.add(c, "bob@example.org", "It is your turn", "b", START)
        outbox.add(c, "cy@example.org", "It is your turn", "b", START)
        c.execute(text("UPDATE outbox SET due = NULL, error = '550 bob@example.org' WHERE recipient = 'bob@example.org'"))
    migrate(old)
    with reading(old) as c:
        found = c.execute(text("SELECT recipient, error FROM outbox ORDER BY id")).all()
    assert [tuple(row) for row in found] == [("ann@example.org", None), ("", None), ("cy@example.org", None)]
    old.dispose()


def test_numbers_of_mail_are_used_once(old: Engine) -> None:
    migrate(old)
    with transaction(old) as c:
        outbox.add(c, "bob@example.org", "", "", START, purpose="confirm")
        _, before = outbox.due(c, START, 2)
        outbox.sent(c, before.id, START)  # brings a key, so all of it is deleted
        outbox.add(c, "bob@example.org", "", "", START, purpose="confirm")
        (after,) = outbox.due(c, START, 2)
    assert after.id > before.id
    old.dispose()


def test_who_had_an_account_before_plays_on_and_has_yet_to_confirm(old: Engine) -> None:
    migrate(old)
    with transaction(old) as c:
        ann = player(c, "a1")
        assert ann is not None
        assert session_player(c, "token", START) == ann
        assert by_email(c, "ann@example.org") == (ann, "$argon2")
        assert rating_of(c, "a1") == (80.0, 1)
        assert (ann.email_confirmed, ann.to_confirm, ann.told_by_mail, ann.mail_on_turn) == (
            None,
            "ann@example.org",
            False,
            True,
        )
        (mail,) = outbox.due(c, START, 9)
        assert prepared(c, mail, START) is None  # it waited when the site was brought up to date
        confirmed = confirm(c, make(c, "confirm", "a1", "ann@example.org", START), START)
        assert confirmed is not None
        assert confirmed.told_by_mail
        create_account(c, name="New", email="new@example.org", password_hash="$", consent_version="1", now=START)
    old.dispose()


def test_the_way_back_leaves_what_was_there_before(old: Engine) -> None:
    before = rows(old)
    taken_to(old, "0002")
    with transaction(old) as c:
        make(c, "confirm", "a1", "ann@example.org", START)
        outbox.add(c, "ann@example.org", "", "", START, purpose="reset")
    taken_to(old, "-1")
    assert rows(old) == before
    old.dispose()
