"""The built-in opponent and the demonstration: whoever finds nobody plays a machine, which never keeps them waiting."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.web.store.players import START, check_whole, guest, machine, moves, pair
from vivavoce.candidates import open_candidate
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna.messages import PreparedQuestions
from vivavoce.luna.players import CandidatePlayer as BotPlayer
from vivavoce.luna.rules import AnswersMove, Game, GuessMove, Move, Phase, QuestionsMove, view
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web import demo as demonstration
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.demo import run_demo
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.scripted_players import AT_ONCE, LINES, NAME, PATIENCE, PEOPLE, Bot, BuiltInOpponent, ScriptedBot
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, machines, people, queue
from vivavoce.web.store.move_delays import LONGEST_WAIT
from vivavoce.web.store.moves import held_of, make_move, ready
from vivavoce.web.store.people import Player
from vivavoce.web.store.queue import join_queue, sweep
from vivavoce.web.store.ratings import leaderboard


class Unsendable(ScriptedBot):
    """Asks what the rules refuse."""

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        return PreparedQuestions(("?",) * 4 + ("x" * 5_001,), "fixed")


class BrokenBot(ScriptedBot):
    """Fails whenever it is to ask."""

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        raise UnknownName("model", "none", [])


class Faulty(ScriptedBot):
    """Has a fault that shows whenever it is to ask."""

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        raise ZeroDivisionError


class Pensive(ScriptedBot):
    """Thinks of its questions for ever."""

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        await asyncio.Event().wait()
        raise AssertionError


@asynccontextmanager
async def playing(
    engine: Engine, bot: Bot, *, hold_back: random.Random | None = None, clock: Callable[[], datetime] = lambda: START
) -> AsyncIterator[BuiltInOpponent]:
    """The house, on a clock that stands still."""
    house = BuiltInOpponent(engine, bot, clock=clock, hold_back=hold_back)
    try:
        yield house
    finally:
        await house.leave()


def visited(engine: Engine, visitors: int = 1) -> list[Player]:
    """People who are alone, one after the other, and get games at one tick."""
    with transaction(engine) as c:
        people = [guest(c) for _ in range(visitors)]
        for player in people:
            join_queue(c, player, START)
        sweep(c, START)
    return people


def game_of(engine: Engine, player: Player) -> Game:
    with reading(engine) as c:
        ((game, _),) = games.games_of(c, player, START)
    return game


def opened(engine: Engine, player: Player, now: datetime) -> bool:
    """Whether this player can go on: a game has begun, its next part is there, or it is over."""
    with reading(engine) as c:
        rows = games.games_of(c, player, now)
    return bool(rows) and (rows[0][0].verdicts is not None or rows[0][0].awaits(rows[0][1], now))


async def look(house: BuiltInOpponent) -> None:
    """Look, and make all moves that are begun."""
    await house.look()
    await house.settle()


@pytest.mark.parametrize(
    "bot", [ScriptedBot(), BrokenBot(), Unsendable(), Faulty()], ids=["built in", "broken", "refused", "faulty"]
)
async def test_a_lone_visitor_plays_to_the_end(engine: Engine, bot: Bot) -> None:
    async with playing(engine, bot) as house:
        await look(house)
        (ann,) = visited(engine)
        for move in moves(70.0):
            await look(house)
            with transaction(engine) as c:
                make_move(c, game_of(engine, ann).id, ann, move, START)
        await look(house)
        game = game_of(engine, ann)
        assert game.verdicts is not None
        assert [seat.human for seat in game.seats].count(False) == 1


@pytest.mark.long
async def test_it_plays_many_at_once(engine: Engine) -> None:
    async with playing(engine, ScriptedBot()) as house:
        await look(house)
        people = visited(engine, 30)
        for _ in range(5):  # at most 8 moves at a time
            await look(house)
        asked = [seat.questions for player in people for seat in game_of(engine, player).seats if not seat.human]
        assert asked
        assert all(asked)


async def test_its_moves_are_held_back_like_those_of_any_machine(engine: Engine) -> None:
    async with playing(engine, ScriptedBot(), hold_back=random.Random(0)) as house:
        await look(house)
        (ann,) = visited(engine)
        for _ in range(3):  # looking again does not make it ask again
            await look(house)
        game = game_of(engine, ann)
        assert all(seat.questions is None for seat in game.seats)
        with transaction(engine) as c:
            assert set(held_of(c, machines.of_the_house(c, NAME, START))) == {game.id}


@pytest.mark.parametrize("others", [0, AT_ONCE], ids=["alone", "behind others"])
async def test_a_bot_that_thinks_too_long_is_replaced_before_anybody_waits_long(engine: Engine, others: int) -> None:
    now = START
    async with playing(engine, Pensive(), clock=lambda: now) as house:
        await house.look()
        with transaction(engine) as c:
            machine_of_house = machines.of_the_house(c, NAME, START)
            for _ in range(others):
                pair(c, guest(c), machine_of_house, START)
        (ann,) = visited(engine)
        await house.look()
        with transaction(engine) as c:
            ready(c, game_of(engine, ann).id, ann, START)
        now = START + timedelta(minutes=10)  # as long as nobody waits it may think
        await house.look()
        with transaction(engine) as c:
            make_move(c, game_of(engine, ann).id, ann, moves(70.0)[0], now)
        now += PATIENCE
        for _ in range(2):
            await house.look()
            await asyncio.gather(*(task for game, task in house._moving.items() if game == game_of(engine, ann).id))
        assert game_of(engine, ann).phase(now) is Phase.RESPONSE


@pytest.mark.long
async def test_a_visitor_is_not_forgotten_behind_a_hundred_who_never_came_back(engine: Engine) -> None:
    now = START
    async with playing(engine, ScriptedBot(), clock=lambda: now) as house:
        await house.look()
        (ann,) = visited(engine)
        with transaction(engine) as c:
            mine = game_of(engine, ann).id
            make_move(c, mine, ann, moves(70.0)[0], START)
            machine_of_house = machines.of_the_house(c, NAME, START)
            now += timedelta(seconds=1)
            for _ in range(101):
                pair(c, guest(c), machine_of_house, now)
        await look(house)
        assert game_of(engine, ann).phase(now) is Phase.RESPONSE


@pytest.mark.parametrize("visitors", [3, pytest.param(100, marks=pytest.mark.slow)])
async def test_every_game_of_a_lone_visitor_ends_within_five_minutes(engine: Engine, visitors: int) -> None:
    rng, now = random.Random(12), START
    async with playing(engine, ScriptedBot(), hold_back=rng, clock=lambda: now) as house:
        for _ in range(visitors):
            came, sent = now, None
            with transaction(engine) as c:
                ann = guest(c, now=now)
                join_queue(c, ann, now)
            for move in (None, *moves(50.0)):
                if move is not None:  # sent after some seconds in each phase
                    now += timedelta(seconds=rng.uniform(1, 50))
                    sent = now
                    with transaction(engine) as c:
                        make_move(c, game_of(engine, ann).id, ann, move, now)
                while not opened(engine, ann, now):
                    now += timedelta(seconds=1)
                    await look(house)
                    with transaction(engine) as c:
                        sweep(c, now)
                    assert now - (sent or came) <= LONGEST_WAIT
            assert game_of(engine, ann).verdicts is not None
            assert now - came < timedelta(minutes=5)


async def test_any_candidate_can_play_for_it_within_a_budget(engine: Engine) -> None:
    eliza = open_candidate("bot:eliza")
    bot = BotPlayer(Interview(eliza, answers=Reply, budget=Budget(questions=3)), knows_game=False)
    async with playing(engine, bot) as house:
        await look(house)
        (ann,) = visited(engine)
        for move in moves(70.0):
            await look(house)
            with transaction(engine) as c:
                make_move(c, game_of(engine, ann).id, ann, move, START)
        await look(house)
        game = game_of(engine, ann)
        assert bot.interview.progress.asked == 3
        assert game.verdicts is not None  # beyond the budget the built-in bot has played
        assert [None not in (seat.sliders or ()) for seat in game.seats if not seat.human] == [True]  # which marks answers


def test_there_is_one_and_it_has_no_token(engine: Engine) -> None:
    with transaction(engine) as c:
        other = machine(c, NAME)
        house = machines.of_the_house(c, NAME, START)
        assert (house.name, other.name) == (f"{NAME} 2", NAME)
        assert machines.of_the_house(c, NAME, START) == house
        assert [entry.revoked for entry in machines.machines(c)] == [False, False]
        assert machines.machine_by_token(c, "", START) is None


async def test_the_built_in_bot_asks_five_of_many_and_says_something_to_anything() -> None:
    bot = ScriptedBot()
    asked: set[Sequence[str]] = {(await bot.questions(str(game))).texts for game in range(20)}
    assert len(asked) > 15
    assert await bot.questions("7") == await bot.questions("7")
    answers = await bot.answers("7", ["", "\x00 <script>", "What color is the sky?", "x" * 5_000, "?"])
    assert all(answer.text.strip() for answer in answers)
    guess = await asyncio.gather(*(bot.guess("7", (), (text,) * 5) for text in ("XQ7 88", "I would look it up, and then ask.")))
    assert guess[0].value < guess[1].value <= 100


def settings(folder: Path) -> SiteSettings:
    return SiteSettings(database=str(folder / "demo.sqlite"), secret="s" * 40)


def play_on(engine: Engine, visitor: Player) -> bool:
    """Make the visitor's move, if it is due; returns whether a game has ended."""
    with transaction(engine) as c:
        now = utc_now()
        if not games.games_of(c, visitor, now):
            queue.join_queue(c, visitor, now)
            queue.sweep(c, now, tick=0.1)  # as the site itself does
        for game, position in games.games_of(c, visitor, now):
            phase = view(game, position, now).phase
            if phase is Phase.OVER:
                return True
            if game.awaits(position, now):
                due: dict[Phase, Move] = {
                    Phase.INTERVIEW: QuestionsMove(tuple("abcde")),
                    Phase.RESPONSE: AnswersMove(tuple("vwxyz")),
                }
                make_move(c, game.id, visitor, due.get(phase, GuessMove(50.0)), now)
    return False


