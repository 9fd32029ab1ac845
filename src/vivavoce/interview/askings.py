"""Askings: what was sent to a candidate, on record before it was sent.

A question that was asked and never answered would else leave no trace: a candidate that ends the program whenever it would be
wrong would be asked again, and again, until it is right. So each batch of questions that go out together is a row of its own,
chained like records; a later row closes what the examiner withdrew, and an answer on record closes its own asking. What is
left open when the program has ended is an orphan.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Final, Literal, get_args

from vivavoce.interview.record import Head, Key, canonical_json, digest_of_values

AskingKind = Literal["asked", "batched", "withdrawn", "fault", "turned away"]
"""Sent; to be sent in one batch (see `batched`); withdrawn by the examiner before an answer came (a verdict, a budget, an
interrupt), or surely never heard; met a fault of a candidate that may have heard it; turned away, by what is taken for granted
unheard, and still open (see `faults`)."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What became of one question that has no answer yet."""

    kind: AskingKind
    key: Key
    at: str
    """UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class AskingRow:
    """Questions to one candidate that went out together, or were closed together, with their place in the chain."""

    candidate: str
    kind: AskingKind
    at: str
    keys: str
    """JSON array of each question's digest and draw, by which its record will be found."""
    seq: int
    previous: str
    digest: str
    """SHA-256 in hex over all other fields."""

    def __str__(self) -> str:
        return f"asking {self.seq}"

    @property
    def of(self) -> list[Key]:
        """The keys. Raises `ValueError` where the row holds none."""
        pairs = json.loads(self.keys)
        if not (isinstance(pairs, list) and pairs and all(isinstance(one, list) for one in pairs)):
            raise ValueError(self.keys[:80])
        found = [Key(self.candidate, digest, draw) for digest, draw in pairs]
        if not all(type(key.question_digest) is str and type(key.draw) is int for key in found):
            raise ValueError(self.keys[:80])
        return found


ROW_FIELDS: Final = tuple(field.name for field in fields(AskingRow))


def rows(askings: Sequence[Asking], head: Head) -> Iterator[AskingRow]:
    """The rows for these askings after that head, as few as their order allows."""
    for (candidate, kind), group in groupby(askings, key=lambda asking: (asking.key.candidate, asking.kind)):
        batch = list(group)
        texts = candidate, kind, batch[0].at, _keys_of(batch)
        row = AskingRow(*texts, head.count + 1, head.digest, _digest_by(texts, head))
        head = Head(row.seq, row.digest)
        yield row


def batch_id(candidate: str, at: str, keys: str) -> str:
    """What a batch is called at the server: known before it is there, and told by its row on record.

    keys: of its questions, as the row holds them.
    """
    return digest_of_values(["batch", candidate, at, keys])


def id_of_batch(askings: Sequence[Asking]) -> str:
    """The same for questions that are about to go on record as one batch."""
    first = askings[0]
    return batch_id(first.key.candidate, first.at, _keys_of(askings))


def _keys_of(askings: Sequence[Asking]) -> str:
    return canonical_json([[one.key.question_digest, one.key.draw] for one in askings])


def row_digest(row: AskingRow) -> str:
    """The digest that the row must have.

    Raises `TypeError` where a field holds what no transcript ever wrote.
    """
    return _digest_by((row.candidate, row.kind, row.at, row.keys), Head(row.seq - 1, row.previous))


def _digest_by(texts: tuple[str, str, str, str], head: Head) -> str:
    return digest_of_values(["askings 3", *texts, head.count + 1, head.digest])


def problem_with_row(row: AskingRow) -> str:
    """What is wrong with a row by itself; empty where nothing is."""
    try:
        same = row_digest(row) == row.digest
    except TypeError:
        same = False
    if not same:
        return "its fields do not give its digest"
    return "" if row.kind in get_args(AskingKind) else "it is of no known kind"


class OpenAskings:
    """What was asked, and neither answered nor withdrawn, as a transcript is read from its beginning."""

    def __init__(self) -> None:
        self._open: set[Key] = set()
        self._batches: dict[Key, str] = {}
        self.faults: set[Key] = set()
        """What met a fault of a candidate that may have heard it, no matter what has been answered since."""
        self.turned_away: set[Key] = set()
        """What was turned away, whatever has been answered since."""
        self.again: set[Key] = set()
        """What was asked again while it was open."""

    def take(self, row: AskingRow) -> None:
        """One more row. Raises `ValueError` where it holds no keys."""
        keys = row.of
        if row.kind in ("asked", "batched"):
            self.again |= self._open.intersection(keys)
            self._open.update(keys)
            batch = batch_id(row.candidate, row.at, row.keys) if row.kind == "batched" else ""
            self._batches.update(dict.fromkeys(keys, batch))
        elif row.kind == "turned away":
            self.turned_away.update(keys)
        else:
            self._open.difference_update(keys)
        if row.kind == "fault":
            self.faults.update(keys)

    @property
    def batches(self) -> dict[Key, str]:
        """Of what is open and went out in a batch, that batch's id."""
        return {key: self._batches[key] for key in self._open if self._batches.get(key)}

    @property
    def pending(self) -> bool:
        """Whether there is any."""
        return bool(self._open)

    def answered(self, key: Key) -> None:
        """A record of this key has been read."""
        self._open.discard(key)
        self._batches.pop(key, None)

    @property
    def orphans(self) -> frozenset[Key]:
        """Asked, and never heard of again."""
        return frozenset(self._open)
