"""Failures as training pairs: what was asked, what should have been said, and what was said.

Each is a line of JSON with `prompt`, `chosen` and `rejected`, which trainers of preferences take as they are, and with where
it comes from. Nothing here says that training on them helps; questions that a candidate was trained on no longer examine it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vivavoce.eqt.grounding import verdict
from vivavoce.eqt.prompts import answer_prompt, explanation_prompt, kind_of, question_prompt, right_of
from vivavoce.eqt.questions import Concept, Item, Record, Sitting
from vivavoce.eqt.validity import faults, keeps_meaning
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.requests import full_prompt


def training_pairs(record: Record) -> Iterator[dict[str, Any]]:
    """A pair a failure, in the order of the record.

    - `answering`: a wording whose answer is not the key; chosen is the key. Only questions without a fault count and, where
      there is a source, only those whose key it bears out. What could not be read, or is not known, has no pair.
    - `explaining`: the explanation of a concept with a question that the source denies; chosen is the source.
    - `writing`: a question whose key the checker finds otherwise in the explanation and in the source alike; chosen is the same
      question with that key.

    The last two need sources: without one nobody knows what would have been right.
    """
    for sitting in record.sittings:
        denied = []
        for item in sitting.items:
            if item.question is None:
                continue
            said = verdict(item) if sitting.source else ""
            if said == "explaining":
                denied.append(item.number)
            if said == "writing":
                yield from _written(record, sitting, item, item.question)
            if said in ("", "answering", "none") and not faults(item, checked=record.set_up.checks):
                yield from _answered(record, sitting.concept, item, item.question)
        if denied:
            prompt = full_prompt(explanation_prompt(sitting.concept, record.set_up.prompts))
            yield _pair("explaining", sitting.concept, prompt, sitting.source, sitting.explanation or "") | {
                "questions": denied
            }


def _answered(record: Record, concept: Concept, item: Item, question: MultipleChoice) -> Iterator[dict[str, Any]]:
    for which, phrasing in enumerate(item.phrasings):
        answer = phrasing.answer
        if phrasing.stem is None or answer is None or answer.chosen in (None, question.key) or not keeps_meaning(phrasing):
            continue
        prompt = answer_prompt(
            concept, item.number, phrasing.stem, question.options, which=which, temperature=None, wording=record.set_up.prompts
        )
        assert prompt.form is not None
        chosen, rejected = (prompt.form.write(options) for options in (question.key, answer.chosen))
        yield _pair("answering", concept, full_prompt(prompt), chosen, rejected) | {
            "number": item.number,
            "wording": which,
        }


def _written(record: Record, sitting: Sitting, item: Item, question: MultipleChoice) -> Iterator[dict[str, Any]]:
    found = [check.chosen for check in (item.key_check, item.source_check) if check is not None]
    if len(set(found)) != 1 or found[0] is None or len(found[0]) == len(question.options):
        return
    concept, config = sitting.concept, record.set_up
    prompt = question_prompt(
        concept, sitting.explanation or "", item.number, kind=kind_of(concept, item.number, seed=config.seed),
        options=config.options, right=right_of(concept, item.number, options=config.options, seed=config.seed),
        wording=config.prompts,
    )  # fmt: skip
    assert prompt.form is not None
    better = MultipleChoice(question.stem, question.options, found[0])
    yield _pair("writing", concept, full_prompt(prompt), prompt.form.write(better), prompt.form.write(question)) | {
        "number": item.number
    }


def _pair(failure: str, concept: Concept, prompt: Prompt, chosen: str, rejected: str) -> dict[str, Any]:
    values = {"failure": failure, "concept": concept.name, "category": concept.category}
    system = {"system": prompt.system} if prompt.system else {}
    return values | system | {"prompt": prompt.text, "chosen": chosen, "rejected": rejected}
