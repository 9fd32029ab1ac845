"""Who plays with whom: by one lot at a tick, with the chances that the documentation states."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.luna.matching import FORGOTTEN, PATIENCE, PRESENT, Pair, WaitingPlayer, draw_pairs

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUSE = WaitingPlayer("house", human=False, since=NOW, seen=NOW)


def person(name: str, *, waits: float = 0, absent: float = 0, **more: object) -> WaitingPlayer:
    waiting = WaitingPlayer(name, human=True, since=NOW - waits * SECOND, seen=NOW - absent * SECOND)
    return replace(waiting, **more)  # type: ignore[arg-type]


def machine(name: str = "bot", **more: object) -> WaitingPlayer:
    return replace(WaitingPlayer(name, human=False, since=NOW, seen=NOW), **more)  # type: ignore[arg-type]


def drawn(*waiting: WaitingPlayer, seed: int = 0, house: WaitingPlayer | None = None) -> list[Pair]:
    return draw_pairs(waiting, NOW, random.Random(seed), house=house)


def names(pairs: list[Pair]) -> set[frozenset[str]]:
    return {frozenset(player.player for player in pair) for pair in pairs}


def share_against_machines(people: int, draws: int = 4_000) -> float:
    rng = random.Random(people)
    waiting = [person(f"p{number}") for number in range(people)]
    rows = [draw_pairs(waiting, NOW, rng, house=HOUSE) for _ in range(draws)]
    return sum(not other.human for pairs in rows for _, other in pairs) / (draws * people)


@each_case(("people", "chance"), [(1, 1.0), (2, 0.5), (3, 0.5 + 0.5 / 3), (4, 0.5), (5, 0.5 + 0.5 / 5)])
def test_the_chance_of_a_machine_is_the_one_that_is_stated(people: int, chance: float) -> None:
    # 4 000 draws: pairs within one draw go together, so the deviation is at most that of 4 000 independent ones
    deviation = sqrt(chance * (1 - chance) / 4_000)
    assert share_against_machines(people) == pytest.approx(chance, abs=4 * deviation + 1e-12)


def test_each_person_is_as_likely_to_play_a_machine_as_the_other() -> None:
    rng = random.Random(1)
    waiting = [person("first", waits=99), person("second", waits=3), person("third")]
    counts: Counter[str] = Counter()
    for _ in range(3_000):
        counts.update(player.player for player, other in draw_pairs(waiting, NOW, rng, house=HOUSE) if not other.human)
    # each with probability 2/3: 2 000, standard deviation 26
    assert all(abs(counts[name] - 2_000) < 4 * 26 for name in ("first", "second", "third"))


def test_who_is_alone_gets_a_machine_at_once() -> None:
    assert names(drawn(person("ann"), machine())) == {frozenset({"ann", "bot"})}
    assert names(drawn(person("ann"), house=HOUSE)) == {frozenset({"ann", "house"})}
    assert drawn(person("ann")) == []
    assert drawn(machine(), machine("other")) == []


def test_the_house_plays_where_no_other_machine_is_left() -> None:
    pairs = next(
        rows for seed in range(99) if len(rows := drawn(person("a"), person("b"), machine(), seed=seed, house=HOUSE)) == 2
    )
    assert {other.player for _, other in pairs} == {"bot", "house"}


def test_no_pair_is_taken_apart_for_one_machine_alone() -> None:
    assert all(names(drawn(person("a"), person("b"), machine(), seed=seed)) == {frozenset("ab")} for seed in range(20))


def test_who_refuses_machines_is_paired_with_people_alone() -> None:
    strict = person("strict", machines_may_step_in=False)
    assert drawn(strict, house=HOUSE) == []
    for seed in range(20):
        texts = names(drawn(strict, person("a"), person("b"), seed=seed, house=HOUSE))
        assert not any(pair == frozenset({"strict", "house"}) for pair in texts)
        assert any("strict" in pair for pair in texts)  # an odd number: who is left over is one of the others


def test_whoever_was_met_least_comes_first() -> None:
    ann = person("ann", met={"bob": 1}, machines_may_step_in=False)
    for seed in range(20):
        assert frozenset({"ann", "eve"}) in names(drawn(ann, person("bob"), person("eve"), seed=seed))
        assert names(drawn(ann, person("bob"), seed=seed)) == {frozenset({"ann", "bob"})}  # better the same than nobody


def test_machines_that_are_not_here_do_not_play() -> None:
    assert drawn(person("ann"), machine(seen=NOW - PRESENT)) == []


def test_without_any_machine_somebody_who_is_not_here_is_the_last_resort() -> None:
    gone, mailed = person("bob", absent=3600), person("eve", absent=7200, mail=True)
    tired = person("ann", waits=PATIENCE.total_seconds())
    assert drawn(person("ann"), gone, mailed) == []
    assert names(drawn(tired, gone, mailed)) == {frozenset({"ann", "eve"})}
    assert names(drawn(tired, gone)) == {frozenset({"ann", "bob"})}
    assert drawn(tired, person("bob", absent=FORGOTTEN.total_seconds())) == []
    assert names(drawn(tired, gone, machine())) == {frozenset({"ann", "bot"})}
    assert names(drawn(replace(tired, machines_may_step_in=False), gone, house=HOUSE)) == {frozenset({"ann", "bob"})}
    assert drawn(person("ann", waits=999, absent=999, mail=True), person("bob", waits=999, absent=999, mail=True)) == []


WAITING = st.builds(
    WaitingPlayer,
    player=st.sampled_from("abcdefgh"),
    human=st.booleans(),
    since=st.integers(0, 60).map(lambda seconds: NOW - seconds * SECOND),
    seen=st.integers(0, 300).map(lambda seconds: NOW - seconds * SECOND),
    machines_may_step_in=st.booleans(),
    mail=st.booleans(),
    met=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 3)),
)


@settings(max_examples=50)
@given(st.lists(WAITING, unique_by=lambda entry: entry.player), st.integers(0, 9), st.booleans())
def test_pairs_are_sound_and_leave_nobody_who_could_play(waiting: list[WaitingPlayer], seed: int, house: bool) -> None:
    n = drawn(*waiting, seed=seed, house=HOUSE if house else None)
    players = [player.player for pair in n for player in pair if player.player != "house"]
    assert len(players) == len(set(players))
    for player, other in n:
        assert player.human
        assert player.present(NOW)
        if not other.human:
            assert player.machines_may_step_in
            assert other.present(NOW)
    left = [player for player in waiting if player.human and player.present(NOW) and player.player not in players]
    assert len(left) <= 1
    if house:
        assert not any(player.machines_may_step_in for player in left)


@given(st.lists(WAITING, unique_by=lambda entry: entry.player), st.randoms())
@settings(max_examples=25)
def test_the_order_of_the_list_does_not_matter(waiting: list[WaitingPlayer], rng: random.Random) -> None:
    shuffled = list(waiting)
    rng.shuffle(shuffled)
    assert drawn(*waiting) == drawn(*shuffled)
