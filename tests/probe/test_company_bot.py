"""A bot that reads real prompts fails as its simulation does: a whole probe finds the same planted ways."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from tests.companies.policy import PolicyFact
from tests.probe.company_bots import MODES, CompanyHolder, written_questions
from tests.probe.planted import hashed
from vivavoce.candidates.function import Function
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.interview import Interview
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.finding import ProbeFinding
from vivavoce.probe.probe import ProbeHelpers, probe
from vivavoce.scopes.questions import Question

COMPANY, SEED = 0, 7


@cache
def trigrams(text: str) -> frozenset[str]:
    return frozenset(text[i : i + 3] for i in range(len(text) - 2))


class CompanyBot:
    """Answers from the facts, and fails in the planted ways; a wrong reply recurs in 90% of repeats."""

    def __init__(self) -> None:
        self._facts = list(written_questions(COMPANY)[1].values())
        self._asked: Counter[tuple[str, ...]] = Counter()

    def answer(self, prompt: Prompt) -> str:
        texts = tuple(text for role, text in prompt.conversation if role == "user")
        self._asked[texts] += 1
        questions = [text for text in texts if "final answer to the question" not in text]
        fact = self._fact(questions[-1])
        recurs = self._asked[texts] == 1 or hashed(self._asked[texts], *texts) < 0.9
        is_wrong = recurs and any(mode.makes_wrong(fact, self._kinds(texts, questions, fact), SEED) for mode in MODES)
        return f"Answer: {fact.wrong if is_wrong else fact.answer or DONT_KNOW}"

    def _fact(self, text: str) -> PolicyFact:
        """The fact that the text asks about, perhaps in other words."""
        line = text.lower()
        stated = [fact for fact in self._facts if fact.question.lower() in line]
        return max(stated or self._facts, key=lambda fact: self._likeness(fact, line))

    @staticmethod
    def _likeness(fact: PolicyFact, line: str) -> float:
        own = trigrams(fact.question.lower())
        return len(own & trigrams(line)) / len(own)

    @staticmethod
    def _kinds(texts: tuple[str, ...], questions: list[str], fact: PolicyFact) -> str:
        last = questions[-1]
        kinds = {
            "sure": "Are you sure" in texts[-1],
            "capitals": len(re.findall(r"\b[A-Z]{4,}\b", last)) > 2,
            "typos": fact.question.lower() not in last.lower(),
            "after-two": len(questions) == 3,
        }
        return "+".join(kind for kind, is_seen in kinds.items() if is_seen) or "plain"


class ExactGrader:
    """Compares with the right answers (a `ConversationGrader`), as a judge would; the rule can't grade every wrong name."""

    async def failed(self, question: Question, asked: Prompt, answer: Reply | NoAnswer) -> bool | None:
        assert isinstance(answer, Reply)
        return answer.text != f"Answer: {written_questions(COMPANY)[1][question.id].answer or DONT_KNOW}"


@pytest.mark.long
async def test_planted_ways_are_confirmed_with_real_prompts() -> None:
    candidate = Function("function:bot", CompanyBot().answer)
    interview = Interview(candidate, answers=Reply, concurrency=4)
    scope, _ = written_questions(COMPANY)
    config = ProbeConfig(calls=250, fresh=75, random=False)
    finding = await probe(interview, scope, config, ProbeHelpers(grader=ExactGrader(), judge="exact"))
    shown = [ways(finding, index) for index in range(len(finding.modes))]
    assert all(shown), "nothing is confirmed that was not planted"
    assert len(set().union(*shown)) >= 6
    assert "sure" in {mode.kind_name for mode in finding.common}


def ways(finding: ProbeFinding, index: int) -> set[str]:
    """The planted ways that make the example of a mode fail."""
    return CompanyHolder(COMPANY, SEED).shown_by(finding.modes[index].example.conversation.plan)
