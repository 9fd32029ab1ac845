"""Sealed transcripts: copies of a record in a signed file, and the keys that sign them."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from vivavoce.errors import BadFile, BadInput, MissingExtra, TranscriptDamaged
from vivavoce.formats.bounds import MAX_BYTES
from vivavoce.formats.lines import text_lines, writing
from vivavoce.interview.record import (
    RECORD_FIELDS,
    ROW_FIELDS,
    AskingRow,
    Chain,
    ChainHeads,
    Head,
    Key,
    Kind,
    Record,
    canonical_json,
    digest_of,
    values_of,
)
from vivavoce.interview.storage import FORMAT
from vivavoce.interview.transcript import Transcript

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


FIELD: Final = "signed"
"""Field of the last line of a sealed export."""
PURPOSE: Final = "vivavoce: the heads of a sealed export"
EXTRA: Final = "sign"
LARGEST: Final = 20_000
"""Maximal bytes of a key's file."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, to sign with."""

    _key: Ed25519PrivateKey = field(repr=False)

    def signature_of(self, first: Mapping[str, Any]) -> dict[str, str]:
        """The signature of the first line of an export, with the public key."""
        signature = self._key.sign(_message(first))
        return {"by": _public_text(self._key.public_key()), "signature": base64.b64encode(signature).decode()}


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key, to verify signatures by."""

    _key: Ed25519PublicKey = field(repr=False)

    def problem_with(self, first: Mapping[str, Any]) -> str:
        """Why a first line, with its signature in the field `signed`, is not signed by this key; empty if it is."""
        from cryptography.exceptions import InvalidSignature

        signed = first.get(FIELD)
        if signed is None:
            return "it is not signed"
        try:
            if signed.keys() != {"by", "signature"}:
                raise TypeError
            signature = base64.b64decode(signed["signature"], validate=True)
        except (TypeError, KeyError, AttributeError, ValueError, binascii.Error):
            return "its signature is malformed"
        if signed["by"] != _public_text(self._key):
            return "it is signed by another key"
        try:
            self._key.verify(signature, _message({name: value for name, value in first.items() if name != FIELD}))
        except (InvalidSignature, BadInput):
            return "it was altered after it was signed"
        return ""


def signing_key(file: Path) -> SigningKey:
    """The private key in a file, PEM (PKCS 8) or OpenSSH.

    Raises `MissingExtra`, and `BadFile` for a file that others may read, for a key with a passphrase, and for a file without
    an Ed25519 key.
    """
    _need()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key

    text = _read(file)
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise BadFile(file, "can be read by other users: run chmod 600 on it, if no one has read it")
    load = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in text else load_pem_private_key
    try:
        key = load(text, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        if b"ENCRYPTED" in text or "password" in str(error).lower():
            raise BadFile(
                file, "is protected by a passphrase: give a key without one, such as 'ssh-keygen -t ed25519 -N \"\"' makes"
            ) from None
        raise BadFile(file, _NO_PRIVATE_KEY) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadFile(file, _NO_PRIVATE_KEY)
    return SigningKey(key)


def public_key(file: Path) -> PublicKey:
    """The public key in a file, PEM or OpenSSH; also from a private key. Raises `MissingExtra` and `BadFile`."""
    _need()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key, load_ssh_public_key

    text = _read(file)
    if b"PRIVATE KEY" in text:
        return PublicKey(signing_key(file)._key.public_key())
    try:
        key = load_pem_public_key(text) if text.lstrip().startswith(b"-----") else load_ssh_public_key(text.strip())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise BadFile(file, _NO_PUBLIC_KEY)
    return PublicKey(key)


_NO_PRIVATE_KEY: Final = (
    "holds no private key for Ed25519: make one with 'openssl genpkey -algorithm ed25519' or 'ssh-keygen -t ed25519'"
)
_NO_PUBLIC_KEY: Final = "holds no public key for Ed25519: give the .pub of 'ssh-keygen', or what 'openssl pkey -pubout' writes"


def _need() -> None:
    if find_spec("cryptography") is None:
        raise MissingExtra("cryptography", extra=EXTRA)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST + 1)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    if len(text) > LARGEST:
        raise BadFile(file, "is too large to be a key")
    return text


def _public_text(key: Ed25519PublicKey) -> str:
    return base64.b64encode(key.public_bytes_raw()).decode()


def _message(first: Mapping[str, Any]) -> bytes:
    try:
        digest = digest_of(canonical_json(first))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"only JSON can be signed: {str(error)[:200]}") from None
    return canonical_json({"purpose": PURPOSE, "first_line": digest}).encode()


VERSION: Final = 1
MAX_LINE_BYTES: Final = 1 << 26
"""Maximal bytes of one record; longer than any that is written."""
_LARGEST: Final = 2**63
_BEGINNING: Final = b'{"sealed":'
_PACKED: Final = b"\x1f\x8b"

_WHOLE = {"draw": int, "tokens_in": int, "tokens_out": int, "seq": int, "seconds": float, "money": float}


def _kinds(names: Iterable[str]) -> dict[str, type]:
    return {name: _WHOLE.get(name, str) for name in names}


_RECORD: Final = _kinds(RECORD_FIELDS)
_ROW: Final = _kinds(ROW_FIELDS)
_FIRST: Final[dict[str, type]] = {"sealed": int, "format": int, "records": str, "askings": str, "lines": int}


@dataclass(frozen=True, slots=True)
class SealedTranscript:
    """The contents of a sealed export, with a verified chain."""

    name: str
    """The name of the file."""
    records: Sequence[Record]
    askings: Sequence[AskingRow]
    chain: Chain
    """Verified to its end."""
    first: Mapping[str, Any]
    """Its first line, with its signature, if any."""

    @property
    def heads(self) -> ChainHeads:
        return self.chain.heads

    def transcript(self) -> Transcript:
        """The transcript itself, in memory, with the same chains."""
        return Transcript.copied(self.records, self.askings, self.chain, name=self.name)


def is_sealed(where: str | Path) -> bool:
    """Whether this path is a sealed export, by its first bytes; a packed file's name ends in `.gz`."""
    file = Path(where)
    if "://" in str(where) or not file.is_file():
        return False
    with file.open("rb") as stream:
        beginning = stream.read(len(_BEGINNING))
    return beginning == _BEGINNING or (beginning.startswith(_PACKED) and file.suffix.lower() == ".gz")


