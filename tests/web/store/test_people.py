"""Players come, change and leave; how the operator and the leaderboard list them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import fmean

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, select

from tests.web.store.players import HONEST, MINUTE, START, account, check_whole, guest, machine, moves, pair, played, ruined
from vivavoce.errors import BadInput
from vivavoce.luna.rules import IllegalMove, Phase, QuestionsMove, outcome, view
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import mails, people
from vivavoce.web.store.accounts import ask_for_reset, ask_to_confirm, delete_player, want_address
from vivavoce.web.store.games import FormDraft, drafts, load, save_draft
from vivavoce.web.store.moderation import ban, open_reports, report
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import (
    LEFT,
    NameTaken,
    Player,
    agree,
    by_email,
    change_settings,
    create_account,
    create_guest,
    open_session,
    player,
    seen,
    session_player,
    upgrade_guest,
)
from vivavoce.web.store.queue import join_queue, waiting_since
from vivavoce.web.store.ratings import (
    PAGE,
    LeaderboardRow,
    RatingPoint,
    guesses_given,
    history,
    interval_of,
    leaderboard,
    listed_player,
    rating_of,
    received,
    reports_of,
    roster,
)
from vivavoce.web.tables import KEYS, PLAYERS, TABLES

ANN = {"email": "Ann@Example.org", "password_hash": "$argon2$secret", "consent_version": "2"}


def test_a_guest_has_a_made_up_name_that_is_not_the_id(engine: Engine) -> None:
    with transaction(engine) as c:
        made = create_guest(c, consent_version="1", now=START)
        assert player(c, made.id) == made
    assert made.name.startswith("Guest of 14 June, ")
    assert made.id not in made.name
    assert (made.kind, made.consent, made.email, made.mail_on_turn, made.machines_may_step_in, made.banned) == (
        "guest", "1", None, False, True, False,
    )  # fmt: skip


def test_an_account_is_found_by_its_address(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = create_account(c, name=" Ann  Lee ", now=START, **ANN)
    with reading(engine) as c:
        assert by_email(c, "ann@EXAMPLE.org ") == (ann, "$argon2$secret")
        assert player(c, ann.id) == ann
        assert by_email(c, "bob@example.org") is None
        assert by_email(c, "\0'\ud800") is None
    assert (ann.name, ann.email, ann.mail_on_turn) == ("Ann Lee", "ann@example.org", True)
    assert "example" not in repr(ann)


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "a\0b", "a\u202eb", "Guest of 3 May, owl", "gUEST", LEFT, "\ud800"])
def test_names_that_cannot_be(engine: Engine, name: str) -> None:
    with transaction(engine) as c, pytest.raises(BadInput):
        create_account(c, name=name, now=START, **ANN)


@pytest.mark.parametrize(
    "email",
    [
        "",
        "ann",
        "@b.c",
        "a@",
        "a@b",
        "a b@c.d",
        "a@b.c" + " " * 600 + "x",
        "a@b@c.d",
        "a\n@b.c",
        "ä@b.c",
        "x" * 251 + "@b.c",
        "a,b@c.d",
        "<a@b.c>",
    ],
)
def test_addresses_that_cannot_be_are_not_repeated(engine: Engine, email: str) -> None:
    with transaction(engine) as c, pytest.raises(BadInput) as caught:
        create_account(c, name="Ann", now=START, **ANN | {"email": email})
    assert str(caught.value) == "the mail address must have the form NAME@HOST"


def test_name_and_address_are_taken_once(engine: Engine) -> None:
    with transaction(engine) as c:
        create_account(c, name="Ann", now=START, **ANN)
        with pytest.raises(NameTaken) as same_name:
            create_account(c, name="ＡＮＮ", now=START, **ANN | {"email": "other@example.org"})
        with pytest.raises(NameTaken) as same_address:
            create_account(c, name="Bob", now=START, **ANN)
        bob = create_account(c, name="Bob", now=START, **ANN | {"email": "bob@example.org"})  # the transaction goes on
        assert player(c, bob.id) == bob
    assert (same_name.value.what, same_address.value.what) == ("name", "address")
    assert "example" not in str(same_address.value)


def test_a_guest_becomes_an_account_and_keeps_games_and_rating(c: Connection) -> None:
    ann, bob = guest(c), guest(c)
    game = played(c, (ann, 10.0), (bob, 30.0))
    upgraded = upgrade_guest(c, ann, name="Ann", email="ann@example.org", password_hash="$")
    assert (upgraded.id, upgraded.kind, upgraded.name, upgraded.consent) == (ann.id, "account", "Ann", ann.consent)
    assert load(c, game.id, upgraded)[0] == game
    assert rating_of(c, upgraded.id) == (30.0, 1)
    for who in (ann, upgraded):
        with pytest.raises(BadInput):
            upgrade_guest(c, who, name="Again", email="again@example.org", password_hash="$")
    with pytest.raises(NameTaken):
        upgrade_guest(c, bob, name="Bob", email="ann@example.org", password_hash="$")


def test_settings_consent_and_presence(c: Connection) -> None:
    ann = guest(c)
    change_settings(c, ann, machines_may_step_in=False, mail_on_turn=True)
    agree(c, ann, consent_version="3", now=START)
    changed = player(c, ann.id)
    assert changed is not None
    assert (changed.machines_may_step_in, changed.mail_on_turn, changed.consent) == (False, True, "3")
    # known to half a minute: less is not worth writing
    assert [seen(c, ann, START + timedelta(seconds=s)) for s in (29, 30, 31, 60)] == [False, True, False, True]


@pytest.mark.parametrize("strange", ["", "\0", "\ud800", "' OR 1=1", "x" * 1000])
def test_no_player_has_a_strange_id(engine: Engine, strange: str) -> None:
    with reading(engine) as c:
        assert player(c, strange) is None


def test_who_leaves_takes_everything_along_but_numbers(engine: Engine, kept_at: str, tmp_path: Path) -> None:
    mine = "unmistakable words"
    with transaction(engine) as c:
        bob, eve = account(c), guest(c)
        ann = create_account(c, name="Unmistakable Ann", now=START, **ANN | {"email": "unmistakable@example.org"})
        over = played(c, (ann, 40.0), (bob, 80.0))
        running, other = pair(c, ann, eve), pair(c, ann, bob)
        make_move(c, running, ann, QuestionsMove((mine,) * 5), START)
        make_move(c, running, eve, moves(1.0)[0], START)
        save_draft(c, other, ann, FormDraft({"question1": mine}), START)
        report(c, over.id, ann, mine, START)
        mails.add(c, "unmistakable@example.org", "", "", START, player=ann.id)
        ask_for_reset(c, "unmistakable@example.org", START)
        ask_for_reset(c, "unmistakably.new@example.org", START)
        ann = want_address(c, ann, "unmistakably.new@example.org")
        ask_to_confirm(c, ann, START)
        people.new_key(c, "confirm", ann.id, "unmistakably.new@example.org", START)
        people.new_key(c, "reset", ann.id, "unmistakable@example.org", START)
        token = open_session(c, ann, START)
        join_queue(c, ann, START)
        delete_player(c, ann, START + MINUTE)
    with reading(engine) as c:
        assert player(c, ann.id) is None
        assert by_email(c, "unmistakable@example.org") is None
        assert session_player(c, token, START) is None
        assert waiting_since(c, ann) is None
        assert drafts(c, other, ann).newest.fields == {}
        assert open_reports(c) == []
        assert mails.due(c, START, 10) == []
        assert c.execute(select(KEYS)).all() == []
        assert c.execute(select(PLAYERS.c.name).where(PLAYERS.c.id == ann.id)).scalar_one() == LEFT
        # what others got from it stays: Bob's rating is Ann's guess, and he still sees how the game ended
        assert rating_of(c, bob.id) == (40.0, 1)
        assert [point.guess for point in history(c, bob.id)] == [40.0]
        game, position = load(c, over.id, bob)
        assert (game.phase(START), outcome(game, position), view(game, position, START).questions) == (Phase.OVER, "tied", None)
        assert game.seats[position].questions == over.seats[1].questions
        # nobody waits for Ann
        assert load(c, running, eve)[0].phase(START + MINUTE) is Phase.EXPIRED
        assert load(c, other, bob)[0].phase(START + MINUTE) is Phase.EXPIRED
        assert [standing.name for standing in leaderboard(c)] == [bob.name]
        rows = [repr(row) for table in TABLES.sorted_tables for row in c.execute(select(table))]
        assert not [row for row in rows if "nmistakable" in row]
    with transaction(engine) as c, pytest.raises(IllegalMove):
        make_move(c, running, eve, moves(1.0)[1], START + MINUTE)
    with transaction(engine) as c:  # both can be used again
        create_account(c, name="Unmistakable Ann", now=START, **ANN | {"email": "unmistakable@example.org"})
        bot = machine(c, "Bot")
        delete_player(c, bot, START)
        machine(c, "Bot")


def test_on_sqlite_nothing_of_who_left_is_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "site.sqlite"
    engine = open_database(file)
    migrate(engine)
    with transaction(engine) as c:
        ann, bob = create_account(c, name="Ann", now=START, **ANN), guest(c)
        game = pair(c, ann, bob)
        make_move(c, game, ann, QuestionsMove(("unmistakable words",) * 5), START)
    with transaction(engine) as c:
        delete_player(c, ann, START)
    engine.dispose()
    with sqlite3.connect(file) as plain:
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    plain.close()
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"unmistakable" not in left
    assert b"ann@example.org" not in left


def test_leaving_leaves_the_log_whole(engine: Engine) -> None:
    with transaction(engine) as c:
        people = [guest(c) for _ in range(3)]
        for number, person in enumerate(people):
            for other in people[:number]:
                played(c, (person, 10.0 * number), (other, 50.0))
        ratings = [rating_of(c, person.id) for person in people]
    assert check_whole(engine) == 18
    with transaction(engine) as c:
        delete_player(c, people[0], START)
        assert [rating_of(c, person.id) for person in people] == ratings


LATER = START + timedelta(days=1)


def test_numbers_of_a_player(c: Connection) -> None:
    ann, bob, bot = account(c, "Ann"), account(c, "Bob"), machine(c, "Bot")
    played(c, (ann, 50.0), (bob, 80.0), START)
    played(c, (ann, 40.0), (bob, 60.0), START + MINUTE)
    played(c, (ann, 30.0), (bot, 99.0), START + 2 * MINUTE)
    player = listed_player(c, ann.id)
    assert player is not None
    # the mean of 80 and 60; their standard error is 10, and t at one degree of freedom 12.7: past the ends of the scale
    assert scipy.stats.t.ppf(0.975, 1) * 10 > 70
    assert (player.rating, player.interval, player.received) == (70.0, (0.0, 100.0), 2)
    assert (player.games, player.given, player.voided, player.reports, player.banned) == (3, 3, 0, 0, False)
    ban(c, ann.id, LATER, void=True)
    banned = listed_player(c, ann.id)
    assert banned is not None
    assert (banned.voided, banned.banned) == (3, True)
    assert [(guess.name, guess.guess, guess.rating, guess.counts, guess.voided) for guess in guesses_given(c, ann.id)] == [
        ("Bob", 50.0, None, False, True), ("Bob", 40.0, 50.0, False, True), ("Bot", 30.0, None, False, True),
    ]  # fmt: skip
    assert [guess.counts for guess in guesses_given(c, bot.id)] == [False]
    assert listed_player(c, "0" * 32) is None
    assert listed_player(c, "' OR 1=1 --") is None


def test_searching(c: Connection) -> None:
    ann, straße = account(c, "Ann Smith"), account(c, "Straße 100%")
    guest(c)
    for search, texts in (
        ("SMITH", ["Ann Smith"]), ("strasse", ["Straße 100%"]), ("100%", ["Straße 100%"]), ("%", ["Straße 100%"]),
        (ann.id[:8].upper(), ["Ann Smith"]), (straße.id, ["Straße 100%"]), ("nobody at all", []), ("_", []),
    ):  # fmt: skip
        assert [player.name for player in roster(c, search=search).players] == texts, search
    assert roster(c, search="\x00").found == 3


def test_pages_hold_everybody_once_the_newest_first(c: Connection) -> None:
    made = [guest(c, now=START + number * MINUTE).id for number in range(PAGE + 3)]
    first, second = roster(c), roster(c, page=2)
    assert (first.pages, first.found, len(first.players), len(second.players)) == (2, PAGE + 3, PAGE, 3)
    assert [player.id for player in (*first.players, *second.players)] == made[::-1]
    assert roster(c, page=99).page == 2
    assert roster(c, page=-1).page == 1


@pytest.mark.long
def test_who_is_flagged_and_reported_comes_first(c: Connection) -> None:
    cheat, honest = ruined(c)
    rude = honest[2]
    game = played(c, (rude, 50.0), (honest[3], 50.0), LATER)
    report(c, game.id, honest[3], "rude", LATER)
    names = [player.name for player in roster(c, order="flags", flagged={cheat.id: 2}).players]
    assert names[:2] == ["Zero", rude.name]
    assert len(names) == HONEST + 1
    assert roster(c, order="flags").players[0].name == rude.name
    [text] = reports_of(c, rude.id)
    assert (text.reason, text.closed, text.answers) == ("rude", None, tuple(f"answer {n}" for n in range(5)))


def test_who_has_left_is_there_without_a_name(c: Connection) -> None:
    ann, bob = account(c, "Ann"), account(c, "Bob")
    played(c, (ann, 50.0), (bob, 80.0), START)
    delete_player(c, ann, LATER)
    assert [(player.name, player.left) for player in roster(c, search=ann.id).players] == [("Former player", True)]
    assert roster(c, search="Ann").found == 0


@pytest.mark.parametrize("search", ["x" * 1000, "\\", "'", '"', "%%%", "[a-z]*", "ｆｕｌｌ"])
def test_any_text_can_be_searched_for(c: Connection, search: str) -> None:
    account(c, "Ann")
    assert roster(c, search=search, order="flags").found == 0


GUESSES = [71.5, 64.0, 80.25, 12.0]


@pytest.fixture
def ann(engine: Engine) -> Player:
    """Rated by four people and a machine, in this order; she always guesses 50."""
    with transaction(engine) as c:
        ann, others = account(c, "Ann"), [guest(c) for _ in GUESSES]
        for number, (other, guess) in enumerate(zip(others, GUESSES, strict=True)):
            played(c, (ann, 50.0), (other, guess), START + number * MINUTE)
        played(c, (ann, 50.0), (machine(c, "Bot"), 1.0), START + 9 * MINUTE)
    return ann


def test_a_rating_is_the_mean_of_what_people_guessed(engine: Engine, ann: Player) -> None:
    with reading(engine) as c:
        assert sorted(received(c, ann.id)) == sorted(GUESSES)
        mean, count = rating_of(c, ann.id)
        assert mean == pytest.approx(fmean(GUESSES))
        assert count == 4
        assert rating_of(c, "nobody") == (None, 0)


def test_history_shows_every_game_in_order(engine: Engine, ann: Player) -> None:
    # the first game was the first of both, so a tie; afterwards Ann has a rating, and wins from newcomers, the machine too
    with reading(engine) as c:
        points = history(c, ann.id)
    means = [fmean(GUESSES[:count]) for count in range(1, 5)]
    assert [point.rating_after for point in points] == [pytest.approx(mean) for mean in (*means, means[3])]
    assert [replace(point, rating_after=None) for point in points] == [
        *(RatingPoint(START + n * MINUTE, GUESSES[n], True, None, "won" if n else "tied") for n in range(4)),
        RatingPoint(START + 9 * MINUTE, 1.0, False, None, "won"),
    ]


def test_the_leaderboard_ranks_with_intervals(engine: Engine, ann: Player) -> None:
    interval = scipy.stats.t.interval(0.95, 3, loc=fmean(GUESSES), scale=scipy.stats.sem(GUESSES))  # 8.1 to 105.8: cut at 100
    with reading(engine) as c:
        board = leaderboard(c)
        assert leaderboard(c, least_games=6) == []
        assert [standing.name for standing in leaderboard(c, least_games=5)] == ["Ann"]
    first, *others = board
    assert first.rating == pytest.approx(fmean(GUESSES))
    assert first.interval == pytest.approx((interval[0], 100.0))
    assert replace(first, rating=0.0, interval=None) == LeaderboardRow("Ann", "account", 0.0, None, 5, 4)
    assert [standing.rating for standing in others] == [50.0] * 5
    assert {standing.interval for standing in others} == {None}  # one guess tells nothing of the spread
    assert {standing.kind for standing in others} == {"guest", "machine"}


def test_the_banned_are_not_on_it_and_their_guesses_still_count(engine: Engine, ann: Player) -> None:
    with transaction(engine) as c:
        eve = account(c)
        played(c, (ann, 50.0), (eve, 0.0), START + 10 * MINUTE)
        ban(c, eve.id, START)
        assert eve.name not in [standing.name for standing in leaderboard(c)]
        assert len(leaderboard(c)) == 6
        mean, count = rating_of(c, ann.id)
        assert mean == pytest.approx(fmean([*GUESSES, 0.0]))
        assert count == 5


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30))
def test_intervals_from_sums_are_those_of_scipy(guesses: list[float]) -> None:
    interval = interval_of(fmean(guesses), len(guesses), sum((guess - 50) ** 2 for guess in guesses))
    half = scipy.stats.t.ppf(0.975, len(guesses) - 1) * scipy.stats.sem(guesses)
    wanted = max(0.0, fmean(guesses) - half), min(100.0, fmean(guesses) + half)
    assert interval == pytest.approx(wanted, abs=1e-4)
