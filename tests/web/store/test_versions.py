"""A machine's games belong to the version that was released before they began, and ratings by version are made of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from tests.web.store.players import MINUTE, START, account, finish, machine, pair, played
from vivavoce.errors import BadInput, UnknownName
from vivavoce.web.database import transaction
from vivavoce.web.store.export import exported_games
from vivavoce.web.store.guessers import games_played, of_version
from vivavoce.web.store.reports import ban
from vivavoce.web.store.versions import Version, guesses_of_machine, release, standings, versions

LATER = START + timedelta(days=1)


def test_a_machine_is_version_1_until_another_is_released(engine: Engine) -> None:
    with transaction(engine) as c:
        bot, ann = machine(c, "Bot"), account(c, "Ann")
        assert versions(c) == {bot.id: (Version("1", START),)}
        assert standings(c, ann.id) == ()
        known = release(c, " bot ", " 2  beta ", LATER)
        assert [one.name for one in known] == ["1", "2 beta"]
        assert release(c, "Bot", "3", LATER + MINUTE)[-1] == Version("3", LATER + MINUTE)
        assert versions(c, (bot.id, ann.id)) == {
            bot.id: (Version("1", START), Version("2 beta", LATER), Version("3", LATER + MINUTE))
        }


@pytest.mark.parametrize("version", ["", " ", "x" * 41, "a\nb\x00", "\x1b[2J", "1", "２", "ONE", "\u202e"])
def test_names_that_cannot_be_or_were_there(engine: Engine, version: str) -> None:
    with transaction(engine) as c:
        machine(c, "Bot")
        release(c, "Bot", "2", LATER)
        release(c, "Bot", "one", LATER + MINUTE)
        with pytest.raises(BadInput):
            release(c, "Bot", version, LATER + 2 * MINUTE)


def test_a_clock_that_goes_back_and_names_of_nobody(engine: Engine) -> None:
    with transaction(engine) as c:
        machine(c, "Bot")
        account(c, "Ann")
        release(c, "Bot", "2", LATER)
        for moment in (START, LATER):
            with pytest.raises(BadInput, match="set the clock right"):
                release(c, "Bot", "3", moment)
        for nobody in ("Ann", "nobody", "\x00"):
            with pytest.raises(UnknownName):
                release(c, nobody, "2", LATER)


def test_a_game_stays_with_the_version_in_which_it_began(engine: Engine) -> None:
    with transaction(engine) as c:
        bot, ann, bob = machine(c, "Bot"), account(c, "Ann"), account(c, "Bob")
        played(c, (ann, 40.0), (bot, 9.0), START)
        begun = pair(c, bob, bot, START + MINUTE)
        release(c, "Bot", "2", LATER)
        finish(c, begun, {bob: 50.0, bot: 9.0}, LATER + MINUTE)
        played(c, (ann, 70.0), (bot, 9.0), LATER + 2 * MINUTE)
        found = [(one.guesser, one.version, one.guess) for one in guesses_of_machine(c, bot.id)]
        assert found == [(ann.id, "1", 40.0), (bob.id, "1", 50.0), (ann.id, "2", 70.0)]
        assert [(one.name, one.rating, one.guesses) for one in standings(c, bot.id)] == [("1", 45.0, 2), ("2", 70.0, 1)]
        seats = [seat for game in exported_games(c, salt=b"s") for seat in game.seats]
        assert sorted((seat.kind, seat.version) for seat in seats) == [
            ("account", ""), ("account", ""), ("account", ""), ("machine", "1"), ("machine", "1"), ("machine", "2"),
        ]  # fmt: skip
        games = games_played(c, by_version=True)
        assert games is not None
        assert {of_version(bot.id, "1"), of_version(bot.id, "2"), ann.id, bob.id} == set(games.names)
        assert {games.names[one] for one in games.machines} == {of_version(bot.id, "1"), of_version(bot.id, "2")}
        ban(c, bob.id, LATER, void=True)
        assert [one.guess for one in guesses_of_machine(c, bot.id)] == [40.0, 70.0]
