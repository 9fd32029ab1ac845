"""Keys, addresses and passwords in threads that write at one moment: each key is good once, and nobody waits in a circle."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, Engine, select

from tests.web.store.at_once import together
from tests.web.store.players import START, account, moves, unconfirmed
from vivavoce.errors import BadInput
from vivavoce.luna.rules import IllegalMove, Phase
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import mails
from vivavoce.web.store.accounts import (
    ask_for_reset,
    ask_to_confirm,
    change_password,
    confirm,
    delete_player,
    is_still,
    password_of,
    reset_password,
    want_address,
)
from vivavoce.web.store.games import NotYourGame, games_of
from vivavoce.web.store.mails import prepared
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import NameTaken, Player, player
from vivavoce.web.store.queue import join_queue, sweep
from vivavoce.web.store.site import alone
from vivavoce.web.store.tokens import KEY_TRIES, new_key, open_key, open_session
from vivavoce.web.tables import KEYS, PLAYERS, SESSIONS


def test_a_key_is_good_once_however_many_use_it_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        key = new_key(c, "reset", ann.id, ann.email or "", START)

    def use(number: int) -> bool:
        with transaction(engine) as c:
            return reset_password(c, key, f"${number}", START) is not None

    done = together([partial(use, number) for number in range(8)])
    assert sorted(map(str, done)) == ["False"] * 7 + ["True"]
    with reading(engine) as c:
        assert password_of(c, ann) == f"${done.index(True)}"


def test_wrong_secrets_are_counted_however_many_are_tried_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        key = new_key(c, "reset", ann.id, ann.email or "", START)

    def guess(number: int) -> object:
        with transaction(engine) as c:
            return open_key(c, "reset", f"{key[:16]}{number:064x}", START)

    assert together([partial(guess, number) for number in range(8)]) == [None] * 8
    with reading(engine) as c:
        assert c.execute(select(KEYS.c.tries)).scalar_one() == KEY_TRIES


def test_two_accounts_confirm_one_address_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        both = [want_address(c, account(c), "wanted@example.org") for _ in range(2)]
        made = [new_key(c, "confirm", entry.id, "wanted@example.org", START) for entry in both]

    def use(key: str) -> bool:
        with transaction(engine) as c:
            return confirm(c, key, START) is not None

    done = together([partial(use, key) for key in made])
    assert [type(value) for value in done if value is not True] == [NameTaken]
    with reading(engine) as c:
        results = c.execute(select(PLAYERS.c.id).where(PLAYERS.c.email == "wanted@example.org")).scalars().all()
    assert results == [both[done.index(True)].id]


def test_no_session_of_the_old_password_outlives_it(engine: Engine) -> None:
    """Whoever signs in while the password is changed is either signed out by that, or not let in."""
    for _ in range(10):
        with transaction(engine) as c:
            ann = account(c)

        def enter(who: Player = ann) -> None:
            with transaction(engine) as c:
                if is_still(c, who, "$"):
                    open_session(c, who, START)

        def change(who: Player = ann) -> bool:
            with transaction(engine) as c:
                return change_password(c, who, "$", "$new")

        assert together([enter, change, enter, enter])[1] is True
        with reading(engine) as c:
            assert c.execute(select(SESSIONS).where(SESSIONS.c.player == ann.id)).all() == []


def one_deed(c: Connection, rng: random.Random, who: Player, now: datetime) -> None:
    match rng.choices(
        ("send", "want", "forget", "use", "password", "delete", "find", "move", "sweep"), (6, 3, 3, 6, 2, 1, 4, 8, 1)
    )[0]:
        case "send":
            for mail in mails.due(c, now, 1):
                prepared(c, mail, now)
                mails.sent(c, mail.id, now)
        case "want":
            ask_to_confirm(c, want_address(c, who, f"{rng.randrange(6)}@example.org"), now)
        case "forget":
            ask_for_reset(c, who.email or "", now)
        case "use":
            alone(c)  # a key is made in the transaction of a mail, and used in another: only here it is the same
            if player(c, who.id) is None:
                return
            if rng.random() < 0.5:
                confirm(c, new_key(c, "confirm", who.id, who.to_confirm or "", now), now)
            else:
                reset_password(c, new_key(c, "reset", who.id, who.email or "", now), "$", now)
        case "password":
            change_password(c, who, "$", "$")
        case "delete":
            delete_player(c, who, now)
        case "find":
            join_queue(c, who, now)
        case "sweep":
            sweep(c, now)
        case _:
            for game, position in games_of(c, who, now, open_only=True)[:1]:
                if game.awaits(position, now):
                    phase = (Phase.INTERVIEW, Phase.RESPONSE, Phase.GUESS).index(game.phase(now))
                    make_move(c, game.id, who, moves(rng.random() * 100)[phase], now)


@pytest.mark.parametrize("most", [24, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_happens_at_once_nobody_waits_in_a_circle(engine: Engine, most: int) -> None:
    with transaction(engine) as c:
        people = [unconfirmed(c) if n % 2 else account(c) for n in range(24)]

    def live(seed: int) -> int:
        rng, done = random.Random(seed), 0
        for step in range(most):
            chosen, now = rng.choice(people), START + timedelta(minutes=step)
            with reading(engine) as c:
                who = player(c, chosen.id)
            if who is None:
                continue
            try:
                with transaction(engine) as c:
                    one_deed(c, rng, who, now)
                done += 1
            except (IllegalMove, NotYourGame, BadInput):
                pass  # another one was quicker, or whom it is about has left
        return done

    done = together([partial(live, seed) for seed in range(6)])
    assert all(isinstance(steps, int) and steps > most / 3 for steps in done), done
    with reading(engine) as c:
        gone = select(PLAYERS.c.id).where(PLAYERS.c.left_at.is_not(None))
        assert c.execute(select(KEYS).where(KEYS.c.player.in_(gone))).all() == []