async def run_until_played(demo: SiteSettings, *, history: int) -> None:
    """Run it until a visitor has played a game to its end."""
    running = asyncio.create_task(run_demo(demo, history=history, pace=0.01))
    engine = open_database(demo.database)
    try:
        migrate(engine)
        with transaction(engine) as c:
            visitor = people.create_guest(c, consent_version="1", now=utc_now())
        async with asyncio.timeout(60):
            await asyncio.sleep(0.5)
            while not await asyncio.to_thread(play_on, engine, visitor):
                assert not running.done()
                await asyncio.sleep(0.02)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        engine.dispose()


async def test_games_of_the_past_that_a_sweep_ends_do_not_end_the_demonstration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = demonstration._moved
    swept: list[int] = []
    enough = asyncio.Event()

    async def moved_after_a_sweep(engine: Engine, *move: Any) -> Any:
        with transaction(engine) as c:
            swept.append(queue.sweep(c, utc_now()))
        if len(swept) == 10:
            enough.set()
        return await moved(engine, *move)

    monkeypatch.setattr(demonstration, "_moved", moved_after_a_sweep)
    running = asyncio.create_task(run_demo(settings(tmp_path), history=10, pace=0.01))
    async with asyncio.timeout(60):
        await asyncio.wait({running, asyncio.create_task(enough.wait())}, return_when=asyncio.FIRST_COMPLETED)
    assert not running.done()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert sum(swept) > 0


