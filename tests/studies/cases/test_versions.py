"""Versions of facts: which are used, and who writes them."""

from __future__ import annotations

import json
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.studies.cases.examined import CASES, LONG, found
from tests.studies.cases.made_cases import reworded
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.paraphrasing import (
    DIFFERENT,
    EMPTY,
    GAP,
    IDENTICAL,
    MISSING,
    REPEATED,
    TOO_LONG,
    TOO_SHORT,
    PreparedParaphrases,
    check_prompt,
    paraphrase_prompt,
    paraphrases_in,
)
from vivavoce.consistency.legal.trials import (
    FactChoice,
    JudgeReply,
    Paraphrase,
    drawn,
    eligible,
    importance_of,
    judgement_prompt,
    most_important,
)
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase
from vivavoce.interview.forms.prose import REFUSED
from vivavoce.interview.forms.written_texts import READ_OF_REWORDINGS, UNFORMED
from vivavoce.interview.reading import NO_ANSWER, read
from vivavoce.interview.requests import full_prompt

FACT = "12. The applicant was held at the regional station for three days without seeing a judge."
GOOD = "12. For three days the applicant was kept at the regional station and saw no judge."


def versions(reply: str, fact: str, number: int) -> tuple[Paraphrase, ...]:
    prompt = paraphrase_prompt(fact, number)
    return paraphrases_in(read(prompt, Reply(reply)), fact, number)


@each_case(
    ("version", "problem"),
    [
        (GOOD, ""),
        (f'"{GOOD}"', ""),
        ("", EMPTY),
        ('""', EMPTY),
        (FACT, IDENTICAL),
        (FACT.upper().rstrip("."), IDENTICAL),
        (f"“{FACT}”", IDENTICAL),
        (f"Fact: {FACT}", IDENTICAL),
        (f"Fact: {GOOD}", ""),
        (GOOD.replace("the applicant", "[name]"), GAP),
        (GOOD * 10, TOO_LONG),
        ("12. He was held.", TOO_SHORT),
        ("I cannot reword this fact, since it describes an arrest.", REFUSED),
    ],
)
def test_a_version_is_used_or_there_is_a_reason(version: str, problem: str) -> None:
    (paraphrase,) = versions(f"[1] {version}", FACT, 1)
    assert paraphrase.problem == problem
    assert problem or paraphrase.text == GOOD


@each_case(
    ("reply", "problem"),
    [
        ("", EMPTY),
        ("   \n", EMPTY),
        ("I'm sorry, but I can't help with that.", REFUSED),
        ("I’m very sorry.", REFUSED),
        ("As an AI, I do not.", REFUSED),
        (GOOD, UNFORMED),
        (f"1. {GOOD}", UNFORMED),
        (f"[one] {GOOD}", UNFORMED),
        ("x" * READ_OF_REWORDINGS + f"\n[1] {GOOD}", UNFORMED),
    ],
)
def test_a_reply_without_the_form_gives_one_reason_for_all(reply: str, problem: str) -> None:
    assert [paraphrase.problem for paraphrase in versions(reply, FACT, 3)] == [problem] * 3


def test_versions_are_found_by_their_numbers_whatever_stands_around_them() -> None:
    reply = (
        f"Here they are:\n[2] {GOOD}\n[1] Another one, of the same length as that of the fact itself, or so.\n[7] more\nDone."
    )
    first, second, third = versions(reply, FACT, 3)
    assert first.text.startswith("Another one")
    assert second.text == GOOD
    assert third.problem == MISSING
    repeated = versions(f"[1] {GOOD}\n[2] {GOOD.lower()}\n[2] something else", FACT, 2)
    assert [paraphrase.problem for paraphrase in repeated] == ["", REPEATED]


def test_a_reply_that_was_cut_off_gives_none() -> None:
    prompt = paraphrase_prompt(FACT, 2)
    paraphrases = paraphrases_in(read(prompt, Reply(f"[1] {GOOD}\n[2] {GOOD[:60]}", finish="length")), FACT, 2)
    assert [paraphrase.problem for paraphrase in paraphrases] == ["cut off", "cut off"]


def test_under_a_schema_the_versions_are_a_list() -> None:
    (first, second) = versions(json.dumps({"versions": [GOOD, FACT]}), FACT, 2)
    assert (first.text, second.problem) == (GOOD, IDENTICAL)
    assert [paraphrase.problem for paraphrase in versions(json.dumps({"versions": [GOOD]}), FACT, 2)] == ["", MISSING]


