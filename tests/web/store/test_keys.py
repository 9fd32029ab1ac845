"""Keys that are mailed: who has one is let in once, who has the database is not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine, select

from tests.web.store.players import MINUTE, START, account
from vivavoce.web.database import reading, transaction
from vivavoce.web.store.queue import sweep
from vivavoce.web.store.tokens import (
    KEY_LIFE,
    KEY_TRIES,
    MailedKey,
    Purpose,
    forget_expired_keys,
    forget_keys,
    new_key,
    open_key,
)
from vivavoce.web.tables import KEYS

PURPOSES: tuple[Purpose, ...] = ("confirm", "reset")
ADDRESS = "ann@example.org"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_key_opens_what_it_is_for_until_it_expires(engine: Engine, purpose: Purpose) -> None:
    other = PURPOSES[1 - PURPOSES.index(purpose)]
    with transaction(engine) as c:
        ann = account(c)
        key = new_key(c, purpose, ann.id, ADDRESS, START)
        assert open_key(c, purpose, key, START) == MailedKey(ann.id, ADDRESS)
        assert open_key(c, other, key, START) is None
        last = START + KEY_LIFE[purpose] - timedelta(seconds=1)
        assert open_key(c, purpose, key, last) == MailedKey(ann.id, ADDRESS)
        assert open_key(c, purpose, key, last + timedelta(seconds=1)) is None
    assert {"confirm": timedelta(hours=24), "reset": timedelta(hours=1)} == KEY_LIFE
    assert "example" not in repr(MailedKey(ann.id, ADDRESS))


def test_of_its_secret_only_a_hash_is_kept(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        made = {new_key(c, "reset", ann.id, ADDRESS, START) for _ in range(50)}
        kept = repr(c.execute(select(KEYS)).all())
    assert len(made) == 50
    assert {len(key) for key in made} == {80}  # 64 bits to find it by, 256 that are secret, 4 in each digit
    assert not [key for key in made if key[16:] in kept]


def test_a_wrong_secret_is_counted_and_then_even_the_right_one_is_refused(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        key, other = (new_key(c, "confirm", ann.id, ADDRESS, START) for _ in range(2))
        wrong = key[:16] + other[16:]
        for _ in range(KEY_TRIES - 1):
            assert open_key(c, "confirm", wrong, START) is None
        assert open_key(c, "confirm", key, START) is not None
        assert open_key(c, "confirm", wrong, START) is None
        assert open_key(c, "confirm", key, START) is None
        assert open_key(c, "confirm", other, START) is not None  # each key for itself


STRANGE = ["", "\0", "\ud800", "' OR 1=1 --", "x" * 80, "0" * 79, "0" * 81, "0" * 100_000, "%" * 80, "_" * 80, "\u0661" * 80]


@pytest.mark.parametrize("strange", STRANGE)
def test_what_is_no_key_opens_nothing(engine: Engine, strange: str) -> None:
    with transaction(engine) as c:
        new_key(c, "reset", account(c).id, ADDRESS, START)
        assert open_key(c, "reset", strange, START) is None
        assert c.execute(select(KEYS.c.tries)).scalars().all() == [0]


def test_keys_are_forgotten(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        old, hers = new_key(c, "reset", ann.id, ADDRESS, START), new_key(c, "reset", ann.id, ADDRESS, START + 30 * MINUTE)
        his = new_key(c, "confirm", bob.id, "bob@example.org", START)
        assert forget_expired_keys(c, START + 60 * MINUTE) == 1
        assert open_key(c, "reset", old, START) is None
        forget_keys(c, ann.id)
        assert open_key(c, "reset", hers, START) is None
        assert open_key(c, "confirm", his, START) is not None
        sweep(c, START + KEY_LIFE["confirm"])  # as the site does every few seconds
    with reading(engine) as c:
        assert c.execute(select(KEYS)).all() == []
