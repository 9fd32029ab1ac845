"""Who decides on cases: a classifier, asked for judgements, or a language model, asked in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from vivavoce.consistency.legal.cases.prompts import CLAIM, judgement_prompt
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.classifier import Case, Judgement
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.results import Results

UNREADABLE: Final = "unreadable"
TOPIC: Final = "cases"


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of asking for a judgement."""

    judgement: Judgement | None
    absence: str = ""
    """Why there is none: `no answer: ...`, `unreadable: ...`, `copied: ...` or `cut off: ...`; empty if there is one."""
    usage: Usage = Usage()  # noqa: RUF009 - frozen
    after_turn: bool = False
    """Whether it was read only after a further turn."""


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

    @property
    def settings(self) -> Mapping[str, object]:
        """How it is asked, for the signature."""
        ...

    @property
    def asked_so(self) -> tuple[str, ...]:
        """What a reader must know of how it was asked."""
        ...

    @property
    def results(self) -> Results:
        """Rows of its judgements."""
        ...

    def question(self, case: Case) -> object:
        """What it is asked about a case."""
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
        self.results = interview.results

    @property
    def settings(self) -> Mapping[str, object]:
        """It is not asked in words."""
        return {}

    @property
    def asked_so(self) -> tuple[str, ...]:
        """It is not asked in words."""
        return ()

    def question(self, case: Case) -> Case:
        """The case itself."""
        return case

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
        self.results = interview.results

    @property
    def settings(self) -> Mapping[str, object]:
        """How it is asked, for the signature."""
        return self._interview.settings

    @property
    def asked_so(self) -> tuple[str, ...]:
        """What a reader must know of how it was asked."""
        return self._interview.caveats

    def question(self, case: Case) -> Prompt:
        """The facts and the claim in words."""
        return judgement_prompt(case.facts, self.claim)

    async def judge(self, case: Case, *, draw: int = 0) -> Judged:
        """Decide on one case."""
        prompt = self.question(case)
        said = await self._interview.ask(prompt, draw=draw, topic=f"{TOPIC}/judgement")
        if isinstance(said, NoAnswer):
            return Judged(None, _no_answer(said))
        reading, usage = read(prompt, said), said.usage + (said.further.usage if said.further else Usage())
        if reading.value is None:
            known = reading.outcome in (Outcome.COPIED, Outcome.CUT_OFF)
            why = reading.outcome.value if known else f"{UNREADABLE}: {reading.problem}"
            return Judged(None, f"{why}: {clipped(' '.join(said.text[-500:].split()), 160)}", usage)
        return Judged(Judgement(reading.value), usage=usage, after_turn=reading.after_turn)


def _no_answer(said: NoAnswer) -> str:
    return f"no answer: {clipped(said.reason, 160)}"
