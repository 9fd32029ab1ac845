"""Threads and processes that write at one moment, or are killed: each step counts once, and every rating is right."""

from __future__ import annotations

import multiprocessing
import random
import signal
import sqlite3
import time
from collections import Counter
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from tests.web.store import at_once
from tests.web.store.at_once import Job, in_processes, move_once, together, work
from tests.web.store.players import START, account, check_whole, guest, loaded, machine, moves, pair
from vivavoce.luna.rules import GuessMove, IllegalMove, Phase
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import mails
from vivavoce.web.store.accounts import delete_player
from vivavoce.web.store.games import FormDraft, NotYourGame, games_of, save_draft
from vivavoce.web.store.moves import make_move, release
from vivavoce.web.store.people import Player, seen
from vivavoce.web.store.queue import join_queue, leave_queue, sweep, waiting_since
from vivavoce.web.store.ratings import history, rating_of
from vivavoce.web.tables import SEATS

DEEDS = ("find", "sweep", "release", "leave", "delete", "move", "draft")


def before_the_last_guess(engine: Engine, player: Player, others: list[Player]) -> list[str]:
    """Games of one player with each of these, in which only the others' guesses are missing."""
    games = []
    with transaction(engine) as c:
        for number, other in enumerate(others):
            games.append(pair(c, player, other))
            for phase in range(2):
                for entry in (player, other):
                    make_move(c, games[-1], entry, moves(0.0)[phase], START)
            make_move(c, games[-1], player, GuessMove(float(number)), START)
    return games


def test_both_players_move_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        games = [pair(c, ann, bob) for _ in range(10)]
    for game in games:
        for phase in range(3):
            work = [partial(move_once, engine, game, player, moves(70.0)[phase]) for player in (ann, bob)]
            assert together(work) == ["moved", "moved"]
        over = loaded(engine, game, ann)
        assert over.phase(START) is Phase.OVER
        assert over == loaded(engine, game, bob)
    assert check_whole(engine) == 60


def test_the_same_move_eight_times_at_once_counts_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        game = pair(c, ann, bob)
    for phase in range(3):
        for player in (ann, bob):
            values = together([partial(move_once, engine, game, player, moves(float(n))[phase]) for n in range(8)])
            assert values.count("moved") == 1
            assert all(isinstance(answer, str) for answer in values)
    assert check_whole(engine) == 6


