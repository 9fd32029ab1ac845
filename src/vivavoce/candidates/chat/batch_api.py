"""The batch protocol of OpenAI and others: a file is uploaded, a batch created and looked at until its end, its files fetched.

Source: https://platform.openai.com/docs/api-reference/batch. What a server sends is checked before anything rests on it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import quote

import aiohttp
from yarl import URL

from vivavoce.candidates.chat.http import Http, Response
from vivavoce.candidates.chat.reply import read_error
from vivavoce.candidates.chat.server_errors import fault_for
from vivavoce.errors import CandidateMisconfigured, CandidateUnreachable, TransportFault
from vivavoce.interview.asker import retrying
from vivavoce.interview.schedule import Clock

T = TypeVar("T")

ENDPOINT: Final = "/v1/chat/completions"
"""The endpoint that a batch asks, on any server."""
WINDOW: Final = "24h"
"""The only one that there is."""
ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
OURS: Final = "vivavoce"
"""The name of our id in a batch's metadata."""
TRIES: Final = 8
"""Of one call; with the pauses between them that is a minute."""
PATIENT_TRIES: Final = 40
"""The same once a batch is known to be under way: a quarter of an hour."""
CALL_SECONDS: Final = 600.0
"""For one attempt, the transfer of a whole file included."""
_LONGEST: Final = 4_000_000
"""Bytes of what the server says about batches."""
_PAGE: Final = 100
_PAGES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ServerBatch:
    """A batch as the server tells of it."""

    name: str
    """The server's own id."""
    status: str
    total: int
    completed: int
    failed: int
    files: tuple[str, ...]
    """Of answers, and of what went wrong, as far as they are there."""
    errors: tuple[tuple[str, str], ...]
    """Why it failed as a whole: code and message."""


class BatchApi:
    """What can be done with batches of one server; each call is tried again until it gets through.

    Raises `CandidateMisconfigured` where that can never be, and `CandidateUnreachable` where it has not been for long.

    on_retry: called before each further try.
    """

    def __init__(self, http: Http, url: str, clock: Clock, *, on_retry: Callable[[], None]) -> None:
        self._http = http
        self._url = url
        self._clock = clock
        self._on_retry = on_retry

    async def upload(self, name: str, lines: bytes) -> str:
        """The id of a file with these lines."""

        async def attempt() -> str:  # a form can be sent once
            form = aiohttp.FormData({"purpose": "batch"})
            form.add_field("file", lines, filename=name, content_type="application/jsonl")
            data = form()
            values = await self._called("POST", "/files", data, content=data.headers["Content-Type"])
            return _text(values, "id") or _nonsense("a file without an id")

        return await self._until_through(attempt)

    async def create(self, file: str, id_: str) -> ServerBatch:
        """The batch of that file, which bears our id. Where an attempt may have made it, it is looked for before the next."""
        wanted = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": WINDOW, "metadata": {OURS: id_}}
        tried = False

        async def attempt() -> ServerBatch:
            nonlocal tried
            batch = await self._listed(id_) if tried else None
            tried = True
            return batch or _batch(await self._called("POST", "/batches", json.dumps(wanted).encode()))

        return await self._until_through(attempt)

    async def find(self, id_: str) -> ServerBatch | None:
        """The batch that bears our id; None where there is none."""
        return await self._until_through(lambda: self._listed(id_))

    async def look(self, batch: ServerBatch) -> ServerBatch:
        """How it stands now."""

        async def attempt() -> ServerBatch:
            return _batch(await self._called("GET", f"/batches/{quote(batch.name, safe='')}"))

        return await self._until_through(attempt, tries=PATIENT_TRIES)

    async def results(self, file: str, take: Callable[[Mapping[str, Any]], None], *, most: int) -> None:
        """Hand over each line of a file that is a JSON object, `most` at most; after a fault from the first one again."""

        async def attempt() -> None:
            read = 0
            async for line in self._lines(file):
                if (read := read + 1) > most:
                    return
                try:
                    document = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # whose question it was is told by what is missing
                if isinstance(document, dict):
                    take(document)

        await self._until_through(attempt, tries=PATIENT_TRIES)

    async def _lines(self, file: str) -> AsyncIterator[bytes]:
        where = self._where(f"/files/{quote(file, safe='')}/content")
        async for line in self._http.lines(where):
            if isinstance(line, Response):
                raise self._refusal(line, where)
            yield line

    async def _listed(self, id_: str) -> ServerBatch | None:
        after = ""
        for _ in range(_PAGES):
            values = await self._called("GET", f"/batches?limit={_PAGE}{after and f'&after={quote(after, safe=str())}'}")
            listed = values.get("data")
            if not isinstance(listed, list):
                raise TransportFault("the server sent no list of batches")
            page = [entry for entry in listed if isinstance(entry, dict)]
            for entry in page:
                metadata = entry.get("metadata")
                if isinstance(metadata, dict) and metadata.get(OURS) == id_:
                    return _batch(entry)
            after = _text(page[-1], "id") if page else ""
            if not (after and values.get("has_more") is True):
                break
        return None

    async def _called(self, method: str, path: str, data: Any = None, *, content: str = "application/json") -> dict[str, Any]:
        where = self._where(path)
        response = await self._http.send(method, where, data, content=content, longest=_LONGEST)
        if response.status >= 300:
            raise self._refusal(response, where)
        try:
            document = json.loads(response.body)
        except (ValueError, RecursionError):
            document = None
        return document if isinstance(document, dict) else _nonsense("what is no JSON object")

    def _where(self, path: str) -> URL:
        return URL(self._url + path, encoded=True)

    def _refusal(self, response: Response, where: URL) -> Exception:
        error = read_error(response.body)
        message = self._http.quoted(error.message)
        if response.status in (404, 405) or response.status < 400:
            problem = f"{where} answers with status {response.status}: it takes no batches there, leave out ?batch= ({message})"
            return CandidateMisconfigured(problem, hearing="unheard")
        return fault_for(response.status, response.headers, message, codes=error.codes, where=str(where))

    async def _until_through(self, attempt: Callable[[], Awaitable[T]], *, tries: int = TRIES) -> T:
        async def within_time() -> T:
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    return await attempt()
            except TimeoutError:
                raise TransportFault(f"no answer within {CALL_SECONDS:g} s") from None

        try:
            return await retrying(tries, sleep=self._clock.sleep, on_retry=self._on_retry)(within_time)
        except TransportFault as fault:
            if fault.worth_retrying:
                raise CandidateUnreachable(f"{self._url} does not answer: {fault.reason}", hearing="unheard") from None
            raise CandidateMisconfigured(f"{self._url} takes no batch: {fault.reason}", hearing="unheard") from None


def _batch(values: Mapping[str, Any]) -> ServerBatch:
    counts = values.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    total, completed, failed = (_count(counts.get(name)) for name in ("total", "completed", "failed"))
    files = tuple(filter(None, (_text(values, "output_file_id"), _text(values, "error_file_id"))))
    errors = values.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    documents = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    name, status = _text(values, "id"), _text(values, "status")
    if not (name and status):
        _nonsense("a batch without an id or a status")
    return ServerBatch(
        name,
        status,
        total,
        completed,
        failed,
        files,
        tuple((_text(entry, "code"), _text(entry, "message")) for entry in documents),
    )


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0


def _nonsense(what: str) -> Any:
    raise TransportFault(f"the server sent {what}")
