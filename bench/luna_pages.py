"""What idle pages of the Luna site cost a server process, and how soon they hear of a change; all on loopback.

    python bench/luna_pages.py [--pages 2000] [--few 100] [--seconds 25] [--database ADDRESS] [--json] [--check]

`viva luna serve` runs in a process of its own. Pages of as many guests listen to server-sent events, at first a few, then all.
CPU is the server's, over a whole interval between two signs of life. In the same run, pages without a connection ask for the
current number: one that does so as often as the server looks would cost so much. Then something changes for some of the
listening guests, written by this process as another server process would write it, and each is timed until its page knows.

`--check` fails if a server with all pages takes more than 60 ms a second, or more than a thirtieth of what it would with pages
that ask, or if one hears of a change after more than two seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine
from starlette.responses import Response

from vivavoce.web.database import migrate, open_database, transaction
from vivavoce.web.events import LOOK_EVERY
from vivavoce.web.security.http import Cookies
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store.people import create_guest, open_session
from vivavoce.web.store.site import changed

MOST_MS_A_SECOND = 60.0
MOST_SHARE = 1 / 30
MOST_DELAY = 2.0
SECRET = "a secret that only this benchmark knows"
AT_ONCE = 20
ASKED = 300
CHANGES = 60
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest and the cookie of a browser."""

    id: str
    cookie: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a server process took while so many pages were open."""

    pages: int
    cpu_ms_a_second: float
    memory_mb: float


class Page:
    """A page that listens."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.status = 0
        self.heard: list[float] = []
        """When numbers came."""
        self._reading = asyncio.create_task(self._read(reader))
        self.begun = asyncio.Event()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        self.status = int((await reader.readline()).split()[1])
        self.begun.set()
        while line := await reader.readline():
            if line.startswith(b"data:"):
                self.heard.append(time.perf_counter())

    async def close(self) -> None:
        """Close its connection."""
        self._reading.cancel()
        self._writer.close()
        await asyncio.gather(self._reading, return_exceptions=True)


def guests(engine: Engine, count: int) -> list[Guest]:
    """So many guests, signed in."""
    cookie, now = Cookies(SiteSettings(database="none", secret=SECRET)).session, datetime.now(UTC)
    result = []
    with transaction(engine) as c:
        for _ in range(count):
            player = create_guest(c, consent_version="1", now=now)
            header = cookie.write(Response(), open_session(c, player, now)).headers["set-cookie"]
            result.append(Guest(player.id, header.partition(";")[0]))
    return result


@contextmanager
def served(database: str, folder: Path) -> Iterator[tuple[int, int]]:
    """`viva luna serve`, without an opponent: its port and process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "vivavoce",
        "luna",
        "serve",
        "--database",
        database,
        "--port",
        str(port),
        "--house",
        "none",
    ]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env=os.environ | {"VIVA_WEB_SECRET": SECRET}, cwd=folder, stdout=log, stderr=log)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise SystemExit((folder / "log").read_text()) from None
                time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(PATIENCE)


def cpu_seconds(process: int) -> float:
    """Of a process so far (Linux)."""
    numbers = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int) -> float:
    """Of a process now (Linux)."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 / 2**20


def request(path: str, guest: Guest) -> bytes:
    """A request of a guest's page."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {guest.cookie}\r\n\r\n".encode()


async def opened(port: int, some: Sequence[Guest]) -> list[Page]:
    """Pages that listen, one for each guest, opened a few at once."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def open_page(guest: Guest) -> Page:
        async with turns:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request("/events?after=0", guest))
            page = Page(reader, writer)
            await asyncio.wait_for(page.begun.wait(), PATIENCE)
        return page

    pages = await asyncio.gather(*map(open_page, some))
    if refused := sum(page.status != 200 for page in pages):
        raise SystemExit(f"{refused} of {len(pages)} pages were refused")
    return list(pages)


async def idle(process: int, pages: int, seconds: float) -> Cost:
    """What the server takes while nothing happens."""
    await asyncio.sleep(2 * LOOK_EVERY)
    began, cpu = time.perf_counter(), cpu_seconds(process)
    await asyncio.sleep(seconds)
    used = cpu_seconds(process) - cpu
    return Cost(pages, 1000 * used / (time.perf_counter() - began), memory_mb(process))


async def asking(port: int, process: int, some: Sequence[Guest]) -> float:
    """Milliseconds of the server's CPU for a page that asks for the current number, over a connection that stays open."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    cpu = cpu_seconds(process)
    for number in range(ASKED):
        writer.write(request("/events/now", some[number % len(some)]))
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
    writer.close()
    return 1000 * (cpu_seconds(process) - cpu) / ASKED


async def delays(engine: Engine, pages: Sequence[Page], some: Sequence[Guest]) -> list[float]:
    """Seconds from a change to its page, for changes at random times."""
    rng, written = random.Random(1), {}
    for index in rng.sample(range(len(pages)), min(CHANGES, len(pages))):
        await asyncio.sleep(rng.expovariate(10))
        with transaction(engine) as c:
            changed(c, (some[index].id,))
        written[index] = time.perf_counter()
    await asyncio.sleep(2 * LOOK_EVERY)
    if missing := sum(not pages[index].heard for index in written):
        raise SystemExit(f"{missing} pages never heard of their change")
    if (strangers := sum(bool(page.heard) for page in pages)) != len(written):
        raise SystemExit(f"{strangers} pages heard of {len(written)} changes")
    return [pages[index].heard[0] - at for index, at in written.items()]


async def measured(given: argparse.Namespace, engine: Engine, address: str, folder: Path) -> tuple[list[Cost], float, float]:
    """Costs with no page, a few and all; of a page that asks; and the longest delay of a change."""
    some = guests(engine, given.pages)
    with served(address, folder) as (port, process):
        await asking(port, process, some[: given.few])  # the first requests load modules
        asks = await asking(port, process, some[: given.few])
        costs = [await idle(process, 0, given.seconds / 3)]
        pages = await opened(port, some[: given.few])
        costs.append(await idle(process, len(pages), given.seconds))
        pages += await opened(port, some[given.few :])
        costs.append(await idle(process, len(pages), given.seconds))
        longest = max(await delays(engine, pages, some))
        await asyncio.gather(*(page.close() for page in pages))
    return costs, asks, longest


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--few", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=25.0)
    parser.add_argument("--database", help="postgresql://..., where it leaves its guests; without it, a file that is deleted")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        address = given.database or str(Path(folder) / "site.sqlite")
        engine = open_database(address)
        migrate(engine)
        costs, asks, longest = asyncio.run(measured(given, engine, address, Path(folder)))
        engine.dispose()
    whole = costs[-1].cpu_ms_a_second
    polled = costs[0].cpu_ms_a_second + given.pages * asks / LOOK_EVERY
    if given.json:
        print(json.dumps({"costs": [asdict(cost) for cost in costs], "asking_ms": asks, "longest_delay": longest}))
    else:
        for cost in costs:
            print(f"{cost.pages:>5} pages: {cost.cpu_ms_a_second:6.1f} ms of CPU a second, {cost.memory_mb:.0f} MB")
        ratio = f"{polled / whole:.0f} times as much"
        print(f"as many that ask every {LOOK_EVERY:g} s ({asks:.2f} ms each): {polled:.0f} ms a second, {ratio}")
        print(f"{CHANGES} changes: the last page knew after {longest:.2f} s")
    good = whole <= MOST_MS_A_SECOND and whole <= MOST_SHARE * polled and longest <= MOST_DELAY
    return int(given.check and not good)


if __name__ == "__main__":
    sys.exit(main())