def write_sealed(file: Path, transcript: Transcript, *, key: SigningKey | None = None) -> ChainHeads:
    """Write a sealed export of a transcript, packed if the name ends in `.gz`; returns the heads of its chains.

    Parameters
    ----------
    key: signs the first line, which has both heads; None: no signature.

    Raises `FileExistsError`, and `BadInput` if the file would be too large to read.
    """
    heads = transcript.heads
    with _lines_of(file) as write:
        ends = {"records": str(heads.records), "askings": str(heads.askings)}
        lines = heads.records.count + heads.askings.count + (key is not None)
        first = {"sealed": VERSION, "format": FORMAT, **ends, "lines": lines}
        write(first)
        for record in _up_to(transcript.records(), heads.records):
            write(values_of(record))
        for row in _up_to(transcript.askings(), heads.askings):
            write(values_of(row))
        if key is not None:
            write({FIELD: key.signature_of(first)})
    return heads


def read_sealed(file: Path, *, expected: Head | None = None) -> SealedTranscript:
    """Read a sealed export; `expected` is a head from elsewhere that it must contain.

    Raises `BadFile` for another kind of file, and `TranscriptDamaged` naming the record, asking or line that was altered.
    """
    lines = _objects(file)
    first = next(lines, None)
    problem = "empty" if first is None else _misfit(first, _FIRST)
    if first is None or problem:
        raise BadFile(file, f"no sealed export of a transcript ({problem})")
    if (first["sealed"], first["format"]) != (VERSION, FORMAT):
        raise BadFile(file, "a sealed export of another version: read it with the program that wrote it")
    ends = ChainHeads(_head(file, first["records"]), _head(file, first["askings"]))
    further = first["lines"] - ends.records.count - ends.askings.count
    if further not in (0, 1):
        raise _damaged(file, "the heads in its first line do not fit the number of lines")
    try:
        records = [_record(file, n, values) for n, values in _next(file, lines, ends.records.count)]
        askings = [_row(file, n, values) for n, values in _next(file, lines, ends.askings.count)]
        for _, last in _next(file, lines, further):
            if last.keys() != {FIELD}:
                raise _damaged(file, "its last line is not a signature")
            first |= last
        if next(lines, None) is not None:
            raise _damaged(file, f"it has more lines than the {first['lines']} that its first line gives")
    except BadFile as error:
        raise TranscriptDamaged(f"sealed export {error}") from None
    _check_keys(file, records)
    chain = Chain(ChainHeads(), damage=lambda problem: _damaged(file, problem))
    if expected is not None and expected.count > ends.records.count:
        raise _damaged(file, f"it is cut off: {expected.count} records are expected, there are {ends.records.count}")
    chain.follow(records, iter(askings), until=ends, expected=expected)
    return SealedTranscript(str(file), records, askings, chain, first)


