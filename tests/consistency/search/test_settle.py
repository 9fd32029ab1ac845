"""Shrinking and confirming, by hand: which trials are asked, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.search.asker import Sides, Trial
from vivavoce.consistency.search.genome import Gene, Genome, Posed, Said, smaller
from vivavoce.consistency.search.settle import Settled, settle
from vivavoce.interview.candidate import Prompt

GENES = tuple(Gene(name, ("1", "2", "3"), ordered=name == "d") for name in "abcd")


@dataclass(frozen=True)
class Numbers:
    """Two numbers, the first of which must not be the smaller one."""

    title: str = "numbers"
    law: str = ""
    caveats: tuple[str, ...] = ()
    genes: tuple[Gene, ...] = GENES
    cases: tuple[str, ...] = ("only",)
    settings: Mapping[str, object] = field(default_factory=dict)

    def pose(self, genome: Genome) -> tuple[Posed, ...]:
        if not genome.active:
            return ()
        return tuple(Posed(name, Prompt(f"{name} {genome.values}"), float, name) for name in ("first", "second"))

    def strength(self, genome: Genome, said: Sequence[Said]) -> float:
        return max(0.0, float(said[1]) - float(said[0]))

    def contradicts(self, genome: Genome, said: Sequence[Said]) -> bool:
        return self.strength(genome, said) > 0

    def features(self, genome: Genome) -> tuple[str, ...]:
        return ()


def settled(genome: Genome, answer: Callable[[Trial], Sides | None], draws: int = 3) -> tuple[Settled, list[Trial]]:
    steps = settle(Numbers(), genome, draws)
    asked = [next(steps)]
    while True:
        try:
            asked.append(steps.send(answer(asked[-1])))
        except StopIteration as ended:
            return ended.value, asked


def needs(*places: int) -> Callable[[Trial], Sides]:
    """Contradicts wherever all of these are changed."""
    return lambda trial: (0.0, 1.0 if set(places) <= set(trial.genome.active) else 0.0)


def test_it_is_asked_once_more_then_shrunk_then_confirmed() -> None:
    found, asked = settled(Genome(0, (1, 2, 0, 0)), needs(1))
    assert (found.status, found.shrunk) == ("confirmed", Genome(0, (0, 2, 0, 0)))
    assert found.said == ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    whole, less = Genome(0, (1, 2, 0, 0)), Genome(0, (0, 2, 0, 0))
    # without a; without b too there is nothing to ask; then three fresh draws
    assert asked == [Trial(whole, 1), Trial(less, 0), Trial(less, 1), Trial(less, 2), Trial(less, 3)]


def test_an_ordered_gene_is_made_as_small_as_it_can_be() -> None:
    def answer(trial: Trial) -> Sides:
        return (0.0, float(trial.genome.values[3] >= 2))

    found, _ = settled(Genome(0, (1, 0, 0, 3)), answer)
    assert found.shrunk == Genome(0, (0, 0, 0, 2))


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.sets(st.integers(0, 3), min_size=1))
def test_what_is_left_contradicts_and_nothing_can_go(values: list[int], places: set[int]) -> None:
    genome = Genome(0, tuple(values))
    answer = needs(*places)
    if not places <= set(genome.active):
        return
    found, asked = settled(genome, answer)
    assert found.status == "confirmed"
    assert answer(Trial(found.shrunk))[1]
    assert genome.active == tuple(sorted({*genome.active, *found.shrunk.active}))
    for less in smaller(GENES, found.shrunk):
        assert not Numbers().pose(less) or not answer(Trial(less))[1]
    assert len({trial for trial in asked if trial.draw == 0}) <= 2 * 4 * 4


def test_one_fresh_answer_that_fits_is_enough_to_refute() -> None:
    found, asked = settled(Genome(0, (1, 0, 0, 0)), lambda trial: (0.0, float(trial.draw != 2)))
    assert (found.status, found.said) == ("not confirmed", ())
    assert [trial.draw for trial in asked] == [1, 1, 2]


def test_every_combination_of_fresh_answers_must_contradict() -> None:
    """0 < 1 and 2 < 3 contradict, each in its draw; 2 and 1 across them fit."""
    said = {1: (0.0, 1.0), 2: (2.0, 3.0)}
    found, _ = settled(Genome(0, (1, 0, 0, 0)), lambda trial: said[trial.draw], draws=2)
    assert found.status == "not confirmed"


def test_a_coin_is_confirmed_as_often_as_said() -> None:
    """By hand: both answers to the one alike, and both to the other the opposite, in a set order: 1/16 of draws of two each."""
    rng = np.random.default_rng(6)
    runs = 4_000
    confirmed = sum(settled(Genome(0, (1, 0, 0, 0)), coin(rng), draws=2)[0].status == "confirmed" for _ in range(runs))
    assert abs(confirmed / runs - 1 / 16) < 3 * (1 / 16 * 15 / 16 / runs) ** 0.5


def coin(rng: np.random.Generator) -> Callable[[Trial], Sides]:
    """0 or 1 at random, the same for the same trial."""
    said: dict[Trial, Sides] = {}
    return lambda trial: said.setdefault(trial, (float(rng.integers(2)), float(rng.integers(2))))


def test_what_cannot_be_read_confirms_nothing_and_without_calls_nothing_is_settled() -> None:
    assert settled(Genome(0, (1, 0, 0, 0)), lambda trial: (None, 1.0))[0].status == "not confirmed"
    assert settled(Genome(0, (1, 0, 0, 0)), lambda trial: (0.0, None if trial.draw == 3 else 1.0))[0].status == "not confirmed"
    for last in range(4):
        found, _ = settled(Genome(0, (1, 1, 0, 0)), until(last))
        assert found.status == "unsettled"


def until(draw: int) -> Callable[[Trial], Sides | None]:
    """Contradicts, and cannot be paid from that draw on."""
    return lambda trial: None if trial.draw >= draw else (0.0, 1.0)
