"""The whole examination of judges whose contradictions are known beforehand."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from tests.serving import completion
from tests.studies.bail.examined import AGAIN, ALL, FEW, HOT, PlantedRule, examined, expected_of_noise, grants, rate_of
from tests.studies.bail.judges import Judge, Noisy, burden, decisive, monotone
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.interview import Budget, Prompt, Reply, Transcript
from vivavoce.interview.candidate_kinds import PROBE
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.asking import Dataset, cases_of, questions_in
from vivavoce.studies.defendants.counterfactuals import Direction
from vivavoce.studies.defendants.counting import NO_PAIR, PAIRS, count_hearings
from vivavoce.studies.defendants.decisions import DECISION, Decision, judgement
from vivavoce.studies.defendants.hearing import Hearing
from vivavoce.studies.study import Source


@pytest.mark.slow
def test_intervals_hold_what_noise_must_come_to() -> None:
    # 200 noisy judges on 300 defendants: intervals at level 95% hold the expected shares in 95% of cases, sd 1.5%; no bias
    cases = cases_of(ALL, BailConfig(limit=300))
    defendants, deviation, pairs = expected_of_noise(cases, HOT)
    right = [
        [grants(record, 0.0) for record in (case.defendant.record, *(o.record for o in case.counterfactuals))] for case in cases
    ]
    judgements = [judgement([Decision.NO]), judgement([Decision.YES])]
    rng = random.Random(5)
    result = []
    for _ in range(200):
        hearings = []
        for case, rights in zip(cases, right, strict=True):
            first, *others = (judgements[int(yes) ^ (rng.random() < HOT)] for yes in rights)
            hearings.append(Hearing(case, first, tuple(others), None))
        result.append(count_hearings(hearings))
    assert sum(pairs in rate_of(effects, event=PAIRS).interval for effects in result) / 200 >= 0.9
    assert sum(defendants / 300 in rate_of(effects).interval for effects in result) / 200 >= 0.9
    mean = sum(rate_of(effects).events for effects in result) / 200
    assert abs(mean - defendants) < 4 * deviation / math.sqrt(200)


@asynccontextmanager
async def served(decide: Callable[[str], str]) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """A chat server on a loopback port that judges; its candidate's name, and the bodies that it was sent."""
    sent: list[dict[str, object]] = []

    async def chat(request: web.Request) -> web.Response:
        asked = await request.json()
        sent.append(asked)
        text = asked["messages"][-1]["content"]
        return web.json_response(completion("ready" if text == PROBE else f"Weighed.\n[Answer] {decide(text)}"))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"chat:judge@http://127.0.0.1:{runner.addresses[0][1]}/v1", sent
    finally:
        await runner.cleanup()


async def test_a_consistent_judge_has_no_violation() -> None:
    examination = await examined(Judge(monotone), ALL, BailConfig(limit=50, seed=7))
    assert examination.rate().n == 50
    assert examination.rate().events == examination.rate(event=PAIRS).events == 0
    # Clopper and Pearson by hand: the upper end of 0 of n is 1 - .025^(1/n) = .0711
    assert examination.rate().interval.upper == pytest.approx(1 - 0.025 ** (1 / 50))
    assert examination.rate(AGAIN).events == 0
    assert "contradicts itself on none of 50 defendants (95% interval: up to 7.1%)" in examination.finding.headline
    assert examination.finding.examples == ()


async def test_a_judge_who_rewards_crimes_at_known_spots_gets_exactly_these_counts() -> None:
    config = BailConfig(limit=110, seed=7)
    planted = PlantedRule(cases_of(ALL, config), every=1)
    assert planted.defendants() > 50
    assert planted.defendants(blatant=True, direction=Direction.MORE_SEVERE) > 10
    assert planted.defendants(blatant=True, direction=Direction.MILDER) > 5
    assert planted.pairs() > planted.defendants()  # some defendants twice
    examination = await examined(Judge(planted.decide), ALL, config)
    planted.compare(examination)
    worst = examination.finding.examples
    assert {example.event for example in worst} <= {"NO → YES", "YES → NO"}
    assert len({example.id for example in worst}) == len(worst) == 10


@pytest.mark.long
async def test_a_noisy_judge_errs_as_often_as_computed() -> None:
    config = BailConfig(limit=100, control=100, seed=7)
    examination = await examined(Noisy(decisive, HOT), ALL, config)
    cases = cases_of(ALL, config)
    defendants, deviation, pairs = expected_of_noise(cases, HOT)
    assert abs(examination.rate().events - defendants) < 3 * deviation
    assert defendants / 100 in examination.rate().interval
    assert pairs in examination.rate(event=PAIRS).interval
    # two replies on one record differ with probability 2 * .04 * .96 = .0768
    assert 2 * HOT * (1 - HOT) in examination.rate(AGAIN).interval
    assert "Chance alone would make" in examination.finding.statement


@pytest.mark.long
async def test_three_judges_over_a_real_server() -> None:
    config = BailConfig(limit=15, seed=7, control=5)
    planted = PlantedRule(cases_of(FEW, config), every=1)
    assert planted.pairs() > 5
    for decide in (monotone, planted.decide, lambda text: "NO" if burden(text) < 5 else "YES"):
        async with served(decide) as (name, sent):
            candidate = open_candidate(name)
            try:
                examination = await examined(candidate, FEW, config)
            finally:
                await close_candidate(candidate)
        # the probe stands before the questions
        assert len(sent) == 1 + questions_in(cases_of(FEW, config), config)
        assert {body["temperature"] for body in sent} == {0.0}
        by_hand = in_process = await examined(Judge(decide), FEW, config)
        assert examination.finding.effects == in_process.finding.effects
        if decide == planted.decide:
            planted.compare(by_hand)
        elif decide is monotone:
            assert examination.rate().events == 0
        else:  # turned round: every pair whose decisions differ is a violation
            differing = sum(pair.first.decision is not pair.second.decision for pair in examination.pairs)
            assert examination.rate(event=PAIRS).events == differing > 25


