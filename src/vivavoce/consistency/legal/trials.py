"""Cases, paraphrases and trials, and the figures that `fluri2024` reports on its own classifier.

Judges of cases (classifiers and language models), and the importance of facts to them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import tomllib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np

from vivavoce.consistency.config import ImportanceMethod
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read

REVIEW = "rejected in review"
"""Why a paraphrase from a file is not used."""


class FactChoice(StrEnum):
    """How the fact to paraphrase is chosen."""

    BLACK = "black"
    """A random fact, chosen without knowledge of the classifier."""
    WHITE = "white"
    """The fact that is most important to the classifier."""
    AGAIN = "again"
    """No fact: the control asks the identical case again, so its differences are due to chance."""


@dataclass(frozen=True, slots=True)
class LegalCase:
    """A case from a file."""

    id: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A paraphrase of a fact, or the reason why there is none."""

    fact: str
    text: str
    """Empty if there is no paraphrase."""
    problem: str = ""
    """Why it is not used; empty if it is used."""
    checked: bool = False
    """Whether a checker or a person confirmed that it states the same."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A pair of judgements: the unchanged case, and the case with one paraphrased fact.

    >>> trial = Trial("c1", FactChoice.WHITE, 3, "She was jailed.", "She was imprisoned.", 0.75, 0.25)
    >>> trial.shift, trial.flips(0.5), trial.flips(0.9)
    (-0.5, True, False)
    """

    case: str
    box: FactChoice
    fact_number: int
    """The number of the fact from 0; -1 if the unchanged case was asked again."""
    fact: str
    paraphrase: str
    before: float
    """The classifier's probability for the unchanged case."""
    after: float

    @property
    def shift(self) -> float:
        """The signed change of the probability."""
        return self.after - self.before

    def flips(self, threshold: float) -> bool:
        """Whether the binary decision changes; a probability at the threshold counts as above it."""
        return (self.before >= threshold) != (self.after >= threshold)


@dataclass(frozen=True, slots=True)
class ExaminedCase:
    """The trials of one case, and their cost."""

    case: str
    trials: tuple[Trial, ...] = ()
    skipped: str = ""
    """Why there are no trials; empty if there are some."""
    unread: int = 0
    """Number of facts beyond the classifier's limit."""
    judged_by: str = ""
    """How importance was measured: `attention` (reported by the classifier), `leave-one-out`, or empty if not measured."""
    paraphrases: tuple[Paraphrase, ...] = ()
    """All requested paraphrases of the chosen facts."""
    absences: Mapping[str, int] = field(default_factory=dict)
    """Missing judgements by reason."""
    judgements: int = 0
    """Number of requested judgements."""
    after_turn: int = 0
    """Number of these that could be parsed only after a follow-up."""
    usage: Usage = field(default_factory=Usage)
    """The cost of all answers on this case."""


