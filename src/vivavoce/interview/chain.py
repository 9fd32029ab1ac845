"""Following the chain of a transcript, record by record, with the askings between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vivavoce.errors import TranscriptDamaged
from vivavoce.interview.askings import AskingRow, OpenAskings, problem_with_row
from vivavoce.interview.record import Head, Record, problem_with

START: Final = Head()


@dataclass(frozen=True, slots=True)
class Heads:
    """Where the chain of records ends, and that of askings."""

    records: Head = START
    askings: Head = START


class Chain:
    """What follows what, from given heads on; each record says how many askings stood when it was written.

    So the two chains are read as one, in the order in which they were written, and askings cannot be taken away from under the
    records that follow them. Memory: what is open at one moment.

    Parameters
    ----------
    damage: makes the error for a problem.
    """

    def __init__(self, heads: Heads, *, damage: Callable[[str], TranscriptDamaged]) -> None:
        self.open = OpenAskings()
        # heads as plain values: they move with every record of a long transcript
        self._count, self._digest = heads.records.count, heads.records.digest
        self._asked = heads.askings
        self._asked_so_far = str(heads.askings)
        self._damage = damage

    @property
    def heads(self) -> Heads:
        """How far it has been followed."""
        return Heads(Head(self._count, self._digest), self._asked)

    def follow(
        self,
        records: Iterable[Record],
        askings: Iterator[AskingRow],
        *,
        until: Heads,
        expected: Head | None = None,
    ) -> None:
        """Read on until these heads, and check that they are reached; `expected` is a head that must be met on the way.

        Raises `TranscriptDamaged` naming the record, or the asking, and what is wrong with it.
        """
        for record in records:
            if self._count == until.records.count:
                break  # written by another program since the head was read
            self._take(record, askings)
            if expected is not None and self._count == expected.count and self._digest != expected.digest:
                raise self._damage(f"record {self._count} is not the expected one: it, or one before it, was rewritten")
        self._follow_askings(askings, until.askings.count)
        for last, end, what in (
            (self.heads.records, until.records, "record"),
            (self.heads.askings, until.askings, "asking"),
        ):
            if last.count < end.count:
                raise self._damage(f"it is cut off: by its head it ends with {what} {end.count}, but with {last.count} in fact")
            if last.digest != end.digest:
                raise self._damage(f"{what} {last.count} was rewritten: by its head it ends with another one")

    def _take(self, record: Record, askings: Iterator[AskingRow]) -> None:
        seq = self._count + 1
        if record.seq != seq:
            raise self._damage(f"record {seq} is missing")
        problem = problem_with(record)
        if problem:
            raise self._damage(f"{record} was altered: {problem}")
        if record.previous != self._digest:
            raise self._damage(f"record {seq} is not chained to the one before it: one of the two was rewritten")
        if record.askings != self._asked_so_far:
            count = record.askings.partition(":")[0]
            self._follow_askings(askings, int(count) if count.isdecimal() else 0)
        if record.askings != self._asked_so_far:
            raise self._damage(f"record {seq} is not chained to the askings before it: one of these was rewritten")
        if self.open.pending:
            self.open.answered(record.key)
        self._count, self._digest = seq, record.digest

    def _follow_askings(self, askings: Iterator[AskingRow], count: int) -> None:
        while self._asked.count < count and (row := next(askings, None)) is not None:
            seq = self._asked.count + 1
            if row.seq != seq:
                raise self._damage(f"asking {seq} is missing")
            problem = problem_with_row(row)
            if problem:
                raise self._damage(f"{row} was altered: {problem}")
            if row.previous != self._asked.digest:
                raise self._damage(f"asking {seq} is not chained to the one before it: one of the two was rewritten")
            try:
                self.open.take(row)
            except (ValueError, TypeError, RecursionError):
                raise self._damage(f"{row} holds no keys") from None
            self._asked = Head(seq, row.digest)
            self._asked_so_far = str(self._asked)
