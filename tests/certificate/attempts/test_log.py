"""Attempts in the record: what they are, how delta is spent over them, and what nobody can change without its being seen."""

import asyncio
import json
import sqlite3
from dataclasses import replace
from math import log, pi
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import Expert, interview, scope
from vivavoce.certificate.attempts.attempt import AttemptTerms, RecordedAttempt, counted, delta_of
from vivavoce.certificate.attempts.log import attempts, begin, terms_of
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.errors import BadInput, OtherTerms, TranscriptDamaged
from vivavoce.interview.transcript import Transcript

GRADE_ONLY = Criterion(0.7, None)
SCOPES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123")), min_size=1, max_size=3)


def test_delta_is_spent_and_no_more() -> None:
    # .9 + .1 (6 / pi^2) (1 + 1/4 + 1/9 + ...), of which the first 100,000 terms leave out about .1 (6 / pi^2) / 100,000
    whole = sum(delta_of(1.0, k) for k in range(1, 100_002))
    assert whole == pytest.approx(1 - 0.1 * 6 / pi**2 / 100_000, abs=1e-10)
    assert [round(delta_of(0.05, k), 7) for k in (1, 2, 3)] == [0.045, 0.0030396, 0.0007599]


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
    with damaged as transcript, pytest.raises(TranscriptDamaged, match="by its place it is attempt 2"):
        await certify(interview(Expert(0.9), transcript=transcript), scope(500), GRADE_ONLY, seed=1)


def test_the_examiners_own_name_is_no_candidates() -> None:
    with pytest.raises(BadInput, match="examiner's own"):
        interview(Expert(0.9, name="vivavoce"))
