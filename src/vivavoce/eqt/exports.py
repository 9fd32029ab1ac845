"""Other uses of a record: its questions as a scope for any candidate, and its failures as training pairs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from string import ascii_uppercase
from typing import Any, Final

import numpy as np

from vivavoce.eqt.grounding import verdict
from vivavoce.eqt.prompts import answer_prompt, explanation_prompt, kind_of, question_prompt, right_of
from vivavoce.eqt.question_checks import faults, keeps_meaning
from vivavoce.eqt.record import Concept, Item, Record, Sitting
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.posing import posed

ALL_SETS: Final = 4
"""Options up to which all sets are listed: 2^4 - 1 = 15."""
_ASK = 'Which of the numbered answers are right? One or several may be; "only" rules out all others.'


def scope_lines(record: Record, *, only_valid: bool = True) -> Iterator[dict[str, Any]]:
    """Each wording of each question as a line of a scope file (`scopes.question_file`).

    Wordings of one question are one cluster, so they are drawn together; each question weighs the same, however many wordings
    it has.

    Parameters
    ----------
    record: with the questions.
    only_valid: leave out questions with a fault, and wordings that mean something else.

    >>> from vivavoce.eqt.record import EqtConfig
    >>> from vivavoce.eqt.record import Concept, Phrasing, Sitting
    >>> question = MultipleChoice("Which are even?", ("2", "3", "4"), frozenset([0, 2]))
    >>> item = Item(1, "recall", question, "strict", phrasings=(Phrasing("Which are even?", None),))
    >>> sitting = Sitting(Concept("Numbers", "math"), "...", "", (item,))
    >>> record = Record({}, EqtConfig(checks=False), (sitting,), 1, 0, 0, 0, 0.0)
    >>> line = next(scope_lines(record))
    >>> line["options"]
    ['1 only', '2 only', '3 only', '1 and 2 only', '1 and 3 only', '2 and 3 only', 'all of them']
    >>> line["answer"], line["cluster"], line["category"]
    ('E', 'Numbers/1', 'math')
    """
    kept = [
        (sitting.concept, item.number, item.question, _wordings(item, only_valid))
        for sitting in record.sittings
        for item in sitting.items
        if item.question is not None and not (only_valid and faults(item, checked=record.set_up.checks))
    ]
    most = max((len(wordings) for *_, wordings in kept), default=0)
    clusters: set[str] = set()
    for concept, number, question, wordings in kept:
        cluster = f"{concept.name}/{number}"
        while cluster in clusters:  # two concepts may have the same name in two categories
            cluster += f" ({concept.category})"
        clusters.add(cluster)
        for place, stem in wordings:
            yield {
                "id": f"{cluster}/{f'paraphrase {place}' if place else 'original'}",
                "category": concept.category,
                "cluster": cluster,
                "weight": most / len(wordings),
                **_scope_question(stem, question),
            }


def sets_listed(options: int, key: Choice, rng: np.random.Generator) -> list[Choice]:
    """The sets of options that are given to choose from, the small ones first; the key is among them.

    Parameters
    ----------
    options: how many there are.
    key: those that are right; it does not influence which sets are drawn, but that it is one of them.
    rng: draws the array.

    >>> listed = sets_listed(6, frozenset([0, 3]), np.random.default_rng(0))
    >>> len(listed) in (15, 16), frozenset([0, 3]) in listed
    (True, True)
    """
    if options <= ALL_SETS:
        found = {frozenset(i for i in range(options) if number >> i & 1) for number in range(1 << options)}
    else:
        found = set()
        while len(found) < 1 << ALL_SETS:  # five to seven columns may all lie in one plane: then sets come twice
            columns = (1 + rng.permutation((1 << ALL_SETS) - 1)[:options]).tolist()
            found = {
                key ^ frozenset(i for i, column in enumerate(columns) if (row & column).bit_count() % 2)
                for row in range(1 << ALL_SETS)
            }
    return sorted(found - {frozenset()}, key=lambda chosen: (len(chosen), sorted(chosen)))


def _wordings(item: Item, only_valid: bool) -> list[tuple[int, str]]:
    """Place and text of each wording that there is."""
    return [
        (place, phrasing.stem)
        for place, phrasing in enumerate(item.phrasings)
        if phrasing.stem and phrasing.stem.strip() and (keeps_meaning(phrasing) or not only_valid)
    ]


def _scope_question(stem: str, question: MultipleChoice) -> dict[str, Any]:
    """Text, choices and the letter of the right one."""
    digest = hashlib.sha256(json.dumps([question.stem, *question.options]).encode()).digest()
    listed = sets_listed(len(question.options), question.key, np.random.default_rng(int.from_bytes(digest)))
    answers = "\n".join(f"{number}. {option}" for number, option in enumerate(question.options, start=1))
    return {
        "question": f"{stem}\n\n{answers}\n\n{_ASK}",
        "options": [_in_words(chosen, len(question.options)) for chosen in listed],
        "answer": ascii_uppercase[listed.index(question.key)],
    }


def _in_words(chosen: Choice, options: int) -> str:
    if len(chosen) == options:
        return "all of them"
    *some, last = (str(place + 1) for place in sorted(chosen))
    return f"{', '.join(some)} and {last} only" if some else f"{last} only"


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
                yield from _writing_pairs(record, sitting, item, item.question)
            if said in ("", "answering", "none") and not faults(item, checked=record.set_up.checks):
                yield from _answering_pairs(record, sitting.concept, item, item.question)
        if denied:
            prompt = posed(explanation_prompt(sitting.concept, record.set_up.prompts))
            yield _training_pair("explaining", sitting.concept, prompt, sitting.source, sitting.explanation or "") | {
                "questions": denied
            }


def _answering_pairs(record: Record, concept: Concept, item: Item, question: MultipleChoice) -> Iterator[dict[str, Any]]:
    for which, phrasing in enumerate(item.phrasings):
        answer = phrasing.answer
        if phrasing.stem is None or answer is None or answer.chosen in (None, question.key) or not keeps_meaning(phrasing):
            continue
        prompt = answer_prompt(
            concept, item.number, phrasing.stem, question.options, which=which, temperature=None, wording=record.set_up.prompts
        )
        assert prompt.form is not None
        chosen, rejected = (prompt.form.write(options) for options in (question.key, answer.chosen))
        yield _training_pair("answering", concept, posed(prompt), chosen, rejected) | {"number": item.number, "wording": which}


def _writing_pairs(record: Record, sitting: Sitting, item: Item, question: MultipleChoice) -> Iterator[dict[str, Any]]:
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
    yield _training_pair("writing", concept, posed(prompt), prompt.form.write(better), prompt.form.write(question)) | {
        "number": item.number
    }


def _training_pair(failure: str, concept: Concept, prompt: Prompt, chosen: str, rejected: str) -> dict[str, Any]:
    values = {"failure": failure, "concept": concept.name, "category": concept.category}
    system = {"system": prompt.system} if prompt.system else {}
    return values | system | {"prompt": prompt.text, "chosen": chosen, "rejected": rejected}
