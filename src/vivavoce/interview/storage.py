"""The tables of a transcript: their layout, statements, checks, and connections to SQLite and PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    ClauseElement,
    Column,
    Connection,
    Dialect,
    Double,
    Engine,
    Integer,
    MetaData,
    Select,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    literal_column,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool
from sqlalchemy.schema import CreateTable
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from vivavoce.errors import BadInput, MissingExtra, TranscriptBusy, TranscriptDamaged, TranscriptError, TranscriptFull
from vivavoce.interview.record import RECORD_FIELDS, ROW_FIELDS, Key, canonical_json

LARGEST_VALUE: Final = 64_000_000
"""Maximal bytes of a row, so that a foreign file cannot fill the memory; longer rows are rejected in both directions."""


def open_to_read(path: Path, *, seconds: float) -> sqlite3.Connection:
    """A connection that writes nothing, even in a read-only folder; it waits this many seconds for a lock.

    SQLite writes auxiliary files next to a file with a write-ahead log. If it may not, and the log is empty, the file is
    opened as immutable.

    Raises `sqlite3.OperationalError`, e.g. for a missing file.
    """
    log = path.with_name(f"{path.name}-wal")
    if os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK):
        how = "mode=rw"  # closing the connection removes a leftover log
    else:
        how = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=seconds, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    bound(connection)
    return connection


def bound(connection: sqlite3.Connection) -> None:
    """Refuse rows of more than `LARGEST_VALUE` bytes, in both directions."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)


def use_write_ahead_log(connection: sqlite3.Connection, *, seconds: float) -> None:
    """Switch a file to a write-ahead log, so that readers and a writer do not wait for each other; not inside a transaction.

    SQLite gives up at once, whatever its time-out, if another program is writing to the file. So this retries for this many
    seconds. The switch is permanent, and later calls do nothing.

    Raises `sqlite3.OperationalError`, e.g. for a file that stays locked for longer.
    """
    patient = Retrying(
        retry=retry_if_exception(is_held), wait=wait_random(0, 0.05), stop=stop_after_delay(seconds), reraise=True
    )
    # fetch everything: an open cursor blocks commits, and a profiler may keep it alive for a while
    patient(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchall())


