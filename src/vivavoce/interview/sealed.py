"""Sealed exports: a transcript as a stranger is sent it, whole or with texts withheld, as one file of JSON Lines.

The first line says what follows: `{"sealed":1,"format":2,"records":"COUNT:DIGEST","askings":"COUNT:DIGEST","lines":N}`. Then
come the records in order, then the askings in order, each with all its fields; and if it is signed, its signature. Where texts
are withheld a record has `question_commitment` and `answer_commitment` in place of question, answer, their salts and the digest
of the question, and an asking has `keys_commitment` in place of its keys and their salt: that is all that the chain is over.
Neither the secret of the salts nor the key next to the record is in it.

What is read is a stranger's, and hostile: it is bounded, each field is of its type, and the chain is followed to its heads.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from vivavoce.errors import BadFile, BadInput, TranscriptDamaged
from vivavoce.formats.bounds import MAX_BYTES
from vivavoce.formats.lines import text_lines, writing
from vivavoce.interview.askings import ROW_FIELDS, WITHHELD_ROW_FIELDS, AskingRow, WithheldRow, withheld_row
from vivavoce.interview.chain import Chain, Heads
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.layout import FORMAT
from vivavoce.interview.record import (
    FIELDS_OF_FORMAT_1,
    RECORD_FIELDS,
    WITHHELD_FIELDS,
    Head,
    Key,
    Kind,
    Record,
    WithheldRecord,
    commitments,
    withheld,
)
from vivavoce.interview.signing import FIELD, SigningKey
from vivavoce.interview.transcript import Transcript

VERSION: Final = 1
MAX_LINE_BYTES: Final = 1 << 26
"""Of one record; longer than any that is ever written."""
_LARGEST: Final = 2**63
_BEGINNING: Final = b'{"sealed":'
_PACKED: Final = b"\x1f\x8b"

AnyRecord = Record | WithheldRecord
AnyRow = AskingRow | WithheldRow
Line = TypeVar("Line", Record, WithheldRecord, AskingRow, WithheldRow)

_WHOLE = {"draw": int, "tokens_in": int, "tokens_out": int, "seq": int, "seconds": float, "money": float}


def _kinds(names: Iterable[str], **others: str) -> dict[str, type]:
    """The types of fields, by the names that they have in a file."""
    return {others.get(name, name): _WHOLE.get(name, str) for name in names}


_RECORD: Final = _kinds(RECORD_FIELDS)
_OLD_RECORD: Final = _kinds(FIELDS_OF_FORMAT_1)
_WITHHELD: Final = {"question": "question_commitment", "answer": "answer_commitment"}
_WITHHELD_RECORD: Final = _kinds(WITHHELD_FIELDS, **_WITHHELD)
_ROW: Final = _kinds(ROW_FIELDS)
_WITHHELD_KEYS: Final = {"keys": "keys_commitment"}
_WITHHELD_ROW: Final = _kinds(WITHHELD_ROW_FIELDS, **_WITHHELD_KEYS)
_FIRST: Final[dict[str, type]] = {"sealed": int, "format": int, "records": str, "askings": str, "lines": int}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Records of a sealed export, read like those of a transcript (`record.Records`)."""

    name: str
    entries: Sequence[AnyRecord]

    @property
    def heads(self) -> Iterator[Head]:
        """The head after each record, and before the first."""
        yield Head()
        for record in self.entries:
            yield Head(record.seq, record.digest)

    @property
    def head(self) -> Head:
        """After the last record."""
        return Head(self.entries[-1].seq, self.entries[-1].digest) if self.entries else Head()

    def up_to(self, number: int) -> Excerpt:
        """The first records alone."""
        return Excerpt(self.name, self.entries[:number])

    def records(self, *, candidate: str | None = None, topic: str | None = None) -> Iterator[AnyRecord]:
        """All records in order; only those of one candidate, or at and under one topic, if it is given."""
        under = "" if topic is None else topic.rstrip("/") + "/"
        return (one for one in self.entries if candidate in (None, one.candidate) and f"{one.topic}/".startswith(under))

    def find_all(self, keys: Iterable[Key]) -> list[Record | None]:
        """For each key its record, or None; what is withheld is not found."""
        wanted = list(keys)
        found = {one.key: one for one in self.entries if isinstance(one, Record) and one.key in wanted}
        return [found.get(key) for key in wanted]


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a sealed export holds; its chain has been verified."""

    name: str
    """Of the file."""
    format: int
    """Of the transcript."""
    records: Sequence[AnyRecord]
    askings: Sequence[AnyRow]
    chain: Chain
    """Followed to its end."""
    first: Mapping[str, Any]
    """Its first line, with what was signed of it where it is signed."""

    @property
    def heads(self) -> Heads:
        """Where its chains end."""
        return self.chain.heads

    @property
    def withheld(self) -> int:
        """Of how many records the texts are withheld."""
        return sum(isinstance(record, WithheldRecord) for record in self.records)

    def excerpt(self) -> Excerpt:
        """Its records, to be read like those of a transcript."""
        return Excerpt(self.name, self.records)

    def transcript(self) -> Transcript:
        """The transcript itself, in memory, with the same chains. Raises `BadInput` where texts are withheld."""
        records = [record for record in self.records if isinstance(record, Record)]
        rows = [row for row in self.askings if isinstance(row, AskingRow)]
        if (missing := len(self.records) + len(self.askings) - len(records) - len(rows)) > 0:
            raise BadInput(f"{self.name}: the texts of {missing} records and askings are withheld: nothing can be replayed")
        return Transcript.copied(records, rows, self.chain, salted=self.format == FORMAT, name=self.name)


def is_sealed(where: str | Path) -> bool:
    """Whether there is a sealed export at this place, by how it begins; a packed file's name ends in `.gz`."""
    file = Path(where)
    if "://" in str(where) or not file.is_file():
        return False
    with file.open("rb") as stream:
        beginning = stream.read(len(_BEGINNING))
    return beginning == _BEGINNING or (beginning.startswith(_PACKED) and file.suffix.lower() == ".gz")


