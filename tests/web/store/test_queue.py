"""Who waits is paired with somebody who is here, and never told whether it is a machine."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine, select, update

from tests.web.store.players import MINUTE, START, account, guest, machine, pair
from vivavoce.luna.matching import LONGEST_PATIENCE
from vivavoce.web.database import transaction
from vivavoce.web.store.games import changes, games_of
from vivavoce.web.store.outbox import due
from vivavoce.web.store.people import change_settings, seen
from vivavoce.web.store.queue import STALE, find_game, keep_waiting, leave_queue, sweep, waiting_since
from vivavoce.web.store.reports import ban
from vivavoce.web.tables import PLAYERS, QUEUE


def test_the_second_to_come_plays_the_first(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        assert find_game(c, ann, START) is None
        assert waiting_since(c, ann) == START
        assert find_game(c, ann, START + MINUTE) is None  # never oneself
        assert waiting_since(c, ann) == START
        before = changes(c, ann, 0)
        game = find_game(c, bob, START + MINUTE)
        assert game is not None
        assert {seat.player for seat in game.seats} == {ann.id, bob.id}
        assert changes(c, ann, before) > before
        assert (waiting_since(c, ann), waiting_since(c, bob)) == (None, None)
        assert games_of(c, ann, START)[0][0] == games_of(c, bob, START)[0][0] == game


def test_whoever_leaves_the_queue_is_not_paired(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        find_game(c, ann, START)
        leave_queue(c, ann)
        assert find_game(c, bob, START) is None


def test_somebody_else_rather_than_the_same_again(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        pair(c, ann, bob)
        for one in (bob, eve):
            c.execute(QUEUE.insert().values(player=one.id, since=START, patience_seconds=0.0))
        game = find_game(c, ann, START)
        assert game is not None
        assert {seat.player for seat in game.seats} == {ann.id, eve.id}
        game = find_game(c, ann, START)  # better the same than nobody
        assert game is not None
        assert {seat.player for seat in game.seats} == {ann.id, bob.id}


def test_the_quicker_first(engine: Engine) -> None:
    with transaction(engine) as c:
        slow, quick, ann = guest(c), guest(c), guest(c)
        for one, seconds in ((slow, 900.0), (quick, 90.0)):
            c.execute(QUEUE.insert().values(player=one.id, since=START, patience_seconds=0.0))
            c.execute(update(PLAYERS).where(PLAYERS.c.id == one.id).values(moves=3, move_seconds=seconds))
        game = find_game(c, ann, START)
        assert game is not None
        assert quick.id in {seat.player for seat in game.seats}


@pytest.mark.parametrize("by", ["sweep", "keep_waiting"])
def test_a_machine_steps_in_for_whoever_has_waited_and_allows_it(engine: Engine, by: str) -> None:
    late = START + LONGEST_PATIENCE
    with transaction(engine) as c:
        strict, ann, bot = guest(c), guest(c), machine(c)
        change_settings(c, strict, machines_may_step_in=False, mail_on_turn=False)
        assert find_game(c, bot, START) is None
        c.execute(QUEUE.insert().values(player=strict.id, since=START, patience_seconds=0.0))
        assert keep_waiting(c, strict, late) is None
        leave_queue(c, strict)
        find_game(c, ann, START)
        c.execute(update(QUEUE).where(QUEUE.c.player == ann.id).values(patience_seconds=20.0))
        assert sweep(c, START + timedelta(seconds=19)) == 0
        if by == "sweep":
            assert sweep(c, START + timedelta(seconds=20)) == 1
            assert sweep(c, START + timedelta(seconds=20)) == 0
        else:
            assert keep_waiting(c, ann, START + timedelta(seconds=20)) is not None
            assert keep_waiting(c, ann, START + timedelta(seconds=20)) is None
        ((game, _),) = games_of(c, ann, late)
        assert {seat.player: seat.human for seat in game.seats} == {ann.id: True, bot.id: False}


def test_two_machines_never_play(engine: Engine) -> None:
    with transaction(engine) as c:
        for _ in range(2):
            assert find_game(c, machine(c), START) is None
        assert sweep(c, START + LONGEST_PATIENCE) == 0


def test_waiting_times_differ_so_that_they_tell_nothing(engine: Engine) -> None:
    drawn: list[float] = []
    with transaction(engine) as c:
        for _ in range(40):
            ann = guest(c)
            find_game(c, ann, START)
            (patience,) = c.execute(select(QUEUE.c.patience_seconds).where(QUEUE.c.player == ann.id)).scalars()
            leave_queue(c, ann)
            assert 0 <= patience <= LONGEST_PATIENCE.total_seconds()
            drawn.append(patience)
    assert max(drawn) - min(drawn) > 10  # of 40 draws from 0 to 30 s; else the chance is below 40 * 3**-39


def test_mail_tells_the_absent_that_a_game_has_begun(engine: Engine) -> None:
    later = START + timedelta(hours=2)
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        find_game(c, ann, START)
        assert find_game(c, bob, later) is None  # somebody who is here may still come
        seen(c, bob, later + LONGEST_PATIENCE)
        assert keep_waiting(c, bob, later + LONGEST_PATIENCE) is not None
        assert [(mail.player, mail.subject) for mail in due(c, later + MINUTE, 10)] == [(ann.id, "A game has begun")]


def test_the_banned_and_the_long_gone_wait_no_more(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        find_game(c, ann, START)
        ban(c, ann.id, START)
        assert find_game(c, bob, START) is None
        assert find_game(c, ann, START) is None  # not even if a page is still open
        sweep(c, START + STALE)
        assert waiting_since(c, bob) is None
        assert find_game(c, eve, START + STALE) is None


def test_places_do_not_tell_who_came_first(engine: Engine) -> None:
    with transaction(engine) as c:
        places = set()
        for _ in range(40):  # all in one order has a chance of 2**-39
            ann, bob = guest(c), guest(c)
            find_game(c, ann, START)
            game = find_game(c, bob, START)
            assert game is not None
            places.add(game.seats[0].player == ann.id)
    assert places == {True, False}
