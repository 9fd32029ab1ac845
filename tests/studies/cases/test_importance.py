from __future__ import annotations

import numpy as np
import pytest

from vivavoce.consistency.legal.judges import JudgeReply, drawn, eligible, importance_of, most_important
from vivavoce.errors import BadInput
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase

WEIGHTS = {"a": 0.1, "b": 0.4, "c": -0.2, "d": 0.0}


async def ask(case: FactCase) -> JudgeReply:
    """The probability is half and the sum of the weights; one that lacks c cannot be had."""
    if "c" not in case.facts:
        return JudgeReply(None, "no answer: time-out")
    return JudgeReply(CaseJudgement(0.5 + sum(WEIGHTS[fact] for fact in case.facts)))


WHOLE = FactCase(("a", "b", "c", "d"))


async def test_leaving_one_out_gives_the_size_of_what_it_adds() -> None:
    values, by = await importance_of(WHOLE, CaseJudgement(0.8), [0, 1, 2, 3], method="auto", ask=ask)
    assert values == pytest.approx({0: 0.1, 1: 0.4, 3: 0.0})  # of c nothing is known
    assert by == "leave-one-out"


async def test_what_the_classifier_says_comes_first_unless_it_is_not_wanted() -> None:
    judgement = CaseJudgement(0.8, (0.0, 0.2, 0.7, 0.1))
    assert await importance_of(WHOLE, judgement, [1, 3], method="auto", ask=ask) == ({1: 0.2, 3: 0.1}, "attention")
    assert (await importance_of(WHOLE, judgement, [1, 3], method="leave-one-out", ask=ask))[1] == "leave-one-out"


@pytest.mark.parametrize("numbers", [None, (0.1, 0.2)])
async def test_without_a_number_for_each_fact_there_is_no_attention(numbers: tuple[float, ...] | None) -> None:
    with pytest.raises(BadInput, match="--importance leave-one-out"):
        await importance_of(WHOLE, CaseJudgement(0.8, numbers), [1], method="attention", ask=ask)
    assert (await importance_of(WHOLE, CaseJudgement(0.8, numbers), [1], method="auto", ask=ask))[1] == "leave-one-out"


async def test_an_only_fact_is_not_left_out() -> None:
    assert (await importance_of(FactCase(("x",)), CaseJudgement(0.8), [0], method="auto", ask=ask))[0] == {0: 0.0}


def test_short_facts_and_the_first_stay_as_they_are() -> None:
    facts = ["x" * 120, "x" * 119, "x" * 120, "x" * 500]
    assert eligible(facts, shortest=120) == [2, 3]
    assert eligible(facts, shortest=0) == [1, 2, 3]


def test_equals_are_chosen_by_lot_and_all_of_them_sometimes() -> None:
    rng = np.random.default_rng(0)
    assert {most_important({1: 0.5, 2: 0.5, 3: 0.1}, rng) for _ in range(50)} == {1, 2}
    assert sorted(drawn([4, 7, 9], 10, rng)) == [4, 7, 9]
    assert len(set(drawn(range(10), 4, rng))) == 4
