"""Whom to pair: who is here and quick first, never oneself, machines only where they are allowed and after a while."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.luna.matching import FORGOTTEN, LONGEST_PATIENCE, PRESENT, Waiting, pairs, partner

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def person(player: str, *, waits: float = 0, absent: float = 0, **more: object) -> Waiting:
    """Somebody who has waited, and was not seen, for so many seconds."""
    return replace(Waiting(player, True, NOW - waits * SECOND, NOW - absent * SECOND), **more)  # type: ignore[arg-type]


def machine(player: str = "bot", **more: object) -> Waiting:
    return replace(Waiting(player, False, NOW, NOW), **more)  # type: ignore[arg-type]


def chosen(seeker: Waiting, *others: Waiting) -> str | None:
    found = partner(seeker, others, NOW)
    return None if found is None else found.player


ANN = person("ann")
TIRED = person("ann", waits=30)


def test_never_oneself_and_never_nobody() -> None:
    assert chosen(TIRED) is None
    assert chosen(TIRED, TIRED) is None


def test_people_who_are_here_at_once() -> None:
    assert chosen(ANN, person("bob")) == "bob"
    assert chosen(ANN, machine(), person("bob", absent=1000, mail=True), person("eve", absent=119)) == "eve"


def test_the_quicker_and_among_equals_who_waited_longer() -> None:
    assert chosen(ANN, person("bob", seconds_a_move=200.0), person("eve", seconds_a_move=100.0)) == "eve"
    assert chosen(ANN, person("bob"), person("eve", seconds_a_move=299.0), person("kim", seconds_a_move=301.0)) == "eve"
    assert chosen(ANN, person("bob", waits=5), person("eve", waits=9)) == "eve"


def test_a_new_opponent_even_if_slower() -> None:
    ann = replace(ANN, met={"bob": 2, "eve": 1})
    others = (person("bob", seconds_a_move=1.0), person("eve", seconds_a_move=2.0))
    assert chosen(ann, *others, person("kim", seconds_a_move=999.0)) == "kim"
    assert chosen(ann, *others) == "eve"  # better the same again than nobody
    assert chosen(ann, others[0]) == "bob"


def test_a_machine_after_a_while_if_it_is_allowed() -> None:
    assert chosen(ANN, machine()) is None
    assert chosen(TIRED, machine()) == "bot"
    assert chosen(replace(TIRED, patience=31 * SECOND), machine()) is None
    assert chosen(replace(TIRED, machines_may_step_in=False), machine()) is None
    assert chosen(TIRED, machine(seen=NOW - PRESENT)) is None  # it has crashed
    assert chosen(TIRED, machine(), person("bob", absent=1000, mail=True)) == "bot"  # rather than somebody who is not here


def test_the_same_rules_when_the_machine_looks() -> None:
    assert chosen(machine(), person("bob")) is None
    assert chosen(machine(), person("bob", waits=30)) == "bob"
    assert chosen(machine(), person("bob", waits=30, machines_may_step_in=False)) is None
    assert chosen(machine(), person("bob", waits=999, absent=999)) is None
    assert chosen(machine(), machine("other")) is None


def test_somebody_who_is_not_here_as_a_last_resort() -> None:
    gone, mailed = person("bob", absent=3600), person("eve", absent=7200, mail=True)
    assert chosen(ANN, gone, mailed) is None
    assert chosen(TIRED, gone, mailed) == "eve"
    assert chosen(TIRED, gone) == "bob"
    assert chosen(TIRED, person("bob", absent=FORGOTTEN.total_seconds())) is None
    assert chosen(replace(TIRED, machines_may_step_in=False), gone, machine()) == "bob"


def test_pairs_let_the_longest_waiting_choose() -> None:
    found = pairs([person("ann", waits=1), person("bob", waits=3), person("eve", waits=2), machine()], NOW)
    assert [(one.player, other.player) for one, other in found] == [("bob", "eve")]


def test_two_who_are_not_here_are_not_paired() -> None:
    assert pairs([person("ann", waits=999, absent=999, mail=True), person("bob", waits=999, absent=999, mail=True)], NOW) == []


WAITING = st.builds(
    Waiting,
    player=st.sampled_from("abcdefgh"),
    human=st.booleans(),
    since=st.integers(0, 60).map(lambda seconds: NOW - seconds * SECOND),
    seen=st.integers(0, 300).map(lambda seconds: NOW - seconds * SECOND),
    patience=st.integers(0, 30).map(lambda seconds: seconds * SECOND),
    seconds_a_move=st.none() | st.floats(1, 1000),
    machines_may_step_in=st.booleans(),
    mail=st.booleans(),
    met=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 3)),
)


@settings(max_examples=25)
@given(st.lists(WAITING, unique_by=lambda one: one.player))
def test_pairs_are_sound_and_leave_no_two_who_could_play(waiting: list[Waiting]) -> None:
    found = pairs(waiting, NOW)
    players = [one.player for pair in found for one in pair]
    assert len(players) == len(set(players))
    for seeker, other in found:
        assert seeker.present(NOW)
        assert seeker.human
        if not other.human:
            assert seeker.machines_may_step_in
            assert other.present(NOW)
            assert NOW - seeker.since >= seeker.patience
    left = [one for one in waiting if one.player not in players]
    here = [one for one in left if one.human and one.present(NOW)]
    assert len(here) <= 1
    assert all(partner(one, left, NOW) is None for one in here)


@settings(max_examples=25)
@given(st.lists(WAITING, unique_by=lambda one: one.player), st.randoms())
def test_the_order_of_the_list_does_not_matter(waiting: list[Waiting], rng: object) -> None:
    shuffled = list(waiting)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert pairs(waiting, NOW) == pairs(shuffled, NOW)


@pytest.mark.parametrize("seconds", [0, 15, 30])
def test_patience_runs_out_when_it_is_said(seconds: int) -> None:
    ann = person("ann", patience=seconds * SECOND)
    assert ann.patience <= LONGEST_PATIENCE
    before = partner(ann, [machine()], NOW + seconds * SECOND - timedelta(microseconds=1))
    assert before is None
    assert partner(ann, [machine()], NOW + seconds * SECOND) is not None
