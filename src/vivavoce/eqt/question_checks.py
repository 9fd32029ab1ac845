"""Checks for faulty questions: by their words without a model, and by the checker; and counts of faults.

A question must be understandable alone. "According to the passage" and "as described above" show that it is not; "as described
by Newton's second law" and "in the text of the treaty" are fine. The patterns match references to the explanation (passage,
text, excerpt ...) as if it were visible, and references upwards or backwards ("as stated above"). References downwards ("the
following", "listed below") stay within the question and are fine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from vivavoce.eqt.record import EqtRecord, Phrasing, QuestionRecord
from vivavoce.eqt.result import Validity
from vivavoce.interview.forms.spellings import folded, words_of
from vivavoce.interview.forms.written_question import MultipleChoice

LOOKED_AT: Final = 20_000
"""Maximum number of characters of a question that are searched."""
ALIKE: Final = 0.7
"""Two questions with the same right options and numbers are duplicates if they share this part of their word triples.

In a question with 12 words in its stem and 8 in each of 4 options, exchanging one word keeps 0.87 of the triples. Among all
3,791 pairs of MMLU-Pro questions of one subject with the same right option, the limit finds 87 that are not literally equal.
We read the 40 least similar of these, and all are copies of one question. Between 0.5 and 0.7, every second pair is.
"""

_MATERIAL: Final = (
    r"(?:explanations?|passages?|texts?|excerpts?|paragraphs?|descriptions?|readings?"
    r"|(?:reading|source|study|provided|given) materials?|(?:provided|given|supplied) (?:information|context|content)|handout)"
)
_GIVEN: Final = r"(?:(?:above|provided|given|preceding|previous|accompanying|earlier|original|supplied) )?"
_TOLD: Final = "described|explained|stated|mentioned|discussed|outlined|noted|presented"
_TELLS: Final = (
    "says?|states?|mentions?|describes?|explains?|notes?|highlights?|emphasi[sz]es?|suggests?|lists?|presents?|provides?|gives?"
    "|covers?|discusses|outlines|identifies|claims?|implies|refers?"
)
_AT_HAND: Final = r"(?! of (?!this |these )\w)(?! by \w)(?!['’]s)(?!-)"
"""Excludes texts that a question may be about: "the text of the treaty", "the explanation by Darwin"."""
_FACTS: Final = "(?:information|context|content|details|facts)"

_POINTERS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:according to|based (?:up)?on|as per|judging (?:by|from)|going by|drawing on) (?:the|this|that|our|your) "
        rf"{_GIVEN}{_MATERIAL}\b{_AT_HAND}",
        rf"\b(?:according to|based (?:up)?on) the {_FACTS}(?: (?:provided|given|stated|mentioned))?(?: above)?(?=[,?:]|$)",
        rf"\b(?:{_TOLD}|defined|given|listed|shown|provided|indicated) in (?:the|this|that) {_GIVEN}{_MATERIAL}\b{_AT_HAND}",
        rf"\bas (?:{_TOLD}|defined|given|listed|shown|indicated) (?:above|earlier|previously|before)\b",
        r"\b(?:was|were|is|are|been) (?:described|explained|mentioned|discussed|outlined) (?:above|earlier)\b",
        rf"(?:^|, ?|\()as (?:{_TOLD})(?=[,;?)]|$)",
        rf"\b(?:above|preceding|aforementioned|foregoing) {_MATERIAL}\b",
        rf"\b(?:the|this) {_GIVEN}{_MATERIAL} (?:(?:also|explicitly|specifically|clearly) )?(?:{_TELLS})\b",
        rf"\bin (?:this|the above|the given|the provided|the preceding) {_MATERIAL}\b{_AT_HAND}",
        rf"\bin the (?:passage|excerpt|explanation)\b{_AT_HAND}",
        rf"\bwhat (?:does|do|did) (?:the|this) {_GIVEN}{_MATERIAL} (?:say|state|mention|describe|explain|suggest|imply)\b",
        r"\bthe author(?:['’]s)? (?:of (?:the|this) (?:passage|text|excerpt|explanation)|states|says|argues|claims|mentions)\b",
    )
)


def pointing(question: MultipleChoice) -> str:
    """The first words of the stem, or of an option, that refer to a text; empty if there are none.

    The patterns avoid false alarms rather than finding every reference; the checker looks for the rest.

    >>> pointing(MultipleChoice("According to the passage, what is a tree?", ("a graph", "a plant"), frozenset([0])))
    'According to the passage'
    >>> pointing(MultipleChoice("How fast does it fall, as described by Newton's law?", ("fast", "slowly"), frozenset([0])))
    ''
    """
    return next((words for text in (question.stem, *question.options) if (words := pointing_words(text))), "")


def pointing_words(text: str) -> str:
    """The first words of a text that refer to another text; empty if there are none.

    >>> pointing_words("Which of these holds, as stated in the explanation?")
    'stated in the explanation'
    """
    line = " ".join(text[:LOOKED_AT].split())
    matches = [match for pattern in _POINTERS if (match := pattern.search(line))]
    return min(matches, key=lambda match: match.start())[0].strip(" ,;:(") if matches else ""


def duplicates(questions: Sequence[tuple[int, MultipleChoice]]) -> dict[int, int]:
    """Maps the number of a duplicate to the number of the first earlier question that asks the same.

    Parameters
    ----------
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
        return len(self.triples & other.triples) >= ALIKE * len(self.triples | other.triples)


def triples_of(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """All triples of consecutive words; the ends of a text count as words."""
    rows = (("", *words_of(text), "") for text in texts)
    return frozenset(row[index : index + 3] for row in rows for index in range(max(1, len(row) - 2)))


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

    Parameters
    ----------
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
