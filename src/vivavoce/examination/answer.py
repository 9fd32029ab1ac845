"""The answer of a report: tests that a candidate passes, uses to avoid, and what is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final, NamedTuple

from vivavoce.examination.cards import FindingCard, Kind
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.wording import LONGEST_NAME, clipped, count, numbered, share
from vivavoce.report.cells import listed
from vivavoce.report.reported import figures_of

PASSES: Final = "Passes"
FAILS: Final = "Don't use it for"
UNKNOWN: Final = "Unknown"
MEASURED: Final = "Measured only"
NONE_PASSED: Final = "none of the tests"
NONE_FAILED: Final = "no test failed"
MOST_NAMED: Final = 3
"""Failed tests that the first sentence names."""


@dataclass(frozen=True, slots=True)
class SkippedRoom:
    """An examination without a finding, and the reason."""

    room: str
    reason: str
    fits: bool = True
    """Whether the examination is for such a candidate at all; if not, its question is not open."""

    @property
    def question(self) -> str:
        """The open question."""
        return QUESTIONS[self.room]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer in parts, each with its phrases."""

    result: str
    """After the candidate's name: how many tests it passes, and what not to use it for."""
    trusted: tuple[str, ...]
    not_for: tuple[str, ...]
    unknown: tuple[str, ...]
    measured: tuple[str, ...]
    """Sentences."""
    guarantee: str
    """The bound on the errors of all verdicts together, in a sentence; empty without verdicts."""

    @property
    def paragraph(self) -> str:
        """The answer without the result.

        >>> print(Answer("passes the test", ("sums",), (), ("anything else",), (), "").paragraph)
        Passes: sums. Don't use it for: no test failed. Unknown: anything else.
        """
        parts = [f"{heading}: {joined(kind, texts).rstrip('.')}." for kind, heading, texts in parts_of(self)]
        return " ".join(filter(None, [*parts, self.guarantee]))


def parts_of(answer: Answer) -> list[tuple[Kind, str, tuple[str, ...]]]:
    """The parts of an answer with their headings. Empty parts say so, or are left out."""
    rows: list[tuple[Kind, str, tuple[str, ...]]] = [
        ("trusted" if answer.trusted else "unknown", PASSES, answer.trusted or (NONE_PASSED,)),
        ("not" if answer.not_for else "unknown", FAILS, answer.not_for or (NONE_FAILED,)),
        ("unknown", UNKNOWN, answer.unknown),
        ("measured", MEASURED, answer.measured),
    ]
    return [row for row in rows if row[2]]


def joined(kind: Kind, texts: Sequence[str]) -> str:
    """Phrases as a list; measurements are whole sentences."""
    return (" " if kind == "measured" else "; ").join(texts)


def with_pass_mark(cards: Sequence[FindingCard]) -> list[FindingCard]:
    """The findings with a pass mark: certificates, and studies with a limit."""
    return [card for card in cards if card.room == CertificatePart.room or figures_of(card.details).get("limit_test")]


def answer_of(cards: Sequence[FindingCard], absent: Sequence[SkippedRoom]) -> Answer:
    """The answer that the findings give; anything not tested is unknown."""

    def of(kind: Kind) -> tuple[str, ...]:
        return tuple(claim.words for card in cards for claim in card.claims if claim.kind == kind)

    questions = [f"“{skipped.question}” (not examined)" for skipped in absent if skipped.fits]
    return Answer(
        _result(cards),
        of("trusted"),
        of("not"),
        (*of("unknown"), *questions, "anything else"),
        of("measured"),
        _guarantee(cards),
    )


def _result(cards: Sequence[FindingCard]) -> str:
    kinds = [claim.kind for card in with_pass_mark(cards) for claim in card.claims]
    passed = f"passes {count(kinds.count('trusted'))} of {numbered(len(kinds), 'test')}"
    if not kinds:
        passed = "took no test with a pass mark"
    undecided = f" ({count(kinds.count('unknown'))} undecided)" if "unknown" in kinds else ""
    failed = [
        clipped(claim.subject or claim.words, LONGEST_NAME) for card in cards for claim in card.claims if claim.kind == "not"
    ]
    if len(failed) > MOST_NAMED + 1:
        failed = [*failed[:MOST_NAMED], f"{count(len(failed) - MOST_NAMED)} more"]
    return f"{passed}{undecided}" + (f". Don't use it for {listed(failed)}" if failed else "")


def _guarantee(cards: Sequence[FindingCard]) -> str:
    """The bound for all verdicts together: at most the sum of the bounds of each procedure."""
    promises = Counter(promise for card in cards if (promise := _promise(card)))
    each = [_sentence(promise, number) for promise, number in promises.items()]
    total = fsum(number * promise.chance for promise, number in promises.items())
    if promises.total() > 1 and total < 1 and not any(promise.shared for promise in promises):
        each.append(f"Together they give any wrong verdict at most {share(total)} of the time.")
    return " ".join(each)


class _Promise(NamedTuple):
    """The bound on the errors of a card's verdicts."""

    verdicts: int
    chance: float
    shared: bool
    """Whether the bound is on the mean share of wrong verdicts."""


def _promise(card: FindingCard) -> _Promise | None:
    """None if the card gives no verdict."""
    bounds = [(claim.chance, claim.shared) for claim in card.claims if claim.chance is not None]
    return _Promise(len(bounds), *bounds[0]) if bounds else None


def _sentence(promise: _Promise, cards: int) -> str:
    """The promise of so many cards."""
    number, chance = promise.verdicts * cards, share(promise.chance)
    verdicts = f"{numbered(number, 'verdict')} {'comes' if number == 1 else 'come'} from"
    procedures = "a procedure" if cards == 1 else f"{count(cards)} procedures"
    if promise.shared:
        return f"{verdicts} {procedures}: on average at most {chance} of its verdicts are wrong."
    wrong = "is wrong" if promise.verdicts == 1 else "gives any wrong one"
    return f"{verdicts} {procedures}{' that' if cards == 1 else ', each of which'} {wrong} at most {chance} of the time."
