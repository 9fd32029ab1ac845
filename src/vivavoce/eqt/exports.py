"""Converts a record for other uses: its questions as a scope for any candidate, and its failures as training pairs."""

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
from vivavoce.eqt.record import Concept, ConceptRecord, EqtRecord, QuestionRecord
from vivavoce.formats.json_values import given
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.requests import full_prompt

ALL_SETS: Final = 4
"""Maximum number of options for which all sets are listed: 2^4 - 1 = 15."""
_ASK = 'Which of the numbered answers are right? One or several may be; "only" rules out all others.'


def scope_lines(record: EqtRecord, *, only_valid: bool = True) -> Iterator[dict[str, Any]]:
    """The wordings of all questions, as lines of a scope file (`scopes.question_file`).

    A question in a scope has one right choice, but a question here has a set of right options. So options become numbered
    answers, and choices become sets of them: "1 only", "2 and 3 only", "all of them". The score of the scope is then
    closed-book accuracy.

    The wordings of a question form one cluster and are drawn together; each question has the same weight.

    Parameters
    ----------
    record: the record with the questions.
    only_valid: leave out questions with a fault, and wordings with another meaning.

    >>> from vivavoce.eqt.record import EqtConfig
    >>> from vivavoce.eqt.record import Concept, Phrasing, ConceptRecord
    >>> question = MultipleChoice("Which are even?", ("2", "3", "4"), frozenset([0, 2]))
    >>> item = QuestionRecord(1, "recall", question, "strict", phrasings=(Phrasing("Which are even?", None),))
    >>> concept_record = ConceptRecord(Concept("Numbers", "math"), "...", "", (item,))
    >>> record = EqtRecord({}, EqtConfig(checks=False), (concept_record,), 1, 0, 0, 0, 0.0)
    >>> line = next(scope_lines(record))
    >>> line["options"]
    ['1 only', '2 only', '3 only', '1 and 2 only', '1 and 3 only', '2 and 3 only', 'all of them']
    >>> line["answer"], line["cluster"], line["category"]
    ('E', 'Numbers/1', 'math')
    """
    kept = [
        (concept_record.concept, item.number, item.question, _wordings(item, only_valid))
        for concept_record in record.concept_records
        for item in concept_record.items
        if item.question is not None and not (only_valid and faults(item, checked=record.config.checks))
    ]
    most = max((len(wordings) for *_, wordings in kept), default=0)
    clusters: set[str] = set()
    for concept, number, question, wordings in kept:
        cluster = f"{concept.name}/{number}"
        while cluster in clusters:  # concepts of two categories may have the same name
            cluster += f" ({concept.category})"
        clusters.add(cluster)
        for index, stem in wordings:
            yield {
                "id": f"{cluster}/{f'paraphrase {index}' if index else 'original'}",
                "category": concept.category,
                "cluster": cluster,
                "weight": most / len(wordings),
                **_scope_question(stem, question),
            }


def sets_listed(options: int, key: Choice, rng: np.random.Generator) -> list[Choice]:
    """List the sets of options to choose from, in order of size; the key is among them.

    With up to four options, every non-empty set is listed. With more, sets similar to the key would give it away: its options
    would occur most often. So 15 or 16 sets are listed from an orthogonal array (`hedayat1999`): over 16 sets, each option is
    in 8 and each two options are in 4, whichever of the sets is the key. The empty set is left out.

    Parameters
    ----------
    options: the number of options.
    key: the indices of the right options.
    rng: draws the array.

    >>> listed = sets_listed(6, frozenset([0, 3]), np.random.default_rng(0))
    >>> len(listed) in (15, 16), frozenset([0, 3]) in listed
    (True, True)
    """
    if options <= ALL_SETS:
        numbers = {frozenset(i for i in range(options) if number >> i & 1) for number in range(1 << options)}
    else:
        numbers = set()
        while len(numbers) < 1 << ALL_SETS:  # five to seven columns may lie in one plane: then sets repeat
            columns = (1 + rng.permutation((1 << ALL_SETS) - 1)[:options]).tolist()
            numbers = {
                key ^ frozenset(i for i, column in enumerate(columns) if (row & column).bit_count() % 2)
                for row in range(1 << ALL_SETS)
            }
    return sorted(numbers - {frozenset()}, key=lambda chosen: (len(chosen), sorted(chosen)))


