"""Mail is handed to one sender, again if it dies, and given up in the end."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Engine, select

from tests.web.store.players import MINUTE, START
from vivavoce.web.database import reading, transaction
from vivavoce.web.store.mails import ATTEMPTS, LEASE, add, due, failed, sent
from vivavoce.web.store.tokens import Purpose
from vivavoce.web.tables import OUTBOX

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


def test_of_mail_with_a_key_nothing_is_left_once_it_is_settled(engine: Engine) -> None:
    """Neither to whom it went, for that may be a stranger, nor a key, for that is made when it leaves."""
    with transaction(engine) as c:
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


def test_mail_is_written_with_what_it_tells_of_or_not_at_all(engine: Engine) -> None:
    try:
        with transaction(engine) as c:
            add(c, "ann@example.org", "", "", START)
            raise KeyError
    except KeyError:
        pass
    with transaction(engine) as c:
        assert due(c, START, 1) == []
