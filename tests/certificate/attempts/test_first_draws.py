"""Which answers on record an attempt may rest on: none by which its questions, or its claim, may have been chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import Guesser, of, tasks
from tests.validity.test_selected import CLAIMS, Claim, RememberingCandidate, wrong_verdict
from vivavoce.certificate.attempts.log import payment_notice
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.design.drawing import Endurance
from vivavoce.errors import OtherTerms
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.listed_and_endless import ListedScope

ALL = tasks(20)
SOME = replace(ALL, name="some", questions=ALL.questions[:5])
HALF = Criterion(0.5, None)
PLAIN, ONCE = Composition(), Composition(draws=Draws(1))


@pytest.fixture
def record() -> Iterator[Transcript]:
    with Transcript.open(None) as transcript:
        yield transcript


@pytest.fixture
def messages() -> Iterator[list[str]]:
    texts: list[str] = []
    before = payment_notice.set(texts.append)
    yield texts
    payment_notice.reset(before)


async def examined(candidate: Guesser, scope: ListedScope, record: Transcript, by: Composition = PLAIN) -> list[int]:
    """The draws that one examination of a whole list took, or as many with replacement."""
    asked = interview(candidate, transcript=record)
    whole = replace(by, endurance=Endurance(scope.size))
    await certify(asked, scope, Criterion(1e-9, None, 1e-9), whole, seed=1, questions=scope.size, again=True)
    taken = set(asked.handed_out)
    return sorted(entry.draw for entry in record.records(candidate=candidate.name) if entry.seq in taken)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_list_made_of_answers_shows_nothing(claim: Claim) -> None:
    # read again, thirty answers of one kind are enough for any claim; asked again they are halves
    assert all(wrong_verdict(claim, "by answers", reread=True, seed=seed) for seed in range(3))
    assert sum(wrong_verdict(claim, "by answers", reread=False, seed=seed) for seed in range(8)) <= 1


async def test_the_same_list_keeps_its_draw_and_another_has_one_of_its_own(record: Transcript, messages: list[str]) -> None:
    coin = of(ALL, 0.5)
    assert await examined(coin, ALL, record) == [0] * 20
    assert not messages
    assert await examined(coin, SOME, record) == [1] * 5
    assert messages == [
        "5 questions that test:unsure has answered are asked, and paid for, again: they may have been chosen by its answers."
    ]
    # either list was settled before its own answers were given
    assert await examined(coin, SOME, record) == [1] * 5
    assert await examined(coin, ALL, record) == [0] * 20
    assert len(messages) == 1
    assert coin.asked.total() == 25


async def test_probabilities_have_answers_that_nobody_has_seen(record: Transcript, messages: list[str]) -> None:
    coin = of(SOME, 0.5)
    await examined(coin, SOME, record)
    first = await examined(coin, SOME, record, ONCE)
    assert min(first) == 1
    second = await examined(coin, SOME, record, ONCE)
    assert min(second) == max(first) + 1
    assert messages[0].startswith("5 questions ")
    assert coin.asked.total() == 15


async def test_an_attempt_that_goes_on_keeps_its_draws(record: Transcript) -> None:
    coin, strict = of(SOME, 0.5), Criterion(0.5, None, 1e-9)
    await examined(coin, SOME, record)
    for most in (2, 5):
        await certify(interview(coin, transcript=record), SOME, strict, ONCE, seed=2, questions=most, again=most == 2)
    assert coin.asked.total() == 10


async def test_who_says_the_same_each_time_is_not_asked_again(record: Transcript, messages: list[str]) -> None:
    same = RememberingCandidate(of(ALL, 0.5).p)
    assert await examined(same, ALL, record) == [0] * 20
    assert await examined(same, SOME, record) == [0] * 5
    assert not messages
    assert len(list(record.records(candidate=same.name))) == 20


async def test_each_of_those_compared_has_a_first_draw_of_its_own(record: Transcript) -> None:
    coin, other = of(ALL, 0.5), of(ALL, 0.5, name="test:other", seed=1)
    await examined(coin, ALL, record)
    both = [interview(unsure, transcript=record) for unsure in (other, coin)]
    comparison = await compare(both, SOME, ComparisonConfig(seed=1, margin=0))
    assert comparison.attempt is not None
    assert comparison.attempt.held.first_draws == {"test:unsure": 1}
    assert [len(list(record.records(candidate=unsure.name))) for unsure in (coin, other)] == [25, 5]
    # a comparison of the whole list has the answers of its certificate
    await compare(both, ALL, ComparisonConfig(seed=1, margin=0))
    assert len(list(record.records(candidate=coin.name))) == 25


async def test_what_an_edited_list_costs_is_said_before_it_is_asked(record: Transcript) -> None:
    coin = of(ALL, 0.5)
    await certify(interview(coin, transcript=record), ALL, HALF, seed=1, questions=4)
    edited = replace(ALL, questions=(replace(ALL.questions[0], accepted=("B",)), *ALL.questions[1:]))
    with pytest.raises(OtherTerms, match="4 questions that test:unsure has answered are asked, and paid for, again"):
        await certify(interview(coin, transcript=record), edited, HALF, seed=1, questions=4)
    assert coin.asked.total() == 4
