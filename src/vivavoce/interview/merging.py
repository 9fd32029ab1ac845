"""Several transcripts of one examination as one: each was kept by a shard, with a chain of its own.

All of them are verified first. Records are found by their keys, as ever: a key that is in two transcripts must have one answer.
Where that was given twice (a shard was started twice, say) the one that came first stands and the other is counted; where there
are two different answers nothing is merged, since nobody may choose.

What is new is chained anew, askings first, then records in the order in which answers came. Texts and salts stay as they are,
so that each commitment to a text is the one that the shard's own chain holds; and the order is the same whichever transcript is
named first. What stood before in a transcript stays before: a seed that was committed to before the first answer is so here.
A record of the examiner's for each transcript that brought something says with which heads it ended.

All is written in one transaction, or to a file that appears when it is whole: a merge that is killed has changed nothing, and
one that is repeated adds nothing. Memory: some 250 bytes a record, and a page of records of each transcript.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.askings import AskingRow
from vivavoce.interview.chain import Heads
from vivavoce.interview.clock import Clock
from vivavoce.interview.commitment import COMMITTER, own_entry
from vivavoce.interview.copying import copy_key, key_file
from vivavoce.interview.merged_rows import completed_at, entry_id, key_id, moment, row_id, without
from vivavoce.interview.merged_writing import Further, common_secret, merging_into, write_new, write_to
from vivavoce.interview.parameters import TOPIC as PROBE
from vivavoce.interview.record import Entry, Key, Record, canonical_json, digest_of
from vivavoce.interview.sealed import is_sealed, read_sealed
from vivavoce.interview.transcript import Transcript

TOPIC: Final = "merged"
"""Of the records that say what was merged."""
_PAGE: Final = 1_000
_SHOWN: Final = 100
"""Characters of a topic in a message."""

Told = Callable[[int, int], None]
"""Called with the number of records that were read so far, and of all that are to be read."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A transcript that was merged, and what it brought."""

    name: str
    heads: Heads
    """Where its chains end."""
    new: int
    """Records that are on record by it."""
    known: int
    """Records that are there by another one, or were there before: the very same."""
    twice: int
    """Records of questions that were answered twice, with the same answer; the other answer stands."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        head = str(self.heads.records)
        return {"name": self.name, "head": head, "new": self.new, "known": self.known, "answered_twice": self.twice}


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did."""

    name: str
    """Of the transcript that it wrote to."""
    heads: Heads
    """Where its chains end now."""
    brought: tuple[Brought, ...]
    """By the transcripts that were merged, in the order of their names."""

    @property
    def new(self) -> int:
        """Records that were added, but for those that say what was merged."""
        return sum(one.new for one in self.brought)

    @property
    def duplicates(self) -> int:
        """Records that were not, since they, or the same answers, were there."""
        return sum(one.known + one.twice for one in self.brought)

    @property
    def twice(self) -> int:
        """Of these, those of questions that were answered twice."""
        return sum(one.twice for one in self.brought)

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        head = self.heads.records
        counted = {"new": self.new, "duplicates": self.duplicates, "answered_twice": self.twice}
        transcripts = [one.as_json() for one in self.brought]
        return {"count": head.count, "digest": head.digest, **counted, "transcripts": transcripts}


def merge(
    into: str,
    places: Sequence[str],
    *,
    clock: Clock = Clock(),  # noqa: B008 -- frozen
    told: Told | None = None,
) -> Merged:
    """Bring the records of these transcripts, or sealed exports, into one, which is begun where there is none.

    Where all have one key that goes with them, so that a seed that was committed to is known over the merged record, too.

    Raises `BadInput` for answers that contradict each other, naming both records; `TranscriptDamaged` for a transcript that was
    tampered with, naming it and the record; `TranscriptBusy`. Nothing was written then.
    """
    _check_places(into, places)
    with ExitStack() as stack:
        sources = sorted(
            (stack.enter_context(_opened(place)) for place in places), key=lambda one: (one.heads.records.digest, one.name)
        )
        stack.enter_context(merging_into(into))
        begun = "://" in into or Path(into).exists()
        target = stack.enter_context(_opened(into)) if begun else None
        expected = None if target is None else target.heads
        comparison = _Comparison(sources, target, told)
        further = Further(comparison.askings(), comparison.records(), comparison.own(clock))
        _share_key(into, places)
        if expected is None:
            secret = common_secret([place for place in places if not is_sealed(place)])
            heads = write_new(Path(into), secret, further)
        else:
            heads = write_to(into, further, expected=expected)
        return Merged(into, heads, tuple(sorted(comparison.brought, key=lambda one: one.name)))


