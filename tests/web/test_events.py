"""Server-sent events, and the streams that carry them."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.site import PATIENT, PLAIN, LiveSite, ScriptlessBrowser, eventually, guest_of, pair, running
from vivavoce.web.events import PER_PLAYER, Stream, Streams


def streams_of(most: int) -> Streams:
    """Room for so many, and nobody who is told of who has gone."""
    return Streams(lambda player, at: None, most=most)


def crowd(streams: Streams, where: str, count: int) -> list[Stream]:
    """So many connections of players of their own."""
    opened = [streams.opened(f"{where} {number}", where) for number in range(count)]
    return [stream for stream in opened if stream is not None]


def test_a_player_has_a_few() -> None:
    streams = streams_of(100)
    taken = [streams.opened("ann", "home") for _ in range(PER_PLAYER)]
    assert None not in taken
    assert not streams.has_room("ann", "home")
    assert streams.opened("ann", "elsewhere") is None
    assert taken[0] is not None
    streams.closed(taken[0], None)
    assert streams.has_room("ann", "home")


def test_many_from_one_place_give_way_to_a_visitor_from_another() -> None:
    streams = streams_of(6)
    greedy = crowd(streams, "greedy", 10)
    assert len(greedy) == 6  # among themselves nobody takes anybody's place
    assert crowd(streams, "ann", 1)
    assert [stream.displaced.is_set() for stream in greedy] == [True, *[False] * 5]  # the oldest
    assert len(crowd(streams, "ann", 9)) == 2  # three each: then nobody gains by coming again
    assert [stream.displaced.is_set() for stream in greedy] == [True] * 3 + [False] * 3
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
        stream = streams.opened(str(number), where)
        open_now = [entry for entry in [*open_now, stream] if entry is not None and not entry.displaced.is_set()]
        assert len(open_now) <= most
        shares = Counter(entry.where for entry in open_now)
        if stream is None:  # refused: then no place has two more
            assert len(open_now) == most
            assert max(shares.values()) - shares[where] < 2


async def test_whoever_gives_way_stops_at_once() -> None:
    streams = streams_of(2)
    first, second = crowd(streams, "greedy", 2)
    assert await first.rest(0.01)
    assert crowd(streams, "ann", 1)
    assert not await first.rest(60)
    assert await second.rest(0.01)


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
