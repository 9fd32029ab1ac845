"""Reports, sanctions and voided guesses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from tests.web.databases import put_tables
from tests.web.store.players import HONEST, MINUTE, START, account, guest, machine, moves, pair, played, ruined
from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.rules import Phase
from vivavoce.web.database import open_database, transaction
from vivavoce.web.store import moderation
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.games import NotYourGame, load
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import Player
from vivavoce.web.store.ratings import exported_games, flagged, games_played, history, leaderboard, rating_of, traffic

LATER = START + timedelta(days=1)


@pytest.mark.long
def test_who_always_guesses_0_is_flagged_by_the_id_that_can_be_banned(c: Connection) -> None:
    assert flagged(c) == []
    assert games_played(c) is None
    cheat, _ = ruined(c)
    [player] = flagged(c)
    assert (player.id, player.name, player.banned) == (cheat.id, "Zero", False)
    assert "guesses 0: 6 of 6 guesses" in " ".join(player.statements)
    moderation.ban(c, player.id, LATER)
    assert [flagged_player.banned for flagged_player in flagged(c)] == [True]
    moderation.ban(c, player.id, LATER, void=True)
    assert flagged(c) == []


def test_voided_guesses_count_in_no_rating_and_count_again_when_restored(c: Connection) -> None:
    ann, bob, zero, bot = account(c, "Ann"), account(c, "Bob"), account(c, "Zero"), machine(c, "Bot")
    played(c, (ann, 50.0), (bob, 80.0), START)
    played(c, (ann, 50.0), (zero, 0.0), START + MINUTE)
    played(c, (ann, 50.0), (bot, 10.0), START + 2 * MINUTE)
    played(c, (ann, 50.0), (bob, 70.0), START + 3 * MINUTE)
    # (80 + 0 + 70) / 3 = 50; without the 0 (80 + 70) / 2 = 75; the machine's 10 never counts
    assert rating_of(c, ann.id) == (50.0, 3)
    assert [point.rating_after for point in history(c, ann.id)] == [80.0, 40.0, 40.0, 50.0]
    outcomes = [point.outcome for point in history(c, ann.id)]
    assert moderation.ban(c, zero.id, LATER, void=True) == 1
    assert rating_of(c, ann.id) == (75.0, 2)
    assert [point.rating_after for point in history(c, ann.id)] == [80.0, 80.0, 80.0, 75.0]
    assert [point.voided for point in history(c, ann.id)] == [False, True, False, False]
    assert [point.outcome for point in history(c, ann.id)] == outcomes
    [standing] = [row for row in leaderboard(c) if row.name == "Ann"]
    assert (standing.rating, standing.games) == (75.0, 4)
    # Ann's; the others have received nothing but 50s, four of them in all
    assert sorted(entry.rating for entry in traffic(c) if entry.rating is not None) == [50.0, 50.0, 50.0, 75.0]
    # what others guessed of the player who is banned still stands
    assert rating_of(c, zero.id) == (50.0, 1)
    assert moderation.ban(c, zero.id, LATER, void=True) == 0
    assert moderation.pardon(c, zero.id) == 1
    assert rating_of(c, ann.id) == (50.0, 3)
    assert [point.rating_after for point in history(c, ann.id)] == [80.0, 40.0, 40.0, 50.0]


def test_a_ban_alone_leaves_the_guesses(c: Connection) -> None:
    ann, zero = account(c, "Ann"), account(c, "Zero")
    played(c, (ann, 50.0), (zero, 0.0), START)
    assert moderation.ban(c, zero.id, LATER) == 0
    assert rating_of(c, ann.id) == (0.0, 1)
    assert moderation.pardon(c, zero.id) == 0
    with pytest.raises(UnknownName):
        moderation.ban(c, "0" * 32, LATER, void=True)


def test_a_rating_that_rested_on_voided_guesses_alone_is_none_again(c: Connection) -> None:
    ann, zero = account(c, "Ann"), account(c, "Zero")
    played(c, (ann, 50.0), (zero, 0.0), START)
    moderation.ban(c, zero.id, LATER, void=True)
    assert rating_of(c, ann.id) == (None, 0)
    played(c, (ann, 50.0), (bob := guest(c), 90.0), LATER)
    assert rating_of(c, ann.id) == (90.0, 1)
    # who guessed 50 of Ann's rating would have been judged as with a newcomer
    assert history(c, bob.id)[0].rating_after == 50.0


def test_an_export_has_pseudonyms_and_says_which_guesses_are_voided(c: Connection) -> None:
    cheat, honest = ruined(c)
    moderation.ban(c, cheat.id, LATER, void=True)
    seats = [seat for game in exported_games(c, salt=b"salt") for seat in game.seats]
    assert not {seat.player for seat in seats} & {player.id for player in (cheat, *honest)}
    assert [seat.guess for seat in seats if seat.voided] == [0.0] * HONEST
    assert len(seats) == 2 * (HONEST * (HONEST - 1) // 2 + HONEST)


def test_a_report_shows_what_the_other_wrote(c: Connection) -> None:
    ann, bob, eve = guest(c), guest(c), guest(c)
    game = played(c, (ann, 1.0), (bob, 2.0))
    second = pair(c, eve, bob)
    moderation.report(c, game.id, ann, " rude\0\ud800 ", START)
    moderation.report(c, second, eve, "rude again", START)
    first, other = moderation.open_reports(c)
    assert (first.player, first.name, first.place, first.reason) == (bob.id, bob.name, 1, "rude\0\ud800")
    assert first.questions == game.seats[1].questions
    assert other.questions is None
    assert (first.times_reported, other.times_reported) == (2, 2)
    moderation.close_report(c, first.id, START)
    with pytest.raises(UnknownName):
        moderation.close_report(c, 10**6, START)
    assert [player_report.id for player_report in moderation.open_reports(c)] == [other.id]


def test_what_cannot_be_reported(c: Connection) -> None:
    ann, bob, eve = guest(c), guest(c), guest(c)
    game = pair(c, ann, bob)
    for reason in ("", "  ", "x" * 1001):
        with pytest.raises(BadInput):
            moderation.report(c, game, ann, reason, START)
    with pytest.raises(NotYourGame):
        moderation.report(c, game, eve, "rude", START)
    moderation.report(c, game, ann, "rude", START)
    with pytest.raises(BadInput, match="already"):
        moderation.report(c, game, ann, "rude", START)
    moderation.report(c, game, bob, "no, Ann is", START)
    assert len(moderation.open_reports(c)) == 2


def test_nothing_unknown_is_hidden_banned_or_pardoned(c: Connection) -> None:
    for strange in ("nothing", "\0", "\ud800", ""):
        with pytest.raises(UnknownName):
            moderation.hide(c, strange, 0)
        with pytest.raises(UnknownName):
            moderation.ban(c, strange, START)
        with pytest.raises(UnknownName):
            moderation.pardon(c, strange)


def test_who_is_shut_out_is_known_until_pardoned_or_gone(c: Connection) -> None:
    ann, bob, eve = account(c, "Ann"), guest(c), account(c, "Eve")
    for player in (eve, ann):
        moderation.ban(c, player.id, START)
    assert [(player.id, player.name, player.kind) for player in moderation.banned_players(c)] == [
        (ann.id, "Ann", "account"),
        (eve.id, "Eve", "account"),
    ]
    assert moderation.banned_players(c, limit=1)[0].id == ann.id
    delete_player(c, eve, START)
    moderation.pardon(c, ann.id)
    moderation.pardon(c, bob.id)  # who was never banned
    assert moderation.banned_players(c) == []


def test_games_with_the_banned_end_at_once(c: Connection) -> None:
    ann, bob, eve = guest(c), guest(c), guest(c)
    theirs, others = pair(c, ann, bob), pair(c, ann, eve)
    make_move(c, theirs, ann, moves(1.0)[0], START)
    moderation.ban(c, bob.id, START)
    assert load(c, theirs, ann)[0].phase(START) is Phase.EXPIRED
    assert load(c, others, ann)[0].phase(START) is Phase.INTERVIEW


def ratings(c: Connection, players: list[Player]) -> list[tuple[object, list[object]]]:
    """Ratings now, and after each game."""
    return [
        (rating_of(c, player.id), [(point.rating_after, point.guess) for point in history(c, player.id)]) for player in players
    ]


@pytest.mark.long
def test_what_is_foreseen_comes_about(c: Connection) -> None:
    cheat, honest = ruined(c)
    pair(c, cheat, honest[0], LATER)
    consequences = moderation.foreseen(c, "ban-and-void", cheat.id)
    assert (consequences.guesses, len(consequences.ratings), consequences.games) == (HONEST, HONEST, 1)
    before = {player.id: rating_of(c, player.id)[0] for player in honest}
    assert {entry.player: entry.before for entry in consequences.ratings} == pytest.approx(before)
    # the five guesses of the honest, once with a 0 beside them and once without
    assert all(entry.after == pytest.approx((entry.before or 0) * HONEST / (HONEST - 1)) for entry in consequences.ratings)
    assert moderation.carry_out(c, "ban-and-void", cheat.id, LATER) == consequences
    after = {rating.player: rating.after for rating in consequences.ratings}
    assert {player.id: rating_of(c, player.id)[0] for player in honest} == pytest.approx(after)
    assert moderation.foreseen(c, "void", cheat.id).guesses == 0
    back = moderation.foreseen(c, "unban", cheat.id)
    assert [(entry.player, entry.before, entry.after) for entry in back.ratings] == [
        (entry.player, entry.after, entry.before) for entry in consequences.ratings
    ]
    assert moderation.carry_out(c, "unban", cheat.id, LATER) == back
    assert {player.id: rating_of(c, player.id)[0] for player in honest} == before


def test_a_ban_alone_moves_no_rating_and_a_machine_s_guesses_never_counted(c: Connection) -> None:
    ann, bot = account(c, "Ann"), machine(c, "Bot")
    played(c, (ann, 50.0), (bot, 10.0), START)
    consequences = moderation.foreseen(c, "ban", bot.id)
    assert (consequences.guesses, consequences.ratings, consequences.games, consequences.largest) == (0, (), 0, None)
    voided = moderation.carry_out(c, "void", bot.id, LATER)
    assert (voided.guesses, voided.ratings) == (1, ())


def test_a_rating_that_rests_on_one_guesser_alone_ceases_to_exist(c: Connection) -> None:
    ann, zero = account(c, "Ann"), account(c, "Zero")
    played(c, (ann, 50.0), (zero, 0.0), START)
    consequences = moderation.foreseen(c, "void", zero.id)
    assert [(rating.name, rating.before, rating.after, rating.by) for rating in consequences.ratings] == [
        ("Ann", 0.0, None, None)
    ]
    assert "1; 1 of them cease to exist" in consequences.statement
    moderation.carry_out(c, "void", zero.id, LATER)
    assert "1; 1 of them begin to exist" in moderation.foreseen(c, "restore", zero.id).statement


def test_guesses_of_who_has_left_are_voided_too_and_nobody_is_an_error(c: Connection) -> None:
    ann, zero = account(c, "Ann"), account(c, "Zero")
    played(c, (ann, 50.0), (zero, 0.0), START)
    delete_player(c, zero, LATER)
    assert moderation.carry_out(c, "void", zero.id, LATER).guesses == 1
    assert rating_of(c, ann.id) == (None, 0)
    for sanction in moderation.SANCTIONS:
        for nobody in ("", "nobody", "0" * 32, "\x00"):
            with pytest.raises(UnknownName):
                moderation.foreseen(c, sanction, nobody)
            with pytest.raises(UnknownName):
                moderation.carry_out(c, sanction, nobody, LATER)


guesses = st.floats(0, 100, allow_nan=False).map(lambda value: round(value, 2))


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(honest=st.lists(st.tuples(guesses, guesses), min_size=1, max_size=8), planted=st.lists(guesses, min_size=1, max_size=8))
def test_all_ratings_are_what_they_were_without_the_player(
    tmp_path_factory: pytest.TempPathFactory, honest: list[tuple[float, float]], planted: list[float]
) -> None:
    engine = open_database(put_tables(tmp_path_factory.mktemp("site") / "site.sqlite"))
    try:
        with transaction(engine) as c:
            people = [guest(c) for _ in range(4)]
            for number, (value, other) in enumerate(honest):
                players = people[number % 4], people[(number + 1) % 4]
                played(c, (players[0], value), (players[1], other), START + number * MINUTE)
            before = ratings(c, people)
            games = [len(history(c, player.id)) for player in people]
            zero = guest(c)
            for number, guess in enumerate(planted):
                played(c, (zero, guess), (people[number % 4], 1.0), LATER + number * MINUTE)
            moderation.carry_out(c, "ban-and-void", zero.id, LATER)
            after = [(rating, points[:number]) for (rating, points), number in zip(ratings(c, people), games, strict=True)]
            assert after == before
    finally:
        engine.dispose()
