"""Who decides on cases: a classifier, asked for judgements, or a language model, asked in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from vivavoce.consistency.legal.cases.prompts import CLAIM, judgement_prompt
from vivavoce.consistency.legal.cases.reading import read_probability
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.classifier import Case, Judgement
from vivavoce.interview.interview import Interview
from vivavoce.interview.replies import broken_off
from vivavoce.interview.wording import clipped

UNREADABLE: Final = "unreadable"
TOPIC: Final = "cases"


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of asking for a judgement."""

    judgement: Judgement | None
    absence: str = ""
    """Why there is none: `no answer: ...` or `unreadable: ...`; empty if there is one."""
    usage: Usage = Usage()  # noqa: RUF009 - frozen


class Judge(Protocol):
    """Decides on cases."""

    @property
    def name(self) -> str:
        """The candidate's."""
        ...

    @property
    def claim(self) -> str:
        """What it is asked the probability of; empty where it knows by itself."""
        ...

    async def judge(self, case: Case, *, draw: int = 0) -> Judged:
        """Decide on one case; two independent decisions on the same differ by `draw`."""
        ...


class ClassifierJudge:
    """A classifier: it says by itself what it thinks, and perhaps what it looks at."""

    def __init__(self, interview: Interview[Case, Judgement]) -> None:
        self._interview = interview
        self.name = interview.candidate.name
        self.claim = ""

    async def judge(self, case: Case, *, draw: int = 0) -> Judged:
        """Decide on one case."""
        said = await self._interview.ask(case, draw=draw, topic=f"{TOPIC}/judgement")
        return Judged(None, _no_answer(said)) if isinstance(said, NoAnswer) else Judged(said)


class ModelJudge:
    """A language model: it is asked how probable a claim about the case is, and cannot say what it looks at.

    claim: a sentence that the facts may show to be true.
    """

    def __init__(self, interview: Interview[Prompt, Reply], claim: str = CLAIM) -> None:
        self._interview = interview
        self.claim = claim
        self.name = interview.candidate.name

    async def judge(self, case: Case, *, draw: int = 0) -> Judged:
        """Decide on one case."""
        said = await self._interview.ask(judgement_prompt(case.facts, self.claim), draw=draw, topic=f"{TOPIC}/judgement")
        if isinstance(said, NoAnswer):
            return Judged(None, _no_answer(said))
        probability = None if broken_off(said) else read_probability(said.text)
        if probability is None:
            why = f"{UNREADABLE}: {broken_off(said)}" if broken_off(said) else UNREADABLE
            return Judged(None, f"{why}: {clipped(' '.join(said.text[-500:].split()), 160)}", said.usage)
        return Judged(Judgement(probability), usage=said.usage)


def _no_answer(said: NoAnswer) -> str:
    return f"no answer: {clipped(said.reason, 160)}"
