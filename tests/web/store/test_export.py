"""What is given away: shared results, and finished games of those who agreed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, func, select, update

from tests.web.store.players import MINUTE, START, account, finish, guest, machine, moves, pair, played
from vivavoce.errors import BadInput
from vivavoce.luna.rules import AnswersMove, GuessMove, Move, PersonOrMachine, QuestionsMove
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import game_export, moderation
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.game_export import Traffic, exported_games, traffic
from vivavoce.web.store.games import NotYourGame, load
from vivavoce.web.store.moderation import hide, report
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import Player, show_questions
from vivavoce.web.store.public_data import SharedScores, SiteCounts, counts, questions, share, shared, withdraw
from vivavoce.web.store.ratings import games_played
from vivavoce.web.tables import PLAYERS, REPORTS, SEATS, SHARES

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
    played_here = games_played(c)
    assert played_here is not None
    assert [
        (identification.judge, identification.target, identification.human, identification.right)
        for identification in played_here.judgements
    ] == [(ann.id, bob.id, True, False), (ann.id, bot.id, False, False)]


def test_a_judgement_leaves_with_who_made_it(c: Connection) -> None:
    ann, bot = account(c), machine(c)
    game = judged(c, ann, bot, 0)
    delete_player(c, ann, START)
    assert load(c, game, bot)[0].seats[0].judgement is None
    assert load(c, game, bot)[0].seats[0].guess == 30.0


def test_pages_leave_no_game_out(c: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_export, "PAGE", 3)
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
        Traffic("guest", day, 3, 2, 1, 20.0),
        Traffic("guest", day + timedelta(days=1), 2, 1, 1, 10.0),
        Traffic("account", day + timedelta(days=2), 0, 0, 0, None),
        Traffic("machine", day + timedelta(days=3), 1, 1, 1, 11.0),
    ]


def test_scores_of_a_finished_game_are_shared_by_their_player(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        played(c, (ann, 60.0), (bob, 75.0))
        game = pair(c, ann, bob)
        with pytest.raises(BadInput, match="finished"):
            share(c, game, ann, START)
        finish(c, game, {ann: 63.0, bob: 91.0})
        key = share(c, game, ann, START)
        assert share(c, game, ann, START + MINUTE) == key
        other = share(c, game, bob, START)
        with pytest.raises(NotYourGame):
            share(c, game, eve, START)
    with reading(engine) as c:
        result = shared(c, key)
        assert result is not None
        # ann was rated 75 by bob, and bob 60 by ann, in the game before
        assert (result.owner, result.scores) == (ann.id, SharedScores(63.0, 60.0, 91.0, 75.0, True, "won"))
        theirs = shared(c, other)
        assert theirs is not None
        assert (theirs.owner, theirs.scores) == (bob.id, SharedScores(91.0, 75.0, 63.0, 60.0, True, "lost"))
        assert len(key) == 32
        assert shared(c, key[:-1]) is shared(c, "") is shared(c, "x" * 3_000) is None
    with transaction(engine) as c:
        for stranger in (bob, eve):
            with pytest.raises(NotYourGame):
                withdraw(c, key, stranger)
        withdraw(c, key, ann)
        assert shared(c, key) is None
        with pytest.raises(NotYourGame):
            withdraw(c, key, ann)
        assert share(c, game, ann, START) != key  # what was withdrawn never comes back


def test_a_newcomer_and_a_machine_are_shared_as_such(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = guest(c), machine(c)
        result = shared(c, share(c, played(c, (ann, 60.0), (bot, 75.0)).id, ann, START))
    assert result is not None
    assert result.scores == SharedScores(60.0, None, 75.0, None, False, "tied")


@pytest.mark.parametrize("who", ["ann", "bob"])
def test_who_leaves_takes_what_was_shared_along(engine: Engine, who: str) -> None:
    with transaction(engine) as c:
        ann, bob, eve = guest(c), guest(c), guest(c)
        gone, stays = played(c, (ann, 60.0), (bob, 75.0)).id, played(c, (eve, 1.0), (guest(c), 2.0)).id
        keys = [share(c, gone, ann, START), share(c, gone, bob, START)]
        kept = share(c, stays, eve, START)
    with transaction(engine) as c:
        delete_player(c, {"ann": ann, "bob": bob}[who], START)
    with reading(engine) as c:
        assert [shared(c, key) for key in keys] == [None, None]
        assert shared(c, kept) is not None
        assert c.execute(select(func.count()).select_from(SHARES)).scalar_one() == 1


def test_nothing_is_shared_of_who_is_banned(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    key = share(c, played(c, (ann, 60.0), (bob, 75.0)).id, ann, START)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == ann.id).values(banned=True))
    assert shared(c, key) is None


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


def asked(
    c: Connection, author: Player, texts: list[str], marks: list[float | None], now: datetime = START
) -> tuple[str, Player]:
    """A game that the author has finished with someone new, having asked and marked so; and who that was."""
    other = guest(c)
    game = pair(c, author, other, now)
    five = tuple(texts + [f"filler {number} of {author.id}" for number in range(5 - len(texts))])
    sliders = tuple(marks + [None] * (5 - len(marks)))
    own: tuple[Move, ...] = (QuestionsMove(five), AnswersMove(("!",) * 5), GuessMove(50.0, sliders))
    for mine, theirs in zip(own, moves(50.0), strict=True):
        make_move(c, game, author, mine, now)
        make_move(c, game, other, theirs, now)
    return game, other


def texts_of(c: Connection, now: datetime = START) -> list[str]:
    return [question.text for question in questions(c, now).questions]


def test_questions_are_shown_only_of_who_agrees_and_of_games_that_ended(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        asked(c, ann, ["Who?"], [])
        asked(c, bob, ["Nobody sees this?"], [])
        assert texts_of(c) == []
        show_questions(c, ann, True)
        assert texts_of(c)[0] == "Who?"
        assert not questions(c, START).best
        assert "Nobody sees this?" not in texts_of(c)
        going_on = pair(c, ann, bob)
        make_move(c, going_on, ann, QuestionsMove(("Still in play?",) * 5), START)
        assert "Still in play?" not in texts_of(c)
        assert texts_of(c, START + timedelta(days=31)) == []
        show_questions(c, ann, False)
        assert texts_of(c) == []
        show_questions(c, ann, True)
    with transaction(engine) as c:
        delete_player(c, ann, START)
        assert texts_of(c) == []
        kept = c.execute(select(PLAYERS.c.questions_may_be_shown).where(PLAYERS.c.id == ann.id)).scalar_one()
        assert not kept


def test_hidden_reported_long_and_taken_over_texts_are_not_shown(c: Connection) -> None:
    ann = guest(c)
    show_questions(c, ann, True)
    game, other = asked(c, ann, ["Rude?", "x" * 301], [])
    assert "Rude?" in texts_of(c)
    assert "x" * 301 not in texts_of(c)
    seat = (SEATS.c.game == game, SEATS.c.player == ann.id)
    for values in ({"hidden": True}, {"taken_over": START}):
        c.execute(update(SEATS).where(*seat).values(values))
        assert texts_of(c) == []
        c.execute(update(SEATS).where(*seat).values(hidden=False, taken_over=None))
    report(c, game, other, "it is rude", START)
    assert texts_of(c) == []
    c.execute(update(REPORTS).values(closed=START))
    assert "Rude?" in texts_of(c)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == ann.id).values(banned=True))
    assert texts_of(c) == []


def test_the_best_questions_have_marks_that_are_far_apart(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    for player in (ann, bob):
        show_questions(c, player, True)
    for marks in ([10.0, 50.0, 45.0], [50.0, 50.0, 50.0], [90.0, 50.0, 55.0]):
        asked(c, ann, ["Wide?", "All the same?", "Narrow?"], [*marks])
    assert questions(c, START).best
    # standard deviations 40, 0 and 5; of one player two are shown
    assert [(question.text, question.spread) for question in questions(c, START).questions] == [
        ("Wide?", 40.0),
        ("Narrow?", 5.0),
    ]
    for mark in (20.0, 40.0, 60.0):
        asked(c, bob, ["  middling? ", "Marked  never?"], [mark])
    public_questions = questions(c, START)
    assert [(question.text.strip(), question.spread) for question in public_questions.questions][:2] == [
        ("Wide?", 40.0),
        ("middling?", 20.0),
    ]
    assert "Marked  never?" not in [question.text for question in public_questions.questions]


def test_marks_of_one_player_count_once_and_the_same_question_is_shown_once(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    for player in (ann, bob):
        show_questions(c, player, True)
    asked(c, ann, ["Why?"], [0.0])
    asked(c, ann, ["WHY? "], [100.0])
    asked(c, bob, ["why?"], [100.0])
    public_questions = questions(c, START)
    assert not public_questions.best  # two marks of ann's, one of bob's
    assert [question.text.casefold().strip() for question in public_questions.questions].count("why?") == 1