def digest_of_cases(cases: Sequence[LegalCase]) -> str:
    """SHA-256 in hex of the cases (ids and facts), in their order."""
    text = json.dumps([[case.id, list(case.facts)] for case in cases], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def published(table: Literal["measures", "training", "flips"]) -> Mapping[str, Any]:
    """A table of `published.toml`.

    >>> published("measures")["f1"]
    0.869
    """
    text = files("vivavoce.consistency.legal").joinpath("published.toml").read_text(encoding="utf-8")
    figures: Mapping[str, Any] = tomllib.loads(text)[table]
    return figures


PROBABILITY: Final = Probability()
CLAIM: Final = "The facts show a violation of the European Convention on Human Rights."

_JUDGE: Final = (
    "You assist a court. From the facts of a case you estimate how probable it is that a claim about the case is true. Weigh "
    "briefly what speaks for the claim and what speaks against it, then settle on a single probability, from 0% for a claim "
    "that is certainly false to 100% for one that is certainly true."
)


def judgement_prompt(facts: Sequence[str], claim: str = CLAIM) -> Prompt:
    """The prompt that asks how probable the claim is, given the facts."""
    listed = "\n".join(f"- {fact}" for fact in facts)
    text = f"Claim: {claim}\n\nFacts of the case:\n{listed}\n\nHow probable is it that the claim is true?"
    return Prompt(text, _JUDGE, form=PROBABILITY)


UNREADABLE: Final = "unreadable"
TOPIC: Final = "cases"


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A judgement with its cost, or the reason why there is none."""

    judgement: CaseJudgement | None
    absence: str = ""
    """The reason: `no answer: ...`, `unreadable: ...`, `copied: ...` or `cut off: ...`; empty if there is a judgement."""
    usage: Usage = Usage()  # noqa: RUF009 - frozen
    after_turn: bool = False
    """Whether the judgement could be parsed only after a follow-up."""


class ClassifierJudge:
    """A classifier as a judge: it reports a probability, and possibly its attention to facts."""

    def __init__(self, interview: Interview[FactCase, CaseJudgement]) -> None:
        self._interview = interview
        self.name = interview.candidate.name
        self.results = interview.results
        self.claim = ""
        self.settings: Mapping[str, object] = {}
        self.asked_so: tuple[str, ...] = ()

    def question(self, case: FactCase) -> FactCase:
        """The case itself."""
        return case

    async def judge(self, case: FactCase, *, draw: int = 0) -> JudgeReply:
        """Decide on one case."""
        judgement = await self._interview.ask(case, draw=draw, topic=f"{TOPIC}/judgement")
        return JudgeReply(None, _no_answer(judgement)) if isinstance(judgement, NoAnswer) else JudgeReply(judgement)


class ModelJudge:
    """A language model as a judge: it is asked for the probability of a claim about the case, and reports no attention.

    claim: a statement that the facts may support.
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
        """Caveats about how it was asked."""
        return self._interview.caveats

    def question(self, case: FactCase) -> Prompt:
        """The prompt with the facts and the claim."""
        return judgement_prompt(case.facts, self.claim)

    async def judge(self, case: FactCase, *, draw: int = 0) -> JudgeReply:
        """Decide on one case."""
        prompt = self.question(case)
        reply = await self._interview.ask(prompt, draw=draw, topic=f"{TOPIC}/judgement")
        if isinstance(reply, NoAnswer):
            return JudgeReply(None, _no_answer(reply))
        reading, usage = read(prompt, reply), reply.usage + (reply.further.usage if reply.further else Usage())
        if reading.value is None:
            known = reading.outcome in (Outcome.COPIED, Outcome.CUT_OFF)
            why = reading.outcome.value if known else f"{UNREADABLE}: {reading.problem}"
            return JudgeReply(None, f"{why}: {clipped(' '.join(reply.text[-500:].split()), 160)}", usage)
        return JudgeReply(CaseJudgement(reading.value), usage=usage, after_turn=reading.after_turn)


def _no_answer(absence: NoAnswer) -> str:
    return f"no answer: {clipped(absence.reason, 160)}"


LegalJudge = ClassifierJudge | ModelJudge
"""A candidate that decides on cases; its `claim` is empty for a classifier."""


ATTENTION: Final = "attention"
LEAVE_ONE_OUT: Final = "leave-one-out"

Ask = Callable[[FactCase], Awaitable[JudgeReply]]


def eligible(facts: Sequence[str], *, shortest: int) -> list[int]:
    """The facts that may be paraphrased, by their numbers from 0.

    Short facts are hard to reword. The first fact is similar in all cases, so a paraphrase of it would be conspicuous (appendix
    D of `fluri2024`, for random facts). The most important fact is chosen among the same facts, so that both boxes are
    comparable.

    >>> eligible(["In the beginning", "short", "long enough"], shortest=8)
    [2]
    """
    return [i for i, fact in enumerate(facts) if i and len(fact) >= shortest]


def drawn(numbers: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    """Draw at most `count` of these facts; they are returned in the order of the draw."""
    order = rng.permutation(len(numbers))[:count]
    return [numbers[i] for i in order]


def most_important(importance: dict[int, float], rng: np.random.Generator) -> int:
    """The fact with the largest importance; ties are broken at random.

    >>> most_important({3: 0.1, 7: 0.4}, np.random.default_rng(0))
    7
    """
    largest = max(importance.values())
    return drawn([number for number, value in importance.items() if value == largest], 1, rng)[0]


async def importance_of(
    case: FactCase, judgement: CaseJudgement, numbers: Sequence[int], *, method: ImportanceMethod, ask: Ask
) -> tuple[dict[int, float], str]:
    """The importance of each of these facts, and how it was measured; facts of unknown importance are omitted.

    By `leave-one-out`, a fact's importance is the change of the probability without it, |p(all) - p(without it)|, which needs
    one more judgement per fact. The only fact of a case can't be left out, and is the most important one anyway.

    Raises `BadInput` if only attention is allowed and the judge reports none.
    """
    attention = judgement.importance
    if method != LEAVE_ONE_OUT and attention is not None and len(attention) == len(case.facts):
        return {number: attention[number] for number in numbers}, ATTENTION
    if method == ATTENTION:
        raise BadInput("this classifier does not report the importance of facts: write --importance leave-one-out")
    if len(case.facts) == 1:
        return dict.fromkeys(numbers, 0.0), LEAVE_ONE_OUT
    without = await asyncio.gather(*(ask(case.without(number)) for number in numbers))
    return {
        number: abs(judgement.probability - judged.judgement.probability)
        for number, judged in zip(numbers, without, strict=True)
        if judged.judgement is not None
    }, LEAVE_ONE_OUT
