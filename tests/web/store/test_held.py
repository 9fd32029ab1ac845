"""A machine's move is made when a person would have made it: neither sooner, nor seen sooner, never lost, and never late."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from math import exp, log
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, func, select

from tests.each_case import each_case
from tests.web.store.players import MINUTE, START, guest, machine, moves, pair, people_read_once
from vivavoce.formats.json_values import to_json
from vivavoce.luna.rules import GuessMove, IllegalMove, PersonOrMachine, Phase, QuestionsMove
from vivavoce.luna.settings import THESIS
from vivavoce.web.database import transaction
from vivavoce.web.settings import LONGEST_TICK
from vivavoce.web.store import move_delays
from vivavoce.web.store.games import changes, load
from vivavoce.web.store.moves import any_due, as_move, end_games_of, held_of, make_move, release, resign
from vivavoce.web.store.queue import sweep
from vivavoce.web.store.site import alone
from vivavoce.web.tables import HELD

JUDGED = GuessMove(2.0, judgement=PersonOrMachine(False, 66.6))
SHORT = QuestionsMove(tuple(f"{n}?" for n in range(5)))


def due_of(c: Connection, game: str) -> datetime:
    due: datetime = c.execute(select(HELD.c.due).where(HELD.c.game == game)).scalar_one()
    return due


def people_play(c: Connection, games: int, *, seconds: float, chars: int = 50, began: datetime = START) -> None:
    """So many games between people who take so long for each move, and write so much."""
    ann, bob = guest(c), guest(c)
    for number in range(games):
        now = began + number * MINUTE
        game = pair(c, ann, bob, now)
        for move in (QuestionsMove(("x" * chars,) * 5), *moves(1.0)[1:]):
            now += timedelta(seconds=seconds)
            for player in (ann, bob):
                make_move(c, game, player, move, now)


def test_a_held_move_is_seen_by_nobody_but_the_machine_until_it_is_due(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
    due = due_of(c, game)
    assert due > START + timedelta(seconds=5)
    assert held_of(c, bot) == {game: SHORT}
    with pytest.raises(IllegalMove, match="finished this phase"):
        make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
    make_move(c, game, ann, moves(1.0)[0], START + timedelta(seconds=1))
    before = changes(c, ann, 0)
    just = due - timedelta(milliseconds=1)
    assert not any_due(c, ann, just)
    assert release(c, just, ann) == 0
    assert load(c, game, ann)[0].phase(just) is Phase.INTERVIEW
    assert any_due(c, ann, due)
    assert release(c, due + MINUTE, ann) == 1  # whenever someone looks
    after, _ = load(c, game, ann)
    assert after.phase(due) is Phase.RESPONSE
    assert after.since == due  # it counts from when it was due
    assert changes(c, ann, 0) > before
    assert held_of(c, bot) == {}


def test_another_process_makes_it_after_a_restart(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bot = guest(c), machine(c)
        game = pair(c, ann, bot)
        make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
        due = due_of(c, game)
    with transaction(engine) as c:
        assert sweep(c, due - timedelta(milliseconds=1)) == 0
        assert sweep(c, due) == 1
        assert load(c, game, ann)[0].seats[1].questions == SHORT.questions


def test_a_persons_move_makes_what_is_due_first(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
    due = due_of(c, game)
    after = make_move(c, game, ann, moves(1.0)[0], due + MINUTE)
    assert after.phase(due + MINUTE) is Phase.RESPONSE
    assert after.since == due + MINUTE


def test_a_whole_game_with_a_machine_ends_with_its_guess(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game, now = pair(c, ann, bot), START
    for move in moves(40.0):
        make_move(c, game, bot, move, now, hold_back=random.Random(0))
        make_move(c, game, ann, move, now)
        now = due_of(c, game)
        assert release(c, now) == 1
    over, position = load(c, game, ann)
    assert over.verdicts is not None
    assert over.since == now
    assert over.seats[1 - position].guess == 40.0


def test_people_and_unpaced_machines_are_never_held(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    make_move(c, game, ann, moves(1.0)[0], START, hold_back=random.Random(0))
    assert make_move(c, game, bot, SHORT, START).phase(START) is Phase.RESPONSE
    assert c.execute(select(func.count()).select_from(HELD)).scalar_one() == 0


def test_what_is_held_ends_with_its_game(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
    alone(c)
    end_games_of(c, ann.id, "left", START)
    assert held_of(c, bot) == {}
    assert release(c, START + THESIS.expiry) == 0


def drawn(c: Connection, *, length: int = 50, passed: float = 0.0, count: int = 400) -> list[float]:
    """Seconds for which a machine's questions of this length are held."""
    ann, bot = guest(c), machine(c)
    game, _ = load(c, pair(c, ann, bot), ann)
    rng, move, now = random.Random(0), QuestionsMove(("y" * length,) * 5), START + timedelta(seconds=passed)
    with people_read_once():
        return [move_delays.drawn_times(c, game, move, now, rng)[0] for _ in range(count)]


