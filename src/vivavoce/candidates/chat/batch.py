"""`chat:MODEL@URL?batch=1`: the same model by the vendors' batch protocol, at half the price, in minutes or hours.

It uploads a file, creates a batch, polls it until it ends, and fetches its files: the protocol of OpenAI and others
(https://platform.openai.com/docs/api-reference/batch). Everything that a server sends is checked first.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Any, Final, TypeVar
from urllib.parse import quote

import aiohttp
from yarl import URL

from vivavoce.candidates.chat.candidate import Chat
from vivavoce.candidates.chat.http import Http, Response
from vivavoce.candidates.chat.options import MOST_LINES
from vivavoce.candidates.chat.reply import read_error
from vivavoce.candidates.chat.server_errors import fault_for
from vivavoce.errors import (
    CandidateError,
    CandidateMisconfigured,
    CandidateUnreachable,
    ServiceFault,
    TransportFault,
    VivavoceError,
)
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.progress import BatchState
from vivavoce.interview.retries import retrying
from vivavoce.interview.schedule import Clock
from vivavoce.interview.vendor_batches import VendorBatch

T = TypeVar("T")

ENDPOINT: Final = "/v1/chat/completions"
"""The endpoint that a batch asks, on any server."""
WINDOW: Final = "24h"
"""The only completion window that there is."""
ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
OURS: Final = "vivavoce"
"""The name of our id in a batch's metadata."""
TRIES: Final = 8
"""Attempts of one call; with the pauses between them, a minute."""
PATIENT_TRIES: Final = 40
"""The same once a batch is known to be running: a quarter of an hour."""
CALL_SECONDS: Final = 600.0
"""Seconds for one attempt, including the transfer of a whole file."""
_LONGEST: Final = 4_000_000
"""The most bytes of the server's reply about batches."""
_PAGE: Final = 100
_PAGES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ServerBatch:
    """The server's description of a batch."""

    name: str
    """The server's own id."""
    status: str
    total: int
    completed: int
    failed: int
    files: tuple[str, ...]
    """Files of answers and of errors, if they exist."""
    errors: tuple[tuple[str, str], ...]
    """Why it failed as a whole: code and message."""


class BatchApi:
    """Calls for the batches of one server; each call is retried until it gets through.

    Raises `CandidateMisconfigured` if it never can, and `CandidateUnreachable` if it has not for a long time.

    on_retry: called before each further try.
    """

    def __init__(self, http: Http, url: str, clock: Clock, *, on_retry: Callable[[], None]) -> None:
        self._http = http
        self._url = url
        self._clock = clock
        self._on_retry = on_retry

    async def upload(self, name: str, lines: bytes) -> str:
        """The id of a file with these lines."""

        async def attempt() -> str:  # a form can be sent only once
            form = aiohttp.FormData({"purpose": "batch"})
            form.add_field("file", lines, filename=name, content_type="application/jsonl")
            data = form()
            values = await self._called("POST", "/files", data, content=data.headers["Content-Type"])
            return _text(values, "id") or _nonsense("a file without an id")

        return await self._until_through(attempt)

    async def create(self, file: str, id_: str) -> ServerBatch:
        """The batch of that file, with our id. If an attempt may have created it, it is looked up before the next attempt."""
        wanted = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": WINDOW, "metadata": {OURS: id_}}
        tried = False

        async def attempt() -> ServerBatch:
            nonlocal tried
            batch = await self._listed(id_) if tried else None
            tried = True
            return batch or _batch(await self._called("POST", "/batches", json.dumps(wanted).encode()))

        return await self._until_through(attempt)

    async def find(self, id_: str) -> ServerBatch | None:
        """The batch with our id; None without one."""
        return await self._until_through(lambda: self._listed(id_))

    async def look(self, batch: ServerBatch) -> ServerBatch:
        """Its current state."""

        async def attempt() -> ServerBatch:
            return _batch(await self._called("GET", f"/batches/{quote(batch.name, safe='')}"))

        return await self._until_through(attempt, tries=PATIENT_TRIES)

    async def results(self, file: str, take: Callable[[Mapping[str, Any]], None], *, most: int) -> None:
        """Yield each JSON object in the lines of a file, at most `most`; after a fault it starts again from the first line."""

        async def attempt() -> None:
            read = 0
            async for line in self._lines(file):
                if (read := read + 1) > most:
                    return
                try:
                    document = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # the missing answers show which question it was
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
        return document if isinstance(document, dict) else _nonsense("what is not JSON object")

    def _where(self, path: str) -> URL:
        return URL(self._url + path, encoded=True)

    def _refusal(self, response: Response, where: URL) -> Exception:
        error = read_error(response.body)
        message = self._http.quoted(error.message)
        if response.status in (404, 405) or response.status < 400:
            problem = f"{where} answers with status {response.status}: it has no batches; leave out ?batch= ({message})"
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
            raise CandidateMisconfigured(f"{self._url} does not accept the batch: {fault.reason}", hearing="unheard") from None


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


