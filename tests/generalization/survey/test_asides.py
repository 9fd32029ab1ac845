"""What a candidate says about its own answers: asked with the answer at hand, and left out where it cannot be shown."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.generalization.pairs import TaskQuestion
from vivavoce.generalization.survey.cards import CandidateAnswers, ShownAnswer, ask_self_reports
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

ANSWERS = CandidateAnswers(
    tuple(TaskQuestion(f"What is {number} + {{1}}?", "sums") for number in range(4)),
    tuple(ShownAnswer(number, str(number + 1), True) for number in range(4)),
    {"answer": 4},
)


class Talkative:
    """Explains all but the first, which it explains at too great a length; does not know how sure it is of the second."""

    name = "talkative"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def answer(self, question: Prompt, /) -> Reply:
        """By what is asked."""
        self.asked.append(question.text)
        if "Explain" in question.text:
            return Reply("x" * 751 if "What is 0" in question.text else " I added. ")
        return Reply("Who knows?" if "What is 1" in question.text else "Answer: 80%")


@pytest.mark.parametrize(
    ("kinds", "kept", "questions"),
    [((), [0, 1, 2, 3], 0), (("explanation",), [1, 2, 3], 4), (("explanation", "confidence"), [2, 3], 7)],
)
def test_answers_that_some_arm_could_not_show_are_left_out_of_all(
    kinds: tuple[str, ...], kept: list[int], questions: int
) -> None:
    candidate = Talkative()
    found = asyncio.run(ask_self_reports(Interview(candidate, answers=Reply), ANSWERS, kinds))  # type: ignore[arg-type]
    assert [one.question for one in found.observed] == kept
    assert found.left_out == 4 - len(kept)
    assert len({text for text in candidate.asked if "further" not in text}) >= questions
    if "explanation" in kinds:
        assert {one.explanation for one in found.observed} == {"I added."}
        assert "What is 0 + {1}?\n\nYou answered:\n\n1\n" in candidate.asked[0]
    if "confidence" in kinds:
        assert {one.confidence for one in found.observed} == {0.8}
