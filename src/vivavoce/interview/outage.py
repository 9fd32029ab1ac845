"""When a question without an answer is the question's outcome, and when the candidate is simply away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, Self

from vivavoce.errors import CandidateUnreachable, ServiceFault, TransportFault

IN_A_ROW: Final = 3
"""Questions one after the other that ended in a fault of the service, after which the candidate is taken to be away."""


class _Stuck(NamedTuple):
    first_fault: int
    reached: bool
    by_service: bool


class Outage:
    """Keeps an outage from becoming a verdict.

    A question whose every attempt failed is recorded as unanswered, and that counts against the candidate. It may count
    only if the candidate was there to be asked: with the network down, each question of the examination would fail, and a
    verdict on the candidate would be one on the network. Hence an ask that has used up its attempts is *stuck*, if

    - it never reached the candidate, or
    - the candidate has never answered anything (a wrong port, a server that still loads its model),

    and waits for what the other asks in flight see. As soon as one of them gets an answer to an attempt that began after
    the first fault of the stuck one, the candidate is there, and the failure is that question's outcome. (For a stuck ask
    that did reach the candidate any answer is enough.) Once all asks in flight are stuck, there is nothing to wait for: all
    raise `CandidateUnreachable`, no outcome is recorded, and the next run asks them again; of those that the candidate may have
    heard it knows that (see `faults`). An ask that is alone is stuck at once.

    Every ask is counted by `with outage:`, from before it has its turn to be in flight: who still waits for a turn will see
    soon whether the candidate is there.

    room: how many can be in flight.
    """

    def __init__(self, room: Callable[[], int], answers_on_record: Callable[[], Awaitable[int]]) -> None:
        self._room = room
        self._answers_on_record = answers_on_record
        self._now = 0
        self._last_success = 0
        self._stuck: dict[asyncio.Future[None], _Stuck] = {}
        self._reason = ""
        self._on_record = 0
        self._under_way = 0
        self._in_a_row = 0
        self.on_stuck: Callable[[], None] = lambda: None
        """Called when one more ask is stuck."""

    def __enter__(self) -> Self:
        self._under_way += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._under_way -= 1
        self._give_up_if_all_stuck()

    @property
    def in_flight(self) -> int:
        """Asks that have, or will have at once, their turn."""
        return min(self._room(), self._under_way)

    @property
    def stuck(self) -> int:
        """Asks that wait for what the others see."""
        return len(self._stuck)

    def moment(self) -> int:
        """A moment for `succeeded` and `rule_out`, later than all before. No clock: only the order matters."""
        self._now += 1
        return self._now

    @property
    def has_answered(self) -> bool:
        """Whether the candidate has answered anything in this run."""
        return self._last_success > 0

    def ended_otherwise(self) -> None:
        """A question had another outcome than a fault of the service."""
        self._in_a_row = 0

    def failed(self, fault: ServiceFault) -> None:
        """A question ended in a fault of the service. Raises `CandidateUnreachable` for the third one in a row."""
        self._in_a_row += 1
        if self._in_a_row >= IN_A_ROW:
            raise CandidateUnreachable(
                f"{self._in_a_row} questions in a row met a fault of the service: {fault.reason}", by_service=True
            )

    def succeeded(self, began: int) -> None:
        """An attempt that began at this moment was answered."""
        self._in_a_row = 0
        self._last_success = max(self._last_success, began)
        for waiting, stuck in list(self._stuck.items()):
            if stuck.reached or stuck.first_fault < began:
                del self._stuck[waiting]
                waiting.set_result(None)

    async def rule_out(self, fault: TransportFault, *, first_fault: int) -> None:
        """Return once it is clear that the fault is an outcome of its question; raise `CandidateUnreachable` if it is not."""
        if not (fault.reached and self._last_success):
            self._on_record = await self._answers_on_record()
        answered_before = bool(self._on_record or self._last_success)
        if first_fault < self._last_success or (fault.reached and answered_before):
            return
        self._reason = fault.reason
        waiting = asyncio.get_running_loop().create_future()
        self._stuck[waiting] = _Stuck(first_fault, fault.reached, isinstance(fault, ServiceFault))
        self.on_stuck()
        self._give_up_if_all_stuck()
        try:
            await waiting
        finally:
            self._stuck.pop(waiting, None)

    def _give_up_if_all_stuck(self) -> None:
        if len(self._stuck) < self.in_flight:
            return
        by_service = all(stuck.by_service for stuck in self._stuck.values())
        for waiting in self._stuck:
            waiting.set_exception(CandidateUnreachable(self._explanation, by_service=by_service))
        self._stuck.clear()

    @property
    def _explanation(self) -> str:
        n = self._on_record
        on_record = f"; {n} of its answers {'are' if n != 1 else 'is'} on record" if n else ""
        return f"the candidate does not answer: {self._reason}{on_record}"