def _up_to(lines: Iterator[Record] | Iterator[AskingRow], head: Head) -> Iterator[Any]:
    """The rows up to a head; another program may have added more."""
    for line in lines:
        if line.seq > head.count:
            return
        yield line


@contextmanager
def _lines_of(file: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Writes values as lines of a new file, which is removed after an error."""
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
        raise ValueError("a field occurs twice")
    return values


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _misfit(values: Mapping[str, Any], kinds: Mapping[str, type]) -> str:
    """Why values do not have these fields and types; empty if they do."""
    if values.keys() != kinds.keys():
        other = sorted(values.keys() ^ kinds.keys())[0]
        return f"the field '{other[:40]}' is {'missing' if other in kinds else 'unknown'}"
    for name, kind in kinds.items():
        value = values[name]
        if type(value) is not kind:
            return f"'{name}' is no {'text' if kind is str else 'number of its kind'}"
        least = -_LARGEST if name == "draw" else 0  # a question that was asked again has a draw below 0
        if isinstance(value, int) and not least <= value < _LARGEST:
            return f"'{name}' is out of range"
        if isinstance(value, float) and not math.isfinite(value):
            return f"'{name}' is not finite"
        if isinstance(value, str) and not _is_unicode(value):
            return f"'{name}' is not Unicode"
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
    for n in range(1, number + 1):
        values = next(lines, None)
        if values is None:
            raise _damaged(file, f"it is cut off: {number - n + 1} lines are missing, or more")
        yield n, values


def _record(file: Path, number: int, values: dict[str, Any]) -> Record:
    if "topic" not in values or values.get("seq") != number:
        raise _damaged(file, f"record {number} is missing")
    problem = _misfit(values, _RECORD)
    if not problem and values["kind"] not in get_args(Kind):
        problem = "it is of no known kind"
    if problem:
        raise _damaged(file, f"record {number} was altered: {problem}")
    return Record(**values)


def _row(file: Path, number: int, values: dict[str, Any]) -> AskingRow:
    if "keys" not in values or values.get("seq") != number:
        raise _damaged(file, f"asking {number} is missing")
    if problem := _misfit(values, _ROW):
        raise _damaged(file, f"asking {number} was altered: {problem}")
    return AskingRow(**values)


def _check_keys(file: Path, records: Iterable[Record]) -> None:
    """Raises `TranscriptDamaged` for two records with one key, which no transcript has."""
    seen: set[Key] = set()
    for record in records:
        if record.key in seen:
            raise _damaged(file, f"{record} has the key of an earlier one")
        seen.add(record.key)


def _damaged(file: Path, problem: str) -> TranscriptDamaged:
    return TranscriptDamaged(f"sealed export {file} is damaged: {problem}")
