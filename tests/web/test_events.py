"""Server-sent events, and the streams that carry them."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, event, select

from tests.web.site import PATIENT, PLAIN, SECRET, LiveSite, ScriptlessBrowser, eventually, guest_of, pair, running
from tests.web.store.players import START, guest, machine, moves
from tests.web.store.players import pair as pair_in_store
from vivavoce.luna.rules import Phase
from vivavoce.web import events
from vivavoce.web.database import DatabaseBusy, reading, transaction
from vivavoce.web.events import PER_PLAYER, Stream, Streams, look
from vivavoce.web.pages.request_context import Site
from vivavoce.web.security.http import Cookies
from vivavoce.web.security.limits import Limiter
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store.games import changes, load
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import close_session, hashed, open_session, page_closed
from vivavoce.web.tables import PRESENCE


def streams_of(most: int) -> Streams:
    """Room for so many, and nobody who is told of who has gone."""
    return Streams(lambda player, at: None, most=most)


def crowd(streams: Streams, where: str, count: int) -> list[Stream]:
    """So many connections of players of their own, without those that there was no room for."""
    return list(filter(streams.opened, [Stream(f"{where} {number}", where) for number in range(count)]))


def test_a_player_has_a_few() -> None:
    streams = streams_of(100)
    taken = [Stream("ann", "home") for _ in range(PER_PLAYER)]
    assert all(map(streams.opened, taken))
    assert not streams.has_room("ann", "home")
    assert not streams.opened(Stream("ann", "elsewhere"))
    streams.closed(taken[0], None)
    assert streams.has_room("ann", "home")


def test_many_from_one_place_give_way_to_a_visitor_from_another() -> None:
    streams = streams_of(6)
    greedy = crowd(streams, "greedy", 10)
    assert len(greedy) == 6  # among themselves nobody takes anybody's place
    assert crowd(streams, "ann", 1)
    assert [stream.is_displaced for stream in greedy] == [True, *[False] * 5]  # the oldest
    assert len(crowd(streams, "ann", 9)) == 2  # three each: then nobody gains by coming again
    assert [stream.is_displaced for stream in greedy] == [True] * 3 + [False] * 3
    assert not streams.has_room("greedy 99", "greedy")
    streams.closed(greedy[0], None)  # it has been counted out already
    assert not streams.has_room("greedy 99", "greedy")
    streams.closed(greedy[5], None)
    assert streams.has_room("greedy 99", "greedy")


@given(st.lists(st.sampled_from("abcde"), max_size=80))
def test_no_place_is_kept_out_by_another(arrivals: list[str]) -> None:
    most = 12
    streams = streams_of(most)
    open_now: list[Stream] = []
    for number, where in enumerate(arrivals):
        is_open = streams.opened(stream := Stream(str(number), where))
        open_now = [entry for entry in [*open_now, *[stream] * is_open] if not entry.is_displaced]
        assert len(open_now) <= most
        shares = Counter(entry.where for entry in open_now)
        if not is_open:  # refused: then no place has two more
            assert len(open_now) == most
            assert max(shares.values()) - shares[where] < 2


async def test_whoever_gives_way_stops_at_once() -> None:
    streams = streams_of(2)
    first, second = crowd(streams, "greedy", 2)
    waiting = asyncio.create_task(first.above(0, 60))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    assert crowd(streams, "ann", 1)
    assert await asyncio.wait_for(waiting, 1) is None
    second.tell(3)
    assert await second.above(2, 60) == 3


async def test_one_look_tells_those_whose_number_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LOOK_EVERY", 0.01)
    streams, ending, asked = streams_of(9), asyncio.Event(), []
    first, second, third = (Stream(name, "home", name) for name in ("ann", "bob", "cat"))
    assert all(map(streams.opened, (first, second, third)))
    numbers = {"ann": 1, "bob": 0}  # and cat's session is closed

    def look(sessions: Collection[str]) -> Mapping[str, int]:
        asked.append(set(sessions))
        if len(asked) == 1:
            raise DatabaseBusy("the next look will do")
        return numbers

    telling = asyncio.create_task(streams.keep_told(look, ending))
    assert await first.above(0, 60) == 1
    assert await third.above(0, 60) is None
    assert third.is_signed_out
    waiting = asyncio.create_task(second.above(0, 60))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    numbers["bob"] = 7
    assert await waiting == 7
    ending.set()
    await asyncio.wait_for(telling, 1)
    assert asked[0] == {"ann", "bob", "cat"}


def site_at(engine: Engine, now: datetime) -> Site:
    """A site at this time."""
    settings = SiteSettings(database="none", secret=SECRET)
    return Site(settings, engine, Cookies(settings), Limiter(), lambda: now)


def test_a_look_makes_due_moves_and_marks_players_as_present(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob, bot = guest(c), guest(c), machine(c)
        game = pair_in_store(c, ann, bot)
        make_move(c, game, bot, moves(1.0)[0], START, hold_back=random.Random(0))
        make_move(c, game, ann, moves(1.0)[0], START)
        open_at = {player: hashed(open_session(c, player, START)) for player in (ann, bob)}
        gone = hashed(token := open_session(c, bob, START))
        close_session(c, token)
        page_closed(c, bob.id, START)
        before = changes(c, ann, 0)
    soon, late = START + timedelta(milliseconds=1), START + timedelta(minutes=2)
    sessions = {*open_at.values(), gone}
    assert look(site_at(engine, soon), sessions) == {open_at[ann]: before, open_at[bob]: 0}
    assert presence(engine, bob.id) == (soon, None)  # back at once
    assert presence(engine, ann.id)[0] == START  # seen a moment ago
    assert look(site_at(engine, late), sessions) == {open_at[ann]: before + 1, open_at[bob]: 0}
    assert presence(engine, ann.id) == presence(engine, bob.id) == (late, None)
    with reading(engine) as c:
        assert load(c, game, ann)[0].phase(late) is Phase.RESPONSE


def presence(engine: Engine, player: str) -> tuple[datetime, datetime | None]:
    """When a player was seen, and when the last page was closed."""
    with reading(engine) as c:
        seen, closed = c.execute(select(PRESENCE.c.seen, PRESENCE.c.closed).where(PRESENCE.c.player == player)).one()
    return seen, closed


def test_a_look_takes_as_many_queries_for_many_pages_as_for_one(engine: Engine) -> None:
    with transaction(engine) as c:
        sessions = [hashed(open_session(c, guest(c), START)) for _ in range(500)]
    queries: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda c, cursor, statement, *_: queries.append(statement.split()[0]))
    for some, now in ((sessions[:1], START), (sessions, START), (sessions, START + timedelta(minutes=1))):
        queries.clear()
        assert len(look(site_at(engine, now), some)) == len(some)
        kinds = [kind for kind in queries if kind in {"SELECT", "UPDATE"}]
        assert kinds == ["SELECT", "SELECT"] + ["SELECT", "UPDATE"] * (now > START)


def number(browser: ScriptlessBrowser) -> int:
    """Of changes, asked for."""
    count: int = browser.client.get("/events/now").json()["changes"]
    return count


def heard(lines: Iterator[str]) -> int:
    """The next number that a stream tells."""
    return int(next(line for line in lines if line.startswith("data:")).removeprefix("data:"))


def test_what_opens_is_told_when_the_other_player_has_moved_too(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.ask(game)
    before = number(ann)
    with ann.client.stream("GET", f"/events?after={before}") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["x-content-type-options"] == "nosniff"
        later = threading.Timer(0.3, bob.ask, [game])
        later.start()
        count = heard(stream.iter_lines())
        later.join()
    assert count > before
    assert count == number(ann)


def test_nothing_is_told_of_a_move_that_opens_nothing(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.get(game)
    before, page = number(ann), ann.words
    bob.ask(game)
    assert number(ann) == before
    ann.get(game)
    assert ann.words == page
    assert ann.get("/home").text.count("Write your five questions") == 1


def test_what_was_missed_is_told_at_once(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.ask(game)
    before = number(ann)
    bob.ask(game)
    with ann.client.stream("GET", f"/events?after={before}") as stream:
        assert heard(stream.iter_lines()) > before


def test_typing_is_no_news(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    before = number(ann)
    ann.send(f"{game}/interview/draft", {"question1": "half"}, method="PUT")
    assert number(ann) == before


def test_strangers_hear_nothing(site: LiveSite) -> None:
    assert httpx.get(f"{site.url}/events", timeout=PATIENT, verify=PLAIN).status_code == 204  # tells a browser not to come back
    assert httpx.get(f"{site.url}/events/now", timeout=PATIENT, verify=PLAIN).json() == {"changes": None}


def test_signing_out_ends_the_stream(site: LiveSite) -> None:
    ann = guest_of(site)
    ann.get("/profile")
    with (
        httpx.Client(base_url=site.url, cookies=ann.client.cookies, timeout=PATIENT, verify=PLAIN) as client,
        client.stream("GET", "/events?after=9") as stream,
    ):
        ann.send("/sign-out")
        assert list(stream.iter_lines()) == []


def test_one_player_cannot_hold_many_connections(site: LiveSite) -> None:
    ann = guest_of(site)
    with ExitStack() as stack:
        streams = [stack.enter_context(listening(ann)) for _ in range(PER_PLAYER * site.processes)]
        assert {stream.status_code for stream in streams} == {200}
        for _ in range(site.processes):
            assert refused(ann)
    # as soon as each process has seen that the pages are closed
    assert eventually(lambda: not any(refused(ann) for _ in range(site.processes)))


@pytest.mark.long
async def test_not_even_by_asking_for_all_of_them_at_one_moment(one_server: LiveSite) -> None:
    ann = guest_of(one_server)

    async def listen() -> None:
        async with client.stream("GET", "/events?after=99") as stream:
            await stream.aread()

    async with httpx.AsyncClient(base_url=one_server.url, cookies=ann.client.cookies, timeout=PATIENT, verify=PLAIN) as client:
        left = {asyncio.create_task(listen()) for _ in range(40)}
        async with asyncio.timeout(PATIENT):
            while len(left) > PER_PLAYER:
                _, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


@contextmanager
def listening(browser: ScriptlessBrowser) -> Iterator[httpx.Response]:
    """A connection of its own, on which nothing will be told."""
    with browser.client.stream("GET", "/events?after=99") as stream:
        yield stream


def refused(browser: ScriptlessBrowser) -> bool:
    """Whether there is no room for one more."""
    with listening(browser) as stream:
        return stream.status_code == 503


def test_the_server_stops_although_someone_listens(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        ann = guest_of(site)
        client = httpx.Client(base_url=site.url, cookies=ann.client.cookies, timeout=PATIENT, verify=PLAIN)
        stream = client.stream("GET", "/events?after=99")
        stream.__enter__()
    stream.__exit__(None, None, None)
    client.close()