def _wordings(item: QuestionRecord, only_valid: bool) -> list[tuple[int, str]]:
    return [
        (index, phrasing.stem)
        for index, phrasing in enumerate(item.phrasings)
        if phrasing.stem and phrasing.stem.strip() and (keeps_meaning(phrasing) or not only_valid)
    ]


def _scope_question(stem: str, question: MultipleChoice) -> dict[str, Any]:
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
    *some, last = (str(index + 1) for index in sorted(chosen))
    return f"{', '.join(some)} and {last} only" if some else f"{last} only"


def training_pairs(record: EqtRecord) -> Iterator[dict[str, Any]]:
    """Failures as training pairs, in the order of the record.

    Each pair is a JSON line with `prompt`, `chosen` and `rejected`, the format of preference training, and its origin. Whether
    training on them helps is not tested. A candidate trained on questions can no longer be examined with them.

    - `answering`: a wording whose answer is not the key; chosen is the key. Only questions without a fault count and, with a
      source, only those whose key the source confirms. Unparsed and unknown answers have no pair.
    - `explaining`: the explanation of a concept with a question that the source denies; chosen is the source.
    - `writing`: a question whose key the checker contradicts, by explanation and source alike; chosen is the question with
      the checker's key.

    The last two need sources.
    """
    for concept_record in record.concept_records:
        denied = []
        for item in concept_record.items:
            if item.question is None:
                continue
            words = verdict(item) if concept_record.source else ""
            if words == "explaining":
                denied.append(item.number)
            if words == "writing":
                yield from _writing_pairs(record, concept_record, item, item.question)
            if words in ("", "answering", "none") and not faults(item, checked=record.config.checks):
                yield from _answering_pairs(record, concept_record.concept, item, item.question)
        if denied:
            prompt = full_prompt(explanation_prompt(concept_record.concept, record.config.prompts))
            yield _training_pair(
                "explaining", concept_record.concept, prompt, concept_record.source, concept_record.explanation or ""
            ) | {"questions": denied}


def _answering_pairs(
    record: EqtRecord, concept: Concept, item: QuestionRecord, question: MultipleChoice
) -> Iterator[dict[str, Any]]:
    for which, phrasing in enumerate(item.phrasings):
        answer = phrasing.answer
        if phrasing.stem is None or answer is None or answer.chosen in (None, question.key) or not keeps_meaning(phrasing):
            continue
        prompt = answer_prompt(
            concept, item.number, phrasing.stem, question.options, which=which, temperature=None, wording=record.config.prompts
        )
        assert prompt.form is not None
        chosen, rejected = (prompt.form.write(options) for options in (question.key, answer.chosen))
        yield _training_pair("answering", concept, full_prompt(prompt), chosen, rejected) | {
            "number": item.number,
            "wording": which,
        }


def _writing_pairs(
    record: EqtRecord, concept_record: ConceptRecord, item: QuestionRecord, question: MultipleChoice
) -> Iterator[dict[str, Any]]:
    numbers = [check.chosen for check in (item.key_check, item.source_check) if check is not None]
    if len(set(numbers)) != 1 or numbers[0] is None or len(numbers[0]) == len(question.options):
        return
    concept, config = concept_record.concept, record.config
    prompt = question_prompt(
        concept, concept_record.explanation or "", item.number, kind=kind_of(concept, item.number, seed=config.seed),
        options=config.options, right=right_of(concept, item.number, options=config.options, seed=config.seed),
        wording=config.prompts,
    )  # fmt: skip
    assert prompt.form is not None
    better = MultipleChoice(question.stem, question.options, numbers[0])
    yield _training_pair("writing", concept, full_prompt(prompt), prompt.form.write(better), prompt.form.write(question)) | {
        "number": item.number
    }


def _training_pair(failure: str, concept: Concept, prompt: Prompt, chosen: str, rejected: str) -> dict[str, Any]:
    values = {"failure": failure, "concept": concept.name, "category": concept.category}
    return values | given(system=prompt.system) | {"prompt": prompt.text, "chosen": chosen, "rejected": rejected}