def write_sealed(
    file: Path,
    transcript: Transcript,
    *,
    without: Callable[[Record], bool] | None = None,
    key: SigningKey | None = None,
) -> Heads:
    """Write a sealed export of a transcript, packed if the name ends in `.gz`; returns where its chains end.

    Parameters
    ----------
    without: of which records the texts are withheld; None: of none. Where they are for one record, they are for all with the
        same question. The examiner's own records are never asked about: they keep their texts.
    key: signs the first line, which names both heads; None: it is not signed.

    Raises `FileExistsError`, `BadInput` where texts cannot be withheld, or where the file would be too large to be read.
    """
    if without is not None and transcript.format != FORMAT:
        raise BadInput(
            f"transcript {transcript.name} is of format {transcript.format}, whose digests are over the texts themselves: "
            "none can be withheld"
        )
    heads = transcript.heads
    hidden, shown = _divided(transcript, heads, without)
    with _lines_of(file) as write:
        ends = {"records": str(heads.records), "askings": str(heads.askings)}
        lines = heads.records.count + heads.askings.count + (key is not None)
        first = {"sealed": VERSION, "format": transcript.format, **ends, "lines": lines}
        write(first)
        for record in _up_to(transcript.records(), heads.records):
            own = record.candidate == COMMITTER
            write(
                _record_values(record, salted=transcript.format == FORMAT, hidden=not own and record.question_digest in hidden)
            )
        for row in _up_to(transcript.askings(), heads.askings):
            write(_row_values(row, hidden=without is not None and not _all_among(row, shown)))
        if key is not None:
            write({FIELD: key.signed(first, str(heads.records))[FIELD]})
    return heads


