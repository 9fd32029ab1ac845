"""Players are paired at the next tick, and games are written and read by the rules."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, func, select, update

from tests.web.store.players import MINUTE, START, account, finish, guest, loaded, machine, moves, new_guest, pair, played
from tests.web.store.players import unconfirmed as unconfirmed_account
from vivavoce.errors import BadInput
from vivavoce.luna.matching import GONE, PATIENCE, WAITS_HERE
from vivavoce.luna.rules import GuessMove, IllegalMove, Phase, QuestionsMove, RatingChange, Seat, outcome, view
from vivavoce.luna.settings import THESIS
from vivavoce.web.database import DatabaseProblem, reading, transaction
from vivavoce.web.store import queue
from vivavoce.web.store.games import HIDDEN, FormDraft, NotYourGame, changes, drafts, games_of, load, save_draft
from vivavoce.web.store.machines import HOUSE_PRESENT
from vivavoce.web.store.mails import due, sent
from vivavoce.web.store.moderation import ban, hide
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import Player, change_settings, page_closed, seen
from vivavoce.web.store.queue import STALE, join_queue, leave_queue, sweep, waiting_since
from vivavoce.web.store.ratings import rating_of
from vivavoce.web.tables import DRAFTS, GAMES, MACHINES, SEATS

HOSTILE = ("NUL \0", "\ud800 alone", "'); DROP TABLE games; --", "<script>alert(1)</script>", "x" * 5000)


def test_every_text_comes_back_as_it_was(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), account(c)
        game = pair(c, ann, bob)
        make_move(c, game, ann, QuestionsMove(HOSTILE), START)
        make_move(c, game, bob, QuestionsMove(HOSTILE), START)
    with reading(engine) as c:
        read, position = load(c, game, ann)
    assert read.seats[position] == Seat(ann.id, True, HOSTILE, ready=START, moved=START)
    assert view(read, position, START).questions == HOSTILE
    assert read.since == START
    assert read.since.tzinfo is not None


def test_a_whole_game_gives_ratings(engine: Engine) -> None:
    # two newcomers tie; Bob guesses 80 of Ann, so that is her rating; next, Ann has 80 and guesses 50 of Bob, who has 40:
    # 10 off, Bob guesses 60 of 80: 20 off, so Ann wins; her rating becomes (80 + 60) / 2 = 70, his (40 + 50) / 2 = 45
    with transaction(engine) as c:
        ann, bob = guest(c), account(c)
        first = played(c, (ann, 40.0), (bob, 80.0))
        second = played(c, (ann, 50.0), (bob, 60.0), START + MINUTE)
    assert first.verdicts == (RatingChange(None, 80.0), RatingChange(None, 40.0))
    assert (outcome(first, 0), outcome(first, 1)) == ("tied", "tied")
    assert second.verdicts == (RatingChange(80.0, 70.0), RatingChange(40.0, 45.0))
    assert (outcome(second, 0), outcome(second, 1)) == ("won", "lost")
    assert loaded(engine, second.id, ann) == second
    with reading(engine) as c:
        assert rating_of(c, ann.id) == (70.0, 2)
        assert [game.id for game, _ in games_of(c, ann, START)] == [second.id, first.id]
        assert [game.id for game, _ in games_of(c, ann, START, limit=1)] == [second.id]
        assert games_of(c, ann, START, open_only=True) == []


def test_a_machines_guess_is_kept_and_never_counts(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = guest(c), machine(c)
        game = played(c, (ann, 10.0), (bot, 99.0))
    assert game.verdicts == (RatingChange(None, None), RatingChange(None, 10.0))
    assert loaded(engine, game.id, ann).seats[1].guess == 99.0
    with reading(engine) as c:
        assert rating_of(c, ann.id) == (None, 0)
        assert rating_of(c, bot.id) == (10.0, 1)


def test_illegal_moves_change_nothing(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = pair(c, ann, bob)
        make_move(c, game, ann, moves(1.0)[0], START)
    before = loaded(engine, game, ann)
    for move, error in (
        (QuestionsMove(("again?",) * 5), IllegalMove),
        (moves(1.0)[1], IllegalMove),
        (GuessMove(5.0), IllegalMove),
    ):
        with pytest.raises(error), transaction(engine) as c:
            make_move(c, game, ann, move, START)
    with pytest.raises(BadInput), transaction(engine) as c:
        make_move(c, game, bob, QuestionsMove(("",) * 5), START)
    assert loaded(engine, game, ann) == before


@pytest.mark.parametrize("strange", ["", "no-such", "\0", "\ud800", "0" * 32, "0" * 10_000, "' OR 1=1 --"])
def test_nobody_else_sees_a_game_or_learns_that_it_is_there(engine: Engine, strange: str) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        game = pair(c, ann, bob)
    messages = set()
    for given in (game, strange):
        with transaction(engine) as c:
            with pytest.raises(NotYourGame) as caught:
                load(c, given, eve)
            messages.add(str(caught.value))
            with pytest.raises(NotYourGame):
                make_move(c, given, eve, moves(1.0)[0], START)
            with pytest.raises(NotYourGame):
                save_draft(c, given, eve, FormDraft({"question1": "?"}), START)
            assert drafts(c, given, eve).newest.fields == {}
            assert games_of(c, eve, START) == []
    assert len(messages) == 1


def test_a_game_expires_without_any_process_that_sweeps(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = pair(c, ann, bob)
    make_move(c, game, ann, moves(1.0)[0], START + THESIS.expiry - timedelta(seconds=1))
    late = START + THESIS.expiry  # that Ann has moved changes nothing, or it would tell Bob that she has
    assert load(c, game, bob)[0].phase(late - timedelta(microseconds=1)) is Phase.INTERVIEW
    assert load(c, game, bob)[0].expires == late
    assert games_of(c, bob, late, open_only=True) == []
    with pytest.raises(IllegalMove):
        make_move(c, game, bob, moves(1.0)[0], late)


def test_each_phase_has_its_own_time(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = pair(c, ann, bob)
    make_move(c, game, ann, moves(1.0)[0], START + MINUTE)
    make_move(c, game, bob, moves(1.0)[0], START + THESIS.expiry - MINUTE)
    assert load(c, game, ann)[0].expires == START + 2 * THESIS.expiry - MINUTE


def test_sweeping_marks_expired_games_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        stale, fresh = pair(c, ann, bob), pair(c, ann, bob, START + MINUTE)
        over = played(c, (ann, 1.0), (bob, 2.0)).id
        save_draft(c, stale, ann, FormDraft({"q": "?"}), START)
        before = changes(c, ann, 0)
    done = []
    for _ in range(2):
        with transaction(engine) as c:
            done.append(sweep(c, START + THESIS.expiry))
    assert done == [1, 0]
    with transaction(engine) as c:
        states = {row.id: row.state for row in c.execute(select(GAMES.c.id, GAMES.c.state))}
        assert states == {stale: "expired", fresh: "open", over: "over"}
        assert changes(c, ann, before) == before + 1
        assert drafts(c, stale, ann).newest.fields == {}
        # a process whose clock lags cannot wake it up
        with pytest.raises(IllegalMove, match="has ended"):
            make_move(c, stale, ann, moves(1.0)[0], START + MINUTE)


def test_drafts_are_kept_until_the_move(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = pair(c, ann, bob)
    save_draft(c, game, ann, FormDraft({"question1": "a"}), START)
    save_draft(c, game, ann, FormDraft({"question1": "\0\ud800", "question2": "b"}), START)
    assert drafts(c, game, ann).newest.fields == {"question1": "\0\ud800", "question2": "b"}
    assert drafts(c, game, bob).newest.fields == {}
    for fields in ({"q": "x" * 10_001}, {f"q{n}": "" for n in range(33)}, {"n" * 41: ""}):
        with pytest.raises(BadInput):
            save_draft(c, game, ann, FormDraft(fields), START)
    make_move(c, game, ann, moves(1.0)[0], START)
    save_draft(c, game, ann, FormDraft({"question1": "too late"}), START)
    assert drafts(c, game, ann).newest.fields == {}
    assert c.execute(select(func.count()).select_from(DRAFTS)).scalar_one() == 0


def test_pages_are_told_of_what_opens_and_of_nothing_else(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = pair(c, ann, bob)
    for move in moves(5.0):
        numbers = [changes(c, player, 0) for player in (ann, bob)]
        make_move(c, game, bob, move, START)
        assert changes(c, ann, 0) == numbers[0]  # nothing opens for her
        assert changes(c, bob, 0) > numbers[1]
        make_move(c, game, ann, move, START)
        assert changes(c, ann, 0) > numbers[0]
        assert changes(c, bob, 0) > numbers[1] + 1
    assert changes(c, ann, 10_000) == 10_000


def test_mail_goes_to_who_is_not_here_wants_it_and_has_an_address(engine: Engine) -> None:
    later = START + timedelta(hours=1)
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        game = pair(c, ann, bob)
        assert due(c, START, 10) == []  # both were here a moment ago
        make_move(c, game, bob, moves(1.0)[0], START)
        assert due(c, START, 10) == []
        make_move(c, game, ann, moves(1.0)[0], later)  # now both are to answer; Ann is here
        (mail,) = due(c, later, 10)
        assert (mail.player, mail.recipient, mail.subject) == (bob.id, bob.email, "It is your turn")
        assert f"{{site}}/games/{game}" in mail.body
        assert "question" not in mail.body
        sent(c, mail.id, later)
        make_move(c, game, ann, moves(1.0)[1], later)  # opens nothing for Bob
        assert due(c, later, 10) == []
        hasty = unconfirmed_account(c)
        theirs = pair(c, ann, hasty, later)
        make_move(c, theirs, hasty, moves(1.0)[0], later)
        make_move(c, theirs, ann, moves(1.0)[0], later + MINUTE * 10)
        assert due(c, later + MINUTE * 10, 10) == []  # whose address that is nobody knows
        change_settings(c, bob, machines_may_step_in=True, mail_on_turn=False)
        seen(c, ann, later + MINUTE * 10)
        other = pair(c, bob, guest(c), later + MINUTE * 10)
        assert due(c, later + MINUTE * 10, 10) == []  # Bob wants none, a guest has no address
    assert other != game


def test_the_last_guess_tells_the_other_that_it_is_over(c: Connection) -> None:
    later = START + timedelta(hours=1)
    ann, bob = account(c), account(c)
    game = pair(c, ann, bob)
    for move in moves(1.0)[:2]:
        for player in (ann, bob):
            make_move(c, game, player, move, START)
    make_move(c, game, bob, GuessMove(3.0), START)
    make_move(c, game, ann, GuessMove(3.0), later)
    assert [(mail.player, mail.subject) for mail in due(c, later, 10)] == [(bob.id, "Your game is over")]


def test_hidden_texts_are_shown_to_nobody(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = played(c, (ann, 1.0), (bob, 2.0))
    hide(c, game.id, 0)
    read, position = load(c, game.id, bob)
    assert view(read, position, START).questions == (HIDDEN,) * 5 == read.seats[0].answers
    assert read.seats[1].questions == game.seats[1].questions
    hide(c, game.id, 0, hidden=False)
    assert load(c, game.id, bob)[0] == game


def test_several_games_of_one_player_are_apart(c: Connection) -> None:
    ann, others = guest(c), [guest(c) for _ in range(3)]
    games = [pair(c, ann, other, START + n * MINUTE) for n, other in enumerate(others)]
    finish(c, games[1], {ann: 5.0, others[1]: 7.0}, START + MINUTE)
    assert {game.id for game, _ in games_of(c, ann, START + MINUTE, open_only=True)} == {games[0], games[2]}
    assert [game.seats[position].player for game, position in games_of(c, ann, START)] == [ann.id] * 3


def test_a_game_of_one_player_with_itself_cannot_be(engine: Engine) -> None:
    ann = new_guest(engine)
    with pytest.raises(DatabaseProblem), transaction(engine) as c:
        pair(c, ann, ann)
    with reading(engine) as c:
        assert c.execute(select(func.count()).select_from(SEATS)).scalar_one() == 0


TICK = timedelta(seconds=3)


def opponents(c: Connection, player: Player) -> list[str]:
    """Of all games, the newest first."""
    return [game.seats[1 - position].player for game, position in games_of(c, player, START)]


def test_a_game_begins_at_a_tick_and_never_by_an_arrival(c: Connection) -> None:
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


def test_all_who_wait_begin_at_the_same_tick(c: Connection) -> None:
    everybody = [guest(c) for _ in range(5)]
    for index, player in enumerate(everybody):
        join_queue(c, player, START + index * TICK / 6)
    for _ in range(5):
        join_queue(c, machine(c), START)
    sweep(c, START + TICK, tick=3)
    assert all(len(opponents(c, player)) == 1 for player in everybody)
    assert {game.since for player in everybody for game, _ in games_of(c, player, START)} == {START + TICK}


def test_whoever_leaves_the_queue_is_not_paired(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    for player in (ann, bob):
        join_queue(c, player, START)
    leave_queue(c, ann)
    assert sweep(c, START) == 0


def test_someone_else_rather_than_the_same_again(c: Connection) -> None:
    ann, bob, eve = guest(c), guest(c), guest(c)
    pair(c, ann, bob)
    change_settings(c, ann, machines_may_step_in=False, mail_on_turn=False)  # so that she chooses first
    for player in (ann, bob, eve):
        join_queue(c, player, START)
    sweep(c, START)
    assert set(opponents(c, ann)) == {eve.id, bob.id}


def test_a_machine_plays_whoever_is_alone_and_allows_it(c: Connection) -> None:
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


def test_the_house_plays_any_number_of_games_as_long_as_it_is_here(c: Connection) -> None:
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


def test_two_machines_never_play(c: Connection) -> None:
    for _ in range(2):
        join_queue(c, machine(c), START)
    assert sweep(c, START) == 0


def test_mail_tells_the_absent_that_a_game_has_begun(c: Connection) -> None:
    later = START + timedelta(hours=2)
    ann, bob = account(c), account(c)
    join_queue(c, ann, START)
    join_queue(c, bob, later)
    assert sweep(c, later) == 0  # someone who is here may still come
    seen(c, bob, later + PATIENCE)
    assert sweep(c, later + PATIENCE) == 1
    assert [(mail.player, mail.subject) for mail in due(c, later + MINUTE, 10)] == [(ann.id, "A game has started")]


def test_the_banned_and_the_long_gone_wait_no_more(c: Connection) -> None:
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


@pytest.mark.long
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
def test_ticks_are_the_same_for_all(c: Connection, tick: float) -> None:
    at = timedelta(seconds=tick)
    sweep(c, START, tick=tick)
    for player in (guest(c), guest(c)):
        join_queue(c, player, START)
    assert sweep(c, START + at - timedelta(milliseconds=1), tick=tick) == 0
    assert sweep(c, START + at, tick=tick) == 1


def test_who_has_closed_the_page_is_paired_when_back(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    for player in (ann, bob):
        join_queue(c, player, START)
    page_closed(c, ann.id, START + TICK)
    assert sweep(c, START + 3 * TICK) == 0
    assert sweep(c, START + 20 * TICK) == 0  # nor does she play as someone absent: no mail would reach her
    assert waiting_since(c, ann) == START
    back = START + 21 * TICK
    for player in (ann, bob):
        assert seen(c, player, back)
    assert sweep(c, back) == 1
    assert opponents(c, ann) == [bob.id]


def test_a_page_that_changes_is_not_one_that_was_left(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    for player in (ann, bob):
        join_queue(c, player, START)
    page_closed(c, ann.id, START + TICK)
    assert sweep(c, START + TICK + GONE - timedelta(milliseconds=1)) == 1


def test_without_a_stream_who_waits_is_here_for_as_long_as_the_page_may_be_silent(c: Connection) -> None:
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


def test_machines_do_not_crowd_out_people(c: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "CONSIDERED", 3)
    ann, bob = guest(c), guest(c)
    for player in (ann, bob):
        change_settings(c, player, machines_may_step_in=False, mail_on_turn=False)
        join_queue(c, player, START)
    for _ in range(5):
        join_queue(c, machine(c, now=START + TICK), START + TICK)  # all of them were here later
    assert sweep(c, START + TICK) == 1
    assert opponents(c, ann) == [bob.id]
