"""Questions with their variants: prepare them, ask them, and count the calls."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

import numpy as np

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import WAS_READ, heard, outcome_of, read
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.scope import unknowable
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.effects import any_of
from vivavoce.studies.scope_subjects import ScopeSubject
from vivavoce.studies.variations.kinds import RequestedVariation, Wording, variation

DOES_NOT_APPLY: Final = "does not apply"
AGAIN: Final = "again"
"""Name used instead of a kind: the identical question repeated."""


@dataclass(frozen=True, slots=True)
class VariedQuestion:
    """A question and its variants, related by a law: `same`, or one of the user's own."""

    subject: ScopeSubject
    variants: Mapping[str, tuple[Wording, ...]] = field(default_factory=dict)
    """Variants by the name of the variation; each has equally many."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why there are no variants, by the name of the variation."""

    def with_variants(self, name: str, wordings: tuple[Wording, ...]) -> VariedQuestion:
        """The same question with these variants."""
        return replace(self, variants={**self.variants, name: wordings})

    def without(self, name: str, reason: str) -> VariedQuestion:
        """The same question with the reason why it has no variants of this kind."""
        return replace(self, left_out={**self.left_out, name: reason})


@dataclass(frozen=True, slots=True)
class WordingRequest:
    """One question to ask the candidate."""

    kind: str
    """The name of a variation; `AGAIN` for the identical question repeated; empty for the original question."""
    wording: Wording
    prompt: Prompt


def vary(subjects: Sequence[ScopeSubject], config: VaryConfig) -> list[VariedQuestion]:
    """Make all variants that need no writer; the others are left for `writing.write`.

    Each question and kind has its own seed, so adding a kind changes none of the others.
    """
    by_program = [entry for entry in variations(config) if not entry.kind.written]
    return [_varied(subject, by_program, config) for subject in subjects]


def variations(config: VaryConfig) -> list[RequestedVariation]:
    """The requested variations. Raises `UnknownName` and `BadInput`."""
    return [variation(name) for name in config.vary]


def asks(question: VariedQuestion, number: int) -> Iterator[WordingRequest]:
    """All prompts of one question: the original, its repetition as often as each kind has variants, then the variants."""
    subject = question.subject
    prompt = subject.prompt(subject.wording, subject.id)
    yield WordingRequest("", subject.wording, prompt)
    yield from (WordingRequest(AGAIN, subject.wording, prompt) for _ in range(number))
    for name, wordings in question.variants.items():
        for index, wording in enumerate(wordings, start=1):
            yield WordingRequest(name, wording, subject.prompt(wording, f"{subject.id}/{name}/{index}"))


def _varied(subject: ScopeSubject, kinds: Sequence[RequestedVariation], config: VaryConfig) -> VariedQuestion:
    question = VariedQuestion(subject)
    for kind in kinds:
        assert kind.kind.make is not None
        wordings = kind.kind.make(subject.wording, config.variants, _rng(subject, kind.name, config.seed))
        question = question.with_variants(kind.name, wordings) if wordings else question.without(kind.name, DOES_NOT_APPLY)
    return question


def _rng(subject: ScopeSubject, name: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{name}\n{subject.id}\n{subject.wording.text}".encode("utf-8", "replace")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


Pair = tuple[str, str]
"""Two answers, the earlier one first."""


@dataclass(frozen=True, slots=True)
class VariedAnswers:
    """All answers to one question and its variants."""

    question: VariedQuestion
    answers: tuple[tuple[WordingRequest, str | None], ...]
    """Each prompt with what its answer says; None if it is unparsed or admits ignorance."""
    judged: Mapping[Pair, bool | None] | None = None
    """A judge's decisions whether two answers say the same (None: the judge can't tell); None without a judge."""

    def said(self, kind: str) -> list[str | None]:
        """Answers to the original question and to all variants of a kind."""
        return [text for ask, text in self.answers if ask.kind in ("", kind)]

    def flipped(self, kind: str) -> bool | None:
        """Whether two of the answers to the original question and to the variants of a kind differ."""
        answers = self.said(kind)
        known = [answer for answer in answers if answer is not None]
        if answers and answers[0] is None and self.question.subject.one_way:
            return None
        if self.judged is None:
            differ = self.question.subject.differ(known) if len(known) > 1 else False
        else:
            differ = any_of([self.differ(known[0], other) for other in known[1:]])
        return True if differ else None if differ is None or len(known) < len(answers) else False

    def differ(self, first: str, other: str) -> bool | None:
        """Whether two answers differ; None if no rule and no judge can tell."""
        by_rule = self.question.subject.differ([first, other])
        if by_rule is False or self.judged is None:
            return by_rule
        same = self.judged.get((first, other))
        return None if same is None else not same


def expected_questions(questions: Iterable[VariedQuestion], config: VaryConfig) -> int:
    """Number of questions that `ask` sends, including those on record."""
    return sum(1 + config.variants + sum(map(len, question.variants.values())) for question in questions)


def expected_tokens(questions: Iterable[VariedQuestion], config: VaryConfig) -> int:
    """Rough number of tokens of all prompts: one for four characters."""
    prompts = (wanted.prompt for question in questions for wanted in asks(question, config.variants))
    return sum(len(full_prompt(prompt).text) for prompt in prompts) // 4


async def varied_answers(
    interview: Interview[Prompt, Reply], questions: Sequence[VariedQuestion], variants: int, replies: Counter[str], topic: str
) -> list[VariedAnswers]:
    """Ask the questions and return those that were asked with all their variants; counts the replies."""
    wanted = [list(asks(question, variants)) for question in questions]
    prompts = (ask.prompt for of_question in wanted for ask in of_question)
    answers = iter([pair async for pair in interview.ask_in_order(prompts, topic=topic, all_wanted=True)])
    finished = []
    for question, asked in zip(questions, wanted, strict=True):
        answered = list(zip(asked, islice(answers, len(asked)), strict=False))
        said = tuple((ask, _said(question, ask, *pair, replies)) for ask, pair in answered)
        if len(said) == len(asked):
            finished.append(VariedAnswers(question, said))
    return finished


def _said(
    question: VariedQuestion, asked: WordingRequest, prompt: Prompt, answer: Reply | NoAnswer, replies: Counter[str]
) -> str | None:
    """The content of an answer; None if it is unparsed, admits ignorance, or met a fault after it may have been received."""
    if prompt.form is None:
        words, problem = heard(answer)
        replies[problem or WAS_READ] += 1
        return None if problem or unknowable(answer) is not None else words
    reading = read(prompt, answer)
    replies[outcome_of(reading)] += 1
    if reading.value is None or unknowable(answer) is not None:
        return None
    return question.subject.said(asked.wording, reading.value)
