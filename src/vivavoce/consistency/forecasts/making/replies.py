"""What came of asking writers and checkers: statements, verdicts, and the faults of replies that hold none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vivavoce.consistency.forecasts.making.faults import Fault, Kind
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.proposals import Proposed
from vivavoce.interview.forms.refusal import REFUSED
from vivavoce.interview.forms.verdict import Judged
from vivavoce.interview.reading import read
from vivavoce.interview.replies import FILTERED

QUOTED = 200
"""How many characters of a reply or a reason are quoted."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer's reply holds: statements by name, and what is wrong with it if anything is."""

    statements: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a checker's reply says about a statement."""

    passed: bool
    reason: str = ""
    fault: Kind | None = None
    """Why it did not pass."""


def written_in(prompt: Prompt, answer: Reply | NoAnswer) -> Written:
    """The statements that a writer proposes."""
    if isinstance(answer, NoAnswer):
        return Written(fault=Fault(Kind.NO_ANSWER, quoted(answer.reason)))
    reading = read(prompt, answer)
    proposed: Proposed | None = reading.value
    if proposed is not None:
        declined = None if proposed.declined is None else Fault(Kind.DECLINED, quoted(proposed.declined))
        return Written(proposed.statements, declined)
    if reading.problem == FILTERED:
        return Written(fault=Fault(Kind.REFUSED, "the server filtered the reply"))
    if reading.problem == REFUSED:
        return Written(fault=Fault(Kind.REFUSED, quoted(answer.text)))
    kind = _KINDS.get(reading.outcome, Kind.UNREADABLE)
    return Written(fault=Fault(kind, f"{reading.problem}, in: {quoted(answer.text) or 'an empty reply'}"))


def verdict_in(prompt: Prompt, answer: Reply | NoAnswer) -> Verdict:
    """What a checker decided."""
    if isinstance(answer, NoAnswer):
        return Verdict(False, quoted(answer.reason), Kind.CHECK_NO_ANSWER)
    judged: Judged | None = read(prompt, answer).value
    if judged is None:
        return Verdict(False, quoted(answer.text) or "an empty reply", Kind.CHECK_UNREADABLE)
    return Verdict(True) if judged.passed else Verdict(False, quoted(judged.reason), Kind.CHECK_FAILED)


def quoted(text: str) -> str:
    """A stranger's words on one line, short and without characters that steer a terminal.

    >>> quoted("No,\\n no.")
    'No, no.'
    """
    line = " ".join(text[: 10 * QUOTED].split())
    shown = clipped(line[:QUOTED], QUOTED)
    return f"{shown}…" if len(line) > QUOTED else shown


_KINDS = {Outcome.COPIED: Kind.COPIED, Outcome.CUT_OFF: Kind.CUT_OFF}
