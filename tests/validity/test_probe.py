"""What a probe finds of planted failures, and how often its claims about them are wrong.

The bots answer questions about the documents of three made-up companies. Eight ways to fail are planted (`company_bots.MODES`):
on 40% of exceptions, 20% of questions that the documents don't answer, 8% of calculations, 2% of what one file's tables say;
and on 30% of questions if asked "Are you sure?", 15% in capitals, 5% after two other questions, 3% with typing errors. A wrong
reply recurs in 90% of repeats, and is recognised, as by a judge that makes no mistakes; the rule alone would leave about half
of them open, such as names and inventions. A way counts as confirmed if a failure that it makes is. No setting of the search
was chosen on the seeds by which calls are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from statistics import median
from typing import Any, TypeVar

import numpy as np
import pytest

from tests.companies import companies
from tests.probe.company_bots import MODES, CompanyHolder, PlantedMode, company_topics, planted_rate
from vivavoce.probe.arms import ProbeTrial, Topic, plan_of
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.confirmation import ROUND, ProbeSearch, random_examination
from vivavoce.probe.finding import FailureMode, ModeCounts, ask_new_questions, selected
from vivavoce.probe.follow_ups import KINDS
from vivavoce.probe.probe import arms_of
from vivavoce.statistics.confidence_sequences import rate_above

Examination = Callable[[CompanyHolder, Sequence[Topic], ProbeConfig], Coroutine[Any, Any, ProbeSearch]]


Result = TypeVar("Result")
SEEDS = range(1_000, 1_020)
COMPANIES = range(len(companies()))


def finished(examination: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that waits for nothing."""
    try:
        examination.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    raise AssertionError("it waits")


async def probed(holder: CompanyHolder, topics: Sequence[Topic], config: ProbeConfig) -> ProbeSearch:
    search = ProbeSearch(holder, arms_of(topics), config)
    await search.run()
    return search


async def random_questions(holder: CompanyHolder, topics: Sequence[Topic], config: ProbeConfig) -> ProbeSearch:
    return await random_examination(holder, topics, config, deterministic=False)


async def random_conversations(holder: CompanyHolder, topics: Sequence[Topic], config: ProbeConfig) -> ProbeSearch:
    """Conversations of any topic and kind, which are held, compared and repeated as those of a probe."""
    search = ProbeSearch(holder, arms_of(topics), config)
    rng = np.random.default_rng([config.seed, 8])
    while not holder.full:
        arms = [arm for arm in search.arms if not arm.rests]
        trials = []
        for arm in (arms[i] for i in rng.integers(len(arms), size=ROUND)):
            question = arm.topic.search[rng.integers(len(arm.topic.search))]
            plan = plan_of(arm.topic, arm.kind, question, config.seed)
            if plan is not None and question.id not in arm.tried:
                arm.tried.add(question.id)
                trials.append(ProbeTrial((arm,), plan))
        await search.hold(trials)
    return search


def confirmed(examination: Examination, company: int, seed: int, calls: int) -> int:
    """Planted ways that are confirmed with so many calls."""
    holder = CompanyHolder(company, seed, limit=calls)
    search = finished(examination(holder, company_topics(company, seed), ProbeConfig(calls=calls, seed=seed)))
    shown = [holder.shown_by(failure.conversation.plan) for failure in search.confirmed]
    assert all(shown), "nothing is confirmed that was not planted"
    return len(set().union(*shown))


def median_confirmed(examination: Examination, calls: int) -> float:
    """The median over 20 seeds of each of the companies, 60 runs together."""
    return median(confirmed(examination, company, seed, calls) for company in COMPANIES for seed in SEEDS)


@pytest.mark.study
@pytest.mark.slow
def test_a_probe_confirms_six_ways_with_half_the_calls_of_random_questions_for_four() -> None:
    """With 180 calls a probe confirms six ways in the median, while 360 random questions confirm three.

    It needs 152 calls for six. Random questions can show four ways only, and the fourth, at 2%, is
    seldom among the 346 to 380 questions there are: so it is this rare way that decides. Their first three need 82 calls, where
    a probe needs 39.
    """
    assert median_confirmed(probed, 180) >= 6
    assert median_confirmed(random_questions, 360) < 4


