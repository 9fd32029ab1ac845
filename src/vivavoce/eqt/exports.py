"""Converts a record to a scope: its questions for any candidate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from string import ascii_uppercase
from typing import Any, Final

import numpy as np

from vivavoce.eqt.question_checks import faults, keeps_meaning
from vivavoce.eqt.record import EqtRecord, QuestionRecord
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice

ALL_SETS: Final = 4
"""Maximum number of options for which all sets are listed: 2^4 - 1 = 15."""
_ASK = 'Which of the numbered answers are right? One or several may be; "only" rules out all others.'


def scope_lines(record: EqtRecord, *, only_valid: bool = True) -> Iterator[dict[str, Any]]:
    """The wordings of all questions, as lines of a scope file (`scopes.question_file`).

    A question in a scope has one right choice, but a question here has a set of right options. So options become numbered
    answers, and choices become sets of them: "1 only", "2 and 3 only", "all of them". The score of the scope is then
    closed-book accuracy.

    The wordings of a question form one cluster and are drawn together; each question has the same weight.

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