def is_held(error: BaseException) -> bool:
    return sqlite_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def sqlite_code(error: BaseException) -> int:
    """The primary result code of an SQLite error; `SQLITE_ERROR` if it has none."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


FORMAT: Final = 3
"""Version of the tables and of the contents of a digest."""

_WHOLE = BigInteger().with_variant(Integer, "sqlite")  # SQLite takes only INTEGER as the row's own number


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


METADATA: Final = MetaData()
RECORDS: Final = Table(
    "transcript_records",
    METADATA,
    _text("candidate"),
    _text("question_digest"),
    Column("draw", _WHOLE, nullable=False),
    _text("topic"),
    _text("question"),
    _text("answer"),
    _text("kind"),
    _text("asked_at"),
    Column("seconds", Double, nullable=False),
    Column("tokens_in", _WHOLE, nullable=False),
    Column("tokens_out", _WHOLE, nullable=False),
    Column("money", Double, nullable=False),
    Column("seq", _WHOLE, primary_key=True, autoincrement=False),
    _text("previous"),
    _text("digest"),
    _text("askings"),
    UniqueConstraint("candidate", "question_digest", "draw"),
)
HEAD: Final = Table(
    "transcript_head",
    METADATA,
    Column("format", Integer, primary_key=True, autoincrement=False),
    Column("count", _WHOLE, nullable=False),
    _text("digest"),
    Column("asked", _WHOLE, nullable=False),
    _text("asked_digest"),
)
"""One row."""
ASKINGS: Final = Table(
    "transcript_askings",
    METADATA,
    _text("candidate"),
    _text("kind"),
    _text("at"),
    _text("keys"),
    Column("seq", _WHOLE, primary_key=True, autoincrement=False),
    _text("previous"),
    _text("digest"),
)
TABLES: Final = (RECORDS, HEAD, ASKINGS)


def _after(table: Table, names: tuple[str, ...]) -> Select[Any]:
    columns = [table.c[name] for name in names]
    return select(*columns).where(table.c.seq > bindparam("last")).order_by(table.c.seq).limit(bindparam("size"))


# made once: making a query costs more than running it
FIND: Final = select(*(RECORDS.c[name] for name in RECORD_FIELDS)).where(
    *(RECORDS.c[name] == bindparam(name) for name in Key._fields)
)
"""The record of a key."""
READ: Final = _after(RECORDS, RECORD_FIELDS)
"""`size` records after the `last`."""
READ_ASKINGS: Final = _after(ASKINGS, ROW_FIELDS)


_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
_SQLITE_REFUSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR}
_POSTGRES_BUSY = {"55P03", "57014"}  # lock not available, query cancelled
_POSTGRES_DAMAGED = {"42P01", "42703"}  # no such table, no such column


def open_engine(where: str | Path | None, *, patience: float, writes: bool = True) -> tuple[Engine, str]:
    """The database at `where`, and its name without a password; a file that is only read need not be writable.

    Opens no connection yet. Raises `BadInput` for an invalid address, `MissingExtra` without the driver.
    """
    if where is None:
        return _memory_engine(), "in memory"
    if isinstance(where, str) and "://" in where:
        return _postgres_engine(where, patience)
    return _file_engine(Path(where), patience, writes=writes), str(where)


def is_file(engine: Engine) -> bool:
    """Whether it is a file on this machine, not in memory, where threads share a connection, and not at a server."""
    return engine.dialect.name == "sqlite" and bool(engine.url.database)


def _memory_engine() -> Engine:
    # One connection for all threads: each further one would see its own database.
    pool = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0}
    return _begins_explicitly(create_engine("sqlite://", connect_args={"check_same_thread": False}, **pool))


WRONG_PLACE: Final = {True: "it is a folder; name a file in it", False: "its folder does not exist; create it first"}
"""Why a path cannot be a database, by whether it is a folder."""


def _file_engine(path: Path, patience: float, *, writes: bool) -> Engine:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"{path} cannot be a transcript: {WRONG_PLACE[path.is_dir()]}")
    if path.exists() and not path.is_file():  # such as a pipe
        raise BadInput(f"{path} cannot be a transcript: it is not a plain file")
    address = URL.create("sqlite", database=str(path))
    if not writes:
        return _begins_explicitly(create_engine(address, creator=partial(open_to_read, path, seconds=patience)))
    engine = create_engine(address, connect_args={"timeout": patience}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _durable_against_kill(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA synchronous = NORMAL")
        bound(connection)

    return _begins_explicitly(engine)


def _begins_explicitly(engine: Engine) -> Engine:
    """Let SQLAlchemy, not the driver, begin transactions; a writing one takes its lock at once."""

    @event.listens_for(engine, "connect")
    def _no_implicit_begin(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        carry_out(connection, "BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

    return engine


def carry_out(connection: Connection, statement: str, values: Any = ()) -> Any:
    """Run a driver-level statement once, or for each item of a list of values; returns the cursor.

    SQLite's driver is called directly, since SQLAlchemy's overhead takes three times as long as the call.
    """
    if connection.dialect.name != "sqlite":
        return connection.exec_driver_sql(statement, values or None)
    driver: Any = connection.connection.driver_connection
    return (driver.executemany if isinstance(values, list) else driver.execute)(statement, values)


def _postgres_engine(where: str, patience: float) -> tuple[Engine, str]:
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise BadInput("the transcript's address is not of the form postgresql://USER@HOST/DATABASE") from None
    if "@" in (url.host or ""):
        raise BadInput("the password in the transcript's address holds an '@': write it as %40")
    if url.get_backend_name() != "postgresql":
        raise BadInput(f"a transcript can't be kept at '{url.drivername}://': give a file or postgresql://USER@HOST/DATABASE")
    if find_spec("psycopg") is None:
        raise MissingExtra("psycopg", extra="postgres")
    path = f"{url.host or 'localhost'}{f':{url.port}' if url.port else ''}"
    own_options = url.query.get("options", "")
    options = (
        f"{own_options if isinstance(own_options, str) else ' '.join(own_options)} -c lock_timeout={round(patience * 1000)}"
    )
    arguments = {"connect_timeout": 10, "options": options}
    engine = create_engine(url.set(drivername="postgresql+psycopg"), connect_args=arguments, hide_parameters=True)
    return engine, f"postgresql://{path}/{url.database or ''}"


@contextmanager
def plain_errors(name: str) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise _translated(error.orig, name) from None
    except sqlite3.Error as error:
        raise _translated(error, name) from None


def _translated(error: BaseException | None, name: str) -> TranscriptError:
    problem = " ".join(str(error).split())
    remedy = ""
    if isinstance(error, sqlite3.Error):
        remedy = ": you must be allowed to write to the file and to its folder"
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        problem += "; name another file" if code == sqlite3.SQLITE_NOTADB else ""
        if code == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
            return TranscriptDamaged(f"transcript {name} cannot be used: no record may have more than {LARGEST_VALUE:,} bytes")
        busy, full = code & 0xFF in _SQLITE_BUSY, code in _SQLITE_FULL
        damaged = code & 0xFF not in _SQLITE_REFUSED or code == sqlite3.SQLITE_IOERR_SHORT_READ
    else:
        state = getattr(error, "sqlstate", None) or ""
        busy, full, damaged = state in _POSTGRES_BUSY, state.startswith("53"), state in _POSTGRES_DAMAGED
    if busy:
        return TranscriptBusy(f"transcript {name} is locked by another program: end it, or wait, and start again ({problem})")
    if full:
        return TranscriptFull(
            f"no room left to write transcript {name}: make room and start again; all before is kept ({problem})"
        )
    if damaged:
        return TranscriptDamaged(f"transcript {name} cannot be read: {problem}")
    return TranscriptError(f"transcript {name} cannot be used: {problem}{remedy}")


class Statements(NamedTuple):
    """SQL for one kind of database; both drivers take values by name."""

    create: tuple[str, ...]
    """Creates missing tables."""
    add_head: str
    read_head: str
    lock_head: str
    move_head: str
    """To `new_count` and `new_digest`, and for askings to `new_asked` and `new_asked_digest`."""
    add: str
    """Records."""
    add_askings: str
    find: str
    """The record of a key."""
    read: str
    """`size` records after the `last`."""
    read_askings: str
    beyond: str
    """The number of the last record, if the head has a lower one."""
    askings_beyond: str


MOVED: Final = ("count", "digest", "asked", "asked_digest")
"""Columns of the head that change with each entry."""
_MADE: Final[dict[str, Statements]] = {}


def statements_for(dialect: Dialect) -> Statements:
    """The statements in the words of this kind of database."""
    kind = dialect.name
    if kind not in _MADE:
        _MADE[kind] = _made(sqlite.dialect(paramstyle="named") if kind == "sqlite" else dialect)
    return _MADE[kind]


def records_of(candidate: str | None, topic: str | None) -> Select[Any]:
    """A page of the records of one candidate, or at and under one topic."""
    query, columns = READ, RECORDS.c
    if candidate is not None:
        query = query.where(columns.candidate == candidate)
    if topic is not None:
        under = topic.rstrip("/") + "/"
        query = query.where(or_(columns.topic == topic, func.substr(columns.topic, 1, len(under)) == under))
    return query


def in_other_words(entry: Key, *, topic: str, id: str) -> Select[Any]:  # noqa: A002 -- the prompt's own word
    """A record of a question of this id at this topic, under another key."""
    columns = RECORDS.c
    return (
        select(columns.draw)
        .where(columns.candidate == entry.candidate, columns.topic == topic)
        .where(columns.question_digest != entry.question_digest)
        .where(columns.question.contains(f'"id":{canonical_json(id)},', autoescape=True))
        .limit(1)
    )


def _made(dialect: Dialect) -> Statements:
    def text(statement: ClauseElement) -> str:
        return str(statement.compile(dialect=dialect))

    return Statements(
        create=tuple(text(CreateTable(table, if_not_exists=True)) for table in TABLES),
        add_head=text(insert(HEAD)),
        read_head=text(select(HEAD)),
        lock_head=text(select(HEAD).with_for_update()),
        move_head=text(update(HEAD).values({name: bindparam(f"new_{name}") for name in MOVED})),
        add=text(insert(RECORDS)),
        add_askings=text(insert(ASKINGS)),
        find=text(FIND),
        read=text(_page(READ)),
        read_askings=text(_page(READ_ASKINGS)),
        beyond=text(_beyond(RECORDS, "count")),
        askings_beyond=text(_beyond(ASKINGS, "asked")),
    )


def _page(query: Select[Any]) -> Select[Any]:
    """The query with its end written out, which would be a further value for SQLite."""
    return query.offset(literal_column("0"))


def _beyond(table: Table, count: str) -> Select[Any]:
    last = select(func.max(table.c.seq)).scalar_subquery()
    return select(last).where(last > HEAD.c[count])


_SQLITE: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_POSTGRES: Final = text(
    "SELECT c.relkind, c.relrowsecurity, c.relhasrules, c.relhassubclass, "
    "EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) "
    "FROM pg_class c WHERE c.oid = to_regclass(:name)"
)
_POSTGRES_COLUMNS: Final = text(
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef OR a.attgenerated <> '', "
    "a.attcollation NOT IN (0, 'pg_catalog.default'::regcollation) "
    "FROM pg_attribute a WHERE a.attrelid = to_regclass(:name) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
)
_POSTGRES_KEYS: Final = text(
    "SELECT count(*) FROM pg_constraint WHERE conrelid = to_regclass(:name) AND contype IN ('p', 'u') AND convalidated"
)


def altered_tables(connection: Connection) -> str:
    """Whether its existing tables are unchanged.

    A trigger, a view, a rule or another collation could change an answer after it was checked, or hide it from a search.
    """
    local = connection.dialect.name == "sqlite"
    problem = next(_of_sqlite(connection) if local else _of_postgres(connection), "")
    return f"its tables were altered: {problem}" if problem else ""


def beyond_head(connection: Connection) -> str:
    """Whether there are more entries than the head says."""
    statements = statements_for(connection.dialect)
    for beyond, what in ((statements.beyond, "record"), (statements.askings_beyond, "asking")):
        # one statement sees one moment, no matter who is writing
        for (seq,) in carry_out(connection, beyond).fetchall():
            return f"it has more {what}s than its head says, such as {what} {seq}"
    return ""


def broken_file(connection: Connection) -> str:
    """SQLite's own check, which finds damage outside records, such as an incomplete index."""
    problem = str(connection.execute(text("PRAGMA integrity_check(1)")).scalar_one())
    return "" if problem == "ok" else f"the file's structure is broken ({' '.join(problem.split())})"


