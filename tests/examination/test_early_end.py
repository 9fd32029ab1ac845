"""A study ends once none of its first replies can be parsed: exactly then, and the same from the record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from vivavoce.examination.early_end import FIRST, EarlyEnd
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

FORM = OneOption(("Rome", "Oslo"))
QUESTIONS = [Prompt(f"Question {number}?", form=FORM) for number in range(60)]


@dataclass(frozen=True)
class Mumbling:
    """Its replies can't be parsed, but for those to these questions."""

    clear: frozenset[int] = frozenset()
    name: str = "test:mumbling"

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply("Answer: A" if int(question.text.split()[1].split("?")[0]) in self.clear else "Hm.")


def asked(
    candidate: Mumbling,
    transcript: Transcript | None = None,
    budget: Budget = Budget(),  # noqa: B008 -- frozen
    questions: Sequence[Prompt] = QUESTIONS,
) -> tuple[int, EarlyEnd]:
    async def ask() -> int:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=1, budget=budget)
        end.watch(interview)
        return len([answer async for _, answer in interview.ask_in_order(questions)])

    end = EarlyEnd()
    return asyncio.run(ask()), end


def test_it_ends_after_the_first_replies_and_again_from_the_record() -> None:
    with Transcript.open(None) as transcript:
        first, end = asked(Mumbling(), transcript)
        assert FIRST <= first < 2 * FIRST
        assert (end.is_reached, end.any_parsed) == (True, False)
        assert asked(Mumbling(), transcript)[0] == first


@pytest.mark.parametrize("number", [0, FIRST - 1])
def test_one_parsed_reply_is_enough_to_go_on(number: int) -> None:
    answered, end = asked(Mumbling(frozenset({number})))
    assert (answered, end.is_reached) == (len(QUESTIONS), False)


def test_a_parsed_reply_that_comes_later_changes_nothing() -> None:
    answered, end = asked(Mumbling(frozenset({FIRST})))
    assert end.is_reached
    assert answered < len(QUESTIONS)


def test_the_budget_still_counts() -> None:
    answered, end = asked(Mumbling(), budget=Budget(questions=5))
    assert (answered, end.is_reached) == (5, False)


def test_missing_answers_are_the_service_s() -> None:
    @dataclass(frozen=True)
    class Silent(Mumbling):
        async def answer(self, question: Prompt, /) -> Reply:
            raise TimeoutError

    answered, end = asked(Silent())
    assert (answered, end.replies, end.is_reached) == (len(QUESTIONS), 0, False)


def test_open_questions_have_nothing_to_parse() -> None:
    answered, end = asked(Mumbling(), questions=[replace(prompt, form=None) for prompt in QUESTIONS])
    assert (answered, end.is_reached) == (len(QUESTIONS), False)
