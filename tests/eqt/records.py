"""Examinations whose figures are known: written down by hand, or drawn from planted chances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.record import Concept, ConceptRecord, EqtConfig, EqtRecord, EqtRole, ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.eqt.score import score
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice

ROLES: dict[EqtRole, str] = dict.fromkeys(("explainer", "writer", "paraphraser", "answerer", "checker"), "model")
OPTIONS = ("one", "two", "three", "four")


def choice(letters: str) -> Choice:
    """Options by their letters: "AC" is the first and the third."""
    return frozenset("ABCDEFGHIJ".index(letter) for letter in letters)


def answer(option: str) -> ParsedAnswer:
    """Letters; "?" is an answer that names no option, "-" one that never came."""
    if option == "?":
        return ParsedAnswer(None, "unreadable", "no option named")
    return ParsedAnswer(None, "no answer", "time-out") if option == "-" else ParsedAnswer(choice(option), "strict")


def item(number: int, closed: str, opened: str | None = "A", key: str = "A", **more: Any) -> QuestionRecord:
    """A question with its key, the answers to its wordings (parted by blanks, "." is one never put), and the open-book one.

    The key is reproduced by the checker, and no paraphrase changes the meaning, unless `more` says so.
    """
    answers = [None if name == "." else answer(name) for name in closed.split()]
    wordings = tuple(
        Phrasing(f"Wording {index} of question {number}?", parsed_answer, same_meaning=True if index else None)
        for index, parsed_answer in enumerate(answers)
    )
    fields: dict[str, Any] = {
        "phrasings": wordings,
        "open_book": None if opened is None else answer(opened),
        "key_check": answer(key),
        "self_contained": True,
    }
    return QuestionRecord(
        number, "recall", MultipleChoice(f"Question {number}?", OPTIONS, choice(key)), "strict", **(fields | more)
    )


def concept_record(name: str, items: Sequence[QuestionRecord], category: str = "math") -> ConceptRecord:
    """All questions on one concept."""
    return ConceptRecord(Concept(name, category), f"{name} is explained.", "", tuple(items))


def record(concept_records: Sequence[ConceptRecord], *, roles: dict[EqtRole, str] | None = None, **more: Any) -> EqtRecord:
    """An examination of these sittings."""
    config = more.pop("config", None) or EqtConfig(questions=max((1, *(len(entry.items) for entry in concept_records))))
    fields: dict[str, Any] = {"planned": len(concept_records), "calls": 0, "tokens_in": 0, "tokens_out": 0, "money": 0.0}
    return EqtRecord(roles or ROLES, config, tuple(concept_records), **(fields | more))


def finding_on(whole: EqtRecord) -> EqtFinding:
    """The finding on one candidate."""
    return finding_of([score(whole)])


def planted(
    rng: np.random.Generator,
    *,
    concepts: int = 20,
    questions: int = 5,
    paraphrases: int = 3,
    recall: float = 0.6,
    opened: float = 0.9,
    swerve: float = 0.1,
    spread: float = 4.0,
) -> EqtRecord:
    """An examination where a concept's chance to be recalled is drawn around `recall`, the smaller `spread` the farther off.

    A question of the concept is known with that chance, and then answered rightly, else wrongly, in every wording; each answer
    swerves to the opposite with chance `swerve`. So closed-book accuracy is recall (1 - swerve) + (1 - recall) swerve.
    With the explanation at hand it is answered rightly with chance `opened`.
    """
    concept_records = []
    for number in range(concepts):
        of_concept = rng.beta(spread * recall, spread * (1 - recall))
        items = []
        for index in range(1, questions + 1):
            known = rng.random() < of_concept
            right = known ^ (rng.random(1 + paraphrases) < swerve)
            items.append(item(index, " ".join("A" if entry else "B" for entry in right), "A" if rng.random() < opened else "C"))
        concept_records.append(concept_record(f"concept {number}", items, f"category {number % 4}"))
    return record(concept_records, config=EqtConfig(questions=questions, paraphrases=paraphrases))
