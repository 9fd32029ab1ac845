"""Before and after a dialogue, on the page and in the terminal."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

from tests.examination.teaching.serving import reply
from tests.render.html_pages import assert_in_order, outline
from tests.studies.sycophancy.faults import right_of
from tests.studies.vary.favourites import OPTIONS
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.examination.teaching import (
    CandidateAfterDialogue,
    Dialogue,
    TeachingFinding,
    hold_dialogue,
    split_scope,
)
from vivavoce.examination.teaching_config import TeachingConfig
from vivavoce.interview.candidate import Exchange, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question


class PlayedTeacher:
    """Who is served over the wire in other tests, here by itself."""

    ways = ("text", "turn")

    def __init__(self, model: str) -> None:
        self.name = f"test:{model}"
        self._model = model

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply(reply(self._model, question.conversation))


@cache
def finding(hostile: str = "", questions: int = 120) -> TeachingFinding:
    """A good teacher; hostile words in every place that strangers fill."""
    things = [str(n) for n in range(questions)]
    rows = tuple(Question(f"q{n}", f"Which colour has thing {n} in the room?", OPTIONS, (right_of(n),)) for n in things)
    result = asyncio.run(held(ListedScope("things", rows)))
    if not hostile:
        return result
    exchanges = tuple(
        Exchange(f"{exchange.asked}{hostile}", f"{exchange.replied}{hostile}") for exchange in result.dialogue.exchanges
    )
    spoilt = Dialogue(f"teacher{hostile}", exchanges, (hostile,))
    return replace(result, candidate=f"pupil{hostile}", dialogue=spoilt)


async def held(scope: ListedScope) -> TeachingFinding:
    teacher, pupil = PlayedTeacher("good"), PlayedTeacher("pupil")
    shown, rest = split_scope(scope, TeachingConfig())
    prompts = [scope.prompt(question) for question in shown]
    asks, answers = (Interview(who, answers=Reply) for who in (teacher, pupil))
    dialogue = await hold_dialogue(asks, answers, [question.id for question in shown], prompts, TeachingConfig())
    both = [Interview(who, answers=Reply) for who in (CandidateAfterDialogue(pupil, dialogue), pupil)]
    return TeachingFinding(await compare(both, rest, ComparisonConfig(seed=0)), pupil.name, dialogue)


def test_numbers_then_the_dialogue_then_caveats() -> None:
    result = finding()
    text = outline(result).text
    order = [result.headline, "pupil, after", "The dialogue", "Which rule holds for all things? (3)", "Limits"]
    assert_in_order(text, order)
    assert "is better on things" in result.headline


def test_another_dialogue_makes_another_candidate() -> None:
    dialogue = finding().dialogue
    pupil = PlayedTeacher("pupil")
    other = replace(dialogue, exchanges=dialogue.exchanges[:1])
    names = {CandidateAfterDialogue(pupil, entry).name for entry in (dialogue, other)}
    assert len(names) == 2
    assert CandidateAfterDialogue(pupil, dialogue).ways == pupil.ways  # type: ignore[attr-defined]  # as the candidate has it