async def test_the_candidate_is_told_the_record_and_nothing_else() -> None:
    judge = Judge(monotone)
    await examined(judge, FEW, BailConfig(limit=5, control=0, temperature=None))
    for prompt in judge.asked:
        assert prompt.text.startswith("Sex: ")
        assert "YES" not in prompt.system
        assert prompt.text.endswith(DECISION.instruction)
        assert prompt.temperature is None
        assert not any(word in prompt.text for word in ("milder", "severe", "Theft,", "d1"))


async def test_replies_that_cannot_be_read_are_counted_apart_and_decide_nothing() -> None:
    def decide(text: str) -> str:
        if "Age: 3" in text:
            raise RuntimeError("no")
        return "MAYBE" if "Age: 4" in text else monotone(text)

    examination = await examined(Judge(decide))
    silent = sum(str(defendant.record.age).startswith(("3", "4")) for defendant in FEW.defendants)
    assert 10 < silent < 50
    assert examination.finding.effects[0].left_out == {NO_PAIR: silent}
    assert examination.rate().n == 60 - silent
    assert min(examination.finding.replies[outcome] for outcome in ("no decision", "no answer")) > 50
    assert sum(examination.finding.replies.values()) == questions_in(
        cases_of(FEW, BailConfig(limit=60, seed=7)), BailConfig(limit=60, seed=7)
    )
    assert any("had no two readable decisions (bail)" in caveat for caveat in examination.finding.caveats)
    everywhere = await examined(Judge(lambda _: "perhaps"))
    assert everywhere.rate().least is None
    assert everywhere.finding.headline.startswith("Nothing was compared")


async def test_the_majority_of_repeats_decides_and_a_tie_is_undecided() -> None:
    times: Counter[str] = Counter()
    turns = {"a": ("YES", "NO", "YES"), "b": ("YES", "NO", "hm"), "c": ("NO", "hm", "hm")}

    class ByTurns:
        name = "bot:turns"

        async def answer(self, question: Prompt, /) -> Reply:
            times[question.id] += 1
            kind = "abc"[int(question.text.partition("Age: ")[2].partition(".")[0]) % 3]
            return Reply(f"[Answer] {turns[kind][(times[question.id] - 1) % 3]}")

    examination = await examined(ByTurns(), FEW, BailConfig(limit=20, repeats=3, control=5))
    for pair in examination.pairs:
        expected = ("YES", "UNDECIDED", "NO")[pair.defendant.record.age % 3]
        assert (pair.first.decision, pair.first.tied) == (expected, expected == "UNDECIDED")
    assert examination.finding.details.on_bail.ties > 0
    assert any("had a majority" in caveat for caveat in examination.finding.caveats)
    assert examination.rate().events == 0
    assert sum(examination.finding.replies.values()) == 3 * (len(examination.pairs) + 20 + 5)


async def test_a_constant_judge_is_consistent_and_is_called_no_judgement() -> None:
    examination = await examined(Judge(lambda _: "NO"), FEW, BailConfig(limit=20, seed=7))
    assert examination.rate().events == 0
    assert examination.finding.details.on_bail.unmoved == 20
    assert "consistent, but records make no difference" in examination.finding.headline


async def test_an_examination_resumed_says_the_same_and_asks_nothing_again(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        few = Dataset(FEW.defendants[:20], Source("made up"))
        first = await examined(Noisy(decisive, 0.3), few, transcript=transcript, budget=Budget(questions=60), concurrency=3)
        assert 0 < first.finding.not_reached < 20
        assert any("budget ran out before" in caveat for caveat in first.finding.caveats)
        whole = await examined(Noisy(decisive, 0.3), few, transcript=transcript)
        again = Judge(lambda _: "not asked")
        again.name = "bot:noisy"
        assert (await examined(again, few, transcript=transcript)).finding.effects == whole.finding.effects
        assert again.asked == []
    # chance depends on how often a question was asked, so an uninterrupted run gets the same answers
    assert (await examined(Noisy(decisive, 0.3), few)).finding.effects == whole.finding.effects
    assert first.pairs == whole.pairs[: len(first.pairs)]


async def test_counts_do_not_depend_on_the_order_of_the_file_nor_on_how_many_are_asked_at_once() -> None:
    few, turned = Dataset(FEW.defendants[:25], Source("made up")), Dataset(FEW.defendants[24::-1], Source("made up"))
    examination, other = (
        await examined(Noisy(decisive, 0.2), few, concurrency=1),
        await examined(Noisy(decisive, 0.2), turned, concurrency=20),
    )
    assert examination.finding.effects == other.finding.effects
    assert examination.pairs == other.pairs


async def test_the_charge_is_kept_if_that_is_wanted() -> None:
    examination = await examined(Judge(monotone), FEW, BailConfig(limit=20, keep_charge=True))
    assert {pair.other.record.charge == pair.defendant.record.charge for pair in examination.pairs} == {True}
    assert not any("by its degree alone" in caveat for caveat in examination.finding.caveats)
    assert "charge" not in [effect.treatment.name for effect in examination.finding.effects]
