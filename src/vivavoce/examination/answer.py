"""The answer of a report: what a candidate may be trusted for, what not, and what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf

from vivavoce.examination.cards import Card, Kind
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.wording import count, share


@dataclass(frozen=True, slots=True)
class SkippedRoom:
    """A room that found nothing, and why."""

    room: str
    reason: str
    fits: bool = True
    """Whether the room is for such a candidate at all; if not, it leaves no question open."""

    @property
    def question(self) -> str:
        """That stays open."""
        return QUESTIONS[self.room]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer in parts; each holds phrases."""

    trusted: tuple[str, ...]
    not_for: tuple[str, ...]
    unknown: tuple[str, ...]
    measured: tuple[str, ...]
    """Sentences."""
    guarantee: str
    """What the verdicts together promise, in a sentence; empty where there is none."""

    @property
    def nothing(self) -> str:
        """The words if it may be trusted for nothing."""
        return "nothing that was shown" if self.guarantee else "nothing was certified here"

    @property
    def paragraph(self) -> str:
        """All of it.

        >>> print(Answer(("sums",), (), ("all else",), (), "").paragraph)
        May be trusted for: sums. Not for: nothing that was shown. Unknown: all else.
        """
        parts = [
            f"May be trusted for: {'; '.join(self.trusted) or self.nothing}.",
            f"Not for: {'; '.join(self.not_for) or 'nothing that was shown'}.",
            f"Unknown: {'; '.join(self.unknown)}.",
            *(f"Measured, without a verdict: {sentence}" for sentence in self.measured),
            self.guarantee,
        ]
        return " ".join(part for part in parts if part)


def answer_of(cards: Sequence[Card], absent: Sequence[SkippedRoom]) -> Answer:
    """The answer that findings give; whatever was not asked is unknown."""

    def of(kind: Kind) -> tuple[str, ...]:
        return tuple(claim.words for card in cards for claim in card.claims if claim.kind == kind)

    questions = [f"“{one.question}” (not examined)" for one in absent if one.fits]
    return Answer(
        of("trusted"),
        of("not"),
        (*of("unknown"), *questions, "all that was not asked about"),
        of("measured"),
        _guarantee(cards),
    )


def _guarantee(cards: Sequence[Card]) -> str:
    """What holds for all verdicts together: a bound of several is at most the sum of theirs."""
    promises = [promise for card in cards if (promise := _promise(card))]
    if len(promises) <= 1:
        return "".join(f"{words[:1].upper()}{words[1:]}." for words, _ in promises)
    each = "; ".join(words for words, _ in promises)
    total = fsum(chance for _, chance in promises)
    together = f" At least one of them is wrong at most {share(total)} of the time." if total < 1 else ""
    return f"The {count(len(promises))} certificates were made one by one: {each}.{together}"


def _promise(card: Card) -> tuple[str, float] | None:
    """What a card's verdicts promise, in a clause, and a bound on the chance that any is wrong, inf where there is none.

    None where the card gives no verdict.
    """
    bounds = [(claim.chance, claim.shared) for claim in card.claims if claim.chance is not None]
    if not bounds:
        return None
    chance, shared = bounds[0]
    if shared:
        told = "verdict comes" if len(bounds) == 1 else "verdicts come"
        return (
            f"{count(len(bounds))} {told} from a procedure of whose verdicts on average at most {share(chance)} are wrong",
            inf,
        )
    if len(bounds) == 1:
        return f"one verdict comes from a procedure that is wrong at most {share(chance)} of the time", chance
    number = count(len(bounds))
    return f"{number} verdicts come from a procedure that gives any wrong one at most {share(chance)} of the time", chance
