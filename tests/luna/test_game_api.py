"""The client against a real site, and against servers that are none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from tests.each_case import each_case
from tests.web.api.running import HUMAN_ANSWERS, HUMAN_QUESTIONS, RunningSite
from vivavoce.errors import BadInput
from vivavoce.luna.game_api import (
    LunaClient,
    RequestRefused,
    SentJudgement,
    ServerUnreachable,
    TokenRefused,
    in_the_clear,
    server_address,
)
from vivavoce.luna.messages import CONTROLS
from vivavoce.luna.rules import AnswersMove, GuessMove, PersonOrMachine, QuestionsMove


async def nap(seconds: float) -> None:
    """In place of pauses that are meant for servers far away."""
    await asyncio.sleep(min(seconds, 0.01))


async def test_every_call(site: RunningSite, token: str) -> None:
    person = site.person()
    async with LunaClient(site.url + "/api/v1/", token, sleep=nap) as client:
        await client.stop_waiting()
        assert (await client.find_game()).waiting_since is not None
        game = site.meet_machine(person).id
        assert [summary.id for summary in (await client.games(unfinished=True)).games] == [game]
        now = await client.ask(game, CONTROLS)
        assert now.own.questions == CONTROLS
        assert (await client.ask(game, CONTROLS)) == now  # sent again: a reply may have been lost
        with pytest.raises(RequestRefused, match="other player's turn"):
            await client.ask(game, HUMAN_QUESTIONS)
        site.play(person, QuestionsMove(HUMAN_QUESTIONS), game)
        assert (await client.answer(game, HUMAN_ANSWERS)).own.answers == HUMAN_ANSWERS
        site.play(person, AnswersMove(HUMAN_ANSWERS), game)
        machine = PersonOrMachine(True, 75.0)
        assert (await client.guess(game, 12, sliders=[1, None, 3, None, 5], judgement=machine)).own.judgement == SentJudgement(
            True, 75.0
        )
        site.play(person, GuessMove(99.0, judgement=PersonOrMachine(False, 88.0)), game)
        over = await client.game(game)
        assert over.result is not None
        assert (over.own.guess, over.result.judgement, over.result.other_judgement) == (
            12.0,
            SentJudgement(True, 75.0),
            SentJudgement(False, 88.0),
        )
        assert (over.phase, over.result.other_guess, (await client.me()).rating) == ("over", 99.0, 99.0)
        assert (await client.guess(game, 12)).result == over.result


async def test_tokens_and_games_that_are_none(site: RunningSite, token: str) -> None:
    async with LunaClient(site.url, "not-a-token") as client:
        with pytest.raises(TokenRefused, match="401") as refused:
            await client.me()
        assert "not-a-token" not in str(refused.value)
    async with LunaClient(site.url, token) as client:
        for odd in ("0" * 32, "../me", "a/b", "?x=1", "\x00"):
            with pytest.raises(RequestRefused):
                await client.game(odd)


@each_case("token", ["", "two words", "é", "a\nb"])
def test_tokens_that_cannot_be(token: str) -> None:
    with pytest.raises(BadInput, match="copy it again"):
        LunaClient("http://localhost", token)


@each_case("server", ["luna.example", "ftp://x", "http://", "https://ann:pw@x", "http://x:99999", "http://x/?q"])
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


async def leaking_at_the_cut(request: web.Request) -> web.Response:
    return web.json_response({"detail": "x" * 283 + request.headers["Authorization"]}, status=403)


async def elsewhere(request: web.Request) -> web.Response:
    assert request.path != "/stolen", "the token was carried elsewhere"
    return web.Response(status=307, headers={"Location": "/stolen"})


ODD: list[tuple[str, Any, str]] = [
    ("endless", endless, "larger than 10000000 bytes"),
    ("leaking", leaking, r"status 403\): Bearer \[token\] ?\[2J"),
    ("leaking at the cut", leaking_at_the_cut, "xBearer "),
    ("elsewhere", elsewhere, "is this the address of a Luna site"),
]


@each_case(("name", "handler", "message"), ODD)
async def test_servers_that_are_no_site(name: str, handler: Handler, message: str) -> None:
    async with odd_server(handler) as url, LunaClient(url, "secret-token-123", sleep=nap) as client:
        with pytest.raises((ServerUnreachable, RequestRefused), match=message) as error:
            await client.me()
        assert "secret" not in str(error.value)


@each_case("body", ["", "[]", "<html>", "null", '{"name": 5}', '{"rating": NaN}', "[" * 100_000, '{"games": "x"}'])
async def test_replies_of_another_form(body: str) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="application/json")

    async with odd_server(handler) as url, LunaClient(url, "t" * 20, sleep=nap) as client:
        for call in (client.me(), client.games(), client.game("1"), client.find_game()):
            with pytest.raises(ServerUnreachable, match="unexpected reply from the server"):
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
