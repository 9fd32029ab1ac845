"""Everything that can go wrong, as a tree.

::

    VivavoceError
    ├── BadInput                 what the user gave cannot be used; the message names the value and the remedy
    │   ├── UnknownName          no candidate, scope or option of that name
    │   ├── BadFile              a file cannot be read as what it should be; names file, line and remedy
    │   ├── MissingExtra         an optional dependency is not installed
    │   └── NotAtHand            what an examination rested on is needed once more, and was not given
    ├── CandidateError           the candidate cannot be examined at all
    │   ├── CandidateMisconfigured   wrong key, wrong model name, wrong address
    │   └── CandidateUnreachable     it does not answer any question
    ├── TransportFault           one attempt to ask did not get through (retried by the interview)
    │   └── ServiceFault         the service failed, not the candidate: it says nothing about what the candidate knows
    │       └── ParameterRefused the server does not take a parameter that a room set, such as a temperature
    ├── TranscriptError          the record of the interview
    │   ├── TranscriptDamaged    tampered with, truncated, or not a transcript
    │   ├── TranscriptBusy       locked by another program
    │   ├── TranscriptFull       no room left to write
    │   └── NotOnRecord          an answer is looked for in the record alone, and is not there
    ├── BudgetExhausted          a limit on questions, tokens or money leaves no room for this question
    └── NotEnoughEvidence        too little data for the number that was asked for
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Literal

Hearing = Literal["unheard", "turned away", "refused", "heard"]
"""Whether the candidate had the question when an attempt to ask it failed.

unheard: surely not, since no connection came about and no byte of the question was sent.
turned away: it is taken that not, since there were too many requests (status 429).
refused: the request as a whole was, for its key, its address or a setting. It is taken that nobody heard it as long as that
candidate has never answered anything; once it has, it was heard.
heard: it may have, whatever else happened: a cut connection, a status from 500 on, a reply that makes no sense.
"""

_LISTED = 30
"""Names in an error message at most."""


class VivavoceError(Exception):
    """Base of every error that Vivavoce raises on purpose; its text is fit to be shown to a user as it is."""


class BadInput(VivavoceError):
    """What the user gave cannot be used."""


class OtherTerms(BadInput):
    """The transcript holds an examination of this candidate on this scope with other terms."""


class UnknownName(BadInput):
    """No candidate, scope or option has that name; the message says which is nearest and which there are.

    >>> print(UnknownName("bot", "calcluator", ["calculator", "eliza"]))
    there is no bot 'calcluator'; did you mean 'calculator'? There are: calculator, eliza
    """

    def __init__(self, what: str, given: str, known: Iterable[str]) -> None:
        known = list(known)
        longer = [name for name in known if given and name.startswith(given)]
        nearest = longer or get_close_matches(given, known, n=1, cutoff=0.5)
        suggestion = f"; did you mean '{nearest[0]}'?" if nearest else "."
        listed = ", ".join(known[:_LISTED]) + (f" and {len(known) - _LISTED} more" if len(known) > _LISTED else "")
        super().__init__(f"there is no {what} '{given[:80]}'{suggestion} There are: {listed or 'none'}")


class BadFile(BadInput):
    """A file cannot be read as what it should be.

    >>> str(BadFile("fractions.jsonl", "'weight' is -1, it must be above 0", line=7))
    "fractions.jsonl, line 7: 'weight' is -1, it must be above 0"
    """

    def __init__(self, file: str | PurePath, problem: str, *, line: int | None = None) -> None:
        where = f"{file}" if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {problem}")
        self.file = Path(file)
        self.problem = problem
        self.line = line


class MissingExtra(BadInput):
    """An optional dependency is not installed.

    >>> str(MissingExtra("inspect_ai", extra="models"))
    "'inspect_ai' is not installed: pip install 'vivavoce[models]'"
    """

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(f"'{package}' is not installed: pip install 'vivavoce[{extra}]'")


class CandidateError(VivavoceError):
    """The candidate cannot be examined at all.

    hearing: whether it had the question that was put.
    by_service: whether the service failed (key, credit, gateway), so that questions without an answer are asked again.
    """

    def __init__(self, reason: str, *, hearing: Hearing = "heard", by_service: bool = False) -> None:
        super().__init__(reason)
        self.hearing = hearing
        self.by_service = by_service


class CandidateMisconfigured(CandidateError):
    """The candidate's key, model name or address is wrong; no question can ever get through."""


class CandidateUnreachable(CandidateError):
    """The candidate does not answer any question, at present; what it answered before is on record."""


class TransportFault(VivavoceError):
    """One attempt to ask did not get through; raised by candidates, retried by the interview.

    Parameters
    ----------
    reason: what happened, for the record; never holds a secret.
    retry_after: seconds that the other side asked to wait before the next attempt.
    reached: whether the candidate had the question at all: not where nothing came back, nor where it was turned away unheard
        (too many requests). A fault of a candidate that was reached is an outcome of that question; else it is an outage.
    worth_retrying: False for what cannot get better by itself, such as a prompt that is too long.
    hearing: whether it may have heard the question. To put one again that was heard is a second try.
    status: with which status of HTTP it was refused; None where it was not, or where there is no such thing.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        reached: bool = True,
        worth_retrying: bool = True,
        hearing: Hearing = "heard",
        status: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.reached = reached
        self.worth_retrying = worth_retrying
        self.hearing = hearing
        self.status = status


REFUSES = "refuses the parameter"
"""How the reason of every `ParameterRefused` begins, on record as well."""


class ServiceFault(TransportFault):
    """The service failed, not the candidate: a gateway, a key, an account, or a server that sent no reply.

    The question's grade may be anything from 0 to 1, and the next run asks it again.
    """


class ParameterRefused(ServiceFault):
    """The server does not take a parameter that the prompt set; no attempt with it gets through.

    Parameters
    ----------
    parameter: its name as it was sent, such as `temperature` or `response_format`.
    said: what the server said about it.

    >>> str(ParameterRefused("temperature", "only the default is supported"))
    "refuses the parameter 'temperature': only the default is supported"
    """

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(f"{REFUSES} '{parameter}': {reason}", reached=True, worth_retrying=False)
        self.parameter = parameter


def refused_parameter(reason: str) -> str:
    """The parameter whose refusal is the reason of an absence; empty where the reason is another.

    >>> refused_parameter("refuses the parameter 'top_p': not supported"), refused_parameter("time-out")
    ('top_p', '')
    """
    beginning, quote, rest = reason.partition("'")
    return rest.partition("'")[0] if quote and beginning == f"{REFUSES} " else ""


class TranscriptError(VivavoceError):
    """Something is wrong with the record of the interview."""


class TranscriptDamaged(TranscriptError):
    """The transcript has been altered, is incomplete, or is no transcript."""


class TranscriptBusy(TranscriptError):
    """Another program holds the transcript locked."""


class TranscriptFull(TranscriptError):
    """There is no room left to write the transcript; what was written before is kept."""


class NotAtHand(BadInput):
    """What an examination rested on is needed once more, and was not given."""


class NotOnRecord(TranscriptError):
    """An answer is looked for in the record alone, and is not there."""


class BudgetExhausted(VivavoceError):
    """A limit on questions, tokens or money leaves no room for this question; it was not asked."""


class NotEnoughEvidence(VivavoceError):
    """Too little data for the number that was asked for; never replaced by 0."""
