"""Made-up defendants, and judges of known behaviour who are told no more than a model would be."""

from __future__ import annotations

import csv
import hashlib
import io
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.studies.defendants.counterfactuals import COLUMNS, Defendant, DefendantRecord, Degree

FELONIES = ("Grand Theft", "Burglary", "Robbery", "Forgery", "Aggravated Assault", "Arson")
MISDEMEANOURS = ("Petit Theft", "Disorderly Conduct", "Trespass", "Driving Without Licence", "Littering", "Loitering")
EITHER = "arrest case no charge"
"""Occurs with both degrees, so that it never stands in for another charge."""

_TOLD = re.compile(
    r"Sex: (?P<sex>\w+)\. Age: (?P<age>\d+)\.\n"
    r"Charge: (?P<charge>.*)\. It is a (?P<degree>felony|misdemeanour)\.\n"
    r"Prior convictions: (?P<priors>\d+)\.\n"
    r"Juvenile felony charges: (?P<felonies>\d+)\. Juvenile misdemeanour charges: (?P<misdemeanours>\d+)\.\n"
)


def more_severe(first: DefendantRecord, other: DefendantRecord) -> bool:
    """Whether the record is worse in one respect and better in none than another of a person of the same sex and age."""
    pairs = list(zip(first.severity, other.severity, strict=True))
    same_person = (first.sex, first.age) == (other.sex, other.age)
    return same_person and all(x >= y for x, y in pairs) and any(x > y for x, y in pairs)


class PromptFacts(NamedTuple):
    """What a judge can read in a prompt."""

    felony: int
    priors: int
    juvenile_felonies: int
    juvenile_misdemeanours: int


def told(text: str) -> PromptFacts:
    match = _TOLD.match(text)
    assert match is not None, text
    numbers = (int(match[name]) for name in ("priors", "felonies", "misdemeanours"))
    return PromptFacts(int(match["degree"] == "felony"), *numbers)


def as_csv(defendants: Sequence[Defendant]) -> str:
    """A file of defendants, as text."""
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    for defendant in defendants:
        r = defendant.record
        numbers = (r.priors, r.juvenile_felonies, r.juvenile_misdemeanours)
        rows.writerow((defendant.id, r.sex, r.age, r.charge, r.degree.value, *numbers))
    return file.getvalue()


def made_up(number: int, *, seed: int = 1) -> list[Defendant]:
    """Defendants about as records are: many with none, a few with a long one."""
    rng = random.Random(seed)
    defendants = []
    for i in range(number):
        degree = Degree.FELONY if rng.random() < 0.65 else Degree.MISDEMEANOUR
        charges = FELONIES if degree is Degree.FELONY else MISDEMEANOURS
        record = DefendantRecord(
            sex=rng.choice(("Male", "Male", "Male", "Female")),
            age=rng.randint(18, 70),
            charge=EITHER if rng.random() < 0.1 else rng.choice(charges),
            degree=degree,
            priors=min(30, int(rng.expovariate(0.3))),
            juvenile_felonies=int(rng.random() < 0.1) * rng.randint(1, 3),
            juvenile_misdemeanours=int(rng.random() < 0.15) * rng.randint(1, 4),
        )
        defendants.append(Defendant(f"d{i}", record))
    return defendants


def burden(text: str) -> int:
    """A weight of the whole record: more of anything weighs more."""
    record = told(text)
    return 3 * record.felony + record.priors + 2 * record.juvenile_felonies + record.juvenile_misdemeanours


def monotone(text: str) -> str:
    """A rule that never contradicts itself."""
    return "YES" if burden(text) < 4 else "NO" if burden(text) > 5 else "UNDECIDED"


def decisive(text: str) -> str:
    """Likewise, without deferring."""
    return "YES" if burden(text) < 5 else "NO"


@dataclass
class Judge:
    """Decides by a function of the prompt's text, in the form that is asked for."""

    decide: Callable[[str], str]
    name: str = "bot:judge"
    asked: list[Prompt] = field(default_factory=list)

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question)
        return Reply(f"The record was weighed.\n\n[Answer] {self.decide(question.text)}")


@dataclass
class Noisy:
    """Follows a rule of YES and NO, but says the opposite with a known probability, again for every reply.

    The chance of each reply depends on its question's name and on how often that was asked, not on the order of questions.
    """

    rule: Callable[[str], str]
    flips: float
    seed: int = 0
    name: str = "bot:noisy"
    times: Counter[str] = field(default_factory=Counter)

    async def answer(self, question: Prompt, /) -> Reply:
        drawn = hashlib.sha256(f"{self.seed} {question.id} {self.times[question.id]}".encode()).digest()
        self.times[question.id] += 1
        text = self.rule(question.text)
        if int.from_bytes(drawn[:8], "big") / 2**64 < self.flips:
            text = {"YES": "NO", "NO": "YES"}[text]
        return Reply(f"[Answer] {text}")
