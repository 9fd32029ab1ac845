"""The demonstration: a living leaderboard within a minute, and somebody to play with."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.web.store.whole import check_whole
from vivavoce.errors import BadInput
from vivavoce.luna.rules import AnswersMove, GuessMove, Move, Phase, QuestionsMove, view
from vivavoce.luna.settings import THESIS
from vivavoce.web import demo as demonstration
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.demo import run_demo
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.scripted_players import LINES, PEOPLE
from vivavoce.web.settings import Settings
from vivavoce.web.store import games, moves, people, queue
from vivavoce.web.store.people import Player
from vivavoce.web.store.ratings import leaderboard


def settings(folder: Path) -> Settings:
    return Settings(database=str(folder / "demo.sqlite"), secret="s" * 40)


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
                moves.make_move(c, game.id, visitor, due.get(phase, GuessMove(50.0)), now)
    return False


async def run_until_played(demo: Settings, *, history: int) -> None:
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
async def test_a_visitor_finds_a_leaderboard_and_somebody_to_play_with(tmp_path: Path) -> None:
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
    with pytest.raises(BadInput, match="database of its own"):
        await run_demo(settings(tmp_path), pace=0.01)
    with reading(engine) as c:
        assert leaderboard(c) == []
    engine.dispose()


def test_the_script_fits_into_a_game() -> None:
    texts = [text for line in LINES for text in (line.question, line.bright, line.middling, line.dull)]
    assert all(0 < len(text) <= THESIS.longest_text for text in texts)
    assert len(set(texts)) == len(texts)
    assert len(LINES) >= 5
