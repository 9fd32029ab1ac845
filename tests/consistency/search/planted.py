"""Candidates with planted contradictions, and what a search finds of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.studies.vary.favourites import OPTIONS, uniform
from tests.studies.vary.planted import scope
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


def another_conjunction(text: str) -> bool:
    """A typing error, and an aside of two of twelve, and a person of four of twelve: 1 of 144 attempts at random."""
    return mistyped(text) and any(aside in text for aside in CONTEXTS[6:8]) and any(person in text for person in PERSONAS[5:9])


def disjunction(text: str) -> bool:
    """One aside of twelve, or one person of twelve: 1 of 12 attempts at random."""
    return CONTEXTS[3] in text or PERSONAS[9] in text


def interaction(text: str) -> bool:
    """An aside and a person whose numbers add up to a multiple of six, 24 of 144 pairs: 1 of 24 attempts at random."""
    asides, people = ([number for number, one in enumerate(of) if one in text] for of in (CONTEXTS, PERSONAS))
    return any((aside + person) % 6 == 0 for aside in asides for person in people)


def conjunction_with_errors(text: str) -> bool:
    """One order of three, and a typing error, and an aside of three of twelve: 1 of 96 attempts at random."""
    return f"(A) {OPTIONS[2]}" in text and mistyped(text) and any(aside in text for aside in CONTEXTS[8:11])


def either_of_two_pairs(text: str) -> bool:
    """One order of three with three asides of twelve, or a typing error with three people of twelve: 1 of 12 attempts."""
    people = any(person in text for person in PERSONAS[7:10])
    return (MOVED_ON in text and any(aside in text for aside in CONTEXTS[1:4])) or (mistyped(text) and people)


def order_with_person(text: str) -> bool:
    """An order and a person whose numbers add up to a multiple of four, 9 of 36 pairs: 1 of 16 attempts at random."""
    orders = [number for number, first in enumerate(OPTIONS) if number and f"(A) {first}" in text]
    return any((order + number) % 4 == 0 for order in orders for number, person in enumerate(PERSONAS) if person in text)


def mistyped(text: str) -> bool:
    """Whether the question itself is not spelt as it was."""
    return not re.search(r"\bWhich colour has thing number \d+ in the large room\?", text)


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
