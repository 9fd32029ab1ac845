"""The whole examination of judges whose contradictions are known beforehand."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from tests.consistency.legal.bail.judges import Judge, Noisy, burden, decisive, made_up, monotone
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.consistency.legal.bail.counterfactuals import Case, Counterfactual, Direction, Feature, Variation
from vivavoce.consistency.legal.bail.defendants import Record
from vivavoce.consistency.legal.bail.examine import Docket, SetUp, cases_of, judge_bail, questions_in
from vivavoce.consistency.legal.bail.finding import BailConsistency
from vivavoce.consistency.legal.bail.hearing import Hearing
from vivavoce.consistency.legal.bail.prompts import bail_prompt
from vivavoce.consistency.legal.bail.reading import Decision, judgement
from vivavoce.consistency.legal.bail.score import count_hearings
from vivavoce.errors import BadInput
from vivavoce.interview import Budget, Candidate, Interview, Prompt, Reply, Transcript

ALL = Docket(made_up(800), title="made up")
"""As many as in the paper."""
FEW = Docket(made_up(60), title="made up")
HOT = 0.04
"""With what probability the noisy judge says the opposite."""


async def examined(
    candidate: Candidate[Prompt, Reply],
    docket: Docket = FEW,
    setup: SetUp | None = None,
    *,
    transcript: Transcript | None = None,
    budget: Budget | None = None,
    at_once: int = 8,
) -> BailConsistency:
    interview = Interview(
        candidate, answers=Reply, transcript=transcript, budget=budget or Budget(), at_once=at_once, attempts=1
    )
    return await judge_bail(interview, docket, setup or SetUp(limit=len(docket.defendants), seed=7))


def text_of(record: Record) -> str:
    return bail_prompt(record, name="", temperature=None).text


class Planted:
    """A monotone rule, but for records at known spots; counts what that must come to, from the list of spots alone."""

    def __init__(self, cases: Sequence[Case], *, every: int = 9) -> None:
        self.spots: dict[str, str] = {}
        self.violations: list[tuple[str, Direction, tuple[Feature, ...], bool]] = []
        texts = Counter(
            text_of(record) for case in cases for record in (case.defendant.record, *(o.record for o in case.counterfactuals))
        )
        for case in cases[::every]:
            original = monotone(text_of(case.defendant.record))
            for other in self._fit(case, texts)[:2]:
                worse = other.direction is Direction.MORE_SEVERE
                wrong = {("NO", True): ("YES", "UNDECIDED"), ("YES", False): ("NO", "UNDECIDED")}.get((original, worse))
                if wrong is not None:
                    said = wrong[len(self.spots) % 2]
                    self.spots[text_of(other.record)] = said
                    self.violations.append((case.defendant.id, other.direction, other.changed, said != "UNDECIDED"))

    @staticmethod
    def _fit(case: Case, texts: Counter[str]) -> list[Counterfactual]:
        """Records that no other defendant shares, one of each direction first."""
        fit = [other for other in case.counterfactuals if texts[text_of(other.record)] == 1]
        return fit[-2:] if burden(text_of(case.defendant.record)) > 5 else fit[:2]

    def decide(self, text: str) -> str:
        return self.spots.get(text) or monotone(text)

    def defendants(self, *, blatant: bool = False, direction: Direction | None = None) -> int:
        chosen = (v for v in self.violations if (v[3] or not blatant) and direction in (None, v[1]))
        return len({v[0] for v in chosen})

    def pairs(self, *, direction: Direction | None = None, feature: Feature | None = None) -> int:
        return sum(direction in (None, v[1]) and (feature is None or feature in v[2]) for v in self.violations)

    def compare(self, finding: BailConsistency) -> None:
        """Every count is what was planted, exactly."""
        found, worse, milder = finding.counts.defendants, Direction.MORE_SEVERE, Direction.MILDER
        assert found.any.count == self.defendants()
        assert found.worse_more_lenient.count == found.denied_then_lenient.count == self.defendants(direction=worse)
        assert found.milder_harsher.count == self.defendants(direction=milder)
        assert found.bail_won.count == self.defendants(blatant=True, direction=worse)
        assert found.bail_lost.count == self.defendants(blatant=True, direction=milder)
        every, *ways = finding.counts.pairs
        assert every.violations.count == self.pairs()
        assert every.blatant.count == sum(v[3] for v in self.violations)
        assert [way.violations.count for way in ways] == [self.pairs(direction=milder), self.pairs(direction=worse)]
        assert {row.name: row.violations.count for row in finding.counts.features} == {
            feature.value: self.pairs(feature=feature) for feature in Feature
        }
        by_defendant = {(pair.defendant.id, pair.other.direction) for pair in finding.pairs if pair.violation}
        assert by_defendant == {(v[0], v[1]) for v in self.violations}


def expected_of_noise(cases: Sequence[Case], flips: float) -> tuple[float, float, float]:
    """For a judge who follows `decisive` and errs independently: expected defendants with a violation, the standard deviation
    of their number, and the expected share of pairs. A violation is a NO that a more severe record turns to YES, or a YES
    that a milder one turns to NO.
    """
    defendants = variance = pairs = 0.0
    number = 0
    for case in cases:
        yes = _yes(case.defendant.record, flips)
        worse = [_yes(o.record, flips) for o in case.counterfactuals if o.direction is Direction.MORE_SEVERE]
        milder = [_yes(o.record, flips) for o in case.counterfactuals if o.direction is Direction.MILDER]
        violated = (1 - yes) * (1 - math.prod(1 - p for p in worse)) + yes * (1 - math.prod(milder))
        defendants += violated
        variance += violated * (1 - violated)
        pairs += sum((1 - yes) * p for p in worse) + sum(yes * (1 - p) for p in milder)
        number += len(worse) + len(milder)
    return defendants, math.sqrt(variance), pairs / number


def _yes(record: Record, flips: float) -> float:
    return 1 - flips if decisive(text_of(record)) == "YES" else flips


@pytest.mark.slow
def test_intervals_hold_what_noise_must_come_to() -> None:
    # 200 noisy judges on 300 defendants: intervals at level 95% hold the expected shares in 95% of cases, sd 1.5%; no bias
    cases = cases_of(ALL, SetUp(limit=300))
    defendants, deviation, pairs = expected_of_noise(cases, HOT)
    right = [
        [_yes(record, 0.0) for record in (case.defendant.record, *(o.record for o in case.counterfactuals))] for case in cases
    ]
    said = [judgement([Decision.NO]), judgement([Decision.YES])]
    rng = random.Random(5)
    found = []
    for _ in range(200):
        hearings = []
        for case, rights in zip(cases, right, strict=True):
            first, *others = (said[int(yes) ^ (rng.random() < HOT)] for yes in rights)
            hearings.append(Hearing(case, first, tuple(others), None))
        found.append(count_hearings(hearings))
    assert sum(pairs in one.pairs[0].violations.interval for one in found) / 200 >= 0.9
    assert sum(defendants / 300 in one.defendants.any.interval for one in found) / 200 >= 0.9
    mean = sum(one.defendants.any.count for one in found) / 200
    assert abs(mean - defendants) < 4 * deviation / math.sqrt(200)


@asynccontextmanager
async def served(decide: Callable[[str], str]) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """A chat server on a loopback port that judges; its candidate's name, and the bodies that it was sent."""
    sent: list[dict[str, object]] = []

    async def chat(request: web.Request) -> web.Response:
        asked = await request.json()
        sent.append(asked)
        message = {"role": "assistant", "content": f"Weighed.\n[Answer] {decide(asked['messages'][-1]['content'])}"}
        return web.json_response({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

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
    finding = await examined(Judge(monotone), ALL)
    assert finding.counts.defendants.any.n == 800
    assert finding.counts.defendants.any.count == finding.counts.pairs[0].violations.count == 0
    # Clopper and Pearson by hand: the upper end of 0 of n is 1 - .025^(1/n) = .0046
    assert finding.counts.defendants.any.interval.upper == pytest.approx(1 - 0.025 ** (1 / 800))
    assert finding.counts.control.changed.count == 0
    assert "did not contradict itself on any of 800 defendants" in finding.headline
    assert finding.worst == ()


async def test_a_judge_who_rewards_crimes_at_known_spots_gets_exactly_these_counts() -> None:
    setup = SetUp(limit=800, seed=7)
    planted = Planted(cases_of(ALL, setup))
    assert planted.defendants() > 50
    assert planted.defendants(blatant=True, direction=Direction.MORE_SEVERE) > 10
    assert planted.defendants(blatant=True, direction=Direction.MILDER) > 5
    assert planted.pairs() > planted.defendants()  # some defendants twice
    finding = await examined(Judge(planted.decide), ALL, setup)
    planted.compare(finding)
    assert all(pair.blatant for pair in finding.worst)
    assert len({pair.defendant.id for pair in finding.worst}) == len(finding.worst) == 10


async def test_a_noisy_judge_errs_as_often_as_computed() -> None:
    setup = SetUp(limit=800, control=800, seed=7)
    finding = await examined(Noisy(decisive, HOT), ALL, setup)
    cases = cases_of(ALL, setup)
    defendants, deviation, pairs = expected_of_noise(cases, HOT)
    found = finding.counts.defendants.any
    assert abs(found.count - defendants) < 3 * deviation
    assert defendants / 800 in found.interval
    assert pairs in finding.counts.pairs[0].violations.interval
    # two replies on one record differ with probability 2 * .04 * .96 = .0768
    assert 2 * HOT * (1 - HOT) in finding.counts.control.changed.interval
    assert "chance alone would make" in finding.statement


async def test_three_judges_over_a_real_server() -> None:
    setup = SetUp(limit=60, seed=7, control=10)
    planted = Planted(cases_of(FEW, setup), every=3)
    assert planted.pairs() > 5
    for decide in (monotone, planted.decide, lambda text: "NO" if burden(text) < 5 else "YES"):
        async with served(decide) as (name, sent):
            candidate = open_candidate(name)
            try:
                finding = await examined(candidate, FEW, setup)
            finally:
                await close_candidate(candidate)
        assert len(sent) == questions_in(cases_of(FEW, setup), setup)
        assert {body["temperature"] for body in sent} == {0.0}
        by_hand = in_process = await examined(Judge(decide), FEW, setup)
        assert finding.counts == in_process.counts
        if decide == planted.decide:
            planted.compare(by_hand)
        elif decide is monotone:
            assert finding.counts.defendants.any.count == 0
        else:  # turned round: every pair whose decisions differ is a violation
            differing = sum(pair.first.decision is not pair.second.decision for pair in finding.pairs)
            assert finding.counts.pairs[0].violations.count == differing > 50


async def test_the_candidate_is_told_the_record_and_nothing_else() -> None:
    judge = Judge(monotone)
    await examined(judge, FEW, SetUp(limit=5, control=0, temperature=None))
    for prompt in judge.asked:
        assert prompt.text.startswith("Sex: ")
        assert "[Answer] YES" in prompt.system
        assert prompt.temperature is None
        assert not any(word in prompt.text for word in ("milder", "severe", "Theft,", "d1"))


async def test_replies_that_cannot_be_read_are_counted_apart_and_decide_nothing() -> None:
    def decide(text: str) -> str:
        if "Age: 3" in text:
            raise RuntimeError("no")
        return "MAYBE" if "Age: 4" in text else monotone(text)

    finding = await examined(Judge(decide))
    silent = sum(str(one.record.age).startswith(("3", "4")) for one in FEW.defendants)
    assert 10 < silent < 50
    assert finding.counts.left_out == silent
    assert finding.counts.defendants.any.n == 60 - silent
    assert min(finding.counts.replies[kind] for kind in ("unreadable", "no answer")) > 50
    assert sum(finding.counts.replies.values()) == questions_in(cases_of(FEW, SetUp(limit=60, seed=7)), SetUp(limit=60, seed=7))
    assert any("count neither way" in caveat for caveat in finding.caveats)
    everywhere = await examined(Judge(lambda _: "perhaps"))
    assert everywhere.counts.defendants.any.value is None
    assert everywhere.headline.startswith("Nothing was compared")


async def test_the_majority_of_repeats_decides_and_a_tie_is_undecided() -> None:
    times: Counter[str] = Counter()
    turns = {"a": ("YES", "NO", "YES"), "b": ("YES", "NO", "hm"), "c": ("NO", "hm", "hm")}

    class ByTurns:
        name = "bot:turns"

        async def answer(self, question: Prompt, /) -> Reply:
            times[question.id] += 1
            kind = "abc"[int(question.text.partition("Age: ")[2].partition(".")[0]) % 3]
            return Reply(f"[Answer] {turns[kind][(times[question.id] - 1) % 3]}")

    finding = await examined(ByTurns(), FEW, SetUp(limit=60, repeats=3, control=5))
    for pair in finding.pairs:
        expected = ("YES", "UNDECIDED", "NO")[pair.defendant.record.age % 3]
        assert (pair.first.decision, pair.first.tied) == (expected, expected == "UNDECIDED")
    assert finding.counts.ties > 0
    assert any("most votes" in caveat for caveat in finding.caveats)
    assert finding.counts.defendants.any.count == 0
    assert sum(finding.counts.replies.values()) == 3 * (len(finding.pairs) + 60 + 5)


async def test_a_constant_judge_is_consistent_and_is_called_no_judgement() -> None:
    finding = await examined(Judge(lambda _: "NO"))
    assert finding.counts.defendants.any.count == 0
    assert finding.counts.unmoved == 60
    assert "consistent, but no judgement" in finding.headline


async def test_an_examination_resumed_says_the_same_and_asks_nothing_again(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        first = await examined(Noisy(decisive, 0.3), transcript=transcript, budget=Budget(questions=100), at_once=3)
        assert 0 < first.reach.heard < 60
        assert first.reach.exhausted == "questions"
        assert any("ran out after" in caveat for caveat in first.caveats)
        whole = await examined(Noisy(decisive, 0.3), transcript=transcript)
        again = Judge(lambda _: "not asked")
        again.name = "bot:noisy"
        assert (await examined(again, transcript=transcript)).counts == whole.counts
        assert again.asked == []
    # chance depends on how often a question was asked, so an uninterrupted run gets the same answers
    assert (await examined(Noisy(decisive, 0.3))).counts == whole.counts
    assert first.pairs == whole.pairs[: len(first.pairs)]


async def test_counts_do_not_depend_on_the_order_of_the_file_nor_on_how_many_are_asked_at_once() -> None:
    turned = Docket(FEW.defendants[::-1], title="made up")
    one, other = await examined(Noisy(decisive, 0.2), at_once=1), await examined(Noisy(decisive, 0.2), turned, at_once=20)
    assert one.counts == other.counts
    assert one.pairs == other.pairs


async def test_the_charge_is_kept_if_that_is_wanted() -> None:
    finding = await examined(Judge(monotone), FEW, SetUp(limit=60, variation=Variation(keep_charge=True)))
    assert {pair.other.record.charge == pair.defendant.record.charge for pair in finding.pairs} == {True}
    assert not any("by its degree alone" in caveat for caveat in finding.caveats)
    assert "charge" not in [row.name for row in finding.counts.features]


@pytest.mark.parametrize(
    "setup",
    [
        lambda: SetUp(limit=0),
        lambda: SetUp(repeats=0),
        lambda: SetUp(control=-1),
        lambda: SetUp(variation=Variation(each_way=0)),
        lambda: SetUp(variation=Variation(largest_step=0)),
    ],
)
def test_settings_that_make_no_sense_are_refused(setup: Callable[[], SetUp]) -> None:
    with pytest.raises(BadInput, match="must be at least"):
        setup()
