"""Sessions and machines get in by their tokens alone; mail is handed to one sender."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, select

from tests.web.store.players import MINUTE, START, guest, pair
from vivavoce.errors import BadInput, UnknownName
from vivavoce.web.database import reading, transaction
from vivavoce.web.store.machines import create_machine, machine_by_token, machines, renew_token, revoke
from vivavoce.web.store.mails import ATTEMPTS, LEASE, add, due, failed, sent
from vivavoce.web.store.moderation import ban, pardon
from vivavoce.web.store.people import (
    SESSION_LIFE,
    NameTaken,
    Player,
    Purpose,
    close_session,
    close_sessions,
    forget_expired_sessions,
    open_session,
    renew_session,
    session_player,
)
from vivavoce.web.tables import OUTBOX, TABLES

STRANGE = ["", "\0", "\ud800", "' OR 1=1", "x" * 100_000]


def everything(engine: Engine) -> str:
    with reading(engine) as c:
        return repr([tuple(row) for table in TABLES.sorted_tables for row in c.execute(select(table))])


def test_a_session_is_known_by_its_token_alone(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        tokens = [open_session(c, ann, START), open_session(c, ann, START), open_session(c, bob, START)]
    assert len(set(tokens)) == 3
    assert min(map(len, tokens)) >= 43  # 32 bytes in base64
    with reading(engine) as c:
        assert [session_player(c, token, START) for token in tokens] == [ann, ann, bob]
        assert [session_player(c, token, START) for token in STRANGE] == [None] * 5
    assert not [token for token in tokens if token in everything(engine)]


def test_closed_sessions_are_worth_nothing(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    first, second, third = open_session(c, ann, START), open_session(c, ann, START), open_session(c, ann, START)
    his = open_session(c, bob, START)
    close_session(c, first)
    assert [session_player(c, token, START) for token in (first, second, his)] == [None, ann, bob]
    close_sessions(c, ann)
    assert [session_player(c, token, START) for token in (second, third, his)] == [None, None, bob]


def test_a_session_lives_sixty_days_after_its_last_use(c: Connection) -> None:
    ann = guest(c)
    token = open_session(c, ann, START)
    assert session_player(c, token, START + SESSION_LIFE - MINUTE) == ann
    assert session_player(c, token, START + SESSION_LIFE) is None
    assert not renew_session(c, token, START + timedelta(hours=23))  # once a day is often enough
    assert renew_session(c, token, START + timedelta(days=30))
    assert session_player(c, token, START + SESSION_LIFE) == ann
    assert not renew_session(c, token, START + timedelta(days=90))  # it has died
    assert forget_expired_sessions(c, START + timedelta(days=90)) == 1


def test_a_banned_player_is_out(c: Connection) -> None:
    ann, (bot, machine_token) = guest(c), create_machine(c, name="Bot", now=START)
    token = open_session(c, ann, START)
    pair(c, ann, bot)
    for player in (ann, bot):
        ban(c, player.id, START)
    assert session_player(c, token, START) is None
    assert machine_by_token(c, machine_token, START) is None
    pardon(c, ann.id)
    assert session_player(c, token, START) is None  # closed for good
    assert session_player(c, open_session(c, ann, START), START) == ann
    with pytest.raises(UnknownName):
        ban(c, "nobody", START)


def test_a_machine_is_known_by_its_token_until_it_is_revoked(engine: Engine) -> None:
    with transaction(engine) as c:
        bot, token = create_machine(c, name="Gibberish Bot", now=START)
        assert (bot.kind, bot.human, bot.consent) == ("machine", False, None)
        assert machine_by_token(c, token, START) == bot
        assert [machine_by_token(c, other, START) for other in STRANGE] == [None] * 5
        with pytest.raises(NameTaken):
            create_machine(c, name="gibberish bot", now=START)
        with pytest.raises(BadInput):
            create_machine(c, name="", now=START)
        revoke(c, "Gibberish Bot")
        assert machine_by_token(c, token, START) is None
        assert [(machine.player, machine.revoked) for machine in machines(c)] == [(bot, True)]
        fresh = renew_token(c, "Gibberish Bot")
        assert machine_by_token(c, token, START) is None
        assert machine_by_token(c, fresh, START) == bot
        for name in ("nobody", "\0", "\ud800"):
            with pytest.raises(UnknownName, match="Gibberish Bot"):
                revoke(c, name)
    assert token not in everything(engine)
    assert fresh not in everything(engine)


def test_a_machine_that_calls_is_here(engine: Engine) -> None:
    def last_seen(player: Player) -> timedelta:
        with reading(engine) as c:
            return machines(c)[0].seen - START

    with transaction(engine) as c:
        bot, token = create_machine(c, name="Bot", now=START)
    with reading(engine) as c:
        machine_by_token(c, token, START + MINUTE)  # who only reads writes nothing
    assert last_seen(bot) == timedelta()
    with transaction(engine) as c:
        machine_by_token(c, token, START + MINUTE)
    assert last_seen(bot) == MINUTE


def test_a_person_cannot_be_revoked_as_a_machine(c: Connection) -> None:
    name = guest(c).name
    with pytest.raises(UnknownName):
        revoke(c, name)


PURPOSES: tuple[Purpose, ...] = ("confirm", "reset")


def test_mail_is_due_in_order_until_it_is_sent(engine: Engine) -> None:
    with transaction(engine) as c:
        for number in range(3):
            add(c, f"{number}@example.org", f"subject {number}", "body", START + number * MINUTE)
        first, second = due(c, START + 5 * MINUTE, 2)
        assert (first.recipient, second.subject) == ("0@example.org", "subject 1")
        (third,) = due(c, START + 5 * MINUTE, 2)
        sent(c, first.id, START)
        sent(c, third.id, START)
        assert due(c, START + 9 * MINUTE, 9) == []
        # the sender of the second has died
        assert due(c, START + 5 * MINUTE + LEASE, 9) == [second]
        assert c.execute(select(OUTBOX.c.recipient, OUTBOX.c.body).where(OUTBOX.c.id == first.id)).one() == ("", "")
    assert "example" not in repr(first)
    assert "body='" not in repr(first)


def test_pauses_grow_and_then_it_is_given_up(engine: Engine) -> None:
    now, pauses = START, []
    with transaction(engine) as c:
        add(c, "ann@example.org", "", "", START)
        for _ in range(ATTEMPTS):
            (mail,) = due(c, now, 1)
            failed(c, mail.id, "550\0 ann@example.org:\nno such user" + "x" * 1000, now)
            waiting = c.execute(select(OUTBOX.c.due)).scalar_one()
            if waiting is not None:
                pauses.append((waiting - now) / timedelta(minutes=5))
                assert due(c, waiting - timedelta(seconds=1), 1) == []
                now = waiting
        assert due(c, now + timedelta(days=99), 1) == []
        recipient, error = c.execute(select(OUTBOX.c.recipient, OUTBOX.c.error)).one()
    assert pauses == [1, 2, 4, 8, 16, 32, 64]
    assert recipient == ""
    assert error.startswith("550  (the address): no such user")
    assert len(error) == 500


def test_what_was_sent_cannot_fail_any_more(engine: Engine) -> None:
    with transaction(engine) as c:
        add(c, "ann@example.org", "", "", START)
        (mail,) = due(c, START, 1)
        sent(c, mail.id, START)
        failed(c, mail.id, "too late", START)
        failed(c, 999, "no such mail", START)
    with reading(engine) as c:
        assert c.execute(select(OUTBOX.c.due, OUTBOX.c.error)).one() == (None, None)


def test_of_mail_with_a_key_nothing_is_left_once_it_is_settled(c: Connection) -> None:
    """Neither to whom it went, for that may be a stranger, nor a key, for that is made when it leaves."""
    for purpose in PURPOSES:
        add(c, f"{purpose}@example.org", "", "", START, purpose=purpose)
    first, second = due(c, START, 2)
    assert (first.purpose, first.body, second.purpose) == ("confirm", "", "reset")
    sent(c, first.id, START)
    now = START
    for _ in range(ATTEMPTS - 1):
        failed(c, second.id, "550 no such user", now)
        assert c.execute(select(OUTBOX.c.recipient)).scalars().all() == ["reset@example.org"]
        now = c.execute(select(OUTBOX.c.due)).scalar_one()
        due(c, now, 1)
    failed(c, second.id, "550 no such user", now)
    assert c.execute(select(OUTBOX)).all() == []