def read_sealed(file: Path, *, expected: Head | None = None) -> Sealed:
    """What a sealed export holds; `expected` is a head that was kept elsewhere, and that it must contain.

    Raises `BadFile` for a file that is none, and `TranscriptDamaged` naming the record, asking or line for one that is not as
    it was written.
    """
    lines = _objects(file)
    first = next(lines, None)
    problem = "empty" if first is None else _misfit(first, _FIRST)
    if first is None or problem:
        raise BadFile(file, f"no sealed export of a transcript ({problem})")
    if first["sealed"] != VERSION or first["format"] not in (1, FORMAT):
        raise BadFile(file, "a sealed export of another version: read it with the program that wrote it")
    salted = first["format"] == FORMAT
    ends = Heads(_head(file, first["records"]), _head(file, first["askings"]))
    further = first["lines"] - ends.records.count - ends.askings.count
    if further not in (0, 1) or not (salted or ends.askings == Head()):
        raise _damaged(file, "the heads in its first line do not fit the number of lines")
    try:
        records = [_record(file, n, values, salted=salted) for n, values in _next(file, lines, ends.records.count)]
        askings = [_row(file, n, values) for n, values in _next(file, lines, ends.askings.count)]
        for _, last in _next(file, lines, further):
            if last.keys() != {FIELD}:
                raise _damaged(file, "its last line is no signature")
            first |= last
        if next(lines, None) is not None:
            raise _damaged(file, f"more lines follow than the {first['lines']} that its first line says")
    except BadFile as error:
        raise TranscriptDamaged(f"sealed export {error}") from None
    _check_keys(file, records)
    chain = Chain(Heads(), salted=salted, damage=lambda problem: _damaged(file, problem))
    if expected is not None and expected.count > ends.records.count:
        raise _damaged(file, f"it is cut off: {expected.count} records are expected, there are {ends.records.count}")
    chain.follow(records, iter(askings), until=ends, expected=expected)
    return Sealed(str(file), first["format"], records, askings, chain, first)


def _divided(
    transcript: Transcript, heads: Heads, without: Callable[[Record], bool] | None
) -> tuple[frozenset[str], frozenset[str]]:
    """The digests of questions whose texts are withheld, and the commitments to those whose are not.

    Raises `BadInput` where nothing would be withheld.
    """
    if without is None:
        return frozenset(), frozenset()
    hidden = frozenset(
        record.question_digest
        for record in _up_to(transcript.records(), heads.records)
        if record.candidate != COMMITTER and without(record)
    )
    if not hidden:
        raise BadInput(f"transcript {transcript.name} has no record whose texts are to be withheld")
    shown = frozenset(
        commitments(record)[0] for record in _up_to(transcript.records(), heads.records) if record.question_digest not in hidden
    )
    return hidden, shown


def _all_among(row: AskingRow, shown: frozenset[str]) -> bool:
    """Whether each question of a row is on record with its text; of others nobody knows whether they are private."""
    return all(commitment in shown for commitment, _ in json.loads(row.questions))


def _up_to(lines: Iterator[Record] | Iterator[AskingRow], head: Head) -> Iterator[Any]:
    """Those up to a head; others may follow from another program."""
    for line in lines:
        if line.seq > head.count:
            return
        yield line


def _record_values(record: Record, *, salted: bool, hidden: bool) -> dict[str, Any]:
    if hidden:
        private = withheld(record)
        return {_WITHHELD.get(name, name): getattr(private, name) for name in WITHHELD_FIELDS}
    return {name: getattr(record, name) for name in (RECORD_FIELDS if salted else FIELDS_OF_FORMAT_1)}


def _row_values(row: AskingRow, *, hidden: bool) -> dict[str, Any]:
    if not hidden:
        return {name: getattr(row, name) for name in ROW_FIELDS}
    private = withheld_row(row)
    return {_WITHHELD_KEYS.get(name, name): getattr(private, name) for name in WITHHELD_ROW_FIELDS}


