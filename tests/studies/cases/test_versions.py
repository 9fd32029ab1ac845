from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.legal.judges import judgement_prompt
from vivavoce.consistency.legal.paraphrasing import (
    EMPTY,
    GAP,
    IDENTICAL,
    MISSING,
    REPEATED,
    TOO_LONG,
    TOO_SHORT,
    check_prompt,
    paraphrase_prompt,
    paraphrases_in,
)
from vivavoce.consistency.legal.trials import Paraphrase
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.prose import REFUSED
from vivavoce.interview.forms.written_texts import READ_OF_REWORDINGS, UNFORMED
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt

FACT = "12. The applicant was held at the regional station for three days without seeing a judge."
GOOD = "12. For three days the applicant was kept at the regional station and saw no judge."


def versions(reply: str, fact: str, number: int) -> tuple[Paraphrase, ...]:
    prompt = paraphrase_prompt(fact, number)
    return paraphrases_in(read(prompt, Reply(reply)), fact, number)


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


@pytest.mark.parametrize("piece", ["[1] ", "\n", "[1", " [1]\n"])
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
