"""`chat:MODEL@URL?batch=1`: the same model by the vendors' batch protocol, at half the price, in minutes or hours."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import Any, Final

from vivavoce.candidates.chat.batch_api import ENDED, ENDPOINT, BatchApi, ServerBatch
from vivavoce.candidates.chat.candidate import Chat
from vivavoce.candidates.chat.http import Response
from vivavoce.candidates.chat.options import MOST_LINES
from vivavoce.errors import CandidateError, CandidateMisconfigured, CandidateUnreachable, ServiceFault, VivavoceError
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.progress import BatchState
from vivavoce.interview.schedule import Clock
from vivavoce.interview.vendor_batches import VendorBatch

Results = dict[str, Reply | VivavoceError]

MOST_BYTES: Final = 190_000_000
"""Of a file, somewhat less than vendors take (200 MB)."""
LONGEST_PAUSE: Final = 60.0
"""Seconds between two looks at a batch."""
SLOWER: Final = 1.5
"""Each pause is longer than the last by this factor."""
_NEVER_RUN: Final = frozenset({"batch_expired", "batch_cancelled"})
"""Codes of lines that the model has never seen."""


def by_batch(chat: Chat) -> Chat | BatchedChat:
    """The candidate as its options want it: asked by batches, or one by one."""
    return chat if chat.options.batch is None else BatchedChat(chat)


class BatchedChat:
    """A chat model that is asked by batches. Its answers, and so its name, are those of the model asked one by one.

    A batch carries our id in its metadata, so that a later run can find it and fetch it without paying again. Each question
    gets what its line says; one without a line has a fault, and so is asked again with the next batch.
    """

    asked_again: RepeatReason = "elsewhere"
    """As of `Chat`."""
    concurrency = MOST_LINES
    """Questions of a batch at most."""

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
        """Ask at once, at the full price. Raises as `Chat.answer`."""
        return await self._chat.answer(question)

    async def close(self) -> None:
        """Close the connections."""
        await self._chat.close()

    def fits(self, questions: Sequence[Prompt]) -> int:
        """How many of these, from the first, go into one file; at least 1."""
        sizes = accumulate(len(self._line("-" * 64, question)) for question in questions[:MOST_LINES])
        return max(1, sum(1 for _ in takewhile(lambda size: size <= MOST_BYTES, sizes)))

    async def carry_out(
        self, batch: VendorBatch[Prompt], *, clock: Clock, tell: Callable[[BatchState], None]
    ) -> Mapping[str, Reply | VivavoceError] | None:
        """Have a batch answered; None if a resumed one is not at the server.

        Raises `CandidateError` where it may go on, but nothing can be found out about it now.
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
            except CandidateError as error:  # nothing was handed in, so that there is nothing to wait for
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
        """The batch at its end."""
        began, pause = clock.seconds(), self._options.batch_poll
        while batch.status not in ENDED:
            seconds = clock.seconds() - began
            tell(BatchState(self._chat.http.quoted(batch.status), questions, batch.completed, batch.failed, seconds))
            if seconds > 3600 * self._options.batch_wait:
                waited = f"after {self._options.batch_wait:g} hours"
                raise CandidateUnreachable(f"a batch is not at its end {waited}, and goes on at the server", hearing="unheard")
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
            if isinstance(name, str) and name in questions and name not in results:  # of two the first one stands
                results[name] = self._result(line, questions[name])

        for file in batch.files:
            await api.results(file, take, most=2 * MOST_LINES)
        return dict.fromkeys(questions, _missing(batch.status)) | results

    def _result(self, line: Mapping[str, Any], question: Prompt) -> Reply | VivavoceError:
        """What a line says."""
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
        """Why a batch failed as a whole: a limit on what is queued passes, all else does not."""
        text = "; ".join(f"{code}: {message}" if code else message for code, message in batch.errors[:3])
        problem = f"the server refuses the batch: {self._chat.http.quoted(text or 'it does not say why')}"
        if any("limit" in code for code, _ in batch.errors):
            return CandidateUnreachable(f"{problem}; wait, or give fewer questions a batch by ?batch=N", hearing="unheard")
        return CandidateMisconfigured(problem, hearing="unheard")


def _missing(status: str) -> VivavoceError:
    """The reason given for a question without a line, by how the batch ended."""
    if status == "cancelled":
        return CandidateUnreachable("the batch was cancelled at the server", hearing="unheard")
    if status == "expired":
        return ServiceFault("the batch expired before it came to this question", hearing="unheard")
    return ServiceFault("the answers of the batch hold none to this question")
