"""Games that end without a result keep why and by whom; a machine plays on where both had agreed; ends happen once."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, func, insert, select, update

from tests.web.store.players import MINUTE, START, account, finish, guest, machine, moves, people_read_once
from vivavoce.luna.limits import THESIS
from vivavoce.luna.rules import READY_WITHIN, Ended, Game, IllegalMove, Phase
from vivavoce.web.database import transaction
from vivavoce.web.store import pacing
from vivavoce.web.store.drafts import Draft, drafts, save_draft
from vivavoce.web.store.export import exported_games
from vivavoce.web.store.games import NotYourGame, begin, changes, games_of, load, taken_over
from vivavoce.web.store.guessers import games_played
from vivavoce.web.store.leaving import delete_player
from vivavoce.web.store.locking import alone
from vivavoce.web.store.moves import RESIGNS, as_json, held_of, make_move, move_in_place, ready, release, resign
from vivavoce.web.store.outbox import due
from vivavoce.web.store.people import Player, change_settings, page_closed, seen
from vivavoce.web.store.queue import join_queue, sweep, waiting_since
from vivavoce.web.store.ratings import history, rating_of
from vivavoce.web.store.reports import ban
from vivavoce.web.tables import GAMES, HELD, MACHINES, SEATS

EXPIRY = THESIS.expiry
SOON = START + timedelta(seconds=20)
LATE = START + READY_WITHIN


def begun(c: Connection, first: Player, second: Player, *, asked: tuple[bool, bool] = (False, False)) -> str:
    """A game of these; `asked` says who has yet to say that they are there."""
    alone(c)
    seats = ((first.id, first.human), (second.id, second.human))
    return begin(c, seats, START, ready=(not asked[0], not asked[1])).id


def kept(c: Connection, game: str) -> tuple[str, str | None, int | None]:
    row = c.execute(select(GAMES.c.state, GAMES.c.ending, GAMES.c.ended_by).where(GAMES.c.id == game)).one()
    return row.state, row.ending, row.ended_by


def the_house(c: Connection, now: datetime = START) -> Player:
    house = machine(c, now=now)
    c.execute(update(MACHINES).where(MACHINES.c.player == house.id).values(house=True))
    return house


def agreeing(c: Connection) -> Player:
    one = guest(c)
    change_settings(c, one, machines_may_step_in=True, mail_on_turn=False, seat_may_be_taken=True)
    return one


def test_who_resigns_ends_the_game_and_what_was_under_way(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot, eve = guest(c), machine(c), guest(c)
        game = begun(c, ann, bot)
        save_draft(c, game, ann, Draft({"q": "?"}), START)
        make_move(c, game, bot, moves(1.0)[0], START, hold_back=random.Random(3))
        before = changes(c, ann, 0)
        with pytest.raises(NotYourGame):
            resign(c, game, eve, SOON)
        after = resign(c, game, ann, SOON)
        assert after.phase(SOON) is Phase.EXPIRED
        assert kept(c, game) == ("expired", "resigned", 0)
        assert (drafts(c, game, ann).newest.fields, held_of(c, bot)) == ({}, {})
        assert changes(c, ann, 0) > before
        assert rating_of(c, ann.id) == rating_of(c, bot.id) == (None, 0)
        with pytest.raises(IllegalMove, match="ended"):
            resign(c, game, ann, SOON)
        with pytest.raises(IllegalMove, match="ended"):
            make_move(c, game, ann, moves(1.0)[0], SOON)
        # nor does a process whose clock lags wake it up
        assert load(c, game, ann)[0].phase(START) is Phase.EXPIRED


def test_each_end_keeps_its_reason(engine: Engine) -> None:
    with transaction(engine) as c:
        people = [account(c) for _ in range(8)]
        left, banned, idle, both = (begun(c, people[number], people[number + 1]) for number in (0, 2, 4, 6))
        make_move(c, idle, people[4], moves(1.0)[0], START)
        delete_player(c, people[1], SOON)
        ban(c, people[2].id, SOON)
        sweep(c, START + EXPIRY)
        reasons = [kept(c, game)[1:] for game in (left, banned, idle, both)]
        assert reasons == [("left", 1), ("banned", 0), ("time", 1), ("time", None)]
        told = {mail.player: mail.body.partition(",")[0] for mail in due(c, START + EXPIRY, 20)}
    assert told[people[4].id] == "The time ran out: the other player had not asked"
    assert told[people[5].id] == "The time ran out: you had not asked"
    assert people[0].id not in told  # was here, on a page


def test_games_of_before_say_that_they_ended(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = begun(c, ann, bob)
        c.execute(update(GAMES).where(GAMES.c.id == game).values(state="expired"))
        assert load(c, game, ann)[0].ended(START) == Ended(None, None)


def met(c: Connection, *players: Player) -> Game:
    """The game at the next tick of those who wait."""
    for one in players:
        join_queue(c, one, START)
    sweep(c, START)
    return games_of(c, players[0], START)[0][0]


def test_whoever_was_there_waits_again_and_the_other_does_not(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = met(c, ann, bob)
        assert [seat.ready for seat in game.seats] == [None, None]
        ready(c, game.id, ann, SOON)
        sweep(c, LATE - timedelta(seconds=1))
        assert kept(c, game.id)[0] == "open"
        before = changes(c, ann, 0), changes(c, bob, 0)
        sweep(c, LATE)
        place = 0 if game.seats[0].player == bob.id else 1
        assert kept(c, game.id) == ("expired", "not ready", place)
        assert (waiting_since(c, ann), waiting_since(c, bob)) == (LATE, None)
        assert (changes(c, ann, 0), changes(c, bob, 0)) == (before[0] + 1, before[1] + 1)


def test_being_ready_is_no_news_for_the_other(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = met(c, ann, bob)
        before = changes(c, bob, 0)
        ready(c, game.id, ann, SOON)
        assert changes(c, bob, 0) == before
        ready(c, game.id, ann, SOON + MINUTE / 6)  # again changes nothing
        assert {seat.ready for seat in load(c, game.id, ann)[0].seats} == {SOON, None}


@pytest.mark.parametrize("way", ["draft", "questions"])
def test_a_draft_or_questions_say_it_too(engine: Engine, way: str) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = met(c, ann, bob)
        ready(c, game.id, bob, SOON)
        if way == "draft":
            save_draft(c, game.id, ann, Draft({"q": "?"}), SOON)
        else:
            make_move(c, game.id, ann, moves(1.0)[0], SOON)
        sweep(c, LATE)
        assert kept(c, game.id)[0] == "open"


def test_it_is_too_late_after_the_minute_also_before_anything_is_written_down(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = met(c, ann, bob)
        ready(c, game.id, bob, SOON)
        ready(c, game.id, ann, LATE)
        save_draft(c, game.id, ann, Draft({"q": "?"}), LATE)
        with pytest.raises(IllegalMove):
            make_move(c, game.id, ann, moves(1.0)[0], LATE)
        assert load(c, game.id, ann)[0].phase(LATE) is Phase.EXPIRED
        assert games_of(c, ann, LATE, open_only=True) != []  # until the next tick
        sweep(c, LATE)
        assert games_of(c, ann, LATE, open_only=True) == []


def test_who_is_told_by_mail_has_not_to_be_there(engine: Engine) -> None:
    hour = timedelta(hours=1)
    with transaction(engine) as c:
        ann, bob = account(c), guest(c)
        join_queue(c, ann, START)
        join_queue(c, bob, START + hour)
        sweep(c, START + hour)  # somebody who is here may still come
        seen(c, bob, START + hour + MINUTE)
        sweep(c, START + hour + MINUTE)
        game = games_of(c, bob, START)[0][0]
        assert {seat.player: seat.ready for seat in game.seats} == {ann.id: START + hour + MINUTE, bob.id: None}


def test_processes_end_a_game_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        game = met(c, ann, bob)
        ready(c, game.id, ann, SOON)
        for one in (ann, bob):
            page_closed(c, one.id, SOON)  # so that mail tells them
        before = changes(c, ann, 0)

    def end(_: int) -> int:
        with transaction(engine) as c:
            return sweep(c, LATE)

    with ThreadPoolExecutor(6) as pool:
        ended = list(pool.map(end, range(6)))
    assert sorted(ended) == [0, 0, 0, 0, 0, 1]
    with transaction(engine) as c:
        assert changes(c, ann, 0) == before + 1
        assert sorted(str(mail.player) for mail in due(c, LATE, 20)) == sorted([ann.id, bob.id])
        assert waiting_since(c, ann) == LATE


def test_resigning_at_the_same_moment_ends_it_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = begun(c, ann, bob)
        before = changes(c, ann, 0)

    def give_up(player: Player) -> bool:
        try:
            with transaction(engine) as c:
                resign(c, game, player, SOON)
        except IllegalMove:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(give_up, (ann, bob))) == [False, True]
    with transaction(engine) as c:
        assert changes(c, ann, 0) == before + 1


def test_a_machine_plays_on_and_nobody_is_rated(engine: Engine) -> None:
    with transaction(engine) as c:
        house, ann, bob = the_house(c), agreeing(c), agreeing(c)
        finish(c, begun(c, ann, bob), {ann: 60.0, bob: 80.0})  # so that both have ratings
        game = begun(c, ann, bob)
        for one in (ann, bob):
            make_move(c, game, one, moves(1.0)[0], START)
        before = changes(c, bob, 0)
        resign(c, game, ann, SOON)
        assert kept(c, game) == ("open", "resigned", 0)
        assert changes(c, bob, 0) > before
        assert games_of(c, ann, SOON, open_only=True) == []
        ((going_on, place),) = taken_over(c, SOON)
        assert (going_on.id, place, going_on.since) == (game, 0, SOON)
        for move in moves(50.0)[1:]:
            move_in_place(c, game, 0, house, move, SOON + MINUTE)
            make_move(c, game, bob, move, SOON + MINUTE)
        assert kept(c, game)[0] == "over"
        over = load(c, game, bob)[0]
        assert over.verdicts is not None
        assert over.verdicts[0].rating_before is None  # of the house, whose answers they were
        assert over.verdicts[1].rating_before == over.verdicts[1].rating_after == 60.0
        assert (rating_of(c, ann.id), rating_of(c, bob.id)) == ((80.0, 1), (60.0, 1))
        assert [len(history(c, one.id)) for one in (ann, bob)] == [1, 1]
        played = games_played(c)
        assert played is not None
        assert len(played.guesses) == 2
        marked = sorted(game.taken_over for game in exported_games(c, salt=b"s"))
        assert marked == [False, True]
        assert taken_over(c, SOON + MINUTE) == []


def test_of_answers_that_were_given_before_it_is_the_players_own_rating(engine: Engine) -> None:
    with transaction(engine) as c:
        house, ann, bob = the_house(c), agreeing(c), agreeing(c)
        finish(c, begun(c, ann, bob), {ann: 60.0, bob: 80.0})
        game = begun(c, ann, bob)
        for move in moves(1.0)[:2]:
            for one in (ann, bob):
                make_move(c, game, one, move, START)
        resign(c, game, ann, SOON)
        move_in_place(c, game, 0, house, moves(1.0)[2], SOON)
        verdicts = make_move(c, game, bob, moves(1.0)[2], SOON).verdicts
        assert verdicts is not None
        assert verdicts[0].rating_before == 80.0


@pytest.mark.parametrize("without", ["the house", "one who agrees"])
def test_without_a_machine_or_an_agreement_it_ends(engine: Engine, without: str) -> None:
    with transaction(engine) as c:
        if without != "the house":
            the_house(c)
        ann, bob = agreeing(c), guest(c) if without == "one who agrees" else agreeing(c)
        game = begun(c, ann, bob)
        resign(c, game, ann, SOON)
        assert kept(c, game) == ("expired", "resigned", 0)


def test_when_time_runs_out_for_one_a_machine_plays_on_too(engine: Engine) -> None:
    with transaction(engine) as c:
        house, ann, bob = the_house(c), agreeing(c), agreeing(c)
        game = begun(c, ann, bob)
        make_move(c, game, ann, moves(1.0)[0], START)
        end = START + EXPIRY
        seen(c, house, end)
        sweep(c, end)
        assert kept(c, game) == ("open", "time", 1)
        after = load(c, game, ann)[0]
        assert after.phase(end) is Phase.INTERVIEW
        assert after.expires == end + EXPIRY
        sweep(c, end + EXPIRY)  # nobody plays for it any more
        assert kept(c, game) == ("expired", "time", 1)


def test_who_deletes_the_account_takes_along_what_was_seen(engine: Engine) -> None:
    with transaction(engine) as c:
        house, ann, bob, eve, kim = the_house(c), agreeing(c), agreeing(c), agreeing(c), agreeing(c)
        early, late = begun(c, ann, bob), begun(c, eve, kim)
        make_move(c, early, ann, moves(1.0)[0], START)
        for one in (eve, kim):
            make_move(c, late, one, moves(1.0)[0], START)
        delete_player(c, ann, SOON)
        resign(c, late, eve, SOON)
        assert kept(c, early) == ("open", "left", 0)
        assert kept(c, late) == ("open", "resigned", 0)
        assert load(c, early, bob)[0].seats[0].questions is None  # the house asks
        move_in_place(c, early, 0, house, moves(1.0)[0], SOON)
        delete_player(c, eve, SOON + MINUTE)
        assert kept(c, late) == ("expired", "left", 0)
        assert c.execute(select(SEATS.c.questions).where(SEATS.c.game == late, SEATS.c.place == 0)).scalar_one() is None


def test_a_machine_that_resigns_does_so_when_it_is_due(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = guest(c), machine(c)
        game = begun(c, ann, bot)
        row = {"game": game, "place": 1, "player": bot.id, "opponent": ann.id, "due": SOON}
        c.execute(insert(HELD).values(row | {"move": as_json(moves(1.0)[0]) | {RESIGNS: True}}))
        assert held_of(c, bot) == {game: moves(1.0)[0]}  # for the machine its move is made
        assert release(c, SOON - timedelta(seconds=1), ann) == 0
        assert release(c, SOON + MINUTE, ann) == 1
        assert kept(c, game) == ("expired", "resigned", 1)
        ended = c.execute(select(GAMES.c.expires).where(GAMES.c.id == game)).scalar_one()
        assert ended == SOON


def shares(c: Connection, count: int = 600) -> tuple[float, float, float]:
    """Of machines that are asked for questions: those that resign, those that never move, and of pairings the absent ones."""
    bot = machine(c)
    game, _ = load(c, begun(c, guest(c), bot), bot)
    rng = random.Random(5)
    with people_read_once():
        drawn = [pacing.drawn(c, game, 1, moves(1.0)[0], START, rng) for _ in range(count)]
    never = sum(one.due >= game.expires for one in drawn) / count
    absent = sum(not pacing.comes(c, rng) for _ in range(count)) / count
    return sum(one.resigns for one in drawn) / count, never, absent


@pytest.mark.long
def test_machines_resign_and_are_absent_as_often_as_is_stated_at_first(engine: Engine) -> None:
    with transaction(engine) as c:
        resigning, never, absent = shares(c)
    # standard deviations of shares of 600: .0057, .0070, .0089
    assert resigning == pytest.approx(pacing.RESIGN, abs=4 * 0.0057)
    assert never == pytest.approx(pacing.LEAVE, abs=4 * 0.0070)
    assert absent == pytest.approx(pacing.ABSENT, abs=4 * 0.0089)


@pytest.mark.long
def test_and_then_as_often_as_people_here_and_after_as_long(engine: Engine) -> None:
    with transaction(engine) as c:
        people = [guest(c) for _ in range(2)]
        for number in range(40):
            game = begun(c, people[0], people[1], asked=(True, True))
            ready(c, game, people[0], SOON)
            if number % 4:  # in one of four the second never comes
                ready(c, game, people[1], SOON)
                if number % 2:
                    resign(c, game, people[number % 4 == 1], START + timedelta(seconds=50))
                else:
                    finish(c, game, dict.fromkeys(people, 1.0), SOON + MINUTE / 6)
            sweep(c, LATE)
        resigning, never, absent = shares(c)
        # of 80 pairings of people 10 were absent; of 40 who came to ask and were not left, 20 resigned: too few to draw from
        assert absent == pytest.approx(10 / 80, abs=4 * 0.0135)
        assert resigning == pytest.approx(pacing.RESIGN, abs=4 * 0.0057)
        for _ in range(10):
            game = begun(c, people[0], people[1], asked=(True, True))
            resign(c, game, people[0], START + timedelta(seconds=50))
        resigning, never, absent = shares(c)
        # 30 of 50
        assert resigning == pytest.approx(0.6, abs=4 * 0.02)
        assert never == 0
        bot = machine(c)
        game_now, _ = load(c, begun(c, guest(c), bot), bot)
        rng = random.Random(1)
        with people_read_once():
            drawn = [pacing.drawn(c, game_now, 1, moves(1.0)[0], START, rng) for _ in range(50)]
        seconds = [(one.due - START).total_seconds() for one in drawn if one.resigns]
    assert seconds
    assert all(40 < one < 62 for one in seconds)  # 50 s times exp(.05 Z)


def test_an_absent_machine_never_moves(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = guest(c), machine(c)
        game = begun(c, ann, bot, asked=(True, True))
        make_move(c, game, bot, moves(1.0)[0], START, hold_back=random.Random(1))
        ready(c, game, ann, SOON)
        sweep(c, LATE)
        assert kept(c, game) == ("expired", "not ready", 1)
        assert waiting_since(c, ann) == LATE
        assert c.execute(select(func.count()).select_from(HELD)).scalar_one() == 0
