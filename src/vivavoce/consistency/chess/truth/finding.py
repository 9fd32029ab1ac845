"""What is found by holding an engine against the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.consistency.chess.describe import share_in_words
from vivavoce.consistency.chess.finding import engine
from vivavoce.consistency.chess.truth.checked import EndingRow
from vivavoce.consistency.chess.truth.report import by_distance, counted, how_known, worst
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, in_words
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Report
from vivavoce.report.parts import method_of, paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class ChessTruth(Reported):
    """What `check_truth` returns."""

    candidate: str
    endings: tuple[EndingRow, ...]
    """One an ending, in the order in which they were asked for."""
    signature: Signature

    @property
    def headline(self) -> str:
        """The ending with most wrong evaluations, in one sentence."""
        rows = [row for row in self.endings if row.n]
        if not rows:
            return f"Nothing was checked: {engine(self.candidate)} evaluated no position."
        row = _most(rows, lambda row: row.wrong)
        gives = "gives a wrong result" if row.wrong.is_shown else "is not shown to give wrong results: it does so"
        return (
            f"{engine(self.candidate)} {gives} on {_of_positions(row, row.wrong)}, where the right one is known"
            f"{_among([one.wrong for one in rows if one is not row], row.wrong)}."
        )

    @property
    def moves(self) -> str:
        """Of the ending with most thrown results, and of mates, in a sentence each."""
        thrown = [row for row in self.endings if row.thrown.n]
        told = []
        if thrown:
            row = _most(thrown, lambda row: row.thrown)
            throws = "Its move throws a win or a draw away"
            if not row.thrown.is_shown:
                throws = "Its moves are not shown to throw a win or a draw away:"
            told.append(
                f"{throws} on {_of_positions(row, row.thrown)} where it could"
                f"{_among([one.thrown for one in thrown if one is not row], row.thrown)}."
            )
        mates = [row for row in self.endings if row.announced.n]
        if mates:
            row = min(mates, key=lambda row: (row.announced.value or 0.0, row.announced.interval.lower))
            is_fewest = row.announced.is_smallest(one.announced for one in mates if one is not row)
            fewest = f", the fewest of {in_words(len(mates))} endings" if is_fewest else ""
            told.append(f"It sees a forced mate on {_of_positions(row, row.announced, kind='decided ')}{fewest}.")
        return " ".join(told)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.moves}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What it does not show."""
        no_answers = sum(row.no_answers for row in self.endings)
        told = (
            "The sentences name the worst of several endings, which looks worse than it is by chance: the table has each."
            if len(self.endings) > 1
            else "",
            "A wrong result means an evaluation nearer to another one: below 0.5 where the position is won, beyond 0.5 either "
            "way where it is drawn. An engine may still play the right move.",
            "It holds for positions drawn at random from these endings: each legal one is as likely as any other, which games "
            "do not bring about, and engines with tables of their own would know the truth by heart.",
            "That a mate is not announced is no error where the position is held to be won; an evaluation by a mere rule of "
            "thumb can be right without seeing the mate.",
            f"Left out, since the engine gave no evaluation: {count(no_answers)}." if no_answers else "",
        )
        return tuple(filter(None, told))

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "A chess engine against the truth",
            f"{engine(self.candidate)} against the truth",
            *paragraphs(self.moves),
            *counted(self.endings),
            *by_distance(self.endings),
            worst(self.endings),
            Caveats(self.caveats),
            method_of(how_known()),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "rows": [row.as_json() for row in self.endings],
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def _most(rows: Sequence[EndingRow], share: Callable[[EndingRow], Estimate]) -> EndingRow:
    """The ending with the largest share, of equal ones that of which least is known."""
    return max(rows, key=lambda row: (share(row).value or 0.0, share(row).interval.upper))


def _of_positions(row: EndingRow, share: Estimate, *, kind: str = "") -> str:
    return f"{share_in_words(share)} of {count(share.n)} {kind}position{'' if share.n == 1 else 's'} of {row.ending}"


def _among(others: Sequence[Estimate], most: Estimate) -> str:
    if others and not most.value:
        return ", and on none of the other endings"
    return f", the most of {in_words(len(others) + 1)} endings" if most.is_largest(others) else ""
