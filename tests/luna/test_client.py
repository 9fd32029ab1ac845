"""The client, and whole tournaments, against a real site; and against servers that are none."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.web.api.running import HUMAN_ANSWERS, HUMAN_QUESTIONS, RunningSite, running_site
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.errors import BadInput
from vivavoce.interview import Budget, Interview, Prompt, Reply, Transcript
from vivavoce.interview.candidate import Candidate
from vivavoce.luna.client import LunaClient, Refused, ServerUnreachable, TokenRefused, in_the_clear, server_address
from vivavoce.luna.controls import open_control
from vivavoce.luna.play import Answered, Asked, Guessed
from vivavoce.luna.played import Played
from vivavoce.luna.players import Player
from vivavoce.luna.questions import CONTROLS
from vivavoce.luna.tournament import play_games

DOC = Path(__file__).parents[2] / "docs" / "luna-machines.md"
CHAT = Path(__file__).parents[1] / "candidates" / "server.py"
_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="module")
def chat() -> Iterator[str]:
    """Address of a chat server, without a path."""
    with subprocess.Popen([sys.executable, CHAT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


@pytest.fixture
def token(site: RunningSite) -> str:
    return site.machine(f"Client {next(_numbers)}")


async def nap(seconds: float) -> None:
    """In place of pauses that are meant for servers far away."""
    await asyncio.sleep(min(seconds, 0.01))


async def tournament(site: RunningSite, token: str, player: Player, *, games: int, rating: float = 20.0) -> Played:
    """Games with people who come by until all are played."""
    async with LunaClient(site.url, token) as client:
        playing = asyncio.create_task(play_games(client, player, games=games, at_once=3, pause=0.01))
        await site.attend(guess=lambda _: rating, wanted=lambda: not playing.done())
        return await playing


async def until_guess(client: LunaClient, game: str) -> None:
    while (await client.game(game)).phase != "guess":  # noqa: ASYNC110 - another process would not know of an event
        await asyncio.sleep(0.01)


def untold(candidate: Candidate[Prompt, Reply]) -> Player:
    return Player(Interview(candidate, answers=Reply), told=False, questions=CONTROLS, guess=50)


@pytest.mark.parametrize("name", ["control:gibberish", "bot:eliza", "bot:gibberish"])
async def test_bots_play_several_games_with_people(site: RunningSite, token: str, name: str) -> None:
    candidate = open_control(name) if name.startswith("control") else open_candidate(name)
    played = await tournament(site, token, untold(candidate), games=4)
    assert len(played.games) >= 4  # whoever came by while the last was played is not left alone
    assert played.left_open == ()
    assert (played.me.rating, played.me.guesses) == (20.0, len(played.games))
    assert played.read["questions"] == {"fixed": len(played.games)}
    assert played.read["answers"] == {"as it is": 5 * len(played.games)}
    assert all(game.result is not None and game.result.other_human for game in played.games)
    async with LunaClient(site.url, token) as client:
        assert (await client.games()).waiting_since is None


async def test_a_model_behind_a_chat_server_plays_several_games(site: RunningSite, token: str, chat: str) -> None:
    # this model repeats its prompt, and the person's "Guess: 100" with it: it stands above the last line, which has no number
    candidate = open_candidate(f"chat:echo@{chat}/v1")
    played = await tournament(site, token, Player(Interview(candidate, answers=Reply)), games=3, rating=70.0)
    await close_candidate(candidate)
    total = len(played.games)
    assert total >= 3
    # "Question 1: ..." to "Question 5: ..." below other words are five questions, if poor ones
    assert played.read["questions"] == {"lenient": total}
    assert played.read["answers"] == {"as it is": 5 * total}
    assert played.read["guesses"] == {"fallback": total}
    assert any(f"{total} parts could not be read" in caveat for caveat in played.caveats)
    assert "Its rating is 70" in played.statement


async def test_a_model_that_never_answers_leaves_nobody_waiting(site: RunningSite, token: str, chat: str) -> None:
    candidate = open_candidate(f"chat:filtered@{chat}/v1")
    played = await tournament(site, token, Player(Interview(candidate, answers=Reply)), games=2)
    await close_candidate(candidate)
    assert set(played.read["answers"]) == set(played.read["guesses"]) == {"fallback"}
    assert all("filtered" in problem for game in played.games for problem in game.problems)


async def test_a_run_that_was_stopped_goes_on(site: RunningSite, token: str, tmp_path: Path) -> None:
    asked: list[str] = []

    class Model:
        name = "test:model"

        async def answer(self, question: Prompt, /) -> Reply:
            asked.append(question.id)
            return Reply("Guess: 42" if question.id.endswith("guess") else "Well, well.")

    person = site.person()
    async with LunaClient(site.url, token) as client:
        assert (await client.find_game()).game is None
        game = site.meet_machine(person).id
        site.play(person, Asked(HUMAN_QUESTIONS), game)
        with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
            short = Interview(Model(), answers=Reply, transcript=transcript, budget=Budget(questions=3), at_once=1)
            with pytest.raises(Exception, match="budget of questions"):
                await play_games(client, Player(short), games=1, pause=0.01)
            assert 2 <= len(asked) <= 3  # the questions, and some of the answers
            site.play(person, Answered(HUMAN_ANSWERS), game)
            whole = Player(Interview(Model(), answers=Reply, transcript=transcript))
            going_on = asyncio.create_task(play_games(client, whole, games=1, pause=0.01))
            await until_guess(client, game)
            site.play(person, Guessed(10.0), game)
            played = await going_on
    assert len(asked) == len(set(asked)) == 7  # nothing was asked twice
    assert [(one.id, one.guessed, one.questions) for one in played.games] == [(game, 42.0, None)]


async def test_patience_ends(site: RunningSite, token: str) -> None:
    async with LunaClient(site.url, token) as client:
        player = untold(open_control("control:gibberish"))
        played = await play_games(client, player, games=1, patience=0.2, pause=0.01)
        assert (played.games, played.left_open) == ((), ())
        assert (await client.games()).waiting_since is None  # nobody will be paired with one that is not there
    assert "no rating yet" in played.statement


async def test_every_call(site: RunningSite, token: str) -> None:
    person = site.person()
    async with LunaClient(site.url + "/api/v1/", token, sleep=nap) as client:
        await client.stop_waiting()
        assert (await client.find_game()).waiting_since is not None
        game = site.meet_machine(person).id
        assert [one.id for one in (await client.games(unfinished=True)).games] == [game]
        now = await client.ask(game, CONTROLS)
        assert now.own.questions == CONTROLS
        assert (await client.ask(game, CONTROLS)) == now  # sent again: a reply may have been lost
        with pytest.raises(Refused, match="other player's turn"):
            await client.ask(game, HUMAN_QUESTIONS)
        site.play(person, Asked(HUMAN_QUESTIONS), game)
        assert (await client.answer(game, HUMAN_ANSWERS)).own.answers == HUMAN_ANSWERS
        site.play(person, Answered(HUMAN_ANSWERS), game)
        assert (await client.guess(game, 12, sliders=[1, None, 3, None, 5])).own.guess == 12.0
        site.play(person, Guessed(99.0), game)
        over = await client.game(game)
        assert over.result is not None
        assert (over.phase, over.result.other_guess, (await client.me()).rating) == ("over", 99.0, 99.0)
        assert (await client.guess(game, 12)).result == over.result


async def test_tokens_and_games_that_are_none(site: RunningSite, token: str) -> None:
    async with LunaClient(site.url, "not-a-token") as client:
        with pytest.raises(TokenRefused, match="401") as refused:
            await client.me()
        assert "not-a-token" not in str(refused.value)
    async with LunaClient(site.url, token) as client:
        for odd in ("0" * 32, "../me", "a/b", "?x=1", "\x00"):
            with pytest.raises(Refused):
                await client.game(odd)


@pytest.mark.parametrize("token", ["", "two words", "é", "a\nb"])
def test_tokens_that_cannot_be(token: str) -> None:
    with pytest.raises(BadInput, match="copy it again"):
        LunaClient("http://localhost", token)


@pytest.mark.parametrize("server", ["luna.example", "ftp://x", "http://", "https://ann:pw@x", "http://x:99999", "http://x/?q"])
def test_addresses_that_cannot_be(server: str) -> None:
    with pytest.raises(BadInput) as error:
        server_address(server)
    assert "pw" not in str(error.value)


def test_where_others_could_read_the_token() -> None:
    clear = {
        url: in_the_clear(url) for url in ("http://luna.example", "http://10.0.0.1", "https://luna.example", "http://[::1]:80")
    }
    assert list(clear.values()) == [True, True, False, False]


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def odd_server(handler: Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{anything:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while True:
        await response.write(b" " * 65_536)


async def leaking(request: web.Request) -> web.Response:
    return web.json_response({"detail": request.headers["Authorization"] + "\x1b[2J"}, status=403)


async def elsewhere(request: web.Request) -> web.Response:
    assert request.path != "/stolen", "the token was carried elsewhere"
    return web.Response(status=307, headers={"Location": "/stolen"})


ODD: list[tuple[str, Any, str]] = [
    ("endless", endless, "larger than 4000000 bytes"),
    ("leaking", leaking, r"status 403\): Bearer \[token\] ?\[2J"),
    ("elsewhere", elsewhere, "is this the address of a Luna site"),
]


@pytest.mark.parametrize(("name", "handler", "said"), ODD, ids=[name for name, _, _ in ODD])
async def test_servers_that_are_no_site(name: str, handler: Handler, said: str) -> None:
    async with odd_server(handler) as url, LunaClient(url, "secret-token-123", sleep=nap) as client:
        with pytest.raises((ServerUnreachable, Refused), match=said) as error:
            await client.me()
        assert "secret-token-123" not in str(error.value)


@pytest.mark.parametrize(
    "body", ["", "[]", "<html>", "null", '{"name": 5}', '{"rating": NaN}', "[" * 100_000, '{"games": "x"}']
)
async def test_replies_of_another_form(body: str) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="application/json")

    async with odd_server(handler) as url, LunaClient(url, "t" * 20, sleep=nap) as client:
        for call in (client.me(), client.games(), client.game("1"), client.find_game()):
            with pytest.raises(ServerUnreachable, match="none that was expected"):
                await call


async def test_what_does_not_get_through_is_tried_again_as_long_as_the_server_wishes() -> None:
    calls, pauses = [], []

    async def handler(request: web.Request) -> web.Response:
        calls.append(request.path)
        if len(calls) == 1:
            return web.Response(status=429, headers={"Retry-After": "7"})
        if len(calls) == 2:
            return web.Response(status=503, headers={"Retry-After": "99999"})
        if len(calls) == 3:
            assert request.transport is not None
            request.transport.close()
        return web.json_response({"game": None, "waiting_since": "2026-01-01T00:00:00Z"}, status=202)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async with odd_server(handler) as url, LunaClient(url, "t" * 20, sleep=sleep) as client:
        assert (await client.find_game()).waiting_since is not None
    assert pauses == [7.0, 60.0, 2.0]  # wished; wished for too long; the third pause of 0.5, 1, 2 ...


async def test_nobody_there() -> None:
    async with LunaClient("http://127.0.0.1:9", "t" * 20, sleep=nap) as client:
        with pytest.raises(ServerUnreachable, match="cannot be reached"):
            await client.me()


async def test_the_template_of_the_documentation_plays(site: RunningSite, token: str, tmp_path: Path) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "machine.py"
    file.write_text(script, encoding="utf-8")
    given = {"LUNA_SERVER": site.url, "VIVA_LUNA_TOKEN": token, "LUNA_GAMES": "2", "LUNA_PAUSE": "0.1"}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, file, stdout=pipe, stderr=pipe, env={**os.environ, **given})
    await site.attend(guess=lambda _: 33.0, wanted=lambda: process.returncode is None)
    out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"has a rating of 33.0 after 2 games" in out
