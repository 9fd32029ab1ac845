"""Which questions a candidate may have heard without answering them, so that its answer to a later attempt is a second try.

A server that fails instead of being wrong would else be asked until it is right. What an attempt that failed tells:

- No connection came about: no byte of the question was sent. Free, and provably so.
- Turned away by a limit on the rate (status 429): free by assumption, namely that such a server does not look at the question
  first. Counted, and told wherever the verdict is; `strict` takes these for heard.
- The whole request was refused, for a key, an address, a model's name or a setting, and nothing of that name has ever been
  answered. Free by the same assumption, and counted with them: what refuses is the door, and nobody of that name was there to
  hear. The assumption ends with the first answer: from then on the door is known to be open, and what it refuses was heard.
- Anything else is a fault that may have been heard: a status from 500 on, a cut connection, a reply that makes no sense. Also
  what was under way when a run ended because the candidate could not be reached or was misconfigured, and whatever a candidate
  raises that is a function in this process: it has the question as soon as it is called.

- A fault of the service at the last attempt (a gateway, a key, an account; see `ServiceFault`) says nothing about the
  candidate. Its question has an absence on record, worth anything from 0 to 1, and later runs ask it anew, each under a key of
  its own (`Key.each_run`), until three runs have met such a fault. An answer then counts, and what the verdict would be if it
  counted 0 is said with it: that the service failed by itself is an assumption.

A fault is on record before the question is put again, and before a run that it ends is at its end: a program that is killed and
started again knows of it. Whatever is answered later, nobody knows what the question is worth; the proof that a verdict may
rest on such grades, intervals from 0 to 1, is in `certificate.evidence`. What is asked once and fails is an outcome as ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar, cast

from vivavoce.errors import CandidateError, Hearing, TransportFault, refused_parameter
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Met, NoAnswer, Reply
from vivavoce.interview.notation import Settled
from vivavoce.interview.reading import orphans_caveat
from vivavoce.interview.record import Asking, AskingKind, Key
from vivavoce.interview.recorder import Recorder
from vivavoce.interview.transcript import Transcript

A = TypeVar("A")

_WORSE: Final[tuple[Hearing, ...]] = ("unheard", "refused", "turned away", "heard")
_ORDER: Final[tuple[AskingKind, ...]] = ("turned away", "fault", "withdrawn")
"""In which rows are written: those of one kind go together."""


class Sent:
    """One question on its way to a candidate, and whether that may have heard it."""

    def __init__(self, asking: Asking, faults: Faults) -> None:
        self.asking = asking
        self.under_way = False
        """Whether an attempt has begun of which nobody knows what came of it."""
        self.worst: Hearing = "unheard"
        """By the attempts that failed."""
        self.reason = ""
        """Why the last of them did."""
        self._faults = faults

    def begins(self) -> None:
        """An attempt goes out."""
        self.under_way = True

    async def failed(self, fault: TransportFault, *, again: bool) -> None:
        """An attempt did not get through; `again`: another one follows, once this is on record."""
        self._has_told(fault.hearing)
        self.reason = fault.reason
        kind = _kind_of(fault.hearing)
        if again and kind is not None:
            await self._faults.note(self.asking, kind)

    def ended(self, error: Exception) -> None:
        """The attempt under way, if there is one, ended the run."""
        if self.under_way and isinstance(error, CandidateError):
            self._has_told(error.hearing)

    def _has_told(self, hearing: Hearing) -> None:
        self.under_way = False
        self.worst = max(self.worst, hearing, key=_WORSE.index)

    def closed(self, broken: Exception | None, *, nobody_there: bool) -> list[AskingKind]:
        """What goes on record of it since it has no answer, and nobody waits for one any more.

        broken: why the run is at its end; None where the examiner withdrew the question.
        nobody_there: whether the run ended since the request was refused as a whole, and the candidate never answered.
        """
        hearing = self.worst
        if broken is not None and self.under_way:
            hearing = max(hearing, "refused" if nobody_there else "heard", key=_WORSE.index)
        if hearing == "refused":
            hearing = "turned away" if nobody_there else "heard"
        if hearing == "heard":
            return ["fault"]
        return ["withdrawn"] if hearing == "unheard" else ["turned away", "withdrawn"]


class Faults:
    """The questions of one interview that met a fault, in this run or in one before.

    now: tells the time, UTC in ISO 8601.
    strict: whether a question that was turned away counts as heard.
    """

    def __init__(self, transcript: Transcript, recorder: Recorder, *, now: Callable[[], str], strict: bool) -> None:
        self._transcript = transcript
        self._recorder = recorder
        self._now = now
        self.strict = strict
        self._handed_out: Counter[Met] = Counter()
        self._orphans = self._failed = 0

    async def note(self, asking: Asking, kind: AskingKind) -> None:
        """Have it on record what it met, once for each question, before anything else happens."""
        if self._remember(asking.key, kind):
            await self._recorder.note(replace(asking, kind=kind, at=self._now()))

    async def close(self, unanswered: Sequence[Sent], broken: Exception | None) -> list[Sent]:
        """Put on record what became of questions without an answer that nobody waits for any more.

        Returns those that may have been heard when the service failed: their record is an absence, and the next run asks anew.
        """
        if not unanswered:
            return []
        await self._recorder.settled()
        refused = isinstance(broken, CandidateError) and broken.hearing == "refused"
        nobody_there = refused and not await self._recorder.answers(unanswered[0].asking.key.candidate)
        by_service = isinstance(broken, CandidateError) and broken.by_service and not nobody_there
        at = self._now()
        closed = [(kind, sent) for sent in unanswered for kind in sent.closed(broken, nobody_there=nobody_there)]
        failed = [sent for kind, sent in closed if kind == "fault"] if by_service else []
        closed = [(kind, sent) for kind, sent in closed if not (by_service and kind == "fault")]
        for kind, sent in sorted(closed, key=lambda one: _ORDER.index(one[0])):
            self._remember(sent.asking.key, kind)
            self._recorder.note_soon(replace(sent.asking, kind=kind, at=at))
        await self._recorder.settled()
        return failed

    def _remember(self, key: Key, kind: AskingKind) -> bool:
        """Whether it is news; for a transcript without askings it is known to this program alone."""
        known = {"fault": self._transcript.faults, "turned away": self._transcript.turned_away}.get(kind)
        if known is None or key in known:
            return False
        known.add(key)
        return True

    def marked(self, key: Key, outcome: Settled[A]) -> Settled[A]:
        """The outcome with what its question met on the way."""
        answer, met = outcome.answer, self._met(key)
        if met == "asked anew" and isinstance(answer, NoAnswer) and answer.by_service:
            return outcome  # the service failed again
        if not met or not isinstance(answer, Reply | NoAnswer):
            return outcome
        return replace(outcome, answer=cast("A", replace(answer, met=met)))

    def _met(self, key: Key) -> Met:
        turned_away = key in self._transcript.turned_away
        if key in self._transcript.faults or (turned_away and self.strict):
            return "fault"
        if key != key.first:
            return "asked anew"
        return "turned away" if turned_away else ""

    def hand_out(self, answer: object) -> None:
        """Count an answer that somebody is given."""
        if isinstance(answer, Reply | NoAnswer) and answer.met:
            self._handed_out[answer.met] += 1
        self._orphans += isinstance(answer, NoAnswer) and answer.orphan
        self._failed += isinstance(answer, NoAnswer) and answer.by_service and not refused_parameter(answer.reason)

    def caveats(self, name: str) -> tuple[str, ...]:
        """What a reader must know where answers count although their questions met a fault."""
        heard, turned_away, anew = (self._handed_out[met] for met in ("fault", "turned away", "asked anew"))
        found = [orphans_caveat(name, self._orphans)] if self._orphans else []
        if heard:
            found.append(
                f"{_questions(heard)} to {name} met a fault after it may have heard {_them(heard)}, and had a second try: the "
                "answer to that counts here."
            )
        if self._failed:
            found.append(
                f"{_questions(self._failed)} to {name} got no answer since the service failed: the next run over the same "
                f"transcript asks {_them(self._failed)} again."
            )
        if anew:
            found.append(asked_anew_caveat(anew))
        if turned_away:
            found.append(turned_away_caveat(turned_away))
        return tuple(found)


def turned_away_caveat(number: int) -> str:
    """What is assumed of questions that were turned away, in a sentence.

    >>> turned_away_caveat(2)[:41]
    '2 questions were turned away unanswered ('
    """
    were, them = ("was", "it") if number == 1 else ("were", "them")
    return (
        f"{_questions(number)} {were} turned away unanswered (too many requests, or a wrong key at the start), and asked "
        f"again: it is assumed that nobody had heard {them}. '--strict-faults' does not assume that."
    )


def asked_anew_caveat(number: int) -> str:
    """What is assumed of questions that met a fault of the service in an earlier run, in a sentence.

    >>> asked_anew_caveat(2)
    '2 questions met a fault of the service in an earlier run, and were asked again: it is assumed that the service failed ...'
    """
    was, them = ("was", "this question") if number == 1 else ("were", "these questions")
    return (
        f"{_questions(number)} met a fault of the service in an earlier run, and {was} asked again: it is assumed that the "
        f"service failed by itself, and not because the candidate would have been wrong on {them}."
    )


def worse(one: Met, other: Met) -> Met:
    """The worse of what two requests met on the way.

    >>> worse("", "turned away"), worse("fault", "asked anew")
    ('turned away', 'fault')
    """
    return max(one, other, key=("", "turned away", "asked anew", "fault").index)


def _kind_of(hearing: Hearing) -> AskingKind | None:
    """How an attempt that failed is written down before the next one; None: not at all."""
    if hearing == "unheard":
        return None
    return "turned away" if hearing == "turned away" else "fault"


def _questions(number: int) -> str:
    return f"{count(number)} question{'' if number == 1 else 's'}"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"
