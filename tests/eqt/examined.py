"""What tests of the examination share: who is examined, on what, and candidates that behave oddly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from tests.eqt.models import FAULTY, MindModel, MindProbabilities
from vivavoce.eqt.examine import Examiner, explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, EqtRecord, EqtRole
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

CONCEPTS = [Concept("Graph theory", "math"), Concept("TCP/IP", "computer science"), Concept("Habeas corpus", "law")]
SET_UP = EqtConfig(questions=3, paraphrases=2)


def all_roles(interview: Examiner) -> dict[EqtRole, Examiner]:
    return dict.fromkeys(ROLES, interview)


async def examined(
    mind: MindProbabilities = FAULTY, concepts: Sequence[Concept] = CONCEPTS, config: EqtConfig = SET_UP
) -> EqtRecord:
    return await explain_query_test(all_roles(Interview(MindModel(mind), answers=Reply, concurrency=50)), concepts, config)


@dataclass
class Performer:
    """Does what `behaviour` does; notes how much it is asked at once."""

    behaviour: Callable[[Prompt], Awaitable[Reply]]
    name: str = "test:planted:0"
    now: int = 0
    most_at_once: int = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            return await self.behaviour(question)
        finally:
            self.now -= 1


@dataclass
class FailingMind:
    """A planted mind that fails where `failure` says so."""

    failure: Callable[[Prompt], str | Exception | None]
    name: str = "test:odd"
    asked: list[str] = field(default_factory=list)

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question.id)
        value = self.failure(question)
        if isinstance(value, Exception):
            raise value
        return Reply(value) if value is not None else await MindModel(MindProbabilities()).answer(question)
