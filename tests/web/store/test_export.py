"""What is given away: finished games of those who agreed, and their numbers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, update

from tests.web.store.players import MINUTE, START, account, guest, machine, moves, pair, played
from vivavoce.luna.games_file import SiteVisitor
from vivavoce.luna.rules import GuessMove, PersonOrMachine
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import moderation, ratings
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.games import load
from vivavoce.web.store.moderation import hide
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import Player
from vivavoce.web.store.ratings import SiteCounts, counts, exported_games, traffic
from vivavoce.web.tables import PLAYERS, SEATS

SALT = b"salt"


def test_a_game_comes_out_as_it_was_played(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = account(c), machine(c)
        game = pair(c, ann, bot)
        for number, (phase, player) in enumerate((p, player) for p in range(2) for player in (ann, bot)):
            make_move(c, game, player, moves(1.0)[phase], START + (number + 1) * MINUTE)
        make_move(c, game, ann, GuessMove(30.0, (1.0, None, 0.0, None, 100.0)), START + 5 * MINUTE)
        make_move(c, game, bot, GuessMove(60.0), START + 6 * MINUTE)
    with reading(engine) as c:
        (exported,) = exported_games(c, salt=SALT)
    first, second = exported.seats
    assert (exported.begun, exported.finished) == (START, START + 6 * MINUTE)
    assert (first.kind, second.kind, first.guess, second.guess) == ("account", "machine", 30.0, 60.0)
    assert first.questions == tuple(f"question {n}?" for n in range(5))
    assert second.answers == tuple(f"answer {n}" for n in range(5))
    assert first.sliders == (1.0, None, 0.0, None, 100.0)
    assert (first.rating_before, first.rating_after, second.rating_after, first.outcome) == (None, None, 30.0, "tied")
    # asked after 1 and 2 minutes; answers 1 and 2 minutes after the second question; guesses 1 and 2 after the second answer
    assert (first.seconds, second.seconds) == ((60.0, 60.0, 60.0), (120.0, 120.0, 120.0))
    assert not [secret for secret in (ann.id, bot.id, game, ann.name, ann.email or "") if secret in repr(exported)]


def test_pseudonyms_hold_within_an_export_and_not_between_two(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        played(c, (ann, 1.0), (bob, 2.0))
        played(c, (ann, 1.0), (eve, 2.0), START + MINUTE)
        exported_game, two = exported_games(c, salt=SALT)
        other, _ = exported_games(c, salt=b"other")
    assert exported_game.seats[0].player == two.seats[0].player
    assert len({seat.player for game in (exported_game, two) for seat in game.seats}) == 3
    assert other.seats[0].player != exported_game.seats[0].player


def test_only_finished_games_of_those_who_agreed_and_stayed(c: Connection) -> None:
    ann, bob, eve, gone = guest(c), guest(c), guest(c), guest(c)
    for n, other in enumerate((bob, eve, gone)):
        played(c, (ann, 1.0), (other, float(n)), START + n * MINUTE)
    pair(c, ann, bob)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == eve.id).values(consent=None))
    delete_player(c, gone, START)
    (game,) = exported_games(c, salt=SALT)
    assert [seat.guess for seat in game.seats] == [1.0, 0.0]


def test_hidden_texts_stay_inside(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        hide(c, played(c, (ann, 1.0), (bob, 2.0)).id, 1)
        (game,) = exported_games(c, salt=SALT)
    assert (game.seats[1].questions, game.seats[1].answers, game.seats[1].guess) == (None, None, 2.0)
    assert game.seats[0].questions is not None


def judged(c: Connection, judge: Player, target: Player, minute: int, *, human: bool = True) -> str:
    game = pair(c, judge, target, START + minute * MINUTE)
    for phase in range(2):
        for player in (judge, target):
            make_move(c, game, player, moves(1.0)[phase], START + minute * MINUTE)
    make_move(c, game, judge, GuessMove(30.0, judgement=PersonOrMachine(human, 80.0)), START + minute * MINUTE)
    make_move(c, game, target, GuessMove(60.0), START + minute * MINUTE)
    return game


def test_judgements_come_out_with_whether_they_are_right_where_they_count(c: Connection) -> None:
    ann, bob, eve, bot = account(c), guest(c), guest(c), machine(c)
    taken, other = judged(c, ann, bot, 0), judged(c, ann, bot, 1)
    judged(c, ann, bob, 2, human=False)
    judged(c, bot, ann, 3)
    judged(c, eve, bot, 4)
    moderation.void_guesses(c, eve.id, START)
    c.execute(update(SEATS).where(SEATS.c.game == taken, SEATS.c.player == ann.id).values(taken_over=START))
    c.execute(update(SEATS).where(SEATS.c.game == other, SEATS.c.player == bot.id).values(taken_over=START))
    judged(c, ann, bot, 5)
    seats = [seat for game in exported_games(c, salt=SALT) for seat in game.seats if seat.judged_human is not None]
    rows = [(seat.kind, seat.judged_human, seat.confidence, seat.right, seat.voided) for seat in seats]
    assert rows == [
        ("account", True, 80.0, None, False), ("account", True, 80.0, None, False), ("account", False, 80.0, False, False),
        ("machine", True, 80.0, True, False), ("guest", True, 80.0, False, True), ("account", True, 80.0, False, False),
    ]  # fmt: skip


def test_a_judgement_leaves_with_who_made_it(c: Connection) -> None:
    ann, bot = account(c), machine(c)
    game = judged(c, ann, bot, 0)
    delete_player(c, ann, START)
    assert load(c, game, bot)[0].seats[0].judgement is None
    assert load(c, game, bot)[0].seats[0].guess == 30.0


def test_pages_leave_no_game_out(c: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "EXPORTED_AT_ONCE", 3)
    ann, bob = guest(c), guest(c)
    for number in range(8):  # most of them begin at the same moment
        played(c, (ann, float(number)), (bob, 2.0), START + (number // 5) * MINUTE)
    assert sorted(game.seats[0].guess for game in exported_games(c, salt=SALT)) == [float(n) for n in range(8)]


def test_traffic_counts_everybody(c: Connection) -> None:
    ann, bob = guest(c), guest(c, now=START + timedelta(days=1))
    account(c, now=START + timedelta(days=2))
    played(c, (ann, 10.0), (bob, 20.0))
    played(c, (ann, 11.0), (machine(c, now=START + timedelta(days=3)), 90.0))
    pair(c, ann, bob)
    day = START.date()
    assert traffic(c) == [
        SiteVisitor("guest", day, 3, 2, 1, 20.0),
        SiteVisitor("guest", day + timedelta(days=1), 2, 1, 1, 10.0),
        SiteVisitor("account", day + timedelta(days=2), 0, 0, 0, None),
        SiteVisitor("machine", day + timedelta(days=3), 1, 1, 1, 11.0),
    ]


def test_counts_change_only_when_a_game_ends(c: Connection) -> None:
    assert counts(c, START) == SiteCounts(0, 0, 0)
    ann, bob = guest(c), guest(c)
    played(c, (ann, 1.0), (bob, 2.0), START - timedelta(days=31))
    assert counts(c, START) == SiteCounts(2, 1, 0)
    game = pair(c, ann, guest(c))
    for move in moves(1.0)[:1]:
        make_move(c, game, ann, move, START)
    assert counts(c, START) == SiteCounts(2, 1, 0)
    played(c, (ann, 1.0), (guest(c), 2.0))
    assert counts(c, START) == SiteCounts(3, 2, 1)
