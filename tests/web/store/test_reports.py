"""Players report, the operator sees who wrote what, hides and bans."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from tests.web.store.players import START, account, guest, moves, pair, played
from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.rules import Phase
from vivavoce.web.database import transaction
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.games import NotYourGame, load
from vivavoce.web.store.moderation import ban, banned_players, close_report, hide, open_reports, pardon, report
from vivavoce.web.store.moves import make_move


def test_a_report_shows_what_the_other_wrote(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        game = played(c, (ann, 1.0), (bob, 2.0))
        second = pair(c, eve, bob)
        report(c, game.id, ann, " rude\0\ud800 ", START)
        report(c, second, eve, "rude again", START)
        first, other = open_reports(c)
        assert (first.player, first.name, first.place, first.reason) == (bob.id, bob.name, 1, "rude\0\ud800")
        assert first.questions == game.seats[1].questions
        assert other.questions is None
        assert (first.times_reported, other.times_reported) == (2, 2)
        close_report(c, first.id, START)
        with pytest.raises(UnknownName):
            close_report(c, 10**6, START)
        assert [one.id for one in open_reports(c)] == [other.id]


def test_what_cannot_be_reported(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        game = pair(c, ann, bob)
        for reason in ("", "  ", "x" * 1001):
            with pytest.raises(BadInput):
                report(c, game, ann, reason, START)
        with pytest.raises(NotYourGame):
            report(c, game, eve, "rude", START)
        report(c, game, ann, "rude", START)
        with pytest.raises(BadInput, match="already"):
            report(c, game, ann, "rude", START)
        report(c, game, bob, "no, Ann is", START)
        assert len(open_reports(c)) == 2


def test_nothing_unknown_is_hidden_banned_or_pardoned(engine: Engine) -> None:
    with transaction(engine) as c:
        for strange in ("nothing", "\0", "\ud800", ""):
            with pytest.raises(UnknownName):
                hide(c, strange, 0)
            with pytest.raises(UnknownName):
                ban(c, strange, START)
            with pytest.raises(UnknownName):
                pardon(c, strange)


def test_who_is_shut_out_is_known_until_pardoned_or_gone(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = account(c, "Ann"), guest(c), account(c, "Eve")
        for one in (eve, ann):
            ban(c, one.id, START)
        assert [(one.id, one.name, one.kind) for one in banned_players(c)] == [
            (ann.id, "Ann", "account"),
            (eve.id, "Eve", "account"),
        ]
        assert banned_players(c, limit=1)[0].id == ann.id
        delete_player(c, eve, START)
        pardon(c, ann.id)
        pardon(c, bob.id)  # who was never banned
        assert banned_players(c) == []


def test_games_with_the_banned_end_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        theirs, others = pair(c, ann, bob), pair(c, ann, eve)
        make_move(c, theirs, ann, moves(1.0)[0], START)
        ban(c, bob.id, START)
        assert load(c, theirs, ann)[0].phase(START) is Phase.EXPIRED
        assert load(c, others, ann)[0].phase(START) is Phase.INTERVIEW
