"""Finds written questions that repeat a benchmark's, which the candidate may have memorised.

Section 4 of `asgari2025` compares derived questions with MMLU-Pro's and gives no number. Here each question is compared with
every original of its category, or with all originals if the benchmark lacks the category. Similarity is the share of common
word triples (`duplicates`), once for stems and once for stems with options. A question is a near-duplicate if either share
reaches `ALIKE`. Only words are compared, so a question that asks the same in other words is not found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.eqt.benchmark_files import Original
from vivavoce.eqt.record import Concept, EqtRecord
from vivavoce.eqt.score import AnsweredQuestion, figures, groups_of, pattern_of, questions_asked, withheld
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate
from vivavoce.interview.forms.question_wording import ALIKE, triples_of
from vivavoce.statistics.clustered import share_estimate

Triples = frozenset[tuple[str, ...]]
SHORTEST: Final = 5
"""Minimum number of triples of a stem that is compared alone: short stems such as "What is a graph?" are common."""


@dataclass(frozen=True, slots=True)
class NearestOriginal:
    """A written question and the most similar original."""

    concept: Concept
    number: int
    stem: str
    alike: float
    """Share of common word triples, from 0 to 1."""
    original: str
    """The original's id; empty if they have no three consecutive words in common."""
    original_stem: str

    json_keys = "concept=concept.name category=concept.category number stem alike original original_stem"


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many of a candidate's questions repeat a benchmark's."""

    candidate: str
    """The writer of the questions."""
    benchmark: str
    digest: str
    """SHA-256 of the benchmark's file; empty without a file."""
    originals: int
    """Number of questions in the benchmark."""
    share: Estimate
    """Share of near-duplicates; the interval is clustered by concept."""
    categories: Mapping[str, Estimate]
    nearest: tuple[NearestOriginal, ...]
    """One per written question, in descending order of similarity."""
    closed_same: Estimate
    """Closed-book accuracy on near-duplicates."""
    closed_other: Estimate
    """Closed-book accuracy on the others."""
    prevails: bool = False
    """Whether the candidate gives one answer regardless of the question; both accuracies are then withheld."""

    json_keys = "candidate benchmark digest originals share categories nearest closed_same closed_other"


@dataclass(frozen=True, slots=True)
class _Index:
    """An index of the originals by word triples."""

    originals: Sequence[Original]
    stems: Sequence[Triples]
    wholes: Sequence[Triples]
    places: Mapping[tuple[str, ...], Sequence[int]]


def overlap(record: EqtRecord, originals: Sequence[Original], *, source: str = "", digest: str = "") -> Overlap:
    """Compare the questions of an examination with a benchmark's.

    Parameters
    ----------
    record: the record with the questions.
    originals: the benchmark's questions.
    source, digest: the benchmark's name, and SHA-256 of its file.

    Raises `BadInput` if either has no questions.
    """
    asked = questions_asked(record)
    if not asked or not originals:
        raise BadInput("there are no questions to compare" if not asked else "the benchmark has no questions")
    there = {original.category for original in originals}
    indices = {name: _index([original for original in originals if original.category == name]) for name in there}
    everything = None if there.issuperset(question.concept.category for question in asked) else _index(originals)
    nearest = []
    for question in asked:
        index = indices.get(question.concept.category) or everything
        assert index is not None
        nearest.append(_nearest(question, index))
    same = [original.alike >= ALIKE for original in nearest]
    apart = [[question for question, is_same in zip(asked, same, strict=True) if is_same is wanted] for wanted in (True, False)]
    pattern = pattern_of(asked)
    prevails = pattern is not None and pattern.prevails
    closed = [(withheld(shown) if prevails else shown).closed for shown in (figures("", group) for group in apart)]
    categories = dict.fromkeys(question.concept.category for question in asked)
    return Overlap(
        candidate=record.roles.get("writer", ""),
        benchmark=source or "the benchmark",
        digest=digest,
        originals=len(originals),
        share=share_estimate(same, groups_of(asked)),
        categories={name: _share_of(name, asked, same) for name in categories},
        nearest=tuple(sorted(nearest, key=lambda original: -original.alike)),
        closed_same=closed[0],
        closed_other=closed[1],
        prevails=prevails,
    )


def _index(originals: Sequence[Original]) -> _Index:
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    stems = [triples_of([original.question.stem]) for original in originals]
    wholes = [triples_of([original.question.stem, *original.question.options]) for original in originals]
    for index, triples in enumerate(wholes):
        for triple in triples:
            places[triple].append(index)
    return _Index(originals, stems, wholes, places)


def _nearest(question: AnsweredQuestion, index: _Index) -> NearestOriginal:
    stem, whole = triples_of([question.question.stem]), triples_of([question.question.stem, *question.question.options])
    candidates = {position for triple in whole for position in index.places.get(triple, ())}
    best, position = 0.0, -1
    for other in sorted(candidates):
        alike = _shared(whole, index.wholes[other])
        if min(len(stem), len(index.stems[other])) >= SHORTEST:
            alike = max(alike, _shared(stem, index.stems[other]))
        if alike > best:
            best, position = alike, other
    original = index.originals[position] if position >= 0 else None
    return NearestOriginal(
        question.concept, question.item.number, question.question.stem, round(best, 6), original.id if original else "",
        original.question.stem if original else "",
    )  # fmt: skip


def _shared(first: Triples, second: Triples) -> float:
    return len(first & second) / len(first | second)


def _share_of(category: str, asked: Sequence[AnsweredQuestion], same: Sequence[bool]) -> Estimate:
    held = [(question, is_same) for question, is_same in zip(asked, same, strict=True) if question.concept.category == category]
    return share_estimate([is_same for _, is_same in held], groups_of([question for question, _ in held]))