Results = dict[str, Reply | VivavoceError]

MOST_BYTES: Final = 190_000_000
"""The most bytes of a file, somewhat less than vendors allow (200 MB)."""
LONGEST_PAUSE: Final = 60.0
"""Seconds between the first two checks of a batch."""
SLOWER: Final = 1.5
"""Each pause is longer than the last by this factor."""
_NEVER_RUN: Final = frozenset({"batch_expired", "batch_cancelled"})
"""Error codes of lines that the model has never seen."""


def by_batch(chat: Chat) -> Chat | BatchedChat:
    """The candidate by its options: asked by batches, or one by one."""
    return chat if chat.options.batch is None else BatchedChat(chat)


class BatchedChat:
    """A chat model that is asked by batches. Its answers, and so its name, are those of the model asked one by one.

    A batch has our id in its metadata, so a later run can find and fetch it without paying again. Each question gets the result
    in its line; a question without a line has a fault, so it is asked again with the next batch.
    """

    asked_again: RepeatReason = "elsewhere"
    """The same as for `Chat`."""
    concurrency = MOST_LINES
    """The most questions of a batch."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._options = options = chat.options
        self.name = chat.name
        self.never_sent = chat.never_sent
        self.declared_deterministic = chat.declared_deterministic
        self.ways: tuple[ReplyFormat, ...] = chat.ways
        self.block = None if options.batch == 1 else options.batch
        """Questions of a batch; None: as many as the examination will need."""

    def __repr__(self) -> str:
        return f"<{self.name} by batch>"

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply, by batch."""
        price_in, price_out = self._chat.prices
        return self._of_price * price_in, self._of_price * price_out

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask at once, at the full price. Raises what `Chat.answer` raises."""
        return await self._chat.answer(question)

    async def close(self) -> None:
        """Close the connections."""
        await self._chat.close()

    def fits(self, questions: Sequence[Prompt]) -> int:
        """The number of these lines, from the first, that fit into one file; at least 1."""
        sizes = accumulate(len(self._line("-" * 64, question)) for question in questions[:MOST_LINES])
        return max(1, sum(1 for _ in takewhile(lambda size: size <= MOST_BYTES, sizes)))

    async def carry_out(
        self, batch: VendorBatch[Prompt], *, clock: Clock, tell: Callable[[BatchState], None]
    ) -> Mapping[str, Reply | VivavoceError] | None:
        """Get a batch answered; None if a resumed one is not at the server.

        Raises `CandidateError` if its state is unknown for now, while it may continue.
        """
        silent = BatchState("the server does not answer", len(batch.questions), 0, 0, 0.0)
        api = BatchApi(self._chat.http, self._chat.address, clock, on_retry=lambda: tell(silent))
        if batch.resumed:
            server_batch = await api.find(batch.id)
            if server_batch is None:
                return None
        else:
            lines = b"".join(self._line(name, question) for name, question in batch.questions.items())
            try:
                file = await api.upload(f"vivavoce-{batch.id[:16]}.jsonl", lines)
            except CandidateError as error:  # nothing was submitted, so there is nothing to wait for
                return dict.fromkeys(batch.questions, error)
            try:
                server_batch = await api.create(file, batch.id)
            except CandidateMisconfigured as error:  # it was refused; where nothing is heard it may have been made
                return dict.fromkeys(batch.questions, error)
        ended = await self._ended(api, server_batch, len(batch.questions), clock, tell)
        return await self._results(api, ended, batch.questions)

    @property
    def _of_price(self) -> float:
        return 1 - self._options.batch_discount

    def _line(self, name: str, question: Prompt) -> bytes:
        line = {"custom_id": name, "method": "POST", "url": ENDPOINT, "body": self._chat.request(question)}
        return json.dumps(line).encode() + b"\n"

    async def _ended(
        self, api: BatchApi, batch: ServerBatch, questions: int, clock: Clock, tell: Callable[[BatchState], None]
    ) -> ServerBatch:
        """The finished batch."""
        began, pause = clock.seconds(), self._options.batch_poll
        while batch.status not in ENDED:
            seconds = clock.seconds() - began
            tell(BatchState(self._chat.http.quoted(batch.status), questions, batch.completed, batch.failed, seconds))
            if seconds > 3600 * self._options.batch_wait:
                waited = f"after {self._options.batch_wait:g} hours"
                raise CandidateUnreachable(f"a batch has not ended {waited}, and continues at the server", hearing="unheard")
            await clock.sleep(pause)
            pause = max(pause, min(SLOWER * pause, LONGEST_PAUSE))
            batch = await api.look(batch)
        return batch

    async def _results(self, api: BatchApi, batch: ServerBatch, questions: Mapping[str, Prompt]) -> Results:
        if batch.status == "failed":
            return dict.fromkeys(questions, self._refused(batch))
        results: Results = {}

        def take(line: Mapping[str, Any]) -> None:
            name = line.get("custom_id")
            if isinstance(name, str) and name in questions and name not in results:  # the first of two counts
                results[name] = self._result(line, questions[name])

        for file in batch.files:
            await api.results(file, take, most=2 * MOST_LINES)
        return dict.fromkeys(questions, _missing(batch.status)) | results

    def _result(self, line: Mapping[str, Any], question: Prompt) -> Reply | VivavoceError:
        """The result in a line."""
        response, error = line.get("response"), line.get("error")
        status = response.get("status_code") if isinstance(response, dict) else None
        if isinstance(response, dict) and type(status) is int and 200 <= status <= 599:
            try:
                body = json.dumps(response.get("body")).encode()
                return self._chat.read(Response(status, {}, body), question, of_price=self._of_price)
            except VivavoceError as problem:
                return problem
        words = (error.get(name) for name in ("code", "message")) if isinstance(error, dict) else ("", "")
        code, message = (text if isinstance(text, str) else "" for text in words)
        reason = self._chat.http.quoted(f"{code or 'error'}: {message or 'a line of the batch without a response'}")
        return ServiceFault(reason, hearing="unheard" if code in _NEVER_RUN else "heard")

    def _refused(self, batch: ServerBatch) -> CandidateError:
        """The error for a batch that failed as a whole: only a limit on queued tokens passes with time."""
        text = "; ".join(f"{code}: {message}" if code else message for code, message in batch.errors[:3])
        problem = f"the server refuses the batch: {self._chat.http.quoted(text or 'it does not say why')}"
        if any("limit" in code for code, _ in batch.errors):
            return CandidateUnreachable(f"{problem}; wait, or give fewer questions a batch by ?batch=N", hearing="unheard")
        return CandidateMisconfigured(problem, hearing="unheard")


def _missing(status: str) -> VivavoceError:
    """The reason for a question without a line, by the end of the batch."""
    if status == "cancelled":
        return CandidateUnreachable("the batch was cancelled at the server", hearing="unheard")
    if status == "expired":
        return ServiceFault("the batch expired before it came to this question", hearing="unheard")
    return ServiceFault("the batch has no answer to this question")
