"""Connections for news are shared fairly: whoever takes most of them gives way to others."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.web.events import PER_PLAYER, Stream, Streams


def streams_of(most: int) -> Streams:
    """Room for so many, and nobody who is told of who has gone."""
    return Streams(lambda player, at: None, most=most)


def crowd(streams: Streams, where: str, count: int) -> list[Stream]:
    """So many connections of players of their own."""
    found = [streams.opened(f"{where} {number}", where) for number in range(count)]
    return [stream for stream in found if stream is not None]


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
        open_now = [one for one in [*open_now, stream] if one is not None and not one.displaced.is_set()]
        assert len(open_now) <= most
        shares = Counter(one.where for one in open_now)
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