@pytest.mark.long
async def test_a_visitor_finds_a_leaderboard_and_someone_to_play_with(tmp_path: Path) -> None:
    demo = settings(tmp_path)
    migrated = open_database(demo.database)
    migrate(migrated)
    running = asyncio.create_task(run_demo(demo, history=24, pace=0.01))
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(_rated, migrated, 24):
            assert not running.done()
            await asyncio.sleep(0.05)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    with reading(migrated) as c:
        standings = {row.name: row for row in leaderboard(c)}
    assert {person.name for person in PEOPLE} <= set(standings)
    assert all(name.endswith("(demo)") for name in standings)
    assert min(standings.values(), key=lambda row: row.rating).name == "Gibberish bot (demo)"
    assert standings["Ada (demo)"].rating > standings["Hana (demo)"].rating  # as the script says how bright they are
    assert check_whole(migrated) >= 6 * 24
    await run_until_played(demo, history=24)  # started again over the same database, it goes on
    migrated.dispose()


def _rated(engine: Engine, games_played: int) -> bool:
    with reading(engine) as c:
        return sum(row.games for row in leaderboard(c)) >= 2 * games_played


async def test_a_site_with_players_of_its_own_is_left_alone(tmp_path: Path) -> None:
    engine = open_database(settings(tmp_path).database)
    migrate(engine)
    with transaction(engine) as c:
        people.create_guest(c, consent_version="1", now=utc_now())
    with pytest.raises(BadInput, match="demonstration needs its own"):
        await run_demo(settings(tmp_path), pace=0.01)
    with reading(engine) as c:
        assert leaderboard(c) == []
    engine.dispose()


def test_the_script_fits_into_a_game() -> None:
    texts = [text for line in LINES for text in (line.question, line.bright, line.middling, line.dull)]
    assert all(0 < len(text) <= THESIS.longest_text for text in texts)
    assert len(set(texts)) == len(texts)
    assert len(LINES) >= 5