@given(st.text(max_size=300), st.text(min_size=1, max_size=80), st.integers(1, 5))
def test_any_reply_gives_as_many_outcomes_as_were_asked_for(reply: str, fact: str, number: int) -> None:
    paraphrases = versions(reply, fact, number)
    assert len(paraphrases) == number
    assert all(bool(paraphrase.text) or bool(paraphrase.problem) for paraphrase in paraphrases)
    assert all(paraphrase.text.strip() != fact.strip() for paraphrase in paraphrases if not paraphrase.problem)


@each_case("piece", ["[1] ", "\n", "[1", " [1]\n"])
def test_a_hostile_reply_costs_little_time(piece: str) -> None:
    hostile = piece * 10**5
    began = time.process_time()
    versions(hostile, FACT, 3)
    assert time.process_time() - began < 10


def test_nothing_that_is_asked_is_an_answer() -> None:
    asked = judgement_prompt(["One.", "Two."], "It was unlawful.")
    assert "Claim: It was unlawful.\n\nFacts of the case:\n- One.\n- Two.\n" in asked.text
    for prompt in (asked, check_prompt("First.", "Second."), paraphrase_prompt(FACT, 2)):
        whole = full_prompt(prompt)
        for text in (whole.text, whole.system):
            for piece in (text, *text.splitlines()):
                assert read(prompt, Reply(piece or "-")).value is None, piece


@pytest.mark.parametrize(
    ("writer", "problem"),
    [
        ("refuses", REFUSED),
        ("filtered", REFUSED),
        ("copies", IDENTICAL),
        ("unformed", UNFORMED),
        ("empties", EMPTY),
        ("floods", TOO_LONG),
    ],
)
async def test_what_cannot_be_used_is_counted_with_its_reason(paraphraser: str, writer: str, problem: str) -> None:
    judged = await found(lambda facts: 0.5, paraphraser, CasesConfig("black", shortest=LONG), cases=CASES[:5], writer=writer)
    assert judged.counts.problems == {problem: 15}
    assert judged.counts.paraphrases == 0
    assert judged.effect(FactChoice.BLACK).rates["flips"].least is None
    assert judged.finding.headline.startswith("Nothing was compared")


async def test_a_writer_that_gives_no_answer_to_some_facts(paraphraser: str) -> None:
    judged = await found(lambda facts: 0.5, paraphraser, CasesConfig("black", shortest=LONG), writer="moody")
    lost = judged.counts.problems[NO_ANSWER]
    assert set(judged.counts.problems) == {NO_ANSWER}
    assert lost % 3 == 0
    assert 0 < lost < 180 == lost + judged.counts.paraphrases


async def test_faults_by_turns_are_told_apart(paraphraser: str) -> None:
    """The server commits a fault by the day of the fact, modulo 5; the facts chosen are the same with a good writer."""
    config = CasesConfig("black", shortest=LONG, facts=3)
    good = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:20])
    mixed = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:20], writer="mixed")
    facts = dict.fromkeys((trial.case, trial.fact) for trial in good.trials if trial.box is FactChoice.BLACK)
    faults = Counter(int(fact.split(" May")[0].split(" June")[0].split(" July")[0].split(" August")[0].split()[-1]) % 5
                     for _, fact in facts)  # fmt: skip
    assert len(facts) == 60
    assert min(faults[day] for day in range(5)) > 0
    assert mixed.counts.paraphrases == 3 * faults[0]
    assert mixed.counts.problems == {
        REFUSED: 3 * faults[1],
        IDENTICAL: 3 * faults[2],
        UNFORMED: 3 * faults[3],
        EMPTY: 3 * faults[4],
    }


async def test_a_checker_rejects_what_says_something_else(paraphraser: str) -> None:
    config = CasesConfig("black", shortest=LONG)
    unchecked = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:10], writer="careless")
    checked = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:10], checker="compares", writer="careless")
    assert (unchecked.counts.paraphrases, unchecked.counts.checked) == (30, 0)
    assert (checked.counts.paraphrases, checked.counts.checked) == (20, 20)
    assert checked.counts.problems == {DIFFERENT: 10}
    assert any("No one else checked" in caveat for caveat in unchecked.finding.caveats)
    assert not any("No one else checked" in caveat for caveat in checked.finding.caveats)


async def test_prepared_paraphrases_come_first_and_rejected_ones_are_not_used() -> None:
    fact = CASES[0].facts[3]
    known = [Paraphrase(fact, "no", "too free"), Paraphrase(fact, reworded(fact), checked=True)]
    written = await PreparedParaphrases({fact: known}, "file").paraphrases(fact, 3)
    assert [(paraphrase.text, paraphrase.problem) for paraphrase in written.paraphrases] == [
        (reworded(fact), ""),
        ("no", "too free"),
        ("", "not in the file"),
    ]


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
