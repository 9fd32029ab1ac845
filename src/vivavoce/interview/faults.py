"""Which questions a candidate may have heard without answering them, so that a later answer is a second try.

Without this, a server that fails whenever it would be wrong would be asked until it is right. A failed attempt is one of these:

- No connection: no byte of the question was sent. The retry is free, provably.
- Turned away by a rate limit (status 429): free by the assumption that such a server does not look at the question first. These
  questions are counted and reported next to the verdict; `strict` counts them as heard.
- The whole request was refused (key, address, model name or setting), and the candidate has never answered: free by the same
  assumption, and counted with the others. The assumption ends with the first answer: from then on, a refused question
  counts as heard.
- Any other fault may have been heard: a status from 500 on, a cut connection, a reply that makes no sense. So may a question in
  flight when the run ended because the candidate was unreachable or misconfigured, and any question to a function in this
  process, which has the question as soon as it is called.

- A fault of the service at the last attempt (a gateway, a key, an account, a time-out of a server; see `ServiceFault`) says
  nothing about the candidate. Its question gets a missing answer on record, worth anything from 0 to 1, and later runs ask it
  again, each under its own key (`Key.each_run`), until three runs have met such a fault. An answer then counts, and the finding
  also gives the verdict if it counted 0, since it is an assumption that the service failed by itself.

A fault is recorded before the question is asked again, and before the run it aborts exits, so a program that is killed and
started again knows of it. Whatever the candidate answers later, the worth of the question is unknown; `certificate.evidence`
proves that a verdict may rest on such grades, intervals from 0 to 1. A question that is asked once and fails is an outcome.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Self, TypeVar, cast

from vivavoce.errors import CandidateError, CandidateUnreachable, Hearing, ServiceFault, TransportFault, refused_parameter
from vivavoce.formats.wording import numbered
from vivavoce.interview.candidate import NoAnswer, PriorAttempt, Reply
from vivavoce.interview.reading import orphans_caveat
from vivavoce.interview.record import AskingKind, Key, OpenQuestion
from vivavoce.interview.requests import QuestionOutcome
from vivavoce.interview.schedule import Clock, Recorder
from vivavoce.interview.tracing import TIMED_OUT
from vivavoce.interview.transcript import Transcript

A = TypeVar("A")

_WORSE: Final[tuple[Hearing, ...]] = ("unheard", "refused", "turned away", "heard")
_ORDER: Final[tuple[AskingKind, ...]] = ("turned away", "fault", "withdrawn")
"""The order of rows, with those of one kind together."""


class QuestionInFlight:
    """One question on its way to a candidate, and whether the candidate may have heard it."""

    def __init__(self, asking: OpenQuestion, faults: FaultLog) -> None:
        self.asking = asking
        self.under_way = False
        """Whether an attempt is under way, so that its result is unknown."""
        self.worst: Hearing = "unheard"
        """The worst result of the failed attempts."""
        self.reason = ""
        """Why the last attempt failed."""
        self._faults = faults

    def begins(self) -> None:
        self.under_way = True

    async def failed(self, fault: TransportFault, *, again: bool) -> None:
        """Note that an attempt did not get through; `again`: another one follows, once this is on record."""
        self._note_hearing(fault.hearing)
        self.reason = fault.reason
        if again and fault.hearing != "unheard":
            await self._faults.note(self.asking, "turned away" if fault.hearing == "turned away" else "fault")

    def ended(self, error: Exception) -> None:
        """Note that this error ended the run, and with it the current attempt, if any."""
        if self.under_way and isinstance(error, CandidateError):
            self._note_hearing(error.hearing)

    def _note_hearing(self, hearing: Hearing) -> None:
        self.under_way = False
        self.worst = max(self.worst, hearing, key=_WORSE.index)

    def closed(self, broken: Exception | None, *, never_answered: bool) -> list[AskingKind]:
        """The rows that close it on record, since it has no answer and no request waits for one.

        broken: why the run ended; None if the examiner withdrew the question.
        never_answered: whether the run ended because the request was refused as a whole, and the candidate never answered.
        """
        hearing = self.worst
        if broken is not None and self.under_way:
            hearing = max(hearing, "refused" if never_answered else "heard", key=_WORSE.index)
        if hearing == "refused":
            hearing = "turned away" if never_answered else "heard"
        if hearing == "heard":
            return ["fault"]
        return ["withdrawn"] if hearing == "unheard" else ["turned away", "withdrawn"]


def met_service_fault(answer: object) -> bool:
    """Whether an answer is missing because the service failed, so that the next run asks again."""
    return isinstance(answer, NoAnswer) and answer.by_service and not refused_parameter(answer.reason)


class FaultLog:
    """The questions of one interview that met a fault, in this run or in one before.

    strict: whether a refused question (status 429) counts as received.
    """

    def __init__(self, transcript: Transcript, recorder: Recorder, clock: Clock, *, strict: bool) -> None:
        self._transcript = transcript
        self._recorder = recorder
        self._clock = clock
        self.strict = strict
        self._handed_out: Counter[PriorAttempt] = Counter()
        self._orphans = self._failed = 0

    async def note(self, asking: OpenQuestion, kind: AskingKind) -> None:
        """Record the fault, once for each question, before anything else happens."""
        if self._remember(asking.key, kind):
            await self._recorder.note(replace(asking, kind=kind, at=self._clock.stamp()))

    async def close(self, unanswered: Sequence[QuestionInFlight], broken: Exception | None) -> list[QuestionInFlight]:
        """Close unanswered questions on record that no caller waits for.

        Returns those that may have been heard when the service failed: their record is a missing answer, and the next run asks
        them again.
        """
        if not unanswered:
            return []
        await self._recorder.settled()
        refused = isinstance(broken, CandidateError) and broken.hearing == "refused"
        never_answered = refused and not await self._recorder.answers(unanswered[0].asking.key.candidate)
        by_service = isinstance(broken, CandidateError) and broken.by_service and not never_answered
        at = self._clock.stamp()
        closed = [(kind, sent) for sent in unanswered for kind in sent.closed(broken, never_answered=never_answered)]
        failed = [sent for kind, sent in closed if kind == "fault"] if by_service else []
        closed = [(kind, sent) for kind, sent in closed if not (by_service and kind == "fault")]
        for kind, sent in sorted(closed, key=lambda closing: _ORDER.index(closing[0])):
            self._remember(sent.asking.key, kind)
            self._recorder.note_soon(replace(sent.asking, kind=kind, at=at))
        await self._recorder.settled()
        return failed

    def _remember(self, key: Key, kind: AskingKind) -> bool:
        """Note it, and return whether it is new; a transcript without askings knows it only in this program."""
        known = {"fault": self._transcript.faults, "turned away": self._transcript.turned_away}.get(kind)
        if known is None or key in known:
            return False
        known.add(key)
        return True

    def marked(self, key: Key, outcome: QuestionOutcome[A]) -> QuestionOutcome[A]:
        """The outcome with the faults of earlier attempts at its question."""
        answer, met = outcome.answer, self._met(key)
        if met == "asked again" and isinstance(answer, NoAnswer) and answer.by_service:
            return outcome  # the service failed again
        if not met or not isinstance(answer, Reply | NoAnswer):
            return outcome
        return replace(outcome, answer=cast("A", replace(answer, met=met)))

    def _met(self, key: Key) -> PriorAttempt:
        turned_away = key in self._transcript.turned_away
        if key in self._transcript.faults or (turned_away and self.strict):
            return "fault"
        if key != key.first:
            return "asked again"
        return "turned away" if turned_away else ""

    def hand_out(self, answer: object) -> None:
        """Count an answer that a room gets."""
        if isinstance(answer, Reply | NoAnswer) and answer.met:
            self._handed_out[answer.met] += 1
        self._orphans += isinstance(answer, NoAnswer) and answer.orphan
        self._failed += met_service_fault(answer)

    def caveats(self, name: str) -> tuple[str, ...]:
        """Caveats about answers that count although their questions met a fault."""
        heard, turned_away, anew = (self._handed_out[reason] for reason in ("fault", "turned away", "asked again"))
        texts = [orphans_caveat(name, self._orphans)] if self._orphans else []
        if heard:
            texts.append(
                f"{_questions(heard)} to {name} met a fault after it may have heard {_them(heard)}, and had a second try: the "
                "answer to that counts here."
            )
        if self._failed:
            texts.append(
                f"{_questions(self._failed)} to {name} got no answer since the service failed: the next run over the same "
                f"transcript asks {_them(self._failed)} again."
            )
        if anew:
            texts.append(asked_again_caveat(anew))
        if turned_away:
            texts.append(turned_away_caveat(turned_away))
        return tuple(texts)


def turned_away_caveat(number: int) -> str:
    """The assumption about questions that were turned away, in a sentence.

    >>> turned_away_caveat(2)[:41]
    '2 questions were turned away unanswered ('
    """
    were, them = ("was", "it") if number == 1 else ("were", "them")
    return (
        f"{_questions(number)} {were} turned away unanswered (too many requests, or a wrong key at the start), and asked "
        f"again: it is assumed that nobody had heard {them}. Strict faults do not assume that."
    )


def asked_again_caveat(number: int) -> str:
    """The assumption about questions that met a fault of the service in an earlier run, in a sentence.

    >>> asked_again_caveat(2)
    '2 questions met a fault of the service in an earlier run, and were asked again: it is assumed that the service failed ...'
    """
    was, them = ("was", "this question") if number == 1 else ("were", "these questions")
    return (
        f"{_questions(number)} met a fault of the service in an earlier run, and {was} asked again: it is assumed that the "
        f"service failed by itself, and not because the candidate would have been wrong on {them}."
    )


def worse(first: PriorAttempt, second: PriorAttempt) -> PriorAttempt:
    """The worse of two results of earlier attempts.

    >>> worse("", "turned away"), worse("fault", "asked again")
    ('turned away', 'fault')
    """
    return max(first, second, key=("", "turned away", "asked again", "fault").index)


def _questions(number: int) -> str:
    return numbered(number, "question")


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


IN_A_ROW: Final = 3
"""After this many questions in a row that end in a fault of the service, the candidate counts as unreachable."""


class _Stuck(NamedTuple):
    first_fault: int
    reached: bool
    by_service: bool


class Outage:
    """Keeps an outage from becoming a verdict.

    A question is recorded as unanswered when every attempt failed, and that counts against the candidate. It may count only
    if the candidate was reachable. With the network down, every question of the examination would fail, and the verdict would
    be about the network. So a question that has used up its attempts is *stuck*, if

    - it never reached the candidate, or
    - the candidate has never answered anything (a wrong port, a server that still loads its model).

    A stuck question waits for the other questions in flight. If one of them gets an answer to an attempt that began after the
    first fault of the stuck one, the candidate is reachable, and the failure is the outcome of the stuck question. (If the
    stuck question did reach the candidate, any answer is enough.) When all questions in flight are stuck, all of them raise
    `CandidateUnreachable`. No outcome is recorded, and the next run asks them again; the record says which of them the
    candidate may have heard (see `faults`). A single question in flight is stuck at once.

    `with outage:` counts every question, also one that still waits for its slot: it will soon see whether the candidate is
    reachable.

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
        """Called when one more question is stuck."""

    def __enter__(self) -> Self:
        self._under_way += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._under_way -= 1
        self._give_up_if_all_stuck()

    @property
    def in_flight(self) -> int:
        """Questions that have a slot, or get one at once."""
        return min(self._room(), self._under_way)

    @property
    def stuck(self) -> int:
        """Questions that wait for the result of others."""
        return len(self._stuck)

    def moment(self) -> int:
        """A number for `succeeded` and `rule_out`, larger than all before: only the order of moments matters."""
        self._now += 1
        return self._now

    @property
    def has_answered(self) -> bool:
        return self._last_success > 0

    def ended_otherwise(self) -> None:
        """A question had another outcome than a fault of the service."""
        self._in_a_row = 0

    def failed(self, fault: ServiceFault) -> None:
        """A question ended in a fault of the service. Raises `CandidateUnreachable` for the third one in a row."""
        self._in_a_row += 1
        if self._in_a_row >= IN_A_ROW:
            remedy = " ('--set timeout' allows more)" if fault.reason.startswith(TIMED_OUT) else ""
            raise CandidateUnreachable(
                f"{self._in_a_row} questions in a row met a fault of the service: {fault.reason}{remedy}", by_service=True
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
        after = f" after {n} answer{'' if n == 1 else 's'}" if n else ""
        return f"the candidate does not answer{after}: {self._reason}"
