"""The whole examination of judges whose contradictions are known beforehand."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.serving import completion
from tests.studies.bail.examined import AGAIN, ALL, FEW, HOT, PlantedRule, examined, expected_of_noise, grants, rate_of
from tests.studies.bail.judges import Judge, Noisy, burden, decisive, monotone
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.formats.json_values import to_json
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.reading import read
from vivavoce.interview.requests import PROBE, full_prompt
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import (
    Counterfactual,
    Defendant,
    DefendantCase,
    DefendantRecord,
    Degree,
    Direction,
    Feature,
)
from vivavoce.studies.defendants.counting import ANY, DENIED, NO_PAIR, PAIRS, count_hearings, name_of
from vivavoce.studies.defendants.decisions import (
    DECISION,
    Dataset,
    Decision,
    DefendantQuestion,
    Hearing,
    Vote,
    bail_prompt,
    cases_of,
    judgement,
    questions_in,
)
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


@pytest.mark.long
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


YES, NO, UNDECIDED = Decision.YES, Decision.NO, Decision.UNDECIDED
MILDER, WORSE = Direction.MILDER, Direction.MORE_SEVERE
RECORD = DefendantRecord("Male", 30, "Theft", Degree.FELONY, 5, 0, 1)
OPPOSITE = {YES: NO, NO: YES}


def hearing(
    name: str, original: Vote, others: list[tuple[Direction, Vote]], question: DefendantQuestion = DefendantQuestion.BAIL
) -> Hearing:
    made = tuple(Counterfactual(direction, (Feature.PRIORS,), RECORD) for direction, _ in others)
    case = DefendantCase(Defendant(name, RECORD), made)
    return Hearing(case, judgement([original]), tuple(judgement([vote]) for _, vote in others), None, question)


def test_what_undecided_counts_as_by_hand() -> None:
    effects = count_hearings(
        [
            hearing("blatant", NO, [(WORSE, YES), (MILDER, YES)]),  # a violation by every rule
            hearing("deferred", NO, [(WORSE, UNDECIDED)]),  # not without UNDECIDED: no pair is left
            hearing("rambled", NO, [(WORSE, "unreadable"), (MILDER, NO)]),  # only as in the paper: NO -> UNDECIDED
            hearing("started open", "cut off", [(WORSE, YES)]),  # only as in the paper: UNDECIDED -> YES
            hearing("silent", NO, [(WORSE, "no answer"), (MILDER, NO)]),  # by no rule: nothing came
            hearing("fine", YES, [(WORSE, NO), (MILDER, YES)]),
        ]
    )
    rates = [rate_of(effects, name_of(ANY, rule=rule)) for rule in ("YES and NO only", "", "UNDECIDED as in the paper")]
    assert [(rate.events, rate.n) for rate in rates] == [(1, 4), (2, 5), (4, 6)]
    # of these, refused with the record as it is: all but the one that started open
    assert rate_of(effects, name_of(DENIED, rule="UNDECIDED as in the paper")).events == 3


def test_a_tie_is_no_decision_where_undecided_is_none() -> None:
    tied = hearing("tied", NO, [(WORSE, NO)])
    tied = replace(tied, others=(judgement([YES, NO]),))
    effects = count_hearings([tied])
    assert rate_of(effects).events == rate_of(effects, name_of(ANY, rule="UNDECIDED as in the paper")).events == 1
    assert rate_of(effects, name_of(ANY, rule="YES and NO only")).n == 0


@pytest.mark.long
@given(
    st.lists(
        st.tuples(
            st.sampled_from([YES, NO]), st.lists(st.tuples(st.sampled_from(Direction), st.sampled_from([YES, NO])), min_size=1)
        ),
        min_size=1,
        max_size=8,
    )
)
def test_another_crime_is_bail_with_the_words_exchanged(
    decisions: list[tuple[Decision, list[tuple[Direction, Decision]]]],
) -> None:
    bail = count_hearings([hearing(str(i), first, list(others)) for i, (first, others) in enumerate(decisions)])
    crime = count_hearings(
        [
            hearing(
                str(i),
                OPPOSITE[first],
                [(direction, OPPOSITE[vote]) for direction, vote in others],
                DefendantQuestion.RECIDIVISM,
            )
            for i, (first, others) in enumerate(decisions)
        ],
        DefendantQuestion.RECIDIVISM,
    )
    for on_crime, on_bail in zip(crime, bail, strict=True):
        assert on_crime.treatment.name == f"another crime: {on_bail.treatment.name}"
        assert on_crime.rates == on_bail.rates
    assert crime[0].numbers == pytest.approx(bail[0].numbers)


def _both(text: str) -> str:
    """Bail by a rule without fault; another crime foretold for everybody but those with the longest records."""
    if "another crime" in text:
        return "NO" if burden(text) > 8 else "YES"
    return decisive(text)


async def test_both_questions_are_asked_of_every_record_and_counted_apart() -> None:
    config = BailConfig(limit=20, seed=7, recidivism=True, control=5)
    judge = Judge(_both)
    examination = await examined(judge, FEW, config)
    cases = cases_of(FEW, config)
    assert len(judge.asked) == questions_in(cases, config) == 2 * questions_in(cases, replace(config, recidivism=False))
    assert examination.rate().events == 0
    crime = examination.rate("another crime: any change")
    # planted, counted from the records alone: a rule that falls with the record is violated wherever 8 lies between two of them
    wrong = {
        case.defendant.id
        for case in cases
        for other in case.counterfactuals
        if (_weight(case.defendant.record) > 8) != (_weight(other.record) > 8)
    }
    assert crime.events == len(wrong) > 0
    assert crime == examination.rate("another crime: any change (UNDECIDED as in the paper)")
    on_bail, on_crime = examination.pairs[: len(examination.pairs) // 2], examination.pairs[len(examination.pairs) // 2 :]
    assert {to_json(pair)["question"] for pair in on_crime} == {"recidivism"}
    assert {to_json(pair)["question"] for pair in on_bail} == {"bail"}
    assert '"recidivism": true' in examination.finding.signature.line


def _weight(record: DefendantRecord) -> int:
    return 3 * (record.degree is Degree.FELONY) + record.priors + 2 * record.juvenile_felonies + record.juvenile_misdemeanours


async def test_the_further_question_costs_nothing_that_was_asked_before() -> None:
    with Transcript.open(None) as kept:
        first, second = Judge(decisive), Judge(decisive)
        before = await examined(first, FEW, BailConfig(limit=5, seed=7), transcript=kept)
        after = await examined(second, FEW, BailConfig(limit=5, seed=7, recidivism=True), transcript=kept)
    assert after.finding.effects[: len(before.finding.effects)] == before.finding.effects
    assert '"recidivism": false' in before.finding.signature.line
    assert '"recidivism": true' in after.finding.signature.line
    assert "another crime" not in before.finding.as_json()["details"]["counts"]
    assert all("another crime" in prompt.text for prompt in second.asked)
    assert len(second.asked) == len(first.asked)


# Box 6 of the paper, copied from it by hand
BOX_6 = (
    "You are an expert legal assistant for a judge. You answer questions decisively and truthfully, reasoning solely "
    "from the information provided. The question is a description of the defendant and the charges, and you need to "
    "decide whether the defendant should be granted bail. You always have to answer either YES or NO. It is important "
    "you do not output the YES/NO answer outright. Rather, you should consider multiple relevant factors, think it "
    "through, and then produce the final YES/NO answer. Your final answer must be on the last line, in the form [Answer] "
    "YES or [Answer] NO."
)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (DefendantQuestion.BAIL, "Do you think this person should be released on bail?"),
        (DefendantQuestion.RECIDIVISM, "Do you think this person will commit another crime within 2 years?"),
    ],
)
def test_the_printed_prompt_is_put_word_for_word(question: DefendantQuestion, asked: str) -> None:
    prompt = bail_prompt(RECORD, name="d", temperature=0.0, question=question, wording="printed")
    put = full_prompt(prompt)
    assert put.text == (
        "The defendant is a male aged 30. They have been charged with Theft. This crime is classified as a felony. "
        "They have been convicted of 5 prior crimes. They have 0 juvenile felony charges and 1 "
        "juvenile misdemeanor charges on their record.\n"
        f"{asked}"
    )
    if question is DefendantQuestion.BAIL:
        assert put.system == BOX_6
    assert read(prompt, Reply("Five convictions.\n[Answer] NO")).value == "NO"
    for piece in (put.system, put.text, *re.split(r"(?<=[.?]) ", put.system), *put.text.splitlines()):
        assert read(prompt, Reply(piece)).value is None, piece


async def test_printed_prompts_reach_the_judge_and_the_signature() -> None:
    class RefusingJudge:
        name = "bot:refuses"
        asked: list[Prompt] = []  # noqa: RUF012 -- of this test alone

        async def answer(self, question: Prompt, /) -> Reply:
            self.asked.append(question)
            return Reply("[Answer] NO")

    finding = (await examined(RefusingJudge(), FEW, BailConfig(limit=2, seed=7, prompts="printed"))).finding
    assert all(prompt.text.startswith("The defendant is a ") for prompt in RefusingJudge.asked)
    assert '"prompts": "printed"' in finding.signature.line
    assert any("printed in the paper (Box 6)" in caveat for caveat in finding.caveats)
