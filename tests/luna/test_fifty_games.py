"""Fifty games through the interface for machines, against scripted people."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import mean

import pytest

from tests.luna.test_tournament import chat as chat
from tests.luna.test_tournament import untold
from tests.web.api.running import running_site
from tests.web.store.whole import check_whole
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.interview import Interview, Reply
from vivavoce.luna.game_api import LunaClient
from vivavoce.luna.players import Player, open_control
from vivavoce.luna.settings import PlayConfig
from vivavoce.luna.tournament import play_games


def judged(answers: tuple[str, ...]) -> float:
    """What a scripted person makes of answers: the share of small letters, of 80."""
    text = "".join(answers)
    return round(80 * sum(letter.islower() for letter in text) / len(text))


@pytest.mark.slow
async def test_gibberish_chatterbot_and_a_model_play_fifty_games(tmp_path: Path, chat: str) -> None:
    with running_site(tmp_path) as site:
        model = open_candidate(f"chat:calculator@{chat}/v1")
        players = [
            untold(open_control("control:gibberish")),
            untold(open_candidate("bot:eliza")),
            Player(Interview(model, answers=Reply)),
        ]
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(LunaClient(site.url, site.machine(player.name.partition("@")[0])))
                for player in players
            ]
            playing = [
                asyncio.create_task(play_games(client, player, PlayConfig(games), concurrency=4, pause=0.25))
                for client, player, games in zip(clients, players, (17, 17, 16), strict=True)
            ]
            people = [site.attend(guess=judged, wanted=lambda: not all(one.done() for one in playing)) for _ in range(4)]
            await asyncio.gather(*people)
            results = [one.result() for one in playing]
        await close_candidate(model)
        assert sum(len(result.games) for result in results) >= 50
        assert check_whole(site.engine) >= 50 * 6
    for result in results:
        received = [game.result.other_guess for game in result.games if game.result is not None]
        assert len(received) == len(result.games) == result.me.guesses
        assert result.me.rating == pytest.approx(mean(received))
    gibberish, eliza, _ = (result.me.rating for result in results)
    assert gibberish == 0.0  # capitals and digits alone
    assert eliza is not None
    assert eliza > 40
