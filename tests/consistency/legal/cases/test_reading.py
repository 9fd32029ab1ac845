from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.legal.cases.prompts import check_prompt, judgement_prompt, paraphrase_prompt
from vivavoce.consistency.legal.cases.reading import (
    EMPTY,
    IDENTICAL,
    MISSING,
    READ,
    REFUSED,
    REPEATED,
    TOO_LONG,
    TOO_SHORT,
    UNFORMED,
    read_paraphrases,
    read_probability,
    read_verdict,
)

FACT = "12. The applicant was held at the regional station for three days without seeing a judge."
GOOD = "12. For three days the applicant was kept at the regional station and saw no judge."


@pytest.mark.parametrize(
    ("reply", "probability"),
    [
        ("[Answer] 0.7", 0.7),
        ("Much speaks for it.\n\n[Answer] 0.7  \n\n", 0.7),
        ("**[Answer] 0.25**", 0.25),
        ("[answer] .5", 0.5),
        ("[Answer] 1", 1.0),
        ("[Answer] 0", 0.0),
        ("[Answer] 1.00.", 1.0),
        ("First [Answer] 0.1\n[Answer] 0.2", 0.2),
        ("[Answer] 0.7\nBut I am not sure.", None),
        ("The answer is [Answer] 0.7", None),
        ("[Answer] 70%", None),
        ("[Answer] 1.2", None),
        ("[Answer] -0.2", None),
        ("[Answer] 0.2 to 0.4", None),
        ("[Answer] nan", None),
        ("[Answer] 1e-3", None),
        ("[Answer] ٠.٥", None),
        ("[Answer]", None),
        ("0.7", None),
        ("", None),
    ],
)
def test_a_probability_is_read_strictly(reply: str, probability: float | None) -> None:
    assert read_probability(reply) == probability


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("[Answer] SAME", "same"),
        ("The date differs.\n[Answer] different.", "different"),
        ("[Answer] SAME or [Answer] DIFFERENT", None),
        ("[Answer] NOT THE SAME", None),
        ("SAME", None),
    ],
)
def test_a_verdict_is_read_strictly(reply: str, verdict: str | None) -> None:
    assert read_verdict(reply) == verdict


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        (GOOD, ""),
        (f'"{GOOD}"', ""),
        ("", EMPTY),
        ('""', EMPTY),
        (FACT, IDENTICAL),
        (FACT.upper().rstrip("."), IDENTICAL),
        (f"“{FACT}”", IDENTICAL),
        (GOOD * 10, TOO_LONG),
        ("12. He was held.", TOO_SHORT),
        ("I cannot reword this fact, since it describes an arrest.", REFUSED),
    ],
)
def test_a_version_is_used_or_there_is_a_reason(version: str, problem: str) -> None:
    (read,) = read_paraphrases(f"[1] {version}", FACT, 1)
    assert read.problem == problem
    assert problem or read.text == GOOD


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", EMPTY),
        ("   \n", EMPTY),
        ("I'm sorry, but I can't help with that.", REFUSED),
        ("I’m very sorry.", REFUSED),
        ("As an AI, I do not.", REFUSED),
        (GOOD, UNFORMED),
        (f"1. {GOOD}", UNFORMED),
        (f"- [1] {GOOD}", UNFORMED),
        (f"[one] {GOOD}", UNFORMED),
        ("x" * READ + f"\n[1] {GOOD}", UNFORMED),
    ],
)
def test_a_reply_without_the_form_gives_one_reason_for_all(reply: str, problem: str) -> None:
    assert [one.problem for one in read_paraphrases(reply, FACT, 3)] == [problem] * 3


def test_versions_are_found_by_their_numbers_whatever_stands_around_them() -> None:
    reply = (
        f"Here they are:\n[2] {GOOD}\n[1] Another one, of the same length as that of the fact itself, or so.\n[7] more\nDone."
    )
    first, second, third = read_paraphrases(reply, FACT, 3)
    assert first.text.startswith("Another one")
    assert second.text == GOOD
    assert third.problem == MISSING
    repeated = read_paraphrases(f"[1] {GOOD}\n[2] {GOOD.lower()}\n[2] something else", FACT, 2)
    assert [one.problem for one in repeated] == ["", REPEATED]


def test_the_last_version_of_a_reply_that_was_cut_off_is_not_used() -> None:
    begun = GOOD[:60]
    first, second, third = read_paraphrases(f"[1] {GOOD}\n[2] {begun}", FACT, 3, whole=False)
    assert (first.text, first.problem) == (GOOD, "")
    assert (second.problem, third.problem) == ("cut off", MISSING)
    (whole,) = read_paraphrases(f"[1] {GOOD}\nAnd", FACT, 1, whole=False)
    assert whole.text == GOOD


@given(st.text(max_size=300), st.text(min_size=1, max_size=80), st.integers(1, 5))
def test_any_reply_gives_as_many_outcomes_as_were_asked_for(reply: str, fact: str, number: int) -> None:
    read = read_paraphrases(reply, fact, number)
    assert len(read) == number
    assert all(bool(one.text) or bool(one.problem) for one in read)
    assert all(one.text.strip() != fact.strip() for one in read if not one.problem)


@pytest.mark.parametrize("hostile", ["[Answer] " + "0" * 10**6, "[1] " * 10**6, "\n" * 10**6, "[1" * 10**6, " [1]\n" * 10**6])
def test_a_hostile_reply_costs_little_time(hostile: str) -> None:
    began = time.process_time()
    read_probability(hostile)
    read_verdict(hostile)
    read_paraphrases(hostile, FACT, 3)
    assert time.process_time() - began < 1


def test_prompts_ask_for_the_form_that_is_read() -> None:
    prompt = paraphrase_prompt(FACT, 2)
    assert prompt.text.endswith(f"[1] ...\n[2] ...\n\nFact:\n{FACT}")
    assert [one.problem for one in read_paraphrases(prompt.text.partition("Fact:")[0], FACT, 2)] == [TOO_SHORT, REPEATED]
    asked = judgement_prompt(["One.", "Two."], "It was unlawful.")
    assert "Claim: It was unlawful.\n\nFacts of the case:\n- One.\n- Two.\n" in asked.text
    assert read_probability(asked.system) == 0.35
    assert read_verdict(check_prompt("a", "b").text) == "different"
