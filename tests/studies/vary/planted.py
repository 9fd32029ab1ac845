"""Candidates whose flip rates are planted, and questions for them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

import numpy as np

from tests.studies.vary.favourites import GERMAN, OPTIONS, planted_letter, uniform
from vivavoce.examination.parts.studies import population_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.scope_subjects import subjects_of
from vivavoce.studies.variations.kinds import Wording
from vivavoce.studies.variations.varied_question import VariedQuestion, vary
from vivavoce.studies.vary import Origin, VaryFinding, ask

AS_IT_IS = 2
"""Breaks between paragraphs: text, options, instruction."""


def scope(questions: int, salt: str = "") -> ListedScope:
    return ListedScope(
        f"planted{salt}",
        tuple(
            Question(f"q{n}{salt}", f"Which colour has thing number {n}{salt} in the large room?", OPTIONS, ("A",))
            for n in range(questions)
        ),
    )


@dataclass
class PlantedVariations:
    """Says what `planted_letter` does, with noise that is drawn anew each time."""

    prefers_a: float = 0.0
    german: float = 0.0
    noise: float = 0.0
    mumbles: float = 0.0
    """Share of questions on which it mumbles when there is anything before the question."""
    seed: int = 0
    name: str = "test:planted"
    asked: int = 0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        await asyncio.sleep(0)
        match = re.search(r"\b\d\S*", question.text)
        assert match is not None
        key = match[0]
        if uniform("mumbles", key) < self.mumbles and question.text.count("\n\n") > AS_IT_IS:
            return Reply("Well, well.")
        if self.noise and self.rng.random() < self.noise:
            return Reply(f"Answer: {'ABCD'[int(self.rng.integers(4))]}")
        return Reply(f"Answer: {planted_letter(question.text, self.prefers_a, self.german)}")


def translated(clusters: list[VariedQuestion]) -> list[VariedQuestion]:
    """With a German variant each, as a writer would have it."""
    return [
        cluster.with_variants(
            "translate:de", (Wording(GERMAN + cluster.subject.wording.text, cluster.subject.wording.options),)
        )
        for cluster in clusters
    ]


def examined(
    who: PlantedVariations,
    questions: ListedScope,
    config: VaryConfig,
    *,
    in_german: bool = False,
    budget: Budget = Budget(),  # noqa: B008
) -> VaryFinding:
    clusters = vary(subjects_of(questions, config), config)
    interview = Interview(who, answers=Reply, concurrency=4, budget=budget)
    population = None if config.flip_limit is None else population_of(questions, config)
    return asyncio.run(ask(interview, translated(clusters) if in_german else clusters, config, Origin(population=population)))