@pytest.mark.long
def test_before_people_have_played_times_are_those_that_are_stated(engine: Engine) -> None:
    # 5 texts of 50 letters are 270 characters as JSON: median 30 + .25 * 270 = 97.5 seconds, deviation of the logarithm .5;
    # of 400 draws the median's logarithm has a standard error of 1.25 * .5 / 20 = .031
    with transaction(engine) as c:
        n = drawn(c)
    assert log(median(n) / 97.5) == pytest.approx(0, abs=4 * 0.031)
    assert max(n) / min(n) > exp(2)


@pytest.mark.long
def test_then_they_are_those_of_people_on_this_site(engine: Engine) -> None:
    with transaction(engine) as c:
        people_play(c, 25, seconds=600.0)  # 50 moves
        n = drawn(c)
    # each drawn time is 600 s times exp(.1 Z)
    assert median(n) == pytest.approx(600, rel=0.02)
    assert 400 < min(n) < max(n) < 900


@pytest.mark.long
def test_and_of_moves_of_the_same_length(c: Connection) -> None:
    people_play(c, 25, seconds=60.0, chars=30)
    people_play(c, 25, seconds=900.0, chars=900, began=START + timedelta(hours=1))
    # times exp(.1 Z): of 150 the median's logarithm has a standard error of 1.25 * .1 / 12.2 = .010
    assert median(drawn(c, length=30, count=150)) == pytest.approx(60, rel=0.03)
    assert median(drawn(c, length=900, count=150)) == pytest.approx(900, rel=0.03)


@pytest.mark.long
def test_between_two_lengths_times_lie_between(c: Connection) -> None:
    # a hundred times the characters take ten times as long: a power of about 1/2, so texts of 10 times as many take
    # sqrt(10) = 3.2 times as long; both lengths are measured as JSON, which adds 20 characters, and with 20 besides
    people_play(c, 25, seconds=60.0, chars=40)
    people_play(c, 25, seconds=600.0, chars=4_000, began=START + timedelta(hours=1))
    assert median(drawn(c, length=400, count=100)) == pytest.approx(60 * 10**0.5, rel=0.15)


@pytest.mark.long
def test_a_machine_that_is_late_gets_a_longer_time_and_at_last_none(c: Connection) -> None:
    people_play(c, 25, seconds=600.0)
    assert all(seconds >= 650.0 for seconds in drawn(c, passed=650.0, count=100))
    assert set(drawn(c, passed=10_000.0, count=100)) == {10_000.0}  # nobody has taken so long: at once


@pytest.mark.long
def test_times_are_learnt_from_moves_that_people_made_alone(c: Connection) -> None:
    people_play(c, 25, seconds=60.0)
    ann, bob = guest(c), guest(c)
    for number in range(100):  # twice as many games of which someone goes away
        game = pair(c, ann, bob, START + number * MINUTE)
        make_move(c, game, ann, QuestionsMove(("x" * 50,) * 5), START + number * MINUTE + timedelta(seconds=60))
        if number % 2:
            resign(c, game, bob, START + number * MINUTE + timedelta(seconds=70))
    sweep(c, START + 2 * THESIS.expiry)
    bot = machine(c)
    with_bot, _ = load(c, pair(c, ann, bot), ann)
    with people_read_once():
        rng = random.Random(2)
        times = [move_delays.drawn_times(c, with_bot, SHORT, START, rng) for _ in range(100)]
    # 60 s times exp(.05 Z): four standard deviations
    assert all(49 < seconds < 74 for drawn in times for seconds in drawn)


