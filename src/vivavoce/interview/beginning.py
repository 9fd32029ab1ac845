"""How a transcript is begun: its tables, made by one of all who come at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, Engine, func, inspect, select

from vivavoce.errors import BadInput, TranscriptDamaged, TranscriptError
from vivavoce.interview.askings import ROW_FIELDS, AskingRow
from vivavoce.interview.chain import Heads
from vivavoce.interview.layout import FORMAT, HEAD, TABLES
from vivavoce.interview.record import RECORD_FIELDS, Head, Record
from vivavoce.interview.statements import MOVED, statements_for
from vivavoce.interview.storage import carry_out
from vivavoce.interview.write_ahead import use_write_ahead_log

_PAGE: Final = 1_000
_CREATION_LOCK: Final = 7_226_519  # any number, the same in every process
_FORMATS: Final = "SELECT format FROM transcript_head"


def begin_or_check(engine: Engine, name: str, *, must_exist: bool, patience: float) -> None:
    """Check that a database holds a transcript, which is begun where it is empty, unless it must exist.

    name: what the transcript is called in errors. patience: seconds to wait for others that begin it, too.

    Raises `BadInput` (empty, and must exist), `TranscriptDamaged` (no transcript, or not whole), `TranscriptError` (of another
    format).
    """
    with engine.connect() as connection:
        present = set(inspect(connection).get_table_names())
    own = {table.name for table in TABLES}
    if HEAD.name not in present:
        if present & own or (present and engine.dialect.name == "sqlite"):
            raise TranscriptDamaged(f"{name} is a database, but no transcript; it was left as it is")
        if must_exist:
            raise BadInput(f"no such transcript: {name} is empty")
        _begin(engine, patience=patience)
        present = own
    _check_format(engine, name)
    if missing := own - present:
        raise TranscriptDamaged(f"transcript {name} is damaged: its table {min(missing)} is missing")


def _check_format(engine: Engine, name: str) -> None:
    with engine.connect() as connection:
        formats = [number for (number,) in carry_out(connection, _FORMATS).fetchall()]
    if len(formats) != 1:
        raise TranscriptDamaged(f"transcript {name} is damaged: its head is missing or unreadable")
    if formats[0] != FORMAT:
        raise TranscriptError(f"transcript {name} has format {formats[0]}; this program reads format {FORMAT}")


def _begin(engine: Engine, *, patience: float) -> None:
    """Make the tables; of several processes that come at once, one does. It waits this many seconds for others."""
    sqlite = engine.dialect.name == "sqlite"
    if sqlite:
        _switch_to_wal(engine, patience)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if not sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_CREATION_LOCK)))
        _make_tables(connection)


def fill(engine: Engine, records: Iterable[Record], askings: Iterable[AskingRow]) -> None:
    """Make the tables and write these rows to them as they are."""
    ends = [Head(), Head()]
    statements = statements_for(engine.dialect)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        _make_tables(connection)
        parts: tuple[tuple[str, Iterable[Record | AskingRow], tuple[str, ...]], ...] = (
            (statements.add, records, RECORD_FIELDS),
            (statements.add_askings, askings, ROW_FIELDS),
        )
        for place, (add, rows, names) in enumerate(parts):
            rest = iter(rows)
            while some := list(islice(rest, _PAGE)):
                carry_out(connection, add, [{name: getattr(one, name) for name in names} for one in some])
                ends[place] = Head(some[-1].seq, some[-1].digest)
        carry_out(connection, statements.move_head, moved_head(*ends))


def _make_tables(connection: Connection) -> None:
    """Make the tables, with a head, unless they are there."""
    statements = statements_for(connection.dialect)
    for create in statements.create:
        carry_out(connection, create)
    if not carry_out(connection, statements.read_head).fetchall():
        row = dict(zip(MOVED, (0, Head().digest, 0, Head().digest), strict=True))
        carry_out(connection, statements.add_head, {"format": FORMAT, **row})


def moved_head(records: Head, askings: Head) -> dict[str, object]:
    """Heads as the statement takes them that moves them."""
    values = records.count, records.digest, askings.count, askings.digest
    return {f"new_{name}": value for name, value in zip(MOVED, values, strict=True)}


def heads_of(found: Sequence[Sequence[Any]]) -> tuple[Heads, Any] | None:
    """Heads and the format, of all rows of their table; None where these are not one that can be."""
    if len(found) != 1:
        return None
    row = dict(zip(HEAD.c.keys(), found[0], strict=True))
    records, askings = Head(row["count"], row["digest"]), Head(row["asked"], row["asked_digest"])
    texts, counts = (records.digest, askings.digest), (records.count, askings.count)
    if not (all(isinstance(text, str) for text in texts) and all(type(count) is int for count in counts)):
        return None
    return Heads(records, askings), row["format"]


def _switch_to_wal(engine: Engine, patience: float) -> None:
    raw: Any = engine.raw_connection()
    try:
        use_write_ahead_log(raw.driver_connection, seconds=patience)
    finally:
        raw.close()
