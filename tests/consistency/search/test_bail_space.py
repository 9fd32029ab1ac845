"""Records of defendants as a space: every pair is truly ordered, and planted contradictions are found and shrunk."""

from __future__ import annotations

import asyncio
import re

import numpy as np
import pytest

from tests.consistency.legal.bail.judges import made_up
from vivavoce.consistency.legal.bail.defendants import Degree
from vivavoce.consistency.search.breeding import Breeder
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.examine import search
from vivavoce.consistency.search.genome import Genome
from vivavoce.consistency.search.spaces.bail import AGE, Defendants, defendants_space
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview


def space(cases: int = 40) -> Defendants:
    return defendants_space(made_up(60), cases=cases, seed=3)


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"(?:convictions|charges): (\d+)", text)]


class Judge:
    """Adds up; old felons with a juvenile felony are let go whatever else they did."""

    name = "test:judge"

    def __init__(self, *, soft: bool) -> None:
        self.soft = soft

    async def answer(self, question: Prompt, /) -> Reply:
        text = question.text
        felony, age = "It is a felony" in text, int(re.findall(r"Age: (\d+)", text)[0])
        if self.soft and felony and age >= 50 and numbers(text)[1]:
            return Reply("Answer: YES")
        return Reply(f"Answer: {'YES' if 3 * felony + sum(numbers(text)) < 5 else 'NO'}")


def test_every_pair_is_one_person_and_one_record_is_truly_more_severe() -> None:
    drawn = space()
    breeder = Breeder(drawn, np.random.default_rng(0), np.random.default_rng(1))
    felonies = 0
    for _ in range(400):
        genome = breeder.fresh()
        assert genome is not None
        milder, severe = drawn.pose(genome)
        person, other = ([line for line in one.shown.splitlines() if line.startswith("Sex")] for one in (milder, severe))
        assert person == other
        before, after = numbers(milder.shown), numbers(severe.shown)
        degrees = ["felony" in re.findall(r"It is a (\w+)", one.shown) for one in (milder, severe)]
        assert degrees[0] <= degrees[1]
        assert all(x <= y for x, y in zip(before, after, strict=True))
        assert (degrees, before) != (degrees[::-1], after)
        felonies += degrees[0] < degrees[1]
        assert milder.prompt != severe.prompt
    assert felonies > 50


def test_what_changes_nothing_is_no_attempt() -> None:
    drawn = space()
    names = [gene.name for gene in drawn.genes]
    nothing = tuple(0 for _ in names)
    assert drawn.pose(Genome(0, nothing)) == ()
    assert drawn.pose(Genome(0, nothing).with_value(names.index(AGE), 1)) == ()


def test_equal_records_are_one_question_whoever_they_were_made_from() -> None:
    drawn = space()
    seen: dict[str, Prompt] = {}
    for case in range(len(drawn.cases)):
        for posed in drawn.pose(Genome(case, tuple(1 for _ in drawn.genes))):
            assert seen.setdefault(posed.shown, posed.prompt) == posed.prompt


@pytest.mark.parametrize("soft", [True, False])
def test_the_blind_spot_is_found_and_shrunk(soft: bool) -> None:
    config = ContradictionSearchConfig(calls=800, cases=40)
    interview = Interview(Judge(soft=soft), answers=Reply)
    found = asyncio.run(search(interview, space(), config))
    assert bool(found.contradictions) is soft
    assert any("lawful or fair" in caveat for caveat in found.caveats)
    for one in found.contradictions:
        milder, severe = one.sides
        assert (milder.answers, severe.answers, one.strength) == ({"NO": 5}, {"YES": 5}, 1.0)
        steps = [value for name, value in one.changes if name != AGE]
        assert steps
        assert "It is a felony" in severe.question
        assert numbers(severe.question)[1]


def test_charges_are_of_one_degree_only() -> None:
    drawn = space()
    assert set(drawn.charges[Degree.FELONY]).isdisjoint(drawn.charges[Degree.MISDEMEANOUR])
