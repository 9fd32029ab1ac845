"""Attempts on pairs of candidates: what is counted together, whoever else is compared, and which claims share their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.comparison.test_gate import CallCount, ListedErrors, scope
from vivavoce.certificate.attempts.attempt import AttemptTerms, RecordedAttempt, counted, delta_of
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import Gate, gate
from vivavoce.errors import OtherTerms
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

FIRST, SECOND, THIRD = (delta_of(0.05, number) for number in (1, 2, 3))


def interviews(candidates: Sequence[ListedErrors], transcript: Transcript) -> list[Interview[Prompt, Reply]]:
    return [Interview(candidate, answers=Reply, transcript=transcript) for candidate in candidates]


async def compared(transcript: Transcript, *candidates: ListedErrors, again: bool = False, **settings: float) -> Comparison:
    config = ComparisonConfig(**settings)  # type: ignore[arg-type]
    return await compare(interviews(candidates, transcript), scope(400), config, again=again)


async def gated(transcript: Transcript, *candidates: ListedErrors, **settings: float) -> Gate:
    return await gate(interviews(candidates, transcript), scope(400), GateConfig(**settings))  # type: ignore[arg-type]


def number_and_delta(finding: Comparison | Gate) -> tuple[int, float]:
    assert finding.attempt is not None
    return finding.attempt.number, finding.attempt.delta


@pytest.mark.long
async def test_whoever_else_is_compared_a_pair_has_its_attempts() -> None:
    a, b, c, d = ListedErrors("a", wrong=150), ListedErrors("b"), ListedErrors("c", wrong=5), ListedErrors("d", wrong=9)
    with Transcript.open(None) as transcript:
        assert number_and_delta(await compared(transcript, a, b)) == (1, FIRST)
        with pytest.raises(OtherTerms, match=r"candidates a vs\. b, now a vs\. b vs\. c"):
            await compared(transcript, a, b, c)
        assert number_and_delta(await compared(transcript, a, b, c, again=True)) == (2, SECOND)
        assert number_and_delta(await compared(transcript, d, b, a, again=True)) == (3, THIRD)
        assert number_and_delta(await compared(transcript, c, d, questions=20)) == (1, FIRST)
        again = await compared(transcript, b, a)
        assert number_and_delta(again) == (1, FIRST)  # the first one, which stands
        assert again.attempt is not None
        assert [attempt.number for attempt in again.attempt.others] == [2, 3]


@pytest.mark.parametrize("gate_first", [False, True])
async def test_comparison_and_gate_share_answers_and_attempt(gate_first: bool) -> None:
    new, old = CallCount("new", wrong=100), CallCount("old")
    with Transcript.open(None) as transcript:
        claims: list[Callable[[], Awaitable[Comparison | Gate]]] = [
            lambda: compared(transcript, new, old),
            lambda: gated(transcript, new, old),
        ]
        for claim in claims[::-1] if gate_first else claims:
            assert number_and_delta(await claim()) == (1, FIRST)
        asked = new.asked, old.asked
        for margin in (0.3, 0.01):
            assert number_and_delta(finding := await gated(transcript, new, old, margin=margin)) == (1, FIRST)
            assert finding.attempt is not None
            assert finding.attempt.others == ()
        assert (await gated(transcript, new, old)).verdict == "fail"
        assert (await compared(transcript, new, old)).verdict == "worse"
        assert (new.asked, old.asked) == asked


@pytest.mark.long
async def test_one_record_for_certificate_comparison_and_gate() -> None:
    new, old = CallCount("new", wrong=3), CallCount("old", wrong=3)
    with Transcript.open(None) as transcript:
        for entry in (new, old):
            asking = Interview(entry, answers=Reply, transcript=transcript)
            certificate = await certify(asking, scope(400), Criterion(0.7, None))
            assert certificate.attempt is not None
            assert certificate.attempt.number == 1
        assert (await compared(transcript, new, old)).verdict == "equivalent"
        assert number_and_delta(await gated(transcript, new, old)) == (1, FIRST)
        assert (await gated(transcript, old, new)).verdict == "pass"
        assert new.asked <= 400
        assert old.asked <= 400


async def test_later_questions_of_a_revealed_seed_are_told() -> None:
    new, old = ListedErrors("new", wrong=30), ListedErrors("old", wrong=34)
    with Transcript.open(None) as transcript:
        first = await gated(transcript, new, old, margin=0.3)
        further = await compared(transcript, new, old, margin=0.01)
        assert first.verdict == "pass"
        assert further.questions > first.comparison.questions
        text = f"settled after {first.comparison.questions} questions"
        assert any(text in caveat for caveat in further.caveats)
        assert not any("settled after" in caveat for caveat in (await gated(transcript, new, old, margin=0.3)).caveats)


@pytest.mark.long
async def test_two_comparisons_that_begin_at_once_have_numbers_of_their_own() -> None:
    a, b, c = ListedErrors("a", wrong=9), ListedErrors("b"), ListedErrors("c")
    with Transcript.open(None) as transcript:
        comparisons = await asyncio.gather(*(compared(transcript, a, b, *more, again=True) for more in ((), (c,))))
        assert sorted(number_and_delta(comparison) for comparison in comparisons) == [(1, FIRST), (2, SECOND)]


async def test_after_a_while_a_model_that_has_changed_behind_its_name_is_asked_again() -> None:
    today = 0
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    clock = Clock(now=lambda: begun + timedelta(days=today))

    async def gated_on(day: int, new: CallCount, old: CallCount) -> Gate:
        nonlocal today
        today = day
        both = [
            Interview(entry, answers=Reply, transcript=transcript, settings=AskSettings(clock=clock)) for entry in (new, old)
        ]
        return await gate(both, scope(400), again=timedelta(days=7))

    old, good, bad = CallCount("old"), CallCount("new"), CallCount("new", wrong=200)
    with Transcript.open(None) as transcript:
        assert (await gated_on(0, good, old)).verdict == "pass"
        finding = await gated_on(7, bad, old)
        assert (finding.verdict, number_and_delta(finding), bad.asked) == ("pass", (1, FIRST), 0)
        finding = await gated_on(8, bad, old)
        assert (finding.verdict, number_and_delta(finding)) == ("fail", (2, SECOND))
        asked = bad.asked
        assert asked > 0
        finding = await gated_on(14, bad, old)
        assert (finding.verdict, number_and_delta(finding), bad.asked) == ("fail", (2, SECOND), asked)


NAMES = st.lists(st.sampled_from("abcde"), min_size=2, max_size=4, unique=True)


@given(st.lists(st.tuples(NAMES, st.sampled_from("xyz")), max_size=40))
def test_on_each_pair_the_shares_add_up_to_at_most_one(examined: list[tuple[list[str], str]]) -> None:
    held: list[RecordedAttempt] = []
    for names, title in examined:
        asked = {name: {"asking": "by form", "source": None} for name in names}
        terms = AttemptTerms("comparison", " vs. ".join(sorted(names)), ((title, title),), {"asked": asked, "delta": 0.05})
        number = counted(terms, held)
        held.append(RecordedAttempt(number, delta_of(1.0, number), terms, "", len(held)))
    for pair in combinations("abcde", 2):
        for title in "xyz":
            on = [attempt.delta for attempt in held if pair in attempt.terms.subjects and attempt.terms.meets((title, title))]
            assert sum(on) <= 1
            assert sorted(
                attempt.number for attempt in held if pair in attempt.terms.subjects and attempt.terms.meets((title, title))
            ) >= list(range(1, len(on) + 1))


async def test_bets_are_for_the_margin_of_the_first_claim() -> None:
    new, old = ListedErrors("new", wrong=4), ListedErrors("old", wrong=2)
    with Transcript.open(None) as transcript:
        first = await gated(transcript, new, old, margin=0.1, seed=0)
        wider = await gated(transcript, new, old, margin=0.2, seed=0)
        compared_again = await compared(transcript, old, new, margin=0.05, seed=0)
    with Transcript.open(None) as transcript:
        alone = await gated(transcript, new, old, margin=0.2, seed=0)
    assert first.verdict == wider.verdict == alone.verdict == "pass"
    margins = [finding.signature.settings["bet_margin"] for finding in (first, wider, compared_again, alone)]
    assert margins == [0.1, 0.1, 0.1, 0.2]
    assert wider.pair.log_e != alone.pair.log_e


async def test_without_a_margin_at_first_there_are_no_plug_in_bets() -> None:
    new, old = ListedErrors("new", wrong=4), ListedErrors("old", wrong=2)
    with Transcript.open(None) as transcript:
        await compared(transcript, new, old, margin=0.0, seed=0, questions=50)
        later = await compared(transcript, new, old, margin=0.1, seed=0, questions=50)
    assert "bet_margin" not in later.signature.settings
    evidence = PairedEvidence([(0, 1)], margin=0.1, delta=FIRST, population=400)
    order = [int(unit[0].id) for unit in scope(400).draw(np.random.default_rng(0))]
    for number in order[: later.pairs[0].questions]:
        scores = np.array([number >= 4, number >= 2], dtype=float)
        evidence.take(scores, scores)
    assert later.pairs[0].log_e == pytest.approx(tuple(evidence.log_e[0]))
