"""What a candidate says about its own answers, for arms of a survey: an explanation, and how sure it is.

Each is a fresh conversation that holds the question and the answer as respondents read it. An explanation of more than 750
characters, and a reply without one probability, cannot be shown: the answer is left out of all arms then, so that arms show the
same answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from vivavoce.generalization.survey.arms import ArmKind
from vivavoce.generalization.survey.cards import LONGEST_SHOWN, CandidateAnswers, ShownAnswer
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read

ABOUT: Final = "You were asked this question:\n\n{question}\n\nYou answered:\n\n{answer}\n\n"
EXPLAIN: Final = ABOUT + "Explain in at most three plain sentences why this is the answer. Write the explanation alone."
HOW_SURE: Final = ABOUT + "How probable is it that your answer is correct?"


async def ask_self_reports(
    interview: Interview[Prompt, Reply], answers: CandidateAnswers, kinds: Collection[ArmKind]
) -> CandidateAnswers:
    """The answers with what the candidate says about them, for the kinds of arms that a survey has; others left out."""
    observed = list(answers.observed)
    if "explanation" in kinds:
        prompts = [_prompt(EXPLAIN, answers, one) for one in observed]
        replies = await _replies(interview, prompts, "survey/explanation")
        explained = (_explained(one, reply) for one, reply in zip(observed, replies, strict=False))
        observed = [one for one in explained if one is not None]
    if "confidence" in kinds:
        prompts = [replace(_prompt(HOW_SURE, answers, one), form=Probability()) for one in observed]
        replies = await _replies(interview, prompts, "survey/confidence")
        values = (read(prompt, reply).value for prompt, reply in zip(prompts, replies, strict=False))
        observed = [replace(one, confidence=value) for one, value in zip(observed, values, strict=False) if value is not None]
    return replace(answers, observed=tuple(observed), exhausted=str(interview.exhausted))


async def _replies(interview: Interview[Prompt, Reply], prompts: Sequence[Prompt], topic: str) -> list[Reply | NoAnswer]:
    """Fewer than the prompts where the budget has run out."""
    replies = interview.ask_in_order(prompts, topic=topic, all_wanted=True)
    async with aclosing(replies):
        return [answer async for _, answer in replies]


def _prompt(text: str, answers: CandidateAnswers, one: ShownAnswer) -> Prompt:
    return Prompt(text.format(question=answers.questions[one.question].text, answer=one.shown))


def _explained(one: ShownAnswer, reply: Reply | NoAnswer) -> ShownAnswer | None:
    text = reply.text.strip() if isinstance(reply, Reply) else ""
    return replace(one, explanation=text) if 0 < len(text) <= LONGEST_SHOWN else None
