"""Candidates whose flip rates are planted, and questions for them."""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import dataclass, field

import numpy as np

from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.consistency.invariance.clusters import Cluster, vary
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.invariance.examine import Origin, ask
from vivavoce.consistency.invariance.finding import InvarianceFinding
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.examination.varied import population_of, subjects_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

AS_IT_IS = 2
"""Breaks between paragraphs: text, options, instruction."""
GERMAN = "Auf Deutsch: "
OPTIONS = ("red", "green", "blue", "white")
PREFERS_A, GERMAN_FLIPS, NOISE = 0.15, 0.3, 0.05
"""The rates of the studies."""
_OPTION = re.compile(r"^\(([A-Z])\) (.*)$", re.MULTILINE)


def scope(questions: int, salt: str = "") -> ListedScope:
    return ListedScope(
        f"planted{salt}",
        tuple(
            Question(f"q{n}{salt}", f"Which colour has thing number {n}{salt} in the large room?", OPTIONS, ("A",))
            for n in range(questions)
        ),
    )


def uniform(*words: object) -> float:
    """A number in [0, 1) that hangs on these words alone."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:8], "big") / 2**64


def planted_letter(text: str, prefers_a: float, german: float, *, noise: tuple[float, str, int] = (0.0, "", 0)) -> str:
    """What a planted candidate says: a letter.

    It has a favourite content for each question. On a share of questions it says A whatever that is; on another, drawn apart,
    it has another favourite in German. With a small chance it says anything: noise is that chance, and what it hangs on.
    """
    found = re.search(r"\b\d\S*", text)
    assert found is not None
    key, (chance, *of) = found[0], noise
    letters: dict[str, str] = {option: letter for letter, option in _OPTION.findall(text)}
    if uniform("noise", *of, text) < chance:
        return "ABCD"[int(4 * uniform("letter", *of, text))]
    likes_a = uniform("a", key) < prefers_a
    if likes_a and GERMAN not in text:
        return "A"
    favourite = 0 if likes_a else int(4 * uniform("favourite", key))
    if GERMAN in text and uniform("german", key) < german:
        favourite = (favourite + 1) % 4
    return letters[OPTIONS[favourite]]


@dataclass
class Planted:
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
        found = re.search(r"\b\d\S*", question.text)
        assert found is not None
        key = found[0]
        if uniform("mumbles", key) < self.mumbles and question.text.count("\n\n") > AS_IT_IS:
            return Reply("Well, well.")
        if self.noise and self.rng.random() < self.noise:
            return Reply(f"Answer: {'ABCD'[int(self.rng.integers(4))]}")
        return Reply(f"Answer: {planted_letter(question.text, self.prefers_a, self.german)}")


def translated(clusters: list[Cluster]) -> list[Cluster]:
    """With a German variant each, as a writer would have it."""
    return [
        cluster.with_variants(
            "translate:de", (Wording(GERMAN + cluster.subject.wording.text, cluster.subject.wording.options),)
        )
        for cluster in clusters
    ]


def examined(
    who: Planted,
    questions: ListedScope,
    config: InvarianceConfig,
    *,
    in_german: bool = False,
    budget: Budget = Budget(),  # noqa: B008
) -> InvarianceFinding:
    clusters = vary(subjects_of(questions, config), config)
    interview = Interview(who, answers=Reply, concurrency=4, budget=budget)
    population = None if config.flip_limit is None else population_of(questions, config)
    return asyncio.run(ask(interview, translated(clusters) if in_german else clusters, config, Origin(population=population)))
