"""Certificates by batch: the same as one by one, in few blocks, of which few answers are not needed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interview.candidates import Actor
from tests.interview.test_batched import ScriptedVendor, interview
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.claims.draws import Draws
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope

CRITERION = Criterion(0.7, None)


def said(question: Prompt, *, share: int) -> str:
    """Right but for one question of so many; every ninth reply cannot be read at first."""
    number = int(question.id.removeprefix("q").split("/")[0])
    if number % 9 == 0 and not question.shown:
        return "Well."
    return f"Answer: {number + 1 if number % share else 0}"


def sums(size: int, *, cluster: int = 1, weight: bool = False) -> Any:
    rows = [{"id": f"q{n}", "question": f"What is {n} + 1?", "answer": n + 1} for n in range(1, size + 1)]
    for index, row in enumerate(rows):
        row |= {"cluster": f"c{index // cluster}"} if cluster > 1 else {}
        row |= {"weight": 1 + index % 2} if weight else {}
    return open_scope(rows, name="sums")


async def both_ways(
    subject: Any, composition: Composition, *, share: int, **more: Any
) -> tuple[Any, Any, ScriptedVendor, Interview[Prompt, Reply]]:
    """The findings by batch and one by one, and who was asked by batch."""

    async def one_by_one(question: Prompt) -> str:
        return said(question, share=share)

    vendor, direct = ScriptedVendor(lambda question, _: Reply(said(question, share=share))), Actor(one_by_one)
    direct.name = vendor.name
    direct.ways = vendor.ways  # type: ignore[attr-defined]
    by_batch, apart = interview(vendor), Interview(direct, answers=Reply)
    result = await certify(by_batch, subject, CRITERION, composition, seed=3, **more)
    return result, await certify(apart, subject, CRITERION, composition, seed=3, **more), vendor, by_batch


@pytest.mark.long
@pytest.mark.parametrize("share", [2, 4, 10, 1_000])
async def test_blocks_change_nothing_but_what_is_drawn_in_vain(share: int) -> None:
    result, apart, vendor, asked = await both_ways(sums(900), Composition(), share=share)
    assert {**result.as_json(), "signature": None} == {**apart.as_json(), "signature": None}
    account = asked.transcript.by_batch
    assert account is not None
    assert result.questions <= account.asked < 2.25 * result.questions + 40  # a block, and one more behind second turns
    assert len(vendor.asked) <= 14


async def test_clusters_and_repeated_draws_are_counted_in_questions() -> None:
    for subject, composition, more in (
        (sums(300, cluster=3), Composition(), {}),
        (sums(100), Composition(draws=Draws(5)), {"questions": 60}),
    ):
        result, apart, vendor, _ = await both_ways(subject, composition, share=1_000, **more)
        assert result.verdict == apart.verdict
        assert len(vendor.asked) <= 5


async def test_a_fixed_number_is_asked_at_once() -> None:
    result, _, vendor, _ = await both_ways(sums(300), Composition(procedure="fixed"), share=5, questions=120)
    assert result.questions == 120
    first, further = vendor.asked
    assert len(first) == 120
    assert 0 < len(further) < 20  # the second turns


class DeclaredVendor(ScriptedVendor):
    declared_deterministic = True


@pytest.mark.parametrize(("number", "again"), [(60, 6), (150, 10)])
async def test_what_tests_a_declaration_goes_in_one_batch(number: int, again: int) -> None:
    vendor = DeclaredVendor(lambda question, _: Reply("Answer: 7"))
    result = await certify(interview(vendor), sums(300), CRITERION, Composition(procedure="fixed"), seed=3, questions=number)
    assert result.questions == number
    assert [len(batch) for batch in vendor.asked] == [number, again]
    assert list(vendor.paid.values()).count(2) == again


async def test_two_verdicts_on_the_same_answers_ask_what_the_later_one_needs() -> None:
    result, apart, vendor, _ = await both_ways(deployment_of(sums(200, weight=True)), Composition(), share=1_000)
    assert result.verdicts == apart.verdicts
    assert len(vendor.asked) <= 6
