"""Who waits is paired at the next tick, and nothing of it tells a machine from a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, update

from tests.web.store.players import MINUTE, START, account, guest, machine, pair
from vivavoce.luna.matching import GONE, PATIENCE, WAITS_HERE
from vivavoce.web.database import transaction
from vivavoce.web.store import queue
from vivavoce.web.store.games import changes, games_of
from vivavoce.web.store.machines import HOUSE_PRESENT
from vivavoce.web.store.mails import due
from vivavoce.web.store.moderation import ban
from vivavoce.web.store.people import Player, change_settings, page_closed, seen
from vivavoce.web.store.queue import STALE, join_queue, leave_queue, sweep, waiting_since
from vivavoce.web.tables import MACHINES

TICK = timedelta(seconds=3)


def opponents(c: Connection, player: Player) -> list[str]:
    """Of all games, the newest first."""
    return [game.seats[1 - index].player for game, index in games_of(c, player, START)]


def test_a_game_begins_at_a_tick_and_never_by_an_arrival(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        assert sweep(c, START, tick=3) == 0  # nobody waits
        assert join_queue(c, ann, START) == START
        assert join_queue(c, ann, START + TICK / 3) == START  # goes on waiting
        join_queue(c, bob, START + TICK / 3)
        assert sweep(c, START + TICK / 2, tick=3) == 0  # this tick has been
        assert opponents(c, ann) == []
        before = changes(c, ann, 0)
        assert sweep(c, START + TICK, tick=3) == 1
        assert opponents(c, ann) == [bob.id]
        assert opponents(c, bob) == [ann.id]
        assert changes(c, ann, before) > before
        assert (waiting_since(c, ann), waiting_since(c, bob)) == (None, None)


def test_all_who_wait_begin_at_the_same_tick(engine: Engine) -> None:
    with transaction(engine) as c:
        everybody = [guest(c) for _ in range(5)]
        for index, player in enumerate(everybody):
            join_queue(c, player, START + index * TICK / 6)
        for _ in range(5):
            join_queue(c, machine(c), START)
        sweep(c, START + TICK, tick=3)
        assert all(len(opponents(c, player)) == 1 for player in everybody)
        assert {game.since for player in everybody for game, _ in games_of(c, player, START)} == {START + TICK}


def test_two_processes_draw_one_lot(engine: Engine) -> None:
    made = 0
    with transaction(engine) as c:
        for player in (guest(c), guest(c)):
            join_queue(c, player, START)
    for _ in range(2):
        with transaction(engine) as c:
            made += sweep(c, START + TICK, tick=3)
    assert made == 1


def test_whoever_leaves_the_queue_is_not_paired(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        for player in (ann, bob):
            join_queue(c, player, START)
        leave_queue(c, ann)
        assert sweep(c, START) == 0


def test_somebody_else_rather_than_the_same_again(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        pair(c, ann, bob)
        change_settings(c, ann, machines_may_step_in=False, mail_on_turn=False)  # so that she chooses first
        for player in (ann, bob, eve):
            join_queue(c, player, START)
        sweep(c, START)
        assert set(opponents(c, ann)) == {eve.id, bob.id}


def test_a_machine_plays_whoever_is_alone_and_allows_it(engine: Engine) -> None:
    with transaction(engine) as c:
        strict, ann, bot = guest(c), guest(c), machine(c)
        change_settings(c, strict, machines_may_step_in=False, mail_on_turn=False)
        join_queue(c, bot, START)
        join_queue(c, strict, START)
        assert sweep(c, START) == 0
        leave_queue(c, strict)
        join_queue(c, ann, START)
        assert sweep(c, START + TICK) == 1
        ((game, _),) = games_of(c, ann, START)
        assert {seat.player: seat.human for seat in game.seats} == {ann.id: True, bot.id: False}


def test_the_house_plays_any_number_of_games_as_long_as_it_is_here(engine: Engine) -> None:
    with transaction(engine) as c:
        house, ann = machine(c), guest(c)
        c.execute(update(MACHINES).where(MACHINES.c.player == house.id).values(house=True))
        for number in range(3):
            join_queue(c, ann, START + number * TICK)
            assert sweep(c, START + number * TICK) == 1
        assert opponents(c, ann) == [house.id] * 3
        late = START + HOUSE_PRESENT
        sweep(c, late - TICK)  # nobody said that they were there
        join_queue(c, ann, late)
        assert sweep(c, late) == 0  # nobody plays for it any more


def test_two_machines_never_play(engine: Engine) -> None:
    with transaction(engine) as c:
        for _ in range(2):
            join_queue(c, machine(c), START)
        assert sweep(c, START) == 0


def test_mail_tells_the_absent_that_a_game_has_begun(engine: Engine) -> None:
    later = START + timedelta(hours=2)
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        join_queue(c, ann, START)
        join_queue(c, bob, later)
        assert sweep(c, later) == 0  # somebody who is here may still come
        seen(c, bob, later + PATIENCE)
        assert sweep(c, later + PATIENCE) == 1
        assert [(mail.player, mail.subject) for mail in due(c, later + MINUTE, 10)] == [(ann.id, "A game has started")]


def test_the_banned_and_the_long_gone_wait_no_more(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        join_queue(c, ann, START)
        ban(c, ann.id, START)
        join_queue(c, bob, START)
        join_queue(c, ann, START)  # a page is still open
        assert sweep(c, START) == 0
        sweep(c, START + STALE)
        assert waiting_since(c, bob) is None
        join_queue(c, eve, START + STALE)
        assert sweep(c, START + STALE + TICK) == 0


def test_places_do_not_tell_who_came_first(engine: Engine) -> None:
    with transaction(engine) as c:
        places = set()
        for number in range(40):  # all in one order has a chance of 2**-39
            now = START + number * TICK
            ann, bob = guest(c, now=now), guest(c, now=now)
            for player in (ann, bob):
                join_queue(c, player, now)
            sweep(c, now)
            places.add(games_of(c, ann, START)[0][1])
    assert places == {0, 1}


@pytest.mark.parametrize("tick", [0.5, 3.0, 5.0])
def test_ticks_are_the_same_for_all(engine: Engine, tick: float) -> None:
    at = timedelta(seconds=tick)
    with transaction(engine) as c:
        sweep(c, START, tick=tick)
        for player in (guest(c), guest(c)):
            join_queue(c, player, START)
        assert sweep(c, START + at - timedelta(milliseconds=1), tick=tick) == 0
        assert sweep(c, START + at, tick=tick) == 1


def test_who_has_closed_the_page_is_paired_when_back(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        for player in (ann, bob):
            join_queue(c, player, START)
        page_closed(c, ann.id, START + TICK)
        assert sweep(c, START + 3 * TICK) == 0
        assert sweep(c, START + 20 * TICK) == 0  # nor does she play as somebody absent: no mail would reach her
        assert waiting_since(c, ann) == START
        back = START + 21 * TICK
        for player in (ann, bob):
            assert seen(c, player, back)
        assert sweep(c, back) == 1
        assert opponents(c, ann) == [bob.id]


def test_a_page_that_changes_is_not_one_that_was_left(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        for player in (ann, bob):
            join_queue(c, player, START)
        page_closed(c, ann.id, START + TICK)
        assert sweep(c, START + TICK + GONE - timedelta(milliseconds=1)) == 1


def test_without_a_stream_who_waits_is_here_for_as_long_as_the_page_may_be_silent(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        for player in (ann, bob):
            join_queue(c, player, START)
        late = START + WAITS_HERE
        join_queue(c, eve, late)
        assert sweep(c, late) == 0
        for player in (ann, eve):
            seen(c, player, late)
        assert sweep(c, late + TICK) == 1
        assert opponents(c, bob) == []


def test_machines_do_not_crowd_out_people(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "CONSIDERED", 3)
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        for player in (ann, bob):
            change_settings(c, player, machines_may_step_in=False, mail_on_turn=False)
            join_queue(c, player, START)
        for _ in range(5):
            join_queue(c, machine(c, now=START + TICK), START + TICK)  # all of them were here later
        assert sweep(c, START + TICK) == 1
        assert opponents(c, ann) == [bob.id]