def _of_sqlite(connection: Connection) -> Iterator[str]:
    expected = {table.name: _definition(table) for table in TABLES}
    for kind, name, table, sql in carry_out(connection, _SQLITE).fetchall():
        if kind in ("trigger", "view"):
            yield f"there is a {kind} '{name}'"
        elif kind == "index" and table in expected and sql is not None:
            yield f"there is an index '{name}' on {table}"
        elif kind == "table" and name in expected and _plain(sql or "") != expected[name]:
            yield f"{name} is defined otherwise"


@cache
def _definition(table: Table) -> str:
    """How it was made in SQLite."""
    return _plain(str(CreateTable(table).compile(dialect=sqlite.dialect())))


def _plain(sql: str) -> str:
    """A definition without line breaks, which say nothing."""
    return " ".join(sql.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split())


def _of_postgres(connection: Connection) -> Iterator[str]:
    for table in TABLES:
        name = {"name": table.name}
        kind, guarded, ruled, inherited, triggered = connection.execute(_POSTGRES, name).one()
        if kind not in ("r", b"r") or guarded or ruled or inherited or triggered:
            yield f"{table.name} is not a plain table: it has a trigger, a rule, a policy or a table under it"
        results = [tuple(row) for row in connection.execute(_POSTGRES_COLUMNS, name)]
        wanted = [
            (column.name, str(column.type.compile(connection.dialect)).lower(), not column.nullable, False, False)
            for column in table.columns
        ]
        if results != wanted:
            yield f"{table.name} is defined otherwise"
        keys = 1 + sum(1 for constraint in table.constraints if "unique" in type(constraint).__name__.lower())
        if connection.execute(_POSTGRES_KEYS, name).scalar_one() != keys:
            yield f"{table.name} is defined otherwise: a key is missing"
