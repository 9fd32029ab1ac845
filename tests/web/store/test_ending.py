"""Games that end without a result keep why and by whom; a machine plays on where both had agreed; ends happen once."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, select, update

from tests.web.store.players import MINUTE, START, account, finish, guest, machine, moves
from vivavoce.luna.rules import READY_WITHIN, Game, GameEnding, GuessMove, IllegalMove, PersonOrMachine, Phase
from vivavoce.luna.settings import THESIS
from vivavoce.web.database import transaction
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.games import FormDraft, NotYourGame, begin, changes, drafts, games_of, load, save_draft, taken_over
from vivavoce.web.store.mails import due
from vivavoce.web.store.moderation import ban
from vivavoce.web.store.moves import held_of, make_move, move_in_place, ready, resign
from vivavoce.web.store.people import Player, change_settings, page_closed, seen
from vivavoce.web.store.queue import join_queue, sweep, waiting_since
from vivavoce.web.store.ratings import exported_games, games_played, history, rating_of
from vivavoce.web.store.site import alone
from vivavoce.web.tables import GAMES, MACHINES, SEATS

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
    player = guest(c)
    change_settings(c, player, machines_may_step_in=True, mail_on_turn=False, seat_may_be_taken=True)
    return player


def test_who_resigns_ends_the_game_and_what_was_under_way(c: Connection) -> None:
    ann, bot, eve = guest(c), machine(c), guest(c)
    game = begun(c, ann, bot)
    save_draft(c, game, ann, FormDraft({"q": "?"}), START)
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
        document = {mail.player: mail.body.partition(",")[0] for mail in due(c, START + EXPIRY, 20)}
    assert document[people[4].id] == "The time ran out: the other player had not asked"
    assert document[people[5].id] == "The time ran out: you had not asked"
    assert people[0].id not in document  # was here, on a page


def test_games_of_before_say_that_they_ended(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = begun(c, ann, bob)
    c.execute(update(GAMES).where(GAMES.c.id == game).values(state="expired"))
    assert load(c, game, ann)[0].ended(START) == GameEnding(None, None)


def met(c: Connection, *players: Player) -> Game:
    """The game at the next tick of those who wait."""
    for player in players:
        join_queue(c, player, START)
    sweep(c, START)
    return games_of(c, players[0], START)[0][0]


def test_whoever_was_there_waits_again_and_the_other_does_not(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = met(c, ann, bob)
    assert [seat.ready for seat in game.seats] == [None, None]
    ready(c, game.id, ann, SOON)
    sweep(c, LATE - timedelta(seconds=1))
    assert kept(c, game.id)[0] == "open"
    before = changes(c, ann, 0), changes(c, bob, 0)
    sweep(c, LATE)
    index = 0 if game.seats[0].player == bob.id else 1
    assert kept(c, game.id) == ("expired", "not ready", index)
    assert (waiting_since(c, ann), waiting_since(c, bob)) == (LATE, None)
    assert (changes(c, ann, 0), changes(c, bob, 0)) == (before[0] + 1, before[1] + 1)


def test_being_ready_is_no_news_for_the_other(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = met(c, ann, bob)
    before = changes(c, bob, 0)
    ready(c, game.id, ann, SOON)
    assert changes(c, bob, 0) == before
    ready(c, game.id, ann, SOON + MINUTE / 6)  # again changes nothing
    assert {seat.ready for seat in load(c, game.id, ann)[0].seats} == {SOON, None}


@pytest.mark.parametrize("sign", ["draft", "questions"])
def test_a_draft_or_questions_say_it_too(c: Connection, sign: str) -> None:
    ann, bob = guest(c), guest(c)
    game = met(c, ann, bob)
    ready(c, game.id, bob, SOON)
    if sign == "draft":
        save_draft(c, game.id, ann, FormDraft({"q": "?"}), SOON)
    else:
        make_move(c, game.id, ann, moves(1.0)[0], SOON)
    sweep(c, LATE)
    assert kept(c, game.id)[0] == "open"


def test_it_is_too_late_after_the_minute_also_before_anything_is_written_down(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = met(c, ann, bob)
    ready(c, game.id, bob, SOON)
    ready(c, game.id, ann, LATE)
    save_draft(c, game.id, ann, FormDraft({"q": "?"}), LATE)
    with pytest.raises(IllegalMove):
        make_move(c, game.id, ann, moves(1.0)[0], LATE)
    assert load(c, game.id, ann)[0].phase(LATE) is Phase.EXPIRED
    assert games_of(c, ann, LATE, open_only=True) != []  # until the next tick
    sweep(c, LATE)
    assert games_of(c, ann, LATE, open_only=True) == []


def test_who_is_told_by_mail_has_not_to_be_there(c: Connection) -> None:
    hour = timedelta(hours=1)
    ann, bob = account(c), guest(c)
    join_queue(c, ann, START)
    join_queue(c, bob, START + hour)
    sweep(c, START + hour)  # someone who is here may still come
    seen(c, bob, START + hour + MINUTE)
    sweep(c, START + hour + MINUTE)
    game = games_of(c, bob, START)[0][0]
    assert {seat.player: seat.ready for seat in game.seats} == {ann.id: START + hour + MINUTE, bob.id: None}


def test_processes_end_a_game_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        game = met(c, ann, bob)
        ready(c, game.id, ann, SOON)
        for player in (ann, bob):
            page_closed(c, player.id, SOON)  # so that mail tells them
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


def test_a_machine_plays_on_and_nobody_is_rated(c: Connection) -> None:
    house, ann, bob = the_house(c), agreeing(c), agreeing(c)
    finish(c, begun(c, ann, bob), {ann: 60.0, bob: 80.0})  # so that both have ratings
    game = begun(c, ann, bob)
    for player in (ann, bob):
        make_move(c, game, player, moves(1.0)[0], START)
    before = changes(c, bob, 0)
    resign(c, game, ann, SOON)
    assert kept(c, game) == ("open", "resigned", 0)
    assert changes(c, bob, 0) > before
    assert games_of(c, ann, SOON, open_only=True) == []
    ((going_on, position),) = taken_over(c, SOON)
    assert (going_on.id, position, going_on.since) == (game, 0, SOON)
    for move in moves(50.0)[1:]:
        move_in_place(c, game, 0, house, move, SOON + MINUTE)
        make_move(c, game, bob, move, SOON + MINUTE)
    assert kept(c, game)[0] == "over"
    over = load(c, game, bob)[0]
    assert over.verdicts is not None
    assert over.verdicts[0].rating_before is None  # of the house, whose answers they were
    assert over.verdicts[1].rating_before == over.verdicts[1].rating_after == 60.0
    assert (rating_of(c, ann.id), rating_of(c, bob.id)) == ((80.0, 1), (60.0, 1))
    assert [len(history(c, player.id)) for player in (ann, bob)] == [1, 1]
    played = games_played(c)
    assert played is not None
    assert len(played.guesses) == 2
    marked = sorted(game.taken_over for game in exported_games(c, salt=b"s"))
    assert marked == [False, True]
    assert taken_over(c, SOON + MINUTE) == []


def test_of_answers_that_were_given_before_it_is_the_players_own_rating(c: Connection) -> None:
    house, ann, bob = the_house(c), agreeing(c), agreeing(c)
    finish(c, begun(c, ann, bob), {ann: 60.0, bob: 80.0})
    game = begun(c, ann, bob)
    for move in moves(1.0)[:2]:
        for player in (ann, bob):
            make_move(c, game, player, move, START)
    resign(c, game, ann, SOON)
    move_in_place(c, game, 0, house, moves(1.0)[2], SOON)
    verdicts = make_move(c, game, bob, moves(1.0)[2], SOON).verdicts
    assert verdicts is not None
    assert verdicts[0].rating_before == 80.0


@pytest.mark.parametrize("without", ["the house", "one who agrees"])
def test_without_a_machine_or_an_agreement_it_ends(c: Connection, without: str) -> None:
    if without != "the house":
        the_house(c)
    ann, bob = agreeing(c), guest(c) if without == "one who agrees" else agreeing(c)
    game = begun(c, ann, bob)
    resign(c, game, ann, SOON)
    assert kept(c, game) == ("expired", "resigned", 0)


def test_when_time_runs_out_for_one_a_machine_plays_on_too(c: Connection) -> None:
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


def test_who_deletes_the_account_takes_along_what_was_seen(c: Connection) -> None:
    house, ann, bob, eve, kim = the_house(c), agreeing(c), agreeing(c), agreeing(c), agreeing(c)
    early, late = begun(c, ann, bob), begun(c, eve, kim)
    make_move(c, early, ann, moves(1.0)[0], START)
    for player in (eve, kim):
        make_move(c, late, player, moves(1.0)[0], START)
    delete_player(c, ann, SOON)
    resign(c, late, eve, SOON)
    assert kept(c, early) == ("open", "left", 0)
    assert kept(c, late) == ("open", "resigned", 0)
    assert load(c, early, bob)[0].seats[0].questions is None  # the house asks
    move_in_place(c, early, 0, house, moves(1.0)[0], SOON)
    delete_player(c, eve, SOON + MINUTE)
    assert kept(c, late) == ("expired", "left", 0)
    assert c.execute(select(SEATS.c.questions).where(SEATS.c.game == late, SEATS.c.place == 0)).scalar_one() is None


@pytest.mark.parametrize("departure", ["resigns", "does not come back"])
def test_who_leaves_is_no_evidence_in_any_rating(c: Connection, departure: str) -> None:
    ann, bob = guest(c), guest(c)
    game = begun(c, ann, bob)
    for move in moves(1.0)[:2]:
        for player in (ann, bob):
            make_move(c, game, player, move, START)
    make_move(c, game, ann, GuessMove(9.0, judgement=PersonOrMachine(False, 90.0)), START)
    assert rating_of(c, bob.id) == (None, 0)
    if departure == "resigns":
        resign(c, game, bob, SOON)
    sweep(c, START + EXPIRY)
    assert kept(c, game) == ("expired", "resigned" if departure == "resigns" else "time", 1)
    assert games_played(c) is None  # from which all ladders are made
    assert [rating_of(c, player.id) for player in (ann, bob)] == [(None, 0)] * 2
    assert list(exported_games(c, salt=b"s")) == []


def test_machines_are_always_ready(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = met(c, ann, bot)
    assert {seat.human: seat.ready for seat in game.seats} == {True: None, False: START}
