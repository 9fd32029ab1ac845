"""Attempts on record: their log, and the first draw of each question."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from math import log, pi
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import Expert, interview, scope
from tests.certificate.claims.unsure import Guesser, of, tasks
from tests.validity.test_selected import CLAIMS, Claim, RememberingCandidate, wrong_verdict
from vivavoce.certificate.attempts.attempt import AttemptTerms, RecordedAttempt, counted, delta_of
from vivavoce.certificate.attempts.log import attempts, begin, payment_notice, terms_of
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.design.drawing import Endurance
from vivavoce.errors import BadInput, OtherTerms, TranscriptDamaged
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.listed_and_endless import ListedScope

GRADE_ONLY = Criterion(0.7, None)
SCOPES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123")), min_size=1, max_size=3)


def test_delta_is_spent_and_no_more() -> None:
    # .95 + .05 (6 / pi^2) (1 + 1/4 + 1/9 + ...), of which the first 100,000 terms leave out about .05 (6 / pi^2) / 100,000
    whole = sum(delta_of(1.0, k) for k in range(1, 100_002))
    assert whole == pytest.approx(1 - 0.05 * 6 / pi**2 / 100_000, abs=1e-10)
    assert [round(delta_of(0.05, k), 7) for k in (1, 2, 3)] == [0.0475, 0.0015198, 0.00038]


@given(st.lists(SCOPES, max_size=30))
def test_over_every_title_and_every_digest_the_shares_add_up_to_at_most_one(examined: list[list[tuple[str, str]]]) -> None:
    held: list[RecordedAttempt] = []
    for scopes in examined:
        terms = AttemptTerms("certificate", "test:x", tuple(scopes), {"delta": 0.05})
        number = counted(terms, held)
        held.append(RecordedAttempt(number, delta_of(1.0, number), terms, "", len(held)))
    for index in (0, 1):
        for name in {pair[index] for scopes in examined for pair in scopes}:
            spent = [attempt.delta for attempt in held if any(pair[index] == name for pair in attempt.terms.scopes)]
            assert sum(spent) <= 1
    other = AttemptTerms("certificate", "test:y", (("a", "1"),), {"delta": 0.05})
    assert counted(other, held) == 1


async def test_of_two_that_begin_at_once_one_attempt_and_one_seed_stand(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as entry, Transcript.open(tmp_path / "t.sqlite") as two:
        runs = [interview(Expert(0.9), transcript=transcript) for transcript in (entry, two)]
        terms = terms_of("certificate", runs[0], [scope(500)], GRADE_ONLY, seed=None)
        result = await asyncio.gather(*(begin(run, terms, [scope(500)], again=False) for run in runs))
        assert len(attempts(entry, "test:knows")) == 1
        assert sum(record.topic.startswith("commitment/seed") for record in entry.records()) == 1
        assert result[0] == result[1]
        assert result[0].seed == result[1].seed


async def test_two_other_attempts_at_once_have_numbers_of_their_own() -> None:
    with Transcript.open(None) as transcript:
        asking = interview(Expert(0.9), transcript=transcript)
        terms = [terms_of("certificate", asking, [scope(500)], GRADE_ONLY, seed=seed) for seed in range(4)]
        attempts = await asyncio.gather(*(begin(asking, term, [scope(500)], again=True) for term in terms))
        assert sorted(attempt.number for attempt in attempts) == [1, 2, 3, 4]


async def test_drawn_seeds_differ_from_record_to_record() -> None:
    seeds = [(await certify(interview(Expert(1.0)), scope(500), GRADE_ONLY)).signature.seed for _ in range(3)]
    assert len(set(seeds)) == 3


async def test_a_list_is_an_attempt_on_each_of_its_scopes() -> None:
    listed_scope, other = scope(500), replace(scope(400), name="others")
    with Transcript.open(None) as transcript:
        asking = interview(Expert(0.9), transcript=transcript)
        assert (await certify(asking, [listed_scope, other], GRADE_ONLY, seed=0)).attempt is not None
        for single in (listed_scope, other):
            with pytest.raises(OtherTerms):
                await certify(asking, single, GRADE_ONLY, seed=0)
            certificate = await certify(asking, single, GRADE_ONLY, seed=0, again=True)
            assert certificate.attempt is not None
            assert certificate.attempt.number == 2
        both = await certify(asking, [listed_scope, other], GRADE_ONLY, seed=1, again=True)
        assert both.attempt is not None
        assert both.attempt.number == 3
        assert len(both.those(Verdict.PASS)) == 2
        assert both.thresholds[0] == pytest.approx(-log(delta_of(0.05, 3)))  # e-BH: both together need 1/delta each


async def test_an_interrupted_attempt_goes_on_even_when_asked_again() -> None:
    with Transcript.open(None) as transcript:
        asking = interview(Expert(0.9), transcript=transcript)
        terms = terms_of("certificate", asking, [scope(500)], GRADE_ONLY, seed=0)
        first = await begin(asking, terms, [scope(500)], again=True)
        assert (await begin(asking, terms, [scope(500)], again=True)).held == first.held


async def test_a_changed_number_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    with Transcript.open(file) as transcript:
        for seed in (0, 1):
            await certify(interview(Expert(0.9), transcript=transcript), scope(500), GRADE_ONLY, seed=seed, again=True)
    with sqlite3.connect(file) as raw:
        rows = raw.execute("SELECT seq, answer FROM transcript_records WHERE topic = 'attempts' AND draw = 1").fetchall()
        [(seq, answer)] = rows
        raw.execute(
            "UPDATE transcript_records SET answer = ? WHERE seq = ?", (json.dumps(json.loads(answer) | {"number": 1}), seq)
        )
    # a record as it is: a verified one tells of the altered record at once
    damaged = Transcript.open(file, verified=False)
    with damaged as transcript, pytest.raises(TranscriptDamaged, match="but it comes 2 in order"):
        await certify(interview(Expert(0.9), transcript=transcript), scope(500), GRADE_ONLY, seed=1)


def test_the_examiners_own_name_is_no_candidates() -> None:
    with pytest.raises(BadInput, match="reserved for the examiner"):
        interview(Expert(0.9, name="vivavoce"))


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


@pytest.mark.long
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