def held_for(times: Sequence[float], waits: float, passed: float = 0.0) -> float:
    """Seconds of the phase after which a move is made of which the opponent has moved after so many."""
    now, moved = START + timedelta(seconds=passed), START + timedelta(seconds=waits)
    return (move_delays.due(times, START, now, moved) - START).total_seconds()


def test_nobody_who_has_moved_waits_longer_than_is_stated() -> None:
    assert held_for((97.0, 52.0, 12.0), 20.0) == 52.0  # the first time drawn within 40 s, and a tick of 5
    assert held_for((97.0, 52.0, 12.0), 10.0) == 12.0
    assert held_for((97.0, 52.0, 12.0), 60.0) == 97.0
    assert held_for((97.0, 80.0), 10.0) == 50.0  # nobody was that quick
    assert held_for((97.0, 80.0), 10.0, passed=300.0) == 300.0  # the machine comes late by itself


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.floats(0, 3_600))
def test_it_holds_whatever_was_drawn(times: list[float], waits: float) -> None:
    assert held_for(times, waits) - waits <= move_delays.LONGEST_WAIT.total_seconds() - LONGEST_TICK + 1e-6


@pytest.mark.long
@pytest.mark.parametrize("first", ["machine", "person"])
def test_a_held_move_does_not_let_the_other_wait(c: Connection, first: str) -> None:
    soon = START + timedelta(seconds=5)
    people_play(c, 25, seconds=600.0)
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    if first == "machine":
        make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
        assert due_of(c, game) > START + timedelta(seconds=400)
        make_move(c, game, ann, SHORT, soon)
    else:
        make_move(c, game, ann, SHORT, START)
        make_move(c, game, bot, SHORT, soon, hold_back=random.Random(0))
        soon = START
    end = soon + move_delays.LONGEST_WAIT
    assert load(c, game, ann)[0].phase(soon) is Phase.INTERVIEW
    assert soon < due_of(c, game) < end
    sweep(c, end)
    assert load(c, game, ann)[0].phase(end) is Phase.RESPONSE


def test_a_machine_that_would_have_been_quicker_moves_with_the_other(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    make_move(c, game, bot, SHORT, START, hold_back=random.Random(0))
    c.execute(HELD.update().values(times=[900.0, 20.0], due=START + timedelta(seconds=900)))
    moved = START + timedelta(seconds=100)
    after = make_move(c, game, ann, SHORT, moved)
    assert (after.phase(moved), after.since) == (Phase.RESPONSE, moved)
    assert held_of(c, bot) == {}


@each_case("move", [*moves(3.5), GuessMove(2.0, (1.0, None, 2.0, None, 3.0)), JUDGED])
def test_moves_come_back_as_they_were_kept(move: QuestionsMove | GuessMove) -> None:
    assert as_move(to_json(move)) == move


def test_a_judgement_that_was_held_is_the_one_that_is_written(c: Connection) -> None:
    ann, bot = guest(c), machine(c)
    game = pair(c, ann, bot)
    for phase in range(2):
        for player in (ann, bot):
            make_move(c, game, player, moves(1.0)[phase], START)
    make_move(c, game, ann, GuessMove(5.0, judgement=PersonOrMachine(True, 55.0)), START)
    make_move(c, game, bot, JUDGED, START, hold_back=random.Random(0))
    assert held_of(c, bot, game) == {game: JUDGED}
    release(c, START + timedelta(hours=20))
    game_held = load(c, game, ann)[0]
    assert [seat.judgement for seat in game_held.seats] == [PersonOrMachine(True, 55.0), PersonOrMachine(False, 66.6)]