@contextmanager
def _lines_of(file: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Writes values as lines of a new file, which is removed again if it does not become whole."""
    size = 0

    def write(values: Mapping[str, Any]) -> None:
        nonlocal size
        line = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        size += len(line)
        if len(line) > MAX_LINE_BYTES or size > MAX_BYTES:
            raise BadInput(
                f"{file}: a sealed export is limited to {MAX_BYTES >> 30} GiB, and {MAX_LINE_BYTES >> 20} MiB a record"
            )
        stream.write(line)

    with file.open("xb") as raw:
        try:
            with writing(file):
                # without name and time, so that the same transcript gives the same bytes
                packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if file.suffix.lower() == ".gz" else None
                stream: Any = packed or raw
                yield write
                if packed is not None:
                    packed.close()
        except BaseException:
            file.unlink(missing_ok=True)
            raise


def _objects(file: Path) -> Iterator[dict[str, Any]]:
    """Each line as a JSON object. Raises `BadFile`."""
    for number, line in enumerate(text_lines(file, max_line_bytes=MAX_LINE_BYTES), start=1):
        try:
            value = json.loads(line, object_pairs_hook=_once, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise BadFile(file, f"not JSON: {str(error)[:200]}", line=number) from None
        if not isinstance(value, dict):
            raise BadFile(file, "each line must be a JSON object", line=number)
        yield value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a field stands there twice")
    return values


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _misfit(values: Mapping[str, Any], kinds: Mapping[str, type]) -> str:
    """Why values are not of these fields and types; empty where they are."""
    if values.keys() != kinds.keys():
        other = sorted(values.keys() ^ kinds.keys())[0]
        return f"the field '{other[:40]}' is {'missing' if other in kinds else 'unknown'}"
    for name, kind in kinds.items():
        value = values[name]
        if type(value) is not kind:
            return f"'{name}' is no {'text' if kind is str else 'number of its kind'}"
        least = -_LARGEST if name == "draw" else 0  # what was asked anew has a draw below 0
        if isinstance(value, int) and not least <= value < _LARGEST:
            return f"'{name}' is out of range"
        if isinstance(value, float) and not math.isfinite(value):
            return f"'{name}' is not finite"
        if isinstance(value, str) and not _is_unicode(value):
            return f"'{name}' is no Unicode"
    return ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _head(file: Path, text: str) -> Head:
    count, colon, digest = text.partition(":")
    if not (colon and count.isascii() and count.isdecimal() and len(count) < 19) or len(digest) != 64:
        raise BadFile(file, f"no sealed export of a transcript ('{text[:80]}' is no head)")
    return Head(int(count), digest)


def _next(file: Path, lines: Iterator[dict[str, Any]], number: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """This many lines, counted from 1."""
    for n in range(1, number + 1):
        values = next(lines, None)
        if values is None:
            raise _damaged(file, f"it is cut off: {number - n + 1} lines are missing, or more")
        yield n, values


def _record(file: Path, number: int, values: dict[str, Any], *, salted: bool) -> AnyRecord:
    if "topic" not in values or values.get("seq") != number:
        raise _damaged(file, f"record {number} is missing")
    hidden = salted and "question_commitment" in values
    problem = _misfit(values, _WITHHELD_RECORD if hidden else _RECORD if salted else _OLD_RECORD)
    if not problem and values["kind"] not in get_args(Kind):
        problem = "it is of no known kind"
    if problem:
        raise _damaged(file, f"record {number} was altered: {problem}")
    return WithheldRecord(**_own(values, _WITHHELD)) if hidden else Record(**values)


def _row(file: Path, number: int, values: dict[str, Any]) -> AnyRow:
    if "questions" not in values or values.get("seq") != number:
        raise _damaged(file, f"asking {number} is missing")
    hidden = "keys_commitment" in values
    if problem := _misfit(values, _WITHHELD_ROW if hidden else _ROW):
        raise _damaged(file, f"asking {number} was altered: {problem}")
    return WithheldRow(**_own(values, _WITHHELD_KEYS)) if hidden else AskingRow(**values)


def _own(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The values by the names that the fields have here."""
    back = {there: here for here, there in names.items()}
    return {back.get(name, name): value for name, value in values.items()}


def _check_keys(file: Path, records: Iterable[AnyRecord]) -> None:
    """Raises `TranscriptDamaged` for two records of one key, as no transcript holds them."""
    seen: set[tuple[str, str, int]] = set()
    for record in records:
        digest = record.question_digest if isinstance(record, Record) else record.question
        if (key := (record.candidate, digest, record.draw)) in seen:
            raise _damaged(file, f"{record} has the key of an earlier one")
        seen.add(key)


def _damaged(file: Path, problem: str) -> TranscriptDamaged:
    return TranscriptDamaged(f"sealed export {file} is damaged: {problem}")
