"""Candidates with planted contradictions, and what a search finds of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.consistency.invariance.favourites import OPTIONS, uniform
from tests.consistency.invariance.planted import scope
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.invariance.sentences import CONTEXTS, PERSONAS
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.examine import search
from vivavoce.consistency.search.finding import ContradictionSearch
from vivavoce.consistency.search.spaces.varied import VariedQuestions, kinds_of
from vivavoce.examination.varied import subjects_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

KINDS = ("order", "typos", "context", "persona")
_OPTION = re.compile(r"^\(([A-Z])\) (.*)$", re.MULTILINE)
FOUR_ASIDES, FOUR_PEOPLE = CONTEXTS[:4], PERSONAS[:4]
MOVED_ON = f"(A) {OPTIONS[1]}"
"""The options are moved on by one."""


def thing(text: str) -> str:
    """The number of the thing, the same under every variation."""
    (number,) = re.findall(r"\d+", text)[:1]
    return str(number)


def one_feature(text: str) -> bool:
    """Who asks is one person of twelve."""
    return PERSONAS[2] in text


def conjunction(text: str) -> bool:
    """One order of three, and an aside of four of twelve, and a person of four of twelve: 1 of 216 attempts at random."""
    return MOVED_ON in text and any(aside in text for aside in FOUR_ASIDES) and any(person in text for person in FOUR_PEOPLE)


def nothing_to_learn(text: str) -> bool:
    """One of 25 varied questions, whatever was varied."""
    is_varied = any(part in text for part in (*CONTEXTS, *PERSONAS)) or f"(A) {OPTIONS[0]}" not in text
    return is_varied and uniform("flips", text) < 0.04


def coherent(_: str) -> bool:
    return False


@dataclass
class Flips:
    """Has a favourite for each thing, and another one where that is planted; with a small chance says anything."""

    planted: Callable[[str], bool]
    noise: float = 0.0
    mumbles: bool = False
    """Whether it mumbles where something stands before the question."""
    seed: int = 0
    name: str = "test:flips"
    asked: int = 0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        text = question.text
        if self.mumbles and not text.startswith("Which"):
            return Reply("Well, well.")
        letters = {option: letter for letter, option in _OPTION.findall(text)}
        favourite = int(4 * uniform("favourite", thing(text))) + self.planted(text)
        if self.noise and self.rng.random() < self.noise:
            favourite = int(self.rng.integers(4))
        return Reply(f"Answer: {letters[OPTIONS[favourite % 4]]}")


def space(questions: int = 60, seed: int = 0, kinds: tuple[str, ...] = KINDS) -> VariedQuestions:
    config = InvarianceConfig(questions=questions, seed=seed)
    return VariedQuestions(subjects_of(scope(questions), config), kinds_of(kinds), seed)


def searched(
    who: Flips,
    config: ContradictionSearchConfig,
    *,
    questions: int = 60,
    kinds: tuple[str, ...] = KINDS,
    budget: Budget = Budget(),  # noqa: B008
    transcript: Transcript | None = None,
    concurrency: int = 8,
) -> ContradictionSearch:
    interview = Interview(who, answers=Reply, budget=budget, transcript=transcript, concurrency=concurrency)
    return asyncio.run(search(interview, space(questions, config.seed, kinds), config))
