"""A demonstration: scripted people and bots play, so that visitors see games, ratings and a leaderboard move.

A rating is the mean of what *people* guess, so bots alone would never have one. So there are scripted people, whose names end
in "(demo)". A demonstration needs its own database, and refuses one in which others have played.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, Engine, select

from vivavoce.candidates.bots import Eliza, SeedOptions
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna import rules
from vivavoce.luna.messages import CONTROLS
from vivavoce.luna.players import CONTROL_GUESS, EchoControl, GibberishControl, RecordedAnswer
from vivavoce.luna.players import CandidatePlayer as BotPlayer
from vivavoce.luna.settings import GameTerms
from vivavoce.web.database import DatabaseBusy, migrate, open_database, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.scripted_players import LINES, PEOPLE, UNPREPARED, ScriptedPerson, ScriptLine, judged, move_of
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, machines, moves, people, queue
from vivavoce.web.store.people import Player
from vivavoce.web.store.site import alone
from vivavoce.web.tables import PLAYERS

HISTORY: Final = 60
"""Games that are already played when a demonstration starts, the last of them just now."""
BEFORE: Final = timedelta(days=12)
"""How long ago the first of them was."""
PACE: Final = 2.0
"""Seconds between two moves."""
LIVELY: Final = 4
"""Games between scripted players that are open at the same time."""
_MARK: Final = "(demo)"
_NOISE: Final = 6.0
_DULL: Final = 40.0
"""A mean mark below this makes scripted people guess that the other is a machine."""
_BY_QUESTION: Final = {line.question: line for line in LINES}


@dataclass(frozen=True, slots=True)
class DemoPlayer:
    """A scripted player."""

    player: Player
    person: ScriptedPerson | None
    bot: BotPlayer | None


async def run_demo(settings: SiteSettings, *, history: int = HISTORY, pace: float = PACE) -> None:
    """Play until cancelled: first a history of games, then one move after another, also with visitors.

    Exactly one process of a site should run it. Raises `BadInput` for a database in which others have played.
    """
    engine = await asyncio.to_thread(open_database, settings.database)
    try:
        await asyncio.to_thread(migrate, engine)
        rng = random.Random(0)  # noqa: S311 - nothing here is a secret
        members, fresh = await asyncio.to_thread(_assembled, engine, settings, utc_now(), rng)
        if fresh:
            now = utc_now()
            for number in range(history):
                began = now - BEFORE * (history - number) / history
                await _if_free(_play_through(engine, members, settings.terms, began, rng))
        while True:
            await _if_free(_one_step(engine, members, settings.terms, utc_now(), rng))
            await asyncio.sleep(pace * rng.uniform(0.5, 1.5))
    finally:
        engine.dispose()


async def _if_free(step: Awaitable[None]) -> None:
    """Make one step; skip it if the database is busy, or a sweep has ended its game."""
    with suppress(DatabaseBusy, rules.IllegalMove):
        await step


def check_own(c: Connection) -> bool:
    """Whether this database has no games yet. Raises `BadInput` for one in which others have."""
    there = list(c.execute(select(PLAYERS.c.name)).scalars())
    if there and not any(name.endswith(_MARK) for name in there):
        raise BadInput("others have played in this database, and the demonstration needs its own: name another file")
    return not there


def _assembled(engine: Engine, settings: SiteSettings, now: datetime, rng: random.Random) -> tuple[list[DemoPlayer], bool]:
    """All scripted players, and whether they are new."""
    bots = [BotPlayer(interview, knows_game=False, questions=CONTROLS, guess=CONTROL_GUESS) for interview in _interviews()]
    names = ["Gibberish bot (demo)", "Chatterbot (demo)", "Echo (demo)"]
    with transaction(engine) as c:
        fresh, begun = check_own(c), now - BEFORE - timedelta(hours=1)
        made = [DemoPlayer(_person(c, person, settings, begun), person, None) for person in PEOPLE]
        known = {machine.player.name: machine.player for machine in machines.machines(c)}
        for name, bot in zip(names, bots, strict=True):
            player = known.get(name) or machines.create_machine(c, name=name, now=begun)[0]
            made.append(DemoPlayer(player, None, bot))
    rng.shuffle(made)
    return made, fresh


def _interviews() -> list[Interview[Prompt, Reply]]:
    answers = [RecordedAnswer(line.question, text) for line in LINES for text in (line.bright, line.middling)]
    candidates = (GibberishControl(), Eliza(SeedOptions()), EchoControl(answers))
    return [Interview(candidate, answers=Reply) for candidate in candidates]


def _person(c: Connection, person: ScriptedPerson, settings: SiteSettings, now: datetime) -> Player:
    email = f"{person.name.split()[0].lower()}@demo.invalid"
    known = people.by_email(c, email)
    if known is not None:
        return known[0]
    player = people.create_account(
        c,
        name=person.name,
        email=email,
        password_hash="!",  # noqa: S106 - no password has this hash: nobody can sign in
        consent_version=settings.consent_version,
        now=now,
    )
    people.change_settings(c, player, machines_may_step_in=True, mail_on_turn=False)
    return player


async def _play_through(
    engine: Engine, members: list[DemoPlayer], terms: GameTerms, began: datetime, rng: random.Random
) -> None:
    """A whole game between two scripted players, some minutes long."""
    pair = _pair(members, rng)
    game = await asyncio.to_thread(_begin, engine, pair, terms, began)
    now = began
    for _ in range(3):
        for index, member in zip((0, 1), pair, strict=True):
            now += timedelta(seconds=rng.uniform(20, 200))
            game = await _moved(engine, member, game, 0 if index == 0 else 1, now, rng)


async def _one_step(engine: Engine, members: list[DemoPlayer], terms: GameTerms, now: datetime, rng: random.Random) -> None:
    """Make one step: a move, or a new game. One player always waits for visitors."""
    due, opened = await asyncio.to_thread(_due, engine, members, now)
    if due:
        member, game, position = rng.choice(due)
        await _moved(engine, member, game, position, now, rng)
    elif opened < LIVELY:
        await asyncio.to_thread(_begin, engine, _pair(members, rng), terms, now)


def _due(
    engine: Engine, members: list[DemoPlayer], now: datetime
) -> tuple[list[tuple[DemoPlayer, rules.Game, rules.Place]], int]:
    """Possible moves (if visitors wait, only theirs), and the number of open games of members. All members are marked as
    present, and one person and one machine wait for visitors.
    """
    own = {member.player.id for member in members}
    due: list[tuple[DemoPlayer, rules.Game, rules.Place]] = []
    visited: list[tuple[DemoPlayer, rules.Game, rules.Place]] = []
    opened = set()
    with transaction(engine) as c:
        for member in members:
            people.seen(c, member.player, now)
            for game, position in games.games_of(c, member.player, now, open_only=True):
                among_us = all(seat.player in own for seat in game.seats)
                if among_us:
                    opened.add(game.id)
                if game.awaits(position, now):
                    (due if among_us else visited).append((member, game, position))
        for human in (True, False):
            _wait(c, [member.player for member in members if member.player.human is human], now)
    return visited or due, len(opened)


def _wait(c: Connection, players: list[Player], now: datetime) -> None:
    """Let one of these wait, unless one does already."""
    if all(queue.waiting_since(c, player) is None for player in players):
        queue.join_queue(c, players[int(now.timestamp()) % len(players)], now)


def _begin(engine: Engine, pair: tuple[DemoPlayer, DemoPlayer], terms: GameTerms, now: datetime) -> rules.Game:
    first, second = pair[0].player, pair[1].player
    with transaction(engine) as c:
        alone(c)
        return games.begin(c, ((first.id, first.human), (second.id, second.human)), now, terms=terms)


async def _moved(
    engine: Engine, member: DemoPlayer, game: rules.Game, position: rules.Place, now: datetime, rng: random.Random
) -> rules.Game:
    move = await _move(member, game, position, now, rng)

    def write() -> rules.Game:
        with transaction(engine) as c:
            return moves.make_move(c, game.id, member.player, move, now)

    return await asyncio.to_thread(write)


async def _move(member: DemoPlayer, game: rules.Game, position: rules.Place, now: datetime, rng: random.Random) -> rules.Move:
    seen = rules.view(game, position, now)
    if member.bot is not None:
        return await move_of(member.bot, game.id, seen)
    if seen.phase is rules.Phase.INTERVIEW:
        return rules.QuestionsMove(tuple(line.question for line in rng.sample(LINES, seen.terms.questions)))
    if seen.phase is rules.Phase.RESPONSE:
        texts = (_said(member.person, question, rng) for question in seen.questions or ())
        return rules.AnswersMove(tuple(text[: seen.terms.longest_text] for text in texts))
    sliders = tuple(_bounded(judged(answer) + rng.gauss(0, _NOISE)) for answer in seen.answers or ())
    severity = member.person.severity if member.person else 0.0
    mean = sum(sliders) / len(sliders)
    return rules.GuessMove(
        _bounded(mean - severity), sliders, rules.PersonOrMachine(mean > _DULL, 50 + min(50.0, abs(mean - _DULL)))
    )


def _said(person: ScriptedPerson | None, question: str, rng: random.Random) -> str:
    line: ScriptLine = _BY_QUESTION.get(question, UNPREPARED)
    wit = (person.wit if person else 0.5) + rng.gauss(0, 0.2)
    return line.bright if wit > 0.7 else line.middling if wit > 0.4 else line.dull


def _bounded(value: float) -> float:
    return round(min(100.0, max(0.0, value)))


def _pair(members: list[DemoPlayer], rng: random.Random) -> tuple[DemoPlayer, DemoPlayer]:
    """Two players, at least one of them a person: machines do not play each other."""
    first = rng.choice([member for member in members if member.player.human])
    return first, rng.choice([member for member in members if member is not first])