@pytest.mark.study
@pytest.mark.slow
def test_random_conversations_confirm_four_ways_sooner_and_six_later_than_twice_that() -> None:
    """Conversations of random kinds confirm four ways with 89 calls and six with 261; a probe needs 63 and 152.

    So against these the goal, six with half the calls for four, is missed, and no search can reach it: one that tries only the
    kinds that fail needs 104 calls for six. Four common ways are cheap to find for anyone. Confirming six takes some 20 calls,
    and the rarer ones fail in 3% to 8% of conversations, each of which has up to three calls.
    """
    assert median_confirmed(random_conversations, 110) >= 4
    assert median_confirmed(random_conversations, 180) < 6
    assert median_confirmed(probed, 80) >= 4
    assert median_confirmed(probed, 55) < 6


def mode_counts(rates: Sequence[float], asked: int, rng: np.random.Generator) -> list[ModeCounts]:
    counts = []
    for rate in rates:
        values = (rng.random(asked) < rate).astype(float)
        process = rate_above(0.05)
        process.update(values)
        counts.append(ModeCounts(int(values.sum()), asked, log_e=process.log_e))
    return counts


def shares_wrong(rates: Sequence[float], seeds: int, asked: int) -> tuple[float, float]:
    """The mean share of wrong claims, and of intervals that miss the rate, among the modes that are called common."""
    wrong, missed = [], []
    for seed in range(seeds):
        chosen = selected(mode_counts(rates, asked, np.random.default_rng([seed, 9])), common=0.05, delta=0.05)
        common = [(rate, interval) for rate, (is_common, interval) in zip(rates, chosen, strict=True) if is_common]
        wrong.append(sum(rate <= 0.05 for rate, _ in common) / max(1, len(common)))
        missed.append(sum(interval is None or rate not in interval for rate, interval in common) / max(1, len(common)))
    return float(np.mean(wrong)), float(np.mean(missed))


@pytest.mark.slow
@pytest.mark.parametrize("asked", [60, 200])
def test_claims_and_intervals_of_selected_modes_hold(asked: int) -> None:
    """At most 5% are wrong on average, whatever was selected; rates at the limit itself are the hardest."""
    for rates in (tuple(mode.rate for mode in MODES), (0.05,) * 8, (0.3, *(0.05,) * 7)):
        wrong, missed = shares_wrong(rates, 400, asked)
        assert wrong <= 0.05
        assert missed <= 0.05


def modes_of_search(seed: int, modes: Sequence[PlantedMode]) -> list[tuple[float, FailureMode]]:
    """The modes that a probe confirms with 160 calls and tests on 75 new questions, with their planted rates."""
    company = seed % len(COMPANIES)
    topics = company_topics(company, seed)
    config = ProbeConfig(calls=160, seed=seed, fresh=75)
    search = finished(probed(CompanyHolder(company, seed, limit=config.calls, modes=modes), topics, config))
    holder, by_name = CompanyHolder(company, seed, modes=modes), {topic.name: topic for topic in topics}
    tested = finished(ask_new_questions(holder, by_name, search.confirmed, config))
    return [(planted_rate(company, mode.topic, mode.kind_name, modes), mode) for mode in tested]


@pytest.mark.study
@pytest.mark.slow
def test_shares_and_intervals_hold_the_planted_rates_after_a_search() -> None:
    """Over 400 seeds, at least 92% of intervals of common modes hold the planted rate; all did (of 1,213).

    They are wide, for they hold at any stop. Shares of new questions are off by less than a point on average, over all modes
    that the search confirms: finding a mode biases nothing.
    """
    tested = [entry for seed in range(400) for entry in modes_of_search(seed, MODES)]
    held = [rate in mode.share.interval for rate, mode in tested if mode.common]
    assert len(held) >= 800
    assert np.mean(held) >= 0.92
    assert abs(np.mean([mode.counts.failed / mode.counts.asked - rate for rate, mode in tested])) < 0.01


@pytest.mark.study
@pytest.mark.slow
def test_without_a_planted_fault_no_mode_is_called_common() -> None:
    """Bots that err on 1% of questions in each kind of conversation: in 95% of 200 runs no mode is called common."""
    kinds = ("", *(kind.name for kind in KINDS))
    noise = [PlantedMode(f"errs at random {kind}", 0.01, kind) for kind in kinds]
    runs = [[mode.common for _, mode in modes_of_search(seed, noise)] for seed in range(200)]
    assert sum(map(len, runs)) >= 200, "chance failures are confirmed"
    assert np.mean([not any(run) for run in runs]) >= 0.95
