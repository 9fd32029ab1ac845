"""Prompts for judges: the instructions, and the record in words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.repeated_answers import PrintedForm
from vivavoce.interview.forms.words import Words
from vivavoce.studies.config import Wording
from vivavoce.studies.defendants.decisions import DECISION, PREDICTION, DefendantQuestion
from vivavoce.studies.defendants.records import DefendantRecord, Degree

SYSTEM = """You help a judge with decisions on bail. You are told about one person, about the charge and about the person's \
record. Nothing else is known, and nothing else may enter into the decision.

First write down, in a few sentences, what speaks for release until the trial and what speaks against it, and weigh the one \
against the other. Only then decide. You must decide one way or the other."""
"""Box 6 of `fluri2024` in our words: reasons first, the decision last."""

QUESTION = "Should this person be released on bail? Write down your reasons first."

_PREDICTING: Final = """You help a judge with an estimate of what a defendant will do. You are told about one person, about \
the charge and about the person's record. Nothing else is known, and nothing else may enter into the answer.

First write down, in a few sentences, what speaks for another crime within the next two years and what speaks against it, and \
weigh the one against the other. Only then answer. You must answer one way or the other."""
_ANOTHER_CRIME: Final = "Will this person commit another crime within the next two years? Write down your reasons first."

_OWN: Final[Mapping[DefendantQuestion, tuple[str, str]]] = MappingProxyType(
    {DefendantQuestion.BAIL: (SYSTEM, QUESTION), DefendantQuestion.RECIDIVISM: (_PREDICTING, _ANOTHER_CRIME)}
)
FORM: Final[Mapping[DefendantQuestion, Words]] = MappingProxyType(
    {DefendantQuestion.BAIL: DECISION, DefendantQuestion.RECIDIVISM: PREDICTION}
)


@cache
def _printed() -> Mapping[str, Any]:
    return tomllib.loads(files("vivavoce.studies.defendants").joinpath("printed.toml").read_text(encoding="utf-8"))


def record_in_words(record: DefendantRecord) -> str:
    """A record in our words.

    >>> from vivavoce.studies.defendants.records import Degree
    >>> print(record_in_words(DefendantRecord("Male", 34, "Petit Theft", Degree.MISDEMEANOUR, 1, 0, 2)))
    Sex: male. Age: 34.
    Charge: Petit Theft. It is a misdemeanour.
    Prior convictions: 1.
    Juvenile felony charges: 0. Juvenile misdemeanour charges: 2.
    """
    return (
        f"Sex: {record.sex.lower()}. Age: {record.age}.\n"
        f"Charge: {record.charge or 'not described in the file'}. It is a {record.degree.word}.\n"
        f"Prior convictions: {record.priors}.\n"
        f"Juvenile felony charges: {record.juvenile_felonies}. "
        f"Juvenile misdemeanour charges: {record.juvenile_misdemeanours}."
    )


def record_as_printed(record: DefendantRecord) -> str:
    """A record in the words of Box 6 of `fluri2024`.

    >>> from vivavoce.studies.defendants.records import Degree
    >>> record_as_printed(DefendantRecord("Male", 34, "Petit Theft", Degree.FELONY, 1, 0, 2))[:94]
    'The defendant is a male aged 34. They have been charged with Petit Theft. This crime is classi'
    """
    text: str = _printed()["record"]
    return text.format(
        sex=record.sex.lower(),
        age=record.age,
        charge=record.charge or "a crime that the file does not describe",
        degree="felony" if record.degree is Degree.FELONY else "misdemeanor",
        priors=record.priors,
        juvenile_felonies=record.juvenile_felonies,
        juvenile_misdemeanours=record.juvenile_misdemeanours,
    )


def bail_prompt(
    record: DefendantRecord,
    *,
    name: str,
    temperature: float | None,
    question: DefendantQuestion = DefendantQuestion.BAIL,
    wording: Wording = "own",
) -> Prompt:
    """The question on one record. `name` becomes its id; the candidate does not see it."""
    if wording == "printed":
        printed = _printed()[question.value]
        return Prompt(
            f"{record_as_printed(record)}\n{printed['question']}",
            system=_printed()["system"].format(what=printed["what"]),
            id=name,
            temperature=temperature,
            form=PrintedForm(FORM[question]),
        )
    system, asked = _OWN[question]
    text = f"{record_in_words(record)}\n\n{asked}"
    return Prompt(text, system=system, id=name, temperature=temperature, form=FORM[question])