def test_games_of_one_player_that_end_at_once_count_one_after_the_other(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, others = guest(c), [guest(c) for _ in range(8)]
    games = before_the_last_guess(engine, ann, others)
    guesses = [3.1, 41.59, 26.535, 89.79323, 84.6264, 33.8327, 95.0288, 41.971]  # no two of their means are the same
    work = [
        partial(move_once, engine, game, other, GuessMove(guess))
        for game, other, guess in zip(games, others, guesses, strict=True)
    ]
    assert together(work) == ["moved"] * 8
    check_whole(engine)
    with reading(engine) as c:
        mean, count = rating_of(c, ann.id)
        assert mean == pytest.approx(sum(guesses) / 8)
        assert count == 8
        steps = c.execute(select(SEATS.c.rating_before, SEATS.c.rating_after, SEATS.c.received).where(SEATS.c.player == ann.id))
        # the order of summing may change the last digit
        after = {round(row.rating_before or -1.0, 9): (row.rating_after, row.received) for row in steps}
        assert len(history(c, ann.id)) == 8
    # whatever the order was, each game began with the rating that another one ended with
    rating, counted = -1.0, 0
    while round(rating, 9) in after:
        new, guess = after[round(rating, 9)]
        assert new == pytest.approx((rating * counted + guess) / (counted + 1))
        rating, counted = new, counted + 1
    assert counted == 8


@pytest.mark.long
def test_two_players_who_move_crosswise_in_many_games_never_wait_for_each_other(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = guest(c), guest(c)
        games = [pair(c, ann, bob) for _ in range(12)]
    for phase in range(3):
        for half in range(2):  # in each game one moves, then the other: in half of the games Ann is first
            work = [
                partial(move_once, engine, game, (ann, bob)[(number + half) % 2], moves(40.0 + number)[phase])
                for number, game in enumerate(games)
            ]
            assert together(work) == ["moved"] * 12
    assert check_whole(engine) == 72


@pytest.mark.long
def test_players_on_different_processes(engine: Engine, kept_at: str) -> None:
    with transaction(engine) as c:
        people = [guest(c) for _ in range(4)]
        games = [(pair(c, person, other), person, other) for person in people for other in people if person.id < other.id]
    jobs: list[list[Job]] = [[] for _ in range(4)]
    for phase in range(3):
        for game, entry, other in games:
            for player in (entry, other):
                jobs[people.index(player)].append((game, player.id, phase, 10.0 * people.index(player)))
    done = in_processes(work, kept_at, jobs)
    assert [answers.count("moved") for answers in done] == [9, 9, 9, 9]
    assert check_whole(engine) == 36
    with reading(engine) as c:
        # each is guessed by the three others: 0 + 10 + 20 + 30 without their own
        assert [rating_of(c, person.id)[0] for person in people] == [pytest.approx((60 - 10 * n) / 3) for n in range(4)]


@pytest.mark.parametrize("seekers", [8, 7])
def test_all_who_look_for_a_game_at_once_find_one(engine: Engine, seekers: int) -> None:
    with transaction(engine) as c:
        people = [guest(c) for _ in range(seekers)]

    def look(player: Player) -> object:
        with transaction(engine) as c:
            return join_queue(c, player, START)

    def tick() -> int:
        with transaction(engine) as c:
            return sweep(c, START)

    assert together([partial(look, player) for player in people]) == [START] * seekers
    assert sorted(map(int, map(str, together([tick] * 4)))) == [0, 0, 0, seekers // 2]  # whoever is first pairs all
    with reading(engine) as c:
        games = Counter(len(games_of(c, player, START)) for player in people)
        assert games == Counter({1: seekers // 2 * 2, 0: seekers % 2}) - Counter()
        assert sum(waiting_since(c, player) is not None for player in people) == seekers % 2


def test_two_senders_never_get_the_same_mail(engine: Engine) -> None:
    with transaction(engine) as c:
        for number in range(40):
            mails.add(c, f"{number}@example.org", "", "", START)

    def take() -> list[int]:
        with transaction(engine) as c:
            return [mail.id for mail in mails.due(c, START, 10)]

    taken = together([take] * 8)
    numbers = [number for mails in taken if isinstance(mails, list) for number in mails]
    assert len(numbers) == len(set(numbers))
    while rest := take():
        numbers += rest
    assert sorted(numbers) == list(range(1, 41))


def test_processes_that_start_at_once_make_the_tables_once(address: str) -> None:
    def start() -> None:
        engine = open_database(address)
        migrate(engine)
        engine.dispose()

    assert together([start] * 6) == [None] * 6


@pytest.mark.parametrize("most", [24, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_happens_at_once_nobody_waits_in_a_circle(engine: Engine, most: int) -> None:
    with transaction(engine) as c:
        people = [account(c) if n % 2 else guest(c) for n in range(8)] + [machine(c) for _ in range(2)]

    def live(seed: int) -> int:
        rng, done = random.Random(seed), 0
        for step in range(most):
            player, now = rng.choice(people), START + timedelta(hours=step)
            try:
                with transaction(engine) as c:
                    if rng.random() < 0.5:
                        seen(c, player, now)
                    match rng.choices(DEEDS, (8, 3, 1, 1, 0.3, 12, 4))[0]:
                        case "find":
                            join_queue(c, player, now)
                        case "release":
                            release(c, now, player)
                        case "sweep":
                            sweep(c, now)
                        case "leave":
                            leave_queue(c, player)
                        case "delete":
                            delete_player(c, player, now)
                        case what:
                            for game, position in games_of(c, player, now, open_only=True)[:1]:
                                if what == "draft":
                                    save_draft(c, game.id, player, FormDraft({"q": "?"}), now)
                                elif game.awaits(position, now):
                                    phase = (Phase.INTERVIEW, Phase.RESPONSE, Phase.GUESS).index(game.phase(now))
                                    make_move(c, game.id, player, moves(rng.random() * 100)[phase], now, hold_back=rng)
                    seen(c, player, now)
                done += 1
            except (IllegalMove, NotYourGame):
                pass  # another one was quicker
        return done

    done = together([partial(live, seed) for seed in range(6)])
    assert all(isinstance(steps, int) and steps > most / 3 for steps in done), done


WRITERS = 2


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_what_was_acknowledged_is_there_and_nothing_by_half(engine: Engine, kept_at: str, tmp_path: Path, kills: int) -> None:
    log, rng = tmp_path / "said", random.Random(7)
    log.touch()
    people = at_once.new_people(kept_at, 6)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.web.store.at_once"])
    counts = [0]
    for kill in range(kills):
        running = [
            context.Process(target=at_once.play_until_killed, args=(kept_at, log, people, 100 * kill + n))
            for n in range(WRITERS)
        ]
        for process in running:
            process.start()
        before = len(log.read_bytes())
        while len(log.read_bytes()) == before and any(process.is_alive() for process in running):
            time.sleep(0.005)
        time.sleep(rng.random() * 0.25)
        for process in running:
            process.kill()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        counts.append(check_whole(engine))
        texts = [line.split() for line in log.read_text().splitlines()]
        with reading(engine) as c:
            seats = {(row["game"], row["player"]): row for row in c.execute(select(SEATS)).mappings()}
        for game, player, phase in texts:
            assert seats[game, player][("asked", "answered", "guessed")[int(phase)]] is not None
        # each writer can have one move more than it could say
        assert len(texts) <= counts[-1] <= len(texts) + WRITERS * (kill + 1)
    assert counts == sorted(set(counts))  # each time there was something to interrupt
    if engine.dialect.name == "sqlite":
        with sqlite3.connect(kept_at) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        file.close()
