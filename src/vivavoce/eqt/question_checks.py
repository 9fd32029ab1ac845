"""Checks for faulty questions: by their words without a model, and by the checker; and counts of faults.

A question must be understandable alone: it does not point at the explanation (`interview.forms.written_question`).

Converts a record to a scope: its questions for any candidate.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Final, TypeVar

import numpy as np

from vivavoce.eqt.record import EqtRecord, Phrasing, QuestionRecord
from vivavoce.eqt.result import Validity
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.spellings import folded, words_of
from vivavoce.interview.forms.written_question import ALIKE_AT, MultipleChoice, pointing_words, triples_of


def pointing(question: MultipleChoice) -> str:
    """The first words of the stem, or of an option, that refer to a text; empty if there are none.

    The patterns avoid false alarms rather than finding every reference; the checker looks for the rest.

    >>> pointing(MultipleChoice("According to the passage, what is a tree?", ("a graph", "a plant"), frozenset([0])))
    'According to the passage'
    >>> pointing(MultipleChoice("How fast does it fall, as described by Newton's law?", ("fast", "slowly"), frozenset([0])))
    ''
    """
    return next((words for text in (question.stem, *question.options) if (words := pointing_words(text))), "")


def duplicates(questions: Sequence[tuple[int, MultipleChoice]]) -> dict[int, int]:
    """Maps the number of a duplicate to the number of the first earlier question that asks the same.

    questions: the questions on one concept, with their numbers, in order.

    >>> tree = MultipleChoice("What is a tree?", ("A graph without cycles", "A plant"), frozenset([0]))
    >>> again = MultipleChoice("what is a Tree", ("a plant.", "a graph without cycles"), frozenset([1]))
    >>> other = MultipleChoice("What is a path?", ("A row of edges", "A way"), frozenset([0]))
    >>> duplicates([(1, tree), (2, other), (4, again)])
    {4: 1}
    """
    seen: list[tuple[int, QuestionFingerprint]] = []
    result = {}
    for number, question in questions:
        fingerprint = QuestionFingerprint(question)
        twin = next((earlier for earlier, other in seen if fingerprint.asks_the_same(other)), None)
        if twin is None:
            seen.append((number, fingerprint))
        else:
            result[number] = twin
    return result


class QuestionFingerprint:
    """The word triples, numbers and right options of a question, for comparisons."""

    def __init__(self, question: MultipleChoice) -> None:
        options = [folded(option) for option in question.options]
        self.whole = (folded(question.stem), frozenset(options))
        self.right = frozenset(options[index] for index in question.key)
        texts = [question.stem, *question.options]
        self.numbers = Counter(word for text in texts for word in words_of(text) if any(map(str.isdigit, word)))
        self.triples = triples_of(texts)

    def asks_the_same(self, other: QuestionFingerprint) -> bool:
        """Whether both ask the same: literally, or in similar words with the same right options and numbers."""
        if self.whole == other.whole:
            return True  # even if the keys differ, since one of them is then wrong
        if self.right != other.right or self.numbers != other.numbers:
            return False
        return len(self.triples & other.triples) >= ALIKE_AT * len(self.triples | other.triples)


Value = TypeVar("Value", bound=str)

POINTS: Final = "points at a text"
NOT_SELF_CONTAINED: Final = "not self-contained"
DUPLICATE: Final = "a duplicate"
KEY_FAILED: Final = "key not reproduced"
KEY_UNCONFIRMED: Final = "key not confirmed"
NEVER_ASKED: Final = "never asked for"
NO_EXPLANATION: Final = "no explanation"


def faults(item: QuestionRecord, *, checked: bool) -> tuple[str, ...]:
    """The faults of a written question; empty if it is valid.

    If keys are checked, the checker must reproduce the key: an unparsed or missing check does not confirm it. Otherwise keys
    are trusted. A question also counts as self-contained if the checker's reply could not be parsed.

    item: the record of a written question.
    checked: whether the examination checks keys (`EqtConfig.checks`).
    """
    result = []
    if item.pointing:
        result.append(POINTS)
    if item.self_contained is False:
        result.append(NOT_SELF_CONTAINED)
    if item.duplicate_of is not None:
        result.append(DUPLICATE)
    if checked and (item.key_check is None or item.key_check.chosen is None):
        result.append(KEY_UNCONFIRMED)
    elif key_failed(item):
        result.append(KEY_FAILED)
    return tuple(result)


def key_failed(item: QuestionRecord) -> bool:
    """Whether the checker, with the explanation, gave an answer other than the key."""
    check, question = item.key_check, item.question
    return check is not None and check.chosen is not None and question is not None and check.chosen != question.key


def keeps_meaning(phrasing: Phrasing) -> bool:
    """Whether the checker did not object to a wording's meaning."""
    return phrasing.same_meaning is not False


def validity(record: EqtRecord) -> Validity:
    """Count the faults of questions and paraphrases.

    `wanted` is the sum of `written` and all of `not_written`; the same holds for paraphrases.
    """
    asked_for = [item for concept_record in record.concept_records for item in concept_record.items]
    written = [item for item in asked_for if item.question is not None]
    checks = record.config.checks
    checked = [item for item in written if item.key_check is not None]
    paraphrases = [phrasing for item in written for phrasing in item.phrasings[1:]]
    made = [phrasing for phrasing in paraphrases if phrasing.stem is not None]
    wanted = record.config.questions * len(record.concept_records)
    paraphrases_wanted = record.config.paraphrases * len(written)
    return Validity(
        wanted=wanted,
        written=len(written),
        parses=counted(item.parse for item in asked_for),
        not_written=_not_written(record),
        pointing=sum(bool(item.pointing) for item in written),
        not_self_contained=sum(item.self_contained is False for item in written),
        duplicates=sum(item.duplicate_of is not None for item in written),
        key_checked=len(checked),
        key_failed=sum(map(key_failed, checked)),
        key_unreadable=sum(item.key_check is not None and item.key_check.chosen is None for item in checked),
        paraphrases_wanted=paraphrases_wanted,
        paraphrases_made=len(made),
        paraphrases_changed=sum(phrasing.same_meaning is False for phrasing in made),
        paraphrases_unchecked=sum(phrasing.same_meaning is None for phrasing in made),
        not_paraphrased=counted(
            (phrasing.problem or NEVER_ASKED for phrasing in paraphrases if phrasing.stem is None),
            more={NEVER_ASKED: paraphrases_wanted - len(paraphrases)},
        ),
        valid=sum(not faults(item, checked=checks) for item in written),
    )


def counted(values: Iterable[Value], *, more: Mapping[Value, int] | None = None) -> dict[Value, int]:
    """How often each value occurs, plus `more`, the most frequent first.

    >>> counted(["b", "a", "a"])
    {'a': 2, 'b': 1}
    """
    counts = Counter(values)
    for value, number in (more or {}).items():
        counts[value] += max(0, number)
    return {value: number for value, number in counts.most_common() if number}


def _not_written(record: EqtRecord) -> dict[str, int]:
    reasons, missing = [], {NEVER_ASKED: 0, NO_EXPLANATION: 0}
    for concept_record in record.concept_records:
        reasons += [item.problem or NEVER_ASKED for item in concept_record.items if item.question is None]
        missing[NO_EXPLANATION if concept_record.explanation is None else NEVER_ASKED] += record.config.questions - len(
            concept_record.items
        )
    return counted(reasons, more=missing)


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
