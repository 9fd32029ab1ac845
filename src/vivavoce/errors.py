"""The errors of this package, as a tree.

::

    VivavoceError
    ├── BadInput                 the user's input cannot be used; the message names the value and the remedy
    │   ├── UnknownName          no candidate, scope or option of that name
    │   ├── BadFile              a file can't be read in the expected format; names file, line and remedy
    │   ├── MissingExtra         an optional dependency is not installed
    │   └── NotAtHand            something that the examination used is needed again and is missing
    ├── CandidateError           the candidate cannot be examined at all
    │   ├── CandidateMisconfigured   wrong key, wrong model name, wrong address
    │   └── CandidateUnreachable     it does not answer any question
    ├── TransportFault           one attempt to ask did not get through (retried by the interview)
    │   └── ServiceFault         the service failed, not the candidate: it says nothing about what the candidate knows
    │       └── ParameterRefused the server does not take a parameter that the prompt set, such as a temperature
    ├── TranscriptError          the record of the interview
    │   ├── TranscriptDamaged    tampered with, truncated, or not a transcript
    │   ├── TranscriptBusy       locked by another program
    │   ├── TranscriptFull       no space left to write
    │   └── NotOnRecord          only recorded answers may be used, and this one is missing
    ├── BudgetExhausted          a limit on questions, tokens or money leaves no room for this question
    └── NotEnoughEvidence        too little data for the requested number
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Literal

Hearing = Literal["unheard", "turned away", "refused", "heard"]
"""Whether the candidate had received the question when a request failed.

unheard: surely not, since no connection came about and no byte of the question was sent.
turned away: assumed not, since there were too many requests (status 429).
refused: the request as a whole, for its key, its address or a setting. If the candidate has never answered anything, it is
    assumed that it did not get the question; otherwise that it did.
heard: it may have, in any other case: a cut connection, a status from 500 on, a reply that makes no sense.
"""

_LISTED = 30
"""The most names that an error message lists."""


class VivavoceError(Exception):
    """Base of every error that Vivavoce raises on purpose; you can show its text to a user."""


class BadInput(VivavoceError):
    """The user's input cannot be used."""


class OtherTerms(BadInput):
    """The transcript holds an examination of this candidate on this scope with different terms."""


class UnknownName(BadInput):
    """No candidate, scope or option has that name; the message gives the nearest and lists all.

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
    """A file can't be read in the expected format.

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
    """The candidate can't be examined.

    hearing: whether it had the question.
    by_service: whether the service failed (key, credit, gateway); then questions without an answer are asked again.
    """

    def __init__(self, reason: str, *, hearing: Hearing = "heard", by_service: bool = False) -> None:
        super().__init__(reason)
        self.hearing = hearing
        self.by_service = by_service


class CandidateMisconfigured(CandidateError):
    """The candidate's key, model name or address is wrong, so no question can succeed."""


class CandidateUnreachable(CandidateError):
    """The candidate does not answer any question at present; its earlier answers are on record."""


class TransportFault(VivavoceError):
    """One request failed; raised by candidates, retried by the interview.

    Parameters
    ----------
    reason: what happened, for the record; never contains a secret.
    retry_after: seconds that the other side asked to wait before the next attempt.
    reached: whether the candidate had the question at all. It had not if nothing came back, or if the request was turned away
        (too many requests). A fault of a candidate that was reached is an outcome of that question; otherwise it is an outage.
    worth_retrying: False if another attempt cannot succeed, as with a prompt that is too long.
    hearing: whether it may have had the question. Asking such a question again is a second try.
    status: HTTP status of the refusal; None without one.
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
"""The reason of every `ParameterRefused` contains this, on record as well."""


class ServiceFault(TransportFault):
    """The service failed, not the candidate: a gateway, a key, an account, or a server that sent no reply.

    The question's grade may be anything from 0 to 1, and the next run asks it again.
    """


class ParameterRefused(ServiceFault):
    """The server does not accept a parameter that the prompt set; no attempt with it succeeds.

    Parameters
    ----------
    parameter: its name as it was sent, such as `temperature` or `response_format`.
    said: the server's message about it.

    >>> str(ParameterRefused("temperature", "only the default is supported"))
    "refuses the parameter 'temperature': only the default is supported"
    """

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(f"{REFUSES} '{parameter}': {reason}", reached=True, worth_retrying=False)
        self.parameter = parameter


def refused_parameter(reason: str) -> str:
    """The parameter whose refusal is the reason of a missing answer; empty for another reason.

    >>> refused_parameter("refuses the parameter 'top_p': not supported"), refused_parameter("time-out")
    ('top_p', '')
    """
    beginning, quote, rest = reason.partition("'")
    return rest.partition("'")[0] if quote and beginning == f"{REFUSES} " else ""


class TranscriptError(VivavoceError):
    """A problem with the record of the interview."""


class TranscriptDamaged(TranscriptError):
    """The file has been altered, is incomplete, or is not a transcript."""


class TranscriptBusy(TranscriptError):
    """Another program has locked the transcript."""


class TranscriptFull(TranscriptError):
    """There is no space left to write the transcript; earlier entries are kept."""


class NotAtHand(BadInput):
    """Something that the examination used, such as a file, is needed again and is missing."""


class NotOnRecord(TranscriptError):
    """Only recorded answers may be used, and this one is not on record."""


class BudgetExhausted(VivavoceError):
    """A limit on questions, tokens or money is used up; this question was not asked."""


class NotEnoughEvidence(VivavoceError):
    """Too little data for the requested number; never replaced by 0."""