def _check_places(into: str, places: Sequence[str]) -> None:
    """Refuse what cannot be meant: a transcript that stands there twice, or is to be merged into itself."""
    if not places:
        raise BadInput("there is nothing to merge: name at least one transcript")
    here = [place if "://" in place else str(Path(place).resolve()) for place in (into, *places)]
    twice = next((place for number, place in enumerate(places, 1) if here[number] in here[:number]), None)
    if twice is not None:
        raise BadInput(f"{twice} stands there twice: name each transcript once, and not the one that is merged into")


@contextmanager
def _opened(place: str) -> Iterator[Transcript]:
    """A transcript, or what a sealed export holds, verified. Raises `BadInput` for one that cannot be merged."""
    found = read_sealed(Path(place)).transcript() if is_sealed(place) else Transcript.open(place, must_exist=True)
    with found as transcript:
        yield transcript


def _share_key(into: str, places: Sequence[str]) -> None:
    """Put the key of what is merged next to what comes of it, where it has none and all have the same."""
    if "://" in into or Path(key_file(Path(into))).exists():
        return
    files = [Path(place) for place in places if "://" not in place and key_file(Path(place)).exists()]
    if len({key_file(file).read_bytes() for file in files}) == 1:
        copy_key(files[0], Path(into))


class _Comparison:
    """Which records of several transcripts are to be written, and in which order.

    Parameters
    ----------
    sources: what is merged, verified, in an order that does not depend on how they were named.
    target: what is merged into; None where that is begun.

    Raises `BadInput` for a contradiction.
    """

    def __init__(self, sources: Sequence[Transcript], target: Transcript | None, told: Told | None) -> None:
        self._sources, self._target = sources, target
        self._heads = [one.heads for one in sources]
        self._owner: dict[bytes, tuple[bytes, int]] = {}
        """For the key of each record that is to be written the record, and the number of its transcript."""
        self._dropped: list[set[bytes]] = [set() for _ in sources]
        """Keys of records of each transcript in whose place the same answer stands."""
        self._counts = [Counter[str]() for _ in sources]
        read, total = 0, 2 * sum(heads.records.count for heads in self._heads)
        self._told = told
        self._seen = set() if target is None else set(map(row_id, target.askings()))
        """Askings that are there."""
        for number in range(len(sources)):
            self._check_lost(number)
            for page in _pages(self._records_of(number)):
                self._compare(number, page)
                read += len(page)
                if told is not None:
                    told(read, total)
        self._read, self._total = read, total

    @property
    def brought(self) -> list[Brought]:
        """What each transcript brings."""
        return [
            Brought(source.name, heads, heads.records.count - counts.total(), counts["known"], counts["twice"])
            for source, heads, counts in zip(self._sources, self._heads, self._counts, strict=True)
        ]

    def records(self) -> Iterator[Record]:
        """All that is new, in the order in which answers came."""
        streams = [self._new_records(number) for number in range(len(self._sources))]
        for number, (_, record) in enumerate(heapq.merge(*streams, key=lambda one: one[0]), self._read + 1):
            yield record
            if self._told is not None and number % _PAGE == 0:
                self._told(number, self._total)
        if self._told is not None:
            self._told(self._total, self._total)

    def askings(self) -> Iterator[AskingRow]:
        """All askings that are new, in the order in which they went out."""
        seen = set(self._seen)
        streams = [self._askings_of(number) for number in range(len(self._sources))]
        for _, row in heapq.merge(*streams, key=lambda one: one[0]):
            if (own := row_id(row)) not in seen:
                seen.add(own)
                yield row

    def own(self, clock: Clock) -> Iterator[Entry]:
        """What the examiner puts on record of each transcript that brought something."""
        at = clock.now().astimezone(UTC).isoformat()
        for one in self.brought:
            question = canonical_json({"merged": str(one.heads.records), "askings": str(one.heads.askings)})
            key = Key(COMMITTER, digest_of(question), 0)
            if one.new and (self._target is None or self._target.find_all([key])[0] is None):
                counted = {"new": one.new, "known": one.known, "answered_twice": one.twice}
                yield own_entry(key, topic=TOPIC, question=question, answer=canonical_json(counted), at=at)

    def _records_of(self, number: int) -> Iterator[Record]:
        end = self._heads[number].records.count  # what is written meanwhile was not verified
        return takewhile(lambda record: record.seq <= end, self._sources[number].records())

    def _check_lost(self, number: int) -> None:
        """Refuse a question that was asked in vain here, and is answered in the target: its chain could not show that any more.

        Merged at once both are seen, since all askings come first.
        """
        source, target = self._sources[number], self._target
        if target is None or not source.orphans:
            return
        lost = list(source.orphans)
        answered = {key for key, record in zip(lost, target.find_all(lost), strict=True) if record is not None}
        if any(row.kind == "asked" and row_id(row) not in self._seen and answered & set(row.of) for row in source.askings()):
            raise BadInput(
                f"transcript {source.name} asked in vain what {target.name} has an answer to ({count(len(answered))} in all): "
                f"merge {target.name} and all shards into a new transcript, where it can be seen that these were asked twice"
            )

    def _compare(self, number: int, page: Sequence[Record]) -> None:
        """Settle which records of a page are to be written."""
        there = [None] * len(page) if self._target is None else self._target.find_all([one.key for one in page])
        for record, standing in zip(page, there, strict=True):
            key, entry = key_id(record.key), entry_id(record)
            if standing is not None:
                assert self._target is not None
                if entry_id(standing) == entry:
                    self._counts[number]["known"] += 1
                else:
                    self._check_same(standing, self._target.name, record, self._sources[number].name)
                    self._drop(number, key)
            elif (owner := self._owner.setdefault(key, (entry, number))) != (entry, number):
                if owner[0] == entry:
                    self._counts[number]["known"] += 1
                else:
                    self._settle(key, owner, record, (entry, number))

    def _settle(self, key: bytes, owner: tuple[bytes, int], record: Record, new: tuple[bytes, int]) -> None:
        """Of two answers to one question, which must be the same, the one that came first is to be written."""
        other = self._sources[owner[1]].find_all([record.key])[0]
        assert other is not None
        names = self._sources[owner[1]].name, self._sources[new[1]].name
        self._check_same(other, names[0], record, names[1])
        first = (_completed(other, names[0]), owner[0]) <= (_completed(record, names[1]), new[0])
        self._owner[key] = owner if first else new
        self._drop(new[1] if first else owner[1], key)

    def _drop(self, number: int, key: bytes) -> None:
        self._dropped[number].add(key)
        self._counts[number]["twice"] += 1

    def _check_same(self, one: Record, name: str, other: Record, other_name: str) -> None:
        # a probe finds out which parameters a server takes: that it answers is all that counts of it
        probes = one.topic == other.topic == PROBE and one.kind == other.kind == "answer"
        if probes or (one.kind == other.kind and one.answer == other.answer):
            return
        places = f"{one} of transcript {name} and {other} of transcript {other_name}"
        if one.candidate == COMMITTER:
            raise BadInput(
                f"{places} contradict each other: each begins an examination of its own. Shards of one examination begin with "
                "one preparation, and what each asks is merged before it is gone on with; nothing was merged"
            )
        draw = f", draw {one.draw}" if one.draw else ""
        raise BadInput(
            f"{places} contradict each other: {clipped(one.candidate, _SHOWN)} answered the same question twice, and "
            f"differently ({clipped(one.topic, _SHOWN)}{draw}). Nothing was merged, since nobody may choose: leave out the "
            "transcript that was begun later, whatever it holds"
        )

    def _new_records(self, number: int) -> Iterator[tuple[tuple[float, int, bytes], Record]]:
        """Those that are to be written, with their moments: none is before one that stands before it, whatever clocks say."""
        latest, name = float("-inf"), self._sources[number].name
        for record in self._records_of(number):
            latest = max(latest, _completed(record, name))
            entry = entry_id(record)
            if self._owner.get(key_id(record.key)) == (entry, number):
                yield (latest, record.seq, entry), record

    def _askings_of(self, number: int) -> Iterator[tuple[tuple[float, bytes], AskingRow]]:
        source, end, latest = self._sources[number], self._heads[number].askings.count, float("-inf")
        for row in takewhile(lambda row: row.seq <= end, source.askings()):
            try:
                latest = max(latest, moment(row.at))
                left = without(row, self._dropped[number])
            except (ValueError, TypeError, OverflowError):
                raise TranscriptDamaged(f"transcript {source.name} is damaged: {row} holds no time, or no keys") from None
            if left is not None:
                yield (latest, row_id(left)), left


def _completed(record: Record, name: str) -> float:
    try:
        return completed_at(record)
    except (ValueError, OverflowError):
        raise TranscriptDamaged(f"transcript {name} is damaged: {record} holds no time") from None


def _pages(records: Iterator[Record]) -> Iterator[list[Record]]:
    while page := list(islice(records, _PAGE)):
        yield page
