"""The bots: deterministic, wrong as often as they say, and exact where they claim to be."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.candidates.bots import RULES, Eliza, SeedOptions, conclude, read_sum
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.form import Outcome
from vivavoce.scopes.generated import arithmetic, intervals, sum_question


@pytest.mark.parametrize("name", ["bot:gibberish", "bot:eliza", "bot:calculator?wrong=0.5&idk=0.3"])
async def test_answers_depend_on_prompt_and_seed_and_nothing_else(name: str) -> None:
    prompts = [Prompt(f"What is {i} + 1?") for i in range(50)]
    random.seed(1)
    first = [(await open_candidate(name).answer(prompt)).text for prompt in prompts]
    random.seed(2)
    bot = open_candidate(name)
    again = {prompt: (await bot.answer(prompt)).text for prompt in reversed(prompts)}
    assert first == [again[prompt] for prompt in prompts]
    assert len(set(first)) > 1
    other = open_candidate(name + ("&" if "?" in name else "?") + "seed=1")
    assert first != [(await other.answer(prompt)).text for prompt in prompts]


@each_case(
    ("text", "value"),
    [
        ("What is 636 - 511?", 125),
        ("What is 2 + 3 * 4?", 14),
        ("12 divided by 4 plus 1", 4),
        ("Seven is 7; 1,234,567 times 2 = ?", 2469134),
        ("What is −3 − 4?", -7),
        ("6 × 7 ÷ 3", 14),
        ("99 MULTIPLIED BY 10", 990),
        ("1 over 3", Fraction(1, 3)),
        ("4 / 0", None),
        ("In 1999 there were 12 of them.", None),
        ("__import__('os').system('x')", None),
        ("9" * 100_000 + "+1", None),
        ("1" + " + 1" * 20, 21),
    ],
)
def test_sums_are_read(text: str, value: Fraction | int | None) -> None:
    assert read_sum(text) == value


@given(
    numbers=st.lists(st.integers(0, 10**12), min_size=2, max_size=8),
    operators=st.lists(st.sampled_from("+-*"), min_size=7, max_size=7),
    before=st.text(st.sampled_from("abc ?!\n("), max_size=10),
)
def test_sums_have_the_value_that_python_gives_them(numbers: list[int], operators: list[str], before: str) -> None:
    text = " ".join(f"{number} {operator}" for number, operator in zip(numbers, operators, strict=False)).rsplit(" ", 1)[0]
    assert read_sum(f"{before} {text}?") == eval(text)


async def test_the_calculator_is_always_right_unless_told_to_err() -> None:
    scope, bot = arithmetic("arithmetic", digits="5", operations="+-*/"), open_candidate("bot:calculator")
    draws = scope.draw(np.random.default_rng(0))
    for _ in range(500):
        (question,) = next(draws)
        assert scope.grade(question, await bot.answer(scope.prompt(question))).score == 1


async def test_the_calculator_errs_as_often_as_told() -> None:
    scope = arithmetic("arithmetic", digits="3", operations="+-*/")
    bot = open_candidate("bot:calculator?wrong=0.2&unacceptable=0.1&idk=0.3&unreadable=0.15")
    kinds: Counter[str] = Counter()
    draws = scope.draw(np.random.default_rng(1))
    n = 1500
    for _ in range(n):
        (question,) = next(draws)
        grade = scope.grade(question, await bot.answer(scope.prompt(question)))
        wrong = "unacceptable" if grade.unacceptable else "right" if grade.score == 1 else "wrong"
        kinds[wrong if grade.outcome is Outcome.ANSWER else grade.outcome.value] += 1
    expected = {"wrong": 0.2, "unacceptable": 0.1, Outcome.DONT_KNOW: 0.3, Outcome.UNREADABLE: 0.15, "right": 0.25}
    for kind, p in expected.items():
        assert abs(kinds[kind] / n - p) < 4 * (p * (1 - p) / n) ** 0.5, kind  # 4 standard errors


@each_case(("a", "operation", "b"), [(0, "+", 0), (0, "*", 7), (1, "/", 1), (5, "-", 5), (999, "*", 999), (3, "-", 8)])
async def test_a_wrong_answer_is_wrong_and_not_unacceptable_and_an_absurd_one_is(a: int, operation: str, b: int) -> None:
    scope, question = arithmetic("arithmetic"), sum_question(a, operation, b)
    for seed in range(60):
        wrong = await open_candidate(f"bot:calculator?wrong=1&seed={seed}").answer(scope.prompt(question))
        absurd = await open_candidate(f"bot:calculator?unacceptable=1&seed={seed}").answer(scope.prompt(question))
        assert (scope.grade(question, wrong).score, scope.grade(question, wrong).unacceptable) == (0, False), wrong
        assert scope.grade(question, absurd).unacceptable, absurd


@pytest.mark.parametrize(
    ("options", "pauses"),
    [("slow_when_wrong=5", []), ("delay=0.25&slow_when_wrong=5", [0.25]), ("delay=0.25&slow_when_wrong=0.5&wrong=1", [0.75])],
)
async def test_the_calculator_takes_its_time(monkeypatch: pytest.MonkeyPatch, options: str, pauses: list[float]) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await open_candidate(f"bot:calculator?{options}").answer(Prompt("1 + 1"))
    assert slept == pauses


@each_case("query", ["wrong=1.5", "wrong=-0.1", "wrong=0.7&idk=0.4", "wrong=nan", "delay=1e9"])
def test_impossible_errors_are_refused(query: str) -> None:
    with pytest.raises(BadInput):
        open_candidate(f"bot:calculator?{query}")


@pytest.mark.parametrize("events", ["3", "4", "5"])
async def test_the_timekeeper_knows_every_answer(events: str) -> None:
    """Two independent programs (a closure here, a search there) must agree."""
    scope, bot = intervals("intervals", events=events), open_candidate("bot:timekeeper")
    draws = scope.draw(np.random.default_rng(int(events)))
    for _ in range(150):
        (question,) = next(draws)
        assert scope.grade(question, await bot.answer(scope.prompt(question))).score == 1, question


@each_case(
    ("text", "conclusion"),
    [
        # war inside drought inside reign: the reign begins first, and all three are going on during the war
        ("The war happened during the drought. The drought happened during the reign. Which began first, the war or the reign?",
         "the reign"),
        ("The war happened during the drought. Was there a time when both the war and the drought were going on?", "yes"),
        ("The war ended at the very moment the fair began. Was there a time when both the fair and the war were going on?",
         "no"),
        ("The war was over before the fair began. Was the fair over before the war began?", "no"),
        ("The war and the fair ended at the same moment. Which ended first, the war or the fair?", "same moment"),
        ("The war began before the fair did. Was the war over before the fair began?", "cannot be known"),
        ("Nice weather.", ""),
    ],
)  # fmt: skip
def test_conclusions_worked_out_by_hand(text: str, conclusion: str) -> None:
    assert conclude(text) == conclusion


async def test_the_timekeeper_says_so_when_it_is_asked_something_else() -> None:
    reply = await open_candidate("bot:timekeeper").answer(Prompt("What is 1 + 1?\n\n(A) 1\n(B) 2"))
    assert reply.text == "Answer: I don't know"


@each_case(
    ("text", "answers"),
    [
        ("I am sad, and tired", {"How long have you been sad?", "Does it please you to be sad?"}),
        ("I want my dog back", {"What would it mean to you to get your dog back?", "Why do you want your dog back?"}),
        ("You are mine", {"What makes you say that I am yours?", "Are you perhaps yours yourself?"}),
        ("I am a machine", set(RULES[0].answers)),
        ("Xyzzy", set(RULES[-1].answers)),
        ("I need {0} {x!r} %s", {"Why do you need {0} {x?", "What if you got {0} {x?", "Would {0} {x really help you?"}),
    ],
)
async def test_the_chatterbot_answers_by_the_weightiest_pattern(text: str, answers: set[str]) -> None:
    given = {(await Eliza(SeedOptions(seed)).answer(Prompt(text))).text for seed in range(40)}
    assert given == answers


def test_the_chatterbots_rules_are_ranked() -> None:
    weights = [rule.weight for rule in RULES]
    assert len(RULES) >= 25
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == len(weights)


@pytest.mark.parametrize("name", ["bot:eliza", "bot:gibberish"])
async def test_talk_without_understanding_scores_nothing(name: str) -> None:
    scope, bot = arithmetic("arithmetic"), open_candidate(name)
    draws = scope.draw(np.random.default_rng(5))
    for _ in range(200):
        (question,) = next(draws)
        assert scope.grade(question, await bot.answer(scope.prompt(question))).score == 0


async def test_gibberish_is_words() -> None:
    text = (await open_candidate("bot:gibberish").answer(Prompt("Hello?"))).text
    assert re.fullmatch(r"(?:[A-Z][a-z ]+[.!?] ?){1,3}", text)
