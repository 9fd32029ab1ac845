"""Asking questions with their variants, and reading what the answers say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import WAS_READ, heard, outcome_of, read
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.scope import unknowable
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.variations.varied_question import Ask, VariedAnswers, VariedQuestion, asks


def expected_questions(questions: Iterable[VariedQuestion], config: VaryConfig) -> int:
    """How many questions `ask` will put, including those on record."""
    return sum(1 + config.variants + sum(map(len, question.variants.values())) for question in questions)


def expected_tokens(questions: Iterable[VariedQuestion], config: VaryConfig) -> int:
    """Tokens of all prompts, roughly: one for four characters."""
    return sum(len(full_prompt(prompt).text) for prompt in _prompts(questions, config.variants)) // 4


async def varied_answers(
    interview: Interview[Prompt, Reply], questions: Sequence[VariedQuestion], variants: int, replies: Counter[str], topic: str
) -> list[VariedAnswers]:
    """The answers to all questions that were asked with all their variants; counts the replies."""
    finished: list[VariedAnswers] = []
    pending: list[tuple[Ask, str | None]] = []
    wanted = [list(asks(question, variants)) for question in questions]
    prompts = (one.prompt for of_question in wanted for one in of_question)
    async with aclosing(interview.ask_in_order(prompts, topic=topic, all_wanted=True)) as answered:
        async for prompt, answer in answered:
            question, asked = questions[len(finished)], wanted[len(finished)]
            varied = asked[len(pending)]
            pending.append((varied, _said(question, varied, prompt, answer, replies)))
            if len(pending) == len(asked):
                finished.append(VariedAnswers(question, tuple(pending)))
                pending = []
    return finished


def _prompts(questions: Iterable[VariedQuestion], variants: int) -> Iterator[Prompt]:
    return (one.prompt for question in questions for one in asks(question, variants))


def _said(question: VariedQuestion, asked: Ask, prompt: Prompt, answer: Reply | NoAnswer, replies: Counter[str]) -> str | None:
    """What an answer says; None if it can't be parsed, admits ignorance, or met a fault after it may have been heard."""
    if prompt.form is None:
        words, problem = heard(answer)
        replies[problem or WAS_READ] += 1
        return None if problem or unknowable(answer) is not None else words
    reading = read(prompt, answer)
    replies[outcome_of(reading)] += 1
    if reading.value is None or unknowable(answer) is not None:
        return None
    return question.subject.said(asked.wording, reading.value)
